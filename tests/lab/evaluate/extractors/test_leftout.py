"""The default extractor measured by models that were trained without the page's site."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from threadpoolctl import threadpool_limits
from typer.testing import CliRunner

import quarkcrawl.lab.training.fit
from quarkcrawl.cli.app import app
from quarkcrawl.content.lines import load_model
from quarkcrawl.errors import ConfigError
from quarkcrawl.lab.evaluate.extractors.leftout import LEFT_OUT, left_out_models, with_left_out
from quarkcrawl.lab.evaluate.extractors.sidebyside import Comparison, load_jobs
from quarkcrawl.lab.training.data import MarkedPage, prepare_page
from quarkcrawl.lab.training.fit import FitOptions
from quarkcrawl.lab.training.lines_cv import fold_models
from tests.lab.baselines.test_content import SENTENCE

if TYPE_CHECKING:
    from collections.abc import Iterator

N_SITES, N_PAGES = 6, 3
OPTIONS = FitOptions(n_trees=4, n_leaves=4, min_leaf_lines=3, n_folds=2)


def page_of(site: int, number: int) -> tuple[str, str]:
    """A page and its gold text."""
    paragraphs = [f"第{site}站的第{number}页第{n}段。{SENTENCE * 3}" for n in range(4 + number)]
    links = "".join(f"<li><a href=/{n}>栏目{n}</a></li>" for n in range(12 + site))
    body = "".join(f"<p>{text}</p>" for text in paragraphs)
    html = f"<title>第{number}页</title><ul>{links}</ul><div class=text>{body}</div><p>版权所有"
    return html, "\n".join(paragraphs)


@pytest.fixture(scope="module")
def gold(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("leftout") / "mine.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for site in range(N_SITES):
            for number in range(N_PAGES):
                html, text = page_of(site, number)
                row = {"id": f"{site}-{number}", "html": html, "gold_text": text, "lang": "zh"}
                row["url"] = f"http://site{site}.example/{number}.html"
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
    return path


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Trained models, for all tests of the same pages."""
    return tmp_path_factory.mktemp("models")


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Threads that wait for each other take longer than small models need."""
    with threadpool_limits(1):
        yield


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four trees instead of two hundred."""
    monkeypatch.setattr(quarkcrawl.lab.training.fit, "FitOptions", lambda **_: OPTIONS)


@pytest.mark.full
@pytest.mark.usefixtures("quick")
def test_every_page_is_measured_without_its_site(gold: Path, models: Path) -> None:
    jobs = load_jobs([gold])
    ticks: list[int] = []
    compared = with_left_out(
        Comparison(tuple(jobs), {}, {}, {}),
        n_folds=2,
        models=models,
        tick=lambda: ticks.append(1),
    )
    assert len(ticks) == len(jobs) == N_SITES * N_PAGES
    scores = [page.score.f1 for page in compared.measured[LEFT_OUT]]
    assert np.mean(scores) > 0.9
    assert not any(page.is_empty for page in compared.measured[LEFT_OUT])
    assert sorted(path.name for path in models.iterdir()) == [
        f"left_out_{fold}.npz" for fold in range(2)
    ]


def prepared(gold: Path) -> list:
    pages = []
    for job in load_jobs([gold]):
        site = job.page.number.split("-")[0]
        marked = MarkedPage(
            job.page.number, "mine", site, job.page.body, job.page.gold_text, job.page.url
        )
        pages.append(prepare_page(marked))
    return pages


def test_no_site_is_in_training_and_test(gold: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pages = prepared(gold)
    trained: list[set[str]] = []

    def spy(lines, chosen, options):
        trained.append({pages[number].page.site for number in lines.page[chosen]})
        return load_model()

    monkeypatch.setattr("quarkcrawl.lab.training.lines_cv.fit_model", spy)
    tested = []
    for _, numbers in fold_models(pages, OPTIONS, 3):
        sites = {pages[number].page.site for number in numbers}
        with_names, nameless = trained[-2:]
        assert with_names == nameless
        assert not with_names & sites
        tested += numbers
    assert sorted(tested) == list(range(len(pages)))


@pytest.mark.full
def test_models_are_kept_and_those_of_other_pages_are_not_used(gold: Path, tmp_path: Path) -> None:
    pages = prepared(gold)
    first = [model.trees for model, _ in fold_models(pages, OPTIONS, 2, tmp_path)]
    before = [path.stat().st_mtime_ns for path in sorted(tmp_path.iterdir())]
    again = [model.trees for model, _ in fold_models(pages, OPTIONS, 2, tmp_path)]
    assert [path.stat().st_mtime_ns for path in sorted(tmp_path.iterdir())] == before
    for one, two in zip(first, again, strict=True):
        assert (one.node == two.node).all()
        assert (one.value == two.value).all()
    list(fold_models(pages[1:], OPTIONS, 2, tmp_path))
    assert [path.stat().st_mtime_ns for path in sorted(tmp_path.iterdir())] != before


@pytest.mark.full
@pytest.mark.usefixtures("quick")
def test_the_command_puts_the_row_first(gold: Path, models: Path, tmp_path: Path) -> None:
    out = tmp_path / "scores.json"
    done = CliRunner().invoke(
        app,
        [
            *("evaluate", "extractors", str(gold), "--method", "sdu", "--folds", "2"),
            *("--models", str(models), "--workers", "1", "--json-out", str(out)),
        ],
    )
    assert done.exit_code == 0, done.output
    found = json.loads(out.read_text("utf-8"))
    assert list(found["extractors"]) == [LEFT_OUT, "sdu"]
    assert found["against"] == LEFT_OUT
    assert found["differences"]["sdu"]["all_zh"]["n_groups"] == N_SITES


def test_without_scikit_learn_it_says_what_to_install(
    gold: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "quarkcrawl.lab.training.lines_cv", None)
    with pytest.raises(ConfigError, match=r"quarkcrawl\[train\]"):
        left_out_models(load_jobs([gold]))
