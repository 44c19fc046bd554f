"""Words that posts are headed and ended by: dates, floors, buttons, notices of edits."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

DATE_TEXT: Final = re.compile(
    r"(?=[\d昨前刚])(?:(?<!\d)(?:19|20)\d\d\s?[-/.年]\s?\d|\d[-/.]\d\d?[-/.]\d\d"
    r"|\d月\s?\d\d?\s?[日号號]|(?<![\d:])\d\d?:\d\d(?![\d:]{0,3}\d{3})"
    r"|\d\.?\s(?:de\s)?(?:jan|feb|fév|m[aä]r|a[pv]r|ma[iy]|jun|jui|jul|aug|ao[uû]|sep|o[ck]t|nov"
    r"|d[eéi][czc])[a-z]{0,6}\.?\b"
    r"|\d\s?(?:秒|分钟|分鐘|小时|小時|天|日|周|週|个?月|個?月|年)之?前|昨天|前天|刚刚)"
    r"|(?=[jfmasondytghvi])\b"
    r"(?:(?:jan|feb|m[aä]r|apr|ma[iy]|jun|jul|aug|sep|o[ck]t|nov|de[cz])[a-z]{0,6}\.?,?\s\d"
    r"|ago\b|yesterday\b|today\b|gestern\b|heute\b|hier\b|vor\s\d|il y a\s\d|hace\s\d)",
    re.IGNORECASE,
)
"""A date, a time of day, or how long ago something was."""

FLOOR_TEXT: Final = re.compile(
    r"\W{0,2}(?:#|no\.?|nr\.?|post\s?#?|beitrag\s?#?|message\s?#?)?\s?\d{1,6}\W{0,2}$"
    r"|第?\s?\d{1,5}\s?[#楼樓層层F]$|(?:楼主|樓主|沙发|沙發|板凳|地板|#\d{1,6}.{0,12})$",
    re.IGNORECASE,
)
"""A line that numbers a post."""

ACTION_TEXT: Final = re.compile(
    r"\W{0,3}(?=[rqlspfemazgctdobknоцпжαπ回引举檢赞讚顶踩支反评点收分编删只亮发表])"
    r"(?:repl(?:y|ies)|quote|report(?: this)?(?: post| abuse| comment)?|like[sd]?|share|permalink"
    r"|flag|edit|multi-?quote|reply with quote|antworten|zitieren|zitat|melden|gefällt mir"
    r"|répondre(?: en citant(?: le message)?)?|antworten mit zitat"
    r"|citer|signaler|responder|citar|top|delete|odpowiedz|cytuj|zgłoś(?: post)?"
    r"|odpovědět|reagovat|citovat|nahlásit|balas|kutip|laporkan|ответить|цитировать|цитата"
    r"|пожаловаться|жалоба|απάντηση|παράθεση|αναφορά|回复|回覆|回應|回复此?楼.{0,6}|引用|举报"
    r"|檢舉|举报此?楼|赞|讚|顶|踩|支持|反对|评论|点评|收藏|分享|编辑|删除|只看该?作者|亮了?"
    r"|发?表?回复|回帖)(?:\W{0,3}|[\s(（]{0,2}\d{1,6}[)）]?)$",
    re.IGNORECASE,
)
"""A line that is a button of a post."""

_HEAD_TEXT: Final = re.compile(
    r".{1,40}\b(?:says?|said|wrote|writes|posted|schrieb|schreibt|a écrit|escribió|dijo)\b.{0,24}$"
    r"|.{1,30}(?:说|說|写道|發表於|发表于|发表的).{0,3}[:：].{0,24}$|引用.{1,40}[:：]$"
    r"|.{1,60}在 ?ta ?的帖子中提到[:：]$|\W{0,2}(?:says?|said|wrote|schrieb|dijo|说|說)\W{0,3}$"
    r"|.{1,80}\.\w{2,4}\s?[(（][\d.,]{1,9}\s?[KMG]?B.{0,40}$",
    re.IGNORECASE,
)
"""A line that says who wrote what follows, or names a file."""

_HEAD_SIGN: Final = re.compile(
    r"(?=[(（swpceéd说說写發发引提])(?:[(（]|sa(?:ys?|id)|wr(?:ote|ites)|posted|schr(?:ieb|eibt)|écrit"
    r"|escribió|dijo|说|說|写道|[發发]表|引用|提到)",
    re.IGNORECASE,
)
"""What each such line holds: most are told apart sooner by it."""

EDIT_TEXT: Final = re.compile(
    r"\W{0,3}(?=[本lezdtpmú此帖发來来svck下保如登您你点\d])"
    r"(?:本(?:帖|主题|主題|回复|文)(?:最后|最後)?由|本帖.{0,20}编辑|last edited"
    r"|edited (?:by|on|at|\d)|zuletzt (?:bearbeitet|geändert|editiert)|dernière modification"
    r"|(?:the )?(?:post|message) (?:was|has been) (?:edited|modified)|modified |editado"
    r"|última edición|edit(?:iert)? (?:von|durch|am)|此?帖.{0,8}(?:已|被).{0,12}(?:编辑|修改)"
    r"|发自|來自.{2,20}手機|来自.{2,20}(?:客户端|手机)|sent from my |via .{1,30} app"
    r"|click to expand|klicke in dieses feld"
    r"|下载(?:附件|次数)|保存到(?:相册|相冊)|登录(?:/注册)?后可(?:看大图|下载)|[您你]需要登[录錄]才可以"
    r"|点击文件名下载附件|如果无法播放，请点击|本帖子中包含更多资源"
    r"|\d{4}-\d\d?-\d\d? \d\d?:\d\d 上[传傳])",
    re.IGNORECASE,
)
"""What a board adds to a post: who changed it, from which telephone it was sent, how to get at
files."""

_NAME_TEXT: Final = re.compile(
    r"(?=(?:.*?[^\W\d_]){2})(?!\d[\d.]*\s|.*\s[\d.]+$)[\w@][\w .·@'’-]{1,19}(?<!\.)$"
)
"""Two letters or more, no punctuation of sentences, no number with what it counts."""

_NO_NAME: Final = re.compile(
    r"(?:\W|作者|楼主|樓主|发表|發表|发布|發佈|发帖|注册|註冊|登录|登錄|消息|时间|時間|日期|于|於|人"
    r"|(?:星期|周|週)[一二三四五六日天]|\b(?:posted|written|repl(?:y|ied)|joined|published|updated"
    r"|log ?in|sign (?:in|up)|register|subscribe|member ?list|members?|anmelden|registrieren"
    r"|date|author|comment(?:ed)?|by|on|at|to|von|par|por|am|le|(?:sun|mon|tues|wednes|thurs|fri|satur)day|montag|dienstag|mittwoch|donnerstag|freitag"
    r"|samstag|sonnabend|sonntag|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|lunes|martes"
    r"|mi[eé]rcoles|jueves|viernes|s[aá]bado|doming[oa]|(?:segunda|terça|quarta|quinta|sexta)-feira"
    r"|(?:lune|marte|mercole|giove|vener)dì|poniedziałek|wtorek|środa|czwartek|piątek|sobota"
    r"|niedziela|pondělí|úterý|středa|čtvrtek|pátek|neděle|понедельник|вторник|среда|четверг"
    r"|пятница|суббота|воскресенье|δευτέρα|τρίτη|τετάρτη|πέμπτη|παρασκευή|σάββατο|κυριακή"
    r"|senin|selasa|rabu|kamis|jumat|sabtu|minggu)\b)+$",
    re.IGNORECASE,
)
"""What stands before a name or a date, the day of the week included."""

_BARE_DATE: Final = re.compile(
    r"(?:posted|on|发表于|發表於|发布于|發佈於|发表时间|发布时间)?\s?[:：]?\s?[\d\s./:年月日号號时時分秒-]{6,25}$",
    re.IGNORECASE,
)
"""A line that is a date and nothing else."""

_REPEATED_SUBJECT: Final = re.compile(
    r"(?:re|aw|sv|antw|回复|回覆|答复)\s?[:：]\s?\S", re.IGNORECASE
)
"""A first line that repeats the subject of the thread."""

MAX_NAME_RUNS: Final = 3
"""One of so many first texts of a post may be the name of who wrote it; the date follows, as the
next one at the latest."""

MAX_EDIT_CHARS: Final = 140
_MAX_LABEL_CHARS: Final = 60
_MAX_BUTTON_CHARS: Final = 40
_MAX_DATE_CHARS, _MIN_DATE_DIGITS = 30, 4
_BYLINE_LINES: Final = 2
_HEAD_LINES: Final = 5


def is_label(line: str) -> bool:
    """Whether a line is a button or number of a post."""
    is_short = len(line) < _MAX_BUTTON_CHARS
    return is_short and bool(ACTION_TEXT.match(line) or FLOOR_TEXT.match(line))


def is_no_name(line: str) -> bool:
    """Whether a line is what stands before a name or a date: a label, the day of the week."""
    return _NO_NAME.match(line) is not None


def may_be_name(line: str) -> bool:
    """Whether a line may be the name of who wrote what follows."""
    return _NAME_TEXT.match(line) is not None and not (is_label(line) or is_no_name(line))


def is_byline(lines: Sequence[str]) -> bool:
    """Whether the first two lines may be a name and a date, and more follow.

    A line with a time, an address of the internet or a version passes for a date, too.
    """
    if len(lines) <= _BYLINE_LINES or len(lines[1]) > _MAX_DATE_CHARS:
        return False
    has_digits = sum(map(str.isdigit, lines[1])) >= _MIN_DATE_DIGITS
    return has_digits and DATE_TEXT.search(lines[1]) is not None and may_be_name(lines[0])


def is_head(line: str) -> bool:
    """Whether a line says who wrote what follows, or names a file."""
    return _HEAD_SIGN.search(line) is not None and _HEAD_TEXT.match(line) is not None


def is_header(line: str) -> bool:
    """Whether a line stands above a text: its number, buttons, date, or who wrote it."""
    return len(line) < _MAX_LABEL_CHARS and bool(
        is_label(line)
        or is_head(line)
        or (len(line) < _MAX_BUTTON_CHARS and DATE_TEXT.search(line))
    )


def text_lines(lines: list[str], *, has_header: bool) -> list[bool]:
    """Which lines of a post are its text.

    Args:
        lines: one after the other, white space folded.
        has_header: whether header and buttons may stand anywhere among them; else they are sought
            at the start and at the end.
    """
    start = 0
    for place, line in enumerate(lines[:_HEAD_LINES], 1):
        is_subject = place == 1 and len(lines) > 1 and _REPEATED_SUBJECT.match(line)
        if is_subject or (is_header(line) and (has_header or start == place - 1)):
            start = place
    if start >= len(lines):  # the last line may hold a date, or words with a colon, as others do
        start = int(len(lines) > 1 and _BARE_DATE.match(lines[0]) is not None)
    end = len(lines)
    while end > start and len(lines[end - 1]) < _MAX_BUTTON_CHARS:
        if not ACTION_TEXT.match(lines[end - 1]):
            break
        end -= 1
    n_heads = 0 if has_header else min(_HEAD_LINES, len(lines) - 1)  # the last heads nothing
    return [
        start <= place < end
        and not (len(line) < MAX_EDIT_CHARS and EDIT_TEXT.match(line))
        and not (is_header(line) if has_header else place < n_heads and is_head(line))
        for place, line in enumerate(lines)
    ]
