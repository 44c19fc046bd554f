"""Personal data in texts: where it stands, of what kind it is, and texts without it.

Candidates are found by patterns over a text in which full-width forms are narrow (``find``), and
judged by what each kind demands: check digits, areas, ranges, words before them (``numbers``,
``kinds``). What is found can be masked (``mask``).
"""

from quarkcrawl.refine.personal.find import PersonalSpan, find_personal
from quarkcrawl.refine.personal.kinds import KINDS
from quarkcrawl.refine.personal.mask import mask_personal, replacement

__all__ = ["KINDS", "PersonalSpan", "find_personal", "mask_personal", "replacement"]
