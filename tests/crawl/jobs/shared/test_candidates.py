"""Requests as URLs of the frontier: the same for who does them again, told apart as by Scrapy."""

import contextlib
from collections import Counter
from types import SimpleNamespace

import pytest
import scrapy
from hypothesis import given
from hypothesis import strategies as st
from scrapy.utils.request import RequestFingerprinter, fingerprint

from quarkcrawl.crawl.jobs.requests import StoredRequestError
from quarkcrawl.crawl.jobs.shared.candidates import (
    RequestCandidates,
    host_of,
    level_of,
    without_slot_of,
)
from quarkcrawl.frontier import Candidate
from tests.crawl.jobs.stored import Books

SPIDER = Books()
USUAL = RequestCandidates(SimpleNamespace(request_fingerprinter=RequestFingerprinter()), SPIDER)


class ByHeader:
    """Fingerprints of a project's own."""

    def fingerprint(self, request):
        return fingerprint(request, include_headers=["X-Page"])


OWN = RequestCandidates(SimpleNamespace(request_fingerprinter=ByHeader()), SPIDER)
urls = st.builds(
    "http://a.example{}{}{}".format,
    st.sampled_from(["/", "/b", "/%E4%B9%99"]),
    st.sampled_from(["", "?x=1&y=2", "?y=2&x=1", "?x="]),
    st.sampled_from(["", "#top"]),
)
requests = st.builds(
    scrapy.Request,
    urls,
    method=st.sampled_from(["GET", "POST"]),
    body=st.sampled_from([b"", b"a"]),
    headers=st.sampled_from([{}, {"X-Page": "1"}, {"X-Page": "2"}]),
    callback=st.sampled_from([None, SPIDER.parse_book]),
    priority=st.integers(-5, 5),
)


def candidate(codec, request, origin="o", given_before=None):
    return codec.candidate(request, origin, given_before if given_before is not None else Counter())


class TestKnownAs:
    @pytest.mark.parametrize("codec", [USUAL, OWN], ids=["usual", "own"])
    @given(one=requests, other=requests)
    def test_two_are_one_where_scrapy_says_so(self, codec, one, other):
        same = codec._fingerprint(one) == codec._fingerprint(other)
        assert (candidate(codec, one).url == candidate(codec, other).url) == same

    @pytest.mark.parametrize("codec", [USUAL, OWN], ids=["usual", "own"])
    @given(request=requests)
    def test_it_comes_back_as_it_was(self, codec, request):
        again = codec.request(candidate(codec, request))
        for name in request.attributes:
            assert getattr(again, name) == getattr(request, name), name

    @given(request=requests)
    def test_unfiltered_ones_are_told_apart_by_where_they_come_from(self, request):
        request.dont_filter = True
        counts = Counter()
        found = [candidate(USUAL, request, "o", counts).url for _ in range(3)]
        again = Counter()
        assert [candidate(USUAL, request, "o", again).url for _ in range(3)] == found
        assert len({*found, candidate(USUAL, request, "p").url}) == 4

    def test_a_plain_link_costs_its_callback_only(self):
        link = scrapy.Request("http://a.example/b", callback=SPIDER.parse_book, meta={"depth": 1})
        assert candidate(USUAL, link) == Candidate(
            "http://a.example/b", "a.example", 1, '{"callback":"parse_book","meta":{"depth":1}}'
        )
        assert candidate(USUAL, scrapy.Request("http://a.example/b")).origin is None


class TestLevels:
    def test_the_highest_priority_has_the_lowest_level(self):
        assert [level_of(n) for n in (5, 0, -5)] == [-4, 1, 6]
        assert level_of(10**9) == level_of(1000) < level_of(999)


class TestHosts:
    def test_the_slot_of_a_request_or_its_host_and_port(self):
        assert host_of(scrapy.Request("http://a.example:8000/")) == "a.example:8000"
        slot = scrapy.Request("http://a.example/", meta={"download_slot": "group"})
        assert host_of(slot) == "group"
        noted = scrapy.Request("http://a.example:8000/", meta={"download_slot": "a.example"})
        assert host_of(noted) == "a.example:8000"

    def test_the_slot_that_scrapy_noted_is_not_copied(self):
        source = scrapy.Request("http://a.example/", meta={"download_slot": "a.example"})
        child = scrapy.Request("http://b.example/", meta=dict(source.meta))
        without_slot_of(child, source)
        assert host_of(child) == "b.example"
        group = scrapy.Request("http://b.example/", meta={"download_slot": "group"})
        without_slot_of(group, source)
        assert host_of(group) == "group"


class TestRows:
    @pytest.mark.parametrize(
        ("url", "host", "payload"),
        [
            ("http://a.example/", "b.example", None),
            ("http://a.example/", "a.example", '{"url":"http://b.example/"}'),
            ("http://a.example/", "a.example", '{"meta":{"download_slot":"c"}}'),
            ("http://a.example/", "a.example", '{"url":"http://b.example/","url":"file:///x"}'),
            ("file:///etc/passwd", "", None),
            ("http://a.example/", "a.example", '{"callback":"__init__"}'),
            ("http://a.example/", "a.example", "{"),
            ("http://a.example/", "a.example", '{}{"url":"file:///x"}'),
        ],
    )
    def test_hostile_ones_are_refused(self, url, host, payload):
        with pytest.raises(StoredRequestError):
            USUAL.request(Candidate(url, host, 1, payload))

    @given(payload=st.text(max_size=30), tail=st.text(max_size=10))
    def test_none_does_anything_else(self, payload, tail):
        one = Candidate("http://a.example/", "a.example", 1, "{" + payload + tail)
        with contextlib.suppress(StoredRequestError):
            assert host_of(USUAL.request(one)) == "a.example"

    def test_a_list_of_urls_has_none(self):
        assert USUAL.request(Candidate("http://a.example/", "a.example", 1)).callback is None


class TestEntries:
    def test_urls_and_requests(self):
        assert USUAL.of_entry(b" http://a.example/b ").url == "http://a.example/b"
        assert USUAL.of_entry(b"a.example").host == "a.example"
        entry = (
            b'{"url":"http://a.example/","priority":7,"cb_kwargs":{"n":1},"callback":"parse_later"}'
        )
        found = USUAL.of_entry(entry)
        assert found.level == -6
        assert USUAL.request(found).cb_kwargs == {"n": 1}

    def test_an_unfiltered_entry_is_taken_once(self):
        entry = b'{"url":"http://a.example/","dont_filter":true,"meta":{"day":1}}'
        other = entry.replace(b"1", b"2")
        assert USUAL.of_entry(entry) == USUAL.of_entry(entry)
        assert USUAL.of_entry(entry).url != USUAL.of_entry(other).url

    @pytest.mark.parametrize(
        "entry",
        [b"", b"\x80\x04\x95", b"{", b'{"url":5}', b'{"url":"file:///etc/passwd"}', b"[]",
         b'{"url":"http://a.example/","callback":"start"}', b"x" * 70_000],
    )  # fmt: skip
    def test_what_is_none_is_refused(self, entry):
        assert USUAL.of_entry(entry) is None
