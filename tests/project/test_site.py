"""The documentation site: it builds without a warning, and says what is so."""

from __future__ import annotations

import importlib.util
import pkgutil
import re
import shlex
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from urllib.parse import quote, urlsplit

import pytest
import typer

from quarkcrawl.config import CrawlConfig
from quarkcrawl.crawl.campaign.reasons import REASONS
from quarkcrawl.store.tables.columns import column_docs
from tests.browsers import browser_or_skip

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", ROOT / "README.zh.md", ROOT / "benchmarks" / "README.md",
         *sorted(DOCS.glob("*.md")), *sorted((DOCS / "guides").glob("*.md")), *sorted((DOCS / "zh").rglob("*.md"))]  # fmt: skip


def load_generator():
    spec = importlib.util.spec_from_file_location("generate", DOCS / "generate.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


GENERATE = load_generator()
COMMANDS = dict(GENERATE.commands())


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    words = ["-W", "--keep-going", "-q", "-b", "html", "-d", str(folder / "trees")]
    done = subprocess.run([sys.executable, "-m", "sphinx", *words, str(DOCS), str(folder / "html")],
                          capture_output=True, text=True, check=False, timeout=850)  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "html"


def text_of(site: Path, page: str) -> str:
    return re.sub(r"<[^>]+>", "", (site / f"{page}.html").read_text("utf-8"))


@pytest.mark.full
def test_the_reference_lists_what_the_program_has(site):
    commands = text_of(site, "reference/commands")
    for name, command in COMMANDS.items():
        assert name in commands
        for option in command.params:
            assert option.opts[0] in commands or option.name.upper() in commands, (
                name,
                option.name,
            )
            assert option.help, (name, option.name)
    importlib.import_module("quarkcrawl.corpus")
    settings, columns = text_of(site, "reference/settings"), text_of(site, "reference/columns")
    assert all(field.name in settings for field in fields(CrawlConfig))
    assert all(name in columns for name in column_docs())
    assert all(code in text_of(site, "reasons") for code in REASONS)


@pytest.mark.full
def test_no_line_of_a_chinese_paragraph_ends_in_a_blank(site):
    for page in sorted((site / "zh").rglob("*.html")):
        html = re.sub(r"<pre.*?</pre>", "", page.read_text("utf-8"), flags=re.DOTALL)
        paragraphs = re.findall(r"<p>(.*?)</p>", html, re.DOTALL)
        assert paragraphs, page
        assert not [one for one in paragraphs if re.search(r"[，。：；、]\n", one)], page


@pytest.mark.full
def test_each_page_leads_to_itself_in_the_other_language(site):
    for page in sorted((site / "zh").rglob("*.html")):
        name = page.relative_to(site / "zh")
        for here, language in ((page, "English"), (site / name, "中文")):
            html = here.read_text("utf-8")
            (address,) = re.findall(
                rf'class="other-language"><a href="([^"]+)"[^>]*>{language}<', html
            )
            assert (here.parent / address).resolve() == (site / name if here == page else page)
        html = page.read_text("utf-8")
        captions = re.findall(r'<span class="caption-text">([^<]+)', html)
        assert captions[0] == "中文", name
        assert '<html class="no-js" lang="zh-CN"' in html


@pytest.mark.full
def test_options_keep_their_two_dashes(site):
    for page in sorted(site.rglob("*.html")):
        text = re.sub(r"<[^>]+>", "", page.read_text("utf-8"))
        assert not re.findall(r"(?<![\w.])–[a-z][a-z-]+", text), page


QUESTIONS = {
    "不到一小时": "zh/tutorial.html",  # across the bounds of dictionary words
    "筛选漏斗": "zh/tutorial.html",
    "待抓队列": "zh/glossary.html",
    "DuckDB 读取": "zh/tutorial.html",
    "去重过滤器": "zh/guides/durable.html",
    "scrapy-redis": "tools.html",
    "crawled": "tutorial.html",
}


@pytest.mark.full
def test_the_search_finds_chinese_and_english(site):
    """Typed into the search page of the site, in a browser."""
    path = browser_or_skip()
    sync_api = pytest.importorskip("playwright.sync_api", reason="needs quarkcrawl[render]")
    with sync_api.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=path, args=["--no-sandbox"])
        page = browser.new_page()
        for question, target in QUESTIONS.items():
            page.goto(f"{(site / 'search.html').as_uri()}?q={quote(question)}")
            page.wait_for_selector("#search-results ul.search li a", timeout=120_000)
            page.wait_for_selector("#search-results p.search-summary:has-text('found')")
            links = page.eval_on_selector_all("ul.search > li > a", "all => all.map(a => a.href)")
            paths = [urlsplit(link).path for link in links]
            assert any(one.endswith(f"/html/{target}") for one in paths), (question, paths)
        page.goto(f"{(site / 'search.html').as_uri()}?q={quote('漏斗筛选')}")
        page.wait_for_selector("#search-results p.search-summary:has-text('did not match')")
        browser.close()


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_with_an_example_of_itself(name):
    words, _, examples = COMMANDS[name].help.partition("Example")
    assert words.strip(" \b\n")
    assert name in examples


@pytest.mark.parametrize("name", COMMANDS)
def test_no_usage_line_doubles_its_marks(name):
    with typer.Context(COMMANDS[name], info_name=name) as context:
        usage = COMMANDS[name].get_usage(context)
    assert not re.search(r"\[\[|\]\]|\.\.\.[}\]]?\.\.\.", usage), usage


@pytest.mark.full
def test_the_api_reference_has_every_public_name(site):
    text = (site / "reference" / "api.html").read_text("utf-8")
    for package in GENERATE.PACKAGES:
        for name in GENERATE.public_names(f"quarkcrawl.{package}"):
            assert f'id="quarkcrawl.{package}.{name}"' in text, (package, name)


def test_every_column_and_constant_has_a_meaning():
    for line in GENERATE.columns_page().splitlines():
        if line.startswith("|`"):
            assert not line.endswith("||"), line


@pytest.mark.full
def test_nothing_of_the_site_comes_from_elsewhere(site):
    for page in site.rglob("*.html"):
        fetched = re.findall(r'<(?:script|img|iframe)[^>]*\bsrc="(https?:[^"]+)"', page.read_text())
        fetched += re.findall(
            r'<link[^>]*rel="stylesheet"[^>]*href="(https?:[^"]+)"', page.read_text()
        )
        assert not fetched, page


# Commands that pages name

CODE = re.compile(r"^```\w*\n(.*?)^```|^((?: {4}.*\n)+)|`([^`]+)`", re.MULTILINE | re.DOTALL)
LINE = re.compile(r"^\s*(?:\.venv/bin/)?(quarkcrawl .*(?:\\\n.*)*)", re.MULTILINE)


def written_commands(path: Path) -> list[list[str]]:
    found = []
    for code in CODE.finditer(path.read_text("utf-8")):
        for match in LINE.finditer(code[1] or code[2] or code[3]):
            words = shlex.split(match[1].replace("\\\n", " "), comments=True)
            if len(words) > 1 and re.fullmatch(r"[a-z][a-z-]*|--[a-z-]+", words[1]):
                found.append(words)
    return found


def command_of(words: list[str]) -> str:
    for n in (3, 2):
        if " ".join(words[:n]) in COMMANDS:
            return " ".join(words[:n])
    return ""


@pytest.mark.parametrize("path", [p for p in PAGES if p.exists()], ids=lambda p: p.name)
def test_commands_and_options_that_a_page_names_exist(path):
    groups = {name.rsplit(" ", 1)[0] for name in COMMANDS}
    for words in written_commands(path):
        if words[1].startswith("--"):
            assert words[1] in {"--install-completion", "--show-completion", "--version", "--help"}
            continue
        name = command_of(words)
        assert name or " ".join(words[:2]) in groups, words
        if name:
            known = {o for p in COMMANDS[name].params for o in [*p.opts, *p.secondary_opts]}
            said = {w.split("=")[0] for w in words if re.fullmatch(r"--[a-z][\w-]*(=.*)?", w)}
            assert said <= known | {"--help"}, (words, said - known)


def test_commands_are_found_on_pages():
    assert len(written_commands(DOCS / "tutorial.md")) > 15
    assert len(written_commands(ROOT / "README.md")) > 10


# Paper to code

ROW = re.compile(r"^\|.*\|$", re.MULTILINE)


def named_in_papers(pattern: str) -> list[str]:
    text = (DOCS / "papers.md").read_text("utf-8")
    return re.findall(pattern, "\n".join(ROW.findall(text)))


def test_code_that_papers_name_exists():
    names = named_in_papers(r"`([a-z]+\.[a-z0-9_.]+(?:\.\w+)?)`")
    assert len(names) > 50
    for name in names:
        assert pkgutil.resolve_name(f"quarkcrawl.{name}"), name


def test_tests_that_papers_name_exist():
    names = named_in_papers(r"`([a-z0-9/]+/test_\w+\.py(?:::\w+)?)`")
    assert len(names) > 50
    for name in names:
        file, _, test = name.partition("::")
        assert f"def {test or 'test_'}" in (ROOT / "tests" / file).read_text("utf-8"), name


# Code that pages show


def blocks(kind: str, *names: str) -> list[str]:
    text = "".join((DOCS / name).read_text("utf-8") for name in names)
    return re.findall(rf"```{kind}\n(.*?)```", text, re.DOTALL)


@pytest.mark.parametrize("code", blocks("python", "contributing.md"))
def test_examples_of_contributing_run(code, capsys):
    from quarkcrawl.content import METHODS

    before = set(METHODS)
    exec(compile(code, "contributing.md", "exec"), {})
    for name in set(METHODS) - before:
        del METHODS[name]
    assert capsys.readouterr().out
