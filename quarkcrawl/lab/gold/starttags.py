"""Where the start tags of a page stand in its source, and which elements a selector finds.

Marks are attributes that people or programs add to start tags. To add one, or to take it out again,
its place must be known to the character. The parser that builds `quarkcrawl.page.PageTree` tells it
when asked; elements are numbered as there.
"""

from __future__ import annotations

import re
from typing import Final

import numpy as np
from turbohtml import Element, parse

from quarkcrawl.errors import InputError
from quarkcrawl.page.tree import without_foreign_templates

_NAME: Final = re.compile(r"<[^\s/>]+")


class StartTags:
    """The start tags of one page.

    Args:
        source: the decoded page.
    """

    def __init__(self, source: str) -> None:
        self.source = source
        self._document = parse(without_foreign_templates(source), source_locations=True)
        self._elements = [item for item in self._document.select("*") if isinstance(item, Element)]
        self._number = {element: number for number, element in enumerate(self._elements)}
        self._places = _places_behind_line_ends(source)

    def __len__(self) -> int:
        return len(self._elements)

    @property
    def tags(self) -> list[str]:
        """Name of each element, lower case."""
        return [element.tag.lower() for element in self._elements]

    def select(self, selector: str) -> list[int]:
        """Numbers of the elements that a selector finds, in document order.

        Args:
            selector: XPath if it starts with ``/``, ``./`` or ``(``, else CSS.

        Raises:
            InputError: if it is not a selector, or selects something else than elements.
        """
        is_xpath = selector.startswith(("/", "./", "("))
        try:
            find = self._document.xpath if is_xpath else self._document.select
            items = find(selector)
        except ValueError as error:
            raise InputError(str(error)) from error
        if not isinstance(items, list) or not all(isinstance(item, Element) for item in items):
            raise InputError(f"{selector!r} does not select elements")
        return sorted({self._number[item] for item in items if isinstance(item, Element)})

    def name_end(self, node: int) -> int | None:
        """Where an attribute can be added: right behind the name in the start tag.

        Returns:
            A place in the source; None if the element has no start tag there (implied elements,
            and formatting elements that the parser opens again).
        """
        location = self._elements[node].source_location
        if location is None:
            return None
        start = self._place(location.start_tag.start_offset)
        name = _NAME.match(self.source, start)
        return name.end() if name else None

    def opened_again(self) -> set[int]:
        """Elements that the parser opens a second time behind their end, with their attributes.

        So it does with ``b``, ``i``, ``a`` and the like that are open where their parent ends.
        """
        looks = [(element.tag, repr(dict(element.attrs))) for element in self._elements]
        without_tag = {
            look for node, look in enumerate(looks) if self._elements[node].source_location is None
        }
        return {node for node, look in enumerate(looks) if look in without_tag}

    def attribute(self, node: int, name: str) -> tuple[int, int] | None:
        """Where an attribute with its value stands in the source; None if it has none."""
        location = self._elements[node].source_location
        span = location.attrs.get(name) if location else None
        if span is None:
            return None
        return self._place(span.start_offset), self._place(span.end_offset - 1) + 1

    def _place(self, offset: int) -> int:
        return offset if self._places is None else int(self._places[offset])


def _places_behind_line_ends(source: str) -> np.ndarray[tuple[int], np.dtype[np.intp]] | None:
    """The parser counts CR LF as one character: the place of each that it counts."""
    if "\r\n" not in source:
        return None
    codes = np.frombuffer(source.encode("utf-32-le", "surrogatepass"), np.uint32)
    is_pair = np.zeros(len(codes), np.bool_)
    is_pair[:-1] = (codes[:-1] == ord("\r")) & (codes[1:] == ord("\n"))
    return np.flatnonzero(~is_pair)
