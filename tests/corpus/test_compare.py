"""Two runs beside each other, against what plain dictionaries say."""

from __future__ import annotations

import pyarrow.dataset as ds
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quarkcrawl.corpus import CHANGES, compare_runs
from quarkcrawl.engines import DuckEngine
from quarkcrawl.errors import StoreError
from quarkcrawl.store import CorpusWriter, DropRow
from tests.profiles import examples
from tests.store.samples import make_item

HOSTS = ("a.cn", "b.cn", "c.cn")


def written(root, pages, drops):
    """A run: URL → body, and URL → reason."""
    with CorpusWriter(root) as writer:
        for number, (url, body) in enumerate(pages.items(), 1):
            host = url.split("/")[2]
            writer.append_page(make_item(number, host=host, url=url, body=body.encode()))
        for url, reason in drops.items():
            writer.append_row(DropRow(url, url.split("/")[2], reason, "", 1, 5.0))
    return root


def compared(first, second, out):
    with DuckEngine(memory_bytes=256 << 20, threads=1) as engine:
        return compare_runs(engine, first, second, out)


urls = st.builds("http://{}/{}".format, st.sampled_from(HOSTS), st.integers(0, 9))
runs = st.tuples(
    st.dictionaries(urls, st.sampled_from(["<p>eins", "<p>zwei", "<p>drei und mehr"]), max_size=12),
    st.dictionaries(urls, st.sampled_from(["http_404", "timeout"]), max_size=6),
)


@pytest.mark.full
@settings(max_examples=examples(15), deadline=None)
@given(runs, runs)
def test_what_came_went_and_changed_against_dictionaries(tmp_path_factory, first, second):
    folder = tmp_path_factory.mktemp("runs")
    roots = [written(folder / name, *run) for name, run in (("one", first), ("two", second))]
    found = compared(*roots, folder / "out")
    (a, lost_a), (b, lost_b) = first, second
    expected = {
        url: "went" if url not in b else "same" if a[url] == b[url] else "changed" for url in a
    }
    expected |= {url: "came" for url in b if url not in a}
    rows = ds.dataset(str(folder / "out" / "changes")).to_table().to_pylist()
    assert {row["url"]: row["change"] for row in rows} == expected
    assert len(rows) == len(expected)
    assert rows == sorted(rows, key=lambda row: (row["host"], row["url"]))
    for row in rows:
        other = lost_a if row["change"] == "came" else lost_b
        wanted = other.get(row["url"], "not_met") if row["change"] in {"came", "went"} else None
        assert row["elsewhere"] == wanted
        assert (row["first_bytes"] is None) == (row["url"] not in a)
    values = list(expected.values())
    assert found.changes == {change: values.count(change) for change in CHANGES}
    assert found.pages == (len(a), len(b))
    sums = [sum(row[name] or 0 for row in rows) for name in ("first_bytes", "second_bytes")]
    assert list(found.body_bytes) == sums
    for one in found.hosts:
        mine = [change for url, change in expected.items() if url.split("/")[2] == one["host"]]
        for change in ("came", "went", "changed"):
            assert one[change] == mine.count(change)
        assert one["first"] == sum(url.split("/")[2] == one["host"] for url in a)
    reasons = {row["reason"]: (row["first"], row["second"]) for row in found.reasons}
    for reason in {*lost_a.values(), *lost_b.values()}:
        assert reasons[reason] == tuple(
            list(lost.values()).count(reason) for lost in (lost_a, lost_b)
        )
    for change in ("came", "went"):
        assert sum(found.elsewhere[change].values()) == found.changes[change]


def test_a_run_against_itself_and_against_nothing(tmp_path):
    one = written(tmp_path / "one", {f"http://a.cn/{n}": f"<p>{n}" for n in range(9)}, {})
    none = written(tmp_path / "none", {}, {})
    before = sorted(path for path in one.rglob("*") if path.is_file())
    assert compared(one, one, tmp_path / "x").changes == {
        "came": 0,
        "went": 0,
        "changed": 0,
        "same": 9,
    }
    assert compared(one, none, tmp_path / "y").changes["went"] == 9
    assert compared(none, one, tmp_path / "z").changes["came"] == 9
    assert sorted(path for path in one.rglob("*") if path.is_file()) == before
    with pytest.raises(StoreError):
        compared(one, tmp_path, tmp_path / "w")
