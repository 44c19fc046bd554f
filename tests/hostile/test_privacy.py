"""Manners and secrets: the contact, the opt-out list, rebinding names, passwords in logs."""

from __future__ import annotations

import asyncio
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import aiohttp
import pytest

from quarkcrawl.config import CrawlConfig
from quarkcrawl.crawl.campaign.optout import OptOut, read_opt_out
from quarkcrawl.crawl.cautions import cautions
from quarkcrawl.crawl.http.resolver import GuardedResolver
from quarkcrawl.errors import ConfigError, InputError
from quarkcrawl.lab.mockweb import ServerProcess
from quarkcrawl.select import read_probes
from tests import forked
from tests.crawl.harness import crawl, environment, host_map
from tests.redis.server import RedisServer

NO_ANALYSIS = {"content": "false", "segmentation": "false"}
PAGE = "<title>{0}</title><p>{0}<a href=/a>a</a><a href=/b>b</a>"


@pytest.mark.parametrize(
    ("agent", "contact", "sent"),
    [
        ("quarkcrawl/0.1 (corpus)", "mailto:a@b.cn", "quarkcrawl/0.1 (corpus; +mailto:a@b.cn)"),
        ("mine/1", "http://b.cn/bot", "mine/1 (+http://b.cn/bot)"),
        ("mine/1 (a@b.cn)", "a@b.cn", "mine/1 (a@b.cn)"),
        ("mine/1", "", "mine/1"),
    ],
)
def test_the_contact_is_part_of_the_user_agent(agent, contact, sent):
    assert CrawlConfig(user_agent=agent, contact=contact).agent == sent


@pytest.mark.parametrize("text", ["a\r\nX-Planted: yes", "天网", "a\x00"])
def test_an_agent_that_would_plant_headers_is_refused(text):
    for name in ("user_agent", "contact"):
        with pytest.raises(ConfigError, match="ASCII"):
            CrawlConfig.from_mapping({name: text})


def test_the_opt_out_list_covers_subdomains_and_is_read_again(tmp_path):
    path = tmp_path / "out.txt"
    path.write_text("a.cn  # by letter\n北京.cn\n", encoding="utf-8")
    refused = OptOut(str(path))
    covered = ("a.cn", "www.a.cn", "a.cn:8080", "x.xn--1lq90i.cn")
    assert all(refused.covers(host) for host in covered)
    assert not any(refused.covers(host) for host in ("ba.cn", "cn", "b.cn", ""))
    path.write_text("b.cn and more\n", encoding="utf-8")
    assert not refused.look()
    assert refused.covers("a.cn")
    path.write_text("b.cn\n", encoding="utf-8")
    assert refused.look()
    assert refused.covers("b.cn")
    assert not refused.covers("a.cn")
    path.unlink()
    assert not refused.look()
    assert refused.covers("b.cn")


def test_an_opt_out_list_that_cannot_be_read_stops_the_start(tmp_path):
    with pytest.raises(ConfigError, match="opt_out"):
        OptOut(str(tmp_path / "none"))
    with pytest.raises(InputError, match="x:1"):
        read_opt_out(["http://["], source="x")


@pytest.mark.full
def test_nothing_is_asked_of_hosts_that_opted_out(tmp_path):
    """Not even robots.txt; and a host that opts out later is left by the next run."""
    pages = {
        f"http://{h}/{p}": PAGE.format(h + p) for h in ("a.cn", "b.cn") for p in ("", "a", "b")
    }
    refused = tmp_path / "refused.txt"
    refused.write_text("b.cn\n", encoding="utf-8")
    with ServerProcess.for_pages(pages) as server:
        run = crawl(tmp_path, server, ["a.cn", "b.cn"], opt_out=str(refused), contact="me@b.cn")
        log = server.log()
    assert set(run.pages()) == {"http://a.cn/", "http://a.cn/a", "http://a.cn/b"}
    assert run.drops() == {"http://b.cn/": "opted_out"}
    assert {entry.host for entry in log} == {"a.cn"}
    run.assert_settled()


def test_an_opt_out_list_that_is_gone_is_told_of_once(tmp_path, caplog):
    path = tmp_path / "out.txt"
    path.write_text("a.cn\n", encoding="utf-8")
    refused = OptOut(str(path))
    path.unlink()
    for _ in range(5):
        refused.look()
    assert len(caplog.records) == 1
    path.write_text("b.cn\n", encoding="utf-8")
    assert refused.look()
    path.write_text("b.cn c.cn\n", encoding="utf-8")
    refused.look()
    assert len(caplog.records) == 2


def test_an_address_that_opted_out_does_not_stand_for_others(tmp_path):
    path = tmp_path / "out.txt"
    path.write_text("[2001:db8::1]\n", encoding="utf-8")
    refused = OptOut(str(path))
    assert refused.covers("[2001:db8::1]")
    assert refused.covers("[2001:db8::1]:8080")
    assert not refused.covers("[2001:db8::2]")


@pytest.mark.full
def test_no_robots_txt_is_asked_of_a_host_that_opted_out(tmp_path):
    """Not even where another host's robots.txt redirects to it; that one's rules stay unknown."""
    moved = {"status": 301, "headers": [["Location", "http://b.cn/robots.txt"]]}
    pages = {"http://a.cn/": PAGE.format("a"), "http://a.cn/robots.txt": moved}
    refused = tmp_path / "refused.txt"
    refused.write_text("b.cn\n", encoding="utf-8")
    with ServerProcess.for_pages(pages) as server:
        run = crawl(tmp_path, server, ["a.cn"], opt_out=str(refused), **NO_ANALYSIS)
        log = server.log()
    assert run.drops() == {"http://a.cn/": "robots_unreachable"}
    assert {entry.host for entry in log} == {"a.cn"}


@pytest.mark.full
def test_a_check_of_hosts_asks_nothing_of_those_that_opted_out(tmp_path):
    """Neither as a host of the list nor as the target of another's redirect."""
    moved = {"status": 302, "headers": [["Location", "http://www.b.cn/"]]}
    pages = {"http://a.cn/": PAGE.format("a"), "http://b.cn/": PAGE.format("b"),
             "http://www.b.cn/": PAGE.format("b"), "http://c.cn/": moved}  # fmt: skip
    refused, urls = tmp_path / "refused.txt", tmp_path / "urls.txt"
    refused.write_text("b.cn\n", encoding="utf-8")
    urls.write_text("".join(f"http://{host}/{n}\n" for host in ("a.cn", "b.cn", "c.cn")
                            for n in range(200)), encoding="utf-8")  # fmt: skip
    words = [sys.executable, "-m", "quarkcrawl", "select"]
    work = ["--work", str(tmp_path / "work")]
    with ServerProcess.for_pages(pages) as server:
        check = ["check", "--set", f"host_map={host_map(server)}", "--set", f"opt_out={refused}"]
        for step in (["count", str(urls)], check):
            done = forked.run([*words, *step, *work], cwd=tmp_path, env=environment(), timeout=300)
            assert done.returncode == 0, done.stderr
        log = server.log()
    found = {p.host: p.reason for p in read_probes(tmp_path / "work" / "probes.jsonl")}
    assert found == {"a.cn": "", "b.cn": "opted_out", "c.cn": "opted_out"}
    assert {entry.host for entry in log} == {"a.cn", "c.cn"}


class Rebinding:
    """A name that leads to a public address when checked and to a private one a moment later."""

    def __init__(self) -> None:
        self.asked = 0

    async def resolve(self, host, port, family):
        self.asked += 1
        address = "8.8.8.8" if self.asked % 2 else "127.0.0.1"
        return [{"hostname": host, "host": address, "port": port, "family": socket.AF_INET,
                 "proto": 0, "flags": 0}]  # fmt: skip


def test_a_name_cannot_change_between_check_and_use(monkeypatch):
    """The connection goes to the address that was checked; the network is cut off, not asked."""
    connected = []

    async def start_connection(addr_infos, **_):
        connected.extend(info[4][0] for info in addr_infos)
        raise ConnectionRefusedError("no network in tests")

    monkeypatch.setattr("aiohttp.connector.aiohappyeyeballs.start_connection", start_connection)

    async def run() -> int:
        resolver = GuardedResolver(None, allow_private=False)
        resolver._inner = names = Rebinding()
        refused = 0
        connector = aiohttp.TCPConnector(resolver=resolver, use_dns_cache=False)
        async with aiohttp.ClientSession(connector=connector) as session:
            for _ in range(6):
                try:
                    await session.get("http://rebind.example/")
                except aiohttp.ClientConnectorError:
                    refused += 1
        assert names.asked == 6
        return refused

    with ThreadPoolExecutor(1) as other:  # a browser's loop may run in this thread
        assert other.submit(asyncio.run, run()).result() == 6
    assert set(connected) == {"8.8.8.8"}
    assert len(connected) == 3


@pytest.mark.full
def test_a_crawl_that_nobody_can_complain_of_is_warned_of_once(tmp_path):
    """In the log and in the summary. The host is this machine: its robots.txt refuses us."""
    pages = {"http://127.0.0.1/robots.txt": "User-agent: *\nDisallow: /\n"}
    with ServerProcess.for_pages(pages) as server:
        url = f"http://127.0.0.1:{server.info.http_port}/"
        run = crawl(tmp_path, None, [url], allow_private="true", **NO_ANALYSIS)
    assert run.code == 0, run.stderr
    assert run.stderr.count("no contact is set") == len(run.summary["warnings"]) == 1


@pytest.mark.parametrize(
    "said",
    [
        {"contact": "mailto:me@b.cn"},
        {"user_agent": "mine/1 (+http://b.cn/bot)"},
        {"host_map": "127.0.0.1:1:2"},  # a local server: nobody else is asked
    ],
)
def test_nobody_is_warned_without_need(said):
    assert cautions(CrawlConfig(**said)) == []
    assert len(cautions(CrawlConfig())) == 1


def files_with(text: str, folder) -> list:
    return [p for p in folder.rglob("*") if p.is_file() and text.encode() in p.read_bytes()]


SECRET = "hunter2-secret"


@pytest.mark.full
def test_passwords_of_links_are_sent_nowhere_and_kept_only_where_the_page_has_them(tmp_path):
    """In seeds, links, redirects and base: asked without, and no row or log names them.

    The stored body is the page as it was sent, so there they stay. (That no Authorization is
    sent is seen in the crawl over all bad hosts.)
    """
    login = f"http://me:{SECRET}@"
    page = f"<base href={login}a.cn/><p>{{}}<a href={login}a.cn/b>b</a><a href=c>c</a>"
    pages = {"http://a.cn/": page.format("a"), "http://a.cn/b": page.format("b"),
             "http://a.cn/d": page.format("d"),
             "http://a.cn/c": {"status": 302, "headers": [["Location", f"{login}a.cn/d"]]}}  # fmt: skip
    with ServerProcess.for_pages(pages) as server:
        run = crawl(tmp_path, server, [f"{login}a.cn/"], **NO_ANALYSIS)
        log = server.log()
    assert run.code == 0, run.stderr
    assert set(run.pages()) == {"http://a.cn/", "http://a.cn/b", "http://a.cn/d"}
    assert run.rows("redirect")
    assert SECRET not in run.stdout + run.stderr
    assert SECRET not in repr(log)
    assert files_with(SECRET, run.out) == []  # bodies are compressed
    assert all(SECRET.encode() in body for body in run.bodies().values())


@pytest.mark.full
def test_a_redis_password_is_in_no_output(tmp_path):
    """The server is not there; the error names it, without its password."""
    url = f"redis://user:{SECRET}@127.0.0.1:1/0#x"
    run = crawl(tmp_path, None, ["a.cn"], redis=url, redis_wait_s="0.1", **NO_ANALYSIS)
    assert run.code != 0
    assert "127.0.0.1:1" in run.stderr
    assert SECRET not in run.stdout + run.stderr
    assert files_with(SECRET, run.out) == []


@pytest.mark.full
def test_a_redis_password_that_works_is_kept_nowhere_either(tmp_path):
    """Not in summary, shard, lock or journal, nor in what `frontier status` says of workers."""
    folder = tmp_path / "redis"
    folder.mkdir()
    redis = RedisServer(folder, "--requirepass", SECRET)
    url = f"redis://:{SECRET}@127.0.0.1:{redis.port}/0#x"
    with ServerProcess.for_pages({"http://a.cn/": PAGE.format("a")}) as server:
        run = crawl(tmp_path, server, ["a.cn"], redis=url, **NO_ANALYSIS)
    words = [sys.executable, "-m", "quarkcrawl", "frontier", "status", url]
    status = subprocess.run(words, capture_output=True, text=True, timeout=300, check=True)
    redis.stop()
    assert run.code == 0, run.stderr
    assert run.summary["config"]["redis"] == f"redis://127.0.0.1:{redis.port}/0#x"
    assert SECRET not in run.stdout + run.stderr + status.stdout + status.stderr
    assert files_with(SECRET, run.out) == []
