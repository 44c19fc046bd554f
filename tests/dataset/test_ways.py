"""Other ways to a data set: from WARC files by the recipe, by Spark, with tokens, with our own models."""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pyarrow.dataset as ds
import pytest

from quarkcrawl.classify import Examples, text_words, train
from quarkcrawl.dataset import ExportOptions, export_dataset
from quarkcrawl.engines import DuckEngine, SparkEngine
from quarkcrawl.errors import ConfigError, InputError
from quarkcrawl.refine import (
    CharacterModel,
    LabelOptions,
    RefineOptions,
    label_table,
    refine_corpus,
)
from tests.crawl.harness import environment
from tests.refine.corpora import POOL, extract, make_corpus, refine, sentences

ROOT = Path(__file__).resolve().parents[2]


def run(*words, cwd, **more):
    done = subprocess.run([sys.executable, "-m", "quarkcrawl", *map(str, words)], cwd=cwd, text=True,
                          env=environment() | more, capture_output=True, timeout=400, check=False)  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def rows_of(folder):
    return ds.dataset(sorted(map(str, (folder / "data").glob("*.parquet")))).to_table().to_pylist()


def files(folder):
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.fixture(scope="module")
def extracted(tmp_path_factory):
    root = tmp_path_factory.mktemp("made") / "corpus"
    make_corpus(root)
    extract(root)
    return root


@pytest.mark.full
@pytest.mark.timeout(600)
def test_the_recipe_goes_from_warc_files_to_a_data_set(demo_run, tmp_path):
    run(
        "corpus",
        "export-warc",
        demo_run.folder / "demo-out",
        "--out",
        tmp_path / "warcs",
        cwd=tmp_path,
    )
    (tmp_path / "bin").mkdir()
    command = tmp_path / "bin" / "quarkcrawl"
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m quarkcrawl "$@"\n')
    command.chmod(0o755)
    path = f"{command.parent}{os.pathsep}{os.environ['PATH']}"
    words = [
        ROOT / "recipes" / "warc_to_dataset.sh",
        tmp_path / "out",
        *(tmp_path / "warcs").glob("*.warc.gz"),
    ]
    for _ in range(2):  # the second time all is there but the export
        done = subprocess.run(list(map(str, words)), env=environment() | {"PATH": path}, text=True,
                              capture_output=True, timeout=500, check=False)  # fmt: skip
        assert done.returncode == 0, done.stderr
    rows = rows_of(tmp_path / "out" / "dataset")
    assert len(rows) > 300
    assert {row["language"] for row in rows} == {"zh"}


@pytest.mark.full
@pytest.mark.timeout(600)
def test_spark_makes_the_same_bytes(extracted, spark_cluster, tmp_path):
    options = RefineOptions(duplicates=False)
    for name, opened in (("duck", DuckEngine(memory_bytes=512 << 20)),
                         ("spark", SparkEngine(spark_cluster.url))):  # fmt: skip
        with opened as engine:
            refine_corpus(engine, extracted, options, pool=POOL, restart=True)
            export_dataset(
                engine, extracted, tmp_path / name, ExportOptions(name="same", validation=0.3)
            )
    assert files(tmp_path / "duck") == files(tmp_path / "spark")


@pytest.mark.full
def test_tokens_are_counted_by_the_users_tokenizer(extracted, tmp_path):
    tokenizers = pytest.importorskip("tokenizers")
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel({"[UNK]": 0}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Split("", "isolated")
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    refine(extracted)
    options = ExportOptions(tokenizer=tmp_path / "tokenizer.json")
    with DuckEngine(memory_bytes=512 << 20) as engine:
        report = export_dataset(engine, extracted, tmp_path / "out", options)
        rows = rows_of(tmp_path / "out")
        assert [row["n_tokens"] for row in rows] == [len(row["text"]) for row in rows]
        assert report.tokens == sum(row["n_tokens"] for row in rows)
        assert f"{report.tokens:,} tokens" in (tmp_path / "out" / "README.md").read_text("utf-8")
        (tmp_path / "broken.json").write_text("{}")
        with pytest.raises(InputError, match=r"broken\.json: no tokenizer"):
            export_dataset(
                engine, extracted, tmp_path / "b", ExportOptions(tokenizer=tmp_path / "broken.json")
            )


@pytest.mark.full
def test_models_and_lists_of_the_users_own(extracted, tmp_path):
    (tmp_path / "good.txt").write_text(
        "\n\n".join("\n".join(sentences(n)) for n in range(500, 520))
    )
    told = run("train", "perplexity", "good.txt", "--out", "m.npz", "--order", "3", cwd=tmp_path)
    assert json.loads(told)["texts"] == 20
    assert CharacterModel.load(tmp_path / "m.npz").about["order"] == 3
    asked = sentences(7)[2][5:60]
    (tmp_path / "exam.jsonl").write_text(json.dumps({"question": asked}) + "\n")
    (tmp_path / "words.txt").write_text("# ours\n[loans]\n3: 谁也不会写的词语\n")
    labels = LabelOptions(lexicon=tmp_path / "words.txt", benchmarks=(tmp_path / "exam.jsonl",),
                          perplexity=tmp_path / "m.npz")  # fmt: skip
    refine(extracted, RefineOptions(labels=labels), restart=True)
    rows = ds.dataset([str(path) for path in label_table(extracted).files()]).to_table().to_pylist()
    assert [row["url"] for row in rows if row["contaminated"]] == ["http://news.lab.cn/7.html"]
    assert all(2 < row["perplexity_bits"] < 20 for row in rows)
    with pytest.raises(ConfigError, match="--restart"):
        refine(extracted)
    refine(extracted, restart=True)
    (tmp_path / "m.npz").write_bytes(b"no model")
    with pytest.raises(InputError, match=r"m\.npz"):
        refine(extracted, RefineOptions(labels=labels), restart=True)


@pytest.mark.full
def test_a_quality_model_gives_each_document_its_class(extracted, tmp_path):
    good, poor = (
        ["".join(sentences(n)) for n in range(300, 306)],
        ["购物车 登录 注册 订单 首页"] * 6,
    )
    words = [text_words(text) for text in (*good, *poor)]
    examples = Examples(["good"] * 6 + ["poor"] * 6, ["a", "b"] * 6, words, "default")
    train(examples).save(tmp_path / "quality.npz")
    labels = LabelOptions(quality=tmp_path / "quality.npz")
    refine(extracted, RefineOptions(labels=labels), restart=True)
    with DuckEngine(memory_bytes=512 << 20) as engine:
        options = ExportOptions(where=("quality_class = 'good' AND quality > 0.5",))
        report = export_dataset(engine, extracted, tmp_path / "out", options)
    assert report.documents["train"] >= 29
    refine(extracted, restart=True)
    with DuckEngine(memory_bytes=512 << 20) as engine:
        report = export_dataset(engine, extracted, tmp_path / "none", options)
    assert not report.documents


@pytest.mark.full
@pytest.mark.parametrize("words", [["corpus"], ["missing", "--out", "x"], ["corpus", "--out", "x"]])
def test_export_without_what_it_needs_is_one_line(tmp_path, words):
    done = subprocess.run([sys.executable, "-m", "quarkcrawl", "export", *words], cwd=tmp_path, text=True,
                          env=environment(), capture_output=True, check=False)  # fmt: skip
    assert done.returncode
    assert not (tmp_path / "x").exists()
    assert "Traceback" not in done.stderr
