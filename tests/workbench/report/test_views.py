"""Legends, labels and what reaches a block without a mouse."""

from __future__ import annotations

import re

import pytest

from quarkcrawl.content import Content, Extraction, extract
from quarkcrawl.content.metadata import metadata_runs
from quarkcrawl.page import Page, PageTree
from quarkcrawl.segment.show import KIND_COLORS, KIND_NAMES
from quarkcrawl.workbench.report import block_map, comparison_view, content_view
from quarkcrawl.workbench.report.pagecopy.shell import LEGEND_SHEET, policy
from quarkcrawl.workbench.report.roles import ROLE_FILLS
from tests.content.posts import pages as posts
from tests.workbench.report.pages import TABLES, TEXT, segmented
from tests.workbench.report.plots.test_palette import contrast

NEWS = TABLES.replace("</p></td>", f"</p><p>{TEXT * 8}</p></td>")


def attributes(document: str, name: str) -> list[str]:
    tree = PageTree.parse(document)
    values = (tree.attr(node, name) for node in range(len(tree)))
    return [value for value in values if value is not None]


def legend(document: str) -> PageTree:
    """The document's own part, which its text does not include."""
    found = re.search(r"<aside.*?</aside>", document, re.DOTALL)
    assert found is not None
    return PageTree.parse(found[0])


def test_every_block_has_one_place_to_go_to() -> None:
    page, segmentation = segmented(NEWS)
    document = block_map(page, segmentation)
    n_blocks = len(segmentation)
    assert n_blocks >= 3
    ids = [value for value in attributes(document, "id") if value.startswith("qk-")]
    assert sorted(ids) == sorted(f"qk-block-{number}" for number in range(n_blocks))
    panel = legend(document)
    links = [panel.attr(node, "href") for node in panel.nodes("a")]
    assert links == [f"#qk-block-{number}" for number in range(n_blocks)]
    facts = attributes(document, "data-qk-info")
    assert len(facts) == n_blocks
    for block in segmentation:
        wanted = f"Block {block.number} · {block.path} · {block.n_chars:,} character"
        assert any(fact.startswith(wanted) for fact in facts)
        assert any(title.startswith(wanted) for title in attributes(document, "title"))


def test_a_label_stands_where_another_block_begins() -> None:
    page, segmentation = segmented(NEWS)
    labels = attributes(block_map(page, segmentation), "data-qk-label")
    roles = metadata_runs(page)
    assert sorted(set(roles.values())) == ["headline"]
    order = []
    for run, block in enumerate(segmentation.run_block.tolist()):
        label = f"{roles[run]} {block}" if run in roles else str(block)
        if block >= 0 and page.tree.run_chars[run] and order[-1:] != [label]:
            order.append(label)
    assert labels == order


def test_the_map_shows_the_headline_in_a_color_that_no_block_has() -> None:
    page, segmentation = segmented(NEWS)
    document = block_map(page, segmentation)
    tree = PageTree.parse(document)
    shown = {tree.attr(node, "data-qk-fill"): tree.text(node) for node in tree.nodes("qk-run")}
    assert shown["headline"] == page.tree.text(page.tree.nodes("h1")[0])
    for role, fill in ROLE_FILLS.items():
        assert f'[data-qk-fill="{role}"]{{background:{fill.color}!important' in document
        n_chars = len("".join(shown.get(role, "").split()))
        assert (f"{role} {n_chars} characters" in legend(document).text()) == (role in shown)


def test_fills_and_labels_tell_the_kinds() -> None:
    content = extract(NEWS, method="quark")
    document = content_view(content, origin="site model")
    tree = PageTree.parse(document)
    seen = set()
    for node in tree.nodes("qk-run"):
        fill, label = tree.attr(node, "data-qk-fill"), tree.attr(node, "data-qk-label")
        text = tree.text(node)
        blocks = content.segmentation.run_block.tolist()
        run = next(
            n for n, of in enumerate(content.page.tree.runs) if of == text and blocks[n] >= 0
        )
        kind = content.segmentation.kinds[content.segmentation.run_block[run]]
        assert fill == content.metadata_runs.get(run, kind)
        assert label is None or label.startswith((fill or "").replace("rel_link", "related links"))
        seen.add(fill)
    assert {"content", "noise", "headline"} <= seen
    text = legend(document).text()
    n_chars = sum(block.n_chars for block in content.blocks if block.kind == "content")
    n_chars -= sum(
        int(content.page.tree.run_chars[run])
        for run in content.metadata_runs
        if content.segmentation.kinds[content.segmentation.run_block[run]] == "content"
    )
    assert f"{n_chars:,} characters" in text
    assert "related links 0 blocks, 0 characters" in text or "rel_link" in seen
    assert "site model" in text
    assert "Method quark" in text
    for kind in ("content", "rel_link", "noise"):
        assert f'[data-qk-fill="{kind}"]{{background:{KIND_COLORS[kind]}!important' in document


@pytest.mark.parametrize(
    ("html", "kind", "other"),
    [(posts.phpbb(), "post", "comment"), (posts.wordpress(f"<p>{TEXT * 8}"), "comment", "post")],
    ids=["thread", "article"],
)
def test_what_users_wrote_has_fills_of_its_own(html: str, kind: str, other: str) -> None:
    content = extract(html)
    document = content_view(content)
    told = legend(document).text()
    n_blocks = content.segmentation.kinds.count(kind)
    assert n_blocks > 1
    assert f"{KIND_NAMES[kind]} {n_blocks} blocks" in told
    assert f"{KIND_NAMES[other]} 0 blocks" not in told
    assert attributes(document, "data-qk-fill").count(kind) >= n_blocks


def test_a_failure_is_told() -> None:
    content = Content(Extraction(Page.from_html("<p>天网"), "test", failure="ValueError: <b>"))
    text = legend(content_view(content)).text()
    assert "Failed: ValueError: <b>" in text


@pytest.mark.parametrize("offline", [True, False])
def test_policy_comes_before_everything(offline: bool) -> None:
    page, segmentation = segmented(NEWS)
    for document in (
        block_map(page, segmentation, offline=offline),
        content_view(extract(page), offline=offline),
    ):
        assert f"<head>{policy(offline=offline)}<title>" in document
    rules = policy(offline=offline)
    for rule in ("default-src 'none'", "form-action 'none'", "base-uri 'none'"):
        assert rule in rules
    assert "script" not in rules
    assert ("http:" in rules) != offline


def test_a_language_is_told() -> None:
    assert '<html lang="en"' in block_map(*segmented("<html lang=en><p>hello"))
    assert 'lang="zh"' in block_map(*segmented(f"<p>{TEXT}")).split("<head>")[0]
    assert 'lang=""' in block_map(*segmented("<p>bonjour")).split("<head>")[0]
    assert '<div class="text" lang="zh">' in comparison_view(TEXT, TEXT)


def test_landmarks_headings_and_titles() -> None:
    page, segmentation = segmented(NEWS)
    document = block_map(page, segmentation)
    assert "<title>Block map: 樱花开了</title>" in document
    assert 'aria-label="Legend"' in document
    assert 'role="region" aria-label="Copy of the page"' in document
    panel = legend(document)
    assert [panel.tags.count(tag) for tag in ("h1", "details", "summary", "table")] == [1] * 4
    columns = PageTree.parse(comparison_view("天", "网"))
    assert [columns.tags.count(tag) for tag in ("header", "main", "h1", "h2")] == [1, 1, 1, 2]


def test_texts_of_ours_can_be_read_in_light_and_dark() -> None:
    light, dark = LEGEND_SHEET.split("prefers-color-scheme:dark")
    assert contrast("#111111", "#ffffff") > 4.5
    assert "color:#111;background:#fff" in light
    assert "a{color:#0645ad}" in light
    assert contrast("#0645ad", "#ffffff") > 4.5
    assert "color:#eee;background:#1b1b1f" in dark
    assert contrast("#eeeeee", "#1b1b1f") > 4.5
    assert contrast("#9ecbff", "#1b1b1f") > 4.5
    sheet = comparison_view("", "")
    pairs = re.findall(r"--([\w-]+): light-dark\((#\w+), (#\w+)\)", sheet)
    schemes = [{name: pair[scheme] for name, *pair in pairs} for scheme in range(2)]
    for colors in schemes:
        for background in ("paper", "sheet", "removed", "added", "wash"):
            assert contrast(colors["ink"], colors[background]) >= 4.5
        for ink in ("soft", "press", "bad"):
            assert contrast(colors[ink], colors["paper"]) >= 4.5
            assert contrast(colors[ink], colors["sheet"]) >= 4.5
        assert contrast(colors["press-ink"], colors["press"]) >= 4.5


def test_the_same_page_gives_the_same_view() -> None:
    assert block_map(*segmented(NEWS)) == block_map(*segmented(NEWS))
