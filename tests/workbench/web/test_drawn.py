"""The pictures of the docs, in a browser: each is there, and no page on one has a broken picture.

On db60640 the picture of README was of a page with a broken image, and none showed the workbench.
"""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest
from PIL import Image

from quarkcrawl.segment import KIND_COLORS

pytestmark = pytest.mark.full

ROOT = Path(__file__).resolve().parents[3]
DRAWN = ROOT / "docs" / "pictures" / "draw.py"
N_BROKEN = "[...document.images].filter((one) => !one.naturalWidth).length"


def test_pages_that_are_drawn_have_no_broken_picture(browser, tmp_path):
    spec = importlib.util.spec_from_file_location("draw", DRAWN)
    draw = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(draw)
    page = browser.new_page()
    views = draw.views()
    assert "block-map" in views
    for name, document in views.items():
        (tmp_path / f"{name}.html").write_text(document, "utf-8")
        page.goto((tmp_path / f"{name}.html").as_uri(), wait_until="load")
        assert page.evaluate(N_BROKEN) == 0, name
    page.close()


@pytest.mark.parametrize("name", ["README.md", "README.zh.md", "docs/workbench.md"])
def test_readers_see_the_workbench(browser, name):
    file = ROOT / name
    pictures = re.findall(r"!\[([^\]]+)\]\(([^)]+\.png)\)", file.read_text("utf-8"))
    assert [path for _, path in pictures if Path(path).name.startswith("workbench")]
    page = browser.new_page()
    for _, path in pictures:
        page.goto((file.parent / path).as_uri(), wait_until="load")
        assert page.locator("img").count() == 1, path
        assert page.evaluate(N_BROKEN) == 0, path
    page.close()


@pytest.mark.parametrize("name", ["workbench.png", "workbench-zh.png"])
def test_colors_of_the_legend_are_those_of_the_program(name):
    """A median cut to 128 colors showed comments, posts and related links in those of others."""
    counted = Image.open(DRAWN.with_name(name)).convert("RGB").getcolors(1 << 24)
    n_pixels = {f"#{red:02x}{green:02x}{blue:02x}": n for n, (red, green, blue) in counted}
    colors = {color for kind, color in KIND_COLORS.items() if kind}
    assert len(colors) >= 5
    assert {color: n_pixels.get(color, 0) for color in colors if n_pixels.get(color, 0) < 80} == {}


def test_each_picture_is_shown():
    pages = [*ROOT.glob("README*.md"), *(ROOT / "docs").rglob("*.md")]
    shown = "\n".join(page.read_text("utf-8") for page in pages)
    pictures = {path.name for path in DRAWN.parent.glob("*.png")}
    assert {name for name in pictures if f"pictures/{name}" not in shown} == set()
