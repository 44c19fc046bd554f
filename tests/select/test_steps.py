"""The steps after the count, against planted truth, naive oracles and golden examples."""

from collections import Counter
from dataclasses import replace
from itertools import pairwise, permutations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from quarkcrawl.errors import ConfigError, InputError
from quarkcrawl.lab.mockweb import SelectionWeb
from quarkcrawl.lab.mockweb.selection.scores import score_selection
from quarkcrawl.select import (
    Probe,
    SelectionOptions,
    SelectionWork,
    SizeHistogram,
    SpamList,
    alias_groups,
    fit_line,
    fit_widest,
    outliers,
    propose,
    read_decisions,
    registered_domain,
    select_sites,
)
from quarkcrawl.select import selection as selection_module
from quarkcrawl.select.proposals import Proposal, binomial_tail
from quarkcrawl.select.zipf import line_outliers, middle_slope, poisson_tail
from tests.profiles import examples


def alive(host, md5="x", **changes):
    url = f"http://{host}/"
    return Probe(host, url, "", 200, md5, 10, **{"final_url": url} | changes)


def table(**pages):
    rows = [{"host": h, "url": f"http://{h}/", "pages": n} for h, n in sorted(pages.items())]
    return pa.Table.from_pylist(rows)


# --- a simulated web of 100,000 hosts, smaller here ------------------------------------------


@pytest.fixture(scope="module")
def simulated():
    web = SelectionWeb(201, 5000)
    probes = [Probe(**row) for row in web.probe_rows()]
    options = SelectionOptions(spam=SpamList.parse(web.spam_patterns()))
    return web, probes, select_sites(web.count_table(), probes, options)


def test_every_filter_finds_what_was_planted(simulated):
    web, _, selection = simulated
    pages = {host.host: web.pages_of(host) for host in web.plan}
    scores = score_selection(web.plan, selection, pages)
    for step, score in scores.items():
        assert score.wrong > 50, step
        if step != "outliers":
            assert (score.precision, score.recall) == (1.0, 1.0), step
    assert scores["outliers"].recall >= 0.9
    assert scores["outliers"].precision >= 0.95


def test_every_host_is_a_seed_or_has_its_step_and_reason(simulated):
    web, _, selection = simulated
    seeds = {site.host for site in selection.seeds}
    assert seeds | selection.drops.keys() == {host.host for host in web.plan}
    assert not seeds & selection.drops.keys()
    left = len(web.plan)
    for step in selection.steps:
        dropped = [drop for drop in selection.drops.values() if drop.step == step.name]
        assert (step.dropped, step.left) == (len(dropped), left - len(dropped))
        assert step.reasons == Counter(drop.reason for drop in dropped)
        left = step.left
    assert left == len(seeds)


@pytest.mark.full
def test_a_person_accepts_and_rejects_and_runs_keep_it(simulated, tmp_path):
    web, probes, _ = simulated
    work = SelectionWork(tmp_path)
    import pyarrow.parquet as pq

    pq.write_table(web.count_table(), tmp_path / "counts.parquet")
    with work.probe_file() as file:
        for probe in probes:
            file.add(probe)
    options = SelectionOptions(spam=SpamList.parse(web.spam_patterns()))
    proposed = [one.domain for one in work.filter(options).proposals]
    path = tmp_path / "proposals.tsv"
    text = path.read_text()
    assert set(read_decisions(path).values()) == {"?"}
    path.write_text(
        text.replace(f"?\t{proposed[0]}\t", f"accept\t{proposed[0]}\t")
        .replace(f"?\t{proposed[1]}\t", f"REJECT\t{proposed[1]}\t")
    )  # fmt: skip
    for _ in range(2):
        selection = work.filter(options)
        decisions = read_decisions(path)
        assert (decisions[proposed[0]], decisions[proposed[1]]) == ("accept", "reject")
        assert Counter(decisions.values())["?"] == len(proposed) - 2
        dropped = {d.detail for d in selection.drops.values() if d.step == "outliers"}
        assert dropped == {proposed[0]}
    assert proposed[0] in (tmp_path / "spam_domains.txt").read_text()
    seeds = {site.host for site in work.filter(options).seeds}
    assert any(registered_domain(host) == proposed[1] for host in seeds)
    everything = work.filter(SelectionOptions(spam=options.spam, drop_undecided=True))
    left = {registered_domain(site.host) for site in everything.seeds}
    assert left & set(proposed) == {proposed[1]}
    # The results are the same bytes when nothing has changed.
    before = (tmp_path / "seeds.parquet").read_bytes()
    work.filter(SelectionOptions(spam=options.spam, drop_undecided=True))
    assert (tmp_path / "seeds.parquet").read_bytes() == before


def test_a_line_that_is_no_decision_is_named(tmp_path):
    path = tmp_path / "proposals.tsv"
    path.write_text("decision\tdomain\naccept\ta.com\nmaybe\tb.com\n")
    with pytest.raises(InputError, match=r"proposals\.tsv:3"):
        read_decisions(path)


def test_missing_columns_and_missing_steps_are_named(tmp_path):
    import pyarrow.parquet as pq

    work = SelectionWork(tmp_path)
    with pytest.raises(InputError, match=r"counts\.parquet: is not there"):
        work.filter(SelectionOptions())
    pq.write_table(pa.table({"host": ["a.cn"]}), tmp_path / "counts.parquet")
    with pytest.raises(InputError, match="no column url, pages"):
        work.filter(SelectionOptions())


# --- names ----------------------------------------------------------------------------------


def test_rules_on_names_and_their_order():
    hosts = {
        "www.a.com.cn": 20, "www.a.comwww": 20, "-x.com": 20, "com.cn": 20, "a.com:81": 20,
        "61.1.2.3": 20, "123.a.com": 20, "small.a.com": 9, "163.com": 500, "[2001:db8::1]": 20,
    }  # fmt: skip
    selection = select_sites(table(**hosts), None)
    assert {h: d.reason for h, d in selection.drops.items()} == {
        "www.a.comwww": "unknown_tld", "-x.com": "bad_name", "com.cn": "bare_suffix",
        "a.com:81": "port", "61.1.2.3": "ip_address", "123.a.com": "digit_leading",
        "small.a.com": "few_pages", "163.com": "digit_leading", "[2001:db8::1]": "ip_address",
    }  # fmt: skip
    assert [site.host for site in selection.seeds] == ["www.a.com.cn"]


def test_steps_can_be_left_out():
    counts = table(**{"123.a.com": 20, "b.com": 1})
    selection = select_sites(counts, None, SelectionOptions(skip=frozenset({"digits", "pages"})))
    assert len(selection.seeds) == 2
    assert "digits" not in [step.name for step in selection.steps]


def test_private_suffixes_are_registries():
    assert registered_domain("x.y.github.io") == "y.github.io"
    assert registered_domain("a.b.bj.cn:81") == "b.bj.cn"
    assert registered_domain("10.0.0.1") == "10.0.0.1"


# --- aliases --------------------------------------------------------------------------------


def test_the_kept_name_and_why():
    probes = [
        alive("a.cn", "1"), alive("www.a.cn", "1"), alive("b.cn", "2"), alive("www.b.cn", "2"),
        alive("old.c.cn", "3", hops=1, final_url="http://c.cn/"), alive("c.cn", "4"),
        alive("d1.cn", "5"), alive("d2.cn", "5"), Probe("dead.cn", "http://dead.cn/", "dns"),
        alive("e.cn", "6", hops=1, final_url="http://c.cn/deep/"),
    ]  # fmt: skip
    groups = alias_groups(probes, {"www.b.cn": 5, "b.cn": 3, "old.c.cn": 99, "c.cn": 1})
    assert {g.name: (g.reason, g.others, g.evidence) for g in groups} == {
        "www.a.cn": ("nicer_name", ("a.cn",), ("same_md5",)),
        "www.b.cn": ("nicer_name", ("b.cn",), ("same_md5",)),
        "c.cn": ("redirect_target", ("old.c.cn",), ("redirect",)),
        "d1.cn": ("first", ("d2.cn",), ("same_md5",)),
    }
    thesis = alias_groups(probes, {}, method="md5")
    assert {g.name for g in thesis} == {"www.a.cn", "www.b.cn", "d1.cn"}


def test_names_below_one_domain_are_told_apart_by_pages_then_length():
    probes = [alive(f"{name}.a.cn", "1") for name in ("x", "yy", "z")]
    (more,) = alias_groups(probes, {"yy.a.cn": 7})
    (short,) = alias_groups([alive("xx.a.cn", "1"), *probes[1:]], {})
    assert (more.name, more.reason) == ("yy.a.cn", "most_pages")
    assert (short.name, short.reason) == ("z.a.cn", "shortest")


FALLING = {
    "services": ["good.cn:8080", "10.1.2.3"],
    "digits": ["163.good.cn"],
    "spam": ["www.listed.cn"],
    "outliers": ["x.family.cn"],
    "pages": ["www.small.cn"],
}


@pytest.mark.full
@pytest.mark.parametrize("rules", [*permutations(FALLING, 2), tuple(FALLING)])
def test_a_site_survives_under_the_one_name_that_no_rule_drops(rules):
    """The names that fall have most pages, are redirected to, and nicer than the one that stays."""
    falling = [name for rule in rules for name in FALLING[rule]]
    names = ["old.bbs.good.cn", *falling]
    pages = {name: 5 if name == "www.small.cn" else 900 for name in falling}
    counts = table(**pages, **{"old.bbs.good.cn": 10})
    probes = [alive("old.bbs.good.cn", "1")]
    probes += [alive(name, "1", hops=1, final_url=f"http://{falling[0]}/") for name in falling]
    options = SelectionOptions(
        spam=SpamList.parse(["listed.cn"]), decisions={"family.cn": "accept"}
    )
    selection = select_sites(counts, probes, options)
    assert [seed.host for seed in selection.seeds] == ["old.bbs.good.cn"]
    assert {drop.reason for drop in selection.drops.values()} == {"host_alias"}
    assert sorted(selection.seeds[0].aliases) == sorted(set(names) - {"old.bbs.good.cn"})
    assert selection.groups[0].reason == "not_dropped"
    skipping = replace(options, skip=frozenset(FALLING))
    assert [seed.host for seed in select_sites(counts, probes, skipping).seeds] == [falling[0]]


@pytest.mark.parametrize("other", ["9.9.9.9", "b.other.cn:8080", "casino.cn"])
def test_a_family_takes_a_site_along_whose_other_names_fall_before(monkeypatch, other):
    counts = table(**{"x1.family.cn": 50, other: 50})
    family = Proposal("family.cn", 1, 1, 50, 50, "one_size", 0.0, ())
    monkeypatch.setattr(selection_module, "propose", lambda *_, **__: [family])
    options = SelectionOptions(spam=SpamList.parse(["casino.cn"]), drop_undecided=True)
    chosen = select_sites(counts, [alive("x1.family.cn", "1"), alive(other, "1")], options)
    assert chosen.seeds == ()
    assert chosen.drops["x1.family.cn"].reason == "spam_family"


def test_a_group_of_which_every_name_falls_is_one_drop_of_that_rule():
    counts = table(**{"good.cn:81": 20, "good.cn:82": 30})
    selection = select_sites(counts, [alive(h, "1") for h in ("good.cn:81", "good.cn:82")])
    assert not selection.seeds
    assert Counter(drop.reason for drop in selection.drops.values()) == {"host_alias": 1, "port": 1}


def test_a_family_found_in_this_run_does_not_take_a_site_of_another_name_along(simulated):
    web, probes, selection = simulated
    family = next(one for one in selection.proposals)
    member = next(h.host for h in web.plan if registered_domain(h.host) == family.domain)
    rows = [*web.count_table().to_pylist()]
    size = next(row["pages"] for row in rows if row["host"] == member)
    twin = {"host": "old.bbs.honest.cn", "url": "http://old.bbs.honest.cn/", "pages": size}
    md5 = next(probe.md5 for probe in probes if probe.host == member)
    counts = pa.Table.from_pylist([*rows, twin])
    options = SelectionOptions(spam=SpamList.parse(web.spam_patterns()), drop_undecided=True)
    chosen = select_sites(counts, [*probes, alive("old.bbs.honest.cn", md5)], options)
    hosts = {seed.host for seed in chosen.seeds}
    assert family.domain in {one.domain for one in chosen.proposals}
    assert "old.bbs.honest.cn" in hosts
    assert member not in hosts
    left_of = {step.name: step.left for step in chosen.steps}
    assert left_of["pages"] == len(chosen.seeds)
    assert len(chosen.seeds) + len(chosen.drops) == counts.num_rows


def test_empty_pages_are_no_aliases_of_each_other():
    probes = [Probe(h, f"http://{h}/", "", 200, "d41d8cd9", 0) for h in ("a.cn", "b.cn")]
    assert alias_groups(probes, {}) == []


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 14)), min_size=15, max_size=15))
def test_redirects_and_equal_pages_connect_as_scipy_says(drawn):
    hosts = [f"h{i}.cn" for i in range(len(drawn))]
    probes, pairs, first = [], [], {}
    for number, (digest, to) in enumerate(drawn):
        hops = int(number % 3 == 0 and to != number)
        url = f"http://{hosts[to if hops else number]}/"
        md5 = f"{digest}" if digest else f"own {number}"
        probes.append(alive(hosts[number], md5, hops=hops, final_url=url))
        pairs.append((number, first.setdefault(md5, number)))
        pairs.append((number, to if hops else number))
    graph = coo_array((np.ones(len(pairs)), tuple(np.array(pairs).T)), shape=(len(hosts),) * 2)
    expected = {}
    for host, name in zip(hosts, connected_components(graph, directed=False)[1], strict=True):
        expected.setdefault(name, set()).add(host)
    found = [{group.name, *group.others} for group in alias_groups(probes, {})]
    assert sorted(map(sorted, found)) == sorted(sorted(g) for g in expected.values() if len(g) > 1)


@given(st.dictionaries(st.sampled_from([f"h{i}.cn" for i in range(12)]), st.integers(0, 4)))
def test_by_md5_one_host_per_digest_is_kept(digests):
    probes = [alive(host, str(digest)) for host, digest in digests.items()]
    groups = alias_groups(probes, {}, method="md5")
    dropped = {other for group in groups for other in group.others}
    kept = [digests[host] for host in digests if host not in dropped]
    assert sorted(kept) == sorted(set(digests.values()))
    assert all(digests[g.name] == digests[o] for g in groups for o in g.others)


def test_a_seed_begins_where_its_home_page_redirects():
    counts = table(**{"a.cn": 20, "b.cn": 20})
    probes = [
        alive("a.cn", "1", hops=1, final_url="https://www.a.cn/"),
        alive("b.cn", "2", hops=1, final_url="https://b.cn/index.html"),
    ]
    spam = SpamList.parse(["nothing.cn"])
    seeds = select_sites(counts, probes, SelectionOptions(spam=spam)).seeds
    assert [site.url for site in seeds] == ["https://www.a.cn/", "https://b.cn/"]
    spam = SpamList.parse(["www.a.cn"])
    selection = select_sites(counts, probes, SelectionOptions(spam=spam))
    assert selection.drops["a.cn"].detail == "www.a.cn (www.a.cn)"


# --- sizes ----------------------------------------------------------------------------------


def zipf_sizes(seed, n, exponent=1.6):
    return np.floor(np.random.default_rng(seed).random(n) ** (-1 / (exponent - 1))).astype(int)


def test_the_line_of_a_power_law_is_found():
    sizes = np.repeat(np.arange(1, 900), np.round(2e4 * np.arange(1, 900.0) ** -0.68).astype(int))
    line = fit_line(SizeHistogram.of(sizes))
    assert line.slope == pytest.approx(-0.68, abs=0.001)
    assert len(outliers(SizeHistogram.of(sizes))) == 0


@pytest.mark.parametrize("exponent", [1.5, 1.8, 2.5])
@pytest.mark.parametrize("n_sites", [400, 20_000])
def test_the_widest_fit_of_a_power_law_is_the_whole_of_it(exponent, n_sites):
    """Least squares give -0.30 to -0.38 for -1.5, and -1.1 to -1.8 for -2.5."""
    sizes = np.random.default_rng(2).zipf(exponent, n_sites)
    fit = fit_widest(SizeHistogram.of(sizes[sizes < 10**6]))
    assert fit.least_pages == 1
    assert fit.line.slope == pytest.approx(-exponent, abs=0.2 if n_sites < 1000 else 0.02)
    assert fit.distance < 0.05
    assert fit.line.at(1) == pytest.approx((sizes == 1).sum(), rel=0.1)


def test_a_slope_below_one_is_found_between_bounds():
    shares = np.random.default_rng(3).random(5000)
    sizes = np.floor((1 + shares * (1000**0.32 - 1)) ** (1 / 0.32)).astype(int)
    fit = fit_widest(SizeHistogram.of(sizes))
    assert fit.line.slope == pytest.approx(-0.68, abs=0.02)


def test_a_head_that_is_no_power_law_is_left_out_of_the_range():
    draw = np.random.default_rng(4)
    tail = draw.zipf(2.0, 40_000)
    tail = tail[(tail >= 20) & (tail < 10**5)]
    head = draw.integers(1, 20, 3 * len(tail))
    fit = fit_widest(SizeHistogram.of(np.concatenate([head, tail])))
    assert 10 < fit.least_pages <= 30
    assert fit.line.slope == pytest.approx(-2.0, abs=0.15)
    assert fit.distance <= 0.05


@pytest.mark.parametrize(
    "sizes",
    [
        [],
        [5],
        [1, 1, 1, 2, 2, 3, 5, 8, 13, 40, 90, 200],  # twelve sites
        [50] * 1000,
        [1] * 500 + [1000] * 500,
        list(range(1, 1001)),
    ],
)
def test_no_line_is_drawn_where_no_power_law_fits(sizes):
    assert fit_widest(SizeHistogram.of(sizes)) is None


def test_planted_sizes_stand_out_and_no_others():
    sizes = zipf_sizes(1, 50_000)
    planted = {12: 300, 40: 120, 41: 110, 150: 40}
    lifted = np.concatenate([sizes, *(np.full(n, size) for size, n in planted.items())])
    assert set(outliers(SizeHistogram.of(lifted)).tolist()) == set(planted)
    assert len(outliers(SizeHistogram.of(sizes))) == 0


@given(st.floats(0, 5000), st.integers(1, 300))
def test_the_chance_of_so_many_is_that_of_scipy(mean, more):
    least = int(mean) + more
    assert poisson_tail(least, mean) == pytest.approx(stats.poisson.sf(least - 1, mean), rel=1e-9)


@given(st.integers(1, 2000), st.floats(1e-9, 1), st.data())
def test_the_chance_of_so_many_successes_is_that_of_scipy(trials, probability, data):
    successes = data.draw(st.integers(0, trials))
    expected = stats.binom.sf(successes - 1, trials, probability)
    assert binomial_tail(successes, trials, probability) == pytest.approx(expected, rel=1e-9)


def test_the_middle_slope_is_that_of_theil_and_sen():
    for seed in range(20):
        counts = SizeHistogram.of(zipf_sizes(seed, 20_000)).dense()
        edges = np.unique(np.geomspace(1, len(counts), 16).astype(int)).tolist()
        ranges = [(np.median(counts[a:b]), np.sqrt(a * (b - 1))) for a, b in pairwise(edges)]
        y, x = np.log([(n, size) for n, size in ranges if n > 0]).T
        assert middle_slope(counts) == min(stats.theilslopes(y, x).slope, 0)


def test_the_line_of_the_thesis_is_there_as_a_baseline():
    sizes = np.concatenate([zipf_sizes(1, 50_000), np.full(3000, 77)])
    assert line_outliers(SizeHistogram.of(sizes)).tolist()[-1] == 77


@pytest.mark.full
@settings(max_examples=examples(30))
@given(st.lists(st.integers(-1, 3000), max_size=60))
def test_histograms_count_and_nothing_raises(pages):
    histogram = SizeHistogram.of(pages)
    expected = Counter(n for n in pages if n > 0)
    assert dict(zip(histogram.pages.tolist(), histogram.sites.tolist(), strict=True)) == expected
    assert set(outliers(histogram).tolist()) <= set(expected)
    line_outliers(histogram)
    propose([f"h{i}.a.cn" for i in range(len(pages))], pages)


def test_families_are_proposed_with_five_samples_and_hosters_are_not():
    honest = zipf_sizes(2, 3000)
    hosts = [f"www.site{i}.com" for i in range(3000)]
    hosts += [f"u{i}.blog.com.cn" for i in range(400)] + [f"x{i}.spam.net" for i in range(60)]
    pages = [*honest.tolist(), *zipf_sizes(3, 400).tolist(), *[33] * 60]
    (one,) = propose(hosts, pages)
    assert (one.domain, one.hosts, one.alike, one.low_pages) == ("spam.net", 60, 60, 33)
    assert one.evidence == "outlier_sizes"
    assert len(set(one.samples)) == 5
    assert propose(hosts, pages) == [one]
    assert propose(hosts, pages, seed=1)[0].samples != one.samples


def test_hosts_below_a_private_suffix_are_no_family():
    hosts = [f"www.s{i}.com" for i in range(2000)] + [f"u{i}.github.io" for i in range(50)]
    assert propose(hosts, [*zipf_sizes(4, 2000).tolist(), *[33] * 50]) == []


# --- spam patterns --------------------------------------------------------------------------

patterns = st.sampled_from(
    [
        "a.com",
        "b.cn",
        "re:^x[0-9]",
        "re:lian+jie",
        "re:(?<!y)z",
        r"re:(a)\1",
        "re:[.]net$",
        "re:x|y",
    ]
)
names = st.from_regex(r"[abxyz0-9]{1,6}\.(a\.com|b\.cn|lianjie\.net|xx\.org)(:81)?", fullmatch=True)


@settings(max_examples=examples(40))
@given(st.lists(patterns, max_size=6), st.lists(names, max_size=8))
def test_all_in_one_pass_equals_one_by_one(lines, hosts):
    spam = SpamList.parse(lines)
    assert spam.match_all(hosts) == [spam.match(host) for host in hosts]


def test_thousands_of_patterns():
    lines = [f"spam{i}.com" for i in range(3349)] + [f"re:^bbs{i}[a-z]+[.]" for i in range(1000)]
    spam = SpamList.merged([SpamList.parse(lines), SpamList.parse(["last.cn"])])
    hosts = ["a.spam77.com", "bbs999x.com", "bbs1000x.com", "x.last.cn", "pku.edu.cn"]
    assert spam.match_all(hosts) == ["spam77.com", "re:^bbs999[a-z]+[.]", None, "last.cn", None]
    assert len(spam) == 4350


def test_methods_that_there_are_not():
    with pytest.raises(ConfigError, match="no method 'sha1'; there are default, md5"):
        alias_groups([], {}, method="sha1")
    with pytest.raises(ConfigError, match="no method 'curve'; there are default"):
        propose(["a.cn"], [1], method="curve")
