"""Posts of a thread, or comments below an article: where they stand in a page."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from quarkcrawl.content.posts.body import Bodies
from quarkcrawl.content.posts.dates import dated_runs
from quarkcrawl.content.posts.names import (
    ANSWER,
    ASIDE,
    BODY,
    COMMENT,
    LISTED,
    POST,
    REPLY,
    TOPIC,
)
from quarkcrawl.content.posts.runs import (
    best_run,
    facts_in,
    groups_of,
    lone_comment,
    runs_around,
    two_comments,
)
from quarkcrawl.content.posts.shapes import has_text_between_dates, shaped_run
from quarkcrawl.content.posts.view import AUTHORED, DATED, PageView
from quarkcrawl.content.posts.words import is_byline, text_lines
from quarkcrawl.page.tree import TAG_IDS

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from quarkcrawl.content.posts.runs import PostRun
    from quarkcrawl.page import PageTree
    from quarkcrawl.page.tree import RunLines

    IntArray = NDArray[np.int32]
    BoolArray = NDArray[np.bool_]


_FORM: Final = TAG_IDS["form"]
_MIN_LINE_CHARS: Final = 25
_MIN_ARTICLE_CHARS: Final = 120
_MIN_ARTICLE_SHARE: Final = 0.25
"""So much text before a run, and so much of what stands in it, is an article."""

_MIN_SHARE_ALONE: Final = 0.7
"""With that share of a page and no article before them, comments are its content."""

_MIN_LONG_CHARS: Final = 500
"""So much text before elements named as comments is an article, whatever is around them."""

_MIN_UNNAMED_CHARS: Final = 300
"""A page that may be a thread is one where no article of so many characters stands before the
posts."""

_MAX_LINKED: Final = 0.7
"""Texts with more of them in links are teasers where there is an article before them."""

_MAX_LABEL_CHARS: Final = 20
"""Where most texts are as short as that and repeat, they are labels, and the posts stand
elsewhere."""

_MIN_SIGNATURE_CHARS: Final = 12
_MAX_SIGNATURE_LINES: Final = 12
_MIN_SIGNED: Final = 3
"""A line of that length that ends several posts is a signature; so many lines may be one."""

_MAX_SAMPLE: Final = 4
_MAX_NODES: Final = 30_000
_MAX_ANSWERS: Final = 3
"""So many answers may be marked up in another way than the rest."""

_TOPIC_LEVELS: Final = 5
_COMMENT_TOPIC_LEVELS: Final = 8


@dataclass(frozen=True, slots=True, eq=False)
class FoundPosts:
    """Where the posts of a page stand; in order, none of them without text.

    Args:
        kind: post for those of a thread, comment for those below an article.
        items: node of each post, header and buttons included.
        bodies: node of each that holds its text.
        text_run: number of the post whose text each run of the tree is, -1 for none.
        item_run: number of the post in whose element each run stands, -1 for none.
        quoted: which runs are quotations of others inside a text.
        in_form: which runs stand in a form to write another post, and in no post.
        lines: how the runs stand in lines.
        is_named: whether names tell that they are posts.
    """

    kind: Literal["post", "comment"]
    items: list[int]
    bodies: list[int]
    text_run: IntArray
    item_run: IntArray
    quoted: BoolArray
    in_form: BoolArray
    lines: RunLines
    is_named: bool

    def __len__(self) -> int:
        return len(self.items)


def find_posts(
    tree: PageTree,
    lines: RunLines | None = None,
    dated: BoolArray | None = None,
    *,
    by_names: bool = True,
    thread_probability: Callable[[], float] | None = None,
) -> FoundPosts | None:
    """Find the posts of a thread or the comments below an article.

    Args:
        tree: the page.
        lines: how its runs stand in lines, if that is known.
        dated: which of them show a date, if that is known.
        by_names: whether names are asked first; else only what repeated elements carry.
        thread_probability: how likely the page is a thread; called where names alone do not tell
            posts from comments and other things. Without it only names tell posts.

    Returns:
        None if there are none, or if it is not certain enough.
    """
    if dated is None:
        dated, _ = dated_runs(tree)
    view = PageView(tree, lines or tree.run_lines, dated, thread_probability)
    may_be_shaped = thread_probability is not None and has_text_between_dates(view)
    runs = groups_of(view) if by_names or may_be_shaped else []
    if by_names and (named := best_run(view, runs)):
        if posts := _Finder(view, named).find():
            return posts
        around = runs_around(view, named, runs)
        finds = (_Finder(view, run).find() for run in around)
        return next((posts for posts in finds if posts), None)
    if by_names and (few := two_comments(view, runs) or lone_comment(view)):
        posts = _Finder(view, few).find()
        if posts and posts.kind == "comment":
            return posts
    if may_be_shaped and (shaped := shaped_run(view, runs)):
        return _Finder(view, shaped, is_shaped=True).find()
    return None


class _Finder:
    """The posts that a run makes.

    Args:
        view: the page.
        run: elements of posts.
        is_shaped: whether only what the elements carry tells that they are posts.
    """

    def __init__(self, view: PageView, run: PostRun, *, is_shaped: bool = False) -> None:
        self.view, self.run = view, run
        bits = run.bits | view.bits_above(run.items[0], 3) | self._bits_of_items()
        self.is_shaped, self.is_named = (
            is_shaped,
            not is_shaped and bool(bits & (POST | COMMENT | TOPIC | REPLY)),
        )
        self.bodies = Bodies(view, run.items, is_named=self.is_named or not view.tells_threads)
        self.answers = self._other_answers() if run.bits & ANSWER and self.is_named else []

    def find(self) -> FoundPosts | None:
        kind, firsts = self._kind()
        if kind is None:
            return None
        pairs = [*zip(self.run.items, self.bodies.of_items, strict=True)]
        pairs += [(node, node) for node in firsts]
        if kind == "post":
            pairs += [(node, self.bodies.own_body(node)) for node in self.answers]
        forms = self.view.tree.places("textarea")
        usual = {*self.bodies.usual, *firsts}
        inner = [body if body in usual else item for item, body in pairs]
        starts = forms.searchsorted(inner).tolist()
        ends = forms.searchsorted([self.view.end[node] for node in inner]).tolist()
        pairs = sorted(
            pair for pair, start, end in zip(pairs, starts, ends, strict=True) if start == end
        )
        return self._placed(kind, pairs) if pairs else None

    def _kind(self) -> tuple[Literal["post", "comment"] | None, list[int]]:
        """Whether it is a thread or neither, and the bodies of posts outside the run."""
        view, run, bodies = self.view, self.run, self.bodies
        if not self.is_named and view.tells_threads:
            kind, firsts = self._kind_of_unnamed()
            if kind or self.is_shaped:
                return kind, firsts
        bits = run.bits | view.bits_above(run.items[0], 3)
        is_post = bool(run.bits & POST) and not run.bits & COMMENT
        may_be_first = is_post or not self.is_named
        alike = [node for node in bodies.others() if not self._is_in_answer(node)]
        firsts = [node for node in alike if may_be_first or self._is_topic(node)]
        if alike and not firsts and view.tells_threads and view.is_thread:
            firsts = bodies.nearest([node for node in alike if node < run.items[0]])[:1]
        if not firsts and bits & REPLY and not self._is_on_article():
            first = bodies.first_post(min([run.items[0], *self.answers]))
            firsts = [first] if first >= 0 and self._is_topic(first) else []
        if not firsts and not run.bits & ANSWER and not self._is_thread(bits, is_post=is_post):
            return "comment", []
        if view.is_no_thread:  # blogs and news sites name articles and teasers as posts, too
            n_before = self._n_good_chars(view.run_start[run.items[0]])
            return ("comment" if n_before > _MIN_ARTICLE_CHARS else None), []
        return "post", firsts

    def _other_answers(self) -> list[int]:
        """Elements outside a run of answers that are named so, too: the accepted one.

        Such an element holds one that is named as its text, and shows a date or an author.
        """
        view, items, answers = self.view, self.run.items, list[int]()
        nodes = np.flatnonzero(view.tree.text_chars > _MIN_LINE_CHARS)
        end = 0
        for node in nodes[:_MAX_NODES].tolist():
            place = bisect_left(items, node)
            is_inside = place > 0 and node < view.end[items[place - 1]]
            is_around = place < len(items) and items[place] < view.end[node]
            if node < end or is_inside or is_around:
                continue
            bits = view.names(node).bits
            if not bits & ANSWER or bits & (LISTED | ASIDE | BODY):
                continue
            has_header = facts_in(view, node, view.end[node]) & (DATED | AUTHORED)
            if has_header and self.bodies.own_body(node) != node:
                answers.append(node)
                end = view.end[node]
        return answers if len(answers) <= _MAX_ANSWERS else []

    def _is_in_answer(self, node: int) -> bool:
        """Whether a node lies in one of the other answers."""
        return any(answer <= node < self.view.end[answer] for answer in self.answers)

    def _is_on_article(self) -> bool:
        """Whether comments by name stand behind a long article on a page that is no thread."""
        view, run = self.view, self.run
        if not view.tells_threads or view.is_thread or not run.bits & COMMENT or run.bits & POST:
            return False
        n_before = self._n_good_chars(view.run_start[run.items[0]])
        n_inside = sum(view.plain[body] for body in self.bodies.of_items)
        return n_before > max(_MIN_LONG_CHARS, _MIN_ARTICLE_SHARE * n_inside)

    def _is_thread(self, bits: int, *, is_post: bool) -> bool:
        """Whether a run without posts outside is a thread rather than comments on an article."""
        view, run = self.view, self.run
        n_before = self._n_good_chars(view.run_start[run.items[0]])
        n_inside = sum(view.plain[body] for body in self.bodies.of_items)
        if n_before <= _MIN_ARTICLE_CHARS and (run.share >= _MIN_SHARE_ALONE or view.is_thread):
            return True  # nothing that they could be comments on, or the kind of the page decides
        if n_before > _MIN_ARTICLE_CHARS and n_before > _MIN_ARTICLE_SHARE * n_inside:
            return is_post and not bits & COMMENT and n_before < n_inside
        is_comment = bool(run.bits & COMMENT) and not run.bits & POST
        is_long = n_before > _MIN_LONG_CHARS
        if not self.is_named and is_long:
            return False
        is_topic = is_comment and self._is_topic(run.items[0], _COMMENT_TOPIC_LEVELS)
        return not is_comment or (not is_long and is_topic)

    def _kind_of_unnamed(self) -> tuple[Literal["post", "comment"] | None, list[int]]:
        """The same by the page: what stands before the run is an article or the first post."""
        n_before = self._n_good_chars(self.view.run_start[self.run.items[0]])
        if self.view.is_thread:
            return "post", self.bodies.others() or self._topic_before()
        if n_before > _MIN_UNNAMED_CHARS:
            return "comment", []
        return ("post", self.bodies.others()) if self.view.may_be_thread else (None, [])

    def _topic_before(self) -> list[int]:
        """The text before the run that is itself named as that of a topic, if there is one."""
        first = self.bodies.first_post(self.run.items[0])
        return [first] if first >= 0 and self.view.names(first).bits & TOPIC else []

    def _bits_of_items(self) -> int:
        """What the names of some items speak for."""
        bits = 0
        for item in self.run.items[:_MAX_SAMPLE]:
            bits |= self.view.names(item).bits
        return bits

    def _is_topic(self, node: int, n_levels: int = _TOPIC_LEVELS) -> bool:
        """Whether a node or one of the elements around it is named as a thread."""
        bits = self.view.names(node).bits | self.view.bits_above(node, n_levels - 1)
        return bool(bits & TOPIC)

    def _n_good_chars(self, stop: int) -> int:
        """Characters before a run of text, in lines of unlinked text that hold a comma or stop."""
        tree, lines = self.view.tree, self.view.lines
        if not stop:
            return 0
        piece = lines.piece[:stop] - lines.piece[0]
        chars = np.bincount(piece, np.where(lines.linked[:stop], 0, tree.run_chars[:stop]))
        stops = np.bincount(piece, tree.run_class.stops[:stop])
        return int(chars[(chars >= _MIN_LINE_CHARS) & (stops > 0)].sum())

    def _placed(
        self, kind: Literal["post", "comment"], pairs: list[tuple[int, int]]
    ) -> FoundPosts | None:
        """The runs of each post."""
        tree, bodies = self.view.tree, self.bodies
        start, end, n = tree.run_start, tree.run_end, len(tree.runs)
        bodies.nested = {item for item, _ in pairs}
        text_run, item_run = np.full(n, -1, np.int32), np.full(n, -1, np.int32)
        quoted = np.zeros(n, np.bool_)
        for number, (item, body) in enumerate(pairs):
            item_run[start[item] : end[item]] = number
            text_run[start[item] : end[item]] = -1
            text_run[start[body] : end[body]] = number
            asides, quotes = bodies.left_out(body)
            for node in asides:
                text_run[start[node] : end[node]] = -1
            for node in quotes:
                quoted[start[node] : end[node]] = True
            for node in bodies.comments_in(item, body) if kind == "post" else ():
                item_run[start[node] : end[node]] = -1
        text_run[tree.run_chars == 0] = -1
        texts = [
            self._trim(text_run, number, body, has_header=item == body)
            for number, (item, body) in enumerate(pairs)
        ]
        if not self.is_named:
            self._drop_bylines(text_run, texts)
        self._drop_signatures(text_run, quoted, texts)
        counts = Counter("\n".join(text for _, text in rows) for rows in texts)
        labels = [text for text in counts if counts[text] > 1 and len(text) <= _MAX_LABEL_CHARS]
        if 2 * sum(counts[text] for text in labels) > len(pairs):
            return None
        return self._numbered(kind, pairs, text_run, item_run, quoted)

    def _trim(
        self, text_run: IntArray, number: int, body: int, *, has_header: bool
    ) -> list[tuple[list[int], str]]:
        """Take header, buttons and notices from the text of a post; returns its other lines."""
        rows = rows_of(self.view.tree, self.view.lines, text_run, number, body)
        runs = self.view.tree.runs
        texts = [" ".join("".join([runs[run] for run in row]).split()) for row in rows]
        are_text = text_lines(texts, has_header=has_header)
        for row, is_text in zip(rows, are_text, strict=True):
            if not is_text:
                text_run[row] = -1
        return [
            (row, text) for row, text, is_text in zip(rows, texts, are_text, strict=True) if is_text
        ]

    @staticmethod
    def _drop_bylines(text_run: IntArray, texts: list[list[tuple[list[int], str]]]) -> None:
        """Take a name and a date from the start of the posts, where most have them there."""
        headed = [lines for lines in texts if is_byline([text for _, text in lines])]
        if 2 * len(headed) <= len(texts):
            return
        for lines in headed:
            for row, _ in lines[:2]:
                text_run[row] = -1
            del lines[:2]

    @staticmethod
    def _drop_signatures(
        text_run: IntArray, quoted: BoolArray, texts: list[list[tuple[list[int], str]]]
    ) -> None:
        """Take last lines that end other posts, too, from all of them."""
        for _ in range(_MAX_SIGNATURE_LINES):
            ends = Counter(lines[-1][1] for lines in texts if len(lines) > 1)
            n_before = sum(map(len, texts))
            for lines in texts[1:]:  # replies may quote the end of the first post as theirs
                if len(lines) < 2:
                    continue
                row, text = lines[-1]
                if (
                    ends[text] >= _MIN_SIGNED
                    and len(text) >= _MIN_SIGNATURE_CHARS
                    and not quoted[row].any()
                ):
                    text_run[row] = -1
                    lines.pop()
            if sum(map(len, texts)) == n_before:
                break

    def _in_forms(self, items: list[int]) -> BoolArray:
        """Runs in forms with a field for text that hold no post."""
        view, tree = self.view, self.view.tree
        inside, starts = np.zeros(len(tree.runs), np.bool_), np.array(items)
        for field in tree.places("textarea").tolist():
            form = field
            while form > 0 and view.tag[form] != _FORM:
                form = view.parent[form]
            end = view.end[form]
            if form > 0 and starts.searchsorted(form) == starts.searchsorted(end):
                inside[view.run_start[form] : view.run_end[form]] = True
        return inside

    def _is_teasers(self, pairs: list[tuple[int, int]], text_run: IntArray) -> bool:
        """Whether the texts are links to other pages, below an article."""
        in_text = text_run >= 0
        n_chars = self.view.tree.run_chars[in_text]
        if n_chars @ self.view.lines.linked[in_text] <= _MAX_LINKED * n_chars.sum():
            return False
        return self._n_good_chars(self.view.run_start[pairs[0][0]]) > _MIN_ARTICLE_CHARS

    def _numbered(
        self,
        kind: Literal["post", "comment"],
        pairs: list[tuple[int, int]],
        text_run: IntArray,
        item_run: IntArray,
        quoted: BoolArray,
    ) -> FoundPosts | None:
        """Leave out posts without text, and teasers."""
        if self._is_teasers(pairs, text_run):
            return None
        has_text = np.zeros(len(pairs) + 1, np.bool_)  # the last one is for runs of no post
        has_text[text_run] = True
        has_text[-1] = False
        number = np.where(has_text, np.cumsum(has_text) - 1, -1).astype(np.int32)
        numbered = [
            pair for pair, is_kept in zip(pairs, has_text[:-1].tolist(), strict=True) if is_kept
        ]
        if not numbered:
            return None
        items, bodies = [item for item, _ in numbered], [body for _, body in numbered]
        arrays = number[text_run], number[item_run], quoted, self._in_forms(items)
        return FoundPosts(kind, items, bodies, *arrays, self.view.lines, self.is_named)


def rows_of(
    tree: PageTree, lines: RunLines, text_run: IntArray, number: int, body: int
) -> list[list[int]]:
    """Runs of a post's text, line by line.

    Args:
        tree: the page.
        lines: how its runs stand in lines.
        text_run: number of the post of each run.
        number: that of this post.
        body: the node that holds its text.
    """
    start, end = int(tree.run_start[body]), int(tree.run_end[body])
    own = np.flatnonzero(text_run[start:end] == number) + start
    rows, last = list[list[int]](), -1
    for run, piece in zip(own.tolist(), lines.piece[own].tolist(), strict=True):
        if piece != last:
            rows.append([])
            last = piece
        else:  # white space between two elements
            between = range(rows[-1][-1] + 1, run)
            rows[-1] += [other for other in between if tree.runs[other].isspace()]
        rows[-1].append(run)
    return rows
