"""Data sets: what is in them, what is not and why, and the numbers of their cards."""

import hashlib
import json
import re
import shutil
from pathlib import Path

import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

from quarkcrawl.dataset import AFTERWARDS, ALWAYS, COPIES, RULES, ExportOptions, export_dataset
from quarkcrawl.dataset.writers import zstd
from quarkcrawl.engines import DuckEngine
from quarkcrawl.errors import ConfigError, InputError, StoreError
from tests.refine.corpora import COPY, SHORT, add, body, extract, make_corpus, make_labeled


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    root = tmp_path_factory.mktemp("made") / "corpus"
    make_labeled(root)
    return root


def export(root: Path, out: Path, replace: bool = False, **options):
    with DuckEngine(memory_bytes=512 << 20, threads=1) as engine:
        return export_dataset(engine, root, out, ExportOptions(**options), replace=replace)


def left_out(out: Path) -> dict[str, str]:
    rows = ds.dataset(str(out / "left_out")).to_table().to_pylist()
    return {row["url"]: row["reason"] for row in rows}


def texts(out: Path, split: str = "train") -> list[dict]:
    files = sorted(map(str, (out / "data").glob(f"{split}-*.parquet")))
    return ds.dataset(files).to_table().to_pylist() if files else []


def files(out: Path) -> dict[str, str]:
    return {
        path.relative_to(out).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in out.rglob("*")
        if path.is_file()
    }


def test_every_document_is_exported_or_has_a_reason(root, tmp_path):
    report = export(root, tmp_path / "out")
    rows, reasons = texts(tmp_path / "out"), left_out(tmp_path / "out")
    assert report.pages == 33 == len(rows) + len(reasons)
    assert not {row["url"] for row in rows} & reasons.keys()
    assert reasons[SHORT] == "short"
    assert reasons["http://empty.lab.cn/"] == "no_text"
    pair = {COPY, "http://www.lab.cn/0.html"}
    assert [reasons.get(url) for url in pair if url in reasons] == ["duplicate"]
    known = {rule.reason for rule in (*ALWAYS, *RULES, *COPIES, *AFTERWARDS)}
    assert set(reasons.values()) <= known


def test_the_numbers_of_the_card_are_those_of_the_data(root, tmp_path):
    out = tmp_path / "out"
    report = export(root, out, name="lab")
    card = (out / "README.md").read_text("utf-8")
    rows, reasons = texts(out), left_out(out)
    n_chars = sum(len(row["text"]) for row in rows)
    hosts = len({row["host"] for row in rows})
    assert f"{len(rows)} texts of {hosts} hosts, {n_chars:,} characters" in card
    assert report.chars == n_chars
    left = report.pages
    funnel = re.findall(r"^\| `(.+?)` \| (\d+) \| (\d+) \|$", card, re.MULTILINE)
    assert [reason for reason, *_ in funnel] == [
        rule.reason for rule in (*ALWAYS, *RULES, *COPIES, *AFTERWARDS)
    ]
    for reason, n, rest in funnel:
        assert int(n) == list(reasons.values()).count(reason)
        left -= int(n)
        assert int(rest) == left
    assert left == len(rows)
    manifest = json.loads((out / "dataset.json").read_text("utf-8"))
    assert manifest["documents"] == {"train": len(rows)}
    assert manifest["statistics"]["chars"] == n_chars
    kinds = dict(re.findall(r"^\| (zh|en|none|und) \| (\d+) \|$", card, re.MULTILINE))
    assert sum(map(int, kinds.values())) == len(rows)


def test_checksums_are_of_all_files(root, tmp_path):
    out = tmp_path / "out"
    export(root, out)
    sums = dict(
        reversed(line.split("  ")) for line in (out / "SHA256SUMS").read_text().splitlines()
    )
    assert sums == {name: value for name, value in files(out).items() if name != "SHA256SUMS"}


@pytest.mark.full
def test_the_same_inputs_give_the_same_bytes(root, tmp_path):
    for name in ("a", "b"):
        export(root, tmp_path / name, name="lab", validation=0.3)
    assert files(tmp_path / "a") == files(tmp_path / "b")
    export(root, tmp_path / "c", name="lab", validation=0.3, seed=2)
    assert files(tmp_path / "a") != files(tmp_path / "c")


def test_a_host_is_in_one_split(root, tmp_path):
    out = tmp_path / "out"
    for seed in range(1, 9):  # of four hosts, some draw gives each split one
        report = export(root, out, replace=out.exists(), validation=0.4, test=0.3, seed=seed)
        if len(report.documents) == 3:
            break
    assert report.documents.keys() == {"train", "validation", "test"}
    hosts = {split: {row["host"] for row in texts(out, split)} for split in report.documents}
    assert sum(map(len, hosts.values())) == len(set.union(*hosts.values()))
    card = (out / "README.md").read_text("utf-8")
    assert "split: validation" in card
    assert "split: test" in card


@pytest.mark.full
def test_order_is_by_chance_or_by_host(root, tmp_path):
    export(root, tmp_path / "a")
    export(root, tmp_path / "b", shuffle=False)
    shuffled, ordered = (
        [(row["host"], row["url"]) for row in texts(tmp_path / name)] for name in "ab"
    )
    assert ordered == sorted(ordered)
    assert shuffled != ordered
    assert sorted(shuffled) == ordered


def test_parts_have_the_size_that_is_asked_for(root, tmp_path):
    export(root, tmp_path / "out", part_bytes=4000, form="parquet")
    paths = sorted((tmp_path / "out" / "data").iterdir())
    assert len(paths) > 3
    n = len(paths)
    assert [path.name for path in paths] == [f"train-{k:05d}-of-{n:05d}.parquet" for k in range(n)]
    sizes = [
        sum(len(text.encode()) for text in pq.read_table(path)["text"].to_pylist())
        for path in paths
    ]
    assert all(size >= 4000 for size in sizes[:-1])


@pytest.mark.full
def test_json_lines_and_plain_text_hold_the_same(root, tmp_path):
    export(root, tmp_path / "p")
    export(root, tmp_path / "j", form="jsonl")
    export(root, tmp_path / "t", form="text")
    rows = texts(tmp_path / "p")
    (path,) = (tmp_path / "j" / "data").iterdir()
    with zstd.open(path, "rb") as file:
        lines = [json.loads(line) for line in file.read().splitlines()]
    assert [line["text"] for line in lines] == [row["text"] for row in rows]
    for line, row in zip(lines, rows, strict=True):
        assert line["id"] == row["id"]
        assert line["metadata"] == {k: v for k, v in row.items() if k not in ("id", "text")}
    (path,) = (tmp_path / "t" / "data").iterdir()
    plain = path.read_text("utf-8").split("\n\n")
    assert plain == [*(row["text"] for row in rows), ""]


@pytest.mark.full
def test_conditions_and_rules_are_the_users_choice(root, tmp_path):
    condition = "host = 'www.lab.cn'"
    export(root, tmp_path / "a", where=(condition,))
    assert {row["host"] for row in texts(tmp_path / "a")} == {"www.lab.cn"}
    assert set(left_out(tmp_path / "a").values()) >= {f"where {condition}"}
    export(root, tmp_path / "b", without=("short", "duplicate", "near_duplicate", "heuristics"))
    assert SHORT in {row["url"] for row in texts(tmp_path / "b")}
    assert set(left_out(tmp_path / "b").values()) == {"no_text"}


def test_a_condition_that_is_null_keeps_nothing(root, tmp_path):
    report = export(root, tmp_path / "out", where=("template = 'no page has one'",))
    assert not report.documents
    assert report.pages == sum(report.left_out.values())


def test_fields_are_the_users_choice(root, tmp_path):
    export(root, tmp_path / "out", fields=("text", "md5", "language", "level"))
    assert list(texts(tmp_path / "out")[0]) == ["text", "md5", "language", "level"]


@pytest.mark.full
@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"where": ("nothing = 1",)}, InputError, "nothing"),
        ({"where": ("language",)}, InputError, "no condition"),
        ({"where": ("language = ",)}, InputError, "language ="),
        ({"where": (" ",)}, ConfigError, "empty"),
        ({"without": ("beauty",)}, ConfigError, "no rule 'beauty'; there are short"),
        ({"fields": ("text", "beauty")}, ConfigError, "no field 'beauty'"),
        ({"fields": ("url",)}, ConfigError, "text"),
        ({"fields": ("text", "n_tokens")}, ConfigError, "--tokenizer"),
        ({"validation": 0.9, "test": 0.2}, ConfigError, "below 1"),
        ({"name": "a b/c"}, ConfigError, "no name"),
        ({"form": "xml"}, ConfigError, "'xml' is none of"),
        ({"method": "quark"}, StoreError, "no texts by the method 'quark'"),
    ],
)
def test_what_cannot_be_is_one_line_and_leaves_nothing(root, tmp_path, options, error, message):
    with pytest.raises(error, match=re.escape(message)) as raised:
        export(root, tmp_path / "out", **options)
    assert "\n" not in str(raised.value)
    assert not list(tmp_path.iterdir())


@pytest.mark.full
def test_what_is_there_is_not_overwritten(root, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    with pytest.raises(InputError, match="no data set"):
        export(root, out, replace=True)
    out.rmdir()
    export(root, out)
    before = files(out)
    with pytest.raises(InputError, match="--replace"):
        export(root, out, seed=5)
    with pytest.raises(InputError):
        export(root, out, where=("beauty",), replace=True)
    assert files(out) == before
    export(root, out, seed=5, replace=True)
    assert files(out) != before


def test_a_corpus_without_labels_says_so(tmp_path):
    make_corpus(tmp_path / "corpus", 3)
    with pytest.raises(StoreError, match="quarkcrawl refine"):
        export(tmp_path / "corpus", tmp_path / "out")


@pytest.mark.full
def test_a_text_whose_labels_are_old_is_left_out(root, tmp_path):
    copy = shutil.copytree(root, tmp_path / "corpus")
    url = "http://www.lab.cn/3.html"
    add(copy, {url: body(700)})
    extract(copy)
    export(copy, tmp_path / "out")
    assert left_out(tmp_path / "out")[url] == "unlabelled"
