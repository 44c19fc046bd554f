"""Page classes of a stored corpus, through the command and in a crawl."""

import json

import pyarrow.parquet as pq
import pytest

from quarkcrawl.classify import Classifier, Examples, TrainingOptions, text_words, train
from quarkcrawl.cli import main
from quarkcrawl.corpus.classification import classify_corpus, page_classes
from quarkcrawl.corpus.extraction.job import PoolOptions
from quarkcrawl.errors import ConfigError, InputError, StoreError
from quarkcrawl.lab.mockweb import ServerProcess
from quarkcrawl.store import CorpusWriter, page_dat_path
from tests.classify.toys import FRAMES, TOPICS, page, records
from tests.crawl.harness import crawl
from tests.store.samples import make_item

ONE = PoolOptions(workers=1)


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "topics.npz"
    words = [text_words("".join(words)) for words in TOPICS.values() for _ in range(2)]
    labels = [name for name in TOPICS for _ in range(2)]
    train(Examples(labels, ["s"] * 4, words, "quark"), TrainingOptions()).save(path)
    return path


@pytest.fixture
def corpus(tmp_path):
    root = tmp_path / "corpus"
    with CorpusWriter(root) as writer:
        for number, (site, topic) in enumerate((s, t) for s in FRAMES for t in TOPICS):
            body = page(topic, site, number).encode()
            writer.append_page(
                make_item(number, host=site, url=f"http://{site}/{topic}", body=body)
            )
        writer.append_page(make_item(99, host="e.cn", url="http://e.cn/", body=b"<p>xyzzy</p>"))
        writer.sync().acknowledged()
    return root


def test_every_page_has_a_row(corpus, model):
    report = classify_corpus(corpus, model, pool=ONE)
    assert (report.pages, report.classes) == (9, {"finance": 4, "sports": 4})
    assert report.reasons == {"no_words": 1}
    rows = page_classes(corpus, "topics").to_pylist()
    assert all(row["class"] == row["url"].rpartition("/")[2] for row in rows if row["class"])
    assert all(0.5 < row["probability"] <= 1 for row in rows if row["class"])
    about = pq.read_schema(report.table).metadata[b"quarkcrawl_classes"]
    assert json.loads(about)["model"] == str(model)


def test_a_damaged_record_has_its_reason(corpus, model, tmp_path):
    path = page_dat_path(corpus, "a.cn")
    stored = bytearray(path.read_bytes())
    stored[len(stored) // 4] ^= 0xFF
    path.write_bytes(stored)
    report = classify_corpus(corpus, model, pool=ONE, out=tmp_path / "out", name="other")
    assert report.reasons.keys() <= {"damaged", "unreadable", "no_words"}
    assert sum(report.reasons.values()) == 2
    assert page_classes(corpus, "other", out=tmp_path / "out").num_rows == 9


def test_what_is_refused(corpus, model, tmp_path):
    with pytest.raises(ConfigError, match="name of a table"):
        classify_corpus(corpus, model, name="../x")
    with pytest.raises(InputError):
        classify_corpus(corpus, tmp_path / "none.npz")
    with pytest.raises(StoreError, match="no such table"):
        page_classes(corpus, "none")


@pytest.mark.full
def test_the_commands(corpus, tmp_path, capsys):
    labeled, model = tmp_path / "pages.jsonl", tmp_path / "m.npz"
    labeled.write_text("".join(json.dumps(record) + "\n" for record in records(4)))
    assert main(["classify", "train", str(labeled), "--model", str(model), "--folds", "2"]) == 0
    trained = json.loads(capsys.readouterr().out)
    assert trained["macro_f1_sites_left_out"] == 1.0
    assert trained["pages"] == {"finance": 16, "sports": 16}
    assert Classifier.load(model).method == "quark"
    assert main(["classify", "apply", str(corpus), "--model", str(model), "--workers", "1"]) == 0
    assert json.loads(capsys.readouterr().out)["classes"] == {"finance": 4, "sports": 4}
    source = tmp_path / "page.html"
    source.write_text(page("sports", "a.cn", 7))
    words = ["classify", "apply", str(source), str(tmp_path / "none.html"), "--model", str(model)]
    assert main(words) == 2
    done = capsys.readouterr()
    assert json.loads(done.out)["class"] == "sports"
    assert "none.html" in done.err


@pytest.mark.full
def test_a_crawl_fills_the_columns(tmp_path, model):
    home = "http://www.topics.example/"
    links = "".join(f"<a href='/{topic}'>x</a>" for topic in TOPICS)
    site = {home: f"<p>{links}", **{f"{home}{t}": page(t, "a.cn", 1) for t in TOPICS}}
    with ServerProcess.for_pages(site) as server:
        run = crawl(tmp_path, server, ["www.topics.example"], content="yes", class_file=str(model))
    run.assert_settled()
    rows = run.pages()
    for topic in TOPICS:
        assert rows[f"{home}{topic}"].analysis["page_class"] == topic
        assert 0.5 < rows[f"{home}{topic}"].analysis["class_probability"] <= 1
    assert rows[home].analysis.get("page_class") is None
