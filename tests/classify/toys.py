"""Pages of two topics on several sites, each site with its own frame."""

import random

TOPICS = {
    "finance": [
        "股票",
        "基金",
        "债券",
        "银行",
        "利率",
        "投资",
        "市场",
        "收益",
        "上涨",
        "下跌",
        "交易",
        "证券",
    ],
    "sports": [
        "足球",
        "篮球",
        "比赛",
        "球队",
        "冠军",
        "教练",
        "进球",
        "决赛",
        "球员",
        "训练",
        "联赛",
        "得分",
    ],
}
FRAMES = {
    "a.cn": "首页 登录 注册 股票 基金 债券 银行",
    "b.cn": "导航 频道 足球 篮球 比赛 球队 冠军",
    "c.cn": "关于 联系 股票 足球 广告 招聘",
    "d.cn": "地图 帮助 教练 投资 版权",
}


def page(topic, site, number, n_words=120):
    dice = random.Random(f"{topic}{site}{number}")
    words = dice.choices(TOPICS[topic], k=n_words)
    lines = ["".join(words[k : k + 12]) + "。" for k in range(0, n_words, 12)]
    text = "".join(f"<p>{line}</p>" for line in lines)
    links = "".join(f"<li><a href='/{k}'>{word}</a></li>" for k, word in
                    enumerate(FRAMES[site].split()))  # fmt: skip
    return (
        f"<html><head><title>文章{number}</title></head><body><ul>{links}</ul>"
        f"<div id='main'><h1>文章{number}</h1>{text}</div><div>版权所有</div></body></html>"
    )


def records(per_site=6):
    return [
        {"label": topic, "url": f"http://{site}/{topic}/{number}.html",
         "html": page(topic, site, number)}
        for site in FRAMES
        for topic in TOPICS
        for number in range(per_site)
    ]  # fmt: skip
