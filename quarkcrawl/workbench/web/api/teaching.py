"""The API of teaching: a rule for a block, what it would change, accept, undo."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

import msgspec

from quarkcrawl.errors import InputError
from quarkcrawl.page.tree import check_css
from quarkcrawl.template.site import MOST_SELECT_CHARS, RuleKind, SiteRule, as_toml
from quarkcrawl.workbench.web.api.corpus import OfPage
from quarkcrawl.workbench.web.api.pages import Method
from quarkcrawl.workbench.web.bench import Bench
from quarkcrawl.workbench.web.http import END, ApiError, Operations, integer, string
from quarkcrawl.workbench.web.teaching import sides_of

if TYPE_CHECKING:
    from quarkcrawl.workbench.web.documents import DocumentSource


TEACHING_OPERATIONS: Final = Operations()
_OTHERS: Final = 16
"""Pages of the site on which a rule is looked at before it is proposed."""

_Kind = Annotated[
    Literal["content", "noise"], msgspec.Meta(description="what the text there is said to be")
]
_Host = Annotated[str, string(300, "host, as the table of pages has it", min_length=1)]
_Select = Annotated[
    str, string(MOST_SELECT_CHARS, "CSS selector of elements of its pages", min_length=1)
]
_Own = Annotated[
    Literal["yes", "no"], msgspec.Meta(description="without the blocks within the elements")
]
_PageOnly = Annotated[
    Literal["yes", "no"], msgspec.Meta(description="on the page of this address only")
]
_Key = Annotated[str, string(16, "key of a rule", f"^[0-9a-f]{{16}}{END}")]


class TaughtPlace(msgspec.Struct, forbid_unknown_fields=True):
    """A rule: of which pages which part is what."""

    host: _Host
    kind: _Kind
    select: _Select
    own: _Own = "no"
    page_only: _PageOnly = "no"
    page: Annotated[str, string()] = ""

    def rule(self) -> SiteRule:
        """The same as a rule.

        Raises:
            ApiError: the selector is none, or no page is named that it shall hold on.
        """
        is_only = self.page_only == "yes"
        return _checked(
            SiteRule(self.host, self.kind, self.select, self.own == "yes", self.page, is_only)
        )


class Accepted(msgspec.Struct, forbid_unknown_fields=True):
    """A rule that is accepted, and the address of the page on which it was taught."""

    host: _Host
    kind: _Kind
    select: _Select
    own: bool = False
    page: Annotated[str, string()] = ""
    page_only: bool = False


def _checked(rule: SiteRule) -> SiteRule:
    """A rule that can be one, which the description of the API cannot say."""
    try:
        check_css(rule.select)
    except InputError as error:
        raise ApiError(409, error.message) from error
    if rule.page_only and not rule.page:
        raise ApiError(409, "on which page only?")
    return rule


def rule_fields(rule: SiteRule) -> dict[str, Any]:
    """A rule as JSON values.

    Args:
        rule: any rule.
    """
    names = "host", "kind", "select", "own", "page", "page_only", "key"
    return {**{name: getattr(rule, name) for name in names}, "toml": as_toml(rule)}


def proposed(
    bench: Bench, document: DocumentSource, block: int, kind: RuleKind, method: str
) -> SiteRule:
    """The rule for a block of a stored page.

    Args:
        bench: the workbench.
        document: the page.
        block: number of the block.
        kind: what it is.
        method: the method whose content is corrected.

    Raises:
        ApiError: the page is not stored, cannot be read, or has no such block with text.
    """
    row = bench.tables.row("SELECT host FROM pages WHERE id = ?", [document.id])
    if not row:
        raise ApiError(409, "rules are for the pages of the corpus")
    host = row["host"]
    others = bench.tables.rows(
        "SELECT * FROM pages WHERE host = ? AND id <> ? AND body_bytes < 1000000"
        " ORDER BY hash(url) LIMIT ?",
        [host, document.id, _OTHERS],
    )
    proposal = bench.worker.ask(
        "rule_for_block", document, refusal=409, method=method, block=block, kind=kind, host=host,
        others=[bench.documents.of_row(other) for other in others],
    )  # fmt: skip
    return SiteRule(
        host, kind, proposal["select"], proposal["own"], document.url, proposal["page_only"]
    )


def rule_list(bench: Bench) -> dict[str, Any]:
    """The accepted rules and their file.

    Args:
        bench: the workbench.

    Raises:
        ConfigError: something in the file is wrong.
    """
    rules = [rule_fields(rule) for rule in bench.rules.rules().rules]
    return {"rules": rules, "file": str(bench.rules.path)}


@TEACHING_OPERATIONS.add("GET /api/rules", "What people taught about the sites of the corpus")
def rules(bench: Bench) -> Any:
    """All accepted rules, in the order of their file."""
    return rule_list(bench)


@TEACHING_OPERATIONS.add(
    "GET /api/pages/{id}/rule", "The rule proposed for a block of a page", errors=(409,)
)
def rule_of_block(
    bench: Bench,
    request: OfPage,
    block: Annotated[int, integer(description="number of the block")],
    kind: _Kind,
    method: Method = "default",
) -> Any:
    """A rule that says of a block, and of the same part of other pages, what it is."""
    document = bench.documents[request.id]
    return rule_fields(proposed(bench, document, block, kind, method))


@TEACHING_OPERATIONS.add(
    "GET /api/rules/effect",
    "What a rule would change on the pages of its site, as far as tried",
    errors=(409,),
)
def effect(bench: Bench, place: TaughtPlace, method: Method = "default") -> Any:
    """How many pages change and by how much; pages are tried on as long as somebody asks."""
    rule, rules = place.rule(), bench.rules.rules()
    trial = bench.teaching.trial(bench.tables, rule, rules, method)
    accepted = {one.key: one.kind for one in rules.rules}
    return {
        "rule": rule_fields(rule),
        "is_accepted": accepted.get(rule.key) == rule.kind,
        "n_pages": len(trial.documents),
        "n_done": trial.n_done,
        "is_done": trial.is_done,
        "failure": trial.failure,
        "pages": {name: trial.counts[name] for name in
                  ("changed", "same", "kept", "unreadable", "large", "failed")},
        "chars": {name: trial.chars[name] for name in ("before", "added", "removed")},
        "rows": trial.rows,
    }  # fmt: skip


@TEACHING_OPERATIONS.add(
    "GET /api/pages/{id}/taught",
    "The content of a page without a rule and with it",
    errors=(409,),
)
def taught(bench: Bench, request: OfPage, place: TaughtPlace, method: Method = "default") -> Any:
    """Both texts in stretches: what both have, what goes, what comes."""
    before, after = sides_of(place.rule(), bench.rules.rules())
    return bench.worker.ask(
        "taught_difference", bench.documents[request.id], method=method, before=before, after=after
    )


@TEACHING_OPERATIONS.add("POST /api/rules", "Accept a rule", errors=(409,))
def accept(bench: Bench, body: Accepted) -> Any:
    """Write a rule into the file; the next extraction of the corpus follows it."""
    rule = SiteRule(body.host, body.kind, body.select, body.own, body.page, body.page_only)
    _checked(rule)
    if not bench.tables.row("SELECT 1 AS found FROM pages WHERE host = ? LIMIT 1", [body.host]):
        raise ApiError(409, "the corpus has no page of this host")
    bench.rules.add(rule)
    return rule_fields(rule)


@TEACHING_OPERATIONS.add("DELETE /api/rules/{key}", "Take a rule back")
def undo(bench: Bench, key: _Key) -> Any:
    """Take a rule out of the file."""
    if not bench.rules.remove(key):
        raise ApiError(404, "there is no such rule")
    return {"removed": True}
