"""Ranks made on Spark against those made in memory: the same graph, the same numbers."""

from __future__ import annotations

import numpy as np
import pytest

from quarkcrawl.corpus import merge_corpora, rank_pages
from quarkcrawl.engines import SparkEngine, SparkStages
from quarkcrawl.errors import ConfigError, EngineError, InputError
from quarkcrawl.rank import Conventions, IterationOptions, RankJob, read_ranks
from quarkcrawl.rank.cluster import job as cluster_job
from quarkcrawl.rank.cluster.chains import chain_ends
from quarkcrawl.rank.graph.aliases import ends_of_chains

from .worlds import World, block

pytestmark = [
    pytest.mark.timeout(900),  # a Java process on what may be a busy machine
]

ROUNDS = IterationOptions(max_rounds=3)
SETTINGS = {"spark.driver.memory": "1g"}


@pytest.fixture(scope="module")
def spark(spark_here):
    """In this process."""
    with SparkEngine("local[2]", settings=SETTINGS) as engine:
        yield engine


def add_first_half(world: World) -> None:
    """Blocks, nofollow, repeated links, links to the page itself, links in no block."""
    for k in range(6):
        menu = block("/list", "/none", "/list", "/old")
        story = block("/story", "!/hidden", "/5", content=True, n_chars=300 + k)
        world.page(f"/{k}", menu, story, rest=("/pic", "/list", f"/{k}"))
    world.page("/list", block(*(f"/{k}" for k in range(4))), canonical="/story")
    world.page("/story", block("/0", "/list#x", n_chars=0), block("http://b.cn/", n_chars=0))
    boxes = [(0, 0, 100, 50), (0, 50, 100, 300)]
    world.page("/boxed", block("/1"), block("/2", "/3", content=True), boxes=boxes)


def add_second_half(world: World) -> None:
    """Pages without tables or links, canonical URLs, a page stored twice, redirects, copies."""
    world.page("/bare", block("/1", "/2"), unlabelled=True)
    world.page("/dangling")
    world.page("http://b.cn/", block("/0", "http://a.cn/own"), canonical="http://b.cn/own")
    world.page("/2", block("/list", "/new"), fetched_at=2e9)
    world.redirect("/old", "/older")
    world.redirect("/older", "/oldest")
    world.redirect("/oldest", "/1")
    same = ("/list", "/none", "/list", "/elsewhere", "/story", "!/hidden", "/6", "/pic", "/list")
    world.duplicate("/copy", "/0", *same, "/0")
    world.duplicate("/copy2", "/bare", "/9")
    world.duplicate("/copy3", "/nowhere", "/9")
    world.duplicate("/copy4", "", "/9")
    world.page("/to-copy", block("/copy", "/copy2", "/old"))


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """Most rows in Parquet, the last ones in the journal only."""
    root = tmp_path_factory.mktemp("cluster") / "corpus"
    world = World(root)
    add_first_half(world)
    world.close()
    world = World(root, n_before=100)
    add_second_half(world)
    return world.flush()


@pytest.fixture(scope="module")
def shards(tmp_path_factory):
    """Two workers' folders, and the corpus that they merge to."""
    root = tmp_path_factory.mktemp("shards")
    for number, add in (("001", add_first_half), ("002", add_second_half)):
        world = World(root / "crawl" / "workers" / number, n_before=100 * int(number))
        add(world)
        world.close()
    folders = sorted((root / "crawl" / "workers").iterdir())
    merge_corpora(folders, root / "merged")
    return root / "crawl", root / "merged"


def rows_of(root, name):
    rows = read_ranks(root, name)[0].to_pylist()
    return {row.get("url") or row["host"]: row for row in rows}


def assert_equal(report, other, root, there=None):
    """All that two runs say of pages, hosts and aliases; ranks to 1e-9."""
    graph, of_other = dict(report.graph), dict(other.graph)
    assert graph == of_other
    assert (report.rounds, report.converged) == (other.rounds, other.converged)
    assert report.residual == pytest.approx(other.residual, abs=1e-12)
    assert report.content_share == pytest.approx(other.content_share, abs=1e-9)
    for suffix in ("", "-hosts"):
        ours, theirs = rows_of(root, f"here{suffix}"), rows_of(there or root, f"there{suffix}")
        assert ours.keys() == theirs.keys()
        assert len(ours) > 1
        for key, row in ours.items():
            for column, value in row.items():
                found = theirs[key][column]
                if column in {"rank", "host_rank"}:
                    assert abs(found - value) <= 1e-9
                elif column in {"is_page", "pages"}:
                    assert found == value
    table = read_ranks(there or root, "there")[0]
    ranks = table["rank"].to_pylist()
    assert ranks == sorted(ranks, reverse=True)
    assert table["position"].to_pylist() == list(range(1, len(ranks) + 1))
    assert sum(ranks) == pytest.approx(1, abs=1e-12)


OTHER_RULES = Conventions("each", "count", "drop", self_links=True, canonical=False)
FAVORITES = {"http://b.cn/": 2.0, "a.cn": 1.0}


@pytest.mark.full
@pytest.mark.parametrize(
    ("method", "how"),
    [
        ("pagerank", {"favorites": FAVORITES}),
        ("blpr", {}),
        ("quarkrank", {"conventions": OTHER_RULES}),
    ],
    ids=["pagerank-favored", "blpr", "quarkrank-other-rules"],
)
def test_a_cluster_ranks_as_memory_does(spark, corpus, method, how):
    here = rank_pages(corpus, RankJob(method, iteration=ROUNDS, name="here", **how))
    job = RankJob(method, iteration=ROUNDS, name="there", **how)
    seen = []
    there = rank_pages(
        corpus, job, engine=spark, on_round=lambda number, *rest: seen.append((number, *rest))
    )
    assert_equal(here, there, corpus)
    assert [number for number, *_ in seen] == [1, 2, 3]
    assert all(ranks is None for *_, ranks in seen)
    folder = corpus / "analysis" / "ranks"
    assert (folder / "there.parquet").is_dir()
    assert not list(folder.glob(".*"))
    assert read_ranks(corpus, "there")[1]["method"] == method


@pytest.mark.full
def test_a_run_that_spark_gave_up_goes_on(spark, shards, monkeypatch):
    """Over shards where they lie, with the graph and the ranks that the first run had."""
    crawl, merged = shards
    learned = {"weights": "importance", "iteration": ROUNDS}
    here = rank_pages(merged, RankJob("quarkrank", name="here", **learned))
    job = RankJob("quarkrank", name="there", **learned)

    def stop(number, *_):
        if number == 2:
            raise EngineError("given up", where="test")

    with pytest.raises(EngineError, match="given up"):
        rank_pages(crawl, job, engine=spark, on_round=stop)
    assert (crawl / "analysis/ranks/.there-spark/graph.json").exists()
    monkeypatch.setattr(cluster_job, "place_links", None)  # not done again
    there = rank_pages(crawl, job, engine=spark)
    assert_equal(here, there, merged, crawl)
    assert not list((crawl / "analysis/ranks").glob(".*"))


@pytest.mark.full
def test_ends_of_chains_with_circles(spark, tmp_path):
    following = [1, 2, 3, 4, 4, 6, 7, 5, 5, 8, 9, 12, 11, 13, 1]
    pairs = [(str(k), str(to)) for k, to in enumerate(following) if k != to]
    frame = spark.session.createDataFrame(pairs, "url string, next string")
    frame.createOrReplaceTempView("some_chains")
    stages = SparkStages(spark, tmp_path)
    found = spark.fetch(f"SELECT * FROM {chain_ends(stages, 'some_chains')}").to_pylist()
    ends = {row["url"]: row["next"] for row in found}
    expected = ends_of_chains(np.array(following)).tolist()
    assert ends == {str(k): str(end) for k, end in enumerate(expected) if k != end}
    assert {"5", "6", "7", "11", "12"}.isdisjoint(ends)


@pytest.mark.full
def test_nothing_to_rank_and_what_is_not_done(spark, tmp_path):
    World(tmp_path / "corpus").close()
    report = rank_pages(tmp_path / "corpus", RankJob(iteration=ROUNDS), engine=spark)
    assert (report.converged, report.graph["pages"], report.content_share) == (True, 0, 0.0)
    table, _ = read_ranks(tmp_path / "corpus", "pagerank")
    assert table.column_names == ["url", "host", "is_page", "rank", "position"]
    job = RankJob(iteration=ROUNDS, favorites={"http://nowhere.cn/": 1.0})
    with pytest.raises(InputError, match="none of the favored"):
        rank_pages(tmp_path / "corpus", job, engine=spark)
    for how in ({"warm": True}, {"blocks": True}, {"iteration": IterationOptions(dtype="float32")}):
        with pytest.raises(ConfigError, match="on Spark"):
            rank_pages(tmp_path / "corpus", RankJob(**how), engine=spark)
    # A table in memory takes the place of one from a cluster.
    rank_pages(tmp_path / "corpus", RankJob(iteration=ROUNDS))
    assert (tmp_path / "corpus/analysis/ranks/pagerank.parquet").is_file()


@pytest.mark.full
def test_shards_are_ranked_where_they_lie(shards):
    crawl, merged = shards
    for method in ("pagerank", "quarkrank", "blpr"):
        ours = rank_pages(merged, RankJob(method))
        theirs = rank_pages(crawl, RankJob(method))
        assert ours.graph == theirs.graph
        assert ours.rounds == theirs.rounds
        for suffix in ("", "-hosts"):
            tables = [rows_of(root, method + suffix) for root in (merged, crawl)]
            assert tables[0].keys() == tables[1].keys()
            for key, row in tables[0].items():
                assert row["rank"] == pytest.approx(tables[1][key]["rank"], abs=1e-12)
    assert not list((crawl / "analysis/ranks").glob(".*"))
    with pytest.raises(InputError, match="need one corpus"):
        rank_pages(crawl, RankJob(label_paths=[]))
