"""Hosts that a person keeps, and how a selection is looked at afterwards."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from collections import Counter

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quarkcrawl.errors import InputError
from quarkcrawl.lab.mockweb import SelectionWeb
from quarkcrawl.select import (
    STEPS,
    Probe,
    SelectionOptions,
    SelectionReview,
    SelectionWork,
    SpamList,
    change_decision,
    change_keep_list,
    read_decisions,
    read_keep_list,
    select_sites,
    selection_of,
)
from quarkcrawl.select.probes import read_probe
from tests.profiles import examples
from tests.select.selected import selected_work

SPAM = SpamList.parse(["spam.cn"])
RESULTS = (
    "hosts.parquet", "aliases.parquet", "spam_domains.txt", "seeds.parquet", "seeds.txt",
    "filter.json",
)  # fmt: skip


def alive(host, md5, **changes):
    url = f"http://{host}/"
    return Probe(host, url, "", 200, md5, 10, **{"final_url": url} | changes)


def dead(host):
    return Probe(host, f"http://{host}/", "timeout", tries=2)


PAGES = {
    "www.a.cn": 50, "a.cn": 40, "b.a.cn": 30, "b.cn": 3, "dead.cn": 20, "x.spam.cn": 30,
    "1.2.3.4": 60, "b.cn:8080": 60, "9.cn": 40, "bad_name": 12, "www.c.cn": 60,
}  # fmt: skip
PROBES = [
    *(alive(host, host) for host in PAGES if host not in {"dead.cn", "a.cn", "b.a.cn", "bad_name"}),
    alive("a.cn", "www.a.cn"), alive("b.a.cn", "www.a.cn"), dead("dead.cn"),
]  # fmt: skip


def counts() -> pa.Table:
    rows = [{"host": h, "url": f"http://{h}/", "pages": n} for h, n in sorted(PAGES.items())]
    return pa.Table.from_pylist(rows)


def selected(*keep):
    return select_sites(counts(), PROBES, SelectionOptions(spam=SPAM, keep=frozenset(keep)))


@pytest.mark.full
def test_a_kept_host_passes_whatever_would_drop_it_and_nothing_else_changes():
    before = selected()
    assert {site.host for site in before.seeds} == {"www.a.cn", "www.c.cn"}
    assert set(Counter(drop.step for drop in before.drops.values())) == set(STEPS) - {"outliers"}
    for host, drop in before.drops.items():
        after = selected(host)
        assert {site.host for site in after.seeds} == {"www.a.cn", "www.c.cn", host}
        assert after.kept == {host: drop}
        assert after.drops == {name: one for name, one in before.drops.items() if name != host}
        kept = {step.name: step.kept for step in after.steps if step.kept}
        assert kept == {drop.step: 1}
        left = len(PAGES)
        for step in after.steps:
            left -= step.dropped
            assert step.left == left


def test_a_kept_alias_is_a_site_of_its_own_and_the_others_are_still_aliases():
    (group,) = selected("a.cn").groups
    assert (group.name, group.others, group.evidence) == ("www.a.cn", ("b.a.cn",), ("same_md5",))
    assert not selected("a.cn", "b.a.cn").groups
    sites = {site.host: site.aliases for site in selected("a.cn").seeds}
    assert sites == {"www.a.cn": ("b.a.cn",), "a.cn": (), "www.c.cn": ()}
    # A name that is kept falls at no later step, so it may win.
    few = PAGES | {"www.a.cn": 5}
    rows = [{"host": h, "url": f"http://{h}/", "pages": n} for h, n in few.items()]
    for keep, winner in (((), "a.cn"), (("www.a.cn",), "www.a.cn")):
        options = SelectionOptions(keep=frozenset(keep))
        (one,) = select_sites(pa.Table.from_pylist(rows), PROBES, options).groups
        assert one.name == winner


def test_a_kept_host_of_an_accepted_family_stays():
    options = {"decisions": {"c.cn": "accept"}}
    for keep, stays in (((), False), (("www.c.cn",), True)):
        made = SelectionOptions(spam=SPAM, keep=frozenset(keep), **options)
        found = {site.host for site in select_sites(counts(), PROBES, made).seeds}
        assert ("www.c.cn" in found) == stays


@pytest.mark.full
@settings(max_examples=examples(30))
@given(st.sets(st.integers(0, 299)), st.booleans())
def test_whatever_is_kept_every_host_is_a_seed_or_dropped(kept, drop_undecided):
    web = SelectionWeb(203, 300)
    hosts = [host.host for host in web.plan]
    keep = frozenset(hosts[number] for number in kept if number < len(hosts))
    options = SelectionOptions(
        spam=SpamList.parse(web.spam_patterns()), keep=keep, drop_undecided=drop_undecided
    )
    found = select_sites(web.count_table(), [Probe(**row) for row in web.probe_rows()], options)
    seeds = {site.host for site in found.seeds}
    assert seeds | found.drops.keys() == set(hosts)
    assert not seeds & found.drops.keys()
    assert keep <= seeds
    assert found.kept.keys() <= keep
    aliases = {name for site in found.seeds for name in site.aliases}
    assert not aliases & seeds


@settings(max_examples=examples(60))
@given(st.lists(st.tuples(st.sampled_from(["A.cn", "b.cn:80", "c.cn", "[::1]"]),
                          st.none() | st.text(max_size=12)), max_size=12))  # fmt: skip
def test_a_list_that_was_changed_reads_as_a_dictionary(tmp_path_factory, changes):
    path = tmp_path_factory.mktemp("keep") / "keep.txt"
    path.write_text("# mine\n\nown.cn # a note\n", "utf-8")
    known = {"own.cn": "a note"}
    for host, note in changes:
        change_keep_list(path, host, note)
        known.pop(host.lower(), None)
        if note is not None:
            known[host.lower()] = " ".join(note.split())
        assert read_keep_list(path).keys() == known.keys()
        assert path.read_text("utf-8").startswith("# mine\n\n")
    found = read_keep_list(path)
    assert found == {host: note.strip() for host, note in known.items()}


def test_what_is_no_host_is_refused_and_named(tmp_path):
    path = tmp_path / "keep.txt"
    assert read_keep_list(path) == {}
    for host in ("", "a b", "a#b", "a\nb"):
        with pytest.raises(InputError, match="no host"):
            change_keep_list(path, host, "")
    assert not path.exists()
    path.write_text("a.cn\ntwo words\n", "utf-8")
    with pytest.raises(InputError, match=r"keep\.txt:2"):
        read_keep_list(path)
    path.write_bytes(b"\xff\xfe\xff")
    with pytest.raises(InputError, match="cannot be read"):
        change_keep_list(path, "a.cn", "")


# --- the folder, looked at ----------------------------------------------------------------------


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    return selected_work(tmp_path_factory.mktemp("selected") / "seeds", 3000, seed=204)


def test_lists_of_a_step_are_what_the_steps_say(work):
    review = SelectionReview(work)
    left = review.summary()["hosts"]
    assert review.hosts("", "any", "", "").num_rows == left
    for step in review.summary()["steps"]:
        dropped = review.hosts(step["name"], "dropped", "", "")
        assert dropped.num_rows == step["dropped"]
        assert review.hosts(step["name"], "left", "", "").num_rows == step["left"]
        pages = dropped["pages"].to_pylist()
        assert pages == sorted(pages, reverse=True)
        for reason, n in step["reasons"].items():
            assert review.hosts(step["name"], "dropped", reason, "").num_rows == n
    assert review.hosts("", "left", "", "").num_rows == review.summary()["seeds"]
    names = review.hosts("", "any", "", "www.", by_name=True)["host"].to_pylist()
    assert names == sorted(name for name in names if "www." in name)


def test_the_evidence_for_each_kind_of_host(work):
    review = SelectionReview(work)
    for step in review.summary()["steps"]:
        if not step["dropped"]:
            continue
        host = review.hosts(step["name"], "dropped", "", "")["host"][0].as_py()
        found = review.host(host)
        said = dict(found.steps)
        assert said[step["name"]] == "dropped"
        assert set(said.values()) <= {"passed", "dropped", "not_reached"}
        assert found.probe["host"] == host
        assert bool(found.probe["reason"]) == (step["name"] == "check")
        if step["name"] == "aliases":
            kept = found.names[0]
            assert found.row["detail"].startswith(f"{kept['host']} (")
            assert host in [name["host"] for name in found.names[1:]]
            assert found.chosen_by in found.row["detail"]
            assert review.host(kept["host"]).names == found.names
        assert found.note is None
    assert review.host("nobody.example") is None
    probes = work.path("probes.jsonl")
    assert read_probe(probes, "nobody.example") is None
    assert read_probe(probes.with_name("gone"), "a.cn") is None


def test_elections_patterns_and_families_add_up(work):
    review = SelectionReview(work)
    groups = review.elections()
    assert len(groups) == review.summary()["alias_groups"]
    assert Counter(one["chosen_by"] for one in groups) == review.summary()["elections"]
    for rule, n in review.summary()["elections"].items():
        assert len(review.elections(rule)) == n
    one = groups[-1]
    assert one in review.elections("", one["names"][-1]["host"])
    spam = next(step for step in review.summary()["steps"] if step["name"] == "spam")
    assert sum(found["hosts"] for found in review.patterns()) == spam["dropped"]
    assert all(found["samples"] for found in review.patterns())


def test_a_kept_host_is_kept_by_the_next_run_and_its_evidence_says_so(work, tmp_path):
    own = SelectionWork(tmp_path / "seeds")
    for name in ("counts.parquet", "probes.jsonl"):
        own.path(name).parent.mkdir(exist_ok=True)
        own.path(name).write_bytes(work.path(name).read_bytes())
    own.filter(SelectionOptions())
    review = SelectionReview(own)
    host = review.hosts("pages", "dropped", "", "")["host"][0].as_py()
    assert change_keep_list(own.path("keep.txt"), host, "good ones")
    assert not change_keep_list(own.path("keep.txt"), host, "good ones")
    assert review.host(host).note == "good ones"
    assert dict(review.host(host).steps)["pages"] == "dropped"  # as the last run left it
    own.filter(SelectionOptions())
    found = review.host(host)  # the tables are read again
    assert dict(found.steps)["pages"] == "overruled"
    assert found.row["overruled"] == "pages: few_pages"
    assert review.summary()["kept"] == 1
    assert host in own.path("seeds.txt").read_text()
    assert change_keep_list(own.path("keep.txt"), host, None)
    own.filter(SelectionOptions())
    assert host not in own.path("seeds.txt").read_text()


def test_a_decision_is_written_into_its_line_only(work, tmp_path):
    path = tmp_path / "proposals.tsv"
    path.write_bytes(work.path("proposals.tsv").read_bytes())
    before = path.read_text("utf-8").splitlines()
    (domain, *_) = read_decisions(path)
    for word in ("accept", "reject", "?"):
        change_decision(path, domain, word)
        assert read_decisions(path)[domain] == word
    assert path.read_text("utf-8").splitlines() == before
    for bad in ((domain, "yes"), ("nobody.example", "accept")):
        with pytest.raises(InputError):
            change_decision(path, *bad)
    assert path.read_text("utf-8").splitlines() == before


def test_where_the_selection_of_a_corpus_is(work, tmp_path):
    corpus = tmp_path / "corpus"
    assert selection_of(corpus) is None
    for folder in (tmp_path / "seeds-work", corpus / "campaign" / "seeds", tmp_path / "seeds"):
        folder.mkdir(parents=True)
        (folder / "hosts.parquet").write_bytes(work.path("hosts.parquet").read_bytes())
        assert selection_of(corpus).root == folder


STOPPED = """
import os, signal, sys
from pathlib import Path
from quarkcrawl.select import SelectionOptions, SelectionWork

work, stop_at, left = SelectionWork(Path(sys.argv[1])), int(sys.argv[2]), 0

def count(event, values):
    global left
    if event == "os.rename":
        left += 1
        if left == stop_at:
            os.kill(os.getpid(), signal.SIGKILL)

sys.addaudithook(count)
work.filter(SelectionOptions(least_pages=30))
print(left)
"""


def results(work):
    return {name: work.path(name).read_bytes() for name in RESULTS}


@pytest.mark.full
def test_a_filter_that_is_killed_at_any_file_leaves_one_whole_result(work, tmp_path):
    first = results(work)
    whole = tmp_path / "whole"
    shutil.copytree(work.root, whole)
    command = [sys.executable, "-c", STOPPED]
    said = subprocess.run([*command, whole, "0"], check=True, capture_output=True, text=True)
    second, n_renames = results(SelectionWork(whole)), int(said.stdout)
    assert n_renames > 2 * len(RESULTS)
    assert all(first[name] != second[name] for name in ("filter.json", "seeds.txt"))
    outcomes = []
    for stop_at in range(1, n_renames + 1):
        folder = tmp_path / str(stop_at)
        shutil.copytree(work.root, folder)
        stopped = subprocess.run([*command, folder, str(stop_at)], check=False)
        assert stopped.returncode == -signal.SIGKILL
        there = results(SelectionWork(folder))
        assert there in (first, second), f"files of two results after rename {stop_at}"
        outcomes.append(there == second)
        assert read_decisions(folder / "proposals.tsv")
        SelectionWork(folder).filter(SelectionOptions(least_pages=30))
        assert results(SelectionWork(folder)) == second
        assert not [path.name for path in folder.iterdir() if path.name.startswith(".filter")]
    assert outcomes == sorted(outcomes)
    assert {False, True} == set(outcomes)


def test_what_is_decided_while_the_filter_runs_holds(work, tmp_path):
    folder = tmp_path / "work"
    shutil.copytree(work.root, folder)
    own = SelectionWork(folder)
    domains = list(read_decisions(own.path("proposals.tsv")))
    decided = []

    def decide(_):
        if not decided:
            change_decision(own.path("proposals.tsv"), domains[0], "accept")
            decided.append(domains[0])

    own.filter(SelectionOptions(), on_step=decide)
    assert decided
    assert read_decisions(own.path("proposals.tsv"))[domains[0]] == "accept"
    own.filter(SelectionOptions(decisions={domains[0]: "reject"}))
    assert read_decisions(own.path("proposals.tsv"))[domains[0]] == "reject"
