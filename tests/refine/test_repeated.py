"""What texts repeat of each other, as labels of a corpus and in a data set."""

import pyarrow.dataset as ds
import pytest

from quarkcrawl.dataset import ExportOptions, export_dataset
from quarkcrawl.engines import DuckEngine
from quarkcrawl.refine import repeat_table, view_documents
from tests.corpus.sitepages import page
from tests.refine.corpora import add, extract, refine, sentences

QUOTED = sentences(900, 3)[0] + sentences(901, 3)[0]
BOOK = "http://old.lab.cn/0.html"


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    """Articles of which every third quotes a passage that the first one has."""
    root = tmp_path_factory.mktemp("made") / "corpus"
    pages = {BOOK: page(0, [*sentences(0), QUOTED], "")}
    for number in range(1, 13):
        quoted = [QUOTED] if number % 3 == 0 else []
        texts = [*sentences(number, 4), *quoted, *sentences(number + 50, 4)]
        pages[f"http://new.lab.cn/{number}.html"] = page(number, texts, "")
    add(root, pages)
    extract(root)
    assert refine(root).repeats == 4
    return root


def documents(root, tmp_path):
    with DuckEngine(memory_bytes=256 << 20, threads=1) as engine:
        view_documents(engine, root, "default", tmp_path / "work")
        rows = engine.fetch("SELECT url, text, text_md5 FROM documents").to_pylist()
    return {row["url"]: row for row in rows}


def repeats(root):
    table = ds.dataset([str(path) for path in repeat_table(root).files()]).to_table()
    return {row["url"]: row for row in table.to_pylist()}


@pytest.mark.full
def test_all_but_the_first_have_the_passage(root, tmp_path):
    texts, rows = documents(root, tmp_path), repeats(root)
    assert rows.keys() == {f"http://new.lab.cn/{number}.html" for number in (3, 6, 9, 12)}
    for url, row in rows.items():
        text = texts[url]["text"]
        assert row["text_md5"] == texts[url]["text_md5"]
        covered = {place for span in row["repeats"] for place in range(span["start"], span["end"])}
        start = text.index(QUOTED)
        assert set(range(start, start + len(QUOTED))) <= covered
        assert row["repeated_chars"] == len(covered)
        for span in row["repeats"]:
            first = texts[span["first_url"]]["text"]
            length = span["end"] - span["start"]
            assert first[span["first_start"] :][:length] == text[span["start"] : span["end"]]


@pytest.mark.full
def test_what_is_up_to_date_is_not_made_again(root):
    before = [path.stat().st_mtime_ns for path in repeat_table(root).files()]
    assert refine(root).repeats == 4
    assert [path.stat().st_mtime_ns for path in repeat_table(root).files()] == before


@pytest.mark.full
def test_a_data_set_holds_the_passage_once_or_as_often_as_it_stands(root, tmp_path):
    with DuckEngine(memory_bytes=256 << 20, threads=1) as engine:
        reports = {
            word: export_dataset(engine, root, tmp_path / word, ExportOptions(repeats=word))
            for word in ("remove", "keep")
        }
    counts = {}
    for word in reports:
        texts = ds.dataset(str(tmp_path / word / "data")).to_table()["text"].to_pylist()
        assert len(texts) == 13
        counts[word] = sum(QUOTED in text for text in texts)
    assert counts == {"remove": 1, "keep": 5}
    removed = sum(row["repeated_chars"] for row in repeats(root).values())
    assert reports["remove"].removed_chars == removed
    assert reports["keep"].removed_chars == 0


@pytest.mark.full
def test_a_passage_is_not_lost_with_the_document_that_had_it_first(root, tmp_path):
    with DuckEngine(memory_bytes=256 << 20, threads=1) as engine:
        options = ExportOptions(where=("host = 'new.lab.cn'",))
        export_dataset(engine, root, tmp_path / "out", options)
    rows = ds.dataset(str(tmp_path / "out" / "data")).to_table().to_pylist()
    texts = {row["url"]: row["text"] for row in rows}
    assert len(texts) == 12
    # The book that had it first is left out; so the first article that quotes it keeps it.
    assert QUOTED in texts["http://new.lab.cn/3.html"]
