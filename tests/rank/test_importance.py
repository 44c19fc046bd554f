"""QuarkRank with learned weights of blocks."""

import dataclasses
import json

import numpy as np
import pyarrow.parquet as pq
import pytest

from quarkcrawl.cli import main
from quarkcrawl.content.importance.features import BlockCounts
from quarkcrawl.content.importance.model import table_importance
from quarkcrawl.errors import ConfigError
from quarkcrawl.rank import (
    PageBlocks,
    RankJob,
    corpus_graph,
    importance_flow,
    iterate,
    rank_corpus,
    read_ranks,
)

from .worlds import World, block, dense_weights, random_graph, stationary


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    world = World(tmp_path_factory.mktemp("importance") / "corpus")
    for k in range(3):
        # Navigation of short links, then a long text with one link, then nothing but links.
        world.page(f"/{k}", block("/nav", "/x", n_chars=6), block("/story", content=True, n_chars=900),
                   block(*(f"/{j}" for j in range(3)), n_chars=9), rest=("/picture",))  # fmt: skip
    world.page("/story", block("/0", n_chars=400))
    world.page("/bare", unlabelled=True)
    return world.close()


def weighted_graph(seed):
    graph = random_graph(seed)
    old = graph.blocks
    weight = np.random.default_rng(seed).uniform(0.5, 1.5, len(old)).astype(np.float32)
    blocks = PageBlocks(old.ptr, old.is_content, old.size, old.distance, weight)
    return dataclasses.replace(graph, blocks=blocks)


@pytest.mark.parametrize("seed", range(5))
def test_the_same_as_solving_the_equations(seed):
    graph = weighted_graph(seed)
    expected = stationary(dense_weights(graph, lambda b: float(graph.blocks.importance[b])))
    assert iterate(importance_flow(graph)).values == pytest.approx(expected, abs=1e-8)


def test_weights_come_from_the_stored_block_tables(corpus):
    graph = corpus_graph(corpus, importance=True).graph
    counts = np.array([6, 900, 9]), np.zeros(3), np.array([2, 1, 3])
    alone = table_importance(BlockCounts(np.array([0, 3]), *counts))
    names = graph.urls.to_pylist()
    first = graph.blocks.ptr[names.index("http://a.cn/0")]
    assert graph.blocks.importance[first : first + 4].tolist() == [*alone.tolist(), 0.5]
    assert alone[1] == max(alone)
    bare = graph.blocks.ptr[names.index("http://a.cn/bare")]
    assert graph.blocks.importance[bare] == 0.5


def test_rendered_boxes_are_looked_at(tmp_path):
    world = World(tmp_path / "corpus")
    boxes = [(0, 0, 1000, 30), (200, 40, 700, 2000)]
    pieces = block("/x", n_chars=20), block("/y", n_chars=900)
    world.page("/drawn", *pieces, boxes=boxes)
    world.page("/plain", *pieces)
    world.page("/odd", *pieces, boxes=boxes[:1])  # of another cut of the page
    graph = corpus_graph(world.close(), importance=True).graph
    names = [url.rpartition("/")[2] for url in graph.urls.to_pylist()]
    found = {
        name: graph.blocks.importance[graph.blocks.ptr[k] :][:2].tolist()
        for k, name in enumerate(names[: graph.n_pages])
    }
    counts = BlockCounts(np.array([0, 2]), np.array([20, 900]), np.zeros(2), np.ones(2))
    assert found["drawn"] == table_importance(counts, np.array(boxes, float)).tolist()
    assert found["plain"] == found["odd"] == table_importance(counts).tolist()
    assert found["drawn"] != found["plain"]


def test_content_gets_more_than_by_pagerank(corpus):
    learned = rank_corpus(corpus, RankJob("quarkrank", weights="importance", name="learned"))
    plain = rank_corpus(corpus, RankJob())
    assert learned.content_share > plain.content_share
    ranks, _ = read_ranks(corpus, "learned")
    assert pq.read_schema(learned.table).metadata
    assert sum(ranks.column("rank").to_pylist()) == pytest.approx(1)


def test_the_command(corpus, capsys):
    words = ["rank", "quarkrank", str(corpus), "--weights", "importance", "--name", "by-importance"]
    assert main(words) == 0
    assert json.loads(capsys.readouterr().out)["converged"]
    assert main([*words[:4], "nothing"]) == 2
    assert "is not one of 'fixed', 'importance'" in capsys.readouterr().err


def test_a_graph_without_importance_is_refused(corpus):
    with pytest.raises(ConfigError, match="without the importance"):
        importance_flow(corpus_graph(corpus).graph)
