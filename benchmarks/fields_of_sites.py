"""Fields of real sites by one label a template, by none, and by autoscraper from the same examples.

SWDE's task (fields of pages of a site from a few examples) on the sites of ../shared/data/sites.
Of each site up to ``--pages`` posts are drawn to find templates in, as many others are read. The
element of a field was marked by reading pages (`MARKS`): ids of elements, no text. What a page
says of itself for machines (meta elements, scripts, itemprop, datetime) is taken off before any
extractor sees it, and used to see whether the marks are right: ``agrees`` is the share of pages
where both say the same title or day.

    python benchmarks/fields_of_sites.py [--pages 60] [--site NAME] [--only METHODS]

Methods: ``label`` one labeled page a template, ``site`` one labeled page a site and `spread`,
``none`` labels proposed by `propose`, the same ``-unmasked`` (train --no-mask), ``content`` the
content extractor without templates,
``autoscraper`` built from the pages of ``label``, ``autoscraper-site`` from the one of ``site``,
both by all their rules, and ``autoscraper-best``, by the one rule a page and field that is best on
the pages to be read. It needs beautifulsoup4 below 4.13: by later ones its rules find nothing.
JSON lines: a site each, then means over sites with intervals by drawing sites.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
import unicodedata
from collections import Counter, defaultdict
from datetime import date
from functools import partial
from html import unescape
from pathlib import Path

import numpy as np

from quarkcrawl.content import extract
from quarkcrawl.lab.evaluate import score_text
from quarkcrawl.page import Page
from quarkcrawl.template import extract_fields, propose, spread, train
from quarkcrawl.template.model.alignment import align_page
from quarkcrawl.template.structure import SequenceOptions, sequence_of_page
from quarkcrawl.template.train import TrainOptions

try:
    import autoscraper
    from autoscraper.utils import normalize
    from bs4 import BeautifulSoup
except ImportError:
    autoscraper = None

SITES = Path(__file__).resolve().parents[2] / "shared" / "data" / "sites"
FIELDS = ("title", "date", "topics", "body")
METHODS = (
    "label", "site", "none", "label-unmasked", "site-unmasked", "none-unmasked", "content",
    "autoscraper", "autoscraper-site", "autoscraper-best",
)  # fmt: skip

FLUID = {
    "title": "h1#seo-header", "date": "span.post-meta > time",
    "topics": "div.post-metas a.print-no-link", "body": "article.post-content div.markdown-body",
}  # fmt: skip
NEXT = {
    "title": "h1.post-title", "date": "div.post-meta time[itemprop*=dateCreated]",
    "topics": "div.post-tags a", "body": "div.post-body",
}  # fmt: skip
MARKS = {
    "0cch": {
        "title": "h1.article-title", "date": "div.article-datetime time",
        "topics": "div.article-category a", "body": "div.article-entry",
    },
    "10000hours6": FLUID,
    "1010n111": FLUID,
    "1156721874": NEXT,
    "13718004742": {
        "title": "div.posttitle", "date": "time.post-meta-date-created",
        "topics": "div.post-meta__tag-list a", "body": "div#article-container",
    },
    "1405904364": {
        "title": "h1[itemprop*=headline]", "date": "time[itemprop*=dateCreated]",
        "topics": "article div.tags a", "body": "div.body.md",
    },
    "1740133524": NEXT | {"topics": "span.post-category a"},
    "21gun5": NEXT,
    "3panda": {
        "title": "article h1", "date": "h2.headline", "topics": "span.tags a",
        "body": "section#post-body",
    },
    "404note": {
        "title": "h3.arc-title", "date": "time[itemprop=datePublished]",
        "topics": "div.meta a", "body": "article > pre",
    },
    "barudisshu": {
        "title": "h1.article-title", "date": "p.meta-time", "topics": "p.meta-tag a",
        "body": "div.article-content",
    },
    "bboyjing": NEXT | {"topics": "span.post-category a"},
    "yorick-ryu": FLUID
    | {"title": "article.post-content h1", "topics": "div.post-metas a.hover-with-bg"},
}  # fmt: skip
"""The element of each field, by reading three posts a site and what other posts then gave."""

MACHINE = re.compile(
    r"""<meta\b(?![^>]*charset)[^>]*>|<script\b.*?</script\s*>|<link\b[^>]*>"""
    r"""|\s(?:itemprop|itemscope|itemtype|datetime)(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s>]+))?(?=[\s/>])""",
    re.IGNORECASE | re.DOTALL,
)
MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]


def folded(text):
    """Letters and digits only, so that signs between topics and spaces do not count."""
    return "".join(c for c in unicodedata.normalize("NFKC", text).casefold() if c.isalnum())


def day_in(text):
    """The first day that a text names, as (year, month, day), or None."""
    found = re.search(r"(\d{4})\s*[-/年.]\s*(\d{1,2})\s*[-/月.]\s*(\d{1,2})", text)
    if found:
        return tuple(map(int, found.groups()))
    found = re.search(r"([A-Z][a-z]{2})[a-z]* (\d{1,2}), (\d{4})", text)
    if found and found[1].lower() in MONTHS:
        return int(found[3]), MONTHS.index(found[1].lower()) + 1, int(found[2])
    return None


class Marked:
    """A page as extractors see it, and what is true of it."""

    def __init__(self, row, marks):
        raw = Page.from_html(row["html"], row["url"])
        self.url, self.html = row["url"], MACHINE.sub("", row["html"])
        self.page = Page.from_html(self.html, self.url)
        self.elements = {name: list(raw.css(rule)) for name, rule in marks.items()}
        self.texts = {
            name: [one.xpath("string()").get().strip() for one in found]
            for name, found in self.elements.items()
        }
        self.gold = {name: value for name in FIELDS if (value := self._gold(name))}
        self.agrees = self._agreement(raw)

    def _gold(self, name):
        texts = self.texts[name] if name == "topics" else self.texts[name][:1]
        return value_of(name, texts)

    def _agreement(self, raw):
        """Whether the page's own data for machines say the same title and day."""
        meta = {
            one.xpath("@property").get(): one.xpath("@content").get("")
            for one in raw.css("meta[property]")
        }
        said = meta.get("article:published_time") or raw.css(
            "time[itemprop*=dateCreated]::attr(datetime), "
            "time[itemprop=datePublished]::attr(datetime)"
        ).get("")
        found = {}
        if "og:title" in meta and "title" in self.gold:
            found["title"] = folded(meta["og:title"]) == self.gold["title"]
        if said and "date" in self.gold:
            found["date"] = within_a_day(day_in(said), self.gold["date"])
        return found


def within_a_day(one, other):
    """Times of machines are in UTC, those of people are not."""
    return one is not None and abs((date(*one) - date(*other)).days) <= 1


def value_of(name, texts):
    """What is compared: letters of a title, a day, letters of the topics, text of a body."""
    texts = [text for text in texts if text and text.strip()]
    if not texts:
        return None
    if name == "date":
        return day_in(" ".join(texts))
    if name == "body":
        return max(texts, key=len)
    if name == "topics":
        return "".join(dict.fromkeys(map(folded, texts))) or None
    return folded(texts[0]) or None


# Ours


def positions(marked, template, templates):
    """Where somebody would click on this page: the marked element, found again in our tree."""
    made = sequence_of_page(marked.page, templates.sequence)
    places = align_page(template, made.sequence, templates.cluster.weight).places
    of_node = {}
    for position, place in places.items():
        for node in made.nodes(place):
            of_node.setdefault(int(node), position)
    found = {}
    for name, elements in marked.elements.items():
        if name in marked.gold and elements:
            node = same_node(marked.page.tree, elements[0])
            if node is not None and (position := nearest(marked.page.tree, node, of_node)):
                found[name] = position
    return found


def same_node(tree, element):
    """The node with the tag, the text and the number among such of an element of lxml."""
    root, text = element.root, squeezed(element.xpath("string()").get())
    before = [
        one for one in root.getroottree().iter(root.tag) if squeezed(one.xpath("string()")) == text
    ]
    number = next(k for k, one in enumerate(before) if one is root)
    nodes = [node for node in tree.nodes(root.tag) if squeezed(raw_text(tree, node)) == text]
    return int(nodes[min(number, len(nodes) - 1)]) if nodes else None


def squeezed(text):
    return "".join(text.split())


def raw_text(tree, node):
    return "".join(tree.runs[tree.run_start[node] : tree.run_end[node]])


def nearest(tree, node, of_node):
    """The template's position of a node, of one inside with the same text, else around it."""
    inside = [
        one
        for one in sorted(of_node)
        if node <= one < tree.end[node]
        and squeezed(raw_text(tree, one)) == squeezed(raw_text(tree, node))
    ]
    if inside:
        return of_node[inside[0]]
    around = [one for one in of_node if one < node < tree.end[one]]
    return of_node[max(around)] if around else None


def templates_of(known, done):
    """Templates, the page of each that somebody labels (largest first), and its pages."""
    pages, examples = defaultdict(list), {}
    for one, template in zip(known, done.template_of, strict=True):
        if template:
            pages[template].append(one.page)
            if one.page.url == done.templates[template].example:
                examples[template] = one
    ordered = sorted(examples.items(), key=lambda item: -len(pages[item[0]]))
    return done.templates, dict(ordered), pages


def ours(marked, templates, examples, trained, method):
    if method == "label":
        for name, one in examples.items():
            template = templates[name]
            for field, position in positions(one, template, templates).items():
                template = template.with_label(field, position)
            templates = templates.with_template(template)
    if method == "site":
        name, one = next(iter(examples.items()))
        template = templates[name]
        for field, position in positions(one, template, templates).items():
            template = template.with_label(field, position)
        templates = spread(templates.with_template(template), name)
    if method == "none":
        for name, pages in trained.items():
            template = templates[name]
            for field, position in propose(template, pages[:7], templates).items():
                if field in FIELDS:
                    template = template.with_label(field, position)
            templates = templates.with_template(template)
    for one in marked:
        yield extract_fields(one.page, templates).fields


def by_content(marked):
    for one in marked:
        content = extract(one.page)
        yield {"title": [content.title], "date": [content.published], "body": [content.text]}


# Theirs


def soups_of(marked):
    return [soup_of(one.html) for one in marked]


def soup_of(html):
    """A page read as it reads pages, once for all its calls."""
    try:
        return BeautifulSoup(normalize(unescape(html)), "lxml")
    except ValueError:  # it unescapes code first, and not all that then looks like tags are some
        return BeautifulSoup("<html></html>", "lxml")


def as_built(soups, examples):
    """What all its rules give: exact ones of single values, similar ones of the topics."""
    scraper = autoscraper.AutoScraper()
    for one in examples:
        scraper.build(html=one.html, wanted_dict=wanted_by_soup(one), update=True)
    said = {"group_by_alias": True, "unique": True}
    for soup in soups:
        one = scraper.get_result_exact(soup=soup, **said)
        many = scraper.get_result_similar(soup=soup, contain_sibling_leaves=True, **said)
        yield one | {"topics": many.get("topics", [])}


def by_best_rules(marked, soups, examples):
    """Of each example and field the rule that is best on the pages to be read: a bound for it."""
    chosen = [{} for _ in marked]
    for example in examples:
        scraper = autoscraper.AutoScraper()
        scraper.build(html=example.html, wanted_dict=wanted_by_soup(example))
        names = {stack["stack_id"]: stack["alias"] for stack in scraper.stack_list}
        siblings = partial(scraper.get_result_similar, contain_sibling_leaves=True)
        found = [
            [read(soup=soup, grouped=True) for soup in soups]
            for read in (scraper.get_result_exact, scraper.get_result_similar, siblings)
        ]
        for name in FIELDS:
            tried = [
                [{name: values.get(rule, [])} for values in by_page]
                for rule, alias in names.items()
                if alias == name
                for by_page in found
            ]
            if not tried:
                continue
            best = max(tried, key=lambda results: scored(marked, results, (name,)).get(name, 0))
            for values, result in zip(chosen, best, strict=True):
                if result[name]:
                    values.setdefault(name, result[name])
    return chosen


def wanted_by_soup(one):
    """The texts of the marked elements as its own parser reads them."""
    soup = soup_of(one.html)
    wanted = {}
    for name, elements in one.elements.items():
        chosen = elements if name == "topics" else elements[:1]
        wanted[name] = [
            node.getText().strip()
            for element, text in zip(chosen, one.texts[name], strict=False)
            for node in soup.find_all(element.root.tag)
            if squeezed(node.getText()) == squeezed(normalize(text))
        ][: len(chosen)] or [normalize(text) for text in one.texts[name][: len(chosen)]]
    return {name: texts for name, texts in wanted.items() if any(texts)}


# Scores


def scored(marked, results, fields=FIELDS):
    """F1 of each field over pages; of bodies the mean F1 of their characters."""
    right, given, true, bodies = Counter(), Counter(), Counter(), []
    for one, values in zip(marked, results, strict=True):
        for name in fields:
            value = value_of(name, list(values.get(name, ())))
            if name == "body":
                if name in one.gold:
                    bodies.append(score_text(value or "", one.gold[name]).f1)
                continue
            given[name] += value is not None
            true[name] += name in one.gold
            right[name] += value is not None and value == one.gold.get(name)
    found = {
        name: round(2 * right[name] / (given[name] + true[name]), 4)
        for name in fields
        if true.get(name)
    }
    return found | ({"body": round(float(np.mean(bodies)), 4)} if bodies else {})


def site(path, most, methods):
    name = path.name.split(".")[0]
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    kinds = ("post", "other") if name == "yorick-ryu" else ("post",)
    posts = sorted((row for row in rows if row["template_label"] in kinds), key=lambda r: r["url"])
    random.Random(2013).shuffle(posts)
    pages = [Marked(row, MARKS[name]) for row in posts[: 2 * most]]
    pages = [one for one in pages if "title" in one.gold or "body" in one.gold]
    known, unseen = pages[: len(pages) // 2], pages[len(pages) // 2 :]
    examples, learned = {}, {}
    for is_masked in (True, False):
        sequence = SequenceOptions(mask_prose=is_masked)
        done = train([one.page for one in known], TrainOptions(sequence))
        learned[is_masked] = templates_of(known, done)
    examples = learned[True][1]
    first = [next(iter(examples.values()))]
    found = {
        "host": name, "known": len(known), "unseen": len(unseen), "templates": len(examples),
        "unmasked": len(learned[False][1]),
        "shown": {field: sum(field in one.gold for one in unseen) for field in FIELDS},
        "agrees": agreement(unseen),
    }  # fmt: skip
    soups = soups_of(unseen) if any(name.startswith("auto") for name in methods) else []
    for method in methods:
        if method == "content":
            results = by_content(unseen)
        elif method == "autoscraper-best":
            results = by_best_rules(unseen, soups, list(examples.values()))
        elif method.startswith("autoscraper"):
            results = as_built(soups, first if method.endswith("site") else examples.values())
        else:
            kind, _, unmasked = method.partition("-")
            results = ours(unseen, *learned[not unmasked], kind)
        found[method] = scored(unseen, results)
    return found


def agreement(pages):
    found = {}
    for name in ("title", "date"):
        said = [one.agrees[name] for one in pages if name in one.agrees]
        found[name] = [sum(said), len(said)]
    return found


def means(rows, methods):
    dice = np.random.default_rng(2013)
    draws = dice.integers(0, len(rows), (2000, len(rows)))
    found = {}
    for method in methods:
        of_method = found[method] = {}
        for name in FIELDS:
            values = np.array([row[method].get(name, np.nan) for row in rows])
            drawn = np.nanmean(values[draws], axis=1)
            low, high = np.percentile(drawn, [2.5, 97.5])
            of_method[name] = [round(float(x), 3) for x in (np.nanmean(values), low, high)]
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--pages", type=int, default=60, help="posts to find templates in")
    parser.add_argument("--site", default="", help="only sites whose names begin so")
    parser.add_argument("--only", default=",".join(METHODS))
    given = parser.parse_args()
    methods = given.only.split(",")
    if autoscraper is None:
        methods = [name for name in methods if not name.startswith("autoscraper")]
    rows = []
    for path in sorted(SITES.glob(f"{given.site}*.jsonl.gz")):
        rows.append(site(path, given.pages, methods))
        print(json.dumps(rows[-1], ensure_ascii=False), flush=True)
    said = {
        name: [sum(row["agrees"][name][k] for row in rows) for k in (0, 1)]
        for name in ("title", "date")
    }
    print(json.dumps({
        "sites": len(rows), "pages": sum(row["unseen"] for row in rows),
        "templates": sum(row["templates"] for row in rows), "agrees": said,
        "means": means(rows, methods),
    }))  # fmt: skip


if __name__ == "__main__":
    main()
