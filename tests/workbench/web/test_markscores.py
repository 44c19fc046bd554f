"""Intervals of the scores: they shrink as pages are marked, and none is given where too little is known."""

from __future__ import annotations

import random

from quarkcrawl.lab.evaluate import paired_bootstrap
from quarkcrawl.workbench.web.markscores import method_scores


def marked(n: int, *, n_hosts: int, origin: str = "blank") -> list[dict]:
    return [{"url": f"http://h{k % n_hosts}.cn/{k}", "origin": origin} for k in range(n)]


def rows(n: int, mean: float, seed: int = 1) -> list[list[float]]:
    dice = random.Random(seed)
    return [[0.5, 0.5, min(1.0, max(0.0, dice.gauss(mean, 0.2)))] for _ in range(n)]


def by_name(found: dict) -> dict[str, dict]:
    return {one["method"]: one for one in found["methods"]}


def test_the_interval_is_that_of_the_bootstrap_over_hosts_and_shrinks():
    entries, scores = marked(96, n_hosts=48), rows(96, 0.6)
    found = by_name(method_scores(entries, {"default": scores}))["default"]
    hosts = [f"h{k % 48}.cn" for k in range(96)]
    values = [one[2] for one in scores]
    wanted = paired_bootstrap(values, [0.0] * 96, groups=hosts, n_draws=2000)
    assert (found["low"], found["high"]) == (round(wanted.low, 4), round(wanted.high, 4))
    assert (found["drawn"], found["n_drawn"]) == ("hosts", 48)
    assert found["low"] < found["f1"] < found["high"]
    widths = [one["high"] - one["low"] for one in found["history"]]
    assert [one["n_pages"] for one in found["history"]] == list(range(8, 97, 8))
    assert widths[-1] < widths[0] / 2
    assert (found["history"][-1]["low"], found["history"][-1]["high"]) == (
        found["low"],
        found["high"],
    )


def test_pages_are_drawn_where_there_are_few_hosts_and_nothing_where_there_are_few_pages():
    many = by_name(method_scores(marked(12, n_hosts=4), {"default": rows(12, 0.5)}))["default"]
    assert (many["drawn"], many["n_drawn"]) == ("pages", 12)
    few = by_name(method_scores(marked(4, n_hosts=4), {"default": rows(4, 0.5)}))["default"]
    assert (few["low"], few["high"], few["drawn"], few["history"]) == (None, None, "", [])
    assert few["behind"] is None
    none = method_scores([], {"default": [], "quark": []})
    assert [one["f1"] for one in none["methods"]] == [None, None]


def test_what_lies_between_methods_is_told_on_common_pages():
    entries = marked(40, n_hosts=20)
    entries[0]["origin"] = "quark"
    found = method_scores(entries, {"default": rows(40, 0.8), "quark": rows(40, 0.4, seed=2)})
    assert found["best"] == "default"
    behind = by_name(found)["quark"]["behind"]
    assert behind["n_pages"] == 39  # not the page that began from its proposal
    assert behind["low"] > 0
    assert behind["is_clear"]
    same = method_scores(entries[1:], {"default": rows(39, 0.6), "rules": rows(39, 0.6)})
    assert not by_name(same)["rules"]["behind"]["is_clear"]


def test_pages_without_content_or_not_scored_yet_do_not_count():
    scores = [*rows(6, 0.5), None, ""]
    found = by_name(method_scores(marked(8, n_hosts=8), {"default": scores}))["default"]
    assert (found["n_scored"], found["n_waiting"], found["n_drawn"]) == (6, 1, 6)


def test_pages_that_came_up_by_disagreement_are_counted():
    entries = marked(6, n_hosts=6)
    entries[2]["order"] = "disagreement"
    entries[3]["order"] = "blind"
    assert method_scores(entries, {"default": rows(6, 0.5)})["n_by_disagreement"] == 1
