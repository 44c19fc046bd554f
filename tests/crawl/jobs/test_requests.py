"""Requests as JSON: what goes in comes out, and what is hostile stays out."""

import dataclasses
import datetime as dt
import math
import os
import subprocess
import sys
from collections import Counter, OrderedDict
from decimal import Decimal
from enum import IntEnum
from pathlib import Path
from uuid import UUID
from zoneinfo import ZoneInfo

import attrs
import orjson
import pytest
import scrapy
from hypothesis import given
from hypothesis import strategies as st
from scrapy.http import FormRequest, Headers, JsonRequest, XmlRpcRequest
from scrapy.http.request import NO_CALLBACK

from quarkcrawl.crawl.jobs.requests import NotStorableError, RequestCodec, StoredRequestError
from tests.crawl.jobs.stored import (
    Author,
    Bolder,
    Book,
    Books,
    Color,
    Draft,
    Shelf,
    SlowRequest,
)

URL = "http://a.example/b"
SPIDER = Books()
TRUSTED = RequestCodec(SPIDER, trusted=True)
OPEN = RequestCodec(SPIDER, trusted=False)
both = pytest.mark.parametrize("codec", [TRUSTED, OPEN], ids=["trusted", "open"])


def said(request):
    """All that a request says, to compare two of them."""
    return {
        name: dict(request.headers) if name == "headers" else getattr(request, name)
        for name in request.attributes
    } | {"class": type(request)}


def same(value, other):
    """Equal, and of the same types all the way down."""
    if type(value) is not type(other):
        return False
    if isinstance(value, dict):
        return same([*value], [*other]) and same([*value.values()], [*other.values()])
    if isinstance(value, scrapy.Item):
        return value.keys() == other.keys() and all(same(value[key], other[key]) for key in value)
    if isinstance(value, Author | Draft | Shelf):
        fields = attrs.fields if isinstance(value, Shelf) else dataclasses.fields
        names = [field.name for field in fields(type(value))]
        return all(same(getattr(value, name), getattr(other, name)) for name in names)
    if isinstance(value, list | tuple):
        return len(value) == len(other) and all(map(same, value, other))
    if isinstance(value, float) and math.isnan(value):
        return math.isnan(other)
    if isinstance(value, dt.datetime):
        return (value, value.fold, str(value.tzinfo)) == (other, other.fold, str(other.tzinfo))
    if isinstance(value, scrapy.Request):
        return same(said(value), said(other))
    return value == other


texts = st.text(st.characters(codec=None), max_size=8)
keys = st.one_of(
    texts,
    st.integers(),
    st.binary(max_size=4),
    st.booleans(),
    st.none(),
    st.just("!bytes"),
    st.tuples(st.integers(), texts),
    st.dates(),
)
scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    texts,
    st.binary(max_size=8),
    st.dates(),
    st.datetimes(),
    st.datetimes(timezones=st.timezones()),
    st.times(),
    st.datetimes(timezones=st.sampled_from([dt.UTC, dt.timezone(dt.timedelta(minutes=-90))])),
    st.timedeltas(),
    st.decimals(allow_nan=False),
    st.uuids(),
    st.sampled_from(Color),
    st.builds(Author, texts, st.none() | st.integers()),
    st.frozensets(st.integers() | texts, max_size=3),
    st.sets(st.binary(max_size=2), max_size=3),
    st.binary(max_size=4).map(bytearray),
)
values = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.lists(inner, max_size=3).map(tuple),
        st.dictionaries(keys, inner, max_size=3),
        st.dictionaries(keys, inner, max_size=3).map(OrderedDict),
        st.builds(Shelf, texts, st.lists(inner, max_size=2)),
        st.builds(Draft, texts, st.lists(inner, max_size=2)),
        st.builds(lambda title, price: Book(title=title, price=price), inner, inner),
        st.dictionaries(texts, inner, max_size=2).map(lambda meta: scrapy.Request(URL, meta=meta)),
    ),
    max_leaves=12,
)
requests = st.builds(
    scrapy.Request,
    st.sampled_from([URL, "https://例子.测试/路?q=值#x", "data:,hello"]),
    callback=st.sampled_from([None, NO_CALLBACK, SPIDER.parse, SPIDER.parse_async, SPIDER.parse_book]),
    errback=st.sampled_from([None, SPIDER.failed]),
    method=st.sampled_from(["GET", "POST", "HEAD", "PROPFIND"]),
    headers=st.dictionaries(
        st.from_regex(r"[A-Za-z-]+", fullmatch=True),
        st.lists(st.binary(max_size=6), max_size=3),
        max_size=3,
    ),
    body=st.binary(max_size=20),
    cookies=st.dictionaries(texts, texts, max_size=2)
    | st.lists(st.fixed_dictionaries({"name": texts, "value": texts, "secure": st.booleans()}), max_size=2),
    meta=st.dictionaries(texts, values, max_size=3),
    encoding=st.sampled_from(["utf-8", "gb18030"]),
    priority=st.integers(),
    dont_filter=st.booleans(),
    flags=st.lists(texts, max_size=2),
    cb_kwargs=st.dictionaries(texts, values, max_size=3),
)  # fmt: skip


class TestRoundTrip:
    @both
    @given(request=requests)
    def test_every_attribute_comes_back(self, codec, request):
        again = codec.decode(codec.encode(request))
        assert same(said(again), said(request))
        assert type(again) is scrapy.Request

    @both
    @given(value=values)
    def test_every_value_comes_back_with_its_type(self, codec, value):
        again = codec.decode(codec.encode(scrapy.Request(URL, meta={"value": value})))
        assert same(again.meta["value"], value)

    @both
    @pytest.mark.parametrize(
        "request_",
        [
            FormRequest(URL, formdata={"a": "乙", "b": ["1", "2"]}),
            FormRequest(URL, method="GET", formdata={"a": "1"}),
            JsonRequest(URL, data={"a": [1, None]}),
            JsonRequest(URL, data={"b": 1}, dumps_kwargs={"sort_keys": False, "indent": 2}),
            JsonRequest(URL, method="PUT", dont_filter=True),
            XmlRpcRequest(URL, params=(1, "a"), methodname="f"),
            XmlRpcRequest(URL, body="<x/>", dont_filter=False),
            SlowRequest(URL, wait_s=2.5, callback=SPIDER.parse_book),
        ],
        ids=lambda request: type(request).__name__,
    )
    def test_kinds_of_requests(self, codec, request_):
        again = codec.decode(codec.encode(request_))
        assert same(said(again), said(request_))

    @both
    def test_callbacks_of_every_kind(self, codec):
        for method in (
            SPIDER.parse_static, SPIDER.parse_class, SPIDER.parse_async, SPIDER.hidden(),
            SPIDER._callback, SPIDER.parse, SPIDER._parse,
        ):  # fmt: skip
            assert (
                codec.decode(codec.encode(scrapy.Request(URL, callback=method))).callback == method
            )

    def test_attributes_at_their_default_are_left_out(self):
        assert TRUSTED.encode(scrapy.Request(URL)) == b'{"url":"http://a.example/b"}'
        assert orjson.loads(TRUSTED.encode(scrapy.Request(URL, callback=SPIDER.parse_book, meta={"depth": 2}))) == {
            "url": URL, "callback": "parse_book", "meta": {"depth": 2},
        }  # fmt: skip

    def test_a_request_is_not_changed(self):
        inner = scrapy.Request(URL, meta={"a": (1, b"2")})
        request = scrapy.Request(URL, meta={"inner": inner}, cb_kwargs={"s": {1}})
        before = said(request)
        TRUSTED.encode(request)
        assert same(said(request), before)
        assert request.meta["inner"] is inner

    def test_headers_of_a_response_in_meta(self):
        headers = Headers({"Set-Cookie": ["a=1", "b=\xff"]})
        again = OPEN.decode(OPEN.encode(scrapy.Request(URL, meta={"h": headers}))).meta["h"]
        assert type(again) is Headers
        assert again == headers

    def test_a_method_hung_on_the_spider(self):
        spider = Bolder()
        codec = RequestCodec(spider, trusted=True)
        request = scrapy.Request(URL, callback=spider.hung)
        assert codec.decode(codec.encode(request)).callback == spider.parse_later
        base = scrapy.Request(URL, callback=spider.of_base())
        with pytest.raises(NotStorableError):  # by its name the other one would be called
            codec.encode(base)

    def test_a_class_not_loaded_is_imported_for_a_file_of_our_own_only(self, tmp_path):
        row = b'{"url":"http://a.example/","class":"lonely_requests:Lonely","method":"GET","dont_filter":false}'
        (tmp_path / "lonely_requests.py").write_text(
            "import scrapy\nclass Lonely(scrapy.Request):\n    pass\n", encoding="utf-8"
        )
        code = f"""
import sys
from quarkcrawl.crawl.jobs.requests import RequestCodec, StoredRequestError
from tests.crawl.jobs.stored import Books
try:
    RequestCodec(Books(), trusted=False).decode({row!r})
except StoredRequestError as error:
    assert "lonely_requests" in str(error), error
else:
    raise SystemExit("an unknown class was taken")
assert "lonely_requests" not in sys.modules
assert type(RequestCodec(Books(), trusted=True).decode({row!r})).__name__ == "Lonely"
"""
        path = os.pathsep.join([str(Path.cwd()), str(tmp_path)])
        done = subprocess.run(
            [sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": path},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr


class Size(IntEnum):
    S = 1


class Local:
    """Nothing that a row could hold."""


@dataclasses.dataclass
class Tagged:
    name: str


def _itself():
    knot = []
    knot.append(knot)
    return knot


def _deep():
    deep = []
    for _ in range(400):
        deep = [deep]
    return deep


def _with_more():
    tagged = Tagged("a")
    tagged.more = 1
    return tagged


class TestNotStorable:
    @both
    @pytest.mark.parametrize(
        ("arguments", "attribute"),
        [
            ({"callback": lambda response: None}, "callback"),
            ({"errback": lambda failure: None}, "errback"),
            ({"callback": Books().parse_book}, "callback"),
            ({"callback": print}, "callback"),
            ({"meta": {"depth": 1, "loader": Local()}}, "meta['loader']"),
            ({"meta": {"a": {"b": [1], "c": Local()}}}, "meta['a']['c']"),
            ({"cb_kwargs": {"f": len}}, "cb_kwargs['f']"),
            ({"meta": {"response": scrapy.http.Response(URL)}}, "meta['response']"),
            ({"meta": {"knot": _itself()}}, "meta['knot']"),
            ({"meta": {"deep": _deep()}}, "meta"),
            ({"meta": {"more": _with_more()}}, "meta['more']"),
            ({"meta": {"size": Counter("a")}}, "meta['size']"),
            ({"meta": {"part": scrapy.Request(URL, callback=len)}}, "callback"),
            ({"flags": [Local()]}, "flags"),
            ({"cookies": {"a": Local()}}, "cookies['a']"),
            ({"priority": Size.S}, None),
        ],
    )
    def test_the_attribute_is_named(self, codec, arguments, attribute):
        request = scrapy.Request(URL, **arguments)
        if attribute is None:  # an IntEnum of the spider's own package is storable
            assert codec.decode(codec.encode(request)).priority == 1
            return
        with pytest.raises(NotStorableError) as caught:
            codec.encode(request)
        assert caught.value.attribute == attribute
        assert str(caught.value).startswith(attribute)

    def test_records_of_other_packages_only_in_files_of_our_own(self):
        from quarkcrawl.frontier import Ending

        request = scrapy.Request(URL, meta={"ending": Ending(1, "stored")})
        assert TRUSTED.decode(TRUSTED.encode(request)).meta == request.meta
        with pytest.raises(NotStorableError, match="of another package"):
            OPEN.encode(request)
        with pytest.raises(StoredRequestError):
            OPEN.decode(TRUSTED.encode(request))

    def test_what_is_refused_when_read_is_refused_when_written(self):
        request = scrapy.Request(URL, callback=SPIDER.closed)
        assert TRUSTED.decode(TRUSTED.encode(request)).callback == SPIDER.closed
        with pytest.raises(NotStorableError):
            OPEN.encode(request)
        with pytest.raises(NotStorableError) as caught:
            OPEN.encode(scrapy.Request("file:///etc/passwd"))
        assert caught.value.attribute == "url"


def row(**attributes):
    return orjson.dumps({"url": URL, **attributes})


HOSTILE = {
    "nothing": b"",
    "no JSON": b"\x80\x04\x95",
    "pickle": b"\x80\x04\x8c\x05posix\x8c\x06system\x93\x8c\x02id\x85R.",
    "a list": b"[]",
    "no url": b"{}",
    "url is no text": b'{"url": 5}',
    "url without scheme": b'{"url": "x"}',
    "file": b'{"url": "file:///etc/passwd"}',
    "bucket": b'{"url": "s3://bucket/key"}',
    "too deep": b'{"url": "http://a/", "meta": {"a": ' + b"[" * 900 + b"]" * 900 + b"}}",
    "unknown attribute": row(self=1),
    "dunder callback": row(callback="__class__"),
    "callback of Spider": row(callback="from_crawler"),
    "start as callback": row(callback="start"),
    "closed as callback": row(callback="closed"),
    "method hung on": row(callback="hung"),
    "attribute as callback": row(callback="crawler"),
    "dotted callback": row(callback="crawler.stop"),
    "callback is no text": row(callback=["parse"]),
    "callback True": row(callback=True),
    "errback": row(errback="settings"),
    "class of os": row(**{"class": "os:system"}),
    "class that is no request": row(**{"class": "subprocess:Popen"}),
    "class by dunders": row(**{"class": "scrapy:__loader__"}),
    "class not loaded": row(**{"class": "antigravity:Request"}),
    "class is no text": row(**{"class": {}}),
    "item that is none": row(meta={"a": {"!item": ["subprocess:Popen", {}]}}),
    "field that is none": row(meta={"a": {"!item": ["tests.crawl.jobs.stored:Book", {"x": 1}]}}),
    "record of another package": row(meta={"a": {"!record": ["quarkcrawl.frontier.protocol:Ending", {}]}}),
    "record without fields": row(meta={"a": {"!record": ["scrapy.http.request:Request", {}]}}),
    "record with a dunder": row(meta={"a": {"!record": ["tests.crawl.jobs.stored:Author", {"__class__": 1}]}}),
    "enum of another package": row(meta={"a": {"!enum": ["http:HTTPStatus", 200]}}),
    "unknown tag": row(meta={"a": {"!object": "os:system"}}),
    "set of lists": row(meta={"a": {"!set": [[1]]}}),
    "set of a text": row(meta={"a": {"!set": "abc"}}),
    "bytes that are none": row(meta={"a": {"!bytes": "?"}}),
    "float that is a word": row(meta={"a": {"!float": "1.5"}}),
    "zone that is a path": row(meta={"a": {"!datetime": ["2026-01-01T00:00:00", 0, "../../etc/passwd"]}}),
    "time": row(meta={"a": {"!datetime": 5}}),
    "decimal": row(meta={"a": {"!decimal": "x"}}),
    "nested file": row(meta={"a": {"!request": {"url": "file:///etc/passwd"}}}),
    "nested callback": row(meta={"a": {"!request": {"url": URL, "callback": "start"}}}),
    "meta is a list": row(meta=[1]),
    "flags are a text": row(flags="abc"),
    "cookies are a number": row(cookies=5),
    "cb_kwargs": row(cb_kwargs="x"),
    "priority": row(priority="9"),
    "priority of half": row(priority=0.5),
    "dont_filter": row(dont_filter=1),
    "encoding": row(encoding="no-such", body="ä"),
    "encoding is no text": row(encoding=5),
    "headers": row(headers=[["a", "b"]]),
    "header": row(headers={"a": 5}),
    "header of another alphabet": row(headers={"a": "乙"}),
    "body": row(body=5),
    "body of half": row(body={"!bytes": 5}),
}  # fmt: skip


class TestHostileRows:
    @pytest.mark.parametrize("data", HOSTILE.values(), ids=HOSTILE)
    def test_a_hostile_row_is_refused_with_one_line(self, data):
        modules = set(sys.modules)
        with pytest.raises(StoredRequestError) as caught:
            OPEN.decode(data)
        assert str(caught.value).startswith("stored request refused: ")
        assert "\n" not in str(caught.value)
        assert "antigravity" not in set(sys.modules) - modules

    @given(data=st.binary(max_size=60))
    def test_no_bytes_do_anything_else(self, data):
        with pytest.raises(StoredRequestError):
            OPEN.decode(data)

    @given(
        value=st.recursive(
            st.none() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
            lambda inner: (
                st.lists(inner, max_size=3)
                | st.dictionaries(
                    st.sampled_from(
                        ["url", "meta", "class", "callback", "headers", *OPEN.values._untag]
                    ),
                    inner,
                    max_size=2,
                )
            ),
            max_leaves=10,
        )
    )  # fmt: skip
    def test_no_json_does_anything_else(self, value):
        try:
            request = OPEN.decode(row(meta={"value": value}))
        except StoredRequestError:
            return
        assert type(request) is scrapy.Request

    def test_uuid_and_the_like_are_values(self):
        meta = {
            "id": UUID(int=5), "at": dt.datetime(2026, 10, 25, 2, 30, fold=1, tzinfo=ZoneInfo("Europe/Berlin")),
            "price": Decimal("1.10"),
        }  # fmt: skip
        again = OPEN.decode(OPEN.encode(scrapy.Request(URL, meta=meta))).meta
        assert same(again, meta)


def test_values_of_subclasses_are_stored_plain() -> None:
    """Link extractors put text into ``meta`` that knows its element of lxml."""
    codec = RequestCodec(scrapy.Spider("s"), trusted=True)
    text = scrapy.Selector(text="<a>下一页</a>").root.xpath("//a/text()")[0]
    assert type(text) is not str
    request = codec.decode(codec.encode(scrapy.Request("http://a.cn/", meta={"link_text": text})))
    assert request.meta == {"link_text": "下一页"}
    assert type(request.meta["link_text"]) is str
