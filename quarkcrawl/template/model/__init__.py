"""Templates as they are kept: induced nodes, labels, fields, the file."""

from quarkcrawl.template.model.alignment import Alignment, align_page
from quarkcrawl.template.model.evidence import (
    boilerplate_runs,
    content_runs,
    learn_content,
    site_content,
)
from quarkcrawl.template.model.fields import TemplateFields, extract_fields
from quarkcrawl.template.model.fileshape import check_shape
from quarkcrawl.template.model.induce import InduceOptions, induce
from quarkcrawl.template.model.labels import propose, spread, variables
from quarkcrawl.template.model.model import (
    Optional,
    Position,
    Template,
    nodes_of,
    sequence_of_nodes,
)
from quarkcrawl.template.model.output import FIELDS_FORMS, FieldsForm, field_names, write_fields
from quarkcrawl.template.model.templatefile import (
    node_words,
    nodes_of_words,
    read_templates,
    write_templates,
)
from quarkcrawl.template.model.templateset import NearestTemplate, TemplateSet
from quarkcrawl.template.model.texts import observe

__all__ = [
    "FIELDS_FORMS",
    "Alignment",
    "FieldsForm",
    "InduceOptions",
    "NearestTemplate",
    "Optional",
    "Position",
    "Template",
    "TemplateFields",
    "TemplateSet",
    "align_page",
    "boilerplate_runs",
    "check_shape",
    "content_runs",
    "extract_fields",
    "field_names",
    "induce",
    "learn_content",
    "node_words",
    "nodes_of",
    "nodes_of_words",
    "observe",
    "propose",
    "read_templates",
    "sequence_of_nodes",
    "site_content",
    "spread",
    "variables",
    "write_fields",
    "write_templates",
]
