"""What exists only to compare with: methods of others, as their papers describe them.

Ways of the SEWM2008 teams to find content (`content`), measures of structural similarity
(`measures`, `treedistance`), and the thesis' way to find exact duplicates (`partitiondedup`). What
a template file or a setting can name (``suffix-tree``, ``minhash``) stays with its package.
"""

from quarkcrawl.lab.baselines.content import BASELINES
from quarkcrawl.lab.baselines.measures import MEASURES
from quarkcrawl.lab.baselines.partitiondedup import partition_dedup

__all__ = ["BASELINES", "MEASURES", "partition_dedup"]
