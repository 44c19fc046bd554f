"""How right the metadata are, each source against the others, and what they cost. Prints JSON.

    python benchmarks/metadata.py [--data ../shared/data] [--pages 300]

Titles: the first line of the marked text (sets whose gold begins with the headline), og:title of
the posts of the sites (hidden from us). Dates: the sixty pages of metadata_truth.tsv; declared
dates (JSON-LD and meta hidden) against what text, time elements and URL give; htmldate in the same
run. Names: hashes in metadata_truth.tsv. Authors and dates of WCXB and of trafilatura's pages: as
their files tell, an author right if all words of one are among those of the other. Mini-web: its
truth.
"""

from __future__ import annotations

import argparse
import base64
import gzip
import hashlib
import json
import logging
import random
import re
import time
import unicodedata
from collections import defaultdict
from importlib.util import find_spec
from pathlib import Path

from rapidfuzz.distance import LCSseq

from quarkcrawl.content.headline import bare, common_chars
from quarkcrawl.content.metadata.api import metadata
from quarkcrawl.lab.mockweb import Ask, MiniWeb, page_truth, truth
from quarkcrawl.page import Page

HERE = Path(__file__).resolve().parent
TITLED = ("daniel_zh", "daniel_en", "twevents", "magic_forum_zh", "magic_forum_en")
DECLARED = frozenset(("jsonld", "meta"))


def rows(data: Path, name: str, folder: str = "extraction"):
    with gzip.open(data / folder / f"{name}.jsonl.gz", "rt") as lines:
        for line in lines:
            row = json.loads(line)
            yield row, Page.from_bytes(base64.b64decode(row["body_b64"]), row["url"])


def squeezed(text: str) -> str:
    return re.sub(r"\s+", "", unicodedata.normalize("NFKC", text))


def f1(found: str, wanted: str) -> float:
    a, b = squeezed(found), squeezed(wanted)
    return 2 * LCSseq.similarity(a, b) / (len(a) + len(b)) if a and b else 0.0


def first_line(row: dict) -> str:
    lines = (line.strip().lstrip("》").strip() for line in row["gold_text"].split("\n"))
    return next((line for line in lines if line), "")


def meta(page: Page, name: str) -> str:
    for node in page.tree.nodes("meta"):
        attrs = page.tree.attrs(node)
        if name in (attrs.get("property"), attrs.get("name")):
            return attrs.get("content", "")
    return ""


def alone(page: Page) -> dict[str, str]:
    """Each source of a title by itself."""
    heads = (" ".join(page.tree.text(node).split()) for node in page.tree.nodes("h1"))
    return {
        "title_element": page.title,
        "first_h1": next(filter(None, heads), ""),
        "og_title": meta(page, "og:title"),
    }


def mean_scores(scores: dict[str, list[tuple[bool, float]]]) -> dict[str, object]:
    out: dict[str, object] = {}
    for name, pairs in scores.items():
        out["pages"] = len(pairs)
        exact = sum(pair[0] for pair in pairs) / len(pairs)
        out[name] = {
            "exact": round(exact, 3),
            "f1": round(sum(p[1] for p in pairs) / len(pairs), 3),
        }
    return out


def titles(data: Path) -> dict[str, object]:
    out = {}
    for name in TITLED:
        scores = defaultdict(list)
        for row, page in rows(data, name):
            wanted, others = first_line(row), alone(page)
            if not name.startswith("daniel"):  # is the first line a headline at all?
                heads = [page.tree.text(node) for node in page.tree.nodes("h1", "h2", "h3")]
                shared = [common_chars(bare(wanted), bare(c)) for c in (*others.values(), *heads)]
                if len(wanted) < 4 or max(shared) < 0.6 * len(bare(wanted)):
                    continue
            for source, found in {"ours": metadata(page).title, **others}.items():
                scores[source].append((squeezed(found) == squeezed(wanted), f1(found, wanted)))
        out[name] = mean_scores(scores)
    return out


def site_titles(data: Path, n_a_host: int) -> dict[str, object]:
    scores = defaultdict(list)
    for path in sorted((data / "sites").glob("*.gz")):
        with gzip.open(path, "rt") as lines:
            posts = [row for row in map(json.loads, lines) if row["template_label"] == "post"]
        random.Random(3).shuffle(posts)
        for row in posts[:n_a_host]:
            page = Page.from_html(row["html"], row["url"])
            wanted = meta(page, "og:title")
            if wanted and bare(wanted) != bare(meta(page, "og:site_name")):
                others = alone(page)
                del others["og_title"]
                ours = metadata(page, without=DECLARED).title
                for source, found in {"ours": ours, **others}.items():
                    scores[source].append((squeezed(found) == squeezed(wanted), f1(found, wanted)))
    return mean_scores(scores)


def peer_date(page: Page) -> str:
    import htmldate

    try:
        return htmldate.find_date(page.html, url=page.url or None, original_date=True) or ""
    except Exception:
        return ""


def code(name: str) -> str:
    folded = squeezed(name).lower()
    return hashlib.sha256(folded.encode()).hexdigest()[:10] if name else "-"


def by_hand(data: Path) -> dict[str, object]:
    lines = (HERE / "metadata_truth.tsv").read_text().splitlines()
    known = dict(line.split("\t", 1) for line in lines if not line.startswith("#"))
    counts = defaultdict(int)
    for name in sorted({key.split("/")[0] for key in known}):
        for row, page in rows(data, name):
            if row["id"] not in known:
                continue
            day, source, author = known[row["id"]].split("\t")
            got = metadata(page)
            if day != "?":
                wanted = "" if day == "-" else day
                counts["dates"] += 1
                counts["day_right"] += got.published[:10] == wanted[:10]
                is_full = got.published[: len(wanted)] == wanted if wanted else not got.published
                counts["as_precise"] += is_full
                counts["htmldate_day_right"] += peer_date(page)[:10] == wanted[:10]
            named = got.source if got.source_from != "site_name" else ""
            writer = re.split("[、, ]", got.author)[0]
            for kind, wanted, found in (("source", source, named), ("author", author, writer)):
                if wanted != "?":
                    counts[f"{kind}s"] += wanted != "-"
                    counts[f"{kind}_right"] += wanted != "-" and code(found) == wanted
                    counts[f"{kind}_wrong"] += bool(found) and code(found) != wanted
    return dict(counts)


def withheld(data: Path) -> dict[str, object]:
    """Declared dates as truth, hidden from us; for htmldate the page without them."""
    counts = defaultdict(int)
    for path in sorted((data / "extraction").glob("*.gz")):
        for _, page in rows(data, path.name.removesuffix(".jsonl.gz")):
            told = metadata(page, without=frozenset(("text", "time", "url", "title")))
            if not told.published:
                continue
            lang = "en" if path.name.endswith("_en.jsonl.gz") else "zh"
            found = metadata(page, without=DECLARED)
            counts[f"{lang}_pages"] += 1
            counts[f"{lang}_found"] += bool(found.published)
            counts[f"{lang}_right"] += found.published[:10] == told.published[:10]
            bare_page = Page.from_html(hidden(page.html), page.url)
            peer = peer_date(bare_page)
            counts[f"{lang}_htmldate_found"] += bool(peer)
            counts[f"{lang}_htmldate_right"] += peer[:10] == told.published[:10]
    return dict(counts)


def words(names: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", unicodedata.normalize("NFKC", names).lower()))


def told_in_sets(data: Path) -> dict[str, object]:
    """Authors and dates that two sets tell; pages of which they tell none are not counted."""
    out: dict[str, object] = {}
    for name, dated in (("wcxb_types", "published"), ("trafilatura_segments", "date")):
        counts = defaultdict(int)
        for row, page in rows(data, name, "more"):
            got, told = metadata(page), row.get("author") or ""
            wanted = words(told if isinstance(told, str) else " ".join(told))
            found, day = words(got.author), (row.get(dated) or "")[:10]
            if wanted:
                counts["authors"] += 1
                counts["author_found"] += bool(found)
                counts["author_right"] += bool(found) and (found <= wanted or wanted <= found)
                counts["author_same"] += found == wanted
            if day:
                counts["dates"] += 1
                counts["day_right"] += got.published[: len(day)] == day
                counts["day_wrong"] += got.published[: len(day)] not in ("", day)
        out[name] = dict(counts)
    return out


def hidden(html: str) -> str:
    html = re.sub(r"(?is)<script[^>]*ld\+json.*?</script>", "", html)
    return re.sub(r"(?i)<meta\b[^>]*>", "", html)


def miniweb(n_pages: int) -> dict[str, object]:
    web = MiniWeb(seed=7, n_hosts=30, n_pages=3 * n_pages, hostile=False)
    counts = defaultdict(int)
    for host in truth(web).hosts.values():
        for url in host.levels:
            known = page_truth(web, url)
            if known is None or known.kind != "topic" or not known.date:
                continue
            scheme, _, rest = url.partition("://")
            name, _, path = rest.partition("/")
            reply = web.respond(Ask(scheme, name, "/" + path))
            found = metadata(Page.from_bytes(reply.body, url))
            counts["pages"] += 1
            counts["title"] += found.title == known.title
            counts["date"] += found.published.replace("T", " ") == known.date
            counts["source"] += found.source == known.source
            counts["author_or_editor"] += known.author in (found.author, found.editor)
    return dict(counts)


def speed(data: Path, n_pages: int) -> dict[str, object]:
    out = {}
    for name in ("daniel_zh", "magic_article_zh", "scrapinghub_en"):
        pages = [page for _, page in rows(data, name)][:n_pages]
        sources = [(page.html, page.url) for page in pages]
        times = defaultdict(list)
        for _ in range(5):
            start = time.process_time()
            fresh = [Page.from_html(html, url) for html, url in sources]
            for page in fresh:
                _ = page.tree.tag, page.tree.run_raw, page.tree.run_end, page.tree.nodes("a")
            times["parse_ms"].append(time.process_time() - start)
            start = time.process_time()
            for page in fresh:
                metadata(page)
            times["metadata_ms"].append(time.process_time() - start)
        n_kib = sum(len(page.body) for page in pages) / 1024
        out[name] = {key: round(min(value) / len(pages) * 1e3, 3) for key, value in times.items()}
        out[name]["kib_a_page"] = round(n_kib / len(pages), 1)
        out[name]["metadata_ms_per_100_kib"] = round(min(times["metadata_ms"]) * 1e5 / n_kib, 3)
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=HERE.parents[1] / "shared" / "data")
    parser.add_argument("--pages", type=int, default=300)
    parser.add_argument("--only", choices=("quality", "speed"))
    args = parser.parse_args()
    logging.disable(logging.CRITICAL)
    out: dict[str, object] = {}
    if args.only != "speed":
        if find_spec("htmldate") is None:
            raise SystemExit("htmldate is missing: pip install 'quarkcrawl[peers]'")
        out["titles"] = titles(args.data)
        out["site_titles"] = site_titles(args.data, max(args.pages // 5, 1))
        out["by_hand"] = by_hand(args.data)
        out["told_in_sets"] = told_in_sets(args.data)
        out["withheld"] = withheld(args.data)
        out["miniweb"] = miniweb(args.pages)
    if args.only != "quality":
        out["speed"] = speed(args.data, args.pages)
    print(json.dumps(out, ensure_ascii=False, indent=1))


if __name__ == "__main__":
    main()
