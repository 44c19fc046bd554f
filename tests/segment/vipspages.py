"""Pages whose visual blocks are known: laid out by random choice, each block marked.

A block is what a reader would call one thing: a bar, a box with its heading, an article. What
varies is how it is built (tables, floats, flex, grid), its distances, grounds, rules and fonts.
The element of block k carries ``data-block="k"``.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

WORDS = (
    "新闻", "城市", "河流", "研究", "老师", "学生", "发展", "经济", "历史", "文化", "气候", "交通",
    "图书", "音乐", "山区", "海洋", "健康", "医院", "市场", "农村", "科技", "教育", "旅行", "天气",
)  # fmt: skip
GROUNDS = ("#f0f4f8", "#fff4e0", "#e8f5e9", "#eceff1", "#e3f2fd")
BARS = ("#1a4d8f", "#7b1fa2", "#37474f", "#b71c1c")


@dataclass
class Made:
    """A page under construction."""

    dice: random.Random
    n_blocks: int = 0
    bars: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.bars = self.dice.sample(BARS, len(BARS))

    def words(self, low: int, high: int) -> str:
        return "".join(self.dice.choice(WORDS) for _ in range(self.dice.randint(low, high)))

    def block(self, inner: str, style: str = "", tag: str = "div") -> str:
        self.n_blocks += 1
        return f'<{tag} data-block="{self.n_blocks}" style="{style}">{inner}</{tag}>'

    def paragraphs(self, low: int, high: int) -> str:
        margin = self.dice.choice((8, 10, 12, 14))
        n = self.dice.randint(low, high)
        return "".join(
            f'<p style="margin:{margin}px 0">{self.words(30, 90)}。</p>' for _ in range(n)
        )

    def links(self, low: int, high: int) -> str:
        n = self.dice.randint(low, high)
        items = "".join(f'<li><a href="/{k}">{self.words(4, 9)}</a></li>' for k in range(n))
        return f'<ul style="margin:6px 0;padding-left:20px">{items}</ul>'

    def bar(self) -> str:
        """The name of the site, or a line of links, on a ground of its own."""
        height = self.dice.choice((36, 48, 64))
        names = "".join(
            f'<a href="/{k}" style="margin-right:18px;color:#fff">{self.words(1, 2)}</a>'
            for k in range(self.dice.randint(4, 8))
        )
        inner = self.dice.choice((names, f"<b>{self.words(3, 5)}</b>"))
        ground = self.bars.pop()  # two bars of one color would be seen as one
        return self.block(
            inner, f"background:{ground};color:#fff;line-height:{height}px;padding:0 16px"
        )

    def box(self, ground: str) -> str:
        """A heading with links or a little text."""
        size = self.dice.choice((17, 18, 20))
        head = f'<h3 style="margin:0 0 8px;font-size:{size}px">{self.words(2, 4)}</h3>'
        inner = self.dice.choice((self.links(4, 9), self.paragraphs(1, 2)))
        return self.block(head + inner, f"background:{ground};padding:12px" if ground else "")

    def article(self) -> str:
        """Title, date and paragraphs."""
        size = self.dice.choice((22, 24, 26))
        head = f'<h1 style="margin:0 0 10px;font-size:{size}px">{self.words(6, 10)}</h1>'
        date = '<div style="font-size:13px;color:#888">2009-05-12 来源：本站</div>'
        return self.block(head + date + self.paragraphs(3, 8))

    def column(self, kind: str) -> str:
        gap = self.dice.choice((32, 40, 48))
        ground = self.dice.choice(("", *GROUNDS))
        if kind == "main":
            parts = [self.article()]
            parts += [self.box(ground) for _ in range(self.dice.randint(0, 2))]
        else:
            parts = [self.box(ground) for _ in range(self.dice.randint(1, 4))]
        between = f'<div style="height:{gap}px"></div>'
        if not ground and self.dice.random() < 0.4:
            between = f'<hr style="margin:{gap // 2}px 0">'
        return between.join(parts)


def _table(columns, widths, gap):
    cells = "".join(
        f'<td style="vertical-align:top;width:{w}px;padding-right:{gap}px">{c}</td>'
        for c, w in zip(columns, widths, strict=False)
    )
    return f'<table style="border-spacing:0"><tr>{cells}</tr></table>'


def _floats(columns, widths, gap):
    parts = "".join(
        f'<div style="float:left;width:{w}px;margin-right:{gap}px">{c}</div>'
        for c, w in zip(columns, widths, strict=False)
    )
    return f'<div>{parts}<div style="clear:both"></div></div>'


def _flex(columns, widths, gap):
    parts = "".join(
        f'<section style="width:{w}px">{c}</section>' for c, w in zip(columns, widths, strict=False)
    )
    return f'<div style="display:flex;gap:{gap}px">{parts}</div>'


def _grid(columns, widths, gap):
    parts = "".join(f"<div>{c}</div>" for c in columns)
    sizes = " ".join(f"{w}px" for w in widths)
    return f'<div style="display:grid;grid-template-columns:{sizes};gap:{gap}px">{parts}</div>'


BUILDERS = {"table": _table, "float": _floats, "flex": _flex, "grid": _grid}


def visual_page(seed: int) -> str:
    """A page with marked blocks."""
    made = Made(random.Random(seed))
    dice = made.dice
    kinds = dice.choice((("main",), ("side", "main"), ("main", "side"), ("side", "main", "side")))
    width = {"main": dice.choice((560, 600)), "side": dice.choice((220, 260))}
    bars = "".join(made.bar() for _ in range(dice.randint(1, 2)))
    columns = [made.column(kind) for kind in kinds]
    build = BUILDERS[dice.choice(tuple(BUILDERS))]
    body = build(columns, [width[k] for k in kinds], dice.choice((36, 48, 60)))
    foot = made.block(
        f'<span style="font-size:12px">{made.words(10, 20)} 版权所有</span>',
        f"background:{dice.choice(GROUNDS)};padding:14px;text-align:center",
    )
    space = f'<div style="height:{dice.choice((24, 36))}px"></div>'
    return (
        '<!DOCTYPE html><html><head><meta charset="utf-8"><title>x</title></head>'
        f'<body style="margin:0 auto;width:1240px;font:16px/1.6 sans-serif">'
        f"{bars}{space}{body}{space}{foot}</body></html>"
    )
