"""Crawls through proxies: HTTP and SOCKS5, with passwords that nobody sees."""

import asyncio
import socket
import sys
from pathlib import Path

import pytest

from quarkcrawl.config import CrawlConfig
from quarkcrawl.crawl.components.analysis import Analyzer
from quarkcrawl.crawl.http import GuardedFetcher
from quarkcrawl.crawl.http.proxies import ProxyAddress
from quarkcrawl.errors import ConfigError, FetchError
from quarkcrawl.lab.mockweb import ServerProcess
from tests.crawl.harness import crawl
from tests.crawl.http.proxyservers import FORBIDDEN, REFUSED, HttpProxy, SocksProxy

pytest.importorskip("python_socks")

PLAIN, SECURE = "www.proxied.example", "secure.proxied.example"
HOME = '<title>家</title><a href="/a">甲</a><a href="/b">乙</a><p>'
PAGES = {
    f"{scheme}://{host}/{path}": HOME + host
    if not path
    else f"<title>{path}</title><p>{host}{path}"
    for scheme, host in (("http", PLAIN), ("https", SECURE))
    for path in ("", "a", "b")
}
HOSTS = [PLAIN, f"https://{SECURE}/"]
ONCE = {"max_tries": "1", "late_tries": "0"}
KINDS = [HttpProxy, SocksProxy]


@pytest.fixture(scope="module")
def web():
    with ServerProcess.for_pages(PAGES) as server:
        yield server


def _files(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


@pytest.mark.full
@pytest.mark.parametrize("kind", KINDS)
def test_a_crawl_goes_through_a_proxy_and_nobody_sees_the_password(tmp_path, web, kind):
    with kind(web, login=True) as proxy:
        run = crawl(tmp_path, None, HOSTS, proxy=proxy.url())
    assert run.code == 0, run.stderr
    assert {row.url: row.ip for row in run.pages().values()} == dict.fromkeys(PAGES, "")
    assert set(proxy.asked) == {(PLAIN, 80), (SECURE, 443)}
    assert run.summary["complete"]
    said = (run.stdout + run.stderr).encode() + _files(run.out)
    assert b"s3cret" not in said
    assert f"socks5://***@127.0.0.1:{proxy.server_address[1]}".encode() in said or kind is HttpProxy


@pytest.mark.full
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("case", ["wrong password", "away"])
def test_what_a_proxy_does_not_let_through_may_pass(tmp_path, web, kind, case):
    with kind(web, login=True) as proxy:
        url = proxy.url(password="wrong")
        if case == "away":
            with socket.socket() as free:
                free.bind(("127.0.0.1", 0))
                url = f"{proxy.scheme}://127.0.0.1:{free.getsockname()[1]}"
        run = crawl(tmp_path, None, HOSTS, proxy=url, robots="false", **ONCE)
    assert run.code == 0, run.stderr
    assert set(run.drops().values()) == {"proxy"}
    assert not run.summary["complete"]
    assert run.summary["given_up"]["reasons"] == {"proxy": 2}
    assert "wrong" not in run.stdout + run.stderr


@pytest.mark.full
@pytest.mark.parametrize("kind", KINDS)
def test_what_hosts_do_behind_a_proxy_is_told_from_what_it_does(tmp_path, web, kind):
    hosts = [f"https://{REFUSED}/", f"https://{FORBIDDEN}/", "http://127.0.0.1/", "http://10.0.0.1/",
             "http://[::1]/"]  # fmt: skip
    with kind(web) as proxy:
        run = crawl(tmp_path, None, hosts, proxy=proxy.url(), robots="false", **ONCE)
    drops = run.drops()
    assert drops[f"https://{REFUSED}/"] == "connection_refused"
    assert drops[f"https://{FORBIDDEN}/"] == "proxy"
    assert {drops[url] for url in hosts[2:]} == {"private_address"}
    assert {host for host, _ in proxy.asked} == {REFUSED, FORBIDDEN}


@pytest.mark.full
def test_several_proxies_are_taken_in_turn_when_asked(tmp_path, web):
    with HttpProxy(web) as one, SocksProxy(web) as other:
        both = f"{one.url()},{other.url()}"
        run = crawl(tmp_path, None, HOSTS, proxy=both, proxy_rotate="true")
        assert run.code == 0, run.stderr
        assert set(run.pages()) == set(PAGES)
        assert one.asked
        assert other.asked


@pytest.mark.parametrize("kind", KINDS)
def test_what_a_browser_asks_for_goes_through_the_proxy_too(web, kind):
    async def run(url):
        async with GuardedFetcher(CrawlConfig(proxy=(proxy.url(),))) as fetcher:
            return await fetcher.fetch(url, 1 << 20)

    with kind(web, login=True) as proxy:
        for url in (f"http://{PLAIN}/a", f"https://{SECURE}/b"):
            assert b"<title>" in asyncio.run(run(url)).body
        with pytest.raises(FetchError) as caught:
            asyncio.run(run(f"https://{FORBIDDEN}/"))
    assert caught.value.reason == "proxy"
    assert {host for host, _ in proxy.asked} == {PLAIN, SECURE, FORBIDDEN}


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"proxy": "ftp://user:secret@a:1"}, "a proxy is http"),
        ({"proxy": "http://user:secret@a"}, "a proxy is http"),
        ({"proxy": "http://user:secret@a:b"}, "a proxy is http"),
        ({"proxy": "http://user:secret@[a:1"}, "a proxy is http"),
        ({"proxy": "http://a:1,http://b:1"}, "proxy_rotate"),
        ({"proxy": "http://a:1", "host_map": "127.0.0.1:1:2"}, "host_map"),
        ({"proxy": "http://a:1", "ip_concurrency": 2}, "ip_concurrency"),
    ],
)
def test_wrong_settings_are_errors_without_passwords(values, words):
    with pytest.raises(ConfigError, match=words) as caught:
        CrawlConfig.from_mapping(values, source="x.toml")
    assert "secret" not in str(caught.value)


def test_a_crawl_says_before_it_begins_that_it_cannot_speak_socks(monkeypatch):
    for name in [name for name in sys.modules if name.partition(".")[0] == "python_socks"]:
        monkeypatch.setitem(sys.modules, name, None)
    Analyzer(CrawlConfig(proxy=("http://a:1",)))
    both = CrawlConfig(proxy=("http://a:1", "socks5h://u:secret@b:1"), proxy_rotate=True)
    with pytest.raises(ConfigError, match=r"python-socks.*quarkcrawl\[proxy\]") as caught:
        Analyzer(both)
    assert "secret" not in str(caught.value)


def test_an_address_as_text_has_no_password():
    address = ProxyAddress.parse("socks5h://a%40b:p%3Aq@[::1]:1080")
    assert (address.scheme, address.user, address.password) == ("socks5", "a@b", "p:q")
    assert str(address) == "socks5://[::1]:1080"
    assert "p:q" not in repr(address)
