"""The pictures of the docs, in a browser: each is there, and no page on one has a broken picture.

On db60640 the picture of README was of a page with a broken image, and none showed the workbench.
"""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

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
