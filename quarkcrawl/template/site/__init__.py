"""What a host repeats within the contents of its pages, learned from its own pages.

A template knows what stands at a node; this needs no template. ``lines`` gives each line of a
content a number and a place, ``learn`` finds the lines that many articles of a host have at one
place, and takes them out of other pages' contents.
"""

from quarkcrawl.template.site.learn import repeated_lines, without_repeated
from quarkcrawl.template.site.lines import SiteLines, site_lines

__all__ = ["SiteLines", "repeated_lines", "site_lines", "without_repeated"]
