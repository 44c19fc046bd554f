"""From a corpus to tables of ranks: what comes out, and what bad input does."""

from __future__ import annotations

import json

import numpy as np
import pyarrow.parquet as pq
import pytest

from quarkcrawl.corpus import ExtractionOptions, extract_corpus
from quarkcrawl.errors import ConfigError, InputError, StoreError
from quarkcrawl.rank import (
    IterationOptions,
    LinkGraph,
    QuarkWeights,
    RankJob,
    corpus_graph,
    host_graph,
    rank_corpus,
    read_ranks,
)
from quarkcrawl.rank.iterate.starts import read_favorites
from quarkcrawl.store import Corpus, CorpusWriter
from tests.corpus.corpora import add_pages

from .worlds import Piece, World, block, full


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """Two hosts; on a.cn the navigation leads to /list, the content to /story."""
    world = World(tmp_path_factory.mktemp("rank") / "corpus")
    for k in range(6):
        world.page(f"/{k}", block("/list", "/about"), block("/story", content=True))
    world.page("/list", block(*(f"/{k}" for k in range(6))))
    world.page("/about", block("/list"))
    world.page("/story", block("http://b.cn/", content=True))
    world.page("http://b.cn/", block("http://c.cn/x", "/list"))
    return world.close()


def ranks(corpus, name="pagerank", **how):
    table, made_by = read_ranks(corpus, name, **how)
    rows = zip(table["url"].to_pylist(), table["rank"].to_pylist(), strict=True)
    return {url.removeprefix("http://a.cn"): rank for url, rank in rows}, table, made_by


def test_the_table_has_all_nodes_in_order_and_says_how_it_was_made(corpus):
    report = rank_corpus(corpus)
    found, table, made_by = ranks(corpus)
    assert report.converged
    assert table.num_rows == 11
    assert sum(found.values()) == pytest.approx(1)
    assert table["rank"].to_pylist() == sorted(table["rank"].to_pylist(), reverse=True)
    assert table["position"].to_pylist() == list(range(1, 12))
    assert (
        dict(zip(table["url"].to_pylist(), table["is_page"].to_pylist(), strict=True))[
            "http://c.cn/x"
        ]
        is False
    )
    assert set(table["host"].to_pylist()) == {"a.cn", "b.cn", "c.cn"}
    assert made_by["method"] == "pagerank"
    assert made_by["conventions"]["nofollow"] == "skip"
    assert made_by["graph"]["pages"] == 10
    assert not [path for path in (corpus / "analysis/ranks").iterdir() if path.suffix != ".parquet"]


def test_content_gains_and_navigation_loses(corpus):
    plain = rank_corpus(corpus, RankJob("pagerank"))
    quark = rank_corpus(corpus, RankJob("quarkrank"))
    before, after = ranks(corpus)[0], ranks(corpus, "quarkrank")[0]
    assert after["/story"] > before["/story"]
    assert after["/about"] < before["/about"]
    assert quark.content_share > plain.content_share > 0
    even = rank_corpus(corpus, RankJob("quarkrank", weights=QuarkWeights(1, 1), name="even"))
    assert even.content_share == pytest.approx(plain.content_share)


def test_blpr_ranks_pages_and_blocks(corpus):
    rank_corpus(corpus, RankJob("blpr", blocks=True))
    table = read_ranks(corpus, "blpr-blocks")[0].to_pylist()
    assert sum(row["rank"] for row in table) == pytest.approx(1)
    assert {row["block"] for row in table if row["url"] == full("/0")} == {0, 1, -1}


def test_hosts_have_the_sum_of_their_nodes(corpus):
    rank_corpus(corpus)
    found = {row["host"]: row for row in read_ranks(corpus, "pagerank-hosts")[0].to_pylist()}
    _, table, _ = ranks(corpus)
    for host, row in found.items():
        rows = [r for r in table.to_pylist() if r["host"] == host]
        assert row["rank"] == pytest.approx(sum(r["rank"] for r in rows))
        assert row["best_url"] == max(rows, key=lambda r: r["rank"])["url"]
        assert row["pages"] == sum(r["is_page"] for r in rows)
    # Among hosts a → b, b → a and b → c, one link each: ra = rc.
    assert found["a.cn"]["host_rank"] < found["b.cn"]["host_rank"]
    assert sum(row["host_rank"] for row in found.values()) == pytest.approx(1)


def test_the_graph_of_hosts_has_one_link_a_pair():
    graph = LinkGraph.from_links([0, 0, 1, 1, 2, 3], [1, 2, 2, 3, 0, 1], n_nodes=4)
    hosts = host_graph(graph, np.array([0, 0, 1, 1], np.int32), 2)
    assert np.diff(hosts.link_ptr).tolist() == [1, 1]
    assert hosts.targets.tolist() == [1, 0]


def test_a_warm_start_takes_a_round(corpus):
    cold = rank_corpus(corpus, RankJob(name="warm"))
    warm = rank_corpus(corpus, RankJob(name="warm", warm=True))
    assert warm.rounds < 3 < cold.rounds


def test_personalised_by_url_and_by_host(corpus, tmp_path):
    listed = tmp_path / "favorites.txt"
    listed.write_text(f"# mine\n{full('/0')} 2.5\n\nb.cn\n")
    favorites = read_favorites(listed)
    assert favorites == {full("/0"): 2.5, "b.cn": 1.0}
    rank_corpus(corpus, RankJob(favorites=favorites, name="mine"))
    rank_corpus(corpus)
    mine, plain = ranks(corpus, "mine")[0], ranks(corpus)[0]
    assert mine["/0"] > 2 * plain["/0"]
    assert mine["http://b.cn/"] > plain["http://b.cn/"]
    with pytest.raises(InputError, match="none of the favored"):
        rank_corpus(corpus, RankJob(favorites={"http://nowhere.cn/": 1.0}))


@pytest.mark.parametrize(
    "line", ["http://a.cn/ much", "http://a.cn/ -1", "a.cn 0", "a.cn 1 2", "a.cn nan"]
)
def test_a_bad_line_of_favorites_is_named(tmp_path, line):
    listed = tmp_path / "favorites.txt"
    listed.write_text(f"# \n{line}\n")
    with pytest.raises(InputError, match=r"favorites\.txt:2"):
        read_favorites(listed)
    with pytest.raises(InputError, match=r"missing\.txt"):
        read_favorites(tmp_path / "missing.txt")


def test_ranks_go_elsewhere_for_a_corpus_that_can_only_be_read(corpus, tmp_path):
    report = rank_corpus(corpus, RankJob(name="away"), out=tmp_path / "ranks")
    assert report.table == str(tmp_path / "ranks" / "away.parquet")
    assert not (corpus / "analysis/ranks/away.parquet").exists()
    assert read_ranks(corpus, "away", out=tmp_path / "ranks")[0].num_rows == 11


@pytest.mark.full
def test_content_blocks_from_an_extraction(tmp_path):
    """The same pages, with block tables of the crawl and of the Quark method."""
    root = tmp_path / "corpus"
    add_pages(root, range(6))
    extract_corpus(root, ExtractionOptions("quark", blocks=True))
    paths = sorted((root / "analysis/extractions/quark").glob("bucket=*/*.parquet"))
    bare = corpus_graph(root)
    labeled = corpus_graph(root, label_paths=paths)
    assert bare.report.without_blocks == 6
    assert labeled.report.without_blocks == 0
    assert labeled.graph.blocks.is_content.any()
    assert labeled.graph.urls.to_pylist() == bare.graph.urls.to_pylist()
    assert labeled.report.links == bare.report.links
    # A row of a page that has moved since belongs to another record: it does not count.
    table = pq.read_table(paths[0])
    moved = table.set_column(table.column_names.index("offset"), "offset", [[5] * table.num_rows])
    pq.write_table(moved, paths[0])
    assert corpus_graph(root, label_paths=paths).report.without_blocks == table.num_rows


# Bad input


def test_an_empty_corpus(tmp_path):
    CorpusWriter(tmp_path / "corpus").close()
    for method in ("pagerank", "quarkrank", "blpr"):
        report = rank_corpus(tmp_path / "corpus", RankJob(method, blocks=True))
        assert (report.converged, report.graph["pages"], report.content_share) == (True, 0, 0.0)
        table, _ = read_ranks(tmp_path / "corpus", method)
        assert table.num_rows == 0
        assert table.column_names == ["url", "host", "is_page", "rank", "position"]


def test_pages_without_links_and_a_single_page(tmp_path):
    for n in (1, 3):
        world = World(tmp_path / str(n))
        for k in range(n):
            world.page(f"/{k}", block())
        root = world.close()
        for method in ("pagerank", "quarkrank", "blpr"):
            rank_corpus(root, RankJob(method, blocks=True))
            assert list(ranks(root, method)[0].values()) == pytest.approx([1 / n] * n)


def test_weights_of_zero(corpus):
    report = rank_corpus(corpus, RankJob("quarkrank", weights=QuarkWeights(0, 0), name="nothing"))
    assert report.content_share == 0
    assert list(ranks(corpus, "nothing")[0].values()) == pytest.approx([1 / 11] * 11)


def damaged_corpus(tmp_path, harm):
    """Pages of two hosts in two shards; the table of one is harmed."""
    world = World(tmp_path / "corpus")
    world.page("/", block("/a", "http://b.cn/"))
    world.page("http://b.cn/", block("/"))
    root = world.close()
    whole = {
        path: path.read_bytes() for path in sorted(root.glob("analysis/pages/bucket=*/*.parquet"))
    }
    assert len(whole) == 2
    path = next(
        p for p in whole if "b.cn" in pq.read_table(p, columns=["host"])["host"].to_pylist()
    )
    harm(path)
    return root, path


def cut(path):
    path.write_bytes(path.read_bytes()[:-100])


def fill(path):
    data = bytearray(path.read_bytes())
    data[4 : len(data) // 2] = b"\xff" * (len(data) // 2 - 4)
    path.write_bytes(bytes(data))


def empty(path):
    path.write_bytes(b"")


def folder(path):
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize("harm", [cut, fill, empty, folder])
def test_a_damaged_shard_is_named_and_the_rest_ranked(tmp_path, harm):
    root, path = damaged_corpus(tmp_path, harm)
    report = rank_corpus(root)
    (damage,) = report.graph["damaged"]
    assert damage["path"] == str(path)
    assert damage["reason"]
    # The page in it is now known as a target only.
    found, table, made_by = ranks(root)
    assert set(found) == {"/", "/a", "http://b.cn/"}
    assert table.filter(table["is_page"])["url"].to_pylist() == [full("/")]
    assert made_by["graph"]["damaged"] == [damage]


def test_damaged_page_dat_files_do_not_matter(tmp_path):
    world = World(tmp_path / "corpus")
    world.page("/", block("/a"))
    root = world.close()
    for path in root.glob("data_*/*/page.dat"):
        path.write_bytes(b"\0" * 10)
    assert rank_corpus(root).graph["links"] == 1


def test_what_is_not_there_is_named(corpus, tmp_path):
    with pytest.raises(StoreError, match=str(tmp_path)):
        rank_corpus(tmp_path)
    rank_corpus(corpus)
    with pytest.raises(InputError, match=r"there are: .*pagerank"):
        read_ranks(corpus, "nothing-so-called")
    with pytest.raises(InputError, match="no method 'hits'"):
        RankJob("hits")
    with pytest.raises(ConfigError, match="--name"):
        RankJob(name="../pagerank")
    (tmp_path / "x.parquet").write_bytes(b"PAR1")
    with pytest.raises(StoreError, match=r"x\.parquet"):
        read_ranks(corpus, "x", out=tmp_path)


def test_no_room_for_the_table_leaves_the_older_one(corpus, monkeypatch):
    rank_corpus(corpus)
    before = (corpus / "analysis/ranks/pagerank.parquet").read_bytes()

    def full_disk(*_args, **_kwargs):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pq, "write_table", full_disk)
    with pytest.raises(StoreError, match="analysis/ranks"):
        rank_corpus(corpus, RankJob(iteration=IterationOptions(0.5)))
    assert (corpus / "analysis/ranks/pagerank.parquet").read_bytes() == before


def test_a_table_of_a_cluster_goes_once_the_new_one_is_whole(corpus, monkeypatch):
    rank_corpus(corpus)
    path = corpus / "analysis/ranks/pagerank.parquet"
    part = path.with_name("part-000001.parquet")
    before, _ = read_ranks(corpus, "pagerank")
    path.rename(part)
    path.mkdir()
    part.rename(path / part.name)

    def full_disk(*_args, **_kwargs):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(pq, "write_table", full_disk)
        with pytest.raises(StoreError, match="analysis/ranks"):
            rank_corpus(corpus)
    assert [one.name for one in path.iterdir()] == [part.name]
    rank_corpus(corpus)
    assert path.is_file()
    assert read_ranks(corpus, "pagerank")[0].equals(before)
    assert not list(path.parent.glob(".*.new"))


def test_reports_are_json(corpus):
    import dataclasses

    assert json.loads(json.dumps(dataclasses.asdict(rank_corpus(corpus))))["rounds"] > 1
    assert Corpus.open(corpus).info()


def test_a_file_of_labels_that_is_not_there_is_named_at_once(corpus, monkeypatch):
    from quarkcrawl.rank.graph import rawtables

    monkeypatch.setattr(rawtables, "_TRIES", 1)
    gone = corpus / "none.parquet"
    with pytest.raises(StoreError, match=r"none\.parquet: no such file"):
        rank_corpus(corpus, RankJob(label_paths=[gone]))


def test_favorites_with_a_byte_order_mark(tmp_path):
    path = tmp_path / "favorites.txt"
    path.write_text("a.cn 2\n", encoding="utf-8-sig")
    assert read_favorites(path) == {"a.cn": 2.0}


def test_blocks_of_posts_are_content_and_those_of_comments_are_not(tmp_path):
    found = []
    for kinds in (("content", "noise"), ("post", "comment")):
        world = World(tmp_path / kinds[0])
        for k in range(4):
            pieces = [Piece((to,), kind=kind) for to, kind in zip(("/a", "/b"), kinds, strict=True)]
            world.page(f"/{k}", *pieces)
        world.page("/a", block("/0", content=True))
        root = world.close()
        rank_corpus(root, RankJob("quarkrank"))
        found.append(ranks(root, "quarkrank")[0])
    assert found[0] == found[1]
    assert found[0]["/a"] > found[0]["/b"]
