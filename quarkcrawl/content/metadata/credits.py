"""Authors and sources that are named without a label: reporters, bylines, datelines.

The forms are those of newspapers: ``（记者 张三）``, ``記者李四／台北報導``, ``文/赵六``,
``By Jane Doe``, ``本报记者 王五`` at the end of a line, a medium beside the date of publication.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from quarkcrawl.content.metadata.marks import find_mark

if TYPE_CHECKING:
    from collections.abc import Iterator


_HAN: Final = "[\u4e00-\u9fff·]"
_NAMES: Final = rf"(?P<name>{_HAN}{{2,4}}(?:[、\s]{_HAN}{{2,4}}){{0,3}})"
_REPORTER: Final = ("记者", "記者")
_REPORTERS: Final = tuple(
    re.compile("[记記]者" + rest)
    for rest in (
        rf"\s?(?P<name>{_HAN}{{2,4}})[／/╱][^\n]{{0,14}}(?:報導|报道|報道|電|电)",
        rf"\s?{_NAMES}(?=\s?[)）】］\]〕]|\s?通[讯訊][员員])",
        rf"\s?(?P<name>{_HAN}{{2,4}}){_HAN}{{2}}\d{{1,2}}日(?:專|专)?[電电]",
        rf"\s?{_NAMES}(?=\n|$)",
        rf"\s?(?P<name>{_HAN}{{2,4}})(?:报道|報導)(?=\n|$)",
    )
)
_BEFORE_NAME: Final = r"(?:^|[\s(（【\[])"
_FORMS: Final = {
    "報導": (
        rf"(?:^|[\n【〔（(\[]){{1,2}}(?P<name>{_HAN}{{2,4}})[／/╱](?:{_HAN}{{2,4}})?報導",
        rf"\d\s(?P<name>{_HAN}{{2,4}})\s報導(?=\n|$)",
    ),
    "文": (rf"文\s?[/／]\s?(?P<name>{_HAN}{{2,4}})(?=[\s\n)）】]|$)",),
    "/文": (rf"{_BEFORE_NAME}(?P<name>{_HAN}{{2,4}})\s?/文(?=[\s)）】\]]|$)",),
    "／文": (rf"{_BEFORE_NAME}(?P<name>{_HAN}{{2,4}})\s?／文(?=[\s)）】\]]|$)",),
    "通讯员": (rf"[(（【\[]通讯员\s?(?!\S{{2,4}}\s记者){_NAMES}(?=\s?[)）】\]])",),
    "通訊員": (rf"[(（【\[]通訊員\s?(?!\S{{2,4}}\s記者){_NAMES}(?=\s?[)）】\]])",),
}
"""Other forms of a credit by the word without which they need not be sought."""

_CREDITS: Final = {mark: tuple(map(re.compile, forms)) for mark, forms in _FORMS.items()}
_ANCHORS: Final = (
    *("记者", "記者", "报道", "報導", "文/", "文／", "/文", "／文", "通讯员", "通訊員"),
)
_WESTERN: Final = (
    r"[A-Z][\w.'’-]{0,30}(?: (?:de |van |von |el |al )?[A-Z][\w.'’-]{0,30}){1,3}(?=$|[\s,|])"
)
_BYLINE: Final = re.compile(
    rf"[Bb][Yy][ :]{{1,2}}(?P<name>{_WESTERN}(?:(?:, {_WESTERN}){{0,4}},? (?:and|&) {_WESTERN})?)"
)
_BY_ENDS: Final = ("y ", "y:", "Y ", "Y:")
_BEFORE_BYLINE: Final = ("written", "posted", "reported", "published", "words", "|", "-", "—", "·")
_NOT_NAMES: Final = re.compile(
    r"[了的是在问從从对對称稱表示获獲采訪访发現]|我们|今天|昨天|日前|专访|調查|调查"
)
_MEDIUM: Final = re.compile(
    r"(?:网|網|网站|報|报|晨报|社|在线|在線|快讯|快訊|周末|週末|热线|熱線|时报|時報|周刊|週刊|杂志|雜誌|新闻|新聞|电视台|電視台|电台|頻道|频道|财政部|通讯|頭條|头条)$"
)
_NO_MEDIUM: Final = re.compile(r"举报|舉報|网友|網友|订阅|訂閱|分享|随时|看新闻|上报|回报|填报")
_PARTS: Final = re.compile(
    r"(?:[\s|｜·\[\]【】()（）《》<>,，/]|我要评论|我来说两句|网友评论|参与互动|评论|已有|本文|来源于|來源於|来源|來源|：)+"
)
_AGENCY: Final = re.compile(rf"(?:^|\n)[〔【（(](?P<name>{_HAN}{{2,5}}社)(?:[〕】）)]|[记記]者)")
_AGENCY_END: Final = "社"
FAMILY_NAMES: Final = (
    "王李张張刘劉陈陳杨楊黄黃赵趙吴吳周徐孙孫马馬朱胡郭何林高罗羅郑鄭梁谢謝宋唐许許韩韓冯馮邓鄧曹彭曾肖萧蕭田董潘"
    "袁蔡蒋蔣余于杜叶葉程魏苏蘇吕呂丁任卢盧姚沈钟鍾姜崔谭譚陆陸范范汪廖石金韦韋贾賈夏付方邹鄒熊白孟秦邱侯江尹薛"
    "闫閻段雷龙龍黎史陶贺賀毛郝顾顧龚龔邵万萬覃武钱錢戴严嚴莫孔向常汤湯康易乔喬赖賴文施洪辛殷祝柳纪紀梅盛童颜顏季"
    "倪欧歐麦麥庄莊路卓甘温溫齐齊左葛尤耿管岳霍翁柯阮喻房骆駱申关關古焦柴裴商安曲凌鲁魯解宁寧谷牛单單屈娄婁司苗"
    "费費蒙初米丘沙鲍鮑车車冉项項全饶饒包党苑隋竹涂塗冀藏游桂连連艾詹简簡丛叢佟穆邢滕晏鄢昝卜储儲荣榮狄阎窦竇章"
)
_EDITOR: Final = re.compile(r"(?:编辑|編輯|责编|責編)[\s：:]{1,3}\S{0,8}")
_PERSON: Final = re.compile(f"[{FAMILY_NAMES}][\u4e00-\u9fff]{{1,2}}")
_BETWEEN: Final = re.compile(
    rf"\s?[·|｜]\s?(?P<name>{_HAN[:-1]}A-Za-z0-9]{{2,12}})\s?[·|｜]\s?[{FAMILY_NAMES}]{_HAN}{{1,2}}(?!{_HAN})"
)
"""A medium between date and person: ``2012-03-05 · 春城 · 李明``."""
_POSTED: Final = re.compile(r"posted\s?@", re.IGNORECASE)
_POSTER: Final = re.compile(
    r"\s{1,3}(?P<name>\S{2,20})\s{1,3}(?:阅读|閱讀|浏览|瀏覽|评论|評論)\s?[(（:：]"
)
_FROM: Final = re.compile(rf"(?:来源于|來源於)[《\s]{{0,2}}(?P<name>{_HAN}{{2,12}})")
_MAX_MEDIUM_CHARS: Final = 16
_MAX_BYLINES: Final = 20


def author_in(text: str, first: int, last: int) -> str:
    """The first reporter or byline of a slice of a text, "" if there is none.

    Args:
        text: lines.
        first: first character.
        last: one past the last character.
    """
    held = {mark for mark in _ANCHORS if find_mark(text, mark, first, last) >= 0}
    if held:
        held.add("文")
        places = sorted(_places(text, first, last)) if not held.isdisjoint(_REPORTER) else []
        named = [_matches_at(places, form, text, last) for form in _REPORTERS]
        for mark, forms in _CREDITS.items():
            named += [form.finditer(text, first, last) for form in forms if mark in held]
        matches_of_people = [match for matches in named if (match := _credit(matches))]
        if matches_of_people:
            return people_only(min(matches_of_people, key=re.Match.start)["name"])
    return _byline(text, first, last)


def agency_in(text: str, first: int, last: int) -> str:
    """The news agency that a slice of a text begins a line with, as in 〔中央社〕; "" if none."""
    if text.find(_AGENCY_END, first, last) < 0:
        return ""
    match = _AGENCY.search(text, first, last)
    return match["name"] if match else ""


def people_only(names: str) -> str:
    """The names in a list up to the first word that begins with no family name."""
    words = re.split("([、 ])", names)
    n_words = 1
    while n_words + 1 < len(words) and _PERSON.fullmatch(words[n_words + 1]):
        n_words += 2
    return "".join(words[:n_words])


def _places(text: str, first: int, last: int) -> Iterator[int]:
    """Where a reporter is called so."""
    for mark in _REPORTER:
        place = find_mark(text, mark, first, last)
        while place >= 0:
            yield place
            place = text.find(mark, place + 1, last)


def _matches_at(
    places: list[int], form: re.Pattern[str], text: str, last: int
) -> Iterator[re.Match[str]]:
    """What ``finditer`` finds of a form that can begin at these places only."""
    end = 0
    for place in places:
        if place >= end and (match := form.match(text, place, last)):
            end = match.end()
            yield match


def _credit(matches: Iterator[re.Match[str]]) -> re.Match[str] | None:
    """The first that may name a person."""
    for match in matches:
        if match["name"][0] in FAMILY_NAMES and not _NOT_NAMES.search(match["name"]):
            return match
    return None


def _byline(text: str, first: int, last: int) -> str:
    """The name behind "by", where that begins a line or follows a word such as "posted"."""
    if all(find_mark(text, end, first, last) < 0 for end in _BY_ENDS):
        return ""
    for count, match in enumerate(_BYLINE.finditer(text, first, last)):
        before = text[max(match.start() - 12, 0) : match.start()].rstrip(" ")
        if not before or before.endswith("\n") or before.lower().endswith(_BEFORE_BYLINE):
            return match["name"]
        if count >= _MAX_BYLINES:
            break
    return ""


def is_medium(name: str) -> bool:
    """Whether a name looks like that of a newspaper, agency or site."""
    if not 2 < len(name) <= _MAX_MEDIUM_CHARS or _NO_MEDIUM.search(name):
        return False
    return _MEDIUM.search(name) is not None


def source_beside(line: str, start: int, end: int) -> str:
    """The medium that a line names beside the date at ``line[start:end]``, "" if none."""
    parts = (part for side in (line[end:], line[:start]) for part in _PARTS.split(side))
    medium = next((part for part in parts if is_medium(part)), "")
    between = None if medium else _BETWEEN.search(line, end) or _FROM.search(line)
    return between["name"] if between else medium


def person_beside(line: str, start: int, end: int) -> str:
    """The person that a dateline names beside its date, "" if none; arguments as before.

    A person is a word of two or three characters that begins with a common family name, or any
    that stands between the date of a post and the number of its readers.
    """
    poster = _POSTER.match(line, end) if _POSTED.match(line, 0, start) else None
    if poster:
        return poster["name"]
    sides = (_EDITOR.sub("", side) for side in (line[end:], line[:start]))
    parts = (part for side in sides for part in _PARTS.split(side))
    return next((part for part in parts if _PERSON.fullmatch(part)), "")
