"""Passages of benchmarks in texts: equal to a search in all of them, in the original's places."""

import gzip
import json
import time
import unicodedata

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quarkcrawl.errors import ConfigError, InputError
from quarkcrawl.refine.contamination import (
    REASONS,
    BenchmarkItem,
    Contamination,
    ContaminationOptions,
    read_benchmark,
    search,
)
from tests.profiles import examples

CHINESE = "下列关于牛顿第二定律的说法中，正确的是哪一项？请从四个选项里选出最合适的一个答案。"
ENGLISH = (
    "Natalia sold clips to 48 of her friends in April, and then she sold half as many clips in May."
)


def items(*texts, name="bench"):
    return [BenchmarkItem(name, f"{name}:{n}", text) for n, text in enumerate(texts, 1)]


def units_of(text):
    """Units in the simplest way: (text, start, end, is a word)."""
    units, word = [], None
    for place, char in enumerate(text):
        folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", char).casefold())
        for part in folded:
            if part in "'\u2019":
                continue
            if unicodedata.category(part)[0] not in "LNM":
                word = None
            elif "一" <= part <= "鿿":
                units.append([part, place, place + 1, False])
                word = None
            elif word is None:
                word = [part, place, place + 1, True]
                units.append(word)
            else:
                word[0] += part
                word[2] = place + 1
    return units


def covered(text, benchmark, n_words, n_characters):
    """Units of the text in a gram that the benchmark has, and in how far texts go on alike then."""

    def grams(units):
        for start in range(len(units)):
            weight, end = 0, start
            while weight < n_words * n_characters and end < len(units):
                weight += n_characters if units[end][3] else n_words
                end += 1
            if weight >= n_words * n_characters:
                yield start, end

    in_gram, in_passage = set(), set()
    units = units_of(text)
    said = [(unit[0], unit[3]) for unit in units]
    for one in benchmark:
        other = [(unit[0], unit[3]) for unit in units_of(one)]
        for start, least_end in grams(units):
            for begin in range(len(other) - least_end + start + 1):
                end = least_end
                if said[start:end] == other[begin : begin + end - start]:
                    in_gram.update(range(start, end))
                    while (
                        end < len(said)
                        and begin + end - start < len(other)
                        and said[end] == other[begin + end - start]
                    ):
                        end += 1
                    in_passage.update(range(start, end))
    return in_gram, in_passage


words = st.sampled_from(
    [
        "甲",
        "乙",
        "丙",
        "ab",
        "Ab",
        "c",
        " ",
        "，",
        "don't",
        "１",
        "1",
        "\ud800",
        "é",
        "e\u0301",
        "ﬁ",
        "-",
    ]
)
written = st.lists(words, max_size=40).map("".join)


@settings(max_examples=examples(300), deadline=None)
@given(written, st.lists(written, max_size=4), st.integers(1, 5), st.integers(1, 7))
def test_equal_to_a_search_in_all(text, benchmark, n_words, n_characters):
    options = ContaminationOptions(n_words, n_characters)
    search_ = Contamination(items(*benchmark), options)
    found = search_.find(text)
    units = units_of(text)
    starts, ends = [unit[1] for unit in units], [unit[2] for unit in units]
    marked = set()
    for span in found:
        first, last = starts.index(span.start), len(ends) - 1 - ends[::-1].index(span.end)
        marked.update(range(first, last + 1))
    in_gram, in_passage = covered(text, benchmark, n_words, n_characters)
    assert in_gram <= marked <= in_passage
    assert n_words != n_characters or in_gram == marked
    assert all(0 <= span.start < span.end <= len(text) for span in found)
    places = {place for span in found for place in range(span.start, span.end)}
    assert search_.labels(text).share == (len(places) / len(text) if found else 0)


@settings(max_examples=examples(60), deadline=None)
@given(written, st.lists(written, max_size=4))
def test_equal_hashes_of_different_passages_change_nothing(text, benchmark):
    compiled = search.hash_grams

    def weak(*arrays):
        n = compiled(*arrays)
        arrays[5][:n] = arrays[5][:n] % np.uint64(3) + np.uint64(1)
        return n

    options = ContaminationOptions(2, 3)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "hash_grams", weak)
        found = Contamination(items(*benchmark), options).find(text)
    assert found == Contamination(items(*benchmark), options).find(text)


def test_a_passage_written_otherwise_is_found_in_its_place():
    contamination = Contamination(items(CHINESE, ENGLISH))
    changed = CHINESE.replace("，", " \n").replace("四个", "四　个")
    text = f"前言。{changed}后记 {ENGLISH.upper().replace(',', ' –')} End."
    chinese, english = contamination.find(text)
    assert text[chinese.start : chinese.end].startswith("下列关于")
    assert text[chinese.start : chinese.end].endswith("答案")
    assert text[english.start : english.end].startswith("NATALIA")
    assert (chinese.place, english.place) == ("bench:1", "bench:2")
    labels = contamination.labels(text)
    assert labels.benchmarks == ("bench",)
    assert set(labels.reasons) <= set(REASONS)
    assert labels.share == pytest.approx(
        len(text[chinese.start : chinese.end] + text[english.start : english.end]) / len(text)
    )


def test_lengths():
    contamination = Contamination(items(CHINESE, ENGLISH, "太短了"))
    assert (contamination.n_items, contamination.n_too_short) == (3, 1)
    han = [char for char in CHINESE if char.isalpha()]
    assert contamination.find("".join(han[:24]))
    assert not contamination.find("".join(han[:23]))
    assert contamination.find(" ".join(ENGLISH.split()[:13]))
    assert not contamination.find(" ".join(ENGLISH.split()[:12]))
    assert not contamination.find("")
    assert not Contamination([]).find(CHINESE)


def test_two_benchmarks_are_told_apart_and_a_share_can_be_asked():
    both = [*items(CHINESE, name="a"), *items(CHINESE, name="b")]
    contamination = Contamination(both, ContaminationOptions(least_share=0.5))
    assert [span.benchmark for span in contamination.find(CHINESE)] == ["a", "b"]
    assert contamination.labels(CHINESE).share < 1
    assert contamination.labels(CHINESE).reasons == ("benchmark",)
    assert contamination.labels(CHINESE + "无" * 99).reasons == ()
    for wrong in ({"least_words": 0}, {"least_share": 2.0}):
        with pytest.raises(ConfigError):
            ContaminationOptions(**wrong)


def test_files(tmp_path):
    (tmp_path / "notes.txt").write_text(f"\ufeff{CHINESE[:20]}\n{CHINESE[20:]}\n\n\n甲\n", "utf-8")
    rows = [{"question": CHINESE, "choices": ["甲", {"b": "乙"}], "id": 7, "answer": None}]
    line = json.dumps(rows[0], ensure_ascii=False)
    with gzip.open(tmp_path / "mock.v1.jsonl.gz", "wt", encoding="utf-8") as file:
        file.write(f"\n{line}\n")
    pq.write_table(pa.Table.from_pylist([{"question": ENGLISH, "id": 1}]), tmp_path / "gsm.parquet")
    paths = [tmp_path / name for name in ("notes.txt", "mock.v1.jsonl.gz", "gsm.parquet")]
    read = [item for path in paths for item in read_benchmark(path)]
    assert [(item.benchmark, item.place.removeprefix(f"{tmp_path}/")) for item in read] == [
        ("notes", "notes.txt:1"), ("notes", "notes.txt:5"),
        ("mock", "mock.v1.jsonl.gz:2"), ("mock", "mock.v1.jsonl.gz:2"), ("mock", "mock.v1.jsonl.gz:2"),
        ("gsm", "gsm.parquet, row 1"),
    ]  # fmt: skip
    options = ContaminationOptions(fields=("question",))
    contamination = Contamination.from_files(paths, options)
    found = contamination.find(f"{CHINESE}\n{ENGLISH}")
    assert [span.benchmark for span in found] == ["mock", "notes", "gsm"]


@pytest.mark.parametrize(
    ("name", "data", "fields", "said"),
    [
        ("a.jsonl", b'{"q": "x"}\n{"q"', (), r"a\.jsonl:2: no JSON"),
        ("a.jsonl", b'{"q": "x"}\n{"z": "x"}', ("q",), r"a\.jsonl:2: has no field q; it has z"),
        ("a.jsonl", b'{"q": 7}', ("q",), r"a\.jsonl:1: field q is no text"),
        ("a.json", b"[1]", (), r"a\.json:1: no JSON object"),
        ("a.txt", b"x\n\xff", (), r"a\.txt:2: no UTF-8"),
        ("a.txt.gz", b"x", (), r"a\.txt\.gz: cannot be read"),
        ("a.parquet", b"x", (), r"a\.parquet: cannot be read"),
        ("a.csv", b"x", (), r"a\.csv: no file of a benchmark; known endings"),
        ("a", b"x", (), "no file of a benchmark"),
        ("none.txt", None, (), r"none\.txt: cannot be read"),
        ("none.parquet", None, (), r"none\.parquet: cannot be read"),
    ],
)  # fmt: skip
def test_a_broken_file_is_named_with_its_line(tmp_path, name, data, fields, said):
    if data is not None:
        (tmp_path / name).write_bytes(data)
    with pytest.raises(InputError, match=said):
        Contamination.from_files([tmp_path / name], ContaminationOptions(fields=fields))


def test_a_missing_column_is_named(tmp_path):
    pq.write_table(pa.table({"a": ["x"]}), tmp_path / "t.parquet")
    with pytest.raises(InputError, match=r"t\.parquet: has no column q; it has a"):
        list(read_benchmark(tmp_path / "t.parquet", ["q"]))


@pytest.mark.full
@pytest.mark.parametrize(
    "text", ["甲" * 10**6, "ab " * 333333, "a" * 10**6, "\u0300" * 10**6, CHINESE * 25000]
)
def test_hostile_texts_take_no_time(text):
    contamination = Contamination(items(CHINESE, "甲" * 300, "ab " * 300, name="x"))
    start = time.process_time()
    contamination.labels(text)
    assert time.process_time() - start < 20
