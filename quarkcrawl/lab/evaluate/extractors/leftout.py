"""The default extractor on pages of sites that it was not trained on.

The shipped model has seen the public sets, so its scores on them say nothing. Here it is trained
anew for each part of the pages, on all sites that have no page in that part, and then runs on that
part as it would for any user: from bytes to headline and text. Kinds of pages are still told by the
model that comes with the package; ``benchmarks/kinds.py`` leaves sites out of that one too.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from quarkcrawl.content import Content
from quarkcrawl.content.lines import default_extraction
from quarkcrawl.lab import training
from quarkcrawl.lab.evaluate.extractors.measure import Measurement
from quarkcrawl.lab.evaluate.extractors.plaintext import compose, score_text
from quarkcrawl.lab.training import marked_page, prepare_page
from quarkcrawl.page import Page

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from quarkcrawl.content.lines import BlockModel
    from quarkcrawl.lab.evaluate.extractors.measure import Job
    from quarkcrawl.lab.evaluate.extractors.sidebyside import Comparison


LEFT_OUT: Final = "default, sites left out"
"""Name of the row."""


def with_left_out(
    compared: Comparison,
    *,
    n_folds: int = 5,
    models: Path | None = None,
    tick: Callable[[], None] = lambda: None,
) -> Comparison:
    """Put the default extractor, trained without each page's site, before the other rows.

    Needs scikit-learn (``pip install 'quarkcrawl[train]'``); minutes for hundreds of pages.

    Args:
        compared: other extractors on the same pages.
        n_folds: parts of the pages.
        models: folder that keeps the trained models for the next time.
        tick: called after each page.
    """
    jobs = compared.jobs
    measured = [Measurement() for _ in jobs]
    for number, model in left_out_models(jobs, n_folds, models):
        measured[number] = _measured(jobs[number], model)
        tick()
    return replace(compared, measured={LEFT_OUT: tuple(measured), **compared.measured})


def left_out_models(
    jobs: Sequence[Job], n_folds: int = 5, folder: Path | None = None
) -> list[tuple[int, BlockModel]]:
    """Each page that has text, with a model that knows nothing of its site.

    Args:
        jobs: pages with gold text.
        n_folds: parts of the pages.
        folder: keeps the trained models for the next time.

    Raises:
        ConfigError: without scikit-learn.
    """
    options = training.FitOptions(set_weights=dict(training.SET_WEIGHTS))
    prepared = [prepare_page(marked_page(job.page, job.set_name)) for job in jobs]
    numbers = [number for number, page in enumerate(prepared) if page is not None]
    pages = [page for page in prepared if page is not None]
    folds = training.fold_models(pages, options, n_folds, folder)
    return [(numbers[place], model) for model, tested in folds for place in tested]


def _measured(job: Job, model: BlockModel) -> Measurement:
    start = time.process_time()
    page = Page.from_bytes(job.page.body, job.page.url)
    content = Content(default_extraction(page, model))
    title, text = content.title, content.text
    cpu_s = time.process_time() - start
    extracted = compose(title, text, with_title=job.with_title)
    return Measurement(
        score_text(extracted, job.page.gold_text or ""), cpu_s, not extracted.strip()
    )
