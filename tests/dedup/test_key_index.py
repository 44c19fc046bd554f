"""The compact index of many keys."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from quarkcrawl.dedup.keyindex import KeyIndex
from quarkcrawl.errors import InputError, StoreError


def _keys(n_texts: int, n_keys: int, seed: int = 1) -> np.ndarray:
    """Random keys, some shared by several texts."""
    rng = np.random.default_rng(seed)
    keys = rng.integers(0, 1 << 63, (n_texts, n_keys), dtype=np.uint64) * np.uint64(2)
    keys[::5] = keys[rng.integers(0, n_texts, len(keys[::5]))]
    return keys


def _naive(keys: np.ndarray, wanted: np.ndarray) -> list[int]:
    return [n for n, row in enumerate(keys.tolist()) if set(row) & set(wanted.tolist())]


@pytest.mark.full
@pytest.mark.parametrize("n_texts", [1, 7, 3000])
def test_finds_what_a_scan_finds(n_texts: int, tmp_path: Path) -> None:
    keys = _keys(n_texts, 4)
    chunks = [keys[: n_texts // 2], keys[n_texts // 2 :]]
    memory = KeyIndex.build(lambda: chunks)
    on_disk = KeyIndex.build(lambda: chunks, tmp_path / "index")
    opened = KeyIndex.open(tmp_path / "index")
    absent = _keys(5, 4, seed=2) | np.uint64(1)
    for index in (memory, on_disk, opened):
        assert len(index) == keys.size
        assert index.n_bytes >= 8 * keys.size
        for row in [*keys[:: max(n_texts // 50, 1)], *absent]:
            assert index.find(row).tolist() == _naive(keys, row)


def test_a_key_of_very_many_texts() -> None:
    keys = np.full((2000, 1), 77 << 40, np.uint64)
    assert len(KeyIndex.build(lambda: [keys]).find(keys[0])) == 2000


def test_an_empty_index(tmp_path: Path) -> None:
    KeyIndex.build(list, tmp_path)
    assert KeyIndex.open(tmp_path).find(np.array([5], np.uint64)).tolist() == []


def test_keys_that_change_between_passes() -> None:
    passes: Iterator[list[np.ndarray]] = iter([[_keys(9, 2)], [_keys(9, 2)], [_keys(8, 2)]])
    with pytest.raises(InputError):
        KeyIndex.build(lambda: next(passes))


def test_folders_without_an_index(tmp_path: Path) -> None:
    with pytest.raises(StoreError):
        KeyIndex.open(tmp_path / "none")
    KeyIndex.build(lambda: [_keys(9, 2)], tmp_path)
    (tmp_path / "index.json").write_text('{"format": 9}')
    with pytest.raises(StoreError, match="format 9"):
        KeyIndex.open(tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError):
        KeyIndex.build(lambda: [_keys(9, 2)], tmp_path / "file")


def test_other_keys_in_any_bucket_are_noticed() -> None:
    keys = _keys(500, 2)
    other = keys.copy()
    other[250, 1] ^= np.uint64(1 << 40)
    for late in ([keys, keys, other], [keys, other, keys], [keys, keys, np.vstack([keys, keys])]):
        passes = iter([[rows] for rows in late])
        with pytest.raises(InputError, match="changed"):
            KeyIndex.build(lambda passes=passes: next(passes))
