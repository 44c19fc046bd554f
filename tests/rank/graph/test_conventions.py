"""Each convention of the link graph on a small corpus of its own."""

from __future__ import annotations

import numpy as np
import pytest

from quarkcrawl.errors import ConfigError
from quarkcrawl.rank import Conventions, corpus_graph
from quarkcrawl.rank.graph.aliases import ends_of_chains
from quarkcrawl.store.tables import columns
from tests.rank.worlds import World, arrows, block, edges, full


@pytest.fixture
def world(tmp_path):
    return World(tmp_path / "corpus")


def read(world, **conventions):
    return corpus_graph(world.close(), Conventions(**conventions))


def test_links_lie_in_their_blocks_and_others_in_the_rest(world):
    world.page("/", block("/a", "/b", content=True, n_chars=30), block("/b"), rest=("/c",))
    world.page("/a", block())
    found = read(world)
    assert edges(found.graph) == {
        ("/", "/a", 0): 1, ("/", "/b", 0): 1, ("/", "/b", 1): 1, ("/", "/c", -1): 1,
    }  # fmt: skip
    blocks = found.graph.blocks
    home = found.graph.urls.to_pylist().index(full("/"))
    mine = slice(blocks.ptr[home], blocks.ptr[home + 1])
    assert blocks.is_content[mine].tolist() == [True, False, False]
    # 130 characters, the middle at 65; middles of the blocks at 15 and 80. One link in the rest.
    assert blocks.size[mine].tolist() == [30, 100, 1]
    assert blocks.distance[mine].tolist() == [50, 15, 65]
    assert (found.report.pages, found.report.unknown, found.report.blocks) == (2, 2, 3)
    assert (found.report.links, found.report.links_read) == (4, 4)


def test_targets_that_are_not_stored_are_nodes_without_links(world):
    world.page("/", block("/known", "http://elsewhere.cn/"))
    world.page("/known", block("/"))
    found = read(world)
    assert arrows(found.graph) == {"/>/known", "/>http://elsewhere.cn/", "/known>/"}
    assert found.graph.n_pages == 2
    assert found.graph.n_nodes == 3
    assert found.graph.urls[2].as_py() == "http://elsewhere.cn/"


def test_or_links_to_them_are_dropped(world):
    world.page("/", block("/known", "http://elsewhere.cn/"))
    world.page("/known", block("/"))
    found = read(world, unknown="drop")
    assert arrows(found.graph) == {"/>/known", "/known>/"}
    assert found.graph.n_nodes == 2
    assert found.report.left_out == {"unknown": 1}


@pytest.mark.parametrize(("repeated", "count"), [("block", 1), ("each", 3)])
def test_repeated_links_of_a_block(world, repeated, count):
    world.page("/", block("/a", "/a", "/a"), block("/a"))
    found = read(world, repeated=repeated)
    assert edges(found.graph) == {("/", "/a", 0): count, ("/", "/a", 1): 1}
    assert found.report.left_out == ({"repeated": 2} if repeated == "block" else {})
    assert found.graph.n_links == count + 1


def test_nofollow_links_are_none_or_count(world):
    world.page("/", block("/a", "!/b"))
    root = world.close()
    found = corpus_graph(root)
    assert arrows(found.graph) == {"/>/a"}
    assert found.graph.n_nodes == 2  # a target that only such links lead to is no node
    assert found.report.left_out == {"nofollow": 1}
    assert arrows(corpus_graph(root, Conventions(nofollow="count")).graph) == {"/>/a", "/>/b"}


def test_links_to_itself_are_none_or_count(world):
    world.page("/", block("/", "/a", "/old"))
    world.redirect("/old", "/")  # a redirect back is a link to itself
    root = world.close()
    found = corpus_graph(root)
    assert arrows(found.graph) == {"/>/a"}
    assert found.report.left_out == {"self": 2}
    assert arrows(corpus_graph(root, Conventions(self_links=True)).graph) == {"/>/", "/>/a"}


def test_a_redirected_target_counts_for_where_it_ends(world):
    world.page("/", block("/1", "/2", "/out"))
    world.page("/end", block("/"))
    world.redirect("/1", "/2")
    world.redirect("/2", "/end")
    world.redirect("/out", "http://elsewhere.cn/")
    found = read(world)
    assert arrows(found.graph) == {"/>/end", "/>http://elsewhere.cn/", "/end>/"}
    assert found.report.aliases == {"redirect": 3, "duplicate": 0, "canonical": 0}
    assert dict(zip(*(column.to_pylist() for column in found.aliases.columns), strict=True)) == {
        full("/1"): full("/end"), full("/2"): full("/end"), full("/out"): "http://elsewhere.cn/",
    }  # fmt: skip


def test_redirects_in_a_circle_end_nowhere(world):
    world.page("/", block("/a", "/into"))
    world.redirect("/a", "/b")
    world.redirect("/b", "/a")
    world.redirect("/into", "/b")
    found = read(world)
    assert arrows(found.graph) == {"/>/a", "/>/b"}
    assert found.graph.n_pages == 1


def test_a_stored_page_is_itself_whatever_redirected_there_once(world):
    world.page("/", block("/a"))
    world.page("/a", block("/"))
    world.redirect("/a", "/b")
    assert arrows(read(world).graph) == {"/>/a", "/a>/"}


def test_a_duplicate_counts_for_the_page_kept_with_its_links(world):
    world.page("/kept", block("/x", content=True), block("/y"))
    world.page("/", block("/copy"))
    # The same body elsewhere: its first link leads to the same page, its second is relative.
    world.duplicate("/copy", "/kept", "/x", "/copies/y")
    found = read(world)
    assert edges(found.graph) == {
        ("/", "/kept", 0): 1, ("/kept", "/x", 0): 1, ("/kept", "/y", 1): 1,
        ("/kept", "/copies/y", 1): 1,
    }  # fmt: skip
    assert found.report.left_out == {"duplicate": 1}
    assert found.report.aliases["duplicate"] == 1


def test_links_of_a_duplicate_that_do_not_match_go_to_the_rest(world):
    world.page("/kept", block("/x"))
    world.duplicate("/copy", "/kept", "/x", "/z")
    assert set(edges(read(world).graph)) == {
        ("/kept", "/x", 0),
        ("/kept", "/x", -1),
        ("/kept", "/z", -1),
    }


def test_a_duplicate_of_a_page_that_is_not_there(world):
    world.page("/", block("/copy"))
    world.duplicate("/copy", "/lost", "/x")
    found = read(world)
    assert arrows(found.graph) == {"/>/lost"}
    assert found.report.left_out == {"no_page": 1}


def test_a_duplicate_of_nobody_knows_what_stays_itself(world):
    """A worker of a shared crawl does not know whose copy it left out."""
    world.page("/", block("/copy", "/other"))
    world.duplicate("/copy", "", "/x")
    world.duplicate("/other", "", "/x")
    assert arrows(read(world).graph) == {"/>/copy", "/>/other"}


def test_a_page_counts_for_the_stored_one_it_declares(world):
    world.page("/", block("/print", "/article"))
    world.page("/print", block("/p"), canonical="/moved")
    world.redirect("/moved", "/article")
    world.page("/article", block("/next"))
    root = world.close()
    found = corpus_graph(root)
    assert arrows(found.graph) == {"/>/article", "/article>/next"}
    assert found.report.left_out == {"canonical": 1, "repeated": 1}
    assert found.report.aliases == {"redirect": 1, "duplicate": 0, "canonical": 1}
    without = corpus_graph(root, Conventions(canonical=False))
    assert arrows(without.graph) == {"/>/article", "/>/print", "/print>/p", "/article>/next"}


def test_a_canonical_url_that_is_not_stored(world):
    world.page("/", block("https://a.cn/1", "http://other.cn/2", "/3"))
    world.page("/1", block(), canonical="https://a.cn/1")  # on its host: its own name
    world.page("/2", block(), canonical="http://other.cn/2")  # elsewhere: not believed
    world.page("/3a", block(), canonical="/3")  # two pages claim it: not believed
    world.page("/3b", block(), canonical="/3")
    assert arrows(read(world).graph) == {"/>/1", "/>http://other.cn/2", "/>/3"}


def test_canonical_urls_in_a_circle_stay_pages(world):
    world.page("/a", block("/b"), canonical="/b")
    world.page("/b", block("/a"), canonical="/a")
    assert arrows(read(world).graph) == {"/a>/b", "/b>/a"}


def test_of_a_page_stored_twice_the_later_counts(world):
    world.page("/", block("/new"), fetched_at=2e9)
    world.page("/", block("/old"), fetched_at=1e9)
    found = read(world)
    assert arrows(found.graph) == {"/>/new"}
    assert found.report.left_out == {"stale": 1}


def test_a_page_without_a_block_table_has_one_block(world):
    world.page("/", block("/a", "/b"), unlabelled=True)
    found = read(world)
    assert set(edges(found.graph)) == {("/", "/a", -1), ("/", "/b", -1)}
    assert found.report.without_blocks == 1


def test_rendered_boxes_take_the_place_of_text_positions(world, monkeypatch):
    import pyarrow as pa

    from quarkcrawl.store import register_column

    monkeypatch.setattr(columns, "_registered", dict(columns._registered))
    sides = [(name, pa.float32()) for name in ("x", "y", "width", "height")]
    register_column("block_boxes", pa.list_(pa.struct(sides)))
    world.page("/", block("/a"), block("/b"), boxes=[(0, 0, 100, 20), (0, 20, 100, 60)])
    world.page("/c", block("/a"), block("/b"))  # not rendered: text positions
    found = read(world).graph
    names = found.urls.to_pylist()
    first = found.blocks.ptr[names.index(full("/"))]
    assert found.blocks.size[first : first + 3].tolist() == [2000, 6000, 0]
    half = float(np.float32(np.hypot(100, 80) / 2))
    assert found.blocks.distance[first : first + 3].tolist() == [30, 10, half]
    other = found.blocks.ptr[names.index(full("/c"))]
    assert found.blocks.distance[other : other + 3].tolist() == [50, 50, 100]


def test_what_is_still_in_the_journal_counts(world):
    world.page("/", block("/a", content=True))
    world.redirect("/a", "/b")
    found = corpus_graph(world.flush())
    assert edges(found.graph) == {("/", "/b", 0): 1}
    assert found.graph.blocks.is_content.tolist() == [True, False]


@pytest.mark.parametrize("name", ["repeated", "nofollow", "unknown"])
def test_choices_that_are_none(name):
    with pytest.raises(ConfigError, match=f"{name} is .* or .*, not 'no'"):
        Conventions(**{name: "no"})


def test_chains_end_where_they_end():
    ends = ends_of_chains(np.array([1, 2, 3, 3, 5, 4, 4, 7], np.int32))
    assert ends[:4].tolist() == [3, 3, 3, 3]
    assert set(ends[4:6].tolist()) == {4, 5}
    assert ends[6] in (4, 5)
    assert ends[7] == 7
    long = np.minimum(np.arange(1, 10_001), 9_999)
    assert set(ends_of_chains(long).tolist()) == {9_999}
