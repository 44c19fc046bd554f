"""What the default extractor loses when the same page is written otherwise. Prints JSON lines.

    python benchmarks/sturdiness.py MODELS [--data ../shared/data] [--only 'NAME;…'] [--pages FILE]

MODELS is a folder of models trained without each part of the sites (``left_out_0.npz``, …), as
``benchmarks/kinds.py --folds 3 --models MODELS`` keeps them, with those of kinds; each
page is judged by the model that has not seen its site. A page is rewritten as source text; that a
browser shows the same is checked on its tree (elements, attributes, texts without white space), and
pages where it does not hold are left out and counted. The last lines are of the segments of
trafilatura_segments, if the models know this set: present if the text without title holds them,
white space aside. The shipped model has seen these pages.
"""

from __future__ import annotations

import argparse
import base64
import gzip
import json
import logging
import random
import re
import sys
from collections import Counter, defaultdict
from functools import cache
from multiprocessing import Pool
from pathlib import Path

import numpy as np

from quarkcrawl.content import extract
from quarkcrawl.content.kind import read_kind_model
from quarkcrawl.content.lines import default_extraction, read_model
from quarkcrawl.content.methods import METHODS
from quarkcrawl.lab.evaluate import comparable, compose, score_text
from quarkcrawl.lab.gold import TITLE_IN_GOLD, gold_page
from quarkcrawl.lab.training import fold_parts, marked_page
from quarkcrawl.page import Page

BLOCKS = """
    address article aside base blockquote body br caption center col colgroup dd details dialog div
    dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 head header hgroup hr html legend
    li link main menu meta nav ol p section style summary table tbody td tfoot th thead title tr ul
    !doctype
"""
BLOCK_TAGS = frozenset(BLOCKS.split())
"""White space beside their tags is not shown."""

TAG = r"<(?P<slash>/?)(?P<name>[a-zA-Z][\w:-]*)(?P<attrs>(?:[^<>\"']|\"[^\"]*\"|'[^']*')*)>"
TOKEN = re.compile(
    r"(?P<raw><(?P<kept>pre|textarea|listing|xmp|plaintext|script|style|title|iframe|noembed"
    r"|noframes|svg|math|select)\b.*?(?:</(?P=kept)\s*>|\Z))|(?P<comment><!--.*?-->)"
    rf"|(?P<tag>{TAG})|(?P<bang><![^>]*>)",
    re.IGNORECASE | re.DOTALL,
)
ATTRIBUTE = re.compile(r"([^\s=/\"'<>]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'<>]+))")
DROPPED = {  # an end tag, and the tags before which it may be left out
    "li": "li /ul /ol",
    "dt": "dt dd",
    "dd": "dt dd /dl",
    "td": "td th /tr",
    "th": "td th /tr",
    "tr": "tr /tbody /thead /tfoot /table",
    "tbody": "/table tbody tfoot",
    "thead": "tbody tfoot",
    "p": "address article aside blockquote div dl fieldset footer form h1 h2 h3 h4 h5 h6 header hr "
    "main nav ol p pre section table ul /div /td /li /article /section",
    "body": "/html",
    "html": "",
}
META = re.compile(
    r"<meta\b[^<>]*?charset\s*=\s*[\"']?\s*([\w:.+-]+)[^<>]*>|<\?xml\b[^>]*>", re.IGNORECASE
)
SEGMENTS = "trafilatura_segments"
SCRIPT = re.compile(r"(<(script|style)\b.*?</\2\s*>)", re.IGNORECASE | re.DOTALL)


def tokens(html: str):
    """Texts and all else, each as (kind, source, name of the tag)."""
    done = 0
    for match in TOKEN.finditer(html):
        if match.start() > done:
            yield "text", html[done : match.start()], ""
        kind = match.lastgroup if match.lastgroup in ("raw", "comment", "bang") else "tag"
        kind = next(k for k in ("raw", "comment", "tag", "bang") if match[k] is not None)
        name = (match["kept"] or (match["slash"] or "") + (match["name"] or "!doctype")).lower()
        yield kind, match[0], name
        done = match.end()
    if done < len(html):
        yield "text", html[done:], ""


def is_block(token) -> bool:
    return token is None or (
        token[0] in ("tag", "bang", "raw") and token[2].lstrip("/") in BLOCK_TAGS
    )


def respaced(html: str, blank: str, *, between_blocks: str | None = None) -> str:
    """Each white space as ``blank``, and as ``between_blocks`` where it is not shown."""
    read = list(tokens(html))
    out = []
    for place, (kind, source, name) in enumerate(read):
        before = read[place - 1] if place else None
        behind = read[place + 1] if place + 1 < len(read) else None
        if kind != "text":
            if between_blocks and is_block((kind, source, name)) and kind == "tag":
                out.append(between_blocks)
            out.append(source)
            continue
        text = re.sub(r"[ \t\r\n\f]+", blank, source)
        if between_blocks is not None:
            text = text.removeprefix(blank) if is_block(before) else text
            text = text.removesuffix(blank) if is_block(behind) else text
        out.append(text)
    return "".join(out)


def without_comments(html: str) -> str:
    return "".join(source for kind, source, _ in tokens(html) if kind != "comment")


def unquoted(html: str) -> str:
    def bare(match: re.Match[str]) -> str:
        value = next((v for v in match.groups()[1:] if v is not None), "")
        ok = re.fullmatch(r"[^\s\"'`=<>]+", value)  # a space keeps what follows apart
        return f"{match[1]}={value} " if ok else match[0]

    return "".join(
        ATTRIBUTE.sub(bare, source) if kind == "tag" else source for kind, source, _ in tokens(html)
    )


def without_end_tags(html: str) -> str:
    read = list(tokens(html))
    out = []
    for place, (kind, source, name) in enumerate(read):
        behind = read[place + 1 :][:2]
        if behind and behind[0][0] == "text" and not behind[0][1].strip():
            behind = behind[1:]
        follower = behind[0][2] if behind and behind[0][0] != "text" else "text" if behind else ""
        if kind == "tag" and name[:1] == "/" and follower in DROPPED.get(name[1:], "-").split(" "):
            continue
        out.append(source)
    return "".join(out)


def minified(html: str) -> str:
    short = respaced(without_comments(html), " ", between_blocks="")
    return unquoted(without_end_tags(short))


def renamed(html: str, seed: str) -> str:
    """Each class name and id another, made-up one; what refers to an id refers to the new one."""
    dice, names = random.Random(seed), {}

    def new(name: str) -> str:
        if name not in names:
            names[name] = "".join(dice.choices("bcdfghjklmnpqrstvwxz", k=dice.randint(7, 11)))
        return names[name]

    def attribute(match: re.Match[str]) -> str:
        key, number = match[1].lower(), next(n for n in (2, 3, 4) if match[n] is not None)
        if key in ("class", "id", "for", "headers", "aria-labelledby", "aria-controls"):
            value = " ".join(map(new, match[number].split()))
        elif key == "href" and match[number][:1] == "#" and match[number][1:]:
            value = f"#{new(match[number][1:])}"
        else:
            return match[0]
        start, end = match.span(number)  # quotes stay: in a broken tag others would end elsewhere
        return match[0][: start - match.start()] + value + match[0][end - match.start() :]

    def opened(source: str) -> str:
        end = re.match(TAG, source).end()
        return ATTRIBUTE.sub(attribute, source[:end]) + source[end:]

    return "".join(
        opened(source) if kind in ("tag", "raw") and re.match(TAG, source) else source
        for kind, source, _ in tokens(html)
    )


def encoded(html: str, codec: str, label: str) -> bytes:
    """The page in an encoding, and what it says of itself; what cannot be encoded by reference."""
    html = META.sub(lambda m: f'<meta charset="{label}">' if m[1] else "", html)
    if not re.search(r"<meta\b[^<>]*charset", html[:8000]):
        head = re.search(r"<head[^<>]*>|<html[^<>]*>|<!doctype[^>]*>", html, re.IGNORECASE)
        place = head.end() if head else 0
        html = f'{html[:place]}<meta charset="{label}">{html[place:]}'
    pieces = SCRIPT.split(html)  # texts, programs and their names by turns
    out = []
    for number, piece in enumerate(pieces):
        if number % 3 == 0:
            out.append(piece.encode(codec, "xmlcharrefreplace"))
        elif number % 3 == 1:
            out.append(piece.encode(codec, "backslashreplace"))
    mark = {"utf-16-le": b"\xff\xfe", "utf-16-be": b"\xfe\xff"}.get(codec, b"")
    return mark + b"".join(out)


REWRITTEN = {
    "spaces collapsed": lambda html, _: respaced(html, " "),
    "indented": lambda html, _: respaced(html, "\n\t  ", between_blocks="\n    "),
    "comments removed": lambda html, _: without_comments(html),
    "quotes removed": lambda html, _: unquoted(html),
    "end tags removed": lambda html, _: without_end_tags(html),
    "minified": lambda html, _: minified(html),
    "names made up, by page": lambda html, job: renamed(html, "/".join(job[:2])),
    "names made up, by site": lambda html, job: renamed(html, job[2]),
}
ENCODED = {
    "utf-8": ("utf-8", "utf-8"),
    "gbk": ("gbk", "gbk"),
    "big5": ("big5hkscs", "big5"),
    "utf-16": ("utf-16-le", "utf-16"),
    "utf-8, says gb2312": ("utf-8", "gb2312"),
    "utf-8, says iso-8859-1": ("utf-8", "iso-8859-1"),
    "gbk, says utf-8": ("gbk", "utf-8"),
    "gbk, says iso-8859-1": ("gbk", "iso-8859-1"),
    "big5, says gb2312": ("big5hkscs", "gb2312"),
    "utf-16, says gb2312": ("utf-16-be", "gb2312"),
}


def shape(page: Page, *, with_names: bool):
    """What a browser shows of a page, white space aside."""
    tree = page.tree
    texts = []
    for node, run in zip(tree.run_node.tolist(), tree.runs, strict=True):
        if squeezed := "".join(run.split()):
            if texts and texts[-1][0] == node:
                texts[-1][1] += squeezed
            else:
                texts.append([node, squeezed])
    attrs = [sorted(dict(a).items()) for a in tree.all_attrs] if with_names else None
    return tree.tags, tree.parent.tolist(), attrs, texts


model = cache(read_model)


@cache
def kind_model(path: Path):
    """The model of kinds beside a model of lines; None: the shipped one."""
    beside = path.with_name(path.name.replace("left_out", "kind"))
    return read_kind_model(beside) if beside != path else None


def content(page: Page, path: Path):
    METHODS["default"] = lambda page: default_extraction(page, model(path), kind_model(path))
    found = extract(page)
    return found.title, found.text


def f1(dataset: str, found: tuple[str, str], gold: str) -> float:
    if not dataset.startswith("wcxb"):
        return score_text(compose(*found, with_title=dataset in TITLE_IN_GOLD), gold).f1
    a, b = (Counter(re.findall(r"\w+", text.lower())) for text in (found[1], gold))
    return 2 * (a & b).total() / max(1, a.total() + b.total())


def judged(job):
    """F1 of a page as it is and of each rewriting, None where it is no longer the same page."""
    dataset, name, _site, url, body, gold, path, wanted = job
    page = Page.from_bytes(body, url)
    found = content(page, path)
    scores = {"as it is": f1(dataset, found, gold)}
    for key in wanted:
        if key in ENCODED:
            other = Page.from_bytes(encoded(page.html, *ENCODED[key]), url)
        else:
            other = Page.from_html(REWRITTEN[key](page.html, job), url)
            named = not key.startswith("names")
            if shape(page, with_names=named) != shape(other, with_names=named):
                scores[key] = None
                continue
        again = content(other, path)
        scores[key] = scores["as it is"] if again == found else f1(dataset, again, gold)
    return dataset, name, scores


def rows(data: Path, name: str):
    path = next(p for p in data.glob(f"*/{name}.jsonl.gz"))
    with gzip.open(path, "rt") as lines:
        yield from map(json.loads, lines)


def pages_of_parts(data: Path, models: list[Path]):
    """Pages that have text, each with the model that has not seen its site."""
    about = model(models[0]).about
    sets = about["data"]
    if about["n_folds"] != len(models):
        raise SystemExit(f"{len(models)} models, but trained in {about['n_folds']} parts")
    pages = [
        (name, row, marked_page(gold_page(row, data, name), name))
        for name in sorted(sets)
        for row in rows(data, name)
    ]
    pages = [page for page in pages if Page.from_bytes(page[2].body).tree.text_chars[0]]
    counts = Counter(name for name, _, _ in pages)
    if counts != {name: about["pages"] for name, about in sets.items()}:
        raise SystemExit("the models were trained on other pages")
    parts = fold_parts([marked for _, _, marked in pages], len(models))
    return [(*page, models[part]) for page, part in zip(pages, parts, strict=True)]


def jobs(pages, wanted: list[str]):
    """What is to be judged of pages that have a gold text."""
    for name, row, marked, path in pages:
        if gold := row["gold_text"]:
            yield name, str(row["id"]), marked.site, marked.url, marked.body, gold, path, wanted


def summary(scored: dict[str, list[tuple[str, str, float, float | None]]]):
    for name, pairs in scored.items():
        same = [
            (dataset, after - before) for dataset, _, before, after in pairs if after is not None
        ]
        d = np.array([value for _, value in same])
        by_set = defaultdict(list)
        for dataset, value in same:
            by_set[dataset].append(value)
        yield {
            "rewritten": name,
            "pages": len(d),
            "other pages": len(pairs) - len(d),
            "mean": round(float(d.mean()), 5),
            "half interval": round(float(1.96 * d.std() / len(d) ** 0.5), 5),
            "changed > .01": int((abs(d) > 0.01).sum()),
            "sets": {key: round(float(np.mean(by_set[key])), 4) for key in sorted(by_set)},
        }


def segments(job):
    """True positives, false positives, false negatives of one page's segments."""
    row, path = job
    text = comparable(
        content(Page.from_bytes(base64.b64decode(row["body_b64"]), row["url"]), path)[1]
    )
    musts, others = (
        [comparable(piece) in text for piece in row.get(key) or ()] for key in ("must", "must_not")
    )
    return row["id"], sum(musts), sum(others), len(musts) - sum(musts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", type=Path)
    parser.add_argument("--data", type=Path, default=Path(__file__).parents[2] / "shared" / "data")
    parser.add_argument("--only", help="names of rewritings, or segments; semicolons between")
    parser.add_argument("--pages", type=Path, help="each page's figures are written there")
    given = parser.parse_args()
    logging.disable(logging.CRITICAL)
    known = [*REWRITTEN, *ENCODED, "segments"]
    wanted = [name for name in known if not given.only or name in given.only.split(";")]
    pages = pages_of_parts(given.data, sorted(given.models.glob("left_out_*.npz")))
    kept = {}
    with Pool(2) as pool:
        if rewritings := [name for name in wanted if name != "segments"]:
            scored = defaultdict(list)
            for dataset, name, scores in pool.imap(judged, jobs(pages, rewritings), 4):
                kept[f"{dataset}/{name}"] = scores
                for key in rewritings:
                    scored[key].append((dataset, name, scores["as it is"], scores[key]))
            for line in summary(scored):
                print(json.dumps(line))
        if "segments" in wanted:
            shipped = (
                Path(sys.modules["quarkcrawl"].__file__).parent / "content/lines/default_model.npz"
            )
            left_out = [(row, path) for name, row, _, path in pages if name == SEGMENTS]
            seen = [(row, shipped) for row, _ in left_out]
            for name, tables in (("sites left out", left_out), ("shipped", seen)):
                if not tables:
                    continue
                found = pool.map(segments, tables, 8)
                kept[f"segments {name}"] = found
                tp, fp, fn = np.sum([row[1:] for row in found], axis=0).tolist()
                f = round(2 * tp / (2 * tp + fp + fn), 4)
                line = {"segments": name, "f": f, "found": tp, "wrong": fp, "missed": fn}
                print(json.dumps(line))
    if given.pages:
        given.pages.write_text(json.dumps(kept))


if __name__ == "__main__":
    main()
