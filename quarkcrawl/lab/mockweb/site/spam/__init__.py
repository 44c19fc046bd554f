"""Spam that the mock web hides inside good hosts: single pages of seven kinds, made from a seed."""

from quarkcrawl.lab.mockweb.site.spam.pages import SPAM_KINDS, spoiled

__all__ = ["SPAM_KINDS", "spoiled"]
