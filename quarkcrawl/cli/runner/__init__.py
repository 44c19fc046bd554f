"""What a browser may start here: campaigns, exports, the filter of a selection of seed sites.

A campaign is what `quarkcrawl campaign` takes: a file, beside it the seeds. It runs as a process of
its own, which lives on when the workbench ends; whether one runs, the kernel knows by a lock
(``folder``). ``campaigns`` checks what somebody wrote as the commands would, ``datasets`` writes
campaigns that do nothing but label and export a corpus, ``selections`` one that does nothing but
filter the hosts of a selection. Each writes below a folder that was named for it.
"""

from quarkcrawl.cli.runner.campaigns import LocalCampaigns, typed_seeds
from quarkcrawl.cli.runner.datasets import LocalDatasets
from quarkcrawl.cli.runner.selections import LocalSelection

__all__ = ["LocalCampaigns", "LocalDatasets", "LocalSelection", "typed_seeds"]
