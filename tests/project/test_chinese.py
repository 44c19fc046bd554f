"""The documentation in Chinese: each page has an English one with the same blocks, which are run there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.project.pageblocks import blocks

DOCS = Path(__file__).resolve().parents[2] / "docs"
CHINESE = DOCS / "zh"
PAGES = sorted(path.relative_to(CHINESE).as_posix() for path in CHINESE.rglob("*.md"))
BEGUN = {"index.md", "glossary.md", "tutorial.md"}
TRANSLATED = [page for page in PAGES if page not in ("index.md", "glossary.md")]
HAN = re.compile(r"[\u4e00-\u9fff]")
INDENTED = re.compile(r"(?<=\n\n)(?: {4}.*\n)+")  # a block of code without a fence


def prose_of(path: Path) -> str:
    return re.sub(
        r"^```.*?^```|<!--.*?-->|`[^`]+`",
        "",
        INDENTED.sub("", path.read_text("utf-8")),
        flags=re.MULTILINE | re.DOTALL,
    )


def test_the_pages_are_those_of_the_english_side():
    assert set(PAGES) >= BEGUN
    assert all((DOCS / page).is_file() for page in PAGES)


def test_all_tutorials_are_there_in_both_languages():
    english = {path.name for path in DOCS.glob("tutorial*.md")}
    assert english
    assert english <= set(PAGES)


def test_all_guides_are_there_in_both_languages():
    """In the folder, and in the index of either side, in the same order."""
    english = {f"guides/{path.name}" for path in (DOCS / "guides").glob("*.md")}
    assert english
    assert english <= set(PAGES)
    listed = [
        re.findall(r"^(guides/\w+)$", (folder / "index.md").read_text("utf-8"), re.MULTILINE)
        for folder in (DOCS, CHINESE)
    ]
    assert listed[0] == listed[1]
    assert {f"{page}.md" for page in listed[1]} == english


@pytest.mark.parametrize("page", TRANSLATED)
def test_blocks_are_the_same(page):
    theirs, ours = ([(b.kind, b.text, b.not_run) for b in blocks(folder / page)]
                    for folder in (DOCS, CHINESE))  # fmt: skip
    assert ours
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
            (folder / page).parent.joinpath(target.split("#")[0]).resolve().name
            for target in re.findall(r"\]\(([^)]+)\)", text)
        )
        for folder, text in ((DOCS, english), (CHINESE, chinese))
    ]
    assert targets[0] == targets[1]


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
