"""The ways in which sites of the mock web write their pages."""

from quarkcrawl.lab.mockweb.site.markup.markup import html_of
from quarkcrawl.lab.mockweb.site.markup.skin import Skin, body_bytes

__all__ = ["Skin", "body_bytes", "html_of"]
