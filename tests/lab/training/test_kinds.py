"""Kinds of pages are learned from a few made-up ones."""

import gzip
import json

import pytest

from quarkcrawl.cli import main
from quarkcrawl.content.kind import KINDS, page_facts, read_kind_model
from quarkcrawl.errors import InputError
from quarkcrawl.page import Page
from tests.progress import Told

ARTICLE = "<title>Rain</title><h1>Rain</h1><article class=story><p>It rained, and then it stopped, "
SHOP = "<title>Shop</title><h1>Hats</h1><ul class=product-grid><li>Hat $3.99 <button>Add to cart"


def record(number, kind, html, where):
    return {"id": f"{kind}{number}", "url": f"https://{kind}{number}.example/{where}/{number}",
            "gold_text": "", "html": html * (number % 3 + 1), "page_type": kind, "lang": "en"}  # fmt: skip


def written(folder, records, name="mine"):
    lines = "".join(json.dumps(one) + "\n" for one in records)
    (folder / f"{name}.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
    return folder


RECORDS = [record(n, "article", ARTICLE, "news") for n in range(8)] + [
    record(n, "collection", SHOP, "shop") for n in range(8)
]


def test_two_kinds_are_told_apart_on_sites_left_out(tmp_path, capsys):
    pytest.importorskip("sklearn")
    out = tmp_path / "kinds.npz"
    folder = str(written(tmp_path, RECORDS))
    assert main(["train", "kinds", folder, "--folds", "4", "--out", str(out)]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["kinds"]["article"] == {"pages": 8, "precision": 1.0, "recall": 1.0, "f1": 1.0}
    assert told["languages"] == {"en": {"pages": 16, "right": 1.0}}
    assert sum(map(sum, told["confusion"])) == 16
    model = read_kind_model(out)
    page = Page.from_html(SHOP * 2, "https://else.example/shop/9")
    assert KINDS[model.probabilities(page_facts(page)).argmax()] == "collection"
    assert model.about["pages"] == {"mine article": 8, "mine collection": 8}


def test_the_same_pages_give_the_same_model(tmp_path):
    pytest.importorskip("sklearn")
    folder = str(written(tmp_path, RECORDS))
    bodies = []
    for name in ("a.npz", "b.npz"):
        assert main(["train", "kinds", folder, "--out", str(tmp_path / name)]) == 0
        bodies.append(read_kind_model(tmp_path / name))
    assert (bodies[0].weights == bodies[1].weights).all()


def test_what_class_names_alone_tell_is_not_told_without_them(tmp_path):
    pytest.importorskip("sklearn")
    from quarkcrawl.lab.training import train_kinds

    html = "<div class={}-page><h1>One</h1><p>text"
    records = [
        record(n, kind, html.format(kind), "") | {"url": f"https://{2 * n + half}.cn/"}
        for half, kind in enumerate(("article", "collection"))
        for n in range(20)
    ]
    told = train_kinds([written(tmp_path, records)], n_folds=4)
    assert told["macro_f1"] == 1.0
    assert told["macro_f1_nameless"] < 0.8


def test_names_are_not_all_that_tells_a_kind(tmp_path, monkeypatch):
    """Heading and address tell the kind, too; copies without names give them more weight."""
    pytest.importorskip("sklearn")
    from quarkcrawl.lab.training import kinds

    word = {"article": "story", "collection": "shop"}
    records = [
        record(n, kind, f"<div class={word[kind]}-page><h1>{word[kind]}</h1><p>text", "at")
        for kind in word
        for n in range(8)
    ]
    pages = kinds.read_kind_pages([written(tmp_path, records)])

    def least(weight):
        monkeypatch.setattr(kinds, "_NAMELESS_WEIGHT", weight)
        model = kinds.train_kind_model(pages)
        return min(model.probabilities(page.nameless)[page.kind] for page in pages)

    assert least(0.02) > least(0.0) > 0.5


def test_other_names_of_kinds_and_question_pages_are_read(tmp_path):
    pytest.importorskip("sklearn")
    from quarkcrawl.lab.training.kinds import read_kind_pages

    asked = {**RECORDS[0], "page_type": "forum", "url": "https://a.example/questions/3/why"}
    blog = {**RECORDS[0], "page_type": "blog"}
    unknown = {**RECORDS[0], "page_type": "poem"}
    pages = read_kind_pages([written(tmp_path, [asked, blog, unknown])])
    assert [KINDS[page.kind] for page in pages] == ["qa", "article"]


def test_what_cannot_be_learned_from_is_refused(tmp_path):
    pytest.importorskip("sklearn")
    from quarkcrawl.lab.training.kinds import (
        read_kind_pages,
        told_apart,
        train_kind_model,
    )

    with pytest.raises(InputError, match="no NAME"):
        read_kind_pages([tmp_path])
    pages = read_kind_pages([written(tmp_path, RECORDS[:3])])
    with pytest.raises(InputError, match="one kind"):
        train_kind_model(pages)
    with pytest.raises(InputError, match="3 sites"):
        told_apart(pages, 4)


@pytest.mark.full
def test_each_training_tells_how_far_it_is(tmp_path):
    pytest.importorskip("sklearn")
    from quarkcrawl.lab.training import train_block_importance, train_kinds, train_lines

    text = "What the page is about stands here, in words enough to be its content. " * 3
    html = f"<div id=top><a href='/a'>one</a> <a href='/b'>two</a></div><p>{text}</p>"
    records = [record(n, ("article", "collection")[n % 2], html, "news") for n in range(8)]
    folder = written(tmp_path, [one | {"gold_text": text} for one in records])
    for train in (train_lines, train_kinds):
        told = Told()
        train([folder], tmp_path / "model.npz", n_folds=2, on_progress=told)
        told.check(f"pages of {folder.name}", "sites left out", "fitting", unknown={"fitting"})
        assert told.steps["sites left out"][-1] == (2, 2)
    told = Told()
    train_block_importance(folder, tmp_path / "model.npz", n_folds=2, on_progress=told)
    told.check(f"pages of {folder.name}", "sites left out", "fitting", unknown={"fitting"})


def test_the_hosts_that_are_left_out_of_topic_pages_are_counted(tmp_path):
    from quarkcrawl.lab.training import held_out, read_examples

    records = [record(n, "article", ARTICLE, "news") | {"is_topic": n % 2 == 0} for n in range(8)]
    folder, told = written(tmp_path, records), Told()
    held_out(read_examples([folder / "mine.jsonl.gz"], on_progress=told), on_progress=told)
    told.check("pages", "hosts left out")
    assert told.steps["pages"][-1] == (8, 8)
