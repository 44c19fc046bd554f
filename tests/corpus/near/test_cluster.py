"""Near-duplicates found by Spark against those that DuckDB finds: the same groups, in order."""

from __future__ import annotations

import random

import pyarrow.parquet as pq
import pytest

from quarkcrawl.cli import main
from quarkcrawl.corpus.near import find_near, find_near_on_cluster, near_groups, near_method
from quarkcrawl.engines import SparkEngine
from quarkcrawl.errors import StoreError
from quarkcrawl.store import CorpusWriter
from tests.store.samples import make_item

pytestmark = [
    pytest.mark.timeout(900),  # a Java process on what may be a busy machine
]

CHARACTERS = [chr(0x4E00 + k) for k in range(2000)]


@pytest.fixture(scope="module")
def spark(spark_here):
    """In this process."""
    with SparkEngine("local[2]", settings={"spark.driver.memory": "1g"}) as engine:
        yield engine


def article(dice: random.Random) -> str:
    """Some sentences that no other article has."""
    return "".join(
        "".join(dice.choices(CHARACTERS, k=dice.randint(8, 25))) + "。" for _ in range(12)
    )


def changed(dice: random.Random, text: str) -> str:
    """A copy with one character more or another one."""
    place = dice.randrange(len(text))
    return text[:place] + dice.choice(CHARACTERS) + text[place + dice.randint(0, 1) :]


def texts(seed: int, n_articles: int) -> list[str]:
    """Articles; few have many copies, most have none, and copies are of copies, too."""
    dice = random.Random(seed)
    found = []
    for number in range(n_articles):
        family = [article(dice)]
        for _ in range(1200 // (number + 1) ** 2):
            of = family[0] if dice.random() < 0.5 else dice.choice(family)
            family.append(of if dice.random() < 0.3 else changed(dice, of))
        found += family
    dice.shuffle(found)
    return found


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """Some thousand texts on a few hosts; every tenth page was stored twice."""
    root = tmp_path_factory.mktemp("near") / "corpus"
    with CorpusWriter(root) as writer:
        for number, text in enumerate(texts(7, 600)):
            host = f"h{number % 5}.cn"
            stale = [] if number % 10 else ["旧" * 60]
            for again, stored in enumerate([*stale, text]):
                item = make_item(
                    number,
                    host=host,
                    url=f"http://{host}/{number}",
                    fetched_at=1e9 + number // 3 + again,
                    analysis={"content_text": stored},
                )
                writer.append_page(item)
    return root


@pytest.mark.full
@pytest.mark.parametrize("name", ["simhash", "minhash", "default"])
def test_the_groups_of_a_cluster_are_those_of_duckdb(spark, corpus, name):
    method = near_method(name, stop_lengths=8) if name == "default" else near_method(name)
    here = find_near(corpus, method, least_chars=20)
    expected = list(near_groups(corpus, method))
    assert max(map(len, expected)) > 100
    assert len(expected) > 10
    stages = []
    report = find_near_on_cluster(spark, corpus, method, least_chars=20, on_stage=stages.append)
    assert list(near_groups(corpus, method)) == expected
    found = (report.texts, report.groups, report.grouped, report.reasons)
    assert found == (here.texts, here.groups, here.grouped, here.reasons)
    assert here.texts > 2000
    assert len(stages) == report.stages
    folder = corpus / "analysis" / "near" / name
    assert (folder / "groups.parquet").is_dir()
    assert not (folder / "cluster").exists()
    # DuckDB's take their place again.
    again = find_near(corpus, method, least_chars=20)
    assert again.groups == len(expected)
    assert pq.read_metadata(folder / "groups.parquet").num_rows == report.grouped
    assert list(near_groups(corpus, method)) == expected


@pytest.mark.full
def test_nothing_to_compare_and_no_extraction(spark, tmp_path):
    CorpusWriter(tmp_path / "corpus").close()
    report = find_near_on_cluster(spark, tmp_path / "corpus")
    assert (report.texts, report.groups) == (0, 0)
    assert list(near_groups(tmp_path / "corpus")) == []
    with pytest.raises(StoreError, match="no extraction"):
        find_near_on_cluster(spark, tmp_path / "corpus", extraction="quark")


def test_options_that_do_not_go_together(corpus, capsys):
    assert main(["corpus", "near", str(corpus), "--engine", "spark"]) == 2
    assert "--spark-master" in capsys.readouterr().err
    assert main(["corpus", "near", str(corpus), "--partitions", "3"]) == 2
    assert "--engine spark" in capsys.readouterr().err
