"""What an export writes besides the replies: indexes in CDXJ form, request records."""

from __future__ import annotations

import io
import json
from collections import Counter
from pathlib import Path

import pytest
from fastwarc.warc import ArchiveIterator
from warcio.archiveiterator import ArchiveIterator as WarcioIterator

from quarkcrawl.cli import main
from quarkcrawl.corpus import export_warc, import_warc
from quarkcrawl.store import Corpus
from quarkcrawl.store.warc.cdxj import url_key
from tests.store.warc_samples import ODD_RECORDS, build_corpus


@pytest.fixture(scope="module")
def places(tmp_path_factory) -> Path:
    root = tmp_path_factory.mktemp("index")
    build_corpus(root / "corpus")
    export_warc(root / "corpus", root / "warcs", max_file_bytes=9000, requests=True)
    export_warc(root / "corpus", root / "plain", max_file_bytes=9000)
    return root


def records_of(folder: Path) -> list[tuple[str, dict[str, str], bytes]]:
    """Type, fields and block of every record, as fastwarc reads them."""
    return [
        (record.headers["WARC-Type"], dict(record.headers), record.reader.read())
        for path in sorted(folder.glob("*.warc.gz"))
        for record in ArchiveIterator(str(path), parse_http=False, verify_digests=True)
    ]


def test_each_line_leads_to_its_record(places: Path) -> None:
    indexes = sorted((places / "warcs").glob("*.cdxj"))
    assert len(indexes) == len(list((places / "warcs").glob("*.warc.gz"))) > 1
    urls = []
    for index in indexes:
        lines = index.read_text(encoding="utf-8").splitlines()
        assert lines == sorted(lines)
        for line in lines:
            key, moment, text = line.split(" ", 2)
            values = json.loads(text)
            data = (places / "warcs" / values["filename"]).read_bytes()
            offset, length = int(values["offset"]), int(values["length"])
            found = list(ArchiveIterator(io.BytesIO(data[offset : offset + length])))
            (record,) = found
            headers = record.headers
            assert headers["WARC-Target-URI"] == values["url"]
            assert "".join(c for c in headers["WARC-Date"] if c.isdigit()) == moment
            assert key == url_key(values["url"])
            digest = headers.get("WARC-Payload-Digest", "")
            assert digest.removeprefix("sha1:") == values.get("digest", "")
            kind = headers["WARC-Type"]
            if kind == "response":
                assert str(record.http_headers.status_code) == values["status"]
                assert (record.http_content_type or "") == values.get("mime", "")
            else:
                assert values["mime"] == {"revisit": "warc/revisit"}.get(
                    kind, "application/octet-stream"
                )
                assert "status" not in values
            urls.append(values["url"])
    indexed = [
        fields["WARC-Target-URI"]
        for kind, fields, _ in records_of(places / "warcs")
        if kind in {"response", "resource", "revisit"}
    ]
    assert sorted(urls) == sorted(indexed)
    assert len(urls) == 24 + len(ODD_RECORDS) + 2 + 2


def test_a_request_record_has_what_follows_from_the_url_and_says_so(places: Path) -> None:
    records = records_of(places / "warcs")
    replies = {fields["WARC-Record-ID"]: fields for _, fields, _ in records}
    requests = [(fields, block) for kind, fields, block in records if kind == "request"]
    answered = Counter(kind for kind, _, _ in records)
    assert len(requests) == answered["response"] + answered["revisit"] > 24
    for fields, block in requests:
        reply = replies[fields["WARC-Concurrent-To"]]
        assert fields["WARC-Target-URI"] == reply["WARC-Target-URI"]
        assert fields["WARC-Date"] == reply["WARC-Date"]
        assert fields["WARC-Truncated"] == "unspecified"
        assert json.loads(fields["X-Quarkcrawl"]) == {"row": "request", "made_of": "url"}
        line, host, *rest = block.decode().split("\r\n")
        assert rest == ["", ""]
        scheme, _, place = fields["WARC-Target-URI"].partition("://")
        assert scheme == "http"
        method, target, version = line.split(" ")
        assert (method, version) == ("GET", "HTTP/1.1")
        assert host.removeprefix("Host: ") + target == place


def test_other_readers_read_requests(places: Path) -> None:
    kinds: Counter[str] = Counter()
    for path in sorted((places / "warcs").glob("*.warc.gz")):
        with path.open("rb") as file:
            for record in WarcioIterator(file, check_digests="raise"):
                record.content_stream().read()
                kinds[record.rec_type] += 1
                if record.rec_type == "request":
                    assert record.http_headers.get_header("Host")
    assert kinds == Counter(kind for kind, _, _ in records_of(places / "warcs"))


def test_requests_change_nothing_for_an_import(places: Path, tmp_path: Path) -> None:
    done = import_warc([places / "warcs"], tmp_path / "again")
    assert done.skipped["request"] > 24
    rows = list(Corpus.open(places / "corpus").pages())
    assert list(Corpus.open(tmp_path / "again").pages()) == rows


def test_without_the_option_there_are_none(places: Path, capsys, tmp_path: Path) -> None:
    assert "request" not in {kind for kind, _, _ in records_of(places / "plain")}
    command = ["corpus", "export-warc", str(places / "corpus"), "--out", str(tmp_path / "w")]
    assert main([*command, "--requests"]) == 0
    report = json.loads(capsys.readouterr().out)
    kinds = Counter(kind for kind, _, _ in records_of(tmp_path / "w"))
    assert report["requests"] == kinds["request"] > 0


# As the surt library 0.3.1 makes them (pip install surt; surt.surt(url)).
KEYS = {
    "http://www.Example.cn/": "cn,example)/",
    "http://example.cn": "cn,example)/",
    "https://www2.pku.edu.cn:443/A/B.html?b=2&a=1": "cn,edu,pku)/a/b.html?a=1&b=2",
    "http://a.cn:8080/x/": "cn,a:8080)/x",
    "http://a.cn/x/?": "cn,a)/x",
    "http://a.cn/%7euser/": "cn,a)/~user",
    "http://a.cn/x?sid=9ebf3e0a1b2c3d4e5f60718293a4b5c6&k=1": "cn,a)/x?k=1",
    "http://a.cn/x?PHPSESSID=9ebf3e0a1b2c3d4e5f60718293a4b5c6&k=1": "cn,a)/x?k=1",
    "http://xn--fiq228c.cn/路径?词=值": "cn,xn--fiq228c)/%e8%b7%af%e5%be%84?%e8%af%8d=%e5%80%bc",
    "http://中文.cn/a": "cn,xn--fiq228c)/a",
    "http://a.cn/x//y/../z": "cn,a)/x/z",
    "http://a.cn/a b": "cn,a)/a%20b",
    "http://a.cn/x?a=1&a=0&B=3": "cn,a)/x?a=0&a=1&b=3",
    "http://a.cn/index.html#f": "cn,a)/index.html",
    "http://a.cn/?x": "cn,a)/?x",
    "http://www.cn/": "cn)/",
    "http://a.cn/x?a": "cn,a)/x?a",
}


@pytest.mark.parametrize("url", KEYS)
def test_keys_are_those_of_other_indexes(url: str) -> None:
    assert url_key(url) == KEYS[url]
