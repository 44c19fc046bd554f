"""What users hold: what a method found on a page, and all that can be told from it."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.content.extraction import Extraction
from quarkcrawl.content.headline import find_headline
from quarkcrawl.content.items import RegionExtraction, items_of, region_of_runs
from quarkcrawl.content.kind import PageKind, page_kind
from quarkcrawl.content.labels import label_by_runs
from quarkcrawl.content.list_items import list_item_fields, list_items_of
from quarkcrawl.content.markdown import markdown_of, structure_of
from quarkcrawl.content.metadata import metadata, metadata_runs
from quarkcrawl.content.posts import find_posts
from quarkcrawl.content.related import related_links
from quarkcrawl.content.threads import posts_of
from quarkcrawl.content.topic import topic_probability
from quarkcrawl.segment import block_spans, escape

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from quarkcrawl.content.headline import Headline
    from quarkcrawl.content.items import Item
    from quarkcrawl.content.list_items import ListItem
    from quarkcrawl.content.metadata import Metadata
    from quarkcrawl.content.threads import ThreadPost
    from quarkcrawl.content.topic import LogisticModel
    from quarkcrawl.page import Link, PageTree
    from quarkcrawl.segment import Block, Segmentation, Span


_MAX_CHARS: Final = 20_000
_MAX_CHARS_ABOVE: Final = 80
"""Content before the posts of a thread that is a headline at most."""

_TEXT: Final = "max-height:30em;overflow:auto;white-space:pre-wrap;overflow-wrap:anywhere"


class Content:
    """Content of a page, as one method sees it.

    What costs more than the extraction itself (blocks of a method that does not cut blocks,
    source spans, the topic decision) is computed when it is first asked for and then kept.

    Args:
        extraction: what the method found.

    Attributes:
        extraction: the same.
        page: the page.
        method: name of the method.
        text: the content, one paragraph a line, without the headline.
        runs: which text runs of ``page.tree`` are content, the headline included if the method
            took it for content.
        failure: why the method failed, None if it did not; then the content is empty.
    """

    def __init__(
        self, extraction: Extraction, topic_models: Mapping[str, LogisticModel] | None = None
    ) -> None:
        self.extraction = extraction
        self._topic_models = topic_models
        self.page = extraction.page
        self.method = extraction.method
        self.text = extraction.text
        self.failure = extraction.failure
        self.runs: NDArray[np.bool_] = (
            np.zeros(len(self.page.tree.runs), np.bool_)
            if extraction.runs is None
            else extraction.runs
        )

    def with_runs(self, runs: NDArray[np.bool_], text: str) -> Content:
        """The same page with other runs as its content; what it says of itself stays.

        Args:
            runs: which text runs are content.
            text: their text, without the headline.
        """
        extraction = self.extraction
        changed = Extraction(
            extraction.page,
            extraction.method,
            text=text,
            runs=runs,
            headline=extraction.headline,
            declared=extraction.declared,
            posts=extraction.posts,
            kinds=extraction.kinds,
            page_type=extraction.page_type,
        )
        return Content(changed, self._topic_models)

    @cached_property
    def metadata(self) -> Metadata:
        """Headline, date, source, author, language and name of the site."""
        of_page = metadata(self.page, self._headline, self.extraction.declared)
        posts = self.extraction.posts
        if not posts or posts.kind != "post":
            return of_page
        tree = self.page.tree
        start = int(tree.run_start[posts.items[0]])
        if tree.run_chars[:start][self.runs[:start]].sum() > _MAX_CHARS_ABOVE:
            return of_page  # what began the thread is no post
        above = tree.runs[:start]
        return _of_thread(of_page, [post.author for post in self.posts], above)

    @cached_property
    def metadata_runs(self) -> dict[int, str]:
        """Which text runs show ``headline``, ``date`` and ``byline``, by number of the run.

        A headline is one also where the method took it for content; a date and a byline in the
        content belong to the text.
        """
        roles = metadata_runs(self.page, self._headline, self.extraction.declared)
        is_text = self.runs
        return {run: role for run, role in roles.items() if role == "headline" or not is_text[run]}

    @property
    def title(self) -> str:
        """Headline of the page."""
        return self._headline.text

    @cached_property
    def _headline(self) -> Headline:
        extraction = self.extraction
        return extraction.headline or find_headline(self.page.tree, extraction.declared)

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

    @property
    def language(self) -> str:
        """Code of its language, such as ``zh``, "" if unknown."""
        return self.metadata.language

    @property
    def site_name(self) -> str:
        """Name of the site that it belongs to, "" if unknown."""
        return self.metadata.site_name

    @cached_property
    def segmentation(self) -> Segmentation:
        """The page's blocks with their kinds."""
        blocks = self.extraction.segmentation
        if blocks is None:
            return label_by_runs(self.page, self.runs, self.extraction.posts)
        return blocks() if callable(blocks) else blocks

    @property
    def blocks(self) -> list[Block]:
        """All blocks of the page in document order, labeled.

        Kinds are content, rel_link and noise; of the default method also post (content that is
        text of a thread's post) and comment (what readers wrote below an article).
        """
        return list(self.segmentation)

    @cached_property
    def spans(self) -> tuple[Span, ...]:
        """Where the content stands in the source, in source order; costs a second parse.

        Neighbors are joined over markup; a run that cannot be located has no span rather than
        a wrong one.
        """
        one_block = np.where(self.runs & (self.page.tree.run_chars > 0), 0, -1).astype(np.int32)
        return tuple(block_spans(self.page, one_block, 1).of(0))

    @cached_property
    def related_links(self) -> tuple[Link, ...]:
        """Links to related articles, in document order."""
        return related_links(self.segmentation)

    @cached_property
    def markdown(self) -> str:
        """The content as Markdown: headings, lists, tables, code, links, pictures."""
        tree, runs = self._document
        return markdown_of(tree, runs, self.page.url) if runs.any() else self.text

    @cached_property
    def structure(self) -> list[dict[str, object]]:
        """The content piece by piece, fit for JSON, see `content.markdown.structure_of`.

        A page that is a list has one more piece in the end, of kind ``main_list``, with what is
        known about each of its ``items``: title, link, teaser, price, date.
        """
        tree, runs = self._document
        pieces = structure_of(tree, runs, self.page.url)
        if self.list_items:
            items = [list_item_fields(item) for item in self.list_items]
            pieces.append({"kind": "main_list", "items": items})
        return pieces

    @cached_property
    def list_items(self) -> tuple[ListItem, ...]:
        """Items of the list that the content is, in document order; none where it is no list."""
        if self._posts:
            return ()
        tree, runs = self._document
        return list_items_of(tree, runs, self.page.url)

    @property
    def _document(self) -> tuple[PageTree, NDArray[np.bool_]]:
        """The document that has the content, and its runs that are content."""
        body = self.extraction.embedded
        return (self.page.tree, self.runs) if body is None else (body, body.run_chars > 0)

    @property
    def posts(self) -> tuple[ThreadPost, ...]:
        """Posts of a thread in document order; none where the page shows no thread."""
        return tuple(post for post in self._posts if post.kind == "post")

    @property
    def comments(self) -> tuple[ThreadPost, ...]:
        """Readers' comments below an article, which are not part of its text."""
        return tuple(post for post in self._posts if post.kind == "comment")

    @cached_property
    def _posts(self) -> tuple[ThreadPost, ...]:
        posts, tree = self.extraction.posts, self.page.tree
        if posts is None and self.method != "default" and not self.failure:
            posts = find_posts(tree)
        return posts_of(tree, posts) if posts else ()

    @cached_property
    def topic_probability(self) -> float:
        """How likely the page is a topic page, 0–1."""
        return topic_probability(self.segmentation, self.text, self._topic_models)

    @property
    def is_topic(self) -> bool:
        """Whether the page describes something in text, rather than list or navigate."""
        return self.topic_probability > 0.5

    @cached_property
    def _kind(self) -> PageKind:
        if self.extraction.page_type:
            return PageKind(self.extraction.page_type, 1.0)
        return page_kind(self.page, self.extraction.kinds)

    @property
    def page_type(self) -> str:
        """Kind of the page, whatever the method: one of `quarkcrawl.content.kind.KINDS`.

        Of a PDF file it is ``document``.
        """
        return self._kind.name

    @property
    def page_type_probability(self) -> float:
        """How likely the page is of that kind, 0–1."""
        return self._kind.probability

    @cached_property
    def items(self) -> tuple[Item, ...]:
        """The content in reading order: paragraphs, data tables, pictures."""
        if isinstance(self.extraction, RegionExtraction):
            return tuple(items_of(self.extraction.region))
        return tuple(items_of(region_of_runs(self.page, self.runs, self.method)))

    def _repr_html_(self) -> str:
        named = {
            "published": self.published,
            "source": self.source,
            "author": self.author,
            "site": self.site_name,
            "language": self.language,
            "failed": self.failure or "",
            "page": self.page.url,
        }
        facts = [f"{name}: {value}" for name, value in named.items() if value]
        length = f"{len(self.text)} characters by method {self.method}"
        return _shown(self.title, [*facts, length], self.text)

    def __repr__(self) -> str:
        fault = f", failed: {self.failure}" if self.failure else ""
        return f"<Content {self.page.url!r} {self.method}: {len(self.text)} characters{fault}>"


def _of_thread(of_page: Metadata, names: Sequence[str], above: Sequence[str]) -> Metadata:
    """The metadata of a thread: who wrote its first post began it, not who answered.

    Args:
        of_page: what is read off any page.
        names: authors of the posts, "" if unknown.
        above: text runs before the first post; who is named there is believed.
    """
    is_rank = len(names) > 2 and len(set(names)) == 1
    if not names[0] or is_rank or of_page.author_from not in ("", "text"):
        return of_page
    is_above = bool(of_page.author) and any(of_page.author in run for run in above)
    if of_page.author not in ("", *names[1:]) or is_above:
        return of_page
    return replace(of_page, author=names[0], author_from="text")


def _shown(headline: str, facts: Sequence[str], text: str) -> str:
    """For notebooks: headline, what is known about the page, and its text, as safe HTML."""
    cut = f"… {len(text) - _MAX_CHARS} more characters" if len(text) > _MAX_CHARS else ""
    title = f"<h3>{escape(headline)}</h3>" if headline else ""
    items = "".join(f"<li>{escape(fact)}</li>" for fact in facts)
    body = f'<div style="{_TEXT}" tabindex="0">{escape(text[:_MAX_CHARS])}{cut}</div>'
    return f"<article>{title}<ul>{items}</ul>{body}</article>"
