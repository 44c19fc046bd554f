"""What a printed date has for and against it: its label, its line, its element."""

from __future__ import annotations

import re
from typing import Final

LONG_LINE: Final = 90
"""Lines longer than that are sentences rather than datelines."""


def _ending(words: str, rest: str, signs: str = "") -> re.Pattern[str]:
    """A pattern for one of some words or signs at the end of a text.

    It begins with all that these begin with: so most places are passed sooner.
    """
    initials = "".join(dict.fromkeys(word[0] for word in words.split("|")))
    more = rf"|[{signs}]\s?" if signs else ""
    return re.compile(rf"(?=[{signs}{initials}])(?:{words}{more}){rest}$", re.IGNORECASE)


_PUBLISHED: Final = _ending(
    "发布|發布|發佈|发表|發表|刊登|刊發|刊发|上传|上傳|创建|建立|发稿|時間|时间|日期|张贴|張貼"
    "|更新于|published|posted|date|on"
    "|veröffentlicht|erschienen|erstellt|publiziert|geschrieben|verfasst|datum|publié|publicado"
    "|publicación|pubblicato"
    "|gepubliceerd|geplaatst|opublikowano|dodano|publicerad|опубликовано",
    r"[^\d，。,;；]{0,8}",
)
_MODIFIED: Final = _ending(
    "更新|修改|修訂|修订|编辑于|編輯於|最后|最後|回复|回覆|updated|modified|edited|last"
    "|aktualisiert|geändert|bearbeitet|mis à jour|actualizado|aggiornato"
    "|bijgewerkt",
    r"[^\d，。,;；]{0,14}",
)
_OTHER: Final = _ending(
    "截止|截至|活動|活动|報名|报名|成立|註冊|注册|加入|登录|登錄|今天是|今日|现在是|現在|有效"
    "|生日|出生|上映|开幕|期間|期间|有效期"
    "|推荐|推薦|评论|評論|留言|回复|回覆|跟帖|网友|網友|copyright|©|since|seit"
    "|gültig|depuis|desde|member|joined|registered|expires?|valid",
    r"[^\d，。]{0,12}",
    "-~～至到",
)
_PUBLISHED_BEHIND: Final = re.compile(
    r"\s?(?:发布|發布|發佈|发表|發表|posted|published)", re.IGNORECASE
)
_PARTED: Final = re.compile(r"\s?[-–—|:,.]\s")
_RANGE: Final = re.compile(r"\s?(?:[~～至到]|[-–]\s?\d)")


def role_score(attrs: dict[str, str]) -> float:
    """What a time element says about its role."""
    role = f"{attrs.get('itemprop', '')} {attrs.get('class', '')}"[:200].lower()
    if "modif" in role or "updated" in role.split():
        return -4.0 if "publish" not in role else 0.0
    is_publication = "publish" in role or "pubdate" in attrs or "entry-date" in role
    return 3.5 if is_publication else 2.0


def label_score(before: str) -> float:
    """What the words in front of a date say it is the date of."""
    if _OTHER.search(before):
        return -6.0
    if _MODIFIED.search(before):
        return -1.5
    return 3.0 if _PUBLISHED.search(before) else 0.0


def line_score(line: str, start: int, end: int, label: float) -> float:
    """Datelines are short; a date in a long line is mostly part of a sentence.

    Unless it has a label, or begins the text and is parted from it.
    """
    rest = len(line) - (end - start)
    if rest > LONG_LINE:
        is_dateline = start == 0 and _PARTED.match(line, end) is not None
        return -1.0 if is_dateline or label > 0 else -6.0
    return 1.0 if rest < 30 else 0.0


def behind_score(line: str, end: int) -> float:
    """For what stands behind a date, from ``end``: it is published then, or a time span begins."""
    score = 2.0 if _PUBLISHED_BEHIND.match(line, end) else 0.0
    return score - 4.0 if _RANGE.match(line, end) else score
