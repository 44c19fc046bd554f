"""Layouts without a browser: boxes and fonts are written into the page.

``data-box="left,top,width,height"`` on an element is its box and that of its own text;
``data-font="size,weight"`` and ``data-ground="rrggbb"`` hold for it (fonts also for what is in it).
"""

from __future__ import annotations

import numpy as np

from quarkcrawl.page import Layout, Page


def drawn(html: str) -> Page:
    """A page with the layout that its attributes say."""
    page = Page.from_html(html)
    tree = page.tree
    n = len(tree)
    boxes = np.full((n, 4), np.nan, np.float32)
    fonts = np.zeros((n, 2))
    ground = np.zeros(n, np.uint32)
    for node in range(n):
        above = int(tree.parent[node])
        fonts[node] = fonts[above] if node else (16, 400)
        if text := tree.attr(node, "data-font"):
            fonts[node] = [float(part) for part in text.split(",")]
        if text := tree.attr(node, "data-ground"):
            ground[node] = int(text, 16) << 8 | 0xFF
        if text := tree.attr(node, "data-box"):
            boxes[node] = [float(part) for part in text.split(",")]
    page.layout = Layout(
        boxes=boxes,
        run_boxes=boxes[tree.run_node].reshape(-1, 4),
        font_px=fonts[:, 0].astype(np.float32),
        font_weight=fonts[:, 1].astype(np.int16),
        color=np.full(n, 0xFF, np.uint32),
        background=ground,
        visible=~np.isnan(boxes[:, 0]),
        width_px=1000.0,
        height_px=1000.0,
    )
    return page
