"""Content encodings: round trips, damage, and bombs under a bound."""

import gzip
import random
import sys
import time
import tracemalloc
import zlib

import brotli
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarkcrawl.crawl.http.inflate import inflate
from tests.cost import allowed_cpu_s

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


@pytest.mark.full
@pytest.mark.parametrize("name", sorted(ENCODERS))
def test_a_bomb_costs_no_more_than_the_bound(name):
    bomb = ENCODERS[name](b"\0" * 200_000_000)
    tracemalloc.start()
    result = inflate(bomb, name, max_bytes=1_000_000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert result == (b"\0" * 1_000_000, True, True)
    assert peak < 20_000_000


TEXT = "".join(f"<p>第{n}段" for n in range(2000)).encode()


@pytest.mark.parametrize("name", ["gzip", "deflate"])
def test_damage_in_a_small_page_keeps_what_precedes_it(name):
    """Whole pages are shorter than one piece."""
    packed = bytearray(ENCODERS[name](TEXT))
    assert len(packed) < 65536
    packed[len(packed) // 2 :] = random.Random(3).randbytes(len(packed) // 2)
    with pytest.raises(zlib.error):
        zlib.decompressobj(31 if name == "gzip" else 15).decompress(packed)
    result = inflate(bytes(packed), name, max_bytes=10**7)
    assert result is not None
    assert not result.complete
    assert len(TEXT) // 4 < len(result.data) < 2 * len(TEXT)
    assert result.data.startswith(TEXT[: len(TEXT) // 4])


@pytest.mark.parametrize("name", ["gzip", "zstd"])
def test_many_empty_members_cost_no_minute(name):
    """And what stands before them is kept."""
    body = ENCODERS[name](TEXT) + ENCODERS[name](b"") * 300_000
    start = time.process_time()
    result = inflate(body, name, max_bytes=10**7)
    assert time.process_time() - start < allowed_cpu_s(2)
    assert result == (TEXT, False, False)


def test_a_wrong_checksum_loses_no_text():
    damaged = gzip.compress(TEXT)[:-8] + bytes(8)
    assert inflate(damaged, "gzip", max_bytes=10**7) == (TEXT, False, False)


def test_what_follows_a_zstd_frame():
    """Another frame, also where a piece ends with the first; a line feed spoils nothing before."""
    frame = next(
        packed
        for size in range(65400, 65536)
        if len(packed := zstd.compress(random.Random(size).randbytes(size))) == 65536
    )
    joined = inflate(frame + zstd.compress(TEXT), "zstd", max_bytes=10**7)
    assert joined is not None
    assert joined.complete
    assert joined.data.endswith(TEXT)
    assert inflate(zstd.compress(TEXT) + b"\n", "zstd", max_bytes=10**7) == (TEXT, False, False)


@pytest.mark.parametrize("name", sorted(ENCODERS))
def test_a_page_that_was_never_encoded_is_left_alone(name):
    for body in (TEXT, b"<!DOCTYPE html>" + TEXT, b"\n\n" + TEXT, "天网".encode("gb18030")):
        assert inflate(body, name, max_bytes=10**7) is None


def test_an_unknown_encoding_is_left_alone():
    assert inflate(b"abc", "sdch", max_bytes=10) is None
    assert inflate(b"abc", "identity", max_bytes=10) == (b"abc", True, False)
