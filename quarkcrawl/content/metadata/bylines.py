"""Names as bylines and declarations write them: what is cut off, what cannot be a name.

``Written by Jane Doe and John Roe | March 5, 2012`` names two people; ``Read more`` names nobody.
"""

from __future__ import annotations

import html
import re
from typing import Final

MAX_CHARS: Final = 160
"""Longer texts are no bylines."""

_MAX_NAME_CHARS: Final = 50
_MAX_WORDS: Final = 6
_MAX_NAMES: Final = 8
_TAG: Final = re.compile(r"<[^<>]{0,200}>")
_BY_WORD: Final = r"(?:by|von|vom|par|por|przez|av|door)"
_DONE: Final = (
    r"(?:(?:story|words|text|article|review|report|photos?|post|guest post|posted|published|written"
    r"|created|submitted|started|asked|authored|contributed|reported|shared|geschrieben|verfasst"
    r"|erstellt|veröffentlicht|gepostet|ein beitrag|ein gastbeitrag|ein kommentar|ein artikel"
    r"|publié|écrit|rédigé|escrito|publicado|redactado|scritto|pubblicato|napisane|thread starter"
    r"|discussion started|original poster|originally posted|this article was written)\s+){1,2}"
)
_LABEL: Final = re.compile(
    rf"(?:(?:{_DONE})?\b{_BY_WORD}\b(?:\s+our|\s+unserem?|\s+unserer)?\s*[:：]?\s*"
    r"|(?:article\s|post\s|page\s|blog\s)?(?:authors?|autor(?:/?in|en|es|a)?|autor:in|auteurs?"
    r"|autore"
    r"|writer|verfasser(?:in)?|text|words|story|redakteur(?:in)?|redaktion|written|reporter"
    r"|interview"
    r"|contributors?|creator|posted|published|作\s?者|撰文|文|记者|記者|di|da)\s*[:：∶]\s*"
    r"|(?:作\s?者|(?:(?:本[报報]|本[网網])?(?:[实實][习習]|[见見][习習]|特[约約]|首席)?[记記]者)|通[讯訊][员員])\s+|文\s?[/／]\s?|(?:[Dd]i|da|af)\s(?=[A-Z])|[-–—|·•@,:*\"“„»]+\s*)",
    re.IGNORECASE,
)
_ONLY_LABEL: Final = re.compile(
    rf"(?:(?:{_DONE})?{_BY_WORD}?|(?:the\s)?authors?|autor(?:in|en)?|auteurs?|written|posted|from"
    rf"|text|words|作者|文|di)"
    r"\s*[:：]?",
    re.IGNORECASE,
)
_MONTH: Final = (
    r"(?:jan|feb|mar|mär|apr|may|mai|jun|jul|aug|sep|oct|okt|nov|dec|dez)[a-zäé]{0,7}\.?"
)
_PARTICLE: Final = r"(?:van|von|de|del|della|der|den|di|da|do|dos|du|la|le|bin|al|ten|ter|zu|zum)"
_HAN_LABEL: Final = (
    r"(?:来源|來源|编辑|編輯|责编|責編|时间|時間|日期|发布|發布|發佈|发表|發表|点击|點擊|浏览"
    r"|瀏覽|阅读|閱讀|更新|摄影|攝影|评论|評論)"
)
"""Pen names may end with such a word (十点阅读), so it needs a sign before or behind it."""

_JOB: Final = (
    r"(?:editor|writer|reporter|correspondent|contributor|columnist|journalist|author|ceo|cto|cmo"
    r"|founder|co-founder|director|manager|president|redakteur(?:in)?|redaktion|professor)"
)
_TAIL: Final = re.compile(
    r"\s*(?:"
    r"[|·•›»–—\[\n\t→↗▸✓]|\s[-/~]\s|[【《（]|：|:\s"
    rf"|(?-i:\.\s(?=[A-Z][a-z]{{2,}}\s(?!{_PARTICLE}\b)[a-z]))"
    r"|[,\s]\s*(?:published|posted|updated|last|reviewed|edited|fact|medically|veröffentlicht|stand"
    r"|aktualisiert|publié|publicado|il y a|contributing|follow|view|read|share|show|profile|reply"
    r"|(?-i:[Oo]n|am|le|el|at|in|im|with|für|for|from|is|ist|est|es|was|has|writes|wrote|said|says"
    r"|schreibt|vor|about|via|to|see|hace))(?:\b(?!\.)|$)|\s@"
    rf"|,?\s(?:{_MONTH})\s\d|,?\s\d{{1,2}}(?:st|nd|rd|th)?[.\s]\s?{_MONTH}"
    rf"|[,\s]\s?\d{{1,2}}[./:-]\s?\d"
    r"|[,\s]\s?(?:19|20)\d\d\b|\s\d+\s?(?:min|hour|day|week|month|year|comment|post|repl|h\b|d\b"
    r"|m\b|天|小时|分钟)"
    rf"|(?:^|(?<=\W)){_HAN_LABEL}|{_HAN_LABEL}(?=[于於在]|\s?[：:]|[(（]?\d)"
    r"|\s?[(（]\d{1,4}级|\s(?:楼主|樓主|来自|來自|只看|稿源|回复)"
    r"|,\s(?:(?:senior|staff|chief|lead|associate|assistant|deputy|guest|freelance|managing"
    r"|executive"
    r"|contributing|special|former)\s){0,2}"
    rf"{_JOB}\b"
    r").*",
    re.IGNORECASE | re.DOTALL,
)
_BRACKET_AT_END: Final = re.compile(r"\s*[(（][^()（）]{0,60}[)）]?$")
_AND: Final = re.compile(
    r"\s*(?:[,，、;；]\s*(?:and|und|et|&)\s|[,，、;；]|\s&\s|\s\+\s|\sand\s|\sund\s|\set\s|\sy\s"
    r"|\se\s(?=[A-Z]))\s*"
)
_IS_JOB: Final = re.compile(
    rf"(?:[\w'’&-]+ ){{0,4}}{_JOB}s?(?: (?:at|for|of|in) .*)?", re.IGNORECASE
)
_DEGREE: Final = re.compile(
    r"ph\.?\s?d|d\.?phil|m\.?d|d\.?o|m\.?sc|b\.?sc|ed\.?d|psy\.?d|pharm\.?d|dr\.?ph|ll\.?[bmd]|esq"
    r"|iii?|iv",
    re.IGNORECASE,
)
"""What stands behind a name and a comma and is no second person."""

_OF_PICTURES: Final = re.compile(
    r"fotos?|photos?|photograph(?:y|s)|bild(?:er)?|grafik|video|text|[图圖]|[摄攝]影", re.IGNORECASE
)
"""What begins the credits of others."""

_YOUNGER: Final = re.compile(r"[JS]r\.?", re.IGNORECASE)
_SHORTENED: Final = re.compile(r"\s[JS]r$")
_EDGES: Final = " \t\n\r,，.。:：;；|｜·•-–—_/\\*\"'“”„«»‹›<>[]【】{}@~✍"
_PLACEHOLDER: Final = re.compile(
    r"(?:admin\w{0,3}|administrator|site admin|webmaster|web master|root|user|test|guest|gast"
    r"|anonymous|anonym|unknown|unbekannt"
    r"|no author|author|authors|autor(?:in|en)?|auteur|writer|editor|contributor|staff writer"
    r"|default|super user|superuser"
    r"|null|none|undefined|false|true|n/?a|name|author name|wpadmin|wp-admin|info|support|home"
    r"|blog|news|website"
    r"|follow\b.*|read\b.*|view\b.*|see\b.*|show\b.*|more\b.*|all\b.*posts?.*|about\b.*|über\b.*"
    r"|share\b.*|posts?|articles?|profile?|profil|website"
    r"|comments?|reply|replies|log|log\s?in|tiktok|flipboard|sign\b.*|subscribe\b.*|contact\b.*"
    r"|join\b.*|visit\b.*|click\b.*|learn\b.*|skip\b.*|search\b.*|menu|edit|quote"
    r"|disclosure|disclaimer|mehr\b.*|alle\b.*|zur\b.*|weitere\b.*|published\b.*|updated\b.*"
    r"|posted\b.*|written\b.*|reviewed\b.*|last\b.*"
    r"|e-?mail\b.*|page|[a-z]+(?:\.[a-z_]+){2,}|\{.*|\[.*|%.*|\$.*|编辑|編輯|作者|记者|記者|佚名"
    r"|未知|不详|不詳|匿名|管理员|管理員|本站|网络|網絡|網路|互联网|原创|转载|無|无|楼主|樓主"
    r"|[\W\d_]*)",
    re.IGNORECASE,
)
_ADDRESS: Final = re.compile(r"https?:|www\.|://|@\S+\.\w|^/|facebook|twitter\.com|\.php|\.html")
_NO_NAME_CHARS: Final = re.compile(r"[?!？！。；=#{}<>%|…\\]|\.\.\.|\d{5}")
_DATE: Final = re.compile(
    rf"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?-i:Mon|Tue|Wed|Thu|Fri|Sat|Sun)|(?:mon"
    rf"|diens|donners|frei|sams|sonn)tag|mittwoch"
    rf"|today|yesterday|heute|gestern|{_MONTH}(?:(?<=\.)|\s)\d{{1,4}}(?:st|nd|rd|th)?"
    rf"|\d{{1,2}}\.?\s?{_MONTH})",
    re.IGNORECASE,
)
_INITIALS: Final = re.compile(r"[A-ZÄÖÜ]{2}")
_HAN: Final = re.compile("[\u4e00-\u9fff]")
_MAX_HAN_CHARS: Final = 10
_SENTENCE: Final = re.compile("[的了被]")
"""What readers see and is no name of such a kind as 爱吃鱼的猫 is part of a sentence more often."""

_NO_HAN_NAME: Final = re.compile(
    r"作者|本文|栏目|欄目|责任|責任|责编|文章|观点|觀點|联系|聯繫|来自|來自|稿源|分享"
    r"|更多|评论|評論|正有|服务|服務|资讯|資訊"
    r"|查看|个人|個人|主页|主頁|关注|關注|用户名|用戶名|昵称|登录|登入|注册|註冊|連結|链接"
    r"|\d\s?[年月日人]|[年月]\s?\d|\d日[电電]|组|組"
)
_STATES: Final = ("Offline", "Online")
_LOWER_PARTS_TEXT: Final = """
    de da do dos del della der den di du la le van von v. vom zu zur ten ter el al bin ibn y e
    af av st. the and und et dem of mit dpa
"""
_LOWER_PARTS: Final = frozenset(_LOWER_PARTS_TEXT.split())


_BEFORE_SPACE: Final = """
    By by BY Von von VON Par par Por por Di Door Av Written Posted Words Text Geschrieben Verfasst
    Publié Escrito Scritto Published Submitted Story Author Autor Autorin Auteur
"""
_BEFORE_COLON: Final = """
    Author Authors Autor Autorin Autoren Auteur Text Words Writer Verfasser By Von Interview
    Redakteur Redakteurin Written
"""
_LINE_STARTS: Final = (
    *(f"{word} " for word in _BEFORE_SPACE.split()),
    *(f"{word}{colon}" for word in _BEFORE_COLON.split() for colon in (":", " :")),
)
_LINE_INITIALS: Final = frozenset(start[0] for start in _LINE_STARTS)
_CLEAR_LABEL: Final = re.compile(rf"(?:{_DONE}){_BY_WORD}\b|[\w/ ]{{2,14}}\s?:", re.IGNORECASE)
_CAPITALS: Final = re.compile(
    r"[^\W\d_a-z][\w.'’-]*(?: (?:[^\W\d_a-z][\w.'’-]*|de|la|van|von|der|den|del|di|da|du|v\.|al|el"
    r"|bin|dos)){1,4}"
)


def line_names(line: str) -> list[str]:
    """The names of a line that begins as bylines do, such as ``Von Max Muster``.

    A single word is a name only behind a label that says more than ``by``.
    """
    if line[:1] not in _LINE_INITIALS or len(line) > MAX_CHARS or not line.startswith(_LINE_STARTS):
        return []
    names = names_in(line)
    if not names or names[0] == line or not is_full_name(names[0]):
        is_clear = bool(names) and names[0] != line and _CLEAR_LABEL.match(line) is not None
        return names if is_clear and not names[0].islower() else []
    return names


def is_full_name(name: str) -> bool:
    """Whether a name has two words or more that begin with capitals."""
    return _CAPITALS.fullmatch(name) is not None


def names_in(text: str, *, is_shown: bool = True) -> list[str]:
    """The names that a byline or a declared author holds, without what stands around them.

    Args:
        text: the text, mostly one line.
        is_shown: whether readers see it; then words that begin with small letters, except for a
            single one, speak against a name.
    """
    text = _without_surroundings(text) if len(text) <= MAX_CHARS else ""
    if not text.strip(_EDGES) or _ADDRESS.search(text):
        return []
    people = list[str]()
    for part in _AND.split(text)[:_MAX_NAMES]:
        name = _without_edges(part)
        if people and is_full_name(people[-1]):
            if _YOUNGER.fullmatch(name):
                people[-1] += f" {name.capitalize().rstrip('.')}."
                continue
            if _DEGREE.fullmatch(name):
                continue
            if _IS_JOB.fullmatch(name) or _OF_PICTURES.fullmatch(name):
                break
        if name and not is_name(name, is_shown=is_shown):
            return [] if not is_shown and _HAN.search(text) else people
        if name and name not in people:
            people.append(name)
    return people


def _without_surroundings(text: str) -> str:
    """A byline without markup, labels before the names and what stands behind them."""
    text = html.unescape(text) if "&" in text else text
    text = _TAG.sub(" ", text) if "<" in text else text
    text = " ".join(text.split())
    for _ in range(3):
        label = _LABEL.match(text)
        if label is None or not label.end():
            break
        text = text[label.end() :]
    return _BRACKET_AT_END.sub("", _TAIL.sub("", text, 1)).lstrip(_EDGES)


def _without_edges(part: str) -> str:
    """A name without signs around it, except for the full stop of an abbreviation."""
    name = part.strip(_EDGES)
    return f"{name}." if _SHORTENED.search(name) and f"{name}." in part else name


def is_name(text: str, *, is_shown: bool = True) -> bool:
    """Whether a text may be the name of a person, a pen name or that of a team.

    Args:
        text: the text without labels.
        is_shown: as for `names_in`.
    """
    if not 1 < len(text) <= _MAX_NAME_CHARS or _PLACEHOLDER.fullmatch(text):
        return False
    if _DATE.fullmatch(text) or _INITIALS.fullmatch(text) or text.endswith(_STATES):
        return False
    n_han, words = len(_HAN.findall(text)), text.split()
    is_no_han_name = n_han > _MAX_HAN_CHARS or (n_han > 0 and _NO_HAN_NAME.search(text) is not None)
    is_no_han_name |= is_shown and _SENTENCE.search(text) is not None
    has_letters = any(map(str.isalpha, text))
    if is_no_han_name or not has_letters or len(words) > _MAX_WORDS or _NO_NAME_CHARS.search(text):
        return False
    if len(words) > 1 and is_shown:
        small = [word for word in words if word[0].islower() and word not in _LOWER_PARTS]
        return len(small) == 0 or len(small) == len(words) == 2
    return True


def is_job(text: str) -> bool:
    """Whether a text says what somebody does, such as ``Political correspondent``."""
    return len(text) <= MAX_CHARS and _IS_JOB.match(text) is not None


def is_label(text: str) -> bool:
    """Whether a line is nothing but a label such as ``Written by``."""
    return len(text) < _MAX_NAME_CHARS and _ONLY_LABEL.fullmatch(text) is not None
