"""Pages read by a person, beside the published figures that rest on reading.

- topic: pages of the development sets, each marked as a topic page or not (topic_read.tsv), and
  what the topic decisions say of them (SEWM2008, task 1).
- grades: pages of Chinese portals, and what three methods find there, graded as the IB-DOM paper
  grades (grades_read.tsv). A grade whose text the method does not find any more is called stale.

The files hold ids, marks and a word for the reason, no text of a page; pages are those of
../shared/data. ``--show`` prints what the reader saw, ``--write FILE`` the topic pages with their
marks as JSON lines for `quarkcrawl evaluate topic` and `quarkcrawl train topic`.

    python benchmarks/reading.py [--only topic,grades] [--show PART | --write FILE.jsonl.gz]
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import random
import tempfile
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

import numpy as np

from quarkcrawl.classify import record_page
from quarkcrawl.content.topic import URL_FEATURES
from quarkcrawl.lab.evaluate import compose, paired_bootstrap, score_text
from quarkcrawl.lab.evaluate.extractors import content_method, topic_method
from quarkcrawl.lab.evaluate.sewm2008.grades import PUBLISHED_SHARE, Grade
from quarkcrawl.lab.evaluate.sewm2008.grades import grade as ruler
from quarkcrawl.lab.gold import Score
from quarkcrawl.lab.training import held_out, read_examples, train_topic
from quarkcrawl.lab.training.data import site_of, squeeze

HERE = Path(__file__).resolve().parent
DATA = HERE.parents[1] / "shared" / "data"
SEED = 2008
STRATA = {
    "more/zh_types": (49, 3), "more/zh_threads": (18, 2), "extraction/magic_forum_zh": (13, 2),
    "extraction/daniel_zh": (25, 1), "extraction/cwced": (8, 99),
    "extraction/magic_article_zh": (10, 1), "extraction/twevents": (6, 99),
    "more/blog_source_silver": (4, 1),
}  # fmt: skip
"""Chinese sets: pages drawn, and most of one host."""
SITE_KINDS = {"post": 1, "home": 1, "archive": 1, "tag": 1, "category": 1}
"""Pages of each complete site by the class of their addresses."""
ENGLISH_KINDS = {
    "collection": 12, "listing": 14, "product": 5, "service": 5, "article": 2, "documentation": 2,
}  # fmt: skip
"""Pages of more/wcxb_types by kind, one a host."""
ARTICLES = (
    "daniel_zh", "magic_article_zh", "magic_forum_zh", "daniel_en", "magic_article_en",
    "scrapinghub_en",
)  # fmt: skip
"""Sets with addresses whose pages are examples of topic pages, to fit on."""
SKELETON_CHARS = 1500


def records(path):
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def host_of(record):
    return urlsplit(record["url"]).netloc.lower() or record.get("id", "")


def is_chinese(record):
    return record.get("lang", "zh").startswith("zh")


def drawn(rows, n_pages, most_a_host, dice):
    """So many of the rows, in an order of chance, few of one host."""
    rows, taken, of_host = list(rows), [], defaultdict(int)
    dice.shuffle(rows)
    for row in rows:
        host = host_of(row)
        if len(taken) < n_pages and of_host[host] < most_a_host:
            of_host[host] += 1
            taken.append(row)
    return taken


def topic_sample():
    """Name and record of each page that was marked, always the same ones in the same order."""
    dice = random.Random(SEED)
    found = {}
    for name, (n_pages, most) in STRATA.items():
        rows = [row for row in records(DATA / f"{name}.jsonl.gz") if is_chinese(row)]
        for row in drawn(rows, n_pages, most, dice):
            found[f"{name.split('/')[1]}/{row['id']}"] = row
    for path in sorted((DATA / "sites").glob("*.jsonl.gz")):
        rows = list(records(path))
        for label, n_pages in SITE_KINDS.items():
            of_kind = [row for row in rows if row["template_label"] == label]
            for row in drawn(of_kind, n_pages, n_pages, dice):
                found[f"sites/{unquote(row['url'])}"] = row
    rows = list(records(DATA / "more" / "wcxb_types.jsonl.gz"))
    for kind, n_pages in ENGLISH_KINDS.items():
        of_kind = [row for row in rows if row["page_type"] == kind and row["lang"] == "en"]
        for row in drawn(of_kind, n_pages, 1, dice):
            found[f"wcxb_types/{row['id']}"] = row
    names = list(found)
    random.Random(SEED).shuffle(names)
    return {name: found[name] for name in names}


def skeleton(page):
    """Visible text in reading order; links in brackets, a mark a line."""
    tree = page.tree
    parts = [
        f"[{text.strip()}]" if in_link else text.strip()
        for text, in_link in zip(tree.visible_runs, tree.run_anchor, strict=True)
        if text.strip()
    ]
    return " ".join(" ".join(parts).split())


def show_topic():
    for number, (name, record) in enumerate(topic_sample().items()):
        page = record_page(record, name)
        text = skeleton(page)
        half = SKELETON_CHARS // 2
        middle = len(text) // 2
        print(
            f"== {number} {name}\n{page.url} | {page.tree.title} | {len(text)} characters, "
            f"{len(page.tree.link_nodes)} links, {sum('[' not in p for p in text.split(']'))}"
        )
        print(text[:half] if len(text) > SKELETON_CHARS else text)
        if len(text) > SKELETON_CHARS:
            print(f"…… {text[middle - half // 2 : middle + half // 2]} …… {text[-150:]}")


# Marks and what the decisions say


@dataclass(frozen=True)
class Mark:
    page: str
    is_topic: bool
    is_sure: bool
    reason: str


def topic_marks():
    lines = (HERE / "topic_read.tsv").read_text("utf-8").splitlines()
    rows = [line.split("\t") for line in lines if not line.startswith("#")]
    return [Mark(page, mark == "topic", sure == "sure", why) for page, mark, sure, why in rows]


def topic(limit=None):
    """Precision, recall, F1 and accuracy of each decision, with intervals by hosts."""
    sample, marks = topic_sample(), topic_marks()[:limit]
    pages = [sample[mark.page] for mark in marks]
    hosts = np.array([host_of(page) for page in pages])
    truth = np.array([mark.is_topic for mark in marks])
    taken = {"all pages": np.ones(len(marks), bool)} | decisions(marks, pages)
    parts = {
        "all": np.ones(len(marks), bool),
        "sure": np.array([mark.is_sure for mark in marks]),
        "chinese": np.array([not mark.page.startswith("wcxb_types") for mark in marks]),
        "without the 13 sites": np.array([not mark.page.startswith("sites") for mark in marks]),
    }
    return {
        "pages": len(marks), "topic": int(truth.sum()), "hosts": len(set(hosts)),
        "unsure": sum(not mark.is_sure for mark in marks),
        "reasons": dict(Counter(mark.reason for mark in marks)),
        "parts": {name: int(part.sum()) for name, part in parts.items()},
        "methods": {
            method: {
                name: measured(truth[part], found[part], hosts[part])
                for name, part in parts.items()
            }
            | {"wrong": wrong(marks, found)}
            for method, found in taken.items()
        },
    }  # fmt: skip


def decisions(marks, pages):
    """What each method takes for topic pages; no classifier has seen the host of a page.

    The weights that come with quarkcrawl are left out: these pages were among their examples.
    """
    with tempfile.TemporaryDirectory() as folder:
        read = read_examples([written(Path(folder) / "read.jsonl.gz", marks, pages)], "quark")
        sites_file = site_examples(Path(folder) / "sites.jsonl.gz")
        sites = read_examples([sites_file], "quark")
        articles = [DATA / "extraction" / f"{name}.jsonl.gz" for name in ARTICLES]
        both = read_examples([sites_file, *articles], "quark")
    return unfitted(marks, pages) | {
        "scut, fitted on the 13 sites": by_other_hosts(sites, read) > 0.5,
        "the same without the address": by_other_hosts(sites, read, use_url=False) > 0.5,
        "scut, fitted on sites and articles": by_other_hosts(both, read) > 0.5,
        "scut, fitted on the pages read": held_out(read)["page_and_url"] > 0.5,
    }


def unfitted(marks, pages):
    """Decisions that learn nothing from pages."""
    parsed = [record_page(page, mark.page) for mark, page in zip(marks, pages, strict=True)]
    return {
        method: np.array([bool(topic_method(method)(page)) for page in parsed])
        for method in ("dlut", "scu")
    }


def wrong(marks, found):
    """Pages decided otherwise than read, by the word for the reason."""
    rows = zip(marks, found, strict=True)
    return dict(Counter(mark.reason for mark, is_found in rows if mark.is_topic != is_found))


def by_other_hosts(examples, pages, *, use_url=True):
    """Probability of each page by a model without the examples of its host."""
    probability = np.zeros(len(pages.hosts))
    known, of_page = np.array(examples.hosts), np.array(pages.hosts)
    outside = np.array([host if host in set(known) else "" for host in of_page])
    for host in sorted(set(outside)):
        chosen = outside == host
        models = train_topic(examples, known != host)
        alone = models["page"].probability(pages.features[chosen][:, len(URL_FEATURES) :])
        both = models["page_and_url"].probability(pages.features[chosen])
        probability[chosen] = np.where(pages.has_url[chosen] & use_url, both, alone)
    return probability


def site_examples(path, n_pages=150):
    """Labelled pages of the 13 sites, as many of each at most."""
    dice = random.Random(SEED)
    with gzip.open(path, "wt", encoding="utf-8") as file:
        for site in sorted((DATA / "sites").glob("*.jsonl.gz")):
            rows = list(records(site))
            for row in dice.sample(rows, min(n_pages, len(rows))):
                print(json.dumps(row, ensure_ascii=False), file=file)
    return path


def written(path, marks, pages):
    """The marked pages as JSON lines."""
    with gzip.open(path, "wt", encoding="utf-8") as file:
        for mark, page in zip(marks, pages, strict=True):
            kept = {
                key: page[key] for key in ("url", "html", "body_b64", "encoding") if key in page
            }
            row = {"id": mark.page, **kept, "is_topic": mark.is_topic}
            print(json.dumps(row, ensure_ascii=False), file=file)
    return path


def measured(truth, found, hosts):
    """The four figures, each with the interval that drawing hosts 2,000 times gives."""
    _, host = np.unique(hosts, return_inverse=True)
    cells = [truth & found, found, truth, truth == found, np.ones(len(truth))]
    counts = np.array([np.bincount(host, cell) for cell in cells]).T
    names = ("precision", "recall", "f1", "accuracy")
    draws = np.random.default_rng(SEED).integers(0, len(counts), (2000, len(counts)))
    drawn = np.array([figures(*counts[draw].sum(axis=0)) for draw in draws])
    low, high = np.percentile(drawn, (2.5, 97.5), axis=0)
    return {
        name: [round(float(value), 4) for value in (mean, low[place], high[place])]
        for place, (name, mean) in enumerate(zip(names, figures(*counts.sum(axis=0)), strict=True))
    }


def figures(n_right, n_found, n_topic, n_same, n_pages):
    score = Score.of(n_right, n_found, n_topic)
    return score.precision, score.recall, score.f1, n_same / n_pages


# IB-DOM: portals graded by reading

PORTALS = {
    "sina.com.cn": "Sina", "qq.com": "Tencent", "163.com": "NetEase", "news.cn": "Xinhua",
}  # fmt: skip
PORTAL_PAGES = {
    "cwced/5acac71b": "NetEase", "cwced/b4c2eccd": "NetEase", "cwced/c2d9f85c": "NetEase",
    "cwced/6820ebe7": "Qianlong", "cwced/7c6d2080": "Sohu", "cwced/ebe9df29": "Sohu",
    "cwced/e3f3b532": "Sina",
}  # fmt: skip
"""Pages of 2004 and 2005 whose record has no address: the beginning of the id, and the portal that
their own links name."""
OTHERS, MOST_A_SITE = 52, 2
GRADED = ("ibdom", "rules", "default")
WELL = {Grade.GOOD, Grade.FAIRLY_GOOD}


def portal_of(record):
    """The paper's portal that a page is of, "" if none."""
    host = host_of(record)
    named = (name for end, name in PORTALS.items() if f".{host}".endswith(f".{end}"))
    by_id = (name for start, name in PORTAL_PAGES.items() if record["id"].startswith(start))
    return next(iter([*named, *by_id]), "")


def graded_sample():
    """Name and record of each page that was graded: all of the paper's portals, some of others."""
    sets = ("cwced", "daniel_zh", "magic_article_zh")
    rows = [row for name in sets for row in records(DATA / "extraction" / f"{name}.jsonl.gz")]
    own = [row for row in rows if portal_of(row)]
    dice = random.Random(SEED)
    others = [row for row in rows if row["url"] and not portal_of(row)]
    dice.shuffle(others)
    sites, taken = Counter(), []
    for row in others:
        site = site_of(row["url"], b"")
        if len(taken) < OTHERS and sites[site] < MOST_A_SITE:
            sites[site] += 1
            taken.append(row)
    found = [*own, *taken]
    dice.shuffle(found)
    return {row["id"]: row for row in found}


def outputs(name, record):
    """What each method finds on a page, in an order of chance that only the page decides."""
    page = record_page(record, name)
    methods = random.Random(f"{SEED} {name}").sample(GRADED, len(GRADED))
    return page, {method: content_method(method)(page) for method in methods}


def text_hash(content):
    """First digits of the hash of what a method found, white space aside."""
    text = squeeze(f"{content.title or ''}{content.text}")
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def show_grades():
    """Each page in reading order; letters stand for the methods that took a piece, - for none."""
    for number, (name, record) in enumerate(graded_sample().items()):
        page, found = outputs(name, record)
        print(f"== {number} {name}\n{page.url} | {page.tree.title}")
        titles = [(content.title or "").strip() for content in found.values()]
        print("titles:", *("=" if t == titles[0] and n else t[:40] for n, t in enumerate(titles)))
        masks = np.array([content.runs for content in found.values()]).T
        in_line, pieces = page.tree.run_anchor, []
        for text, mask, is_link in zip(page.tree.visible_runs, masks, in_line, strict=True):
            if not (text := " ".join(text.split())):
                continue
            letters = "".join("ABC"[k] for k in range(3) if mask[k]) or "-"
            shown = f"[{text}]" if is_link else text
            if pieces and pieces[-1][0] == letters:
                pieces[-1][1].append(shown)
            else:
                pieces.append((letters, [shown]))
        for letters, texts in pieces:
            print(f"{letters} {shortened(letters, texts)}")


def shortened(letters, texts):
    """Pieces of a page as short as a reader can still judge them."""
    if letters == "-":
        long = [text for text in texts if len(text) > 24 and not text.startswith("[")]
        return f"{len(texts)}× {texts[0][:20]} … {texts[-1][-20:]} | " + " / ".join(
            f"{text[:30]}…({len(text)})" for text in long[:6]
        )
    cut = [t if len(t) < 50 else f"{t[:22]}…{t[-10:]}({len(t)})" for t in texts]
    line = " ¶ ".join(cut)
    if len(line) > 700 and len(letters) == 3:
        return f"{line[:350]} …… {line[-250:]}"
    return line if len(line) < 1100 else f"{line[:600]} …… {line[-400:]}"


class Graded(NamedTuple):
    page: str
    method: str
    portal: str
    grade: str
    reason: str
    text: str
    """Hash of the text that was graded."""


def stored_grades():
    lines = (HERE / "grades_read.tsv").read_text("utf-8").splitlines()
    return [Graded(*line.split("\t")) for line in lines if not line.startswith("#")]


def grades():
    """Grades by method: the paper's portals, each of them, its time, others; stale ones apart."""
    sample, rows = graded_sample(), stored_grades()
    texts, by_ruler = found_now(sample)
    stale = [f"{row.page} {row.method}" for row in rows if texts[row[:2]] != row.text]
    by_reader = {row[:2]: row.grade in WELL for row in rows}
    groups = {
        "paper's portals": lambda row: row.portal != "-",
        "others": lambda row: row.portal == "-",
        "paper's portals, 2004 and 2005": lambda row: row.page.startswith("cwced/"),
        "paper's portals, later": lambda row: row.portal != "-" and row.page[:6] != "cwced/",
    }
    portals = sorted({row.portal for row in rows} - {"-"})
    groups |= {name: lambda row, name=name: row.portal == name for name in portals}
    return {
        "pages": len(sample), "published_share": round(PUBLISHED_SHARE, 4), "stale": stale,
        "ruler": {
            "agrees": round(float(np.mean([by_ruler[k] == by_reader[k] for k in by_reader])), 4),
            "milder_reader": sum(by_reader[k] > by_ruler[k] for k in by_reader),
            "milder_ruler": sum(by_reader[k] < by_ruler[k] for k in by_reader),
        },
        "methods": {
            method: {
                name: shares([row for row in rows if row.method == method and wanted(row)], sample)
                for name, wanted in groups.items()
            }
            for method in GRADED
        },
    }  # fmt: skip


def found_now(sample):
    """Of each page and method the hash of what it finds, and whether the ruler calls it good."""
    texts, by_ruler = {}, {}
    for name, record in sample.items():
        for method, content in outputs(name, record)[1].items():
            text = compose(content.title, content.text, with_title=name.startswith("daniel_zh"))
            texts[name, method] = text_hash(content)
            by_ruler[name, method] = ruler(score_text(text, record["gold_text"])) in WELL
    return texts, by_ruler


def shares(rows, sample):
    """How many pages have each grade, and the share of good and fairly good ones by hosts drawn."""
    right = [float(row.grade in WELL) for row in rows]
    hosts = [host_of(sample[row.page]) for row in rows]
    drawn = paired_bootstrap(right, [0.0] * len(right), groups=hosts, n_draws=2000)
    counts = Counter(row.grade for row in rows)
    return {
        "pages": len(rows), "grades": {str(grade): counts[grade] for grade in Grade},
        "share": [round(value, 4) for value in (drawn.mean, drawn.low, drawn.high)],
        "reasons": dict(Counter(row.reason for row in rows if row.reason != "clean")),
    }  # fmt: skip


PARTS = {"topic": topic, "grades": grades}
SHOWN = {"topic": show_topic, "grades": show_grades}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--only", default=",".join(PARTS))
    parser.add_argument("--show", choices=SHOWN, help="what the reader saw")
    parser.add_argument("--write", type=Path, help="write marked topic pages as JSON lines")
    given = parser.parse_args()
    if given.show:
        SHOWN[given.show]()
    elif given.write:
        sample, marks = topic_sample(), topic_marks()
        written(given.write, marks, [sample[mark.page] for mark in marks])
    else:
        found = {name: PARTS[name]() for name in given.only.split(",")}
        print(json.dumps(found, indent=1, ensure_ascii=False))


if __name__ == "__main__":
    main()
