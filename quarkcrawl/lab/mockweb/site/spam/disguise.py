"""How spam is written so that word lists miss it: other forms, signs inside words, odd letters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from quarkcrawl.lab.mockweb.site.traditional import TO_TRADITIONAL

if TYPE_CHECKING:
    from quarkcrawl.lab.mockweb.dice import Dice


_MORE_PAIRS: Final = """
赌賭 门門 戏戲 场場 贷貸 额額 钱錢 还還 审審 账賬 药藥 壮壯 阳陽 贵貴 丝絲 妇婦 频頻 码碼
网網 线線 乐樂 轮輪 盘盤 机機 费費 续續 务務 级級 号號 现現 赠贈 领領 户戶 绑綁 发發 会會
龙龍 国國 韩韓 亚亞 欧歐 无無 伦倫 摄攝 电電 写寫 学學 约約 楼樓 东東 联聯 询詢 请請 进進
马馬 载載 赶趕 点點 击擊 强強 剂劑 喷噴 胶膠 话話 两兩 时時 见見 复復 贴貼 优優 买買 卖賣
单單 货貨 价價 银銀 征徵 证證 财財 汇匯 达達 来來 测測 试試 过過 万萬 个個 为為 这這 们們
后後 头頭 体體
"""
_TABLE: Final = TO_TRADITIONAL | {ord(pair[0]): pair[1] for pair in _MORE_PAIRS.split()}
_SIGNS: Final = (" ", ".", "·", "-", "*", "|", "_", "☆", "•")
_LEET: Final = {"a": "@4", "e": "3", "i": "1", "o": "0", "s": "5$"}


def traditional(text: str) -> str:
    """The text in traditional characters."""
    return text.translate(_TABLE)


def wide(text: str) -> str:
    """Digits and letters in their full-width forms."""
    return "".join(chr(ord(char) + 0xFEE0) if "!" < char <= "~" else char for char in text)


def split_up(dice: Dice, text: str, share: float) -> str:
    """Signs between some characters, the same one throughout."""
    sign = dice.pick(_SIGNS)
    chars = []
    for char, following in zip(text, [*text[1:], ""], strict=True):
        chars.append(char)
        both = "\u4e00" <= char <= "\u9fff" and "\u4e00" <= following <= "\u9fff"
        if both and dice.chance(share):
            chars.append(sign)
    return "".join(chars)


def leet(dice: Dice, text: str, share: float) -> str:
    """Digits and signs in place of some letters; what stands in front of digits stays."""
    words = []
    for word in text.split(" "):
        if word.isalpha() and len(word) > 3 and dice.chance(share):
            at = dice.between(1, len(word) - 1)
            word = word[:at] + dice.pick(_LEET.get(word[at], word[at])) + word[at + 1 :]  # noqa: PLW2901
        words.append(word)
    return " ".join(words)
