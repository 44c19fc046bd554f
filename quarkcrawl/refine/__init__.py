"""Labels of the documents of a corpus: what a data set may ask of them.

`refine_corpus` gives every document of a corpus labels (``job``, ``labels``), `refine_task` a slice
of the documents (``astasks``); they are kept in tables of
their own (``table``); `view_documents` and `view_labels` let an engine ask them.
"""

from quarkcrawl.refine.astasks import finish_labels, refine_on_cluster, refine_task
from quarkcrawl.refine.documents import DOCUMENT_COLUMNS, WITHOUT_METHOD, analyzed, view_documents
from quarkcrawl.refine.job import RefineOptions, RefineReport, refine_corpus
from quarkcrawl.refine.labels import LABEL_COLUMNS, LABEL_SCHEMA, LABELS, LabelOptions
from quarkcrawl.refine.perplexity import CharacterModel, PerplexityOptions
from quarkcrawl.refine.repeated import repeat_table
from quarkcrawl.refine.view import label_table, view_labels

__all__ = [
    "DOCUMENT_COLUMNS",
    "LABELS",
    "LABEL_COLUMNS",
    "LABEL_SCHEMA",
    "WITHOUT_METHOD",
    "CharacterModel",
    "LabelOptions",
    "PerplexityOptions",
    "RefineOptions",
    "RefineReport",
    "analyzed",
    "finish_labels",
    "label_table",
    "refine_corpus",
    "refine_on_cluster",
    "refine_task",
    "repeat_table",
    "view_documents",
    "view_labels",
]
