"""Spam of single pages: what they advertise, and how they were made for search engines.

`spam_of` judges a page by its words, links and scripts; each of `KINDS` needs several independent
signs, so that an article about gambling, a clinic's page or a bank's is none. The words are data
(``lexicon.txt``): another `Lexicon` may be given.
"""

from quarkcrawl.refine.spam.judge import KINDS, REASONS, PageSpam, spam_of
from quarkcrawl.refine.spam.lexicon import Lexicon, Matches

__all__ = ["KINDS", "REASONS", "Lexicon", "Matches", "PageSpam", "spam_of"]
