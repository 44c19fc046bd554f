"""Lines about the site and the reader's browser, on whatever page they stand.

Notices of cookies, of an age that readers must have, of scripts that are switched off; and what
stands in form fields. What is most of the text stays, whatever it is in. Elements that a style
hides are left to the trees: tabs and folded answers are hidden, too, and are content.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quarkcrawl.content.lines.matrix import LineFeatures
    from quarkcrawl.page import PageTree

    BoolArray = NDArray[np.bool_]


MAX_NOTICE_CHARS: Final = 700
MAX_FIELD_SHARE: Final = 0.5
"""Form fields with more of the chosen text than that are the body."""

_WORDS: Final = ("ookie", "avascript", "avaScript", "脚本", "腳本", "JS", "18", "21 ")
_SCRIPT: Final = re.compile(
    r"^\W{0,3}(?:please |sadly, |sorry, |note: |warning: |attention: )?"
    r"(?:(?:you (?:need|have|must)|(?:to )?(?:enable|turn on|activate)|it (?:looks|seems|appears)|"
    r"(?:your|the|this|a) (?:web )?browser|(?:this|the|our) (?:web)?"
    r"(?:site|page|app|application|slideshow|forum|video|content|feature)|download a browser|"
    r"java ?script (?:is|must|seems|has|needs|appears|should)|we (?:need|use|require)|"
    r"for (?:a|the) (?:better|best|full) experience)[^\n]{0,300})?"
    r"(?:(?:enable|requires?|turn on|activate|supports?|without|disabled|need)[^\n]{0,60}"
    r"java ?script|"
    r"java ?script[^\n]{0,60}(?:disabled|not enabled|enabled|turned off|required|to work|activated|"
    r"not available|deaktiviert|aktiviert))",
    re.IGNORECASE,
)
_SCRIPT_HAN: Final = re.compile(
    r"(?:浏览器|瀏覽器|您|你|请|請|本站|本网站|本網站|本页|本頁|网站|網站)"
    r"[^。\n]{0,40}(?:javascript|js|脚本|腳本)[^。\n]{0,40}"
    r"|(?:启用|啟用|开启|開啟|打开|打開|支持|支援|禁用|关闭|關閉)[^。\n]{0,12}(?:javascript|\bjs\b|脚本|腳本)",
    re.IGNORECASE,
)
_COOKIES: Final = re.compile(
    r"\b(?:(?:we|this (?:web)?site|our (?:web)?sites?|our partners)"
    r"(?: and our (?:\w+ )?partners?)?(?: may| also| only)? "
    r"(?:uses?|stores?|sets?|places?)(?: and/or access)?\b[^.\n]{0,80}\bcookies?\b|"
    r"(?:accept|reject|allow|manage|decline) (?:all |the |our )?cookies?|"
    r"cookies? (?:settings|preferences|consent)|(?:consent|agree)[^.\n]{0,60}\bcookies|"
    r"with our cookies|diese (?:web)?seite (?:benutzt|verwendet|nutzt) cookies|"
    r"wir (?:verwenden|nutzen|setzen) [^.\n]{0,40}cookies)",
    re.IGNORECASE,
)
_COOKIES_HAN: Final = re.compile(r"(?:使用|接受|同意)[^。\n]{0,12}cookies?", re.IGNORECASE)
_AGE: Final = re.compile(
    r"^\W{0,3}(?:are you (?:over|at least|of legal|above)\b[^\n]{0,40}(?:18|21|age)|"
    r"(?:you must be|i am|i'm|yes, i am)[^\n]{0,30}\b(?:18|21)\b"
    r"[^\n]{0,40}(?:years|older|over|age|enter)|(?:未满|未滿)\s?(?:18|十八)[^\n]{0,30})",
    re.IGNORECASE,
)
_ABOUT: Final = re.compile(
    r"cookie|privacy|java ?script|datenschutz|隐私|隱私|脚本|腳本", re.IGNORECASE
)


def is_notice(text: str) -> bool:
    """Whether a line asks for cookies, an age or scripts.

    Args:
        text: one line.
    """
    if len(text) > MAX_NOTICE_CHARS or not any(word in text for word in _WORDS):
        return False
    if _SCRIPT.search(text) or _COOKIES.search(text) or _AGE.search(text):
        return True
    return bool(_SCRIPT_HAN.search(text) or _COOKIES_HAN.search(text)) and len(text) < 120


def notices(texts: list[str], title: str) -> list[bool]:
    """Which lines are notices; none on a page whose title says that it is about such things.

    Args:
        texts: chosen lines.
        title: title of the page.
    """
    whole = "\n".join(texts)  # one search a word for most pages
    if not any(word in whole for word in _WORDS) or _ABOUT.search(title):
        return [False] * len(texts)
    return [is_notice(text) for text in texts]


def without_fields(tree: PageTree, features: LineFeatures, chosen: BoolArray) -> BoolArray:
    """The choice without lines in form fields, unless they are most of it.

    Args:
        tree: the page.
        features: its lines.
        chosen: which of them are content.
    """
    fields = tree.places("textarea")
    if not len(fields):
        return chosen
    in_field = np.zeros(len(chosen), np.bool_)
    for node in fields.tolist():
        edges = features.cut.first_run.searchsorted([tree.run_start[node], tree.run_end[node]])
        in_field[edges[0] : edges[1]] = True
    weight = features.weight
    if weight @ (in_field & chosen) > MAX_FIELD_SHARE * (weight @ chosen):
        return chosen
    return chosen & ~in_field
