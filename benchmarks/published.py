"""Published tables recomputed on our pages: the content task of SEWM2008, priors, portals, hosts.

What stands in docs/published.md beside the printed numbers and has no command of its own. Prints
one JSON object; ``--only`` runs some of its parts. Pages are those of ../shared/data: their marks
are texts, which are put back on the characters of the page by the longest common subsequence.

    python benchmarks/published.py [--only content,priors,portals,topic,hosts,templates,…]
"""

from __future__ import annotations

import argparse
import gzip
import itertools
import json
import random
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
from template_measures import LISTS as LIST_LABELS
from template_measures import error_rate, k_medoids, matrix

from quarkcrawl.content import extract
from quarkcrawl.content.quark import FEATURES
from quarkcrawl.content.quark.bayes import PUBLISHED_PRIORS
from quarkcrawl.corpus.stats.domains import domain_class
from quarkcrawl.dedup import group_texts
from quarkcrawl.lab.baselines.measures import MEASURES
from quarkcrawl.lab.evaluate import compose, paired_bootstrap, score_text
from quarkcrawl.lab.evaluate.extractors import content_method, topic_method
from quarkcrawl.lab.evaluate.sewm2008 import ContentGold, GradeReport, score_page
from quarkcrawl.lab.evaluate.sewm2008.finder import StoredPage, find_content, find_spans
from quarkcrawl.lab.evaluate.sewm2008.places import TextPlaces
from quarkcrawl.lab.gold import Score, load_gold, macro
from quarkcrawl.lab.mockweb import SelectionWeb
from quarkcrawl.lab.training.data import matched_share, squeeze
from quarkcrawl.lab.training.priors import count_priors, labeled_by_text
from quarkcrawl.page import Fetched, Page, PageItem, host_key
from quarkcrawl.segment import segmentation_of
from quarkcrawl.select import (
    Probe,
    SelectionOptions,
    SizeHistogram,
    SpamList,
    count_hosts,
    fit_line,
    select_sites,
)
from quarkcrawl.store import CorpusWriter
from quarkcrawl.template.structure.sequence import SequenceOptions, sequence_of_page

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
ARTICLES = ("cwced", "daniel_zh", "magic_article_zh")
SETS = (*ARTICLES, "magic_forum_zh", "twevents", "daniel_en", "scrapinghub_en", "wcxb_en")
LISTS = {*LIST_LABELS, "home"}
COMPARED = (
    "weighted-tags",
    "path-set",
    "path-weighted",
    "path-shingles",
    "tree-edit",
    "fourier",
    "lcs-inverse",
)
METHODS = ("dlut", "quark", "scut1", "scu", "sdu", "ibdom", "rules")
SITE_METHODS = ("scut1", "scut2", "scut3", "scut4", "dlut")
PORTALS = {"sina": "sina.com", "tencent": "qq.com", "xinhua": "news.cn", "netease": "163.com"}


def gold_pages(names=ARTICLES):
    """Marked pages of some sets, with the name of the set."""
    folder = DATA / "extraction"
    return [(name, one) for name in names for one in load_gold(folder / f"{name}.jsonl.gz")]


def host_of(gold):
    return urlsplit(gold.url).netloc.lower() or gold.number


def marked_runs(page, gold_text):
    """Which text runs are content: more than half of their characters lie in the gold text."""
    texts = [squeeze(text) for text in page.tree.runs]
    return matched_share(texts, squeeze(gold_text)) > 0.5


def content_gold_of(gold):
    page = gold.page()
    places = TextPlaces.of(page, "chars", gold.where)
    return ContentGold(page, places, marked_runs(page, gold.gold_text)[places.run])


# SEWM2008, content finding


def content(limit):
    pages = gold_pages()[:limit]
    golds = [content_gold_of(one) for _, one in pages]
    kept = [n for n, g in enumerate(golds) if g.is_content.any() and not g.page.tree.is_mended]
    hosts = [host_of(pages[number][1]) for number in kept]
    scores = {
        method: [
            score_page(golds[number], find_spans(golds[number].page, method, "chars"))
            for number in kept
        ]
        for method in METHODS
    }
    found = {"pages": len(kept), "hosts": len(set(hosts)), "methods": {}}
    for name, wanted in {"all": set(ARTICLES), "news": {"daniel_zh"}}.items():
        chosen = [place for place, number in enumerate(kept) if pages[number][0] in wanted]
        for method, values in scores.items():
            part, groups = [values[place] for place in chosen], [hosts[place] for place in chosen]
            figures = found["methods"].setdefault(method, {})
            if part:
                figures[name] = row_of(part, groups) | {
                    "minus_dlut": interval(
                        part, [scores["dlut"][place] for place in chosen], groups
                    )
                }
    return found


def content_sites(limit):
    """The teams that compared pages of a site: all pages, and those of hosts with others."""
    pages = gold_pages()[:limit]
    golds = {str(n): content_gold_of(one) for n, (_, one) in enumerate(pages)}
    golds = {n: g for n, g in golds.items() if g.is_content.any() and not g.page.tree.is_mended}
    stored = {
        number: StoredPage(number, gold.page.body, gold.page.url) for number, gold in golds.items()
    }
    hosts = {number: host_of(pages[int(number)][1]) for number in golds}
    sizes = Counter(hosts.values())
    parts = {"all": 1, "with_others": 2, "with_four": 5}
    scores = {}
    for method in SITE_METHODS:
        spans = find_content(method, stored, "chars")[0].spans
        scores[method] = {
            number: score_page(gold, spans.get(number, ())) for number, gold in golds.items()
        }
    found = {}
    for part, least in parts.items():
        chosen = [number for number in golds if sizes[hosts[number]] >= least]
        groups = [hosts[number] for number in chosen]
        values = {name: [of[number] for number in chosen] for name, of in scores.items()}
        found[part] = {"pages": len(chosen), "hosts": len(set(groups)), "methods": {}}
        for method, own in values.items() if chosen else ():
            found[part]["methods"][method] = row_of(own, groups) | {
                f"minus_{other}": interval(own, values[other], groups)
                for other in ("dlut", "scut1")
            }
    return found


def row_of(scores, groups):
    mean = macro(scores)
    zeros = [0.0] * len(scores)
    own = paired_bootstrap([one.f1 for one in scores], zeros, groups=groups, n_draws=2000)
    return {
        "pages": len(scores), "precision": round(mean.precision, 4),
        "recall": round(mean.recall, 4), "f1": round(mean.f1, 4),
        "f1_interval": [round(own.low, 4), round(own.high, 4)],
    }  # fmt: skip


def interval(first, second, groups):
    """Difference of macro F1 with its interval, hosts drawn."""
    found = paired_bootstrap(
        [one.f1 for one in first], [one.f1 for one in second], groups=groups, n_draws=2000
    )
    return [round(value, 4) for value in (found.mean, found.low, found.high)]


# Priors


def priors(limit):
    sets = {
        "zh articles": ARTICLES,
        "zh forums": ("magic_forum_zh",),
        "en articles": ("scrapinghub_en", "magic_article_en"),
    }
    found = {"published": shown(PUBLISHED_PRIORS)}
    for name, names in sets.items():
        pages = [segmentation_of(one.page()) for _, one in gold_pages(names)[:limit]]
        texts = [one.gold_text for _, one in gold_pages(names)[:limit]]
        labeled = [
            (cut, labeled_by_text(cut, text)) for cut, text in zip(pages, texts, strict=True)
        ]
        counts = [int(mask.sum()) for _, mask in labeled]
        found[name] = shown(count_priors(labeled, name)) | {
            "pages": len(pages), "content_blocks": sum(counts),
            "blocks": sum(len(mask) for _, mask in labeled),
            "content_blocks_a_page": round(sum(counts) / len(pages), 2),
        }  # fmt: skip
    return found


def shown(made):
    columns = zip(FEATURES, made.given_content, made.given_noise, strict=True)
    return {
        "p_content": round(made.p_content, 4),
        "features": {name: [round(one, 4), round(other, 4)] for name, one, other in columns},
    }


# IB-DOM: the portals of the paper


def portals(limit):
    pages = gold_pages()
    named = [(portal_of(host_of(one)), name, one) for name, one in pages]
    own = [row for row in named if row[0]][:limit]
    found = {"pages": Counter(portal for portal, _, _ in own)}
    for method in ("ibdom", "rules", "quark"):
        scores = []
        for _, name, one in own:
            extraction = content_method(method)(one.page())
            text = compose(extraction.title, extraction.text, with_title=name == "daniel_zh")
            scores.append(score_text(text, one.gold_text))
        report = GradeReport.of(scores)
        found[method] = {
            "good_share": round(report.good_share, 4),
            "grades": {str(grade.value): n for grade, n in report.n_pages.items()},
        }
    return found


def portal_of(host):
    """The paper's portal that a host belongs to, "" if none."""
    ends = (name for name, end in PORTALS.items() if host == end or f".{end}" in f".{host}")
    return next(ends, "")


# SEWM2008, topic finding


def topic(limit):
    """138 topic pages and 89 others, as in the thesis: marked articles, lists by address."""
    dice = random.Random(2008)
    articles = dice.sample([one for _, one in gold_pages()], min(138, limit or 138))
    others = dice.sample(list(site_rows(LISTS)), min(89, limit or 89))
    pages = [(one.page(), True) for one in articles] + [(parsed(row), False) for row in others]
    found = {"topic": sum(is_topic for _, is_topic in pages), "pages": len(pages)}
    for method in ("dlut", "scu"):
        taken = [(bool(topic_method(method)(page)), is_topic) for page, is_topic in pages]
        right = sum(was and is_topic for was, is_topic in taken)
        score = Score.of(right, sum(was for was, _ in taken), found["topic"])
        found[method] = [round(one, 4) for one in (score.precision, score.recall, score.f1)]
    return found


def site_rows(wanted=None):
    """Rows of the complete sites, those of some labels only if they are named."""
    for path in sorted((DATA / "sites").glob("*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            rows = [json.loads(line) for line in lines]
        yield from (row for row in rows if wanted is None or row["template_label"] in wanted)


def parsed(row):
    return Page.from_html(row["html"], row["url"])


# CWT200g, the funnel and the line


def hosts(limit):
    """The steps of seed selection, from a simulated web and from the links of real pages."""
    return {
        "published_slope": -0.68,
        "simulated": simulated(min(100_000, limit or 100_000)),
        "links": linked_hosts(limit),
        "all_links": linked_hosts(limit, all_pages),
        "chapter_4": statistics(limit),
    }


def simulated(n_hosts):
    web = SelectionWeb(101, n_hosts)
    options = SelectionOptions(spam=SpamList.parse(web.spam_patterns()))
    probes = [Probe(**row) for row in web.probe_rows()]
    return funnel(web.count_table(), select_sites(web.count_table(), probes, options))


def funnel(counts, selection):
    histogram = SizeHistogram.of(counts.column("pages").to_numpy())
    return {
        "hosts": counts.num_rows,
        "dropped": {step.name: step.dropped for step in selection.steps},
        "seeds": len(selection.seeds),
        "slope": round(fit_line(histogram).slope, 3),
        "slope_below_500": round(fit_line(below(histogram, 500)).slope, 3),
        "slope_of_at_least": round(fit_line(at_least(histogram)).slope, 3),
        "slope_by_hosts_drawn": slopes_of_draws(counts.column("pages").to_numpy()),
    }


def at_least(histogram):
    """Sites with so many pages or more."""
    return SizeHistogram(histogram.pages, np.cumsum(histogram.sites[::-1])[::-1])


def slopes_of_draws(pages):
    """The line on hosts drawn from a list: how far the slope hangs on the length of the list."""
    dice = np.random.default_rng(2004)
    sizes = [size for size in (1_000, 5_000, 20_000) if size < len(pages)]
    drawn = {size: [dice.choice(pages, size, replace=False) for _ in range(5)] for size in sizes}
    return {
        size: round(float(np.mean([fit_line(SizeHistogram.of(one)).slope for one in chosen])), 3)
        for size, chosen in drawn.items()
    }


def below(histogram, most):
    chosen = histogram.pages < most
    return SizeHistogram(histogram.pages[chosen], histogram.sites[chosen])


def marked_pages():
    """Pages of the marked sets of extraction."""
    for _, one in gold_pages(SETS):
        yield one.page()


def all_pages():
    """All pages at hand: those of the further sets and of the complete sites, too."""
    yield from (one.page() for one in every_gold())
    yield from map(parsed, site_rows())


def every_gold():
    yield from (one for _, one in gold_pages(SETS))
    for path in sorted((DATA / "more").glob("*.jsonl.gz")):
        yield from load_gold(path)


def linked_hosts(limit, pages=marked_pages):
    """Hosts that the pages at hand link to, by distinct URLs; their steps without asking a host."""
    known, n_pages = addresses(limit, pages)
    with tempfile.TemporaryDirectory(prefix="quarkcrawl-published-") as folder:
        path = Path(folder) / "urls.txt"
        path.write_text("\n".join(sorted(known)), encoding="utf-8")
        counts = count_hosts([path]).table
        selection = select_sites(counts, None, SelectionOptions(skip={"check", "aliases", "spam"}))
    return {
        "pages": n_pages, "urls": len(known), "domains": domain_shares(counts),
        "dynamic": round(sum("?" in url for url in known) / max(1, len(known)), 4),
    } | funnel(counts, selection)  # fmt: skip


def addresses(limit, pages):
    """Distinct URLs that pages link to, and how many pages there were."""
    known, n_pages = set(), 0
    for page in itertools.islice(pages(), limit):
        known.update(page.links.url)
        n_pages += 1
    return known, n_pages


def by_the_commands(limit, pages=marked_pages):
    """The same steps by `select count` and `select filter`, as a user of the lists takes them."""
    known, _ = addresses(limit, pages)
    with tempfile.TemporaryDirectory(prefix="quarkcrawl-published-") as folder:
        path, work = Path(folder) / "urls.txt", Path(folder) / "work"
        path.write_text("\n".join(sorted(known)), encoding="utf-8")
        run_command(["select", "count", str(path), "--work", str(work)])
        run_command(["select", "filter", "--work", str(work), "--unchecked"])
        found = json.loads((work / "filter.json").read_text("utf-8"))
    return {"dropped": {step["name"]: step["dropped"] for step in found["steps"]}} | {
        name: found[name] if name != "proposals" else len(found[name])
        for name in ("hosts", "seeds", "proposals")
    }


def domain_shares(counts):
    """Share of the URLs that each class of domains has (table 4.2)."""
    urls = Counter()
    for host, pages in zip(counts["host"].to_pylist(), counts["pages"].to_pylist(), strict=True):
        urls[domain_class(host)] += pages
    return {name: round(n / urls.total(), 4) for name, n in urls.most_common()}


# CWT200g, chapter 4


def statistics(limit):
    """Tables of chapter 4 by `corpus stats`, of pages with an address: marked ones, whole sites."""
    marked = {one.url: one for one in every_gold() if host_key(one.url)}
    marked = (one.page() for one in marked.values())
    return {
        "marked": tables_of(itertools.islice(marked, limit)),
        "sites": tables_of(map(parsed, itertools.islice(site_rows(), limit))),
    }


def lists(limit):
    """By the commands: the steps on lists of real hosts, and chapter 4 without pages of ours.

    Addresses of links are stored with empty bodies, every tenth in order of the alphabet, so that
    `corpus stats` counts them; the mock web is that of `quarkcrawl demo`.
    """
    known, _ = addresses(limit, all_pages)
    tenth = [url for url in sorted(known) if host_key(url)][::10]
    with tempfile.TemporaryDirectory(prefix="quarkcrawl-published-") as folder:
        run_command(["demo", "--out", str(Path(folder) / "demo")])
        mock = statistics_of(Path(folder) / "demo")
    return {
        "links": by_the_commands(limit),
        "all_links": by_the_commands(limit, all_pages),
        "addresses": tables_of(Page.from_bytes(b"", url) for url in tenth),
        "mock": mock,
    }


def tables_of(pages):
    """Store pages as a crawl does and print the statistics."""
    with tempfile.TemporaryDirectory(prefix="quarkcrawl-published-") as folder:
        root = Path(folder) / "corpus"
        with CorpusWriter(root) as writer:
            for number, page in enumerate(pages):
                url = page.url.strip().replace(" ", "%20")
                facts = Fetched(
                    url=url, host=host_key(page.url), level=1, status=200,
                    reason_phrase="OK", http_version="HTTP/1.1", ip="", fetched_at=float(number),
                    header_lines=((b"Content-Type", b"text/html"),),
                ).with_body(page.body)  # fmt: skip
                writer.append_page(
                    PageItem(facts, page.body, token=number, page=page, links=page.links)
                )
        return statistics_of(root)


def statistics_of(root):
    written = root.parent / "tables.json"
    run_command(["corpus", "stats", str(root), "--format", "json", "--out", str(written)])
    tables = json.loads(written.read_text("utf-8"))["tables"]
    return {name: tables[name]["rows"] for name in ("totals", "domains", "types", "provinces")}


# Tsinghua, appendix: tables II and III


def templates(limit):
    """Six sites with 20 pages each, k medoids against the site; a site alone against tree edit."""
    sites, posts, tags = by_site(), by_site({"post"}), by_site({"tag"})
    named = [name for name in sorted(sites) if len(sites[name]) >= 130]
    return {
        "sites": named,
        "table_2": table_2(sites, limit),
        "table_2_posts": table_2(posts, limit),
        "table_2_tags": table_2(tags, limit),
        "table_3": table_3(sites, named, limit),
    }


def by_site(wanted=None):
    sites = {}
    for row in site_rows(wanted):
        sites.setdefault(urlsplit(row["url"]).netloc, []).append(row)
    return sites


def sequences(rows):
    plain = SequenceOptions(mask_prose=False)
    return [sequence_of_page(parsed(row), plain).sequence for row in rows]


def nearness(pages, name):
    measure = MEASURES[name]
    return matrix([measure.features(page) for page in pages], measure.compare)[0]


def table_2(sites, limit):
    named = [name for name in sorted(sites) if len(sites[name]) >= 20]
    errors = {name: [] for name in COMPARED}
    for draw in range(1 if limit else 3):
        dice = random.Random(draw)
        chosen = dice.sample(named, 6)
        pages = sequences([page for site in chosen for page in dice.sample(sites[site], 20)])
        truth = np.repeat(np.arange(6), 20)
        for name in COMPARED:
            found = k_medoids(nearness(pages, name), 6)
            errors[name].append(float(error_rate(found, truth)))
    return {name: spread(values) for name, values in errors.items()}


def table_3(sites, named, limit):
    errors = {name: {k: [] for k in (6, 4, 2)} for name in COMPARED}
    for site in named[: 1 if limit else None]:
        pages = sequences(random.Random(3).sample(sites[site], 30 if limit else 60))
        truths = {k: k_medoids(nearness(pages, "tree-edit"), k) for k in (6, 4, 2)}
        for name in COMPARED:
            near = nearness(pages, name)
            for k, truth in truths.items():
                errors[name][k].append(float(error_rate(k_medoids(near, k), truth)))
    return {
        name: {k: spread(values) for k, values in by_k.items()} for name, by_k in errors.items()
    }


def spread(values):
    return {
        "mean": round(float(np.mean(values)), 3), "least": round(min(values), 3),
        "most": round(max(values), 3), "n": len(values),
    }  # fmt: skip


# HIT: reposts as they occur


def reposts(limit):
    """Marked texts: pairs with most eight-grams in common, beside what the rules join."""
    texts = [one.gold_text for _, one in gold_pages()][:limit]
    pages = [urlsplit(one.url).netloc for _, one in gold_pages()][:limit]
    squeezed = [squeeze(text) for text in texts]
    grams = [{text[k : k + 8] for k in range(len(text) - 7)} for text in squeezed]
    near = [
        (a, b)
        for b in range(len(texts))
        for a in range(b)
        if 2 * len(grams[a] & grams[b]) > len(grams[a] | grams[b])
    ]
    found = {"texts": len(texts), "pairs": len(near)}
    found["pairs_across_hosts"] = sum(pages[a] != pages[b] for a, b in near)
    for method in ("code-only", "featurecode-2004", "default"):
        firsts = group_texts(texts, method).firsts
        joined = {(a, b) for b in range(len(texts)) for a in range(b) if firsts[a] == firsts[b]}
        found[method] = {"joined": len(joined), "of_the_pairs": len(joined & set(near))}
    return found


def more_reposts(limit):
    """The same pairs among all Chinese texts: of all marked sets, and posts of the sites."""
    marked = [(host_of(one), one.gold_text) for one in every_gold()]
    posts = (
        (urlsplit(row["url"]).netloc, extract(parsed(row)).text) for row in site_rows({"post"})
    )
    every = [*marked[:limit], *itertools.islice(posts, limit)]
    texts = [(host, squeeze(text)) for host, text in every if is_chinese(squeeze(text))]
    grams = [{text[k : k + 8] for k in range(len(text) - 7)} for _, text in texts]
    holders = {}
    for number, own in enumerate(grams):
        for gram in own:
            holders.setdefault(gram, []).append(number)
    shared = Counter(
        pair for holding in holders.values() for pair in itertools.combinations(holding, 2)
        if len(holding) < 200
    )  # fmt: skip
    near = (p for p, n in shared.items() if 2 * n > sum(len(grams[one]) for one in p) - n)
    across = sum(texts[a][0] != texts[b][0] for a, b in near)
    return {"texts": len(texts), "hosts": len({host for host, _ in texts}), "across": across}


def is_chinese(text):
    """At least 50 characters, a third of them Han."""
    return len(text) >= 50 and 3 * sum("\u4e00" <= char <= "\u9fff" for char in text) > len(text)


# Known-item search: ranks and content blocks put to work


def search(limit):
    """The development sites crawled by replay, three rankings, and `evaluate search` over them."""
    names = sorted(path.name.removesuffix(".jsonl.gz") for path in (DATA / "sites").glob("*.gz"))
    with tempfile.TemporaryDirectory() as work:
        hosts_file, corpus, found = (Path(work) / name for name in ("hosts", "corpus", "found"))
        hosts_file.write_text("\n".join(names[:limit]), encoding="utf-8")
        crawl = ["crawl", str(hosts_file), "--out", str(corpus), "--set", "delay_s=0"]
        run_command([*crawl, "--replay", str(DATA / "sites")])
        for rank in ("pagerank", "quarkrank", "blpr"):
            run_command(["rank", rank, str(corpus)])
        run_command(["evaluate", "search", str(corpus), "--json-out", str(found)])
        return json.loads(found.read_text("utf-8"))


def run_command(words):
    subprocess.run([sys.executable, "-m", "quarkcrawl", *words], stdout=sys.stderr, check=True)


PARTS = {
    "content": content, "content_sites": content_sites, "priors": priors, "portals": portals,
    "topic": topic, "hosts": hosts, "templates": templates, "reposts": reposts, "search": search,
    "lists": lists, "more_reposts": more_reposts,
}  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--only", default=",".join(PARTS))
    parser.add_argument("--limit", type=int, help="most pages of a part, for a quick look")
    given = parser.parse_args()
    print(json.dumps({name: PARTS[name](given.limit) for name in given.only.split(",")}, indent=1))


if __name__ == "__main__":
    main()
