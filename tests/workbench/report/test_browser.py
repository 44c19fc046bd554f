"""What only a browser shows: nothing runs, nothing is loaded, the legend is there to see."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from quarkcrawl.content import extract
from quarkcrawl.segment.show import KIND_COLORS
from quarkcrawl.workbench.report import block_map, content_view
from quarkcrawl.workbench.theme import policy
from tests.workbench.report.browser import dumped, pixels, recorder
from tests.workbench.report.pages import HOSTILE, HOSTILE_LOOKS, TABLES, TEXT, segmented

pytestmark = pytest.mark.full

if TYPE_CHECKING:
    from pathlib import Path

BAR_PX = 48


def written(folder: Path, name: str, document: str) -> Path:
    path = folder / f"{name}.html"
    path.write_text(document, "utf-8", errors="replace")
    return path


def has(picture: np.ndarray, color: str) -> bool:
    wanted = [int(color[n : n + 2], 16) for n in (1, 3, 5)]
    return bool((picture == wanted).all(axis=2).any())


def test_a_hostile_page_does_nothing_in_the_view(tmp_path: Path) -> None:
    """The page itself, as a control, runs its scripts and loads what it likes."""
    with recorder() as (address, asked):
        html = HOSTILE.replace("§", address)
        control = html.replace('http-equiv="refresh"', 'http-equiv="x"')
        assert "<title>pwned</title>" in dumped(written(tmp_path, "control", control))
        assert len({path for path in asked if path.startswith("/pwned")}) >= 5
        assert len(set(asked)) >= 15
        asked.clear()
        document = block_map(*segmented(html, f"{address}/dir/page.html"))
        seen = dumped(written(tmp_path, "offline", document))
        assert asked == []
    assert "<title>Block map: 攻击</title>" in seen
    assert "pwned" not in seen


def test_without_its_policy_a_copy_still_loads_nothing(tmp_path: Path) -> None:
    """The policy is the second lock: no address is left in what nh3 and we have let through."""
    with recorder() as (address, asked):
        html = HOSTILE.replace("§", address) + HOSTILE_LOOKS.replace("§", address)
        document = block_map(*segmented(html, f"{address}/dir/page.html"))
        bare = document.replace(policy(offline=True), '<meta charset="utf-8">')
        assert bare != document
        seen = dumped(written(tmp_path, "bare", bare))
        assert asked == []
        control = f"<!doctype html><body>{HOSTILE_LOOKS.replace('§', address)}"
        dumped(written(tmp_path, "control", control))
        assert len(set(asked)) >= 6
    assert "pwned" not in seen


def test_with_loading_allowed_a_hostile_page_gets_pictures_and_styles_only(tmp_path: Path) -> None:
    with recorder() as (address, asked):
        html = HOSTILE.replace("§", address)
        document = block_map(*segmented(html, f"{address}/dir/page.html"), offline=False)
        seen = dumped(written(tmp_path, "online", document))
    assert "<title>Block map: 攻击</title>" in seen
    assert "pwned" not in seen
    wanted = {"/x.png", "/y.png", "/sheet.css", "/import.css", "/import2.css", "/import3.css"}
    wanted |= {"/shadow.png", "/shadow2.png"}
    looks = {"/font.woff", "/back.png", "/background.png", "/escaped.png", "/inline.png"}
    looks |= {"/table.png", "/cell.png"}
    assert wanted - {"/import3.css"} <= set(asked)
    assert {"/x.png", "/y.png", "/sheet.css", "/import.css", "/import2.css"} <= set(asked)
    assert set(asked) <= wanted | looks


def test_a_page_cannot_cover_or_hide_the_legend(tmp_path: Path) -> None:
    cover = "<div style='position:fixed;inset:0;background:#00ff00;z-index:2147483647'>遮</div>"
    cover += cover.replace("fixed", "fi\\78 ed")  # hides from us what it is
    html = HOSTILE.replace("§", "http://127.0.0.1:9").replace(
        '<div id="cover"', f'{cover}<div id="cover"'
    )
    picture = pixels(written(tmp_path, "cover", content_view(extract(html))))
    assert has(picture[BAR_PX:], "#00ff00")
    bar = picture[: BAR_PX - 2]
    assert not has(bar, "#00ff00")
    assert (bar == 255).all(axis=2).mean() > 0.7  # our paper …
    assert (bar < 60).all(axis=2).mean() > 0.005  # … and ink


def test_content_view_shows_the_colors_of_the_kinds(tmp_path: Path) -> None:
    html = TABLES.replace("</p></td>", f"</p><p>{TEXT * 8}</p></td>")
    document = written(tmp_path, "content", content_view(extract(html)))
    light = pixels(document)
    assert has(light, KIND_COLORS["content"])
    assert has(light, KIND_COLORS["noise"])
    assert has(light[:BAR_PX], KIND_COLORS["content"])
    assert has(light[:BAR_PX], KIND_COLORS["rel_link"])
    dark = pixels(document, 700, 260, "--blink-settings=preferredColorScheme=0")
    assert has(dark[:BAR_PX], "#1b1b1f")
    assert has(dark[BAR_PX:], "#ffffff")  # the page keeps its own colors
