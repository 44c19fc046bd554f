"""Find the content of a page: text, headline, date, source, related links, topic items.

`extract` runs a method by its name (``extract``). ``quark`` is the thesis to the letter: blocks
that share words with the longest (``similarity``) and whose features speak for content (``bayes``)
are content (``quark``). ``default`` judges every line by boosted trees (``features…``,
``boosting``, ``blockmodel``, ``default``; trained by ``training``). ``ibdom`` and ``rules`` take
the region of the topic: the paper's rules (``ibdom…``) and ours (``items_rules``, ``items_noise``),
of which `topic_items` makes paragraphs, tables and pictures (``items…``, ``tables_…``,
``pictures``). A `Content` (``result``) finds the rest when it is asked for: headline (``headline``,
``titles``), date (``dates…``), source and author (``metadata…``), related links (``related``),
whether the page is about something at all (``topic…``), Markdown (``markdown…``), rows of the
analysis tables (``rows``).
"""

from quarkcrawl.content.content import Content, Metadata
from quarkcrawl.content.items import Cell, Item, Paragraph, Picture, Table, topic_items
from quarkcrawl.content.methods import METHODS, extract
from quarkcrawl.content.modelfile import model_arrays
from quarkcrawl.content.plain import plain_content
from quarkcrawl.content.related import related_blocks
from quarkcrawl.content.rows import BlockTable, block_columns, box_columns, content_columns
from quarkcrawl.content.warmup import warm_up
from quarkcrawl.content.words import WordFinder, noise_words

__all__ = [
    "METHODS",
    "BlockTable",
    "Cell",
    "Content",
    "Item",
    "Metadata",
    "Paragraph",
    "Picture",
    "Table",
    "WordFinder",
    "block_columns",
    "box_columns",
    "content_columns",
    "extract",
    "model_arrays",
    "noise_words",
    "plain_content",
    "related_blocks",
    "topic_items",
    "warm_up",
]
