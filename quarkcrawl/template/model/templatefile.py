"""Template sets as versioned JSON.

``{"format": "quarkcrawl-templates", "version": 1, "options": …, "templates": […]}``; nodes are
written as ``div/3``, or ``div/3+`` if repeated, positions as
`quarkcrawl.template.model.Position` writes them. A file of another version or one that is
damaged is named in the error, with what is wrong and in which template.
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from quarkcrawl.errors import InputError, QuarkError
from quarkcrawl.page.tree import MAX_DEPTH
from quarkcrawl.store import write_whole
from quarkcrawl.template.clustering import ClusterOptions, Kind, Question
from quarkcrawl.template.model.fileshape import OPTIONS_SHAPE, TEMPLATE_SHAPE, check_shape
from quarkcrawl.template.model.model import (
    Alternative,
    Essential,
    Node,
    NodeText,
    Optional,
    Position,
    Template,
)
from quarkcrawl.template.model.templateset import TemplateSet
from quarkcrawl.template.structure import REPEATS, SequenceOptions, TagPolicy

if TYPE_CHECKING:
    from os import PathLike


FORMAT: Final = "quarkcrawl-templates"
VERSION: Final = 1

_NODE: Final = re.compile(r"([^/ ]+)/([0-9]{1,3})(\+?)")


def write_templates(templates: TemplateSet, path: str | PathLike[str]) -> None:
    """Write a template set; a file that is there is replaced as a whole or not at all.

    Args:
        templates: the set.
        path: file to write, in JSON.

    Raises:
        OSError: it cannot be written; what was there before still is.
    """
    text = json.dumps(templates_to_json(templates), ensure_ascii=False, indent=1)
    with write_whole(Path(path)) as file:
        file.write((text + "\n").encode("utf-8", "replace"))


def read_templates(path: str | PathLike[str]) -> TemplateSet:
    """Read a template set.

    Args:
        path: file that `write_templates` wrote.

    Raises:
        InputError: there is no such file, it is damaged, or of another version.
    """
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"no template file: {error}", where=path) from error
    try:
        return templates_from_json(data)
    except InputError as error:
        raise InputError(error.message, where=path) from error


def templates_to_json(templates: TemplateSet) -> dict[str, Any]:
    """A template set as plain data."""
    policy = templates.sequence.policy
    options = {
        "dropped": sorted(policy.dropped),
        "unwrapped": sorted(policy.unwrapped),
        "repeats": templates.sequence.repeats,
        "mask_prose": templates.sequence.mask_prose,
        "signs": templates.sequence.signs,
        "cluster": asdict(templates.cluster),
    }
    entries = [_template_to_json(template) for template in templates.templates]
    return {"format": FORMAT, "version": VERSION, "options": options, "templates": entries}


def templates_from_json(data: object) -> TemplateSet:
    """A template set from plain data.

    Raises:
        InputError: the data is not what `templates_to_json` writes.
    """
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise InputError(f"this is no template file: its format is not {FORMAT!r}")
    if data.get("version") != VERSION:
        raise InputError(f"templates of version {data.get('version')!r}; this reads {VERSION}")
    sequence, cluster = _guarded("options", lambda: _options(data["options"]))
    entries = data.get("templates")
    if not isinstance(entries, list):
        raise InputError("damaged: templates is no list")
    template_list = [
        _guarded(f"template {number}", lambda entry=entry: _template_from_json(entry))
        for number, entry in enumerate(entries)
    ]
    template_set: TemplateSet = _guarded(
        "ids", lambda: TemplateSet(tuple(template_list), sequence, cluster)
    )
    return template_set


def _guarded(what: str, read: Any) -> Any:
    """Read a part; whatever is wrong with it is an error that names it."""
    try:
        return read()
    except (QuarkError, KeyError, TypeError, ValueError, AttributeError) as error:
        kind = "lacks " if isinstance(error, KeyError) else ""
        raise InputError(f"damaged: {what}: {kind}{error}") from error


def _options(data: dict[str, Any]) -> tuple[SequenceOptions, ClusterOptions]:
    check_shape(data, OPTIONS_SHAPE)
    policy = TagPolicy(frozenset(data["dropped"]), frozenset(data["unwrapped"]))
    if data["repeats"] not in REPEATS:
        raise InputError(f"no way to find repeats called {data['repeats']!r}")
    signs = bool(data.get("signs", False))  # files from before there were any
    sequence = SequenceOptions(policy, data["repeats"], bool(data["mask_prose"]), signs)
    return sequence, ClusterOptions(**data["cluster"])


def _template_to_json(template: Template) -> dict[str, Any]:
    return {
        "id": template.id,
        "host": template.host,
        "n_pages": template.n_pages,
        "example": template.example,
        "reach": template.reach,
        "section": template.section,
        "kind": _kind_to_json(template.kind) if template.kind is not None else None,
        "content": [str(position) for position in template.content],
        **({"buffer_pages": template.buffer_pages} if template.buffer_pages else {}),
        "centre": node_words(template.center),
        "parts": [_part_to_json(part) for part in template.parts],
        "labels": {name: str(position) for name, position in template.labels.items()},
        "texts": {
            str(position): {"constant": text.constant, "samples": list(text.samples)}
            for position, text in template.texts.items()
        },
    }


def _template_from_json(data: dict[str, Any]) -> Template:
    check_shape(data, TEMPLATE_SHAPE)
    parts = tuple(_part_from_json(part) for part in data["parts"])
    texts = {
        Position.parse(place): NodeText(text["constant"], tuple(text["samples"]))
        for place, text in data["texts"].items()
    }
    template = Template(
        str(data["id"]), str(data["host"]), int(data["n_pages"]),
        nodes_of_words(data["centre"]), parts, {}, texts, str(data["example"]),
        float(data["reach"]),
        str(data["section"]),
        _kind_from_json(data["kind"]) if data.get("kind") is not None else None,
        tuple(Position.parse(place) for place in data.get("content", ())),
        int(data.get("buffer_pages", 0)),
    )  # fmt: skip
    if not template.is_alternating:
        raise InputError("essential and optional parts do not take turns")
    for name, place in data["labels"].items():
        template = template.with_label(name, Position.parse(place))
    return template


def _kind_to_json(kind: Kind) -> dict[str, Any]:
    question = kind.question
    return {
        "witness": question.witness,
        "answers": list(question.answers),
        "site": list(question.site),
        "answer": kind.answer,
    }


def _kind_from_json(data: dict[str, Any]) -> Kind:
    question = Question(
        data["witness"], tuple(map(str, data["answers"])), tuple(map(str, data["site"]))
    )
    if data["answer"] is not None and data["answer"] not in question.answers:
        raise InputError(f"a kind that is no answer: {data['answer']!r}")
    return Kind(question, data["answer"])


def _part_to_json(part: Essential | Optional) -> dict[str, Any]:
    if isinstance(part, Essential):
        return {"essential": node_words(part.nodes)}
    ways = [{"p": one.probability, "nodes": node_words(one.nodes)} for one in part.alternatives]
    return {"optional": ways}


def _part_from_json(data: dict[str, Any]) -> Essential | Optional:
    if "essential" in data:
        return Essential(nodes_of_words(data["essential"]))
    ways = [Alternative(nodes_of_words(one["nodes"]), float(one["p"])) for one in data["optional"]]
    if not sum(one.probability for one in ways) <= 1 + 1e-6:
        raise InputError("alternatives with probabilities of more than 1 together")
    return Optional(tuple(ways))


def node_words(nodes: tuple[Node, ...]) -> str:
    """Nodes as words, ``div/3`` or ``div/3+``."""
    return " ".join(f"{one.tag}/{one.depth}{'+' if one.repeated else ''}" for one in nodes)


def nodes_of_words(text: str) -> tuple[Node, ...]:
    """Nodes that one word each stands for, as `words_of_nodes` wrote them."""
    return tuple(_node(word) for word in text.split(" ")) if text else ()


def _node(word: str) -> Node:
    match = _NODE.fullmatch(word)
    if match is None or int(match[2]) > MAX_DEPTH:
        raise InputError(f"{word!r} is no element with a depth")
    return Node(match[1], int(match[2]), match[3] == "+")
