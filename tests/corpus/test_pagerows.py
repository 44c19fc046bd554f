"""Rows of the table of pages, bucket by bucket."""

import threading
import weakref

import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds

from quarkcrawl.corpus import pagerows

N_ROWS, N_TIMES = 20_000, 20


class Pages:
    """What `PageRows` takes from a corpus: every tenth page is there twice."""

    def table(self, kind):
        numbers = [n for n in range(N_ROWS) if n % 10] + list(range(0, N_ROWS, 10)) * 2
        rows = {
            "url": [f"http://a.cn/{n}" for n in numbers],
            "host": ["a.cn"] * len(numbers),
            "offset": list(range(len(numbers))),
            "bucket": pa.array([7] * len(numbers), pa.int32()),
        }
        return ds.dataset(pa.table(rows))


def test_threads_of_arrow_hold_no_memory_of_python(monkeypatch):
    """Where one lets go of it last while the interpreter ends, the process aborts."""
    owners = set()
    arange = np.arange

    def watched(*words):
        array = arange(*words)
        weakref.finalize(array, lambda: owners.add(threading.get_ident()))
        return array

    monkeypatch.setattr(np, "arange", watched)
    rows = pagerows.PageRows(Pages())
    for _ in range(N_TIMES):
        table = rows.of_bucket(7, ["url", "host", "offset"])
    assert len(table) == N_ROWS
    assert table["offset"].to_pylist()[-1] == N_ROWS + N_ROWS // 10 - 1
    assert owners == {threading.get_ident()}
