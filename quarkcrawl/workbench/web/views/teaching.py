"""The views of teaching: a rule with its gallery, and the list of what was accepted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from quarkcrawl.errors import QuarkError
from quarkcrawl.template.site import MOST_SELECT_CHARS, SiteRule
from quarkcrawl.workbench.web.api import METHODS, proposed, rule_fields, rule_list
from quarkcrawl.workbench.web.http import ApiError

if TYPE_CHECKING:
    from quarkcrawl.template.site import RuleKind
    from quarkcrawl.workbench.web.bench import Bench
    from quarkcrawl.workbench.web.http import ViewQuery


def teach(bench: Bench, query: ViewQuery) -> dict[str, Any]:
    """A rule: of the address, or proposed for a block. Its effect is drawn by the script."""
    kind: RuleKind = "content" if query.text("kind") == "content" else "noise"
    method = query.choice("method", METHODS)
    select, host = query.text("select", MOST_SELECT_CHARS).strip(), query.text("host")
    page = query.text("page", 17)
    document = bench.documents[page] if page else None
    if select and host:
        url = document.url if document is not None else query.text("url")
        is_only = query.text("page_only") == "yes" and bool(url)
        rule = SiteRule(host, kind, select, query.text("own") == "yes", url, is_only)
    elif document is not None:
        rule = proposed(bench, document, query.number("block"), kind, method)
    else:
        raise ApiError(404, "which block of which page, or which host and selector?")
    return {
        "view": "rules", "rule": rule_fields(rule), "method": method, "methods": METHODS,
        "page": page, "block": query.text("block", 9), "file": str(bench.rules.path),
        "corpus_path": str(bench.tables.root),
    }  # fmt: skip


def rules(bench: Bench, query: ViewQuery) -> dict[str, Any]:
    """The accepted rules, with their file and what is wrong in it."""
    del query
    problem = ""
    fields: dict[str, Any] = {"rules": [], "file": str(bench.rules.path)}
    try:
        fields = rule_list(bench)
    except QuarkError as error:
        problem = str(error)
    root = str(bench.tables.root)
    return {"view": "rules", **fields, "problem": problem, "corpus_path": root}
