"""Choosing sites: from a dump of URLs to the hosts that belong into a corpus.

The path of CWT200g (thesis, 3.2 and 3.3). `count_hosts` reads URL lists and counts the pages of
each host. The check asks every host for its home page (the spider ``seeds``) and notes a `Probe`.
`select_sites` then drops, step by step, malformed names, dead hosts, second names (`alias_groups`),
ports and addresses, hosts of the spam-domain list (`SpamList`), families of generated sites that
stand out of the Zipf line (`propose`; a person decides), names with a leading digit and small
hosts; what is left are `SeedSite`s. `SelectionWork` keeps the tables between the steps in a folder.
"""

from quarkcrawl.select.aliases import AliasGroup, alias_groups
from quarkcrawl.select.decisions import read_decisions
from quarkcrawl.select.hostcounts import BadLine, HostCounts, ListCount, count_hosts
from quarkcrawl.select.probes import Probe, ProbeFile, read_probes
from quarkcrawl.select.proposals import Proposal, propose
from quarkcrawl.select.registry import registered_domain
from quarkcrawl.select.selection import (
    SeedSite,
    Selection,
    SelectionOptions,
    select_sites,
)
from quarkcrawl.select.spam import SpamList
from quarkcrawl.select.work import SelectionWork
from quarkcrawl.select.zipf import SizeHistogram, fit_line, outliers

__all__ = [
    "AliasGroup",
    "BadLine",
    "HostCounts",
    "ListCount",
    "Probe",
    "ProbeFile",
    "Proposal",
    "SeedSite",
    "Selection",
    "SelectionOptions",
    "SelectionWork",
    "SizeHistogram",
    "SpamList",
    "alias_groups",
    "count_hosts",
    "fit_line",
    "outliers",
    "propose",
    "read_decisions",
    "read_probes",
    "registered_domain",
    "select_sites",
]
