"""What refinement is worth: models of characters, trained on texts of one size, on clean text.

    python benchmarks/refinement.py [--sites ../shared/data/sites]

Crawls the whole sites, refines and exports them, and trains a 5-gram model of characters on (a) the
texts of all pages, (b) the refined ones, (c) trafilatura's texts of the same pages, each cut to the
same number of characters in an order by chance. Prints a JSON line each: bits a character on the
Chinese texts marked by hand, none of which is of these sites.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import pyarrow.dataset as ds

from quarkcrawl.engines import DuckEngine
from quarkcrawl.refine import CharacterModel, view_documents
from quarkcrawl.refine.language import language_of
from quarkcrawl.store import Corpus

GOLD = ("daniel_zh", "cwced", "magic_article_zh")
SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"


def quarkcrawl(*words: object) -> None:
    subprocess.run([sys.executable, "-m", "quarkcrawl", *map(str, words)], check=True,
                   stdout=subprocess.DEVNULL)  # fmt: skip


def crawled(sites: Path, work: Path) -> Path:
    """A corpus of the sites."""
    hosts, replay = [], []
    for path in sorted(sites.glob("*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as file:
            hosts.append(json.loads(next(file))["url"].split("/")[2])
        replay += ["--replay", path]
    (work / "hosts.txt").write_text("".join(f"{host}\n" for host in hosts))
    quarkcrawl("crawl", work / "hosts.txt", "--out", work / "corpus", *replay, "--quiet",
               "--set", "robots=no")  # fmt: skip
    return work / "corpus"


def all_texts(root: Path, work: Path) -> list[str]:
    """The texts of all pages that have one."""
    with DuckEngine() as engine:
        view_documents(engine, root, "default", work / "documents")
        rows = engine.fetch("SELECT text FROM documents WHERE text <> '' ORDER BY url")
    return rows["text"].to_pylist()


def trafilatura_texts(root: Path) -> list[str]:
    """What trafilatura finds on the same pages."""
    from trafilatura import extract

    corpus = Corpus.open(root)
    rows = sorted(corpus.pages(), key=lambda row: row.url)
    return [text for row in rows if (text := extract(corpus.page(row).html, url=row.url))]


def chinese(texts: list[str], seed: int) -> list[str]:
    """Those of Chinese, in an order by chance."""
    kept = [text for text in texts if language_of(text).language == "zh"]
    random.Random(seed).shuffle(kept)
    return kept


def cut(texts: list[str], n_chars: int) -> list[str]:
    """The first so many characters."""
    left, parts = n_chars, []
    for text in texts:
        parts.append(text[:left])
        left -= len(parts[-1])
        if not left:
            break
    return parts


def gold_texts(folder: Path) -> list[str]:
    texts = []
    for name in GOLD:
        with gzip.open(folder / f"{name}.jsonl.gz", "rt", encoding="utf-8") as file:
            texts += [json.loads(line)["gold_text"] for line in file]
    return [text for text in texts if text and text.strip()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sites", type=Path, default=SHARED / "sites")
    parser.add_argument("--gold", type=Path, default=SHARED / "extraction")
    arguments = parser.parse_args()
    gold = gold_texts(arguments.gold)
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        root = crawled(arguments.sites, work)
        quarkcrawl("refine", root)
        quarkcrawl("export", root, "--out", work / "out", "--personal", "keep")
        refined = ds.dataset(str(work / "out" / "data")).to_table(columns=["text"])
        sets = {
            "all texts": all_texts(root, work),
            "refined": refined["text"].to_pylist(),
            "trafilatura": trafilatura_texts(root),
        }
        for seed in (1, 2, 3):
            ordered = {name: chinese(texts, seed) for name, texts in sets.items()}
            n_chars = min(sum(map(len, texts)) for texts in ordered.values())
            for name, texts in ordered.items():
                model = CharacterModel.train(cut(texts, n_chars))
                total = sum(model.bits_per_char(text) * (len(text) + 1) for text in gold)
                n = sum(len(text) + 1 for text in gold)
                line = {"trained on": name, "seed": seed, "texts": len(texts), "chars": n_chars}
                print(json.dumps(line | {"bits a character": round(total / n, 4)}))


if __name__ == "__main__":
    main()
