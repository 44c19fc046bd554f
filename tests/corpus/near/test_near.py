"""Near-duplicates of a corpus: the job, its bounds, its command."""

import json
from pathlib import Path

import pytest

from quarkcrawl.cli import main
from quarkcrawl.corpus.near import NEAR_METHODS, find_near, near_groups
from quarkcrawl.dedup import METHODS, group_texts, hamming, simhash
from quarkcrawl.errors import CorpusLockedError, InputError, StoreError
from quarkcrawl.store import Corpus, CorpusLock, CorpusWriter
from tests.corpus.near_stages import make_texts
from tests.store.samples import make_item


def store(root: Path, texts: list[str], first: int = 0) -> None:
    writer = CorpusWriter(root)
    for number, text in enumerate(texts, first):
        host = f"h{number % 7}.example.cn"
        item = make_item(
            number, host=host, fetched_at=1e9 + number, analysis={"content_text": text}
        )
        writer.append_page(item)
    writer.sync().acknowledged()
    writer.close()


def firsts_of(root: Path, method: str = "default") -> dict[str, str]:
    """Which page is kept for each page that is in a group."""
    return {row["url"]: row["kept_url"] for group in near_groups(root, method) for row in group}


def one_pass(texts: list[str], method: str) -> dict[int, list[int]]:
    """Groups by the method's single pass; simhash with an unusual k by comparing all."""
    if method in METHODS:
        return group_texts(texts, method).groups
    k = int(method.removeprefix("simhash-"))
    groups: dict[int, list[int]] = {}
    by_text: dict[str, int] = {}
    for number, text in enumerate(texts):
        value = simhash(text)
        near = [(hamming(simhash(texts[first]), value), first) for first in groups]
        near = [pair for pair in near if pair[0] <= k]
        first = by_text.get(text, min(near)[1] if near else number)
        by_text.setdefault(text, first)
        groups.setdefault(first, []).append(number)
    return {first: numbers for first, numbers in groups.items() if len(numbers) > 1}


def expected(root: Path, texts: list[str], method: str) -> dict[str, str]:
    """The same by one pass over all texts that are not empty, in fetch order."""
    urls = [row.url for row in sorted(Corpus.open(root).pages(), key=lambda row: row.fetched_at)]
    pairs = [(url, text) for url, text in zip(urls, texts, strict=True) if text]
    groups = one_pass([text for _, text in pairs], method)
    return {
        pairs[number][0]: pairs[first][0] for first, numbers in groups.items() for number in numbers
    }


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    root = tmp_path_factory.mktemp("near") / "corpus"
    texts = [*make_texts(300), "", ""]
    store(root, texts)
    return root, texts


@pytest.mark.full
@pytest.mark.parametrize("method", [*NEAR_METHODS, "simhash-6", "simhash-14"])
def test_is_one_pass_over_all_texts(corpus: tuple[Path, list[str]], method: str) -> None:
    root, texts = corpus
    report = find_near(root, method, least_chars=0)
    wanted = expected(root, texts, method)
    assert firsts_of(root, method) == wanted
    assert report.texts == 300
    assert report.grouped == len(wanted)
    assert report.groups == len(set(wanted.values()))
    assert sum(report.reasons.values()) == report.grouped - report.groups


def test_reasons(tmp_path: Path) -> None:
    long = "".join(make_texts(40, 3)[:6]).replace("没有句号", "")
    store(tmp_path, [long, "没有句号。", long, "没有，句号。", long + "多多"])
    report = find_near(tmp_path, least_chars=0)
    groups = list(near_groups(tmp_path))
    assert [[row["reason"] for row in group] for group in groups] == [
        ["first", "text-md5", "codes:3"],
        ["first", "no-code"],
    ]
    assert [group[0]["is_kept"] for group in groups] == [True, True]
    assert report.reasons == {"codes:3": 1, "no-code": 1, "text-md5": 1}


@pytest.mark.full
def test_goes_on_where_it_was(tmp_path: Path) -> None:
    texts = make_texts(120, 5)
    store(tmp_path, texts[:60])
    find_near(tmp_path, least_chars=0)
    folder = tmp_path / "analysis" / "near" / "default"
    times = {path.name: path.stat().st_mtime_ns for path in folder.rglob("*.parquet")}
    find_near(tmp_path, least_chars=0)
    assert {p.name: p.stat().st_mtime_ns for p in folder.rglob("*.parquet")} == times
    (folder / "groups.parquet").unlink()  # killed before the end
    (folder / "sketches" / min(times)).write_bytes(b"damaged")
    find_near(tmp_path, least_chars=0)
    assert firsts_of(tmp_path) == expected(tmp_path, texts[:60], "default")
    store(tmp_path, texts[60:], 60)
    assert find_near(tmp_path, least_chars=0).texts == sum(map(bool, texts))
    assert firsts_of(tmp_path) == expected(tmp_path, texts, "default")


def test_short_texts_say_nothing(tmp_path: Path) -> None:
    store(tmp_path, ["08-31", "08-31", "字" * 50, "字" * 50])
    report = find_near(tmp_path)
    assert (report.texts, report.groups, report.grouped) == (2, 1, 2)
    assert find_near(tmp_path, least_chars=0).groups == 2


def test_a_corpus_without_texts(tmp_path: Path) -> None:
    store(tmp_path, ["", ""])
    assert find_near(tmp_path, least_chars=0).texts == 0
    with pytest.raises(StoreError, match="no groups"):
        list(near_groups(tmp_path))


_FULL = pytest.mark.full


@pytest.mark.full
@pytest.mark.parametrize(
    "method",
    ["default", pytest.param("simhash", marks=_FULL), pytest.param("minhash", marks=_FULL)],
)
def test_odd_texts(tmp_path: Path, method: str) -> None:
    text = "".join(make_texts(40, 3)[:6])
    long = text * (1 + 10_000_000 // len(text.encode()))
    mixed = "mixed 中文 и русский. عربي。日本語テキスト。한국어。" * 3
    odd = ["字", "x", "。", "没有句号的文本" * 9, mixed, long, " \n", "𠀀" * 60, "\x00" * 9]
    assert len(long.encode()) > 10_000_000
    store(tmp_path, [*odd, *odd])
    report = find_near(tmp_path, method, least_chars=0)
    assert report.texts == 2 * len(odd)
    wanted = expected(tmp_path, [*odd, *odd], method)
    assert firsts_of(tmp_path, method) == wanted
    assert len(wanted) == 2 * len(odd)


def test_errors(tmp_path: Path) -> None:
    store(tmp_path, ["字。"])
    with pytest.raises(InputError, match="three-codes"):
        find_near(tmp_path, "none")
    with pytest.raises(StoreError):
        find_near(tmp_path, extraction="quark")
    near = tmp_path / "analysis" / "near"
    near.mkdir(parents=True)
    with CorpusLock(near), pytest.raises(CorpusLockedError):
        find_near(tmp_path, least_chars=0)


@pytest.mark.full
def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "".join(make_texts(40, 3)[:6])
    store(tmp_path, [text, text + "多"])
    assert main(["corpus", "near", str(tmp_path)]) == 0
    assert json.loads(capsys.readouterr().out)["groups"] == 1
    assert main(["corpus", "near", str(tmp_path), "--groups"]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert [row["is_kept"] for row in json.loads(line)] == [True, False]
    assert main(["corpus", "near", str(tmp_path), "--method", "none"]) == 2


def test_brackets_in_the_path_of_a_corpus(tmp_path: Path) -> None:
    root = tmp_path / "crawl [2006]*"
    store(root, ["字" * 50, "字" * 50])
    assert find_near(root).groups == 1
    assert len(next(near_groups(root))) == 2
