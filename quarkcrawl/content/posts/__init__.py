"""Posts of threads and comments below articles: elements that repeat, each with an own text.

Boards, question pages and comment programs write each post in an element like the one before, with
a date, an author, a number and buttons around the text. `find_posts` groups the elements of a page
by what their class names and ids share, asks each group for these signs (``runs``; ``shapes`` where
names do not tell), finds the element that holds the text within each post (``body``), and tells
threads, whose posts are the page's content, from comments below an article (``find``).
"""

from quarkcrawl.content.posts.choice import likely_posts, settled_lines
from quarkcrawl.content.posts.find import FoundPosts, find_posts, rows_of
from quarkcrawl.content.posts.header import header_of
from quarkcrawl.content.posts.names import names_of

__all__ = [
    "FoundPosts",
    "find_posts",
    "header_of",
    "likely_posts",
    "names_of",
    "rows_of",
    "settled_lines",
]
