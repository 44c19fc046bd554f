"""Lines that reposting adds: source, editor, disclaimer.

Whoever reposts an article names where it came from and who edited it, and says that the views are
the author's. Such lines change the length and, if they hold a full stop, the codes of a text. They
stand at its beginning or end and are short, so only some lines there are looked at.
"""

from __future__ import annotations

import re
from typing import Final

_BEFORE_COLON: Final = (
    # where it comes from
    r"(?:本文|文章|稿件|新闻|新聞|信息|内容|消息|资料|图片|原文|图文|文字)?"
    r"(?:来源|來源|转自|轉自|转载自|摘自|出处|出處|供稿|供图|选自|载自)(?:于|於|自)?|"
    # who made it
    r"(?:责任|責任|本文|值班|实习|本期|网络|网站|执行|新媒体)?(?:编辑|編輯|主编)|责编|責編|"
    r"(?:本报|实习|特约|本网|见习|通讯)?(?:作者|记者|記者|通讯员|实习生|撰文|撰稿|摄影|编译|校对|审核|"
    r"监制|排版|翻译|译者|策划|统筹)|[文图]|"
    # what it is filed under
    r"原标题|原題|原题|关键词|关键字|标签|发布时间|發佈時間|发表时间|更新时间|发稿时间|时间|日期|"
    r"浏览次数|浏览|点击数|点击|阅读|"
    # what its publisher is not liable for
    r"免责声明|免責聲明|(?:版权|特别|郑重|本站|本网|严正|转载)?声明|(?:版權)?聲明|风险提示|温馨提示|"
    r"注明|附注|特别提醒"
)
_OPENING: Final = re.compile(
    rf"[\s　【\[（(※*·—-]*(?:(?:{_BEFORE_COLON})[\s　】\]]*[:：/／|]"
    r"|(?:本文|文章|稿件)(?:转自|轉自|转载自|摘自|来自|选自|原载|刊于)"
    r"|(?:转自|轉自|转载自|摘自)[^。]{1,30}$"
    r"|转载请|轉載請|如需转载|欢迎转载|版权所有|版权归|更多精彩|扫描二维码|返回(?:首页|列表|顶部)"
    r"|上一[篇页][:：]|下一[篇页][:：]|分享到|推荐阅读|相关阅读|相关新闻|延伸阅读)"
)
_ANYWHERE: Final = re.compile(
    r"(?:仅|僅|不|并不|只)代表(?:作者|本人|原作者|本站|本网|本報|本报|编辑|平台|个人)"
    r"|未经[^。]{0,12}(?:授权|许可|同意|允许)"
    r"|(?:转载|轉載|刊载|登载)(?:此文|本文|的?目的)[^。]{0,30}(?:传递|傳遞|信息)"
    r"|(?:侵权|侵犯|版权|知识产权)[^。]{0,30}(?:联系|聯繫|删除|刪除|告知|处理)"
    r"|(?:真实性|准确性|完整性)[^。]{0,30}(?:保证|承诺|负责|证实)"
    r"|不构成[^。]{0,12}建议"
    r"|^.{0,40}(?:供图|摄影报道|资料图片?)[。.]?[)）]?$"
)
_WORDS: Final = ("代表", "未经", "转载", "轉載", "侵", "版权", "性", "不构成", "图", "载")
"""One of these is in every line that the expression above finds; looking for them is cheaper."""

_CREDITS: Final = re.compile(
    r"[\s　]*[（(【\[][^（）()【】\[\]]{0,12}"
    r"(?:编辑|編輯|责编|責編|来源|來源|记者|記者|作者|供稿|通讯员|摄影|[文图][/／])"
    r"[^（）()【】\[\]]{0,40}[）)】\]][\s　]*$"
)

_LINES: Final = 6
_OPENING_CHARS: Final = 60
_LINE_CHARS: Final = 200
_CREDITS_CHARS: Final = 80


def without_reposting_lines(text: str) -> str:
    r"""Take lines that name source or editor, and disclaimers, from beginning and end.

    Credits in brackets at the end of a line go without their line. If nothing would be left, the
    text stays as it is.

    >>> without_reposting_lines("来源：新华网\n正文第一句。正文第二句。（责任编辑：王芳）")
    '正文第一句。正文第二句。'

    Args:
        text: content of a page, with its line ends.
    """
    lines = text.split("\n")
    changed = False
    for at in _edges(lines):
        line = lines[at]
        rest = _kept(line)
        if rest is not line:
            lines[at] = rest
            changed = True
    if not changed:
        return text
    return "\n".join(line for line in lines if line) or text


def _edges(lines: list[str]) -> list[int]:
    """Places of the first and last lines that hold something."""
    n_lines = len(lines)
    if n_lines <= 2 * _LINES:
        return [at for at in range(n_lines) if lines[at]]
    places: list[int] = []
    for order in (range(n_lines), range(n_lines - 1, -1, -1)):
        most = len(places) + _LINES
        for at in order:
            if lines[at]:
                places.append(at)
                if len(places) == most:
                    break
    return list(dict.fromkeys(places))  # the ends may overlap


def _kept(line: str) -> str:
    """What of a line is the article's own; the very same string if all of it is."""
    n_chars = len(line)
    if n_chars <= _OPENING_CHARS and _OPENING.match(line):
        return ""
    if n_chars <= _LINE_CHARS and any(word in line for word in _WORDS) and _ANYWHERE.search(line):
        return ""
    if line[-1] in "）)】] 　":
        credits_match = _CREDITS.search(line, max(0, n_chars - _CREDITS_CHARS))
        if credits_match is not None:
            return line[: credits_match.start()]
    return line
