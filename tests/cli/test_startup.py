"""What a start loads: only what the verb uses."""

import subprocess
import sys

import pytest
import typer

from quarkcrawl.cli import main
from quarkcrawl.cli.app import app

HEAVY = {
    "numpy",
    "pyarrow",
    "duckdb",
    "scrapy",
    "twisted",
    "aiohttp",
    "lxml",
    "ssl",
    "redis",
    "jinja2",
}
LOADED = """
import atexit, sys

atexit.register(lambda: sys.stderr.write("loaded " + " ".join(sys.modules)))
sys.argv[0] = "quarkcrawl"
"""
COMMAND = LOADED + "from quarkcrawl.cli import main\nsys.exit(main())"


def loaded(code, *words, cwd):
    done = subprocess.run([sys.executable, "-c", code, *words], cwd=cwd, capture_output=True,
                          text=True, check=False)  # fmt: skip
    assert done.returncode == 0, done.stderr
    return {*done.stderr.rpartition("loaded ")[2].split()}


@pytest.mark.parametrize(
    "words", [["--help"], ["--version"], ["crawl", "--help"], ["rank", "--help"]]
)
def test_help_loads_nothing_that_works(words, tmp_path):
    assert not HEAVY & loaded(COMMAND, *words, cwd=tmp_path)


def test_the_library_is_loaded_name_by_name(tmp_path):
    assert not HEAVY & loaded(LOADED + "import quarkcrawl", cwd=tmp_path)
    names = loaded(LOADED + "import quarkcrawl; quarkcrawl.Page", cwd=tmp_path)
    assert "quarkcrawl.page" in names
    assert "quarkcrawl.content" not in names


@pytest.mark.parametrize("verb", ["extract", "segment", "items"])
def test_a_page_in_a_file_needs_no_crawler_no_tables_and_no_network(verb, tmp_path):
    (tmp_path / "page.html").write_text(
        "<h1>天网</h1><p>北京大学网络实验室的搜索引擎。", encoding="utf-8"
    )
    assert HEAVY & loaded(COMMAND, verb, "page.html", cwd=tmp_path) == {"numpy"}


TREE = typer.main.get_command(app)
GROUPS = [name for name, command in TREE.commands.items() if hasattr(command, "commands")]
VERBS = [[name] for name in TREE.commands if name not in GROUPS]
VERBS += [[group, name] for group in GROUPS for name in TREE.commands[group].commands]


def said_by_the_whole(words, capsys):
    """What the app with all its commands says; `main` builds only what the words reach."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("quarkcrawl.cli.app._reachable", lambda whole, _words: whole)
        return main(words), *capsys.readouterr()


@pytest.mark.full
@pytest.mark.parametrize(
    "words",
    [
        [], ["--help"], ["--version"], ["--nosuch"], ["nosuch"], ["corpsu"], ["--", "nosuch"],
        ["corpus"], ["corpus", "--help"], ["corpus", "--help", "info"], ["corpus", "nosuch"],
        ["corpus", "info", "--help"], ["corpus", "info"], ["extract", "--help"], ["extract", "--nosuch"],
    ],
)  # fmt: skip
def test_a_part_of_the_app_says_what_the_whole_says(words, capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["quarkcrawl"])
    assert said_by_the_whole(words, capsys) == (main(words), *capsys.readouterr())


@pytest.mark.full
@pytest.mark.parametrize("words", [*VERBS, *([group] for group in GROUPS)], ids=" ".join)
def test_help_of_each_verb_is_that_of_the_whole(words, capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["quarkcrawl"])
    assert said_by_the_whole([*words, "--help"], capsys) == (
        main([*words, "--help"]),
        *capsys.readouterr(),
    )


def test_completion_knows_every_option(tmp_path):
    env = {"COMP_WORDS": "quarkcrawl extract --form", "COMP_CWORD": "2", "PATH": "/usr/bin",
           "_QUARKCRAWL_COMPLETE": "complete_bash"}  # fmt: skip
    done = subprocess.run([sys.executable, "-c", COMMAND.replace(LOADED, "import sys; sys.argv[0] = 'quarkcrawl'\n")],
                          cwd=tmp_path, env=env, capture_output=True, text=True, check=False)  # fmt: skip
    assert done.stdout.split() == ["--format"], done.stderr
