"""What people taught about a host counts in the extraction of its corpus, and nowhere else."""

from __future__ import annotations

import pytest

from quarkcrawl.analysis import PoolOptions
from quarkcrawl.corpus import (
    ExtractionOptions,
    clean_corpus,
    cleaned_contents,
    extract_corpus,
    extract_task,
)
from quarkcrawl.errors import ConfigError
from tests.corpus.corpora import assert_complete, rows_of
from tests.corpus.sitepages import NOTICE, paragraphs
from tests.corpus.taughtpages import ALONE, N_PAGES, RULE, TAUGHT, store_site

HERE = PoolOptions(in_process=True)


@pytest.fixture
def root(tmp_path):
    store_site(tmp_path)
    return tmp_path


def run(root, **more):
    return extract_corpus(root, ExtractionOptions(), pool=HERE, **more)


def noted(rows) -> dict[str, int]:
    """Pages of each host with the note in their text."""
    found = dict.fromkeys((TAUGHT, ALONE), 0)
    for row in rows.values():
        found[row["host"]] += NOTICE in row["content_text"]
    return found


@pytest.mark.full
def test_the_file_of_the_corpus_counts_and_only_its_hosts_are_done_again(root):
    assert run(root).corrected == 0
    before = rows_of(root, "default")
    assert noted(before) == {TAUGHT: N_PAGES, ALONE: N_PAGES}
    assert {row["taught_chars"] for row in before.values()} == {None}
    (root / "rules.toml").write_text(RULE)
    report = run(root)
    assert (report.extracted, report.corrected, report.done_before) == (N_PAGES, N_PAGES, N_PAGES)
    rows = rows_of(root, "default")
    assert noted(rows) == {TAUGHT: 0, ALONE: N_PAGES}
    assert_complete(root, "default")
    for number in range(N_PAGES):
        row = rows[f"http://{TAUGHT}/{number}.html"]
        assert row["content_text"] == "\n".join(paragraphs(number, 8))
        assert row["taught_chars"] == len(NOTICE)
        other = f"http://{ALONE}/{number}.html"
        assert rows[other] == before[other]
    assert run(root).extracted == 0
    (root / "rules.toml").unlink()
    assert run(root).extracted == N_PAGES
    assert rows_of(root, "default") == before


def test_another_file_takes_the_place_of_that_of_the_corpus(root, tmp_path):
    (root / "rules.toml").write_text(RULE)
    other = tmp_path / "other.toml"
    other.write_text(RULE.replace(TAUGHT, ALONE))
    run(root, rules=other, out=root / "out")
    assert noted(rows_of(root, "default", out=root / "out")) == {TAUGHT: N_PAGES, ALONE: 0}
    other.write_text("")
    run(root, rules=other, out=root / "out")
    assert noted(rows_of(root, "default", out=root / "out")) == {TAUGHT: N_PAGES, ALONE: N_PAGES}


def test_tasks_make_the_same_rows_and_refuse_other_rules_meanwhile(root):
    (root / "rules.toml").write_text(RULE)
    run(root, out=root / "whole")
    options = ExtractionOptions(site_pages=80)
    extract_task(root, options, (0, 2), pool=HERE, phase="sites")
    extract_task(root, options, (1, 2), pool=HERE, phase="sites")
    extract_task(root, options, (0, 2), pool=HERE)
    (root / "rules.toml").write_text(RULE.replace("div.note", "p"))
    with pytest.raises(ConfigError):
        extract_task(root, options, (1, 2), pool=HERE)
    (root / "rules.toml").write_text(RULE)
    extract_task(root, options, (1, 2), pool=HERE)
    assert rows_of(root, "default") == rows_of(root, "default", out=root / "whole")


def test_a_file_with_a_fault_ends_it_before_anything_is_touched(root):
    run(root)
    before = rows_of(root, "default")
    (root / "rules.toml").write_text(RULE.replace("noise", "nosie"))
    with pytest.raises(ConfigError, match=r"rules\.toml: rule 1: kind: 'nosie' is none of"):
        run(root)
    with pytest.raises(ConfigError, match="rule 1"):
        clean_corpus(root, ExtractionOptions(), HERE)
    assert rows_of(root, "default") == before


def test_cleaning_does_the_taught_hosts_and_takes_their_rows_back(root):
    options = ExtractionOptions(site_pages=0)
    assert clean_corpus(root, options, HERE).extracted == 0
    (root / "rules.toml").write_text(RULE)
    report = clean_corpus(root, options, HERE)
    assert (report.pages, report.extracted, report.corrected) == (N_PAGES, N_PAGES, N_PAGES)
    rows = cleaned_contents(root).to_table().to_pylist()
    assert {row["host"] for row in rows} == {TAUGHT}
    assert not any(NOTICE in row["content_text"] for row in rows)
    (root / "rules.toml").write_text("")
    assert clean_corpus(root, options, HERE).removed == N_PAGES
    assert cleaned_contents(root).count_rows() == 0
