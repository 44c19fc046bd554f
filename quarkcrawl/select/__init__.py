"""Choosing sites: from a dump of URLs to the hosts that belong into a corpus.

The path of CWT200g (thesis, 3.2 and 3.3). `count_hosts` reads URL lists and counts the pages of
each host. The check asks every host for its home page (the spider ``seeds``) and notes a `Probe`.
`select_sites` then drops, step by step, malformed names, dead hosts, second names (`alias_groups`),
ports and addresses, hosts of the spam-domain list (`SpamList`), families of generated sites that
stand out of the Zipf line (`propose`; a person decides), names with a leading digit and small
hosts; what is left are `SeedSite`s. `SelectionWork` keeps the tables between the steps in a folder,
the hosts that a person keeps (``keep.txt``) among them; `SelectionReview` looks at them.
"""

from quarkcrawl.page.urls import registered_domain
from quarkcrawl.select.aliases import METHODS, AliasGroup, AliasMethod, alias_groups
from quarkcrawl.select.blocklists import BlockList, BlockListCount
from quarkcrawl.select.decisions import UNDECIDED, change_decision, read_decisions
from quarkcrawl.select.hostcounts import BadLine, HostCounts, ListCount, count_hosts
from quarkcrawl.select.keeplist import change_keep_list, read_keep_list
from quarkcrawl.select.linebatches import opened, read_errors
from quarkcrawl.select.probes import Probe, ProbeFile, read_probes
from quarkcrawl.select.proposals import OUTLIER_METHODS, OutlierMethod, Proposal, propose
from quarkcrawl.select.review import HostEvidence, HostState, SelectionReview, selection_of
from quarkcrawl.select.selection import (
    HOST_COLUMNS,
    STEPS,
    SeedSite,
    Selection,
    SelectionOptions,
    StepOfSelection,
    StepResult,
    select_sites,
)
from quarkcrawl.select.spam import SpamList
from quarkcrawl.select.validity import without_port
from quarkcrawl.select.work import (
    COUNTS_FILE,
    KEEP_FILE,
    PROBES_FILE,
    PROPOSALS_FILE,
    SelectionWork,
)
from quarkcrawl.select.worktables import read_json, read_table, write_bytes, write_text
from quarkcrawl.select.zipf import SizeHistogram, fit_line, fit_widest, outliers

__all__ = [
    "COUNTS_FILE",
    "HOST_COLUMNS",
    "KEEP_FILE",
    "METHODS",
    "OUTLIER_METHODS",
    "PROBES_FILE",
    "PROPOSALS_FILE",
    "STEPS",
    "UNDECIDED",
    "AliasGroup",
    "AliasMethod",
    "BadLine",
    "BlockList",
    "BlockListCount",
    "HostCounts",
    "HostEvidence",
    "HostState",
    "ListCount",
    "OutlierMethod",
    "Probe",
    "ProbeFile",
    "Proposal",
    "SeedSite",
    "Selection",
    "SelectionOptions",
    "SelectionReview",
    "SelectionWork",
    "SizeHistogram",
    "SpamList",
    "StepOfSelection",
    "StepResult",
    "alias_groups",
    "change_decision",
    "change_keep_list",
    "count_hosts",
    "fit_line",
    "fit_widest",
    "opened",
    "outliers",
    "propose",
    "read_decisions",
    "read_errors",
    "read_json",
    "read_keep_list",
    "read_probes",
    "read_table",
    "registered_domain",
    "select_sites",
    "selection_of",
    "without_port",
    "write_bytes",
    "write_text",
]
