"""What a printed date has for and against it: its label, its line, its element."""

from __future__ import annotations

import re
from typing import Final

LONG_LINE: Final = 90
"""Lines longer than that are sentences rather than datelines."""


def _ending(words: str, rest: str) -> re.Pattern[str]:
    """A pattern for one of some words at the end of a text.

    It begins with all that these begin with: so most places are passed sooner.
    """
    initials = "".join(dict.fromkeys(word[0] for word in words.replace(r"\b", "").split("|")))
    return re.compile(rf"(?=[{initials}])(?:{words}){rest}$", re.IGNORECASE)


STRONG_LABEL: Final = 3.0
_ON_LABEL: Final = 2.9
_WEAK_LABEL: Final = 1.5
_MODIFIED_LABEL: Final = -1.5
_OTHER_LABEL: Final = -6.0
_PUBLISHED: Final = _ending(
    "发布(?!会)|發布(?!會)|發佈(?!會)|发表|發表|刊登|刊發|刊发|上传|上傳|创建|建立|发稿|张贴|張貼"
    "|更新于|published|posted"
    "|veröffentlicht|erschienen|erstellt|publiziert|geschrieben|verfasst|publié|publicado"
    "|publicación|pubblicato"
    "|gepubliceerd|geplaatst|opublikowano|dodano|publicerad|опубликовано",
    r"(?:(?:于|於|在|由|至|到|时\s?间|時間|日期|日(?!报|報)|者|人|单位|單位|部门|部門|[\u3400-\u9fff]{1,4}(?=[:：]))[^\d，。,;；]{0,8}"
    r"|(?![\u3400-\u9fff])[^\d，。,;；]{1,8}|)",
)
_DATE_OF_SOMETHING: Final = _ending(
    "時間|时间|日期|date|datum",
    r"[^\d，。,;；]{0,8}",
)
_ON: Final = re.compile(r"(?<![a-z])on[\s:,]{1,3}(?:[a-z]{3,9}[,.]?\s)?$", re.IGNORECASE)
_MODIFIED: Final = _ending(
    "更新|修改|修訂|修订|编辑于|編輯於|最后|最後|回复|回覆|updated|modified|edited|last"
    "|aktualisiert|geändert|bearbeitet|mis à jour|actualizado|aggiornato"
    "|bijgewerkt",
    r"[^\d，。,;；]{0,14}",
)
_OTHER: Final = _ending(
    "截止|截至|報名|报名|成立|註冊|注册|加入|登录|登錄|今天是|今日是|现在是|現在是|有效"
    "|生日|出生|上映|开幕|期間|期间"
    "|评论(?!员)|評論(?!員)|留言|回复|回覆|跟帖|网友(?!投稿|上传|供稿)|網友(?!投稿|上傳|供稿)"
    "|上一篇|下一篇|上一條|上一条|下一條|下一条"
    "|推荐(?!人)|推薦(?!人)|copyright|©|since|seit"
    "|gültig|depuis|desde|member|joined|registered|valid"
    r"|\bexpir(?:es|ed|y)|\bdeadline|\bclosing|\bdue\b|\bwhen\b|\bprevious|\bnext\b",
    r"[^\d，。|】》」』\]]{0,14}",
)
_REVIEWED: Final = re.compile(
    r"(?<![a-z])(?:reviewed|rated|purchased|bought|bewertet|rezension|évalué|commenté|calificado"
    r"|reseñado|avaliado|recensito|beoordeeld)(?! by)[^\d.。]{0,40}$",
    re.IGNORECASE,
)
"""Before the date of what a customer says."""

_RANGE_BEFORE: Final = re.compile(r"[\d日号號年月]\s?[-–—~～至到]\s?$")
_TODAY: Final = re.compile(r"(?:今日|現在|现在|当前|當前)(?:時間|时间|日期)?[:：\s]{0,3}$")
_OF_NAMED: Final = re.compile(
    r"(?:^|[\s|,，。;；！!、(（【\[/·])(?P<what>[\u3400-\u9fff]{1,6})(?:時間|时间|日期)[\s:：(（/_】]{0,3}$"
)
"""A date of something with a name: of an event, of the page itself, or of what no list tells."""

_IS_EVENT: Final = re.compile(
    r"(?:会议|會議|活动|活動|讲座|講座|讲课|开标|開標|投标|投標|评标|考试|考試|笔试|筆試|面试|面試|体检|開始|开始|结束|結束|比赛|比賽"
    r"|举办|舉辦|举行|舉行|主办|开幕|開幕|闭幕|閉幕|截止|直播|演出|展览|展覽|展出|培训|培訓|报告|報告|答辩|上市|上映|放映"
    r"|营业|營業|开放|開放|集合|出发|出發|抵达|入住|退房|报到|報到|报名|報名|签到|交货|发货|發貨|到货|生产|生產|保质|有效|到期"
    r"|预约|預約|座谈|评审|竞价|拍卖|拍賣|开工|竣工|完工|完成|成立|注册|註冊|出生|去世|上课|上課|开课|開課|放假|办公|辦公|服务|服務"
    r"|接待|参观|參觀|演讲|演講|沙龙|论坛|論壇|大会|年会|宣讲|双选|招聘会|入学|开学|開學|毕业|畢業|结婚|起止|起始|召开|召開|集会)$"
)
_IS_ENGLISH_EVENT: Final = re.compile(
    r"(?:start|end|event|closing|due|expir.*|meeting|lecture|talk|seminar|webinar|workshop|exam|opening"
    r"|show|departure|arrival|delivery|ship.*|birth|death|wedding|race|game|match|session|class|course"
    r"|concert|check|pickup|travel|sale|hearing|application|registration|&)$",
    re.IGNORECASE,
)
_OF_ENGLISH_NAMED: Final = re.compile(
    r"(?<![a-z])(?P<what>[a-z]{1,15}|&)\s(?:dates?|time)[\s:]{0,3}$", re.IGNORECASE
)
_IS_PAGE: Final = re.compile(
    r"(?:信息|資訊|资讯|新闻|新聞|文章|本文|稿件|成文|发文|發文|发[帖贴]|發帖|公布|公告|公開|公开|撰写|撰寫|写作|寫作|报道|報道|報導"
    r"|转载|轉載|日志|日誌|出版|录入|錄入|添加|提交|播出|原文|稿|作品|的|北京|当地|當地|本地|编辑|編輯)$"
)
"""Before 时间 and 日期, words of a page's own date."""

_PUBLISHED_BEHIND: Final = re.compile(
    r"\s?(?:发布(?!会)|發布(?!會)|發佈(?!會)|发表|發表|posted|published)", re.IGNORECASE
)
_PARTED: Final = re.compile(r"\s?[-–—|:,.]\s")
_RANGE: Final = re.compile(
    r"\s?(?:[~～至到]|[-–—]\s?\d{1,4}(?:[-/.年月日]|\s(?:Jan|Feb|M[aäé]r|Apr|A[vb]r|Ma[iy]|Jun|Jul|Aug|Sep|O[ck]t|Nov|De[cz])))"
)
_CLOCK_RANGE: Final = re.compile(r"\s?[-–—]\s?\d\d?:\d\d")
_PLACE: Final = re.compile(
    r"(?:(?<![\u3400-\u9fff])(?!工作|单位|公司|办公|联系)[\u3400-\u9fff]{0,4}地[点點址]|venue|where|location)\s?[:：]",
    re.IGNORECASE,
)
_WEEKDAY_BEHIND: Final = re.compile(r"[\s,，(（‧·・]{0,2}(?:星期|礼拜|禮拜|周[一二三四五六日]|週)")


def role_score(attrs: dict[str, str]) -> float:
    """What a time element says about its role."""
    role = f"{attrs.get('itemprop', '')} {attrs.get('class', '')}"[:200].lower()
    if "modif" in role or "updated" in role.split():
        return -4.0 if "publish" not in role else 0.0
    is_publication = "publish" in role or "pubdate" in attrs or "entry-date" in role
    return 3.5 if is_publication else 2.0


def label_score(before: str) -> float:
    """What the words in front of a date say it is the date of."""
    if _REVIEWED.search(before):
        return _OTHER_LABEL
    if _OTHER.search(before) or _RANGE_BEFORE.search(before) or _TODAY.search(before):
        return _OTHER_LABEL
    if _MODIFIED.search(before):
        return _MODIFIED_LABEL
    if _PUBLISHED.search(before):
        return STRONG_LABEL
    if _ON.search(before):
        return _ON_LABEL
    return _something_score(before) if _DATE_OF_SOMETHING.search(before) else 0.0


def _something_score(before: str) -> float:
    """What a label says such as 会议时间 or Start date, which may name what takes place then."""
    if named := _OF_NAMED.search(before):
        if _IS_EVENT.search(named["what"]):
            return _OTHER_LABEL
        return _WEAK_LABEL if _IS_PAGE.search(named["what"]) else 0.0
    named = _OF_ENGLISH_NAMED.search(before)
    is_event = named is not None and _IS_ENGLISH_EVENT.match(named["what"]) is not None
    return _OTHER_LABEL if is_event else _WEAK_LABEL


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
    """For what stands behind a date, from ``end``: that it is published then."""
    return 2.0 if _PUBLISHED_BEHIND.match(line, end) else 0.0


def is_of_event(line: str, end: int, below: str, *, has_clock: bool) -> bool:
    """Whether a time span begins with a date, or a place follows.

    Args:
        line: the line of the date.
        end: one past its last character.
        below: the next line.
        has_clock: whether the date has a time of day.
    """
    if _RANGE.match(line, end) or (has_clock and _CLOCK_RANGE.match(line, end)):
        return True
    return _PLACE.match(below) is not None or _PLACE.search(line, end, end + 30) is not None


def has_weekday_behind(line: str, end: int) -> bool:
    """Whether a Chinese weekday stands behind a date, from ``end``."""
    return _WEEKDAY_BEHIND.match(line, end) is not None
