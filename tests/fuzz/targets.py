"""One function a reader of hostile bytes: it returns if all is well and raises if not.

The first byte of the input often chooses a variant, so that coverage guides that choice as well.
"""

from __future__ import annotations

import codecs
import copy
import json
import os
import re
import tempfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from quarkcrawl.corpus.warc.captures import PageCapture, prepare, read_capture
from quarkcrawl.corpus.warc.replies import entity_body, stored_reply
from quarkcrawl.errors import InputError
from quarkcrawl.lab.evaluate.sewm2008.runfile import read_content_run, read_topic_run
from quarkcrawl.page import Page, canonicalize, host_key
from quarkcrawl.page.text.charset import decide
from quarkcrawl.store import (
    LocatedRecord,
    StoragePath,
    TianwangRecord,
    decode_record,
    encode_record,
    read_at,
    read_records,
    split_reply,
)
from quarkcrawl.store.tianwang.compress import deflate, gzip_member
from quarkcrawl.store.warc.reader import WarcFound, read_warc, read_warc_at
from quarkcrawl.template.model.templatefile import (
    read_templates,
    templates_from_json,
    templates_to_json,
)
from quarkcrawl.template.train import train
from tests.page.test_spans import check_spans
from tests.page.tree.test_tree import check_structure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

TYPES = [None, "text/html; charset=gb2312", "text/html; charset=utf-8", "charset=big5",
         "charset=hz-gb-2312", "charset=latin-1", "charset=utf-16", "charset=\x00;"]  # fmt: skip
ENCODINGS = ["utf-8", "gb18030", "big5", "latin-1", "utf-16", "hz", "no-such"]
BASES = [None, "http://a.cn/x/y?z=1", "https://中文.cn:8443/", "", "javascript:1"]
LIMIT = 1 << 20
_FILE = Path(tempfile.gettempdir()) / f"quarkcrawl-fuzz-{os.getpid()}"


def _variant(data: bytes, n: int) -> tuple[int, bytes]:
    return (data[0] % n if data else 0), data[1:]


def _file(data: bytes, suffix: str = "") -> Path:
    path = _FILE.with_name(_FILE.name + suffix)
    path.write_bytes(data)
    return path


def charset(data: bytes) -> None:
    """Any bytes under any declaration become text that UTF-8 can hold, the same each time."""
    variant, body = _variant(data, len(TYPES))
    found = decide(body, TYPES[variant])
    assert codecs.lookup(found.codec)
    assert found.encoding == found.encoding.lower()
    assert found.n_replaced <= len(body)
    found.text.encode()
    assert decide(body, TYPES[variant]) == found


def tree(data: bytes) -> None:
    """Every tree is well-formed, every link canonical."""
    page = Page.from_bytes(data[:6000], "http://a.cn/b/c.html")
    check_structure(page.tree)
    assert page.tree.depth.max() <= 512
    assert page.tree.text_chars[0] == page.tree.own_chars.sum()
    page.title.encode()
    for link in page.links:
        assert canonicalize(link.url) == link.url
        link.text.encode()
    for node in range(len(page.tree)):
        page.tree.attrs(node)


def spans(data: bytes) -> None:
    """A located run stands where its span says, in text and in bytes."""
    variant, body = _variant(data[:6000], len(TYPES))
    check_spans(Page.from_bytes(body, "", TYPES[variant]))


def urls(data: bytes) -> None:
    """Canonical URLs are ASCII, stay as they are, and have a host."""
    variant, rest = _variant(data, len(BASES) * len(ENCODINGS))
    base, encoding = BASES[variant % len(BASES)], ENCODINGS[variant // len(BASES)]
    text = (
        rest.decode("utf-8", "surrogatepass" if variant % 2 else "replace")
        if _is_text(rest, "surrogatepass" if variant % 2 else "replace")
        else rest.decode("latin-1")
    )
    for url, under in ((text, base), (BASES[1], text)):
        canonical = canonicalize(url, under, encoding=encoding)
        if canonical is None:
            continue
        assert canonical.isascii()
        assert canonicalize(canonical) == canonical
        assert re.match(r"https?://[^/?#@]+/[^#\s]*$", canonical)
        assert host_key(canonical) == urlsplit(canonical).netloc != ""


def _is_text(data: bytes, errors: str) -> bool:
    try:
        data.decode("utf-8", errors)
    except UnicodeDecodeError:
        return False
    return True


def tianwang(data: bytes) -> None:
    """A file is accounted for byte by byte; what is found can be read again and written again."""
    variant, rest = _variant(data, 3)
    if variant == 1:  # past the header: hostile content
        rest = encode_record(TianwangRecord("http://a.cn/", 0, "", rest[:-1])) + rest
    elif variant == 2:  # past the compression: a promise that need not hold
        stored = deflate(rest)
        head = f"version: 1.0\nurl: u\nunzip-length: {len(rest)}\nlength: {len(stored)}\n\n"
        rest = head.encode() + stored + rest[:40]
    path, at, has_true_length = _file(rest), 0, True
    for item in read_records(path, max_inflated_bytes=LIMIT):
        if isinstance(item, LocatedRecord):
            assert item.offset == at
            if has_true_length:
                again = read_at(path, at, item.length, max_inflated_bytes=LIMIT)
                assert again == item.record
            _write_again(item.record)
            split_reply(item.record.data)
        has_true_length = isinstance(item, LocatedRecord) or item.kind != "bad length"
        at = item.offset + item.length
    assert at == len(rest)


def _write_again(record: TianwangRecord) -> None:
    try:
        data = encode_record(record)
    except InputError:
        return
    assert decode_record(data) == record


def warc(data: bytes) -> None:
    """A file is accounted for; every record of it is a capture, or none, or has a reason."""
    variant, rest = _variant(data, 3)
    if variant == 1:
        rest = gzip_member(rest)
    elif variant == 2:
        rest = gzip_member(rest[: len(rest) // 2]) + gzip_member(rest[len(rest) // 2 :])
    at, path = 0, _file(rest)
    opened = StoragePath(str(path)).open()
    try:
        for item in read_warc(path, max_bytes=LIMIT):
            assert at <= item.offset + item.length <= len(rest)
            at = item.offset + item.length
            again = read_warc_at(opened, item.offset, item.length, max_bytes=LIMIT)
            assert (again.offset, again.length) == (item.offset, item.length)
            if isinstance(item, WarcFound):
                _capture(item)
    except InputError as error:
        assert "compressed with" in error.message
        return
    finally:
        opened.close()
    assert at == len(rest)


def _capture(item: WarcFound) -> None:
    capture = read_capture(item, ("text/html",), LIMIT)
    if capture is None:
        return
    host_key(capture.url)
    if isinstance(capture, PageCapture):
        assert prepare(capture).row.fetched == capture.fetched
        _write_again(capture.record)


def replies(data: bytes) -> None:
    """Encodings of an archived reply are removed under a bound, or marked."""
    reply = split_reply(data)
    body = entity_body(reply, 1000)
    assert len(body.data) <= 1000
    assert split_reply(stored_reply(reply, body.data)).body == body.data


def templates(data: bytes) -> None:
    """A template file is read whole or refused; what is read can be written again.

    An input that begins with a zero byte is a list of edits to a sound file: which value, by what.
    """
    path = _file(_edited(data[1:]) if data[:1] == b"\0" else data, ".json")
    try:
        found = read_templates(path)
    except InputError:
        return
    again = json.loads(json.dumps(templates_to_json(found)))
    assert templates_from_json(again) == found


VALUES = [None, True, -1, 0, 10**400, 1e308, float("inf"), float("nan"), "", "p/1+", "x/99999999999",
          "\ud800", "0:-1", [], [[]], {}, {"": 0}, "中/0", [None], 1.5, "/", "p/"]  # fmt: skip


@cache
def template_text() -> str:
    return json.dumps(_template_set())


def _edited(data: bytes) -> bytes:
    """The sound template file with some values replaced or taken away."""
    root = json.loads(template_text())
    for place, value in zip(data[:8:2], data[1:8:2], strict=False):
        holders = [(holder, key) for holder in _holders(root) for key in _keys(holder)]
        holder, key = holders[place % len(holders)]
        if value < len(VALUES):
            holder[key] = copy.deepcopy(VALUES[value])
        elif value < 2 * len(VALUES):
            del holder[key]
        elif isinstance(holder, dict):
            holder[str(VALUES[value % len(VALUES)])] = holder.pop(key)
    return json.dumps(root).encode()


def _holders(value: Any) -> Iterator[Any]:
    if isinstance(value, dict | list):
        yield value
        for one in value.values() if isinstance(value, dict) else value:
            yield from _holders(one)


def _keys(holder: Any) -> list[Any]:
    return list(holder) if isinstance(holder, dict) else list(range(len(holder)))


def _template_set() -> Any:
    page = "<html><body><div><h1>标题{0}</h1><p>正文{0}。</p>{1}<ul><li>甲</ul></div></body></html>"
    texts = [page.format(n, "<p>又一段</p>" * (n % 3)) for n in range(12)]
    pages = [Page.from_html(text, f"http://a.cn/{n}") for n, text in enumerate(texts)]
    return templates_to_json(train(pages).templates)


def runfiles(data: bytes) -> None:
    """A run file is read or refused with the line that is wrong."""
    variant, rest = _variant(data, 3)
    path = _file(gzip_member(rest) if variant == 2 else rest, ".txt.gz" if variant else ".txt")
    readers: list[Callable[[], object]] = [
        lambda: read_topic_run(path, str.isascii),
        lambda: read_content_run(path, lambda number: 100 if number.isascii() else None),
    ]
    for read in readers:
        try:
            read()
        except InputError as error:
            assert error.where is not None


TARGETS: dict[str, Callable[[bytes], None]] = {
    target.__name__: target
    for target in (charset, tree, spans, urls, tianwang, warc, replies, templates, runfiles)
}
