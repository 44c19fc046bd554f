"""Scope, traps, guards, robots, HOSTS files and settings, each as a function."""

import asyncio
import io
import socket

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarkcrawl.config import CrawlConfig, load_toml
from quarkcrawl.crawl.campaign.hostfile import parse_hosts, read_hosts
from quarkcrawl.crawl.campaign.robots import robots_text
from quarkcrawl.crawl.campaign.scope import Scope
from quarkcrawl.crawl.campaign.traps import TrapGuard, pattern
from quarkcrawl.crawl.http.guards import HostMap, address_is_public, url_refusal
from quarkcrawl.crawl.http.resolver import GuardedResolver, PrivateAddressError
from quarkcrawl.errors import ConfigError, InputError
from quarkcrawl.frontier import Candidate
from quarkcrawl.page import Links, canonicalize


def candidates(*urls: str) -> list[Candidate]:
    return [Candidate(url, "a.cn", 2) for url in urls]


def test_scope_keeps_the_host_and_dynamic_pages_and_skips_what_is_no_page():
    urls = [
        "http://a.cn/x", "https://a.cn/x?y=1", "http://b.cn/", "http://a.cn.b.cn/", "http://sub.a.cn/",
        "http://a.cn/p.JPG", "http://a.cn/p.jpg?id=1", "http://a.cn/doc.pdf", "http://a.cn/v1.2/x",
        "http://a.cn:8080/x",
    ]  # fmt: skip
    found = Scope(CrawlConfig()).of_urls(urls, host="a.cn", level=2)
    assert [c.url for c in found] == [
        "http://a.cn/x", "https://a.cn/x?y=1", "http://a.cn/p.jpg?id=1", "http://a.cn/v1.2/x",
    ]  # fmt: skip
    assert {c.level for c in found} == {2}
    assert Scope(CrawlConfig(levels=2)).candidates(Links(), host="a.cn", level=2) == []


def test_the_pattern_budget_counts_only_what_was_queued():
    guard = TrapGuard(CrawlConfig(pattern_pages=3))
    days = candidates(*(f"http://a.cn/cal?d={i}" for i in range(5)))
    allowed, refused = guard.sieve(days)
    assert [c.url for c in allowed] == [f"http://a.cn/cal?d={i}" for i in range(3)]
    assert {reason for _, reason in refused} == {"trap_pattern"}
    guard.count(allowed[0])
    assert len(guard.sieve(days)[0]) == 2
    plain = candidates(*(f"http://a.cn/{c}" for c in "abcdefgh"))
    assert guard.sieve(plain) == (plain, [])


@pytest.mark.parametrize(
    ("path", "settings", "reason"),
    [("/a/a/a/a", {}, "trap_repeat"), ("/a/a/a", {}, None), ("/a/b/a/c", {}, None),
     ("/a/a", {"max_segment_repeats": 1}, "trap_repeat"),
     ("/a/b/c", {"max_path_segments": 2}, "trap_depth"), ("/a/b/", {"max_path_segments": 2}, None),
     ("/" + "/".join(map(str, range(31))), {}, "trap_depth"),
     ("/" + "x" * 2000, {}, "url_too_long")],
)  # fmt: skip
def test_paths_are_refused_beyond_the_bounds_that_are_set(path, settings, reason):
    assert TrapGuard(CrawlConfig(**settings)).path_refusal(f"http://a.cn{path}") == reason


@given(st.integers(0, 10**9), st.integers(0, 10**9))
def test_the_pattern_takes_digits_and_values_out(a, b):
    assert pattern(f"http://h/{a}/x?d={a}&e={b}") == pattern(f"http://h/{b}/x?d={b}&e=zz")


@given(st.one_of(st.ip_addresses()))
def test_public_means_what_the_standard_library_means_or_less(ip):
    if address_is_public(str(ip)):
        assert ip.is_global
        assert not ip.is_multicast
        inner = getattr(ip, "ipv4_mapped", None)
        assert inner is None or inner.is_global


@pytest.mark.parametrize(
    "address",
    ["127.0.0.1", "10.0.0.1", "172.16.3.4", "192.168.1.1", "169.254.169.254", "0.0.0.0",
     "100.64.0.1", "224.0.0.1", "255.255.255.255", "::1", "fe80::1", "fe80::1%eth0", "fc00::1",
     "::ffff:10.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "::", "not an address", ""],
)  # fmt: skip
def test_private_addresses_are_private(address):
    assert not address_is_public(address)


@pytest.mark.parametrize(
    "spelling",
    ["http://127.0.0.1/", "http://2130706433/", "http://0x7f000001/", "http://0177.0.0.1/",
     "http://127.1/", "http://[::1]/", "http://[::ffff:7f00:1]/", "http://LOCALHOST/",
     "http://a.localhost/", "http://printer.local/", "http://127.0.0.1./", "http://①②⑦.0.0.1/"],
)  # fmt: skip
def test_every_spelling_of_the_loopback_is_refused(spelling):
    url = canonicalize(spelling)
    assert url is None or url_refusal(url, allow_private=False) == "private_address"
    assert url is None or url_refusal(url, allow_private=True) is None


@given(st.text(max_size=60))
def test_url_refusal_never_raises(text):
    assert url_refusal(text, allow_private=False) in {None, "bad_url", "private_address"}


class Answers:
    def __init__(self, *addresses: str) -> None:
        self.addresses = addresses

    async def resolve(self, host, port, family):
        return [
            {"hostname": host, "host": a, "port": port, "family": socket.AF_INET, "proto": 0,
             "flags": 0} for a in self.addresses
        ]  # fmt: skip


def resolve(*addresses: str, allow_private: bool = False):
    async def run():
        resolver = GuardedResolver(None, allow_private=allow_private)
        resolver._inner = Answers(*addresses)
        return [r["host"] for r in await resolver.resolve("x.cn", 80)]

    return asyncio.run(run())


def test_the_resolver_hands_out_public_addresses_only():
    assert resolve("8.8.8.8", "10.0.0.1") == ["8.8.8.8"]
    assert resolve("10.0.0.1", allow_private=True) == ["10.0.0.1"]
    with pytest.raises(PrivateAddressError, match=r"10\.0\.0\.1"):
        resolve("10.0.0.1", "127.0.0.1")


def test_a_host_map_is_read_and_answers_for_every_name_but_invalid_ones():
    assert HostMap.parse("") is None
    with pytest.raises(ConfigError, match="HTTPS_PORT"):
        HostMap.parse("127.0.0.1:80")
    mapped = HostMap.parse("127.0.0.1:8080:8443")
    resolver = GuardedResolver(mapped, allow_private=False)
    (found,) = asyncio.run(resolver.resolve("any.cn", 443))
    assert (found["host"], found["port"]) == ("127.0.0.1", 8443)
    with pytest.raises(OSError, match=r"no\.invalid"):
        asyncio.run(resolver.resolve("no.invalid", 80))


@pytest.mark.parametrize(
    ("status", "text"), [(200, "User-agent: *"), (404, ""), (403, ""), (429, None), (503, None)]
)
def test_robots_replies_are_read_as_rfc_9309_says(status, text):
    assert robots_text(status, b"User-agent: *") == text


def test_hosts_become_seeds_each_once():
    lines = ["\ta.cn ", "http://A.cn/", "北京.cn # idn", "", "https://b.cn/x?y"]
    assert parse_hosts(lines) == ["http://a.cn/", "http://xn--1lq90i.cn/", "https://b.cn/x?y"]


def test_hosts_on_standard_input_are_read_as_those_of_a_file(monkeypatch):
    for data in (b"\xef\xbb\xbfa.cn\n", b"a.cn"):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))
        assert read_hosts("-") == ["http://a.cn/"]
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"\xff\xfe")))
    with pytest.raises(InputError, match="<stdin>"):
        read_hosts("-")


@given(st.text(max_size=40))
def test_any_line_is_a_seed_or_a_named_error(line):
    try:
        seeds = parse_hosts([line])
    except InputError as error:
        assert "hosts" in str(error)
    else:
        assert all(url.startswith(("http://", "https://")) for url in seeds)


@pytest.mark.parametrize(
    ("given_value", "name", "value"),
    [("1.5 h", "lease_s", 5400.0), ("250ms", "delay_s", 0.25), ("2 KiB", "max_body_bytes", 2048),
     ("off", "robots", False), ("text/html, text/xml", "mime_types", ("text/html", "text/xml")),
     (7, "levels", 7)],
)  # fmt: skip
def test_settings_take_units(given_value, name, value):
    assert getattr(CrawlConfig.from_mapping({name: given_value}), name) == value


@pytest.mark.parametrize(
    ("values", "words"),
    [({"levls": 3}, "levels"), ({"delay_s": "fast"}, "delay_s"), ({"levels": 0}, "levels"),
     ({"robots": "maybe"}, "robots"), ({"delay_s": -1}, "delay_s")],
)  # fmt: skip
def test_wrong_settings_are_named(values, words):
    with pytest.raises(ConfigError, match=words):
        CrawlConfig.from_mapping(values)


def test_a_settings_file_is_checked(tmp_path):
    path = tmp_path / "quarkcrawl.toml"
    path.write_text("[crawl]\nlevels = 2\n")
    assert load_toml(path) == {"levels": 2}
    for text, words in (("levels = 2", "levels"), ("[crawl", "TOML"), ("[crawl]\nx = 1", "x")):
        path.write_text(text)
        with pytest.raises(ConfigError, match=words):
            load_toml(path)
    with pytest.raises(ConfigError, match=r"none\.toml"):
        load_toml(tmp_path / "none.toml")


def test_every_setting_is_documented():
    assert all(f.metadata.get("help") for f in CrawlConfig.__dataclass_fields__.values())


@pytest.mark.parametrize(
    ("values", "words"),
    [({"levels": float("inf")}, "levels"), ({"levels": "9" * 400}, "levels"),
     ({"delay_s": float("nan")}, "delay_s"), ({"lease_s": "9" * 400}, "lease_s"),
     ({"max_redirects": -1}, "max_redirects must not be negative"),
     ({"timeout_s": 0}, "timeout_s must be positive"), ({"out": ["a"]}, "out"),
     ({"render": "some"}, "^render is auto")],
)  # fmt: skip
def test_numbers_that_no_setting_can_be_are_named(values, words):
    with pytest.raises(ConfigError, match=words):
        CrawlConfig.from_mapping(values)
