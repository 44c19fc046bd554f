"""Traditional forms of the simplified characters that the vocabulary uses.

One form for each character, which is enough to make plausible Big5 pages out of the same text;
it is no converter for Chinese at large (发 always becomes 發, also where 髮 is meant).
"""

from __future__ import annotations

__all__ = ["TO_TRADITIONAL"]

_PAIRS = """
䶮龑 专專 业業 东東 严嚴 个個 为為 丽麗 举舉 乐樂 习習 书書 买買 产產 亿億 从從 们們 众眾
会會 伟偉 传傳 债債 兰蘭 关關 养養 军軍 农農 冯馮 决決 减減 刘劉 创創 刹剎 剧劇 办辦 务務
动動 区區 医醫 华華 协協 单單 卢盧 卫衛 历歷 压壓 厦廈 参參 发發 变變 叶葉 号號 吕呂 启啟
吴吳 员員 响響 喆哲 园園 国國 图圖 场場 坛壇 声聲 备備 头頭 奖獎 奥奧 娱娛 孙孫 学學 实實
宽寬 导導 将將 岛島 峡峽 师師 带帶 广廣 庆慶 开開 张張 弹彈 强強 归歸 当當 录錄 惯慣 戏戲
战戰 户戶 扩擴 护護 报報 换換 摄攝 数數 无無 时時 显顯 晓曉 术術 杂雜 权權 条條 来來 杨楊
标標 样樣 档檔 桥橋 检檢 楼樓 毕畢 汇匯 汉漢 没沒 测測 济濟 涛濤 温溫 湿濕 满滿 滩灘 潜潛
灵靈 点點 热熱 独獨 环環 现現 电電 画畫 监監 盘盤 码碼 础礎 积積 税稅 稳穩 签簽 简簡 红紅
线線 练練 组組 细細 织織 绍紹 经經 结結 络絡 统統 继繼 续續 综綜 绿綠 编編 罗羅 联聯 舰艦
艳艷 艺藝 节節 苏蘇 药藥 营營 萧蕭 蒋蔣 装裝 见見 观觀 规規 视視 览覽 计計 订訂 认認 讨討
训訓 议議 讯訊 记記 许許 论論 设設 访訪 证證 评評 诊診 试試 诗詩 话話 详詳 误誤 说說 请請
读讀 课課 谈談 谢謝 谭譚 负負 财財 责責 货貨 质質 购購 贵貴 贷貸 贸貿 费費 贺賀 贾賈 资資
赛賽 赵趙 车車 转轉 轮輪 软軟 载載 轿轎 辆輛 辑輯 边邊 达達 过過 运運 还還 这這 进進 远遠
连連 选選 遗遺 邓鄧 邹鄒 邻鄰 郑鄭 钟鍾 钱錢 铁鐵 银銀 链鏈 错錯 锡錫 键鍵 镇鎮 镕鎔 长長
门門 问問 间間 闹鬧 闻聞 阅閱 阎閻 队隊 阳陽 际際 陆陸 陈陳 险險 随隨 静靜 韦韋 韩韓 页頁
顶頂 项項 顺順 顾顧 颁頒 题題 风風 飞飛 馆館 马馬 验驗 鸟鳥 鸣鳴 麦麥 黄黃 齐齊 龙龍 龚龔
㬎顯 刚剛 笔筆 调調 阔闊 堃坤 后後 里裡 划劃 价價 体體 万萬 与與 于於 丰豐 听聽 胜勝 机機
种種 气氣 准準 采採 网網 复復 态態 虫蟲 礼禮
"""

TO_TRADITIONAL = {ord(pair[0]): pair[1] for pair in _PAIRS.split()}
"""Table for `str.translate`."""
