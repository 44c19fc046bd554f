"""``quarkcrawl mark`` as a user runs it."""

import io
import sys

import pytest

from quarkcrawl.cli import main
from tests.lab.baselines.test_content import NEWS


@pytest.fixture
def page(tmp_path):
    path = tmp_path / "page.html"
    path.write_bytes(NEWS.encode("gb18030"))
    return path


def rules(folder, text: str) -> str:
    path = folder / "rules.txt"
    path.write_text(text, "utf-8")
    return str(path)


def test_help_has_an_example(capsys):
    assert main(["mark", "--help"]) == 0
    assert "quarkcrawl mark page.html --selectors" in capsys.readouterr().out


def test_selectors_become_attributes_and_nothing_else_changes(page, tmp_path, capsys):
    out = tmp_path / "marked.html"
    listed = rules(tmp_path, "content\tdiv#main\nnoise\t//div[@id='two']\n")
    assert main(["mark", str(page), "--selectors", listed, "--out", str(out)]) == 0
    expected = NEWS.replace("<div id=main", '<div quark="content" id=main')
    expected = expected.replace("<div id=two", '<div quark="noise" id=two')
    assert out.read_bytes() == expected.encode("gb18030")
    assert "2 elements marked" in capsys.readouterr().err


def test_selectors_that_find_nothing_are_told(page, tmp_path, capsys):
    out = tmp_path / "marked.html"
    listed = rules(tmp_path, "content\tdiv#main\nnoise\tmarquee\n")
    assert main(["mark", str(page), "--selectors", listed, "--out", str(out)]) == 1
    assert "rules.txt:2: marquee finds nothing" in capsys.readouterr().err
    assert b'quark="content"' in out.read_bytes()


def test_an_extraction_becomes_gold_that_scores_it_right(page, tmp_path, capsys):
    gold = tmp_path / "gold"
    gold.mkdir()
    assert main(["mark", str(page), "--method", "sdu", "--out", str(gold / "n.html")]) == 0
    capsys.readouterr()
    assert main(["evaluate", "content", str(gold), "--method", "sdu", "--workers", "1"]) == 0
    assert "1.000  1.000  1.000" in capsys.readouterr().out


def test_standard_input_to_standard_output(page, tmp_path, monkeypatch, capsysbinary):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(page.read_bytes())))
    assert main(["mark", "-", "--selectors", rules(tmp_path, "content\t#main\n")]) == 0
    assert capsysbinary.readouterr().out == NEWS.replace(
        "<div id=main", '<div quark="content" id=main'
    ).encode("gb18030")


@pytest.mark.parametrize("words", [[], ["--method", "quark", "--selectors", "x"]])
def test_usage_errors_exit_with_2(page, words):
    assert main(["mark", str(page), *words]) == 2


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--method", "nix"], "no method 'nix'"),
        (["--selectors", "nowhere.txt"], "nowhere.txt: cannot be read"),
    ],
)
def test_wrong_input_is_named(page, capsys, words, message):
    assert main(["mark", str(page), *words]) == 2
    assert message in capsys.readouterr().err


def test_a_missing_page_is_named(capsys):
    assert main(["mark", "no/such.html", "--method", "quark"]) == 2
    assert "no/such.html: cannot be read" in capsys.readouterr().err


def test_an_extraction_that_finds_nothing_says_so(tmp_path, capsys):
    path, out = tmp_path / "list.html", tmp_path / "marked.html"
    path.write_text("<p>一")
    assert main(["mark", str(path), "--method", "quark", "--out", str(out)]) == 1
    assert "nothing is found" in capsys.readouterr().err
    assert out.read_bytes() == path.read_bytes()


def test_a_file_that_cannot_be_written_is_named(page, tmp_path, capsys):
    listed, out = rules(tmp_path, "content\tdiv#main\n"), tmp_path / "none" / "marked.html"
    assert main(["mark", str(page), "--selectors", listed, "--out", str(out)]) == 1
    assert str(out) in capsys.readouterr().err
