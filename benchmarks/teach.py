"""One correction on one page of a site, and what it does to the site's other marked pages.

    python benchmarks/teach.py [--method default] [--look 2] [--sites 6] [--folds FOLDER]

Sites are the hosts of ../shared/data with the most marked pages, as far as there is anything to
correct. Somebody is taken to correct the block that a method has most wrong, by the gold text: on
the first page with such a block, the one where "this is content" or "this is not" makes most
characters right (those that it makes wrong taken off; a tenth of the gold text at least), if that
raises F1 of the page. The rule is what the workbench proposes for that block: for the whole site,
or for this page only. Scored are up to ten other marked pages, before and after: F1 as
`quarkcrawl evaluate extractors` counts it.

With --look, that somebody first looks at so many pages of the gallery of the rule for all pages,
those that change most. One proposed for the site is taken back if they get worse by their gold
text; one proposed for the page is made one for the site if they get better. These pages are not
scored. With --for site, all rules are taken as rules for their sites. With --page worst, it is not
the first page that is corrected but, of twenty, the one with the worst block. With --folds, the
default extractor is trained anew without the sites of each fifth of the pages, and a page is read
by the model that does not know its site; the models are kept in FOLDER. JSON lines: a site each,
then the means, and of the change the 95 % interval by drawing sites.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import numpy as np

from quarkcrawl.content import Content, extract
from quarkcrawl.content.lines.extractor import default_extraction
from quarkcrawl.lab.evaluate import compose, score_text
from quarkcrawl.lab.gold import TITLE_IN_GOLD
from quarkcrawl.lab.training.data import prepare_page, read_marked_pages, squeeze
from quarkcrawl.page import Page, host_key
from quarkcrawl.segment import segmentation_of
from quarkcrawl.template.site import SiteRules, corrected, proposed_rule

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
FOLDERS = DATA / "extraction", DATA / "more"
LEAST_CHARS, LEAST_SHARE = 50, 0.1
MOST_TAUGHT, MOST_SCORED, MOST_OTHERS, MOST_TRIED = 20, 10, 16, 5


def left_out_models(folder):
    """The model of each page that does not know its site."""
    from quarkcrawl.lab.training.fit import FitOptions
    from quarkcrawl.lab.training.lines_cv import SET_WEIGHTS, fold_models, read_pages

    marked, models = read_pages(FOLDERS), {}
    for model, tested in fold_models(marked, FitOptions(set_weights=dict(SET_WEIGHTS)), 5, folder):
        models |= {marked[number].page.name: model for number in tested}
    return models


class Reader:
    """Reads marked pages by a method."""

    def __init__(self, method, models):
        self.method, self.models = method, models

    def __call__(self, marked):
        page = Page.from_bytes(marked.body, marked.url)
        if self.models:
            return Content(default_extraction(page, self.models.get(marked.name)))
        content = extract(page, method=self.method)
        if content.failure:
            raise SystemExit(f"{marked.name}: {content.failure}")
        return content


def gold_runs(marked):
    """Which text runs of a page its gold text has, without the headline."""
    prepared = prepare_page(marked)
    if prepared is None:
        return None
    is_gold = [
        label and text != prepared.headline
        for label, text in zip(prepared.label.tolist(), prepared.texts, strict=True)
    ]
    return np.append(is_gold, False)[prepared.features.cut.run_line]


def corrections(marked, content):
    """Corrections that make more of a page right: gain in characters, kind, block; best first."""
    gold = gold_runs(marked)
    if gold is None:
        return []
    cut, tree = segmentation_of(content.page), content.page.tree
    chars = tree.run_chars * squeeze_differs(content, tree)
    found = content.runs & ~tree.run_raw
    lacking = cut.over_runs(chars * (gold & ~found)) - cut.over_runs(chars * (~gold & ~found))
    wrong = cut.over_runs(chars * (~gold & found)) - cut.over_runs(chars * (gold & found))
    gains = [
        (int(gain), kind, cut[block])
        for kind, of_blocks in (("content", lacking), ("noise", wrong))
        for block, gain in enumerate(of_blocks.tolist())
        if gain >= max(LEAST_CHARS, LEAST_SHARE * len(marked.gold))
    ]
    return sorted(gains, key=lambda one: -one[0])[:MOST_TRIED]


def squeeze_differs(content, tree):
    """0 for runs that are the headline, which is told apart from the text."""
    title = squeeze(content.title)
    return np.array([not title or squeeze(run) != title for run in tree.runs])


def f1(marked, content):
    with_title = marked.dataset in TITLE_IN_GOLD
    text = compose(content.title, content.text, with_title=with_title)
    return score_text(text, marked.gold).f1


def best_correction(host, pages, contents, which):
    """The one with most characters that raises F1 of its page: of the first page, or of all."""
    tried = [
        (gain, number, kind, block)
        for number, (marked, content) in enumerate(zip(pages, contents, strict=True))
        if number < MOST_TAUGHT
        for gain, kind, block in corrections(marked, content)
    ]
    order = (lambda one: (one[1], -one[0])) if which == "first" else (lambda one: -one[0])
    for gain, number, kind, block in sorted(tried, key=order):
        others = [one for one in range(len(pages)) if one != number]
        some = [contents[one] for one in others[:MOST_OTHERS]]
        rule = proposed_rule(contents[number], block.number, kind, some, host=host)
        taught = SiteRules((rule,)).of(host)
        before = f1(pages[number], contents[number])
        after = f1(pages[number], corrected(contents[number], taught).content)
        if after > before:
            return gain, number, rule, (before, after)
    return None


def measured(host, pages, read, given):
    """A line of the result."""
    contents = [read(page) for page in pages]
    found = best_correction(host, pages, contents, given.page)
    if found is None:
        return None
    gain, number, rule, own = found
    of_site = replace(rule, page_only=False)
    taught = SiteRules((of_site,)).of(host)
    others = [one for one in range(len(pages)) if one != number]
    made = {one: corrected(contents[one], taught) for one in others}
    others.sort(key=lambda one: -made[one].added_chars - made[one].removed_chars)
    seen = others[: given.look] if len(others) > given.look else []
    moved = sum(f1(pages[one], made[one].content) - f1(pages[one], contents[one]) for one in seen)
    is_proposed = not rule.page_only or given.reach == "site"
    holds = moved >= 0 if is_proposed else moved > 0
    scored = [one for one in range(len(pages)) if one in made and one not in seen][:MOST_SCORED]
    before = [f1(pages[one], contents[one]) for one in scored]
    after = [f1(pages[one], made[one].content) for one in scored] if holds else before
    changes = np.subtract(after, before)
    return {
        "site": host, "pages": len(scored), "before": mean(before), "after": mean(after),
        "better": int((changes > 1e-9).sum()), "worse": int((changes < -1e-9).sum()),
        "proposed": "site" if is_proposed else "page",
        "for": "site" if holds else "nothing" if is_proposed else "page",
        "taught page": [round(one, 4) for one in own], "kind": rule.kind,
        "own": rule.own, "select": rule.select, "chars": gain,
    }  # fmt: skip


def interval(changes):
    """Of the mean of a value a site, by drawing sites again and again."""
    drawn = np.random.default_rng(0).choice(changes, (10_000, len(changes)))
    return [round(float(one), 4) for one in np.percentile(drawn.mean(axis=1), [2.5, 97.5])]


def mean(values):
    return round(float(np.mean(values)), 4)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folds", type=Path)
    parser.add_argument("--method", default="default")
    parser.add_argument("--page", choices=("first", "worst"), default="first")
    parser.add_argument("--sites", type=int, default=6, help="0: all with enough pages")
    parser.add_argument("--look", type=int, default=2, help="pages of the gallery looked at")
    parser.add_argument("--for", dest="reach", choices=("proposed", "site"), default="proposed")
    parser.add_argument("--least", type=int, default=6, help="marked pages of a site")
    given = parser.parse_args()
    models = left_out_models(given.folds) if given.folds and given.method == "default" else {}
    by_host = defaultdict(list)
    for marked in read_marked_pages(*FOLDERS):
        if marked.gold and (host := host_key(marked.url)):
            by_host[host].append(marked)
    sites = sorted(by_host, key=lambda host: (-len(by_host[host]), host))
    sites = [host for host in sites if len(by_host[host]) >= given.least]
    rows, read = [], Reader(given.method, models)
    for host in sites:
        row = measured(host, by_host[host], read, given)
        if row is not None:
            rows.append(row)
            print(json.dumps(row, ensure_ascii=False), flush=True)
        if given.sites and len(rows) == given.sites:
            break
    moved = [row["after"] - row["before"] for row in rows]
    print(json.dumps({
        "method": given.method, "sites left out": bool(models), "looked at": given.look,
        "sites": len(rows), "of": len(sites),
        **{f"for {reach}": sum(row["for"] == reach for row in rows)
           for reach in ("site", "page", "nothing")},
        "before": mean([row["before"] for row in rows]),
        "after": mean([row["after"] for row in rows]),
        "change": mean(moved), "interval": interval(moved),
        "risen": sum(one > 0 for one in moved), "same": sum(one == 0 for one in moved),
        "fallen": sum(one < 0 for one in moved),
    }))  # fmt: skip


if __name__ == "__main__":
    main()
