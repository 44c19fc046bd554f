"""Who wrote a page and where it comes from, as its lines say.

Nearly all pages write ``label：name``, so the colons near the headline are looked at one by one:
a label before, a name behind. What goes without a colon is the business of
`quarkcrawl.content.metadata.credits`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from quarkcrawl.content.metadata.credits import FAMILY_NAMES, author_in, people_only

if TYPE_CHECKING:
    from collections.abc import Iterator


CHARS_NEAR: Final = 300
"""So far behind the headline stands the dateline."""

_MAX_COLONS: Final = 300
_MAX_LABEL_CHARS: Final = 8
_COLON: Final = re.compile("[：:∶]")
_LABEL: Final = re.compile(
    r"(?:(?<![图圖照]片)(?<!数据|數據)"
    r"(?P<source>来\s?源|來\s?源|稿源|出处|出處|转自|轉自|转载自|摘自|來自|来自)"
    r"|(?P<editor>责编|責編|编\s?辑|編\s?輯)"
    r"|(?P<author>作\s?者|撰文|撰稿|采写|採寫|供稿|文图|文圖|(?<![a-zA-Z])(?:文/图|图文|文字)"
    r"|记\s?者|記\s?者|通讯员|楼主|樓主"
    r"|发布者|發布者|發佈者|发帖人|投稿人"
    r"|^文|[\s\n(（【|]文))\s?$"
)
_LABEL_ENDS: Final = frozenset("源处處自编編辑輯者文稿图圖字员主人写寫")
"""Characters that labels end with."""

_LABELS_BEHIND: Final = (
    "作者|记者|記者|编辑|編輯|责任编辑|責任編輯|责编|责任|来源|來源|稿源|时间|時間|日期|发布|發布|發佈|发表|發表|点击|點擊|浏览|瀏覽|"
    "阅读|閱讀|字号|字體|字体|评论|評論|点赞|收藏|关键|人气|人氣|更新|我要|次数|摄影|攝影|打印|分享|参与|參與|网友|網友|已有|暂无|我有话|文字大小|字型|推荐|訂閱|订阅|转载"
)
_NO_LABEL: Final = "(?!(?:发布|發布|阅读|閱讀|时间|時間)(?:[\\s)）】，,。]|[(（]\\D|$))"
"""Words that names of media end with: 上海发布."""

_REPORTER: Final = "(?:(?:本报|本報|本网|新华社)?(?:实习|见习|特约|首席)?[记記]者 ?)?"
_NAME_CHAR: Final = r"[^\n：:|｜丨│，,。；;？！?!()（）\[\]【】<>《》=\"]"
_NAME: Final = re.compile(
    rf"[ (（\[【《「]{{0,4}}{_REPORTER}(?P<name>{_NAME_CHAR}{{2,40}}?)"
    rf"(?=\s(?:{_LABELS_BEHIND})|{_NO_LABEL}(?:{_LABELS_BEHIND})"
    r"|\s?(?:19|20)\d\d[-/.年]|\s?\d\d?[-:]\d\d|[\n：:"
    rf"|｜丨│，,。；;()（）\[\]【】<>《》]|$)"
)
_NAME_BELOW: Final = re.compile(
    rf"[ (（\[【《「]{{0,2}}\n[ \n(（\[【《「]{{0,3}}{_REPORTER}(?P<name>{_NAME_CHAR}{{2,40}}?)"
    rf"(?=\s?(?:{_LABELS_BEHIND})[：:]|\s(?:19|20)\d\d[-/.年]|\s?[)）\]】》]?\s?(?:\n|$))"
)
"""A name on the line below its label: it is all of that line, or a date or label follows it.

Where nobody filled in a name there the first words of the article stand.
"""

_BAR: Final = re.compile("[|｜丨│]")
_BAR_LABEL: Final = re.compile(
    r"(?:^|[\s(（【\[])(?:(?P<source>来\s?源|來\s?源)|(?P<editor>编\s?辑|編\s?輯|责编|責編|责任编辑|責任編輯)"
    r"|(?P<author>作\s?者|撰文|撰稿|采写|採寫|记\s?者|記\s?者|文))\s?$"
)
_BAR_NAME: Final = re.compile(rf"\s?(?P<name>{_NAME_CHAR}{{2,40}})(?P<behind>[：:|｜丨│]?)")
_NO_BAR_NAME: Final = re.compile(
    "删除|刪除|回复|回覆|举报|舉報|修改|查看|返回|打印|收藏|分享|关闭|引用|评论|評論|发布|更多|图片|圖片|视频|影片"
    "|摄影|攝影|时间|日期|全文|原文|登录|注册|联系|关于|首页|关注|文章"
)
_NO_NAME: Final = re.compile(
    r"(?:编辑|編輯|作者|记者|記者|出处|来源|财经|未知|佚名|不详|不詳|匿名|admin|administrator"
    r"|管理员|管理員|网络|網絡|網路|互联网|本站|本站原创|原创|转载|無|无|"
    r"本报讯|本報訊|本网讯|近日|日前|null|none|undefined|n/?a|[\W\d_]*)$",
    re.IGNORECASE,
)
_OWN: Final = ("本站", "原创")
_ORGANIZATION: Final = re.compile(
    r"(?:网|網|报|報|社|公司|中心|频道|頻道|编辑部|編輯部|工作室|集团|新闻|新聞|财经|局|\.com|\.cn"
    r"|\.net|\.org|news|times|staff|"
    r"editors?|team)\s*$|https?://|www\.|@",
    re.IGNORECASE,
)
_HAN: Final = re.compile("[\u4e00-\u9fff]")
_HAN_ONLY: Final = re.compile("[\u4e00-\u9fff\\d]+")
_MAX_PEOPLE_CHARS: Final = 16
_MAX_PERSON_CHARS: Final = 6
_MAX_CHINESE_CHARS: Final = 4
_WORD_CHARS: Final = 2
_HANDED_IN: Final = "供稿"
_OFFICES: Final = tuple("院部处室系科会局站办校")
_REPORTED_FROM: Final = re.compile("[／/╱][\u4e00-\u9fff]{0,8}(?:报道|報導|[电電])$")
_RUN_IN_CHARS: Final = 7
"""Names of so many characters are names with the text that follows run into them."""

_TEXT_BEGINS: Final = re.compile(
    r"近日|日前|今天|今日|昨天|昨日|本报|本報|本网|记者|記者|近年|随着|隨著|据|據|目前|当前|為了"
    r"|为了|我们|我們|编者|文章|前言|导读|导语|摘要"
    r"|正文|在|从|從|是|自|这|這|图|圖|摄|攝|提要|第[一二三1-9]|20\d\d|19\d\d"
)
_COMPOUND: Final = (
    *(
        "欧阳",
        "歐陽",
        "司马",
        "司馬",
        "诸葛",
        "諸葛",
        "上官",
        "司徒",
        "东方",
        "東方",
        "皇甫",
        "尉迟",
    ),
    *("慕容", "令狐", "公孙", "公孫", "夏侯", "长孙", "宇文", "轩辕", "端木", "南宫", "独孤"),
)
_PART_END: Final = re.compile("[_（(|｜]")
_EDGES: Final = " \t|｜-—·,，.。:：;；[]()（）【】《》“”\"'"


class People:
    """What labels near the headline name; "" where there is no label.

    Attributes:
        source: medium.
        author: author or reporter.
        editor: editor.
    """

    __slots__ = ("author", "editor", "source")

    def __init__(self, source: str = "", author: str = "", editor: str = "") -> None:
        self.source = source
        self.author = author
        self.editor = editor


def people_of(text: str, first: int, last: int, near: int | None = None) -> People:
    """Read the labels of a slice of a text; of equal labels the first counts.

    Args:
        text: lines.
        first: first character.
        last: one past the last character.
        near: labels that stand shortly behind this character go before all others, and so does
            an author named there without a label.
    """
    people: dict[str, str] = {}
    labels = [*_labeled(text, first, last), *_barred(text, first, last)]
    if near is not None:
        for kind, name, place in labels:
            if near <= place < near + CHARS_NEAR:
                people.setdefault(kind, name)
        if "author" not in people and (author := author_in(text, near, near + CHARS_NEAR)):
            people["author"] = author
    for kind, name, _ in labels:
        people.setdefault(kind, name)
    return People(**people)


def _labeled(text: str, first: int, last: int) -> Iterator[tuple[str, str, int]]:
    for count, colon in enumerate(_COLON.finditer(text, first, last)):
        start = colon.start()
        before = text[max(start - _MAX_LABEL_CHARS, 0) : start]
        label = _LABEL.search(before) if before.rstrip()[-1:] in _LABEL_ENDS else None
        name = _name_at(text, colon.end()) if label else None
        if label and label.lastgroup and name:
            value = _name(label.lastgroup, name["name"])
            is_own = label.lastgroup == "source" and value.startswith(_OWN)
            is_name = is_own or not _NO_NAME.match(value)
            # What an office hands in is not told from a person otherwise.
            is_name &= not label[0].endswith(_HANDED_IN) or _is_chinese_name(value)
            if len(value) > 1 and is_name:
                yield label.lastgroup, value, start
        if count >= _MAX_COLONS:
            return


def _name_at(text: str, place: int) -> re.Match[str] | None:
    return _NAME.match(text, place) or _NAME_BELOW.match(text, place)


def _barred(text: str, first: int, last: int) -> Iterator[tuple[str, str, int]]:
    """Labels with a bar for a colon: ``文 | 王小明``; a bar more makes it a list of links."""
    for count, bar in enumerate(_BAR.finditer(text, first, last)):
        start = bar.start()
        before = text[max(start - _MAX_LABEL_CHARS, 0) : start]
        label = _BAR_LABEL.search(before) if before.rstrip()[-1:] in _LABEL_ENDS else None
        match = _BAR_NAME.match(text, bar.end()) if label else None
        if label and label.lastgroup and match:
            name = match["name"].strip()
            # Before one more bar or colon stands the next label.
            name = name.rpartition(" ")[0] if match["behind"] else name
            name = _name(label.lastgroup, name)
            is_name = len(name) > 1 and not (_NO_NAME.match(name) or _NO_BAR_NAME.search(name))
            if is_name and (label.lastgroup == "source" or _may_be_person(name)):
                yield label.lastgroup, name, start
        if count >= _MAX_COLONS:
            return


def _may_be_person(name: str) -> bool:
    """Whether a name is as short as those of people are, and no word of two characters."""
    words = re.split("[、 ]", name)
    if not _HAN.search(name):
        return True
    is_word = len(words[0]) == _WORD_CHARS and words[0][0] not in FAMILY_NAMES
    return not is_word and max(map(len, words)) <= _MAX_PERSON_CHARS


def _is_chinese_name(name: str) -> bool:
    first = re.split("[、 ]", name)[0]
    is_family_name = first[:1] in FAMILY_NAMES or first.startswith(_COMPOUND)
    return is_family_name and len(first) <= _MAX_CHINESE_CHARS and not first.endswith(_OFFICES)


def _name(kind: str, text: str) -> str:
    """The name without what follows it; "" if it cannot be one.

    Western names have spaces in them, Chinese ones only between two people.
    """
    text = text.strip(_EDGES)
    if not _HAN.search(text):
        return text
    text = people_only(text) if kind == "author" else text.partition(" ")[0]
    text = text if kind == "source" else _REPORTED_FROM.sub("", text)
    text = text if kind == "source" else _without_text(text)
    return "" if kind != "source" and len(text) > _MAX_PEOPLE_CHARS else text


def _without_text(name: str) -> str:
    """A Chinese name without the text that runs into it; "" if where it ends cannot be told."""
    if len(name) < 4 or not _HAN_ONLY.fullmatch(name):
        return name
    least = 3 if name.startswith(_COMPOUND) else 2
    begins = _TEXT_BEGINS.search(name, least)
    if begins and begins.start() <= least + 2 and name[0] in FAMILY_NAMES:
        return name[: begins.start()]
    if len(name) < _RUN_IN_CHARS:
        return name
    is_named = name.startswith(_COMPOUND) or name[0] in FAMILY_NAMES
    return name[: least + 1] if is_named else ""


def is_person(name: str) -> bool:
    """Whether a declared author may be a person: no placeholder, site, address or company."""
    first = _PART_END.split(name)[0].strip()
    return bool(first) and not _NO_NAME.match(first) and not _ORGANIZATION.search(first)
