"""The guard around numba's cache."""

import subprocess
import sys

import numba
import numpy as np
import pytest
from numba import njit

from quarkcrawl import kernels


def test_without_a_folder_for_the_cache_kernels_are_compiled_all_the_same(monkeypatch):
    def no_folder(*functions, **options):
        if options.get("cache"):
            raise RuntimeError("cannot cache function: no locator available")
        return njit(*functions, **options)

    monkeypatch.setattr(numba, "njit", no_folder)

    def twice(values):
        return values * 2

    assert kernels.compiled(twice)(np.arange(3)).tolist() == [0, 2, 4]


@pytest.mark.full
def test_code_without_a_file_can_be_compiled():
    """Numba finds no place for the cache of functions that come from no file."""
    code = "from quarkcrawl.kernels import compiled\nf = compiled(lambda x: x + 1)\nprint(f(1))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "2"
