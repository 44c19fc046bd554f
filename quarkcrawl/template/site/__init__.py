"""What a site says of the contents of its pages: what it repeats, and what people taught about it.

A template knows what stands at a node; this needs no template. ``lines`` gives each line of a
content a number and a place, ``learn`` finds the lines that many articles of a host have at one
place, and takes them out of other pages' contents. ``rules`` is the file of what people taught,
``places`` describes a part of a page so that it is found on others, ``proposed`` makes a rule of
it, ``taught`` corrects contents.
"""

from quarkcrawl.template.site.learn import repeated_lines, without_repeated
from quarkcrawl.template.site.lines import SiteLines, site_lines
from quarkcrawl.template.site.proposed import proposed_rule
from quarkcrawl.template.site.rules import (
    MOST_SELECT_CHARS,
    RULES_FILE,
    RuleKind,
    SiteRule,
    SiteRules,
    as_toml,
    parse_rules,
    read_rules,
    write_rules,
)
from quarkcrawl.template.site.taught import Corrected, RuleEffect, corrected, rule_effects

__all__ = [
    "MOST_SELECT_CHARS",
    "RULES_FILE",
    "Corrected",
    "RuleEffect",
    "RuleKind",
    "SiteLines",
    "SiteRule",
    "SiteRules",
    "as_toml",
    "corrected",
    "parse_rules",
    "proposed_rule",
    "read_rules",
    "repeated_lines",
    "rule_effects",
    "site_lines",
    "without_repeated",
    "write_rules",
]
