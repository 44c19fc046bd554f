"""Topic pages and related links against the truth of the mini-web.

    python benchmarks/content_truth.py [--seed 7] [--hosts 30] [--pages 1500] [--demo]

Prints JSON: precision, recall and F1 of each topic decision over one page of each group of equal
pages, and of the related links on all pages and on topic pages alone. Content as `quark` finds it.
Pages about a site itself (``info``) are no topic pages and no lists, and left out of the decision.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from quarkcrawl.content import Content
from quarkcrawl.content.quark.analyzer import quark_extraction
from quarkcrawl.content.topic.api import TOPIC_METHODS
from quarkcrawl.lab.mockweb import Ask, MiniWeb, page_truth, truth
from quarkcrawl.page import Page

if TYPE_CHECKING:
    from collections.abc import Iterator

    from quarkcrawl.lab.mockweb import PageTruth


def pages(web: MiniWeb) -> Iterator[tuple[PageTruth, Page]]:
    for urls in truth(web).groups.values():
        url = min(urls)
        known, parts = page_truth(web, url), urlsplit(url)
        target = parts.path + (f"?{parts.query}" if parts.query else "")
        reply = web.respond(Ask(parts.scheme, parts.netloc, target, visit=2))
        if known is not None and reply.status == 200 and reply.body:
            yield known, Page.from_bytes(reply.body, url, known.content_type)


def rates(counts: Counter[str]) -> dict[str, float]:
    right, found, wanted = (counts[name] for name in ("right", "found", "wanted"))
    precision, recall = right / max(found, 1), right / max(wanted, 1)
    f1 = 2 * precision * recall / max(precision + recall, 1e-9)
    return {"P": round(precision, 3), "R": round(recall, 3), "F1": round(f1, 3), **counts}


def measure(web: MiniWeb) -> dict[str, object]:
    topic: dict[str, Counter[str]] = {name: Counter() for name in TOPIC_METHODS}
    related: dict[str, Counter[str]] = {"all pages": Counter(), "topic pages": Counter()}
    kinds: Counter[str] = Counter()
    for known, page in pages(web):
        kinds[known.kind] += 1
        content, is_topic = Content(quark_extraction(page)), known.kind == "topic"
        for name, decide in TOPIC_METHODS.items() if known.kind != "info" else ():
            found = decide(content.segmentation, content.text) > 0.5
            topic[name].update(right=found and is_topic, found=found, wanted=is_topic)
        links, wanted = {link.url for link in content.related_links}, set(known.related)
        for name in ("all pages", "topic pages") if is_topic else ("all pages",):
            right = len(links & wanted)
            related[name].update(right=right, found=len(links), wanted=len(wanted))
    return {
        "pages": dict(kinds),
        "topic": {name: rates(counts) for name, counts in topic.items()},
        "related links": {name: rates(counts) for name, counts in related.items()},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--hosts", type=int, default=30)
    parser.add_argument("--pages", type=int, default=1500, help="of all hosts together")
    parser.add_argument("--demo", action="store_true", help="the web of quarkcrawl demo instead")
    options = parser.parse_args()
    size = options.seed, options.hosts, options.pages
    web = MiniWeb.demo() if options.demo else MiniWeb(*size)
    print(json.dumps(measure(web), ensure_ascii=False, indent=1))


if __name__ == "__main__":
    main()
