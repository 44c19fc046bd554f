"""What an extraction method found on a page."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from quarkcrawl.content.items import Item, TopicRegion
    from quarkcrawl.page import Link, Page
    from quarkcrawl.segment import Block, Segmentation, Span

    BoolArray = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Metadata:
    """What a page says about itself; "" where it says nothing.

    Args:
        title: headline.
        published: date and time as ISO 8601, as precise as the page is.
        source: agency or medium named as the origin.
        author: author or reporter.
        editor: editor in charge.
        title_from: where the headline came from: ``h1``, ``h2``, ``h3``, ``line`` (a line that is
            part of a declared title), or the declaration itself where the page shows no headline.
        published_from: ``jsonld``, ``meta``, ``time`` (a time element), ``text`` or ``url``.
        source_from: ``text``, ``meta``, ``jsonld`` or, as last resort, ``site_name``.
        author_from: ``jsonld``, ``text`` or ``meta``.
    """

    title: str = ""
    published: str = ""
    source: str = ""
    author: str = ""
    editor: str = ""
    title_from: str = ""
    published_from: str = ""
    source_from: str = ""
    author_from: str = ""


class Content:
    """Content of a page, as one method sees it. Built by methods, read by everybody else.

    What costs more than the extraction itself (blocks of a method that does not cut blocks,
    source spans, the topic decision) is computed when it is first asked for and then kept.

    Attributes:
        page: the page.
        method: name of the method.
        text: the content, one paragraph a line, without the headline.
        runs: which text runs of ``page.tree`` are content, the headline included if the method
            took it for content.
        failure: why the method failed, None if it did not; then the content is empty.
    """

    def __init__(
        self,
        page: Page,
        method: str,
        *,
        text: str = "",
        runs: BoolArray | None = None,
        segmentation: Segmentation | Callable[[], Segmentation] | None = None,
        metadata: Metadata | Callable[[], Metadata] | None = None,
        region: Callable[[], TopicRegion] | None = None,
        failure: str | None = None,
    ) -> None:
        """Keep what a method found.

        Args:
            page: the page that was read; masks and blocks refer to its tree.
            method: name of the method.
            text: the content.
            runs: mask of the content's text runs; None for no run.
            segmentation: the labelled blocks, or what computes them; None to label the blocks
                of the Quark segmentation by ``runs``.
            metadata: headline, date and so on, or what reads them; None for
                `quarkcrawl.content.metadata.api.metadata`.
            region: what finds the topic region for `items`; None to put tables and pictures to
                the runs.
            failure: reason of a failure.
        """
        self.page = page
        self.method = method
        self.text = text
        self.runs = runs if runs is not None else np.zeros(len(page.tree.runs), np.bool_)
        self.failure = failure
        self._segmentation = segmentation
        self._metadata = metadata
        self._region = region

    @cached_property
    def metadata(self) -> Metadata:
        """Headline, date, source and author."""
        from quarkcrawl.content.metadata import metadata  # noqa: PLC0415  (makes a Metadata)

        if self._metadata is None:
            return metadata(self.page)
        return self._metadata() if callable(self._metadata) else self._metadata

    @property
    def title(self) -> str:
        """Headline of the page."""
        return self.metadata.title

    @property
    def published(self) -> str:
        """When the page was published, "" if unknown."""
        return self.metadata.published

    @property
    def source(self) -> str:
        """Where the page says that it comes from, "" if unknown."""
        return self.metadata.source

    @property
    def author(self) -> str:
        """Who wrote it, "" if unknown."""
        return self.metadata.author

    @cached_property
    def segmentation(self) -> Segmentation:
        """The page's blocks with their kinds."""
        from quarkcrawl.content.labels import label_by_runs  # noqa: PLC0415  (needs the segmenter)

        if self._segmentation is None:
            return label_by_runs(self.page, self.runs)
        return self._segmentation() if callable(self._segmentation) else self._segmentation

    @property
    def blocks(self) -> list[Block]:
        """All blocks of the page in document order, labelled content, rel_link or noise."""
        return list(self.segmentation)

    @cached_property
    def spans(self) -> tuple[Span, ...]:
        """Where the content stands in the source, in source order; costs a second parse.

        Neighbours are joined over markup; a run that cannot be located has no span rather than
        a wrong one.
        """
        from quarkcrawl.segment import block_spans  # noqa: PLC0415  (rarely wanted)

        one_block = np.where(self.runs & (self.page.tree.run_chars > 0), 0, -1).astype(np.int32)
        return tuple(block_spans(self.page, one_block, 1).of(0))

    @cached_property
    def related_links(self) -> tuple[Link, ...]:
        """Links to related articles, in document order."""
        from quarkcrawl.content.related import related_links  # noqa: PLC0415  (reads a Content)

        return related_links(self.segmentation)

    @cached_property
    def markdown(self) -> str:
        """The content as Markdown: headings, lists, tables, code, links, pictures."""
        from quarkcrawl.content.markdown import markdown_of  # noqa: PLC0415  (rarely wanted)

        return (
            markdown_of(self.page.tree, self.runs, self.page.url) if self.runs.any() else self.text
        )

    @cached_property
    def structure(self) -> list[dict[str, object]]:
        """The content piece by piece, fit for JSON, see `content.markdown.structure_of`."""
        from quarkcrawl.content.markdown import structure_of  # noqa: PLC0415  (rarely wanted)

        return structure_of(self.page.tree, self.runs, self.page.url)

    @cached_property
    def topic_probability(self) -> float:
        """How likely the page is a topic page, 0–1."""
        from quarkcrawl.content.topic import topic_probability  # noqa: PLC0415  (reads a Content)

        return topic_probability(self)

    @property
    def is_topic(self) -> bool:
        """Whether the page describes something in text, rather than list or navigate."""
        return self.topic_probability > 0.5

    @cached_property
    def items(self) -> tuple[Item, ...]:
        """The content in reading order: paragraphs, data tables, pictures."""
        from quarkcrawl.content.items import (  # noqa: PLC0415
            items_of,
            region_of_runs,
        )

        if self._region is not None:
            return tuple(items_of(self._region()))
        return tuple(items_of(region_of_runs(self.page, self.runs, self.method)))

    def _repr_html_(self) -> str:
        from quarkcrawl.content.show import content_html  # noqa: PLC0415  (only in notebooks)

        return content_html(self)

    def __repr__(self) -> str:
        fault = f", failed: {self.failure}" if self.failure else ""
        return f"<Content {self.page.url!r} {self.method}: {len(self.text)} characters{fault}>"
