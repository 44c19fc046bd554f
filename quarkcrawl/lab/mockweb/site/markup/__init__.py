"""The ways in which sites of the mock web write their pages."""

from quarkcrawl.lab.mockweb.site.markup.markup import Skin, body_bytes, html_of

__all__ = ["Skin", "body_bytes", "html_of"]
