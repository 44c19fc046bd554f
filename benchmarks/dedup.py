"""Near-duplicate methods and peers in one run: quality on the repost benchmark and texts a second.

    python benchmarks/dedup.py [ARTICLES.jsonl.gz ...] [--articles 600] [--text-dedup PYTHON]
        [--datatrove PYTHON]

Speeds are texts by process CPU time over the whole task (reading a text, looking for its class,
adding it), single pass, first member speaks for its class. Peers hash four-grams of characters and
are looked up with their own index where they have one. text-dedup pins old versions of other
packages: give it the Python of a virtual environment of its own. So for datatrove (with spacy,
jieba, "xxhash<4"), whose four MinHash steps are run as it ships them, words by jieba. Prints JSON.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np

from quarkcrawl.cli.evaluate.dedup import made_articles, read_articles
from quarkcrawl.dedup import METHODS, group_texts
from quarkcrawl.dedup import simhash as our_simhash
from quarkcrawl.lab.evaluate.reposts.reposts import make_reposts, usable_articles
from quarkcrawl.lab.evaluate.reposts.scores import score_classes

TEXT_DEDUP = """
import json, sys, time
import numpy as np
from text_dedup.minhash import embed_func, sha1_hash, ngrams
texts = json.load(open(sys.argv[1]))
perms = 128
rng = np.random.RandomState(42)
prime = np.uint64((1 << 61) - 1)
a = rng.randint(1, prime, size=perms, dtype=np.uint64)
b = rng.randint(0, prime, size=perms, dtype=np.uint64)
ranges = [(i * 4, i * 4 + 4) for i in range(32)]
started = time.process_time()
keys = []
for n, text in enumerate(texts):
    spaced = " ".join(text)
    keys.append(embed_func(content=spaced, idx=n, num_perm=perms, ngram_size=4, min_length=0,
        hashranges=ranges, permutations=(a, b), hash_func=sha1_hash, dtype=np.uint64,
        max_hash=np.uint64((1 << 32) - 1), modulo_prime=prime)["__signatures__"])
firsts, table = [], {}
for n, signature in enumerate(keys):
    hits = [table[(i, s)] for i, s in enumerate(signature) if (i, s) in table]
    first = min(hits) if hits else n
    firsts.append(first)
    if first == n:
        for i, s in enumerate(signature): table[(i, s)] = n
print(json.dumps([firsts, time.process_time() - started]))
"""


DATATROVE = """
import json, struct, sys, tempfile, time
from pathlib import Path
import jieba
from loguru import logger
from datatrove.data import Document
from datatrove.executor import LocalPipelineExecutor
from datatrove.pipeline.dedup import MinhashDedupBuckets, MinhashDedupCluster, MinhashDedupSignature
from datatrove.pipeline.dedup.minhash import MinhashConfig
texts, config = json.load(open(sys.argv[1])), MinhashConfig()
def read(data=None, rank=0, world_size=1):
    for number, text in enumerate(texts):
        yield Document(text=text, id=str(number))
with tempfile.TemporaryDirectory() as name:
    places = [f"{name}/{part}" for part in ("signatures", "buckets", "removed")]
    signature = MinhashDedupSignature(places[0], config, language="cmn_Hani")
    jieba.initialize()
    pairs = MinhashDedupBuckets(*places[:2], config=config)
    clusters = MinhashDedupCluster(*places[1:], config=config, save_cluster_id=True)
    steps = ([read, signature], 1), ([pairs], config.num_buckets), ([clusters], 1)
    started = time.process_time()
    for number, (step, tasks) in enumerate(steps):
        logs = f"{name}/logs{number}"
        LocalPipelineExecutor(step, tasks=tasks, workers=1, logging_dir=logs).run()
        logger.remove()
    spent = time.process_time() - started
    pairs = struct.iter_unpack("<2I", Path(places[2], "000000.clusters").read_bytes())
    firsts, seen = list(range(len(texts))), {}
    for text, cluster in sorted(pairs):
        firsts[text] = seen.setdefault(cluster, text)
print(json.dumps([firsts, spent]))
"""


def grams(text: str) -> list[str]:
    letters = "".join(char for char in text if char.isalnum())
    return [letters[at : at + 4] for at in range(max(len(letters) - 3, 1))]


def datasketch(texts: list[str]) -> list[int]:
    from datasketch import MinHash, MinHashLSH

    lsh = MinHashLSH(threshold=0.85, num_perm=128)
    firsts, sketches = [], {}
    for number, text in enumerate(texts):
        sketch = MinHash(num_perm=128)
        sketch.update_batch([gram.encode() for gram in set(grams(text))])
        near = [(sketch.jaccard(sketches[n]), -n) for n in lsh.query(sketch)]
        near = [pair for pair in near if pair[0] >= 0.85]
        firsts.append(-max(near)[1] if near else number)
        if not near:
            lsh.insert(number, sketch)
            sketches[number] = sketch
    return firsts


def rensa(texts: list[str]) -> list[int]:
    from rensa import RMinHash, RMinHashLSH

    lsh = RMinHashLSH(threshold=0.85, num_perm=128, num_bands=32)
    firsts, sketches = [], {}
    for number, text in enumerate(texts):
        sketch = RMinHash(num_perm=128, seed=42)
        sketch.update(grams(text))
        near = [(sketch.jaccard(sketches[n]), -n) for n in lsh.query(sketch)]
        near = [pair for pair in near if pair[0] >= 0.85]
        firsts.append(-max(near)[1] if near else number)
        if not near:
            lsh.insert(number, sketch)
            sketches[number] = sketch
    return firsts


def simhash_package(texts: list[str]) -> list[int]:
    import simhash

    index = simhash.SimhashIndex([], k=3)
    firsts = []
    for number, text in enumerate(texts):
        value = simhash.Simhash(text)
        near = index.get_near_dups(value)
        firsts.append(min(map(int, near)) if near else number)
        if not near:
            index.add(str(number), value)
    return firsts


def elsewhere(code: str, texts: list[str], python: str) -> tuple[list[int], float]:
    """What code finds in another environment, and its CPU time."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(texts, file)
        file.flush()
        result = subprocess.run(
            [python, "-c", code, file.name], capture_output=True, text=True, check=False
        )
    if result.returncode:
        raise RuntimeError(result.stderr[-300:])
    return tuple(json.loads(result.stdout.splitlines()[-1]))


def cpu(function, texts):
    """The fastest of three runs: other processes disturb the caches."""
    function(texts[:3])
    times = []
    for _ in range(3):
        started = time.process_time()
        found = function(texts)
        times.append(time.process_time() - started)
    return found, min(times)


def row(firsts: list[int], labels: list[str], elapsed_s: float) -> dict:
    score = score_classes(firsts, labels)
    return {
        "precision": round(score.precision, 3),
        "recall": round(score.recall, 3),
        "f1": round(score.f1, 3),
        "merged": score.n_merged,
        "split": score.n_split,
        "texts_per_s": round(len(firsts) / elapsed_s),
    }


def simhash_alone(texts: list[str]) -> dict:
    """Computing the value only, both ways in turn."""
    import simhash

    ours, theirs, equal = 0.0, 0.0, True
    for text in texts[:1500]:
        started = time.process_time()
        value = our_simhash(text)
        ours += time.process_time() - started
        started = time.process_time()
        equal &= simhash.Simhash(text).value == value
        theirs += time.process_time() - started
    n_texts = min(len(texts), 1500)
    return {
        "ours_per_s": round(n_texts / ours),
        "package_per_s": round(n_texts / theirs),
        "ratio": round(theirs / ours, 1),
        "equal": equal,
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("data", nargs="*", type=Path)
    parser.add_argument("--articles", type=int, default=600)
    parser.add_argument("--text-dedup", metavar="PYTHON")
    parser.add_argument("--datatrove", metavar="PYTHON")
    options = parser.parse_args()
    articles = read_articles(options.data) if options.data else made_articles(options.articles, 0)
    reposts = make_reposts(usable_articles(articles)[: options.articles])
    texts, labels = [repost.text for repost in reposts], [repost.label for repost in reposts]
    result = {
        "texts": len(texts),
        "classes": len(set(labels)),
        "mean_chars": round(float(np.mean([len(text) for text in texts]))),
        "methods": {},
        "failed": {},
    }
    for name in METHODS:
        found, elapsed_s = cpu(lambda some, name=name: group_texts(some, name).firsts, texts)
        result["methods"][name] = row(found, labels, elapsed_s)
    for peer in (simhash_package, datasketch, rensa):
        try:
            result["methods"][f"peer {peer.__name__}"] = row(*cpu_row(peer, texts, labels))
        except Exception as error:
            result["failed"][peer.__name__] = repr(error)[:300]
    others = (
        ("text_dedup", TEXT_DEDUP, options.text_dedup),
        ("datatrove", DATATROVE, options.datatrove),
    )
    for name, code, python in others:
        if not python:
            continue
        try:
            found, elapsed_s = elsewhere(code, texts, python)
            result["methods"][f"peer {name}"] = row(found, labels, elapsed_s)
        except Exception as error:
            result["failed"][name] = repr(error)[:300]
    result["simhash_value"] = simhash_alone(texts)
    print(json.dumps(result, indent=1))


def cpu_row(peer, texts, labels):
    found, elapsed_s = cpu(peer, texts)
    return found, labels, elapsed_s


if __name__ == "__main__":
    main()
