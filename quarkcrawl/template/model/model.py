"""A template: what the pages of one cluster have in common (thesis, section 5.1).

Essential parts, which every page has, alternate with optional ones, each of which is a set of
alternatives with the share of pages that has them. A template is plain data: it can be written to
a file, read by a person and labeled.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple
from xml.parsers import expat

import numpy as np

from quarkcrawl.errors import InputError
from quarkcrawl.page.tree import TAG_IDS
from quarkcrawl.template.structure import CODE_BITS, TagSequence, code_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from quarkcrawl.template.clustering import Kind


@dataclass(frozen=True, slots=True)
class Node:
    """One element of a template.

    Args:
        tag: element name.
        depth: its depth on the simplified page.
        repeated: whether it is the root of a record that may occur many times.
    """

    tag: str
    depth: int
    repeated: bool = False

    def __str__(self) -> str:
        return f"{self.tag}{self.depth}{'+' if self.repeated else ''}"


@dataclass(frozen=True, slots=True)
class Essential:
    """Elements that every page has."""

    nodes: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Alternative:
    """Elements that a share of the pages has at one place.

    Args:
        nodes: the elements.
        probability: share of the cluster's pages.
    """

    nodes: tuple[Node, ...]
    probability: float


@dataclass(frozen=True, slots=True)
class Optional:
    """What may stand at one place, the most frequent first; the rest of the pages has nothing."""

    alternatives: tuple[Alternative, ...]


class Position(NamedTuple):
    """A place in a template.

    Args:
        part: number of the part; -1 for a gap.
        alternative: number of the alternative in an optional part, else -1.
        node: number of the node there; of a gap, the number of essential nodes before it.
    """

    part: int
    alternative: int
    node: int

    def __str__(self) -> str:
        if self.part < 0:
            return f"gap:{self.node}"
        middle = f".{self.alternative}" if self.alternative >= 0 else ""
        return f"{self.part}{middle}.{self.node}"

    @classmethod
    def parse(cls, text: str) -> Position:
        """Read what ``str`` writes: ``part.node``, ``part.alternative.node`` or ``gap:number``.

        Args:
            text: a position as `template show` prints it.

        Raises:
            InputError: it is none of these.
        """
        if re.fullmatch(r"gap:[0-9]{1,6}", text):
            return cls(-1, -1, int(text[4:]))
        if not re.fullmatch(r"[0-9]{1,6}(\.[0-9]{1,6}){1,2}", text):
            raise InputError(f"{text!r} is no position; write 2.0, 3.1.0 or gap:4")
        numbers = [int(number) for number in text.split(".")]
        return cls(*numbers) if len(numbers) == 3 else cls(numbers[0], -1, numbers[1])


@dataclass(frozen=True, slots=True)
class NodeText:
    """What stands at a position on the pages of a template.

    Args:
        constant: the text that nearly all pages have there, None if it differs.
        samples: values that pages have, not all of them, in order of first occurrence.
    """

    constant: str | None = None
    samples: tuple[str, ...] = ()


@dataclass(frozen=True)
class Template:
    """The template of one cluster.

    Args:
        id: name; never used again for another template.
        host: host of the pages, "" for several.
        n_pages: pages it was made from.
        center: sequence of the central page; pages are matched with it.
        parts: essential and optional parts in turn; the first and the last may be optional.
        labels: position of each field that a person named.
        texts: what stands at the positions of the pages it was made from.
        example: URL of the central page.
        reach: least similarity of a page of the cluster to the centre: clusters grow around
            centers that move, so it may be below the least similarity of a join.
        section: section of the host that the pages are from, "" if sections were not told apart.
        kind: which pages of equal structure, None if all.
        content: positions where an extractor keeps nearly all text, see
            `quarkcrawl.template.model.evidence`.
        buffer_pages: size of the buffer of unknown pages that it was found in; 0: it was trained.
    """

    id: str
    host: str
    n_pages: int
    center: tuple[Node, ...]
    parts: tuple[Essential | Optional, ...]
    labels: Mapping[str, Position] = field(default_factory=dict)
    texts: Mapping[Position, NodeText] = field(default_factory=dict)
    example: str = ""
    reach: float = 1.0
    section: str = ""
    kind: Kind | None = None
    content: tuple[Position, ...] = ()
    buffer_pages: int = 0

    @property
    def is_alternating(self) -> bool:
        """Whether essential and optional parts take turns, as they must."""
        pairs = zip(self.parts, self.parts[1:], strict=False)
        return all(type(one) is not type(other) for one, other in pairs)

    @cached_property
    def essential(self) -> tuple[tuple[Position, Node], ...]:
        """All essential nodes in order."""
        return tuple(entry for entry in self.positions() if entry[0].alternative < 0)

    @cached_property
    def optional_at(self) -> dict[int, int]:
        """Number of the optional part in each gap, by the number of essential nodes before it."""
        number_of, before = {}, 0
        for number, part in enumerate(self.parts):
            if isinstance(part, Optional):
                number_of[before] = number
            else:
                before += len(part.nodes)
        return number_of

    def positions(self) -> Iterator[tuple[Position, Node]]:
        """All nodes with their positions, in order."""
        for number, part in enumerate(self.parts):
            if isinstance(part, Essential):
                for place, node in enumerate(part.nodes):
                    yield Position(number, -1, place), node
                continue
            for which, alternative in enumerate(part.alternatives):
                for place, node in enumerate(alternative.nodes):
                    yield Position(number, which, place), node

    def has(self, position: Position) -> bool:
        """Whether there is such a position.

        Args:
            position: place in the template.
        """
        if position.part < 0:
            return 0 <= position.node <= len(self.essential)
        return any(place == position for place, _ in self.positions())

    def with_label(self, name: str, position: Position) -> Template:
        """The template with one more field.

        Args:
            name: what the field is called; must be a name in XML. A field of this name is moved.
            position: where it stands.

        Raises:
            InputError: the name cannot be used, or there is no such position.
        """
        if not _is_xml_name(name):
            raise InputError(f"{name!r} cannot be a field: it must be a name in XML")
        if not self.has(position):
            raise InputError(f"template {self.id} has no position {position} (label {name!r})")
        return replace(self, labels={**self.labels, name: position})

    def __str__(self) -> str:
        return " ".join(_part(part) for part in self.parts)


def _is_xml_name(name: str) -> bool:
    """Whether an element can be called so; the parser knows what the letters of XML are."""
    if not re.fullmatch(r"[^\W\d][\w.-]*", name) or name.lower().startswith("xml"):
        return False
    try:
        expat.ParserCreate().Parse(f"<{name}/>", True)
    except expat.ExpatError:
        return False
    return True


def _part(part: Essential | Optional) -> str:
    if isinstance(part, Essential):
        return " ".join(str(node) for node in part.nodes)
    shown = [
        f"{' '.join(str(node) for node in one.nodes)}, {one.probability:.2f}"
        for one in part.alternatives
    ]
    return f"[{' | '.join(shown)}]"


def nodes_of(sequence: TagSequence) -> tuple[Node, ...]:
    """The elements of a sequence as nodes."""
    parts = zip(sequence.tags, sequence.depths.tolist(), sequence.repeated.tolist(), strict=True)
    return tuple(Node(tag, depth, repeated) for tag, depth, repeated in parts)


def sequence_of_nodes(nodes: tuple[Node, ...]) -> TagSequence:
    """The sequence that these nodes are the elements of."""
    flags = np.array([node.repeated for node in nodes], np.bool_)
    names = {code_of(node.tag): node.tag for node in nodes if node.tag not in TAG_IDS}
    return TagSequence(tokens_of(nodes), flags, names)


def tokens_of(nodes: tuple[Node, ...]) -> NDArray[np.int32]:
    """Tokens of nodes, as in `quarkcrawl.template.TagSequence`."""
    tokens = [(node.depth << CODE_BITS) | code_of(node.tag) for node in nodes]
    return np.array(tokens, np.int32)
