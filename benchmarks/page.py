"""Cost of one page: charset, parse, arrays, links, spans, URLs; with peers in the same run.

    python benchmarks/page.py [--repeats 3] [--trim]

Prints JSON. Times are CPU milliseconds per page (URLs: microseconds), the best of the repeats.
``--trim`` raises malloc's trim and mmap thresholds for everything in the run alike.
"""

from __future__ import annotations

import argparse
import base64
import ctypes
import gzip
import importlib.util
import json
import random
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

from quarkcrawl.page import Page, PageTree
from quarkcrawl.page.links import extract_links
from quarkcrawl.page.page import locate_runs
from quarkcrawl.page.text.charset import decide
from quarkcrawl.page.urls.canonical import LinkResolver

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
SETS = ("daniel_zh", "cwced", "magic_article_zh", "magic_forum_zh", "twevents")
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3

Pages = list[tuple[bytes, str]]


def real_pages() -> Pages:
    pages: Pages = []
    for path in sorted((SHARED / "extraction").glob("*.jsonl.gz")):
        if path.name.partition(".")[0] in SETS:
            rows = list(map(json.loads, gzip.decompress(path.read_bytes()).splitlines()))
            pages += [(base64.b64decode(r["body_b64"]), r["url"] or "http://a.cn/") for r in rows]
    for path in sorted((SHARED / "sites").glob("*.jsonl.gz")):
        rows = list(map(json.loads, gzip.decompress(path.read_bytes()).splitlines()))
        random.Random(1).shuffle(rows)
        pages += [(row["html"].encode(), row["url"]) for row in rows[:20]]
    return pages


def generated_pages() -> Pages:
    """Portal pages of about 65 KiB of Chinese text and markup, half of them GBK."""
    rnd = random.Random(2)
    chars = "春天来了校园里的花开得正好学生们在湖边读书图书馆新到一批关于计算机网络的书"

    def words(n: int) -> str:
        return "".join(rnd.choices(chars, k=n)) + "。"

    pages: Pages = []
    for number in range(60):
        rows = "".join(
            f'<tr><td class="c{i % 7}"><a href="/news/{i}.html" target="_blank">{words(14)}</a>'
            f"</td><td>{words(60)}</td></tr>\n"
            for i in range(220)
        )
        html = f"<html><head><title>{words(9)}</title></head><body><table>{rows}</table></body>"
        pages.append((html.encode("gbk" if number % 2 else "utf-8"), "http://www.example.cn/"))
    return pages


def best_ms(run: Callable[[Any], object], inputs: Iterable[Any], repeats: int) -> float:
    inputs = list(inputs)
    times = []
    for _ in range(repeats):
        started = time.process_time()
        for item in inputs:
            run(item)
        times.append(time.process_time() - started)
    return round(min(times) / len(inputs) * 1e3, 4)


def touch(*_values: object) -> None:
    """Have lazy values computed."""


def arrays(html: str) -> None:
    tree = PageTree.parse(html)
    touch(tree.tag, tree.depth, tree.parent, tree.end, tree.run_node, tree.run_raw, tree.run_end)


def quantities(html: str) -> None:
    tree = PageTree.parse(html)
    touch(tree.text_chars, tree.own_chars, tree.anchor_chars, tree.punctuation, tree.link_count)


def fresh(page: Page) -> Page:
    return Page(page.body, page.charset, page.url)


def crawl_path(page: tuple[bytes, str]) -> None:
    made = Page.from_bytes(*page)
    touch(made.title, made.links)


def ours(pages: Pages, repeats: int) -> dict[str, float]:
    made = [Page.from_bytes(*page) for page in pages]
    htmls = [page.html for page in made]

    def links(page: Page) -> None:
        page = fresh(page)
        touch(page.title, extract_links(page.tree, page.url, page.encoding))

    def spans(page: Page) -> None:
        touch(page.tree.run_node, locate_runs(page))

    return {
        "charset": best_ms(lambda page: decide(page[0]), pages, repeats),
        "parse": best_ms(PageTree.parse, htmls, repeats),
        "parse + arrays": best_ms(arrays, htmls, repeats),
        "parse + quantities": best_ms(quantities, htmls, repeats),
        "parse + title + links": best_ms(links, made, repeats),
        "spans (tree at hand)": best_ms(spans, made, repeats),
        "bytes to title + links": best_ms(crawl_path, pages, repeats),
    }


def have(*modules: str) -> bool:
    return all(importlib.util.find_spec(module) for module in modules)


def peers(pages: Pages, repeats: int) -> dict[str, float]:
    """Parsers, each walking its tree for names, attributes and text; Scrapy's link extraction."""
    found: dict[str, float] = {}
    htmls = [Page.from_bytes(*page).html for page in pages]
    if have("selectolax"):
        from selectolax.lexbor import LexborHTMLParser

        def lexbor(html: str) -> None:
            for node in LexborHTMLParser(html).root.traverse(include_text=True):
                _ = node.attributes if node.is_element_node else node.text_content

        found["selectolax: parse + attributes + text"] = best_ms(lexbor, htmls, repeats)
    if have("lxml"):
        from lxml import html as lxml_html

        def lxml_walk(html: str) -> None:
            parser = lxml_html.HTMLParser(encoding="utf-8")
            root = lxml_html.document_fromstring(html.encode() or b"<p>", parser=parser)
            for node in root.iter():
                _ = node.tag, node.text, node.tail, dict(node.attrib)

        found["lxml: parse + attributes + text"] = best_ms(lxml_walk, htmls, repeats)
    if have("resiliparse"):
        from resiliparse.parse.html import HTMLTree

        found["resiliparse: parse only"] = best_ms(HTMLTree.parse, htmls, repeats)
    if have("scrapy"):
        from scrapy.http import HtmlResponse
        from scrapy.linkextractors import LinkExtractor

        extract = LinkExtractor(unique=False).extract_links

        def scrapy_links(page: tuple[bytes, str]) -> None:
            response = HtmlResponse(page[1], body=page[0])
            touch(response.css("title::text").get(), extract(response))

        found["scrapy: bytes to title + links"] = best_ms(scrapy_links, pages, repeats)
    return found


def url_costs(pages: Pages, repeats: int) -> dict[str, float]:
    """Microseconds per link target as written in the pages."""
    targets: list[tuple[str, list[str]]] = []
    for page in (Page.from_bytes(*page) for page in pages):
        hrefs = [page.tree.attr(node, "href") for node in page.tree.nodes("a")]
        targets.append((page.url, [href for href in hrefs if href]))
    n_links = sum(len(hrefs) for _, hrefs in targets)

    def per_link(run: Callable[[Any], object]) -> float:
        return round(best_ms(run, targets, repeats) * len(targets) / n_links * 1e3, 3)

    def resolve(page: tuple[str, list[str]]) -> None:
        resolver = LinkResolver(page[0])
        for href in page[1]:
            resolver.resolve(href)

    costs = {"ours": per_link(resolve)}
    if have("w3lib"):
        from w3lib.url import canonicalize_url

        def w3lib(page: tuple[str, list[str]]) -> None:
            for href in page[1]:
                try:
                    canonicalize_url(urljoin(page[0], href))
                except ValueError:
                    continue

        costs["urljoin + w3lib canonicalize_url"] = per_link(w3lib)
    return costs


def describe(pages: Pages) -> dict[str, float]:
    made = [Page.from_bytes(*page) for page in pages]
    n = len(made)
    return {
        "pages": n,
        "mean KiB": round(sum(len(page.body) for page in made) / n / 1024, 1),
        "mean elements": round(sum(len(page.tree) for page in made) / n),
        "mean runs": round(sum(len(page.tree.runs) for page in made) / n),
        "mean links": round(sum(len(page.links) for page in made) / n),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--trim", action="store_true")
    options = parser.parse_args()
    if options.trim:
        libc = ctypes.CDLL(None)
        libc.mallopt(M_TRIM_THRESHOLD, 256 << 20)
        libc.mallopt(M_MMAP_THRESHOLD, 256 << 20)
    corpora = {"generated": generated_pages()}
    if SHARED.is_dir():
        corpora["real"] = real_pages()
    report: dict[str, Any] = {"trim": options.trim}
    for name, pages in corpora.items():
        report[name] = {
            "input": describe(pages),
            "ms per page": ours(pages, options.repeats),
            "peers, ms per page": peers(pages, options.repeats),
            "URL, µs per link": url_costs(pages, options.repeats),
        }
    print(json.dumps(report, ensure_ascii=False, indent=1))


if __name__ == "__main__":
    main()
