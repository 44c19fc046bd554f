"""What each view shows, as plain values for its HTML template."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from quarkcrawl.lab.evaluate import extractor
from quarkcrawl.workbench.report import zipf_plot
from quarkcrawl.workbench.web.api import (
    METHODS,
    OPERATIONS,
    PEERS,
    chosen_peers,
    pictures_model,
    progress,
    template_detail,
    template_list,
)
from quarkcrawl.workbench.web.gold import origin_of
from quarkcrawl.workbench.web.http import TablesPendingError, ViewQuery
from quarkcrawl.workbench.web.index import queries
from quarkcrawl.workbench.web.queue import ORDERS
from quarkcrawl.workbench.web.views.campaigns import (
    campaign_form,
    campaigns,
    followed_campaign,
    local_campaign,
    new_campaign,
)
from quarkcrawl.workbench.web.views.datasets import dataset, datasets
from quarkcrawl.workbench.web.views.labels import labeled, labels
from quarkcrawl.workbench.web.views.pages import pages, pages_sql
from quarkcrawl.workbench.web.views.rankcompare import rank_compare
from quarkcrawl.workbench.web.views.runs import run_pages, runs
from quarkcrawl.workbench.web.views.seeds import (
    seed_aliases,
    seed_families,
    seed_host,
    seed_hosts,
    seeds,
)
from quarkcrawl.workbench.web.views.sql import sql
from quarkcrawl.workbench.web.views.teaching import rules, teach
from quarkcrawl.workbench.web.views.trace import trace

if TYPE_CHECKING:
    from collections.abc import Callable

    from quarkcrawl.workbench.web.bench import Bench


def home(bench: Bench, query: ViewQuery) -> dict[str, Any]:
    """The overview of a corpus, else the selection, else the place to paste pages."""
    if bench.index is None:
        return {"redirect": "/seeds" if bench.has_seeds else "/inspect"}
    del query
    overview = queries.overview(bench.tables)
    return {"view": "overview", **overview, "plot": zipf_plot(overview["sizes"])}


def hosts(bench: Bench, query: ViewQuery) -> dict[str, Any]:
    """Hosts."""
    sort = query.choice("sort", queries.HOST_SORTS)
    rows = queries.hosts(bench.tables, query.text("q"), sort, query.page)
    return {"view": "hosts", "found": rows, "sort": sort, "sorts": list(queries.HOST_SORTS)}


def page(bench: Bench, query: ViewQuery) -> dict[str, Any]:
    """One page, taken apart."""
    document = bench.documents[query.path["id"]]
    row: dict[str, Any] = {}
    past: dict[str, Any] = {}
    if document.is_stored:
        row = bench.tables.row("SELECT * FROM pages WHERE id = ?", [document.id])
        past = queries.history(bench.tables, document.url)
    if document.is_read_in_steps:
        bench.worker.prepare(document)
    return {
        "view": "inspect", "document": document, "row": row, "history": past,
        "methods": bench.methods.names, "own_methods": METHODS,
        "peers": [name for name in PEERS if extractor(name).is_installed],
        "method": query.choice("method", bench.methods.names),
        "has_site_model": bench.templates.path.exists() or bench.rules.path.exists(),
        "is_taught": bench.index is not None and document.is_stored,
    }  # fmt: skip


def inspect(bench: Bench, query: ViewQuery) -> dict[str, Any]:
    """The place to paste a page."""
    del query
    recent: list[dict[str, Any]] = []
    if bench.index is not None:
        with suppress(TablesPendingError):
            recent = queries.newest_pages(bench.tables, 8)
    return {"view": "inspect", "can_fetch": bench.services.fetch is not None, "recent": recent}


def drops(bench: Bench, query: ViewQuery) -> dict[str, Any]:
    """URLs that were not stored."""
    filters = {name: query.text(name) for name in queries.DROP_FILTERS}
    rows = queries.drops(bench.tables, query.text("q"), filters, query.page)
    used = {name: value for name, value in filters.items() if value}
    return {
        "view": "drops", "found": rows, "filters": used, "q": query.text("q"),
        "reasons": queries.drop_reasons(bench.tables),
    }  # fmt: skip


def copies(bench: Bench, query: ViewQuery) -> dict[str, Any]:
    """Groups of duplicates."""
    kind = query.choice("kind", ("exact", "near"))
    rows = queries.copies(bench.tables, kind, query.page)
    method = queries.copies_method(bench.tables, kind)
    return {"view": "copies", "found": rows, "kind": kind, "method": method}


def copy_group(bench: Bench, query: ViewQuery) -> dict[str, Any]:
    """The pages of a group of duplicates, two of them beside each other."""
    kind = query.choice("kind", ("exact", "near"))
    first = query.text("first")
    rows = queries.copy_group(bench.tables, kind, first)
    stored = [row for row in rows if row["id"]]
    other = query.text("other")
    other_row = next((row for row in stored[1:] if row["id"] == other), None)
    if other_row is None and len(stored) > 1:
        other_row = stored[1]
    stretches: list[tuple[str, str]] = []
    likeness: dict[str, Any] = {}
    if other_row is not None:
        both = [bench.documents[stored[0]["id"]], bench.documents[other_row["id"]]]
        stretches = bench.worker.ask("texts_compared", documents=both)
        likeness = bench.worker.ask("code_likeness", documents=both)
    return {
        "view": "copies", "kind": kind, "first": first, "rows": rows, "chosen": other_row,
        "stretches": stretches, "likeness": likeness,
    }  # fmt: skip


def ranks(bench: Bench, query: ViewQuery) -> dict[str, Any]:
    """Pages in the order of a rank."""
    methods = queries.rank_methods(bench.tables)
    if not methods:
        return {"view": "ranks", "methods": [], "method": "", "found": queries.Rows([], 0, 1)}
    method = query.choice("method", methods)
    rows = queries.ranks(bench.tables, method, query.page)
    return {"view": "ranks", "methods": methods, "method": method, "found": rows}


def marking(bench: Bench, query: ViewQuery) -> dict[str, Any]:
    """Progress, scores, agreement, the sample in the order in which it is marked."""
    order = query.choice("order", ORDERS)
    fields = progress(bench)
    peers = _peers(query)
    ids, values = bench.queue.order(order, peers)
    rows: list[dict[str, Any]] = []
    if bench.index is not None and ids:
        marks = ", ".join("?" * len(ids))
        rows = bench.tables.rows(
            "SELECT id, url, coalesce(nullif(content_title, ''), title) AS title FROM pages"  # noqa: S608
            f" WHERE id IN ({marks})",
            ids,
        )
    by_id = {row["id"]: row for row in rows}
    done = {name: bench.gold.marks(name) for name in bench.gold.markers()}
    notes = {name: bench.gold.notes(name) for name in bench.gold.markers()}
    sample = [
        {
            **by_id[one],
            "by": [(name, origin_of(of[one])) for name, of in sorted(done.items()) if one in of],
            "notes": [(name, of[one]) for name, of in sorted(notes.items()) if one in of],
            "disagreement": values.get(one),
        }
        for one in ids
        if one in by_id
    ]
    fields["folder"] = str(bench.gold.root.resolve())  # commands work wherever they are pasted
    return {
        "view": "marking", **fields, "sample_rows": sample, "methods": METHODS, "order": order,
        "n_not_compared": len(ids) - len(values), "peers": peers, "all_peers": PEERS,
        "absent_peers": chosen_peers(",".join(PEERS))[1],
    }  # fmt: skip


def _peers(query: ViewQuery) -> list[str]:
    """The peers that take part in the order, as far as they are installed."""
    return chosen_peers(query.text("peers"))[0]


def mark_page(bench: Bench, query: ViewQuery) -> dict[str, Any]:
    """One page to be marked."""
    document = bench.documents[query.path["id"]]
    order = query.choice("order", ORDERS)
    peers = _peers(query)
    ids, _ = bench.queue.order(order, peers)
    place = ids.index(document.id) if document.id in ids else -1
    return {
        "view": "marking", "document": document, "place": place, "n_sample": len(ids),
        "markers": bench.gold.markers(), "methods": METHODS, "order": order, "peers": peers,
    }  # fmt: skip


def templates(bench: Bench, query: ViewQuery) -> dict[str, Any]:
    """Templates with their skeletons."""
    listing = template_list(bench, query.text("q"), query.page)
    return {
        "view": "templates", "found": listing, "q": query.text("q"),
        "training": bench.templates.training(), "file": str(bench.templates.path),
    }  # fmt: skip


def template(bench: Bench, query: ViewQuery) -> dict[str, Any]:
    """One template."""
    one = template_detail(bench, query.path["template"], query.number("start"))
    sort = query.choice("sort", ("stored", "outliers"))
    file = str(bench.templates.path.resolve())
    return {"view": "templates", "one": one, "file": file, "sort": sort}


def api(bench: Bench, query: ViewQuery) -> dict[str, Any]:
    """The description of the API for people."""
    del bench, query
    return {"view": "", "operations": OPERATIONS}


VIEW_MODELS: Final[dict[str, tuple[str, Callable[[Bench, ViewQuery], dict[str, Any]]]]] = {
    "/": ("overview.html", home),
    "/hosts": ("hosts.html", hosts),
    "/pages": ("pages.html", pages),
    "/pages/sql": ("sql.html", pages_sql),
    "/page/{id}": ("page.html", page),
    "/inspect": ("inspect.html", inspect),
    "/drops": ("drops.html", drops),
    "/copies": ("copies.html", copies),
    "/copies/group": ("copygroup.html", copy_group),
    "/ranks": ("ranks.html", ranks),
    "/ranks/compare": ("rankcompare.html", rank_compare),
    "/labels": ("labels.html", labels),
    "/labels/documents": ("labelled.html", labeled),
    "/runs": ("runs.html", runs),
    "/runs/pages": ("runpages.html", run_pages),
    "/pictures": ("pictures.html", pictures_model),
    "/trace": ("trace.html", trace),
    "/sql": ("sql.html", sql),
    "/seeds": ("seeds.html", seeds),
    "/seeds/hosts": ("seedhosts.html", seed_hosts),
    "/seeds/host": ("seedhost.html", seed_host),
    "/seeds/families": ("seedfamilies.html", seed_families),
    "/seeds/aliases": ("seedaliases.html", seed_aliases),
    "/teach": ("teach.html", teach),
    "/rules": ("rules.html", rules),
    "/marking": ("marking.html", marking),
    "/marking/{id}": ("markpage.html", mark_page),
    "/templates": ("templates.html", templates),
    "/templates/{template}": ("template.html", template),
    "/campaign": ("campaign.html", followed_campaign),
    "/campaigns": ("campaigns.html", campaigns),
    "/campaigns/new": ("campaignform.html", new_campaign),
    "/campaigns/{name}": ("campaign.html", local_campaign),
    "/campaigns/{name}/edit": ("campaignform.html", campaign_form),
    "/datasets": ("datasets.html", datasets),
    "/datasets/{name}": ("dataset.html", dataset),
    "/api": ("api.html", api),
}
"""Template and model of each view by its path."""
