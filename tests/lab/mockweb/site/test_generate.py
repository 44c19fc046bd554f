"""The generated web: the same everywhere, of the right sizes, and cheap."""

import hashlib
import json
import os
import subprocess
import sys
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarkcrawl.errors import ConfigError
from quarkcrawl.lab.mockweb import Ask, Fault, MiniWeb, truth
from quarkcrawl.lab.mockweb.dice import Dice, number
from quarkcrawl.lab.mockweb.site import words as vocabulary
from quarkcrawl.lab.mockweb.site.hosts import QUIRKS, zipf_sizes
from quarkcrawl.lab.mockweb.site.layout import LAYOUTS
from quarkcrawl.lab.mockweb.site.quirks.all import REGISTER
from quarkcrawl.lab.mockweb.site.shape import shape_of
from quarkcrawl.lab.mockweb.site.text import headline, paragraph
from quarkcrawl.lab.mockweb.site.traditional import TO_TRADITIONAL

ROOT = Path(__file__).resolve().parents[4]

SAMPLE = """
import hashlib, json, sys
from quarkcrawl.lab.mockweb import Ask, MiniWeb, truth
seed, hosts, pages, hostile = json.loads(sys.argv[1])
web = MiniWeb(seed, hosts, pages, hostile=hostile)
digest = hashlib.md5()
for host, found in truth(web).hosts.items():
    for url in sorted(found.levels.keys() - found.truncated):
        scheme, _, rest = url.partition("://")
        reply = web.respond(Ask(scheme, host, "/" + rest.partition("/")[2], visit=2))
        digest.update(repr((url, reply)).encode())
print(digest.hexdigest())
"""


def digest(*arguments, hash_seed="random"):
    env = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": hash_seed}
    done = subprocess.run(
        [sys.executable, "-c", SAMPLE, json.dumps(arguments)],
        env=env,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


@pytest.mark.full
def test_same_bytes_in_every_process():
    same = {digest(5, 8, 150, True, hash_seed=h) for h in ("0", "1", "random")}
    assert len(same) == 1
    assert digest(6, 8, 150, True) not in same
    assert digest(5, 8, 150, False) not in same


def test_the_served_web_is_that_of_the_arguments():
    from quarkcrawl.lab.mockweb.__main__ import _parser, _web

    for web in (MiniWeb.demo(), MiniWeb(9, 3, 50, zipf=0.0, hostile=False, charsets="utf-8")):
        twin = _web(_parser().parse_args(web.arguments()))
        assert twin.hosts() == web.hosts()
        assert (twin.plans, twin.farms) == (web.plans, web.farms)
    assert _web(_parser().parse_args(["--demo"])).plans == MiniWeb.demo().plans


def test_seed_changes_names_and_pages():
    one, two = MiniWeb(1), MiniWeb(2)
    assert not set(one.hosts()) & set(two.hosts())


def test_number_is_fixed():
    assert number("a", 1) == int.from_bytes(hashlib.blake2b(b"a\x001", digest_size=8).digest())
    assert [Dice(7, "x").below(1000) for _ in range(3)] == [Dice(7, "x").below(1000)] * 3


# --- sizes -----------------------------------------------------------------------------------


@given(st.integers(1, 300), st.integers(0, 20_000), st.floats(0, 2))
def test_sizes_sum_up_and_fall(n_hosts, more, zipf):
    sizes = zipf_sizes(n_hosts, n_hosts + more, zipf)
    assert sum(sizes) == n_hosts + more
    assert len(sizes) == n_hosts
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] >= 1


def test_sizes_follow_zipf():
    import numpy as np

    sizes = np.array(zipf_sizes(200, 500_000, 1.0))
    slope = np.polyfit(np.log(np.arange(1, 201)), np.log(sizes), 1)[0]
    assert slope == pytest.approx(-1.0, abs=0.01)
    assert set(zipf_sizes(10, 1000, 0.0)) == {100}


@pytest.mark.parametrize(("n_hosts", "n_pages"), [(0, 10), (10, 9)])
def test_impossible_sizes(n_hosts, n_pages):
    with pytest.raises(ConfigError):
        MiniWeb(0, n_hosts, n_pages)


@given(st.integers(1, 3000), st.booleans())
def test_shape_uses_every_page(n_pages, has_months):
    shape = shape_of(n_pages, has_months=has_months)
    lists = sum(shape.list_pages(column) for column in range(shape.columns))
    assert 1 + shape.topics + lists + shape.months + shape.infos == n_pages
    assert sum(map(shape.in_column, range(shape.columns))) == shape.topics
    assert shape.infos <= 3 or shape.topics == 0


@pytest.mark.parametrize("family", LAYOUTS)
@pytest.mark.parametrize("n_pages", [1, 2, 5, 60, 1500])
def test_every_address_is_read_back(family, n_pages):
    from dataclasses import replace

    from quarkcrawl.lab.mockweb.site.layout import Address
    from quarkcrawl.lab.mockweb.site.site import Site

    web = MiniWeb(1, 1, 10, hostile=False)
    site = Site(replace(web.plans[0], family=family, n_pages=n_pages), "a.cn", web)
    shape = site.shape
    addresses = [Address("home")]
    addresses += [Address("topic", n % shape.columns, 1, n) for n in range(shape.topics)]
    addresses += [
        Address("list", c, p)
        for c in range(shape.columns)
        for p in range(1, shape.list_pages(c) + 1)
    ]
    addresses += [Address("month", number=n) for n in range(shape.months)]
    addresses += [Address("info", number=n) for n in range(shape.infos)]
    assert len(addresses) == n_pages
    assert [site.read(site.path(address)) for address in addresses] == addresses
    assert len({site.path(address) for address in addresses}) == n_pages


@given(st.text(max_size=30))
def test_no_path_breaks_a_web(path):
    web = MiniWeb(4, 16, 200)
    for host in web.hosts():
        reply = web.respond(Ask("http", host, "/" + path))
        assert 200 <= reply.status < 600


@pytest.mark.parametrize(
    "target",
    ["/viewthread.php?tid=01", "/viewthread.php?tid=99999", "/forumdisplay.php?fid=1&page=1"],
)
def test_only_canonical_addresses_exist(target):
    web = MiniWeb(1, 2, 100, hostile=False)
    assert web.look(web.plans[1].name, target).status == 404


# --- content ---------------------------------------------------------------------------------


def test_vocabulary_fits_the_charsets():
    texts = [
        text
        for name, texts in vars(vocabulary).items()
        if name.isupper() and not name.startswith("_") and name != "RARE_NAMES"
        for text in texts
    ]
    flat = "".join(t if isinstance(t, str) else t[1] + "".join(t[2]) for t in texts)
    flat.encode("gb2312")
    flat.translate(TO_TRADITIONAL).encode("big5")
    of_columns = {word for column in vocabulary.COLUMNS for word in column[2]}
    assert len({t for t in texts if isinstance(t, str)} | of_columns) > 600
    "".join(vocabulary.RARE_NAMES).encode("gb18030")
    with pytest.raises(UnicodeEncodeError):
        "".join(vocabulary.RARE_NAMES).encode("gbk")


@given(st.integers())
def test_prose(seed):
    topic = vocabulary.COLUMNS[seed % 16][2]
    text = paragraph(Dice(seed), topic)
    assert text[-1] in "。”！"
    assert 30 < len(text) < 500
    assert text.count("“") == text.count("”")
    assert 5 < len(headline(Dice(seed), topic)) < 50


def test_pages_differ():
    web = MiniWeb(2, 5, 1000, hostile=False)
    found = truth(web, levels=9)
    bodies = set()
    for host, host_truth in found.hosts.items():
        for url in host_truth.levels:
            scheme, _, rest = url.partition("://")
            bodies.add(web.respond(Ask(scheme, host, rest[len(host) :])).body)
    assert len(bodies) == len(found.groups) == 1000


def test_pages_have_the_size_of_real_ones():
    web = MiniWeb(2, 3, 100, hostile=False)
    sizes = [
        len(web.respond(Ask(url.partition(":")[0], host, url.partition(host)[2])).body)
        for host, found in truth(web).hosts.items()
        for url in found.levels
    ]
    assert 10_000 < sum(sizes) / len(sizes) < 30_000


def test_clean_web_is_clean():
    web = MiniWeb(1, 13, 500, hostile=False)
    found = truth(web, levels=9)
    for host in found.hosts.values():
        assert not any((host.endings, host.traps, host.redirects, host.heals))
    assert all(len(urls) == 1 for urls in found.groups.values())
    assert len(web.hosts()) == 13
    assert {p.declaration.charset for p in web.plans} == {"utf-8", "gb18030", "big5"}
    for plan in web.plans:
        true = plan.declaration
        assert true.header or true.meta
        reply = web.respond(Ask(plan.scheme, plan.name, "/"))
        assert (reply.fault, reply.delay_s, reply.chunked) == (None, 0, False)


def test_every_quirk_occurs_from_one_host_up():
    for n_hosts in (1, 3, 12, 40):
        seen = {quirk for plan in MiniWeb(0, n_hosts, 500).plans for quirk in plan.quirks}
        assert seen == set(QUIRKS)
    assert set(QUIRKS) - {"alias"} == REGISTER.keys()


@pytest.mark.full
@pytest.mark.parametrize("n_hosts", [1, 2, 7, 30])
def test_quirks_live_together(n_hosts):
    """All habits on few hosts: the truth stands, and every page of it is served."""
    web = MiniWeb(3, n_hosts, 200)
    for host, found in truth(web).hosts.items():
        for url in found.levels.keys() - found.truncated:
            scheme, _, rest = url.partition("://")
            target = rest[len(host) :]
            reply = web.respond(Ask(scheme, host, target, visit=2))
            assert (reply.status, reply.fault) == (200, None), url


def test_failures_are_what_they_are_called():
    web = MiniWeb.demo()
    host = next(p.name for p in web.plans if "errors" in p.quirks)

    def ask(name, visit=1):
        return web.respond(Ask("http", host, f"/err/{name}.html", visit=visit))

    assert [ask("500-once", n).status for n in (1, 2, 3)] == [500, 200, 200]
    assert dict(ask("503-once").headers)["Retry-After"] == "1"
    assert ask("reset").fault is Fault.RESET
    assert ask("slow").delay_s == 1.0
    assert ask("404").status == 404
    assert b"404" in ask("404").body


def test_other_scheme_redirects_to_the_own_one():
    web = MiniWeb.demo()
    plan = next(p for p in web.plans if p.scheme == "https")
    reply = web.respond(Ask("http", plan.name, "/a?b=1"))
    assert (reply.status, dict(reply.headers)["Location"]) == (301, f"https://{plan.name}/a?b=1")


def test_farms_are_endless():
    web = MiniWeb.demo()
    for farm in web.farms:
        hosts = {farm.host(n) for n in range(200)}
        assert len(hosts) > 190
        assert all(web.respond(Ask("http", host, "/")).status == 200 for host in hosts)
        assert all(host.split(".")[0].isdigit() == farm.digits for host in hosts)


# --- cost ------------------------------------------------------------------------------------


@pytest.mark.full
def test_memory_does_not_grow_with_the_pages():
    def peak(n_pages):
        tracemalloc.start()
        web = MiniWeb(1, 50, n_pages, zipf=0.0, hostile=False)
        for plan in web.plans[::5]:
            site = web.answers(plan.name).site
            for n in range(0, site.shape.topics, max(1, site.shape.topics // 10)):
                url = site.topic_anchor(n).url
                web.respond(Ask(plan.scheme, plan.name, url[len(site.origin) :]))
        size = tracemalloc.get_traced_memory()[0]
        tracemalloc.stop()
        return size

    peak(1000)
    small, large = peak(5_000), peak(500_000)
    assert large < 1.5 * small + 500_000


def test_a_million_pages_are_planned_at_once():
    web = MiniWeb(1, 1000, 1_000_000, hostile=False)
    assert sum(plan.n_pages for plan in web.plans) == 1_000_000
    host = web.plans[0].name
    assert web.respond(Ask("http", host, "/")).status == 200
