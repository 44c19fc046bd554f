"""Data sets from a browser: options become the command that does it; nothing is made twice."""

from __future__ import annotations

import pytest

from quarkcrawl.cli.campaign_file import load_campaign
from quarkcrawl.cli.runner import LocalDatasets
from quarkcrawl.cli.runner.datasets import _written
from quarkcrawl.dataset import ExportOptions
from quarkcrawl.errors import ConfigError, StoreError
from quarkcrawl.store import Corpus, CorpusLock
from quarkcrawl.workbench.web import ApiError


@pytest.fixture
def runner(tmp_path):
    Corpus.create(tmp_path / "corpus")
    return LocalDatasets(tmp_path / "corpus")


def commands(runner, options, *, refine=True):
    folder = runner.folder / options.name
    folder.mkdir(parents=True)
    (folder / "campaign.toml").write_text(_written(options, refine=refine))
    steps = load_campaign(folder / "campaign.toml").steps()
    return [" ".join(step.words) for step in steps if not step.is_skipped]


def test_options_are_those_of_the_command(runner):
    options = ExportOptions(
        "zh", where=("language = 'zh' \x7f😀", 'title <> "x"'), without=("short", "spam"),
        fields=("id", "text"), form="jsonl", personal="keep", repeats="keep", validation=0.02,
        test=0.1, seed=7, shuffle=False, contact="mailto:a@b.cn", license="cc-by-4.0",
    )  # fmt: skip
    corpus, out = runner.folder.parent, runner.folder / "zh" / "dataset"
    labeled, exported = commands(runner, options)
    assert labeled == f"refine {corpus} --extraction default"
    assert exported == (
        f"export {corpus} --out {out} --name zh --extraction default --replace"
        " --where language = 'zh' \x7f😀 --where title <> \"x\" --without short --without spam"
        " --fields id,text --format jsonl --personal keep --repeats keep --validation 0.02"
        " --test 0.1 --seed 7 --contact mailto:a@b.cn --license cc-by-4.0 --no-shuffle"
    )


def test_without_labeling_the_texts_are_still_those_of_the_method(runner):
    found = commands(runner, ExportOptions("plain", method="quark"), refine=False)
    assert len(found) == 1
    assert "--name plain --extraction quark --replace" in found[0]


def test_what_cannot_be_done_is_refused(runner):
    with pytest.raises(ConfigError, match="below 1 together"):
        runner.add(ExportOptions("a", validation=0.6, test=0.6), refine=True)
    with pytest.raises(StoreError, match="has no labels"):
        runner.add(ExportOptions("a"), refine=False)
    assert runner.names() == []
    (runner.folder / "a").mkdir(parents=True)
    with pytest.raises(ApiError, match="there already"):
        runner.add(ExportOptions("a"), refine=True)
    (runner.folder / "a" / "campaign.toml").write_text(_written(ExportOptions("a"), refine=True))
    with CorpusLock(runner.folder / "a"), pytest.raises(ApiError, match="one at a time"):
        runner.add(ExportOptions("b"), refine=True)
    assert runner.names() == ["a"]
