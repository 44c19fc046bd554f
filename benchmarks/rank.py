"""Link analysis beside its peers, by turns in one run; prints a JSON line a case.

    python benchmarks/rank.py                       10 M and 50 M links, 3 turns
    python benchmarks/rank.py --links 10000000 --turns 5
    python benchmarks/rank.py --parquet 20000000    graph building from Parquet tables
    python benchmarks/rank.py --files 10000000      files of vertices and edges, edges on disk
    python benchmarks/rank.py --blocks 10000000     block-level PageRank, five blocks a page

Iterations: nanoseconds of process CPU a link and round, one thread each, of ours, of a bare loop of
scipy products, of networkit and of python-graphblas. Each case runs in a process of its own, so
that the growth of memory is its own too.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv

ROUNDS = 10
LINKS_PER_PAGE = 10


def web(n_links: int, seed: int = 1):
    """Sources and targets of a made-up web: sites of 300 pages, four links in five stay on theirs.

    Popular pages of a site draw most of its links; other links go to any page, popular ones first.
    """
    rng = np.random.default_rng(seed)
    n = n_links // LINKS_PER_PAGE
    source = np.repeat(np.arange(n, dtype=np.int32), LINKS_PER_PAGE)
    inside = (source // 300) * 300 + (rng.random(n_links) ** 2 * 300).astype(np.int32)
    outside = (rng.random(n_links) ** 3 * n).astype(np.int32)
    target = np.where(rng.random(n_links) < 0.8, np.minimum(inside, n - 1), outside)
    return n, source, target.astype(np.int32)


def random_web(n_links: int, seed: int = 1):
    """Sources and targets at random: no locality at all, the worst case for memory."""
    rng = np.random.default_rng(seed)
    n = n_links // LINKS_PER_PAGE
    source = np.repeat(np.arange(n, dtype=np.int32), LINKS_PER_PAGE)
    return n, source, rng.integers(0, n, n_links, dtype=np.int32)


KINDS = {"sites": web, "random": random_web}


def peak_bytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def current_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def prepared(n, source, target, dtype):
    """Ours: a function that does the rounds."""
    from quarkcrawl.rank import IterationOptions, LinkGraph, PageBlocks, iterate, pagerank_flow

    ptr = np.arange(n + 1, dtype=np.int64) * LINKS_PER_PAGE
    graph = LinkGraph.from_blocks(PageBlocks.one_each(n), ptr, target, n_nodes=n)
    flow = pagerank_flow(graph, once=False)
    options = IterationOptions(max_rounds=ROUNDS, tolerance=0.0, dtype=dtype, threads=1)
    return lambda: iterate(flow, options).values, flow.n_links_in


def scipy_loop(n, source, target):
    """A bare loop of products, nothing else of PageRank."""
    from scipy.sparse import coo_array

    degree = np.bincount(source, minlength=n)
    matrix = coo_array((1 / degree[source], (target, source)), shape=(n, n)).tocsr()

    def rounds():
        x = np.full(n, 1 / n)
        for _ in range(ROUNDS):
            x = matrix @ x
        return x

    return rounds, matrix.nnz


def networkit_rounds(n, source, target):
    import networkit as nk

    nk.setNumberOfThreads(1)
    made = nk.GraphFromCoo((source.astype(np.uint64), target.astype(np.uint64)), n=n, directed=True)

    def rounds():
        walk = nk.centrality.PageRank(made, damp=0.85, tol=0.0)
        walk.maxIterations = ROUNDS
        walk.run()
        if walk.numberOfIterations() not in {ROUNDS, ROUNDS + 1}:
            raise RuntimeError(f"networkit did {walk.numberOfIterations()} rounds")
        return np.array(walk.scores())

    return rounds, made.numberOfEdges()


def graphblas_rounds(n, source, target):
    import graphblas as gb

    gb.init("suitesparse", blocking=True)
    gb.ss.config["nthreads"] = 1
    degree = np.bincount(source, minlength=n)
    matrix = gb.Matrix.from_coo(
        target.astype(np.uint64), source.astype(np.uint64), 1 / degree[source],
        nrows=n, ncols=n, dup_op=gb.binary.plus,
    )  # fmt: skip
    matrix.ss.config["format"] = "by_row"

    def rounds():
        x = gb.Vector.from_dense(np.full(n, 1 / n))
        for _ in range(ROUNDS):
            x = gb.semiring.plus_times(matrix @ x).new()
            x = (x * 0.85).new()
            x(gb.binary.plus) << (1 - x.reduce().get()) / n
        return x.to_dense()

    return rounds, matrix.nvals


PEERS = {
    "ours float64": lambda *web: prepared(*web, "float64"),
    "ours float32": lambda *web: prepared(*web, "float32"),
    "scipy loop": scipy_loop,
    "networkit": networkit_rounds,
    "graphblas": graphblas_rounds,
}


def turns(kind: str, n_links: int, n_turns: int, names: list[str]) -> dict:
    """All peers on one graph, by turns."""
    n, source, target = KINDS[kind](n_links)
    ready, times = {}, {name: [] for name in names}
    for name in names:
        ready[name] = PEERS[name](n, source, target.copy())
        ready[name][0]()
    for _ in range(n_turns):
        for name in names:
            begun = time.process_time()
            ready[name][0]()
            times[name].append((time.process_time() - begun) / ROUNDS / n_links * 1e9)
    medians = {name: statistics.median(values) for name, values in times.items()}
    base = medians.get("scipy loop")
    against = {name: round(v / base, 3) for name, v in medians.items()} if base else {}
    return {
        "kind": kind, "links": n_links, "pages": n, "turns": n_turns, "load": os.getloadavg(),
        "ns_per_link_round": {name: round(value, 3) for name, value in medians.items()},
        "least": {name: round(min(values), 3) for name, values in times.items()},
        "against_scipy_loop": against,
        "links_after_merging": {name: ready[name][1] for name in names},
    }  # fmt: skip


def memory(n_links: int) -> dict:
    """Bytes a link that graph, flow and iteration add at their highest."""
    from quarkcrawl.rank import iterate, pagerank_flow

    prepared(*web(1000), "float64")[0]()  # compile first
    n, _, target = web(n_links)
    begun, floor = time.process_time(), current_bytes()
    Path("/proc/self/clear_refs").write_text("5")  # peak from here
    from quarkcrawl.rank import LinkGraph, PageBlocks

    ptr = np.arange(n + 1, dtype=np.int64) * LINKS_PER_PAGE
    graph = LinkGraph.from_blocks(PageBlocks.one_each(n), ptr, target, n_nodes=n)
    built = time.process_time() - begun
    flow = pagerank_flow(graph, once=False)
    turned = time.process_time() - begun - built
    ranks = iterate(flow)
    status = Path("/proc/self/status").read_text()
    peak = int(status.split("VmHWM:")[1].split()[0]) * 1024
    return {
        "links": n_links, "bytes_per_link": round((peak - floor) / n_links + 4, 2),
        "note": "peak over what was there before, plus the 4 bytes of the targets given",
        "graph_bytes_per_link": round(graph.nbytes / n_links, 2),
        "flow_bytes_per_link": round(flow.nbytes / n_links, 2),
        "build_ns_per_link": round(built / n_links * 1e9, 1),
        "turn_ns_per_link": round(turned / n_links * 1e9, 1),
        "rounds": ranks.rounds, "cpu_s": round(time.process_time() - begun, 2),
    }  # fmt: skip


def make_tables(folder: Path, n_links: int) -> None:
    """Tables of a corpus with 60 links and 12 blocks a page, in shards of 8192 rows."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from quarkcrawl.store import Corpus
    from quarkcrawl.store.tables.analysis_columns import BLOCKS
    from quarkcrawl.store.tables.columns import LINKS

    rng, per_page, n_blocks, shard = np.random.default_rng(1), 60, 12, 8192
    n = n_links // per_page
    Corpus.create(folder)

    def url(k):
        return f"http://www.host{k // 300}.example.com.cn/news/2008/{k % 300:04d}/article-{k}.html"

    for number, start in enumerate(range(0, n, shard)):
        rows = min(shard, n - start)
        page = np.repeat(np.arange(start, start + rows), per_page)
        inside = page // 300 * 300 + (rng.random(len(page)) ** 2 * 300).astype(int)
        outside = (rng.random(len(page)) ** 3 * n).astype(int)
        target = np.where(rng.random(len(page)) < 0.8, inside, outside)
        known, place = np.unique(target, return_inverse=True)
        texts = pa.array([url(k) for k in known.tolist()]).take(pa.array(place))
        columns = {
            "url": texts, "text": pa.array(["链接"] * len(page)),
            "nofollow": pa.array(rng.random(len(page)) < 0.02),
            "kind": pa.array(["a"] * len(page)),
            "position": pa.array(np.tile(np.arange(per_page, dtype=np.int32), rows)),
        }  # fmt: skip
        structs = pa.StructArray.from_arrays(list(columns.values()), fields=list(LINKS.value_type))
        links = pa.ListArray.from_arrays(
            np.arange(0, len(page) + 1, per_page, dtype=np.int32), structs, type=LINKS
        )
        total = rows * n_blocks
        kinds = pa.array(["content", "noise"]).take(
            pa.array((np.arange(total) % n_blocks != 4).astype(int))
        )
        fields = [
            {"kind": kinds, "n_chars": pa.array(rng.integers(5, 400, total).astype(np.int32))}.get(
                f.name, pa.nulls(total, f.type)
            )
            for f in BLOCKS.value_type
        ]
        blocks = pa.ListArray.from_arrays(
            np.arange(0, total + 1, n_blocks, dtype=np.int32),
            pa.StructArray.from_arrays(fields, fields=list(BLOCKS.value_type)), type=BLOCKS,
        )  # fmt: skip
        of_link = pa.ListArray.from_arrays(
            np.arange(0, len(page) + 1, per_page, dtype=np.int32),
            pa.array((np.arange(len(page)) % per_page // 5).astype(np.int32)),
        )
        table = pa.table(
            {
                "url": pa.array([url(k) for k in range(start, start + rows)]),
                "offset": pa.array(np.arange(rows)), "fetched_at": pa.array(np.full(rows, 1e9)),
                "links": links, "blocks": blocks, "link_blocks": of_link,
            }
        )  # fmt: skip
        place = folder / "analysis" / "pages" / f"bucket={number % 256}"
        place.mkdir(parents=True, exist_ok=True)
        path = place / f"part-{number + 1:06}.parquet"
        pq.write_table(table, path, compression="zstd", row_group_size=shard)


def building(n_links: int) -> dict:
    """Links a second from Parquet tables to a graph, and the memory that takes."""
    from quarkcrawl.rank import corpus_graph

    with tempfile.TemporaryDirectory() as folder:
        small, large = Path(folder) / "small", Path(folder) / "large"
        make_tables(small, 60_000)
        make_tables(large, n_links)
        corpus_graph(small)  # compile first
        floor = current_bytes()
        Path("/proc/self/clear_refs").write_text("5")
        begun, wall = time.process_time(), time.perf_counter()
        found = corpus_graph(large)
        cpu_s, wall_s = time.process_time() - begun, time.perf_counter() - wall
        status = Path("/proc/self/status").read_text()
        peak = int(status.split("VmHWM:")[1].split()[0]) * 1024
        return {
            "links_read": found.report.links_read, "pages": found.report.pages,
            "links_per_cpu_s": round(found.report.links_read / cpu_s),
            "links_per_wall_s": round(found.report.links_read / wall_s),
            "peak_bytes_per_link": round((peak - floor) / found.report.links_read, 1),
            "graph_bytes_per_link": round(found.graph.nbytes / found.report.links_read, 1),
            "url_bytes_per_link": round(found.graph.urls.nbytes / found.report.links_read, 1),
            "load": os.getloadavg(),
        }  # fmt: skip


def files(n_links: int) -> dict:
    """Rank a graph of files whose edges do not fit into the memory for sorting."""
    from quarkcrawl.rank.webgraph import rank_webgraph

    n, source, target = web(n_links)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        hosts = "".join(f"{k}\tcn.example.h{k:08}\n" for k in range(n))
        (folder / "vertices.txt").write_text(hosts)
        del hosts
        pairs = pa.table([source, target], ["source", "target"])
        options = pa.csv.WriteOptions(include_header=False, delimiter="\t")
        pa.csv.write_csv(pairs, folder / "edges.txt", options)
        del pairs, source, target
        before, started = current_bytes(), time.process_time()
        report = rank_webgraph(
            folder / "vertices.txt",
            folder / "edges.txt",
            folder / "ranks.txt.gz",
            memory_bytes=n_links * 4,  # so that links are dealt to six files
        )
        return {
            "files": n_links,
            "links": report.edges,
            "rounds": report.rounds,
            "cpu_s": round(time.process_time() - started, 1),
            "elapsed_s": report.elapsed_s,
            "peak_mib": peak_bytes() >> 20,
            "before_mib": before >> 20,
        }


def block_level(n_links: int) -> dict:
    """BLPR of a made-up web whose pages have five blocks, the links dealt to them at random."""
    from quarkcrawl.rank import LinkGraph, PageBlocks, blpr_flow, iterate

    n, source, target = web(n_links)
    rng = np.random.default_rng(2)
    n_blocks = 5
    block = source.astype(np.int64) * n_blocks + rng.integers(0, n_blocks, n_links)
    size, distance = rng.integers(1, 3000, (2, n * n_blocks)).astype(np.float32)
    is_content = rng.random(n * n_blocks) < 0.3
    blocks = PageBlocks(np.arange(0, n * n_blocks + 1, n_blocks), is_content, size, distance)
    before, started = current_bytes(), time.process_time()
    graph = LinkGraph.from_links(block, target, n_nodes=n, blocks=blocks, repeated="block")
    ranks = iterate(blpr_flow(graph))
    return {
        "block_links": n_links,
        "pages": n,
        "rounds": ranks.rounds,
        "cpu_s": round(time.process_time() - started, 1),
        "peak_mib": peak_bytes() >> 20,
        "before_mib": before >> 20,
    }


def in_own_process(*words: str) -> dict:
    done = subprocess.run(
        [sys.executable, __file__, *words], capture_output=True, text=True, check=False
    )
    if done.returncode:
        return {"failed": done.stderr.strip().splitlines()[-1:]}
    return json.loads(done.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--links", type=int, nargs="*", default=[10_000_000, 50_000_000])
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--parquet", type=int, default=0)
    parser.add_argument("--memory", type=int, default=0)
    parser.add_argument("--files", type=int, default=0)
    parser.add_argument("--blocks", type=int, default=0)
    parser.add_argument("--case", nargs=2)
    parser.add_argument("--peers", nargs="*", default=list(PEERS))
    given = parser.parse_args()
    if given.case:
        found = [turns(given.case[0], int(given.case[1]), given.turns, given.peers)]
    elif given.parquet:
        found = [building(given.parquet)]
    elif given.blocks:
        found = [block_level(given.blocks)]
    elif given.files:
        found = [files(given.files)]
    elif given.memory:
        found = [memory(given.memory)]
    else:
        options = ("--turns", str(given.turns), "--peers", *given.peers)
        cases = [("--case", kind, str(n), *options) for n in given.links for kind in KINDS]
        cases += [("--memory", str(n)) for n in given.links]
        found = (in_own_process(*words) for words in cases)
    for case in found:
        print(json.dumps(case, ensure_ascii=False), flush=True)


if __name__ == "__main__":
    main()
