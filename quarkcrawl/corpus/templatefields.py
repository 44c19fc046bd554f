"""Fields of all pages of a corpus by templates, as a table beside it that tasks make.

    analysis/fields/templates.parquet/part-000001.parquet

One row a page: url, host, offset, template (NULL: it has none), similarity, fields (a map from each
name to its values), dynamic (gap and text of what the template does not explain), reason (why the
page could not be read):

    SELECT url, fields['title'] FROM 'corpus/analysis/fields/templates.parquet/*.parquet'
"""

from __future__ import annotations

import hashlib
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from quarkcrawl.analysis import PoolOptions
from quarkcrawl.corpus.pagetable import PageRowsJob, PageTable, page_table_schema
from quarkcrawl.errors import StoreError
from quarkcrawl.template import TemplateMatcher, read_stored

if TYPE_CHECKING:
    from pathlib import Path

    from quarkcrawl.corpus.tasks import Task, TaskReport, TaskTotals
    from quarkcrawl.template import PagePlace


_KIND: Final = "fields"
_COLUMNS: Final = pa.schema(
    [
        ("template", pa.string()),
        ("similarity", pa.float64()),
        ("fields", pa.map_(pa.string(), pa.list_(pa.string()))),
        ("dynamic", pa.list_(pa.struct([("gap", pa.int32()), ("text", pa.string())]))),
    ]
)


def template_task(
    root: Path | str,
    templates: Path,
    task: Task,
    *,
    by_host: bool = False,
    name: str = "",
    out: Path | None = None,
    pool: PoolOptions | None = None,
) -> TaskReport:
    """Do task k of n of the fields of a corpus, or all; all n together have a row for each page.

    Args:
        root: the corpus; pages that a crawl adds meanwhile are left out.
        templates: file of the templates, the same for all tasks.
        task: number of the task, from 0, and how many there are; or all, which a cluster does.
        by_host: use only templates of a page's own host.
        name: what the table is called; "" for the name of the templates' file without its ending.
        out: folder of the table, for a corpus that can only be read; None: in the corpus.
        pool: number and bounds of the processes.

    Raises:
        InputError: the templates cannot be read, or there is no such task.
        ConfigError: other tasks are under way, or this cannot be the name of a table.
        StoreError: the folder is no corpus, or the table cannot be written.
        EngineError: the cluster gave up.
    """
    TemplateMatcher(templates)  # a broken file is refused before anything is begun
    table = PageTable(root, _KIND, name or templates.stem, out)
    digest = hashlib.sha256(templates.read_bytes()).hexdigest()
    settings = {"sha256": digest, "by_host": by_host}
    about = {"templates": str(templates), **settings}
    schema = page_table_schema(_COLUMNS, "quarkcrawl_fields", about)
    function = partial(
        fields_of_stored, root=str(table.root), templates=str(templates), by_host=by_host
    )
    job = PageRowsJob(_KIND, function, schema, settings, pool or PoolOptions())
    return table.do_task(job, task)


def finish_template_fields(root: Path | str, name: str, *, out: Path | None = None) -> TaskTotals:
    """Publish what all tasks of the fields have made; the last of them does so by itself.

    Args:
        root: the corpus.
        name: what the table is called.
        out: folder of the table if it is not in the corpus.

    Raises:
        StoreError: there are no tasks, or some are not done.
    """
    return PageTable(root, _KIND, name, out).finish()


def template_fields(root: Path | str, name: str, *, out: Path | None = None) -> pa.Table:
    """The table of fields with a name.

    Args:
        root: the corpus.
        name: what the table was called when it was made.
        out: folder of the table if it is not in the corpus.

    Raises:
        StoreError: there is no such table.
    """
    return PageTable(root, _KIND, name, out).read()


def fields_of_stored(
    place: PagePlace, root: str, templates: str, *, by_host: bool
) -> dict[str, Any]:
    """The fields of one stored page; runs in the processes of the pool.

    Args:
        place: where it is.
        root: the corpus.
        templates: file of the templates.
        by_host: use only templates of the page's own host.
    """
    try:
        page = read_stored(place, root)
    except StoreError as error:
        return {"reason": error.reason}
    match = _matcher(templates, by_host=by_host).match(page)
    return {
        "template": match.template or None,
        "similarity": round(match.similarity, 4),
        "fields": [(name, list(values)) for name, values in match.fields.items()],
        "dynamic": [{"gap": part.gap, "text": part.text} for part in match.dynamic],
    }


@lru_cache(1)
def _matcher(path: str, *, by_host: bool) -> TemplateMatcher:
    return TemplateMatcher(path, by_host=by_host)
