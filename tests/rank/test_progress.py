"""Ranks tell how far they are: files and bytes that are read, rounds, walks, batches."""

from __future__ import annotations

import pytest

from quarkcrawl.corpus import rank_pages
from quarkcrawl.rank import RankJob, corpus_graph
from quarkcrawl.rank.webgraph import rank_webgraph, write_webgraph
from quarkcrawl.store import CorpusWriter
from tests.progress import Told
from tests.store.samples import make_item


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    root = tmp_path_factory.mktemp("told") / "corpus"
    with CorpusWriter(root) as writer:
        for number in range(12):
            writer.append_page(make_item(number, host=f"h{number % 5}.cn"))
    return root


READ = ("files of pages", "files of duplicates", "files of redirects")


@pytest.mark.parametrize("method", ["pagerank", "quarkrank", "blpr"])
def test_ranks_of_a_corpus(corpus, method, tmp_path):
    told, rounds = Told(), []
    report = rank_pages(
        corpus, RankJob(method), out=tmp_path, on_progress=told,
        on_round=lambda number, *_: rounds.append(number),
    )  # fmt: skip
    told.check(*READ, "graph", "rounds", "tables", unknown={"graph", "rounds", "tables"})
    assert [done for done, _ in told.steps["rounds"]] == [0, *rounds]
    assert rounds[-1] == report.rounds


@pytest.mark.parametrize(("registers", "last"), [(0, "walks"), (8, "rounds of centrality")])
def test_web_graphs(corpus, registers, last, tmp_path):
    told = Told()
    graph = corpus_graph(corpus, on_progress=told).graph
    write_webgraph(graph, tmp_path, "pages", on_progress=told)
    steps = ("graph", "vertices", "sorting edges")
    told.check(*READ, *steps, "batches of edges", unknown=steps)
    told = Told()
    paths = [tmp_path / f"{name}.txt.gz" for name in ("vertices", "edges")]
    ranks = tmp_path / "ranks.txt.gz"
    rank_webgraph(*paths, ranks, log2_registers=registers, on_progress=told)
    told.check(
        "bytes of vertices", "bytes of edges", "dealing links", "files of links", "rounds", last,
        "batches of ranks", unknown={"dealing links", "rounds", "rounds of centrality"},
    )  # fmt: skip
    assert told.steps["bytes of edges"][-1][1] == paths[1].stat().st_size
