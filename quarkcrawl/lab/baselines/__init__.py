"""What exists only to compare with: methods of others, as their papers describe them.

Ways of the SEWM2008 teams to find content (`content`; `site`: in several pages of a site), measures
of structural similarity (`measures`, `treedistance`). What a command, a template file or a setting
can name stays with its package (``suffix-tree``, ``minhash``, the ``thesis`` of ``corpus dedup``);
measures are lent to ``template train``.
"""

from quarkcrawl.lab.baselines.content import BASELINES
from quarkcrawl.lab.baselines.measures import MEASURES
from quarkcrawl.lab.baselines.site import SITE_BASELINES

__all__ = ["BASELINES", "MEASURES", "SITE_BASELINES"]
