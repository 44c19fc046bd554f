"""IB-DOM to the letter: blocks, their weights, the rules of the paper."""

from quarkcrawl.content.items.ibdom.blocks import Blocks, descend, shares
from quarkcrawl.content.items.ibdom.options import IbDomOptions
from quarkcrawl.content.items.ibdom.rules import IbDom

__all__ = ["Blocks", "IbDom", "IbDomOptions", "descend", "shares"]
