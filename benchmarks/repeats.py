"""Repeated substrings in Chinese texts: ours, text-dedup's and datatrove's, beside a suffix array.

    python benchmarks/repeats.py --peers VENV/bin/python --tokenizer gpt2.json [--texts TEXTS]

Texts are the Chinese contents of the development pages, passages of others planted into some, in
an order by chance. Both peers need ``dedup_dataset`` (google-research/deduplicate-text-datasets,
cargo build --release) on the PATH; the interpreter given has text-dedup and datatrove, the file is
GPT-2's tokenizer, which datatrove loads by itself where its hub is reached. Prints a JSON line a
tool. ``--texts`` keeps the texts, so that a second run need not extract them.
"""

from __future__ import annotations

import argparse
import base64
import gzip
import json
import random
import resource
import subprocess
import tempfile
from pathlib import Path

import numpy as np

import quarkcrawl as qc
from quarkcrawl.refine import repeats
from quarkcrawl.refine.language import language_of

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
SETS = ("cwced", "daniel_zh", "magic_article_zh", "magic_forum_zh")
LEAST_CHARS = 100
HAN_BYTES = 3
N_PLANTED = 1_000
Spans = list[tuple[int, int, int]]
"""Number of the text, start, end."""


def contents() -> list[str]:
    """Chinese texts of the development pages."""
    texts = []
    for path in sorted(SHARED.glob("sites/*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for row in map(json.loads, lines):
                texts.append(qc.extract(row["html"].encode(), row["url"]).text)
    for name in SETS:
        with gzip.open(SHARED / "extraction" / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
            for row in map(json.loads, lines):
                texts.append(qc.extract(base64.b64decode(row["body_b64"]), row["url"]).text)
    return [text for text in texts if text and language_of(text).language == "zh"]


def plant(texts: list[str]) -> tuple[list[str], Spans]:
    """The texts with passages of earlier ones inside, and where these are; one in a text."""
    rng = random.Random(1)
    texts = rng.sample(texts, len(texts))
    sources = [n for n, text in enumerate(texts[: len(texts) // 2]) if len(text) > 4 * LEAST_CHARS]
    spans = []
    for n in rng.sample(range(len(texts) // 2, len(texts)), N_PLANTED):
        source, length = texts[rng.choice(sources)], rng.randint(LEAST_CHARS, 4 * LEAST_CHARS)
        start = rng.randrange(len(source) - length)
        at = rng.randint(0, len(texts[n]))
        texts[n] = texts[n][:at] + source[start : start + length] + texts[n][at:]
        spans.append((n, at, at + length))
    return texts, spans


class Truth:
    """Characters in windows that the texts have twice, by the ranks of a suffix array.

    Ranks of 1, 2, 4 … characters by sorting pairs of ranks; each text ends in a character of its
    own, so that no window goes over its end.
    """

    def __init__(self, texts: list[str]) -> None:
        parts = []
        for n, text in enumerate(texts):
            codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
            parts += [codes.astype(np.int64), [0x110000 + n]]
        codes = np.concatenate(parts)
        self.starts = np.cumsum([0, *(len(text) + 1 for text in texts)])
        ranks, size = np.unique(codes, return_inverse=True)[1], 1
        while size < LEAST_CHARS:
            further = min(size, LEAST_CHARS - size)
            pairs = ranks[:-further] * (int(ranks.max()) + 1) + ranks[further:]
            ranks, size = np.unique(pairs, return_inverse=True)[1], size + further
        _, first, counts = np.unique(ranks, return_index=True, return_counts=True)
        again = counts[ranks] > 1
        self.n = len(codes)
        self.all = self._covered(np.flatnonzero(again))
        again[first] = False
        self.later = self._covered(np.flatnonzero(again))

    def _covered(self, windows: np.ndarray) -> np.ndarray:
        change = np.zeros(self.n + 1, np.int64)
        np.add.at(change, windows, 1)
        np.add.at(change, np.minimum(windows + LEAST_CHARS, self.n), -1)
        return np.cumsum(change)[:-1] > 0

    def marked(self, spans: Spans) -> np.ndarray:
        found = np.zeros(self.n, bool)
        for n, start, end in spans:
            found[self.starts[n] + start : self.starts[n] + end] = True
        return found


def in_chars(texts: list[str], spans: Spans) -> tuple[Spans, int]:
    """Spans of bytes in characters that are in them as a whole, and how many borders cut one."""
    found, n_cut, known = [], 0, (-1, np.empty(0))
    for n, start, end in spans:
        if known[0] != n:
            known = (n, np.cumsum([0, *(len(char.encode()) for char in texts[n])]))
        a, b = np.searchsorted(known[1], start), np.searchsorted(known[1], end, "right") - 1
        n_cut += int(known[1][a] != start) + int(known[1][b] != end)
        if a < b:
            found.append((n, int(a), int(b)))
    return found, n_cut


def replaced(texts: list[str], spans: Spans) -> Spans:
    """The characters that go when each passage, as decoded, is replaced by nothing."""
    passages: dict[int, list[bytes]] = {}
    for n, start, end in spans:
        passages.setdefault(n, []).append(texts[n].encode()[start:end])
    gone = []
    for n, parts in passages.items():
        text, places = texts[n], list(range(len(texts[n])))
        for part in (part.decode("utf-8", "replace") for part in parts):
            at = text.find(part) if part else -1
            while at >= 0:
                gone += [(n, place, place + 1) for place in places[at : at + len(part)]]
                text, places = (
                    text[:at] + text[at + len(part) :],
                    places[:at] + places[at + len(part) :],
                )
                at = text.find(part, at)
    return gone


def measured(name: str, truth: Truth, planted: Spans, spans: Spans, cpu_s: float) -> dict:
    """What a tool found, with the share of what was to find."""
    marked = truth.marked(spans)
    n_later = int(truth.later.sum())
    shares = [marked[truth.starts[n] + a : truth.starts[n] + b].mean() for n, a, b in planted]
    return {
        "tool": name,
        "found": round(int((marked & truth.later).sum()) / n_later, 4),
        "planted, wholly": sum(share == 1 for share in shares) / len(planted),
        "planted, nine tenths": sum(share >= 0.9 for share in shares) / len(planted),
        "first places, too": int((marked & truth.all & ~truth.later).sum()),
        "wrongly": int((marked & ~truth.all).sum()),
        "cpu_s": round(cpu_s, 2),
        "texts a CPU second": round((len(truth.starts) - 1) / cpu_s),
    }  # fmt: skip


def ours(texts: list[str]) -> tuple[Spans, float]:
    documents = [repeats.SourceText(n, text, host="a.cn") for n, text in enumerate(texts)]
    with tempfile.TemporaryDirectory() as folder:
        started = resource.getrusage(resource.RUSAGE_SELF)
        options = repeats.SubstringOptions(least_chars=LEAST_CHARS)
        spans = repeats.repeated_substrings(lambda: iter(documents), Path(folder) / "a", options)
        found = [(int(span.document), span.start, span.end) for span in spans]
        ended = resource.getrusage(resource.RUSAGE_SELF)
    return found, ended.ru_utime + ended.ru_stime - started.ru_utime - started.ru_stime


def peer(python: Path, *words: object) -> dict:
    script = Path(__file__).with_name("repeats_peers.py")
    with tempfile.TemporaryDirectory() as folder:
        tool, texts, *rest = map(str, words)
        command = [str(python), str(script), tool, texts, folder, *rest]
        return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peers", type=Path, required=True)
    parser.add_argument("--tokenizer", type=Path, required=True)
    parser.add_argument("--texts", type=Path)
    arguments = parser.parse_args()
    if arguments.texts and arguments.texts.exists():
        originals = [json.loads(line) for line in arguments.texts.read_text().splitlines()]
    else:
        originals = contents()
        if arguments.texts:
            arguments.texts.write_text("".join(f"{json.dumps(text)}\n" for text in originals))
    texts, planted = plant(originals)
    truth = Truth(texts)
    print(json.dumps({
        "texts": len(texts), "chars": sum(map(len, texts)),
        "bytes": sum(len(text.encode()) for text in texts),
        "repeated, not at their first place": int(truth.later.sum()),
        "repeated": int(truth.all.sum()), "planted passages": len(planted),
    }), flush=True)  # fmt: skip
    spans, cpu_s = ours(texts)
    print(json.dumps(measured("quarkcrawl", truth, planted, spans, cpu_s)), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "texts.jsonl"
        path.write_text("".join(f"{json.dumps(text)}\n" for text in texts))
        for length in (LEAST_CHARS, HAN_BYTES * LEAST_CHARS):
            found = peer(arguments.peers, "text-dedup", path, length)
            spans, n_cut = in_chars(texts, found["spans"])
            line = measured(f"text-dedup, {length} bytes", truth, planted, spans, found["cpu_s"])
            print(json.dumps(line | {"spans": len(spans), "cut characters": n_cut}), flush=True)
        length = LEAST_CHARS
        for _ in range(2):
            found = peer(arguments.peers, "datatrove", path, length, arguments.tokenizer)
            spans, n_cut = in_chars(texts, found["spans"])
            line = measured(f"datatrove, {length} bytes", truth, planted, spans, found["cpu_s"])
            print(json.dumps(line | {"spans": len(spans), "cut characters": n_cut}), flush=True)
            gone = replaced(texts, found["spans"])
            line = measured(
                f"datatrove, {length} bytes, removed", truth, planted, gone, found["cpu_s"]
            )
            left = sum(map(len, texts)) - len(gone)
            line |= {"as its texts": sum(map(len, found["left"])) == left}
            print(json.dumps(line), flush=True)
            length = 2 * round(LEAST_CHARS * found["n_tokens"] / sum(map(len, texts)))


if __name__ == "__main__":
    main()
