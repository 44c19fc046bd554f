"""The HTML views: written on the server; what is clicked is up to the scripts in ``static``."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode

from starlette.concurrency import run_in_threadpool
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from quarkcrawl.errors import QuarkError
from quarkcrawl.workbench.theme import LANGUAGES, render, words
from quarkcrawl.workbench.web.http import ApiError, PendingError, TablesPendingError, ViewQuery
from quarkcrawl.workbench.web.views.language import COOKIE, chosen_language
from quarkcrawl.workbench.web.views.models import VIEW_MODELS

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.requests import Request

    from quarkcrawl.workbench.web.bench import Bench


_YEAR_S: Final = 365 * 24 * 3600
_THEME: Final = "quarkcrawl_theme"
_THEMES: Final = ("light", "dark")
_SCRIPT_WORDS: Final = ("js.", "reason.", "page_type.", "language.")
_SCRIPTS: Final = {path.stem for path in Path(__file__).parents[1].glob("static/*.js")}


_PAGES: Final = frozenset(("page", "found_extraction"))
_COPIES: Final = frozenset(("duplicate", "found_dedup", "found_near"))
_TABLES: Final = {
    "overview": _PAGES | _COPIES | {"drop", "redirect"},
    "pages": _PAGES | {"found_labels", "found_classes", "found_fields"},
    "drops": {"drop"},
    "copies": _PAGES | _COPIES,
    "ranks": _PAGES | {"found_rank"},
    "labels": _PAGES,
    "inspect": _PAGES | _COPIES | {"drop", "redirect", "found_rank"},
}
"""Tables that a view needs; those that are not here need `_PAGES`."""


def view_routes() -> list[Route]:
    """One route a view."""
    return [
        Route(path, partial(_view, template, model), methods=["GET"])
        for path, (template, model) in VIEW_MODELS.items()
    ]


async def _view(
    template: str, model: Callable[[Bench, ViewQuery], dict[str, Any]], request: Request
) -> Response:
    bench: Bench = request.app.state.bench
    if (token := request.query_params.get("token")) is not None:
        return _signed_in(request, token)
    try:
        is_signed_in = bench.access.is_signed_in(request)
        query = ViewQuery(dict(request.query_params), dict(request.path_params), is_signed_in)
        values = await run_in_threadpool(_modelled, model, bench, query)
    except PendingError as error:
        return _pending_view(request, error)
    except ApiError as error:
        return error_view(request, error.status, str(error))
    except QuarkError as error:
        return error_view(request, 503, str(error))
    if "redirect" in values:
        return RedirectResponse(values["redirect"], 303)
    return _rendered(request, template, values)


def _modelled(
    model: Callable[[Bench, ViewQuery], dict[str, Any]], bench: Bench, query: ViewQuery
) -> dict[str, Any]:
    """What a view shows, all of one copy of the tables, and what there is to know of that copy."""
    if bench.index is None:
        return model(bench, query)
    with bench.index.one_copy() as read_note:
        values = model(bench, query)
        note = read_note()
    if note is None or "view" not in values:
        return values
    tables = _TABLES.get(values["view"], _PAGES)
    faults = [(fault.table, _below(fault.path, bench.index.root), fault.why)
              for fault in note.faults if fault.table in tables]  # fmt: skip
    return {**values, "told": {"note": note, "faults": faults}}


def _below(path: Path, root: Path) -> str:
    return str(path.relative_to(root)) if path.is_relative_to(root) else str(path)


def _signed_in(request: Request, token: str) -> Response:
    """Keep the token in a cookie and take it out of the address."""
    access = request.app.state.bench.access
    left = [(k, v) for k, v in request.query_params.multi_items() if k != "token"]
    reply = RedirectResponse(request.url.path + ("?" + urlencode(left) if left else ""), 303)
    if access.is_token(token):
        reply.set_cookie(access.cookie(request), token, httponly=True, samesite="strict")
    return reply


def _pending_view(request: Request, pending: PendingError) -> Response:
    """What is being read, and how far; the browser asks again by itself."""
    values = {"view": "", "tables": pending if isinstance(pending, TablesPendingError) else None}
    reply = _rendered(request, "pending.html", values, 202)
    reply.headers["refresh"] = "1"
    return reply


def error_view(request: Request, status: int, detail: str) -> Response:
    """What went wrong, as a page.

    Args:
        request: what was asked.
        status: HTTP status of the response.
        detail: what is wrong.
    """
    return _rendered(
        request, "error.html", {"view": "", "status_code": status, "detail": detail}, status
    )


def _rendered(
    request: Request, template: str, values: dict[str, Any], status: int = 200
) -> Response:
    bench: Bench = request.app.state.bench
    lang = chosen_language(request)
    may_write = bench.access.is_known(request)
    theme = request.cookies.get(_THEME, "")
    text = render(
        template,
        lang,
        **({"told": None} | values),
        theme=theme if theme in _THEMES else "",
        corpus=str(bench.corpus) if bench.corpus is not None else "",
        has_campaign=bench.services.campaign is not None,
        has_seeds=bench.has_seeds,
        has_before=bench.has_before,
        has_campaigns=bench.services.campaigns is not None,
        can_filter=bench.services.selection is not None,
        has_datasets=bench.services.datasets is not None,
        may_write=may_write,
        form_token=bench.access.form_token if may_write else "",
        query=dict(request.query_params),
        script=name if (name := template.removesuffix(".html")) in _SCRIPTS else "",
        script_words={k: v for k, v in words(lang).texts.items() if k.startswith(_SCRIPT_WORDS)},
    )
    reply = HTMLResponse(text.encode("utf-8", "replace"), status)
    if "policy" in values:
        reply.headers["content-security-policy"] = values["policy"]
    if request.query_params.get("lang") in LANGUAGES:
        reply.set_cookie(COOKIE, lang, max_age=_YEAR_S, samesite="lax")
    return reply
