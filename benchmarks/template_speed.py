"""From 60,000 pages to templates: time and memory by stage, growth, and matching of new pages.

The sites of ../shared/data/sites are replicated: copy k of a page gets some elements more or less
(seeded by URL and k). Copies of a site keep its host name, so that each site grows; with --apart
each copy is a host of its own. Each size runs in a process of its own, for its memory. JSON.

    python benchmarks/template_speed.py [--sizes 10000 20000 40000 60000] [--apart] [--no-mask]
"""

from __future__ import annotations

import argparse
import gzip
import json
import multiprocessing
import os
import random
import re
import resource
import time
from dataclasses import replace
from pathlib import Path

from quarkcrawl.page import Page
from quarkcrawl.template.clustering.cluster import ClusterOptions, cluster
from quarkcrawl.template.clustering.groups import groups_of
from quarkcrawl.template.clustering.kinds import divide_by_kind
from quarkcrawl.template.model.templateset import TemplateSet
from quarkcrawl.template.structure.sequence import SequenceOptions, sequence_of_page
from quarkcrawl.template.train import TrainOptions, train_sequences

SITES = Path(__file__).resolve().parents[2] / "shared" / "data" / "sites"
EXTRA = (
    "<section><span></span></section>",
    "<aside><h4></h4></aside>",
    "<hr>",
    "<div><em></em><i></i></div>",
)
STATE = {}


def rows():
    found = []
    for path in sorted(SITES.glob("*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                row = json.loads(line)
                found.append((row["url"], row["html"]))
    return found


def perturbed(url, html, copy, apart):
    """A copy of a page with up to three elements put in somewhere."""
    if copy == 0:
        return url, html
    dice = random.Random(f"{url} {copy}")
    ends = [match.end() for match in re.finditer(r"</(?:div|ul|p|section)>", html)]
    for _ in range(dice.randrange(4) if ends else 0):
        place = dice.choice(ends)
        html = html[:place] + dice.choice(EXTRA) + html[place:]
        ends = [end for end in ends if end <= place]
        if not ends:
            break
    head, slashes, rest = url.partition("//")
    return f"{head}{slashes}copy{copy}.{rest}" if apart else f"{url}?copy={copy}", html


def page_at(number):
    original = STATE["rows"]
    url, html = original[number % len(original)]
    return Page.from_html(*reversed(perturbed(url, html, number // len(original), STATE["apart"])))


def prepare(number):
    page = page_at(number)
    started = time.process_time()
    page.tree.parent, page.tree.end, page.tree.tag  # noqa: B018  (the parse)
    parsed = time.process_time()
    made = sequence_of_page(page, STATE["options"]).sequence
    return page.url, made, parsed - started, time.process_time() - parsed


def measure(n_pages, words, pipe):
    started = time.perf_counter()
    with multiprocessing.get_context("fork").Pool(2) as pool:
        done = pool.map(prepare, range(n_pages), chunksize=256)
    wall_prepare = time.perf_counter() - started
    urls, sequences = [row[0] for row in done], [row[1] for row in done]
    parse_s, sequence_s = sum(row[2] for row in done), sum(row[3] for row in done)
    del done
    how = TrainOptions(STATE["options"], ClusterOptions(words.similarity))
    cluster(sequences[:200])  # compile
    started, cpu = time.perf_counter(), time.process_time()
    found = cluster(sequences, how.cluster, groups_of(urls))
    cluster_s = time.perf_counter() - started
    cpu = time.process_time() - cpu
    started = time.process_time()
    divide_by_kind(found, sequences)
    kinds_s = time.process_time() - started
    started = time.perf_counter()
    trained = train_sequences(sequences, urls, how, page_at)  # clusters again
    train_s = time.perf_counter() - started
    pipe.send(
        {
            "pages": n_pages,
            "hosts": len(set(groups_of(urls))),
            "distinct": found.n_distinct,
            "parse_cpu_s": round(parse_s, 1),
            "sequence_cpu_s": round(sequence_s, 1),
            "prepare_wall_s": round(wall_prepare, 1),
            "cluster_wall_s": round(cluster_s, 1),
            "cluster_cpu_s": round(cpu, 1),
            "kinds_cpu_s": round(kinds_s, 1),
            "train_wall_s": round(train_s, 1),
            "after_parsing_wall_s": round(train_s + sequence_s / 2, 1),
            "templates": len(trained.templates),
            "clusters": len(found),
            "approximate": found.n_approximate,
            "pairs": found.counts._asdict(),
            "peak_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10,
            "matching": matching(trained.templates, sequences),
        }
    )


def matching(templates, sequences, n_templates=500):
    """Milliseconds for a page against 500 templates of any host."""
    chosen = templates.templates[:n_templates]
    more = [replace(t, id=f"{t.id}-{k}") for k in range(n_templates) for t in chosen][
        : n_templates - len(chosen)
    ]
    made = TemplateSet((*chosen, *more), templates.sequence, templates.cluster)
    pages = sequences[:: max(1, len(sequences) // 500)]
    made.nearest(pages[0])
    times = []
    for page in pages:
        started = time.process_time()
        made.nearest(page)
        times.append(1000 * (time.process_time() - started))
    times.sort()
    return {
        "templates": len(made),
        "pages": len(times),
        "mean_ms": round(sum(times) / len(times), 3),
        "p99_ms": round(times[int(0.99 * len(times))], 3),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 20_000, 40_000, 60_000])
    parser.add_argument("--apart", action="store_true")
    parser.add_argument("--no-mask", action="store_true")
    parser.add_argument("--similarity", type=float, default=0.9)
    words = parser.parse_args()
    STATE.update(
        rows=rows(), apart=words.apart, options=SequenceOptions(mask_prose=not words.no_mask)
    )
    sequence_of_page(page_at(0), STATE["options"])  # compile before the processes start
    for size in words.sizes:
        ours, theirs = multiprocessing.Pipe(duplex=False)
        process = multiprocessing.get_context("fork").Process(
            target=measure, args=(size, words, theirs)
        )
        process.start()
        theirs.close()
        print(json.dumps(ours.recv() | {"load": os.getloadavg()[0]}), flush=True)
        process.join()


if __name__ == "__main__":
    main()
