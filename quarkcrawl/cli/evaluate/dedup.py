"""``quarkcrawl evaluate dedup``: methods of finding reposts on articles with known classes."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Argument, Option

from quarkcrawl.cli.options import AsJson, listed_all, progress_shown, read_records
from quarkcrawl.progress import reported

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from quarkcrawl.lab.evaluate import ClassScore, Repost
    from quarkcrawl.progress import Progress

_METHODS = ("default", "three-codes", "featurecode-2004", "code-only", "simhash", "simhash-6",
            "minhash")  # fmt: skip


def dedup(
    data: Annotated[
        list[Path] | None, Argument(metavar="DATA", help="JSON lines with articles.")
    ] = None,
    method: Annotated[
        list[str] | None,
        Option(
            metavar="|".join((*_METHODS, "simhash-words", "md5")),
            help="Method of finding reposts; may be repeated, or several with commas between.",
            show_default=", ".join(_METHODS),
        ),
    ] = None,
    max_articles: Annotated[int, Option(min=1, help="Most articles.")] = 400,
    seed: Annotated[int, Option(help="Seed of chance: the same seed, the same result.")] = 0,
    whole_pages: Annotated[
        bool, Option("--whole-pages", help="Whole pages, extraction included.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Compare methods of finding reposts on a generated benchmark (HIT paper 2004, section 3.1).

    \b
    Examples:
      quarkcrawl evaluate dedup
      quarkcrawl evaluate dedup articles.jsonl.gz --method default,featurecode-2004 --whole-pages

    Reposts are made from articles (JSON lines with gold_text or text; without files, generated
    ones): some edits keep an article what it is, some make another one. With --whole-pages each
    text is put into a web page, and what is compared is what the extractor finds there. The second
    table has the layout of the paper: total classes / errors by area and length bound a.
    """
    from quarkcrawl.dedup import METHODS  # noqa: PLC0415 - help needs no NumPy
    from quarkcrawl.errors import InputError  # noqa: PLC0415
    from quarkcrawl.lab.evaluate import make_reposts, usable_articles  # noqa: PLC0415

    names = listed_all(method) or list(_METHODS)
    for name in names:
        if name not in METHODS:
            method_names = ", ".join(METHODS)
            raise InputError(f"no method {name!r}; there are {method_names}", where="--method")
    articles = read_articles(data) if data else made_articles(max_articles, seed)
    reposts = make_reposts(usable_articles(articles)[:max_articles], seed)
    if not reposts:
        raise InputError("no article is long enough", where=data[0] if data else "--max-articles")
    with progress_shown() as show:
        texts = (
            _extracted(reposts, seed, show) if whole_pages else [repost.text for repost in reposts]
        )
        compared = reported(names, "methods", show, total=len(names))
        scores = {name: _timed(name, texts, reposts) for name in compared}
        show("table of the paper", 0, None)
        table = _paper_table(texts, reposts)
    (_print_json if as_json else _print_tables)(scores, table)


def read_articles(paths: Sequence[Path]) -> list[str]:
    """Articles of JSON lines; those that begin alike are taken once."""
    texts: dict[str, str] = {}
    for path in paths:
        for _, record in read_records(path):
            text = str(record.get("gold_text") or record.get("text") or "")
            texts.setdefault(text[:200], text)
    return list(texts.values())


def made_articles(n_articles: int, seed: int) -> list[str]:
    """Generated articles, a quarter more than asked for: not all of them are long enough."""
    from quarkcrawl.lab.mockweb import (  # noqa: PLC0415
        COLUMNS,
        Dice,
        paragraph,
    )

    def article(number: int) -> Iterator[str]:
        dice = Dice("reposts", seed, number)
        topic = dice.pick(COLUMNS)[2]
        for _ in range(dice.between(4, 14)):
            yield paragraph(dice, topic)

    return ["\n".join(article(number)) for number in range(n_articles + n_articles // 4)]


def _extracted(reposts: Sequence[Repost], seed: int, on_progress: Progress) -> list[str]:
    from quarkcrawl.content import extract  # noqa: PLC0415
    from quarkcrawl.lab.evaluate import page_of  # noqa: PLC0415

    looked_at = reported(enumerate(reposts), "pages", on_progress, total=len(reposts))
    return [extract(page_of(repost, at, seed)).text for at, repost in looked_at]


def _timed(name: str, texts: list[str], reposts: Sequence[Repost]) -> tuple[ClassScore, float]:
    from quarkcrawl.dedup import group_texts  # noqa: PLC0415
    from quarkcrawl.lab.evaluate import score_classes  # noqa: PLC0415

    group_texts(texts[:2], name)  # what is compiled or loaded on first use is not counted
    started = time.process_time()
    grouping = group_texts(texts, name)
    elapsed_s = time.process_time() - started
    score = score_classes(grouping.firsts, [repost.label for repost in reposts])
    return score, len(texts) / max(elapsed_s, 1e-9)


def _paper_table(texts: list[str], reposts: Sequence[Repost]) -> dict[str, tuple[str, ...]]:
    """In four areas, as in the paper; an article and what was made of it are in one."""
    from quarkcrawl.lab.evaluate import paper_table  # noqa: PLC0415

    areas: list[tuple[list[str], list[str]]] = [([], []) for _ in range(4)]
    for text, repost in zip(texts, reposts, strict=True):
        area = areas[repost.article % 4]
        area[0].append(text)
        area[1].append(repost.label)
    return paper_table(areas)


_Scores = dict[str, tuple[Any, float]]


def _print_json(scores: _Scores, table: dict[str, tuple[str, ...]]) -> None:
    rows = {
        name: {
            "precision": round(score.precision, 4),
            "recall": round(score.recall, 4),
            "f1": round(score.f1, 4),
            "n_texts": score.n_texts,
            "n_classes": score.n_classes,
            "n_merged": score.n_merged,
            "n_split": score.n_split,
            "texts_per_s": round(speed),
        }
        for name, (score, speed) in scores.items()
    }
    typer.echo(json.dumps({"methods": rows, "paper_table": table}, ensure_ascii=False))


def _print_tables(scores: _Scores, table: dict[str, tuple[str, ...]]) -> None:
    from rich.console import Console  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415

    first = next(iter(scores.values()))[0]
    shown = Table(title=f"{first.n_texts:,} texts in {first.n_classes:,} classes", box=None)
    for column in ("method", "P", "R", "F1", "wrongly merged", "wrongly split", "texts/s"):
        shown.add_column(column, justify="left" if column == "method" else "right")
    for name, (score, speed) in scores.items():
        ratios = (score.precision, score.recall, score.f1)
        counts = (score.n_merged, score.n_split, round(speed))
        shown.add_row(name, *(f"{x:.3f}" for x in ratios), *(f"{n:,}" for n in counts))
    console = Console(file=sys.stdout, width=100)
    console.print(shown)
    layout = Table(title="Total classes / errors (featurecode-2004)", box=None)
    for column in ("", "area 1", "area 2", "area 3", "area 4", "all"):
        layout.add_column(column, justify="right" if column else "left")
    for name, cells in table.items():
        layout.add_row(name, *cells)
    console.print(layout)
