"""Common Crawl's files: a corpus goes out, comes back, and has the ranks that it has here."""

import gzip
import json

import pytest

from quarkcrawl.cli import main
from quarkcrawl.errors import InputError
from quarkcrawl.rank import corpus_graph, iterate, pagerank_flow
from quarkcrawl.rank.webgraph import rank_webgraph, write_webgraph
from tests.rank.worlds import World, block


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    world = World(tmp_path_factory.mktemp("webgraph") / "corpus")
    world.page("/1", block("/2", "http://www.b.cn/"))
    world.page("/2", block("/1", "http://www.b.cn/x"))
    world.page("http://www.b.cn/", block("http://c.cn/x", "/1"))
    return world.close()


@pytest.fixture
def run(capsys):
    def run(*words):
        code = main([*map(str, words)])
        return code, *capsys.readouterr()

    return run


def lines(path):
    return gzip.decompress(path.read_bytes()).decode().splitlines()


def put(path, text):
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path


def test_hosts_of_a_corpus(run, corpus, tmp_path):
    code, out, _ = run("rank", "export", corpus, "--out", tmp_path / "graph")
    report = json.loads(out)
    assert (code, report["vertices"], report["edges"]) == (0, 3, 3)
    assert lines(tmp_path / "graph" / "vertices.txt.gz") == ["0\tcn.a", "1\tcn.b.www", "2\tcn.c"]
    assert lines(tmp_path / "graph" / "edges.txt.gz") == ["0\t1", "1\t0", "1\t2"]


def test_pages_come_back_with_the_ranks_of_the_corpus(corpus, tmp_path):
    graph = corpus_graph(corpus).graph
    write_webgraph(graph, tmp_path, "pages")
    report = rank_webgraph(tmp_path, tmp_path, tmp_path / "ranks.gz")
    header, *rows = lines(tmp_path / "ranks.gz")
    assert header == "#harmonicc_pos\t#harmonicc_val\t#pr_pos\t#pr_val\t#host_rev"
    assert [row.split("\t")[0] for row in rows] == [str(k + 1) for k in range(report.vertices)]
    ranks = {row.split("\t")[4]: float(row.split("\t")[3]) for row in rows}
    expected = iterate(pagerank_flow(graph)).values
    assert ranks == pytest.approx(dict(zip(graph.urls.to_pylist(), expected, strict=True)))
    by_rank = sorted(rows, key=lambda row: -float(row.split("\t")[3]))
    assert [int(row.split("\t")[2]) for row in by_rank] == list(range(1, report.vertices + 1))
    assert not list(tmp_path.glob(".webgraph-*"))


def test_lists_of_files_with_more_columns(run, tmp_path):
    """As of a domain graph: many files, a third column with the number of hosts."""
    (tmp_path / "data").mkdir()
    put(tmp_path / "data" / "v0.txt.gz", "0\tcn.a\t3\n1\tcn.b\t1\n")
    put(tmp_path / "data" / "v1.txt", "2\tcn.c\t1\n")
    put(tmp_path / "data" / "e0.txt.gz", "0\t1\n")
    put(tmp_path / "data" / "e1.txt.gz", "2\t1\n")
    put(tmp_path / "vertices.paths.gz", "data/v0.txt.gz\ndata/v1.txt\n")
    put(tmp_path / "edges.paths", "data/e0.txt.gz\ndata/e1.txt.gz\n")
    code, out, err = run(
        "rank", "webgraph", tmp_path / "vertices.paths.gz", tmp_path / "edges.paths",
        "--out", tmp_path / "ranks.txt.gz",
    )  # fmt: skip
    assert (code, err, json.loads(out)["edges"]) == (0, "", 2)
    assert lines(tmp_path / "ranks.txt.gz")[1].split("\t")[::2] == ["1", "1", "cn.b"]


@pytest.mark.parametrize(
    ("vertices", "edges", "message"),
    [
        ("0\tcn.a\n2\tcn.b\n", "", "vertex 2 where 1 should be"),
        ("cn.a\n", "", "no two columns parted by a tab: 'cn.a'"),
        ("0\tcn.a\n1\tcn.b\n", "0\t2\n", r"e\.txt\.gz: target 2 is not between 0 and 1"),
        ("0\tcn.a\n1\tcn.b\n", "0\t1\n0\tx\n", "Row #2"),
        ("0\tcn.a\n1\tcn.b\n", "0\t1\n0\n", "Row #2"),
    ],
)
def test_bad_files_are_one_line_and_leave_nothing(tmp_path, vertices, edges, message):
    paths = put(tmp_path / "v.txt.gz", vertices), put(tmp_path / "e.txt.gz", edges)
    with pytest.raises(InputError, match=message):
        rank_webgraph(*paths, tmp_path / "ranks.txt.gz")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["e.txt.gz", "v.txt.gz"]


def test_a_file_that_breaks_off_is_named(tmp_path):
    vertices = put(tmp_path / "v.txt.gz", "".join(f"{k}\tcn.a{k}\n" for k in range(5000)))
    vertices.write_bytes(vertices.read_bytes()[:-2000])
    with pytest.raises(InputError, match=r"v\.txt\.gz: cannot be read"):
        rank_webgraph(vertices, put(tmp_path / "e.txt", ""), tmp_path / "ranks.txt.gz")


def test_a_folder_without_files(tmp_path):
    (tmp_path / "empty").mkdir()
    edges = put(tmp_path / "e.txt", "")
    with pytest.raises(InputError, match=r"empty: no files named \*\.txt"):
        rank_webgraph(tmp_path / "empty", edges, tmp_path / "ranks.gz")


def test_a_graph_without_vertices(tmp_path):
    paths = put(tmp_path / "v.txt.gz", ""), put(tmp_path / "e.txt.gz", "")
    assert rank_webgraph(*paths, tmp_path / "ranks.txt.gz").vertices == 0
    assert len(lines(tmp_path / "ranks.txt.gz")) == 1
