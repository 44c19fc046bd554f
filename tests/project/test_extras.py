"""Without the optional extras: each command that needs one says which, in one line."""

import json
import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from quarkcrawl.store import Corpus

ROOT = Path(__file__).resolve().parents[2]
EXTRAS = (
    "plot",
    "rank",
    "web",
    "spark",
    "ray",
    "geo",
    "render",
    "proxy",
    "metrics",
    "pdf",
    "poet",
    "peers",
    "train",
)
RUN = """
import sys
from importlib.machinery import PathFinder

missing = sys.argv.pop(1).split(",")


class Without(PathFinder):
    @classmethod
    def find_spec(cls, name, *more):
        return None if name.partition(".")[0] in missing else super().find_spec(name, *more)


sys.meta_path[sys.meta_path.index(PathFinder)] = Without

"""
COMMAND = """
from quarkcrawl.cli import main

sys.exit(main(sys.argv[1:]))
"""
LOAD_ALL = """
from importlib import import_module
from pkgutil import walk_packages

import quarkcrawl

for module in walk_packages(quarkcrawl.__path__, "quarkcrawl."):
    if not module.name.endswith("__main__") and not module.name.startswith("quarkcrawl._project."):
        try:
            import_module(module.name)
        except ModuleNotFoundError as error:
            print(module.name, error.name)
"""
MATRICES = """
import numpy as np
from quarkcrawl.errors import QuarkError
from quarkcrawl.rank import LinkGraph, block_matrices

try:
    block_matrices(LinkGraph.from_links(np.array([0, 1]), np.array([1, 0]), n_nodes=2))
except QuarkError as error:
    print(error)
"""
NEED_AN_EXTRA = {
    "quarkcrawl.cli.runner", "quarkcrawl.crawl.components.poet",
    "quarkcrawl.lab.training.fit", "quarkcrawl.lab.training.importance",
    "quarkcrawl.lab.training.kinds",
    "quarkcrawl.lab.training.lines_cv", "quarkcrawl.workbench.web",
}  # fmt: skip
PAGE = "<title>天网</title><h1>天网</h1><p>北京大学网络实验室的搜索引擎，从一九九七年开始运行。"


@pytest.fixture(scope="module")
def missing():
    """What an environment with the base dependencies only cannot import."""
    about = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    optional = about["optional-dependencies"]
    names = {
        canonicalize_name(Requirement(line).name) for extra in EXTRAS for line in optional[extra]
    }
    names -= {canonicalize_name(Requirement(line).name) for line in about["dependencies"]}
    found = packages_distributions().items()
    return [module for module, owners in found if names & {canonicalize_name(o) for o in owners}]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Input for every command."""
    folder = tmp_path_factory.mktemp("extras")
    Corpus.create(folder / "corpus")
    (folder / "hosts.txt").write_text("www.extras.example\n")
    (folder / "report.pdf").write_bytes(b"%PDF-1.4\n")
    (folder / "page.html").write_text(PAGE, encoding="utf-8")
    rows = [
        {"id": str(i), "url": f"http://h{i}.cn/", "html": PAGE, "gold_text": "天网", "label": i % 2}
        for i in range(10)
    ]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (folder / "pages.jsonl").write_text(text, encoding="utf-8")
    return folder


def run(code, missing, *words, cwd):
    return subprocess.run([sys.executable, "-c", RUN + code, ",".join(missing), *words],
                          cwd=cwd, capture_output=True, text=True, check=False)  # fmt: skip


@pytest.mark.full
@pytest.mark.parametrize(
    ("extra", "words"),
    [
        ("web", "serve"),
        ("render", "render page.html --offline"),
        ("render", "crawl hosts.txt --out rendered --set render=all"),
        ("pdf", "crawl hosts.txt --out attached --set attachments=pdf"),
        ("pdf", "extract report.pdf"),
        ("proxy", "crawl hosts.txt --out proxied --set proxy=socks5://127.0.0.1:1"),
        ("metrics", "crawl hosts.txt --out measured --set metrics_port=1"),
        ("plot", "rank pagerank corpus --plot ranks.svg"),
        ("geo", "corpus stats corpus --ip-database regions.xdb"),
        ("spark", "corpus dedup corpus --engine spark --spark-master local[1]"),
        ("ray", "extract corpus --engine ray"),
        ("train", "train importance sets --folds 2"),
        ("train", "classify train pages.jsonl --model model.npz"),
        ("train", "evaluate extractors pages.jsonl --method quark --folds 2 --workers 1"),
    ],
)
def test_a_command_names_the_extra_that_it_needs(extra, words, missing, folder):
    done = run(COMMAND, missing, *words.split(), cwd=folder)
    assert done.returncode in {1, 2}
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith("quarkcrawl: ")
    assert line.endswith(f"pip install 'quarkcrawl[{extra}]'")


@pytest.mark.full
def test_the_library_and_its_commands_load_without_them(missing, folder):
    assert {"matplotlib", "starlette", "playwright", "prometheus_client", "sklearn"} <= {*missing}
    assert "parsel" not in missing
    done = run(COMMAND, missing, "extract", "page.html", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert re.search("北京大学网络实验室", done.stdout)


@pytest.mark.full
def test_only_what_trains_or_serves_needs_an_extra_to_be_loaded(missing, folder):
    done = run(LOAD_ALL, missing, cwd=folder)
    assert done.returncode == 0, done.stderr
    assert {line.split()[0] for line in done.stdout.splitlines()} == NEED_AN_EXTRA


@pytest.mark.full
def test_matrices_of_blocks_need_an_extra(missing, folder):
    done = run(MATRICES, missing, cwd=folder)
    assert done.stdout == "sparse matrices need scipy: pip install 'quarkcrawl[rank]'\n", (
        done.stderr
    )
