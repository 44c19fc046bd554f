"""Content encodings: round trips, damage, and bombs under a bound."""

import gzip
import random
import sys
import tracemalloc
import zlib

import brotli
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarkcrawl.crawl.inflate import inflate

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

ENCODERS = {
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": brotli.compress,
    "zstd": zstd.compress,
}


@given(st.binary(max_size=5000), st.sampled_from(sorted(ENCODERS)))
def test_what_was_encoded_comes_back(body, name):
    result = inflate(ENCODERS[name](body), name, max_bytes=10_000)
    assert result == (body, True, False)


@given(st.binary(min_size=1, max_size=2000))
def test_raw_deflate_and_two_encodings_and_several_members(body):
    raw = zlib.compressobj(wbits=-15)
    assert inflate(raw.compress(body) + raw.flush(), "deflate", max_bytes=9999).data == body
    both = brotli.compress(gzip.compress(body))
    assert inflate(both, "gzip, br", max_bytes=9999).data == body
    members = gzip.compress(body[:7]) + gzip.compress(body[7:])
    assert inflate(members, "gzip", max_bytes=9999).data == body


@given(st.binary(max_size=300), st.sampled_from(sorted(ENCODERS)))
def test_garbage_never_raises(body, name):
    result = inflate(body, name, max_bytes=1000)
    assert result is None or len(result.data) <= 1000


@pytest.mark.parametrize("name", sorted(ENCODERS))
def test_a_cut_stream_keeps_what_precedes_the_cut(name):
    noisy = random.Random(7).randbytes(360_000)
    result = inflate(ENCODERS[name](noisy)[:-50_000], name, max_bytes=10**7)
    assert result is not None
    assert not result.complete
    assert noisy.startswith(result.data)
    assert len(result.data) > 65536


@pytest.mark.parametrize("name", sorted(ENCODERS))
def test_a_bomb_costs_no_more_than_the_bound(name):
    bomb = ENCODERS[name](b"\0" * 200_000_000)
    tracemalloc.start()
    result = inflate(bomb, name, max_bytes=1_000_000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert result == (b"\0" * 1_000_000, True, True)
    assert peak < 20_000_000


def test_an_unknown_encoding_is_left_alone():
    assert inflate(b"abc", "sdch", max_bytes=10) is None
    assert inflate(b"abc", "identity", max_bytes=10) == (b"abc", True, False)
