"""The documentation in Chinese: each page has an English one with the same blocks, which are run there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.project.pageblocks import blocks

DOCS = Path(__file__).resolve().parents[2] / "docs"
CHINESE = DOCS / "zh"
PAGES = sorted(path.relative_to(CHINESE).as_posix() for path in CHINESE.rglob("*.md"))
TRANSLATED = [page for page in PAGES if page not in ("index.md", "glossary.md")]
WITHOUT_BLOCKS = {
    "decisions.md", "hostile.md", "limits.md", "manners.md", "papers.md", "reasons.md", "refine/heuristics.md",
    "scale.md", "tools.md",
}  # fmt: skip
HAN = re.compile(r"[\u4e00-\u9fff]")
INDENTED = re.compile(r"(?<=\n\n)(?: {4}.*\n)+")  # a block of code without a fence


UNITS = {"M": 1_000_000, "million": 1_000_000, "万": 10_000}


def without_blocks(path: Path) -> str:
    text = INDENTED.sub("", path.read_text("utf-8"))
    return re.sub(r"^```.*?^```|(?<!`)<!--.*?-->", "", text, flags=re.MULTILINE | re.DOTALL)


def prose_of(path: Path) -> str:
    return re.sub(r"`[^`]+`", "", without_blocks(path))


def test_the_pages_are_those_of_the_english_side():
    """All that are written by hand; those of reference/ are generated."""
    folders = {path for path in DOCS.rglob("*.md") if not path.is_relative_to(CHINESE)}
    english = {path.relative_to(DOCS).as_posix() for path in folders}
    written = {page for page in english if not page.startswith("reference/")}
    assert len(written) > 50
    assert set(PAGES) == written


def test_all_pages_are_listed_in_both_languages():
    """In the index of either side, in the same order as far as they are in the same list."""
    english, chinese = (
        re.findall(
            r"^([\w-]+(?:/[\w-]+)*)$", (folder / "index.md").read_text("utf-8"), re.MULTILINE
        )
        for folder in (DOCS, CHINESE)
    )
    assert {f"{page}.md" for page in chinese} == {*PAGES} - {"index.md"}
    common = [page for page in english if page in chinese]
    assert [page for page in chinese if page in common] == common


@pytest.mark.parametrize("page", TRANSLATED)
def test_blocks_are_the_same(page):
    theirs, ours = ([(b.kind, b.text, b.not_run) for b in blocks(folder / page)]
                    for folder in (DOCS, CHINESE))  # fmt: skip
    assert ours or page in WITHOUT_BLOCKS
    assert ours == theirs
    indented = [INDENTED.findall((folder / page).read_text("utf-8")) for folder in (DOCS, CHINESE)]
    assert indented[0] == indented[1]


@pytest.mark.parametrize("page", TRANSLATED)
def test_sections_and_links_are_the_same(page):
    """A page that was changed in one language only has other headings, links or files."""
    english, chinese = prose_of(DOCS / page), prose_of(CHINESE / page)
    levels = [re.findall(r"^#+(?= )", text, re.MULTILINE) for text in (english, chinese)]
    assert levels[0] == levels[1]
    targets = [
        sorted(
            (folder / page)
            .parent.joinpath(target.split("#")[0] or Path(page).name)
            .resolve()
            .name.replace("-zh.png", ".png")  # pictures with Chinese words
            for target in re.findall(r"\]\(([^)]+)\)", text)
        )
        for folder, text in ((DOCS, english), (CHINESE, chinese))
    ]
    assert targets[0] == targets[1]


def figures_of(prose: str) -> list[float]:
    """Numbers of two digits or more, or with a decimal point; 7000 万 is 70 million."""
    text = re.sub(r"\]\([^)]*\)", "", prose)
    values = [
        round(float(digits.replace(",", "")) * UNITS.get(unit, 1), 6)
        for digits, unit in re.findall(
            r"(?<![\w.,])(\d[\d,]*\.?\d+|\d|\.\d+)(?:\s?(M\b|million|万))?", text
        )
    ]
    return sorted(value for value in values if value >= 10 or value % 1)


def test_figures_are_read():
    assert figures_of("7000 万行，.95 秒，1,338 幅，5 个") == [0.95, 1338, 70_000_000]
    assert figures_of("70 million rows, .95 s, 1,338 of 5") == [0.95, 1338, 70_000_000]


@pytest.mark.parametrize("page", TRANSLATED)
def test_figures_and_names_are_the_same(page):
    """Prose may be put freely, but not what was measured, nor names of code and settings."""
    english, chinese = prose_of(DOCS / page), prose_of(CHINESE / page)
    assert figures_of(english) == figures_of(chinese)
    names = [
        {re.sub(r"\s+", " ", name) for name in re.findall(r"`([^`]+)`", without_blocks(path))}
        for path in (DOCS / page, CHINESE / page)
    ]
    assert names[0] == names[1]


@pytest.mark.parametrize("page", PAGES)
def test_the_words_are_chinese(page):
    paragraphs = [
        one for one in prose_of(CHINESE / page).split("\n\n") if re.search(r"[a-z]{4}", one)
    ]
    assert paragraphs
    assert not [
        one for one in paragraphs if not HAN.search(one) and ":::" not in one and "{" not in one
    ]


@pytest.mark.parametrize("page", PAGES)
def test_links_stay_in_the_language_where_they_can(page):
    for target in re.findall(r"\]\(([^):#]+\.md)", (CHINESE / page).read_text("utf-8")):
        path = (CHINESE / page).parent.joinpath(target).resolve()
        # The build of the site tells of a page that is missing; those of reference/ are generated.
        if page != "index.md" and not path.is_relative_to(CHINESE):
            assert not (CHINESE / path.relative_to(DOCS)).exists(), target


def test_the_glossaries_have_the_same_words_in_the_same_order():
    words = [
        re.findall(r"^\| ([^|]+?) \|", (folder / "glossary.md").read_text("utf-8"), re.MULTILINE)
        for folder in (DOCS, CHINESE)
    ]
    assert words[0][1:] == words[1][1:]
