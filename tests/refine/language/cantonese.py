"""Cantonese and Mandarin texts of our own, composed from patterns."""

from __future__ import annotations

import random

_WHO = [
    "我",
    "你",
    "佢",
    "我哋",
    "佢哋",
    "阿媽",
    "老細",
    "嗰個後生仔",
    "隔籬屋嘅阿婆",
    "我個仔",
    "班同學",
    "個司機",
]
_PLACES = [
    "茶餐廳",
    "旺角",
    "屋企",
    "學校",
    "公司",
    "醫院",
    "碼頭",
    "街市",
    "戲院",
    "巴士站",
    "圖書館",
    "海邊",
]
_THINGS = [
    "奶茶",
    "報紙",
    "鞋",
    "電話",
    "雨遮",
    "單車",
    "相機",
    "飛",
    "叉燒飯",
    "書",
    "眼鏡",
    "生果",
]
_TIMES = ["尋日", "今朝", "琴晚", "下晝", "放學之後", "禮拜六", "落雨嗰陣", "收工嗰時"]
_PATTERNS = (
    "{when}{who}喺{place}買咗一份{thing}，跟住就返屋企。",
    "{who}話{place}啲{thing}好貴，唔抵食。",
    "點解{who}冇帶{thing}嚟{place}呀？",
    "{who}成日都唔記得{thing}擺咗喺邊度。",
    "嗰度人好多，{who}企咗成個鐘先至入到{place}。",
    "{when}{who}同我講，{place}執咗笠，冇得再去喇。",
    "你睇下{who}，攞住{thing}行嚟行去，唔知做乜嘢。",
    "{who}諗住{when}去{place}，不過搵唔到人陪。",
    "呢件{thing}係{who}俾我嘅，我好鍾意。",
    "{who}嘅{thing}壞咗，要去{place}整返好佢。",
)


def cantonese(seed: int) -> str:
    """A text of some sentences."""
    chance = random.Random(seed)
    choose = chance.choice
    return "".join(
        choose(_PATTERNS).format(
            who=choose(_WHO), place=choose(_PLACES), thing=choose(_THINGS), when=choose(_TIMES)
        )
        for _ in range(chance.randint(3, 9))
    )
