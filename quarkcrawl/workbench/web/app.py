"""The application: routes, guards, life cycle."""

from __future__ import annotations

from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from quarkcrawl.template.site import RULES_FILE
from quarkcrawl.workbench.web.api import OPERATIONS
from quarkcrawl.workbench.web.bench import Bench
from quarkcrawl.workbench.web.http import Access, GuardMiddleware, answer, describe, problem
from quarkcrawl.workbench.web.services import Services
from quarkcrawl.workbench.web.views import error_view, view_routes

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable

    from starlette.requests import Request

    from quarkcrawl.workbench.web.http import Operation


_HERE: Final = Path(__file__).parent
_THEME: Final = ("quarkcrawl.workbench.theme", "static")


def create_app(  # noqa: PLR0913 - all that a workbench may be started with
    corpus: Path | None = None,
    *,
    services: Services | None = None,
    token: str = "",
    gold: Path | None = None,
    templates: Path | None = None,
    seeds: Path | None = None,
    before: Path | None = None,
    rules: Path | None = None,
    methods: Iterable[Path] = (),
) -> Starlette:
    """Make the application.

    Args:
        corpus: a corpus or a folder of shards; None: pages can be pasted and fetched only.
        services: what the caller can do, such as fetching URLs.
        token: whoever has it may write; "": a new one, see ``app.state.bench.access``.
        gold: folder for marks; None: ``gold`` in the corpus, or in the current folder.
        templates: template file; None: ``templates.json`` at the same place.
        seeds: work folder of `quarkcrawl select`; None: beside the corpus or in its campaign.
        before: an earlier run of the same crawl, to be compared with.
        rules: file of what people taught; None: ``rules.toml`` at the same place.
        methods: files of methods with options of their own, beside ours.

    Raises:
        StoreError: the corpus is none.
        ConfigError: something is wrong in the file of a method.
    """
    here = corpus if corpus is not None else Path()
    bench = Bench(
        corpus,
        gold_folder=gold or here / "gold",
        template_file=templates or here / "templates.json",
        rules_file=rules or here / RULES_FILE,
        services=services or Services(),
        access=Access(token) if token else Access(),
        seeds_folder=seeds,
        before=before,
        method_files=tuple(methods),
    )
    app = Starlette(
        routes=[
            *(_route(path, by_method) for path, by_method in _by_path().items()),
            Route("/api/openapi.json", _openapi, methods=["GET"]),
            Route("/favicon.ico", _icon, methods=["GET"]),
            *view_routes(),
            Mount("/static", StaticFiles(directory=_HERE / "static", packages=[_THEME])),
        ],
        middleware=[Middleware(GuardMiddleware)],
        exception_handlers={HTTPException: _refused, Exception: _failed},
        lifespan=_lifespan,
    )
    app.state.bench = bench
    return app


def _by_path() -> dict[str, dict[str, Operation]]:
    """The operations of each path by method."""
    paths: dict[str, dict[str, Operation]] = {}
    for operation in OPERATIONS:
        paths.setdefault(operation.path, {})[operation.method] = operation
    return paths


def _route(path: str, by_method: dict[str, Operation]) -> Route:
    async def handle(request: Request) -> Response:
        bench: Bench = request.app.state.bench
        operation = by_method["GET" if request.method == "HEAD" else request.method]
        return await answer(operation, bench, request)

    return Route(path, handle, methods=list(by_method))


async def _openapi(request: Request) -> Response:
    del request
    return JSONResponse(_description())


async def _icon(request: Request) -> Response:
    """Where the browser finds a picture for what is no page of ours, such as JSON."""
    del request
    return RedirectResponse("/static/seal.svg", 303)


@cache
def _description() -> dict[str, Any]:
    return describe(OPERATIONS)


def _is_api(request: Request) -> bool:
    return request.url.path.startswith(("/api/", "/frames/"))


async def _refused(request: Request, error: Exception) -> Response:
    """No such address, or not with this method."""
    assert isinstance(error, HTTPException)
    if _is_api(request):
        return problem(error.status_code, error.detail, error.headers)
    return error_view(request, error.status_code, error.detail)


async def _failed(request: Request, error: Exception) -> Response:
    """A fault of ours; the server goes on."""
    detail = f"{type(error).__name__}: {error}"
    if _is_api(request):
        return problem(500, detail)
    return error_view(request, 500, detail)


@asynccontextmanager
async def _lifespan(app: Starlette) -> AsyncIterator[None]:
    bench: Bench = app.state.bench
    bench.warm()
    try:
        yield
    finally:
        bench.close()
