"""Pages read by methods of files and with options of the address: each changes what is shown."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from starlette.testclient import TestClient

from quarkcrawl.content import METHODS, extract, method_named, method_toml
from quarkcrawl.content.quark import FEATURES, Idf, Priors
from quarkcrawl.content.topic import MODEL_FEATURES, LogisticModel, save_models
from quarkcrawl.errors import ConfigError
from quarkcrawl.workbench.web import create_app
from quarkcrawl.workbench.web.http import ApiError
from quarkcrawl.workbench.web.methodstore import MethodStore
from tests.content.test_methodfile import FAR, LONG, NEAR, PAGE

pytestmark = pytest.mark.full  # a process of its own loads dictionaries and models


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Methods of one setting each: priors, weights of words and of topics of a file, a pattern."""
    folder = tmp_path_factory.mktemp("methods")
    n = len(FEATURES)
    Priors(0.001, (0.5,) * n, (0.5,) * n, "nothing is content").save(folder / "priors.json")
    (folder / "nothing.toml").write_text('method="quark"\n[options]\npriors="priors.json"\n')
    (folder / "dates.toml").write_text(
        "method='quark'\n[options]\nsimilarity_threshold=1\n"
        "[blocks]\ncustom_patterns=['^发布时间']\n",
        encoding="utf-8",
    )
    Idf({}, 0.0).save(folder / "idf.json")  # no word says anything
    (folder / "weightless.toml").write_text('method="quark"\n[options]\nidf="idf.json"\n')
    zeros = {name: np.zeros(len(names)) for name, names in MODEL_FEATURES.items()}
    models = {name: LogisticModel(names, zeros[name], zeros[name] + 1, zeros[name], -5.0)
              for name, names in MODEL_FEATURES.items()}  # fmt: skip
    save_models(folder / "topic.json", models, "nothing is a topic page")
    (folder / "offtopic.toml").write_text('method="quark"\ntopic="topic.json"\n')
    for name, more in (("whole", ""), ("pattern", "custom_patterns=['^发布时间']\n")):
        blocks = f"method='quark'\n[blocks]\nripe_chars=5000\n{more}"
        (folder / f"{name}.toml").write_text(blocks, encoding="utf-8")
    names = ("nothing", "dates", "weightless", "offtopic", "whole", "pattern")
    return [folder / f"{name}.toml" for name in names]


@pytest.fixture(scope="module")
def client(files):
    with TestClient(create_app(token="t", methods=files), base_url="http://127.0.0.1") as made:
        yield made


@pytest.fixture(scope="module")
def page(client):
    headers = {"Authorization": "Bearer t"}
    return client.post("/api/documents", content=PAGE.encode(), headers=headers).json()["id"]


def asked(client, page, what, **query):
    found = client.get(f"/api/pages/{page}/{what}", params=query)
    return found.json() if found.status_code == 200 else (found.status_code, found.json()["detail"])


def test_all_methods_are_listed_with_their_settings_in_force(client):
    found = {one["name"]: one["options"] for one in client.get("/api/methods").json()["methods"]}
    files = ["nothing", "dates", "weightless", "offtopic", "whole", "pattern"]
    assert list(found) == [*METHODS, *files]
    assert found["default"] == ""
    assert "compared_chars = 500\n" in found["quark"]
    assert "similarity_threshold = 1\n" in found["dates"]
    assert 'custom_patterns = ["^发布时间"]' in found["dates"]
    assert 'priors = "priors.json"' in found["nothing"]
    assert "max_negative_ratio = 4" in found["ibdom"]


@pytest.mark.parametrize("name", sorted(METHODS))
def test_the_settings_of_a_method_are_a_file_of_it(name, tmp_path):
    """With all of them written down nothing changes."""
    settings = method_named(name).settings
    if not settings:
        assert name == "default"
        return
    path = tmp_path / "same.toml"
    path.write_text(method_toml({"method": name, **settings}), encoding="utf-8")
    assert extract(PAGE, method=str(path)).text == extract(PAGE, method=name).text
    assert method_named(str(path)).settings == {**settings, "method": name}


def test_a_page_is_read_by_the_method_of_a_file(client, page, files):
    assert LONG in asked(client, page, "text", method="quark")["text"]
    assert asked(client, page, "text", method="nothing")["text"] == ""
    assert asked(client, page, "text", method="dates")["text"] == LONG
    assert asked(client, page, "summary", method="dates")["method"] == "dates"
    same = asked(client, page, "compare", first="quark", second="quark")
    assert asked(client, page, "compare", first="quark", second="dates") != same
    changed = {"method": "quark", "options": "[options]\nsimilarity_threshold = 1"}
    assert asked(client, page, "compare", first="dates", second="quark", **changed) == asked(
        client, page, "compare", first="dates", second="dates"
    )
    assert asked(client, page, "text", method="thesis") == (
        404,
        f"method: 'thesis' is none of {', '.join([*METHODS, *(path.stem for path in files)])}",
    )


def test_options_of_the_address_change_text_blocks_facts_and_map(client, page):
    strict = {"method": "quark", "options": "[options]\nsimilarity_threshold = 1"}
    assert NEAR in asked(client, page, "text", method="quark")["text"]
    assert NEAR not in asked(client, page, "text", **strict)["text"]
    usual = asked(client, page, "blocks", method="quark")["blocks"]
    changed = asked(client, page, "blocks", **strict)["blocks"]
    why = {
        one["text"]: (one["why"], other["why"]) for one, other in zip(usual, changed, strict=True)
    }
    assert why[NEAR] == ("both", "words")
    assert why[LONG] == ("longest", "longest")
    cut = {"method": "quark", "options": '[blocks]\ncustom_tags = ["p"]\nripe_chars = 5000'}
    texts = {one["text"] for one in asked(client, page, "blocks", **cut)["blocks"]}
    assert {LONG, NEAR, FAR} <= texts
    whole = {"method": "quark", "options": "[blocks]\nripe_chars = 5000\nripe_layout_share = 1"}
    n_blocks = asked(client, page, "blocks", **whole)["n_blocks"]
    assert n_blocks < len(texts)
    drawn = [client.get(f"/frames/{page}/map", params=query).text for query in (cut, whole)]
    assert drawn[0] != drawn[1]


def test_priors_of_a_file_decide_and_are_what_the_facts_say(client, page):
    by_file = asked(client, page, "blocks", method="nothing")["blocks"]
    assert {one["posterior"] for one in by_file if one["n_chars"]} == {0.001}
    assert {one["why"] for one in by_file if one["n_chars"]} == {"form"}


def test_weights_of_words_of_a_file_decide_what_is_similar(client, page):
    assert NEAR in asked(client, page, "text", method="quark")["text"]
    assert asked(client, page, "text", method="weightless")["text"] == LONG


def test_topic_weights_of_a_file_decide_the_probability(client, page):
    usual, fitted = (
        asked(client, page, "summary", method=name)["topic_probability"]
        for name in ("quark", "offtopic")
    )
    assert usual > 0.01
    assert fitted == pytest.approx(1 / (1 + np.exp(5)), abs=1e-3)


def test_a_pattern_alone_cuts_at_dates(client, page):
    """The two methods differ in nothing else."""
    date = "发布时间 2004-09-01 12:30"
    whole, cut = (
        [one["text"] for one in asked(client, page, "blocks", method=name)["blocks"]]
        for name in ("whole", "pattern")
    )
    assert date not in whole
    assert date in cut
    assert len(cut) > len(whole)


def test_whole_blocks_are_compared_by_an_option_of_the_address(client):
    """The words in common stand behind the five hundredth character."""
    late = "碗筷汤面，" * 110 + LONG
    html = f"<div><p>{LONG * 9}</p></div><div><p>{late}</p></div>"
    headers = {"Authorization": "Bearer t"}
    name = client.post("/api/documents", content=html.encode(), headers=headers).json()["id"]
    assert late not in asked(client, name, "text", method="quark")["text"]
    whole = "[options]\ncompared_chars = 0"
    assert late in asked(client, name, "text", method="quark", options=whole)["text"]


@pytest.mark.parametrize("method", ["ibdom", "rules"])
def test_constants_of_the_region_are_options_of_the_address(method, client):
    html = f"<div>{FAR}</div><div><div><p>{LONG * 9}</div></div>"
    headers = {"Authorization": "Bearer t"}
    name = client.post("/api/documents", content=html.encode(), headers=headers).json()["id"]
    assert FAR not in asked(client, name, "text", method=method)["text"]
    wide = "[options]\nregion_share = 0.99"
    assert FAR in asked(client, name, "text", method=method, options=wide)["text"]
    items = asked(client, name, "items", method=method, options=wide)["items"]
    assert any(FAR in item.get("text", "") for item in items)


@pytest.mark.parametrize(
    ("method", "options", "words"),
    [
        ("quark", "[options", "options: this is not TOML"),
        ("quark", "[options]\ncompared = 1", "options: unknown setting 'compared'"),
        ("quark", "[options]\nsimilarity_threshold = 7", "out of range"),
        ("quark", "[options]\ncompared_chars = 2004-09-01", "options: "),
        ("quark", "[blocks]\ncustom_patterns = ['(']", "no regular expression"),
        ("quark", 'method = "ibdom"', "the method is chosen beside them"),
        (
            "quark",
            '[options]\npriors = "/etc/passwd"',
            "files are named in a file of a method only",
        ),
        ("quark", '[options]\nidf = "x"', "files are named in a file of a method only"),
        ("quark", '[options]\ndictionary = "x"', "files are named in a file of a method only"),
        ("quark", 'topic = "x"', "files are named in a file of a method only"),
        ("nothing", '[options]\npriors = "../x"', "files are named in a file of a method only"),
        ("default", "[options]\nx = 1", "the method default has none"),
        ("ibdom", "[blocks]\nripe_chars = 1", "is for quark alone"),
        ("quark", "x = " + "[" * 4000, "options: "),
        ("quark", "[blocks]\nripe_chars = 1" + "0" * 5000, "options: "),
        ("ibdom", "[options]\nregion_share = 1" + "0" * 400, "options: "),
        ("quark", "[options]\nsimilarity_threshold = nan", "options: "),
        ("quark", "options = 1", "must be a table"),
        ("quark", '["options]\\npriors = \\"x\\"\\n[a"]\ny = 1', "unknown setting"),
        ("quark", "[options.x]\ny = 1", "options: "),
    ],
)
def test_wrong_options_are_refused_with_their_reason(client, page, method, options, words):
    status, detail = asked(client, page, "text", method=method, options=options)
    assert status == 409
    assert words in detail
    assert "/tmp" not in detail
    assert "\n" not in detail.strip()


def test_a_file_that_is_wrong_or_named_twice_ends_the_start(files, tmp_path):
    twin = tmp_path / "dates.toml"
    twin.write_text('method="quark"')
    with pytest.raises(ConfigError, match="another method of this name"):
        MethodStore([*files, twin])
    with pytest.raises(ConfigError, match=r"nix\.toml"):
        MethodStore([tmp_path / "nix.toml"])


def test_files_that_were_made_are_bounded_and_go_with_the_store():
    store = MethodStore()
    made = [store.of("quark", f"[options]\ncompared_chars = {n}") for n in range(100)]
    assert store.of("quark", "[options]\ncompared_chars = 99") == made[-1]
    assert sum(Path(path).exists() for path in made) == 64
    store.close()
    assert not any(Path(path).exists() for path in made)
    with pytest.raises(ApiError):
        store.of("nix")
