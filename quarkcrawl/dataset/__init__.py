"""From a labeled corpus to a data set, and the way of a URL there.

`export_dataset` writes the documents for which all rules hold (``conditions``) as Parquet, JSON
lines or plain text (``writers``), their texts without repeated passages and personal data
(``texts``), with card, checksums and the list of what was left out and why (``card``,
``statistics``). `refinement` counts what each rule leaves, without writing a data set.
`explain_url` tells the whole way of a URL, from the list of sites to the data set.
"""

from quarkcrawl.dataset.conditions import AFTERWARDS, ALWAYS, COPIES, RULES, DatasetRule
from quarkcrawl.dataset.explain import WAY_STEPS, WayPoint, explain_url, rule_points
from quarkcrawl.dataset.export import ExportReport, document_id, export_dataset, is_dataset
from quarkcrawl.dataset.options import DEFAULT_FIELDS, FIELDS, ExportOptions
from quarkcrawl.dataset.refinement import LABEL_VALUES, FunnelStep, Refinement, refinement

__all__ = [
    "AFTERWARDS",
    "ALWAYS",
    "COPIES",
    "DEFAULT_FIELDS",
    "FIELDS",
    "LABEL_VALUES",
    "RULES",
    "WAY_STEPS",
    "DatasetRule",
    "ExportOptions",
    "ExportReport",
    "FunnelStep",
    "Refinement",
    "WayPoint",
    "document_id",
    "explain_url",
    "export_dataset",
    "is_dataset",
    "refinement",
    "rule_points",
]
