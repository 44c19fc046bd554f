"""``quarkcrawl rank`` as a user runs it."""

import json

import pytest

from quarkcrawl.cli import main
from tests.rank.worlds import World, block


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    world = World(tmp_path_factory.mktemp("rank") / "corpus")
    for k in range(4):
        world.page(f"/{k}", block("/list", "/list", "!/ad"), block("/story", content=True))
    world.page("/list", block(*(f"/{k}" for k in range(4))))
    world.page("/story", block("/list"))
    return world.close()


@pytest.fixture
def call(capsys, corpus):
    def run(*words, code=0):
        assert main(["rank", words[0], str(corpus), *map(str, words[1:])]) == code
        return capsys.readouterr()

    return run


def lines(done):
    return [json.loads(line) for line in done.out.splitlines()]


@pytest.mark.full
def test_each_ranking_and_a_comparison(call, corpus, tmp_path):
    (plain,) = lines(call("pagerank"))
    (quark,) = lines(call("quarkrank"))
    assert plain["graph"]["left_out"] == {"nofollow": 4, "repeated": 4}
    assert quark["content_share"] > plain["content_share"]
    lines(call("blpr", "--blocks"))
    assert {p.name for p in (corpus / "analysis/ranks").iterdir()} >= {
        "pagerank.parquet", "pagerank-hosts.parquet", "quarkrank.parquet", "blpr.parquet",
        "blpr-blocks.parquet", "aliases.parquet",
    }  # fmt: skip
    picture = tmp_path / "both.png"
    (found,) = lines(call("compare", "pagerank", "quarkrank", "--top", 1, "--plot", picture))
    assert found["pages"] == 6
    assert found["gained"][0]["url"] == "http://a.cn/story"
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_the_first_pages_and_hosts(call):
    rows = lines(call("pagerank", "--top", 2))
    assert [(row["place"], row["url"]) for row in rows][:1] == [(1, "http://a.cn/list")]
    assert len(rows) == 2
    (host,) = lines(call("pagerank", "--top", 5, "--hosts"))
    assert (host["host"], host["pages"]) == ("a.cn", 6)


@pytest.mark.full
def test_options_reach_the_ranking(call, tmp_path):
    words = ["--nofollow", "count", "--repeated", "each", "--unstored", "drop", "--self-links"]
    (found,) = lines(call("pagerank", *words, "--no-canonical", "--name", "other", "--float32"))
    assert found["graph"]["left_out"] == {"unknown": 4}
    assert found["graph"]["links"] == 17
    (found,) = lines(
        call("quarkrank", "--content-weight", 0, "--other-weight", 1, "--name", "other")
    )
    assert found["content_share"] == 0
    favorites = tmp_path / "f.txt"
    favorites.write_text("a.cn\n")
    (found,) = lines(call("pagerank", "--personalize", favorites, "--out", tmp_path / "out"))
    assert found["table"] == str(tmp_path / "out" / "pagerank.parquet")
    picture = tmp_path / "one.svg"
    call("pagerank")
    lines(call("pagerank", "--warm", "--plot", picture))
    assert picture.exists()


def test_an_iteration_that_is_stopped_says_so(call):
    done = call("pagerank", "--max-iterations", 2, "--name", "short")
    assert "not at rest after 2 rounds" in done.err
    assert lines(done)[0]["converged"] is False


@pytest.mark.full
@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["pagerank", "--damping", "1"], 2, "damping"),
        (
            ["pagerank", "--nofollow", "maybe"],
            2,
            "--nofollow: 'maybe' is not one of 'skip', 'count'",
        ),
        (["quarkrank", "--content-weight", "-1"], 2, "--content-weight: input should be greater"),
        (["quarkrank", "--extraction", "quark"], 2, "extract CORPUS --method quark --blocks"),
        (["pagerank", "--warm", "--name", "never"], 2, "no such ranks"),
        (["compare", "never", "pagerank"], 2, "never.parquet"),
        (["pagerank", "--plot", "/nowhere/x.png"], 1, "/nowhere/x.png"),
        (["pagerank", "--name", "a/b"], 2, "a/b"),
        (["pagerank", "--engine", "spark"], 2, "go together"),
        (["pagerank", "--engine", "ray"], 2, "'local', 'spark'"),
        (["pagerank", "--engine", "spark", "--spark-master", "local[1]", "--warm"], 2, "warm"),
        (["pagerank", "--engine", "spark", "--spark-master", "here"], 2, "no Spark master"),
    ],
)
def test_mistakes(call, words, code, message):
    assert message in call(*words, code=code).err


def test_a_corpus_that_is_none(capsys, tmp_path):
    assert main(["rank", "pagerank", str(tmp_path)]) == 2
    assert str(tmp_path) in capsys.readouterr().err


def test_a_damaged_shard_is_named_and_ends_with_1(capsys, tmp_path):
    world = World(tmp_path / "corpus")
    world.page("/", block("/a"))
    root = world.close()
    (part,) = root.glob("analysis/pages/*/*.parquet")
    part.write_bytes(b"PAR1")
    assert main(["rank", "pagerank", str(root)]) == 1
    done = capsys.readouterr()
    assert f"not read: {part}" in done.err
    assert json.loads(done.out)["graph"]["pages"] == 0
