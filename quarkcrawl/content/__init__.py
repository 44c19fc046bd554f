"""Find the content of a page: text, headline, date, source, related links, topic items.

`extract` runs a method by its name (``METHODS``) and makes a `Content` of the `Extraction` that the
method returns. ``quark`` is the thesis, but that blocks are compared by their first 500 characters
(``compared_chars = 0`` in the file of a method: to the letter): blocks that share words with the
longest and whose features speak for content are content (`quarkcrawl.content.quark`). ``default``
judges every line by boosted trees (`quarkcrawl.content.lines`). ``ibdom`` and ``rules`` take the
region of the topic, by the paper's rules and by ours, of which `topic_items` makes paragraphs,
tables and pictures (`quarkcrawl.content.items`). A `Content` finds the rest when it is asked for:
headline, date, source and author (``metadata``), posts and comments (``threads``), items of a list
(``list_items``), related links (``related``), whether the page is about something at all
(``topic``), Markdown (``markdown``).
"""

from quarkcrawl.content.content import Content
from quarkcrawl.content.declared import described
from quarkcrawl.content.extraction import Extraction
from quarkcrawl.content.fieldrules import FieldRules, read_field_rules
from quarkcrawl.content.headline import find_headline, squeezed
from quarkcrawl.content.items import Cell, Item, Paragraph, Picture, Table, topic_items
from quarkcrawl.content.list_items import ListItem, list_item_fields
from quarkcrawl.content.metadata import Metadata
from quarkcrawl.content.methodfile import (
    METHOD_FILE_SUFFIX,
    Method,
    method_name,
    method_toml,
)
from quarkcrawl.content.methods import METHODS, extract, method_named, plain_content
from quarkcrawl.content.modelfile import model_arrays
from quarkcrawl.content.related import related_blocks
from quarkcrawl.content.rows import BlockTable, block_columns, box_columns, content_columns
from quarkcrawl.content.threads import ThreadPost, post_fields
from quarkcrawl.content.words import WordFinder, noise_words

__all__ = [
    "METHODS",
    "METHOD_FILE_SUFFIX",
    "BlockTable",
    "Cell",
    "Content",
    "Extraction",
    "FieldRules",
    "Item",
    "ListItem",
    "Metadata",
    "Method",
    "Paragraph",
    "Picture",
    "Table",
    "ThreadPost",
    "WordFinder",
    "block_columns",
    "box_columns",
    "content_columns",
    "described",
    "extract",
    "find_headline",
    "list_item_fields",
    "method_name",
    "method_named",
    "method_toml",
    "model_arrays",
    "noise_words",
    "plain_content",
    "post_fields",
    "read_field_rules",
    "related_blocks",
    "squeezed",
    "topic_items",
]
