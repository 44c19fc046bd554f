"""Other forms of the characters of spam words: traditional ones and usual disguises.

Only what the words of `lexicon.txt` and their like need; it is no converter for Chinese at large.
"""

from __future__ import annotations

from typing import Final

_FORMS: Final = """
赌賭 场場 彩綵 盘盤 牌脾 筹籌 码碼 庄莊 轮輪 扑撲 开開 奖獎 乐樂 机機 时時 娱娛 戏戲 电電
游遊 艺藝 体體 资資 会會 网網 线線 现現 钱錢 龙龍 斗鬥 宝寶 葡匍 阳陽 买買 视視 讯訊 单單
飞飛 艇挺 竞競 输輸 赢贏 发發 财財 户戶 钻鑽 荐薦 级級 员員 区區 国國 产產 亚亞 欧歐 频頻
华華 热熱 无無 裸躶 爱愛 激檄 妇婦 妈媽 丝絲 袜襪 乱亂 伦倫 诱誘 惑惑 萝蘿 强強 约約 楼樓
门門 务務 图圖 摄攝 码碼 绝絕 韩韓 学學 间間 频頻 药藥 壮壯 阳陽 泄洩 痿萎 减減 处處 肾腎
迟遲 听聽 话話 粗麤 剂劑 无無 贷貸 额額 抵牴 质質 证証證 征徵 还還 审審 账賬帳 应應 条條 费費
银銀 卡咔 紧緊 办辦 请請 认認 进進 击擊 载載 点點 册冊 马馬 立竝 询詢 谘諮 客愘 加咖 联聯
系係繫 话話 号號 来來 订訂 购購 优優 惠恵 领領 取取 抢搶 观觀 动動 苹蘋 软軟 给給 发發 页頁
荐薦 码碼 邀邀 请請 诚誠 代玳 理理 邮郵 货貨 价價 维維 尼坭 师師 头頭 丽麗 黄黃 偷婾 欢歡
满滿 养養 饮飲 伟偉 长長 专專 卖賣 医醫 疗療 迷谜謎 贩販 东東 湾灣 试試 预預 测測 计計 划劃
准準 释釋 骗騙 维維 稳穩 赔賠 币幣 备備 脑腦 报報 级級 红紅 业業 务務 战戰 选選 实實 运運
类類 团團 头頭 号號 贴貼 随隨 择擇 仅僅 须須 针針 专專 缓緩 缺缺 险險 证証證 验驗 监監 补補
让讓 获獲 钟鐘 门門 骚騷 荡蕩 啪趴 远遠 伦倫 纸紙 扣釦 鹅鵝 团糰 变變 质質 执執 简簡 赛賽
鱼魚 虎乕 库庫 号號 笔筆 广廣 汇匯 维維 级級 换換 复復 备備 设設 论論 谈談 语語 谁誰 儿兒
气氣
"""


def _forms() -> dict[str, str]:
    forms: dict[str, str] = {}
    for entry in _FORMS.split():
        others = [form for form in entry[1:] if form != entry[0]]
        forms[entry[0]] = "".join(dict.fromkeys([*forms.get(entry[0], ""), *others]))
    return forms


VARIANTS: Final[dict[str, str]] = _forms()
"""Other forms of each simplified character."""
