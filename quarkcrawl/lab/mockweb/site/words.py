"""The vocabulary of the simulated web: common Chinese words, in simplified characters.

Every word can be written in GB2312; `quarkcrawl.lab.mockweb.site.traditional` turns it into
characters of Big5. The names of persons are put together from syllables and mean nobody.
"""

from __future__ import annotations

__all__ = [
    "ADJECTIVES",
    "ADVERBS",
    "CITIES",
    "COLUMNS",
    "GIVEN_NAMES",
    "MEASURES",
    "NOUNS",
    "OPENINGS",
    "ORGANISATIONS",
    "RARE_NAMES",
    "REPLIES",
    "ROLES",
    "SOURCES",
    "SURNAMES",
    "TIMES",
    "VERBS",
]


def _split(text: str) -> tuple[str, ...]:
    return tuple(text.split())


COLUMNS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("yaowen", "要闻", _split("会议 改革 规划 法规 政策 民生 干部 代表 制度 公报 试点 部门")),
    ("guoji", "国际", _split("外交 峰会 协定 边境 大使 联盟 谈判 援助 选举 海峡 护照 特使")),
    ("caijing", "财经", _split("股市 汇率 银行 基金 贷款 利率 债券 税收 物价 出口 订单 期货")),
    ("tiyu", "体育", _split("联赛 决赛 教练 球员 金牌 主场 射门 名次 训练 裁判 门票 马拉松")),
    ("keji", "科技", _split("芯片 软件 卫星 网络 电池 机器人 实验 材料 算法 基因 专利 宽带")),
    ("jiaoyu", "教育", _split("高考 课程 教师 校园 招生 考试 教材 学费 论文 奖学金 毕业 课堂")),
    ("wenhua", "文化", _split("展览 古籍 京剧 书法 诗歌 博物馆 遗址 小说 音乐 民俗 油画 戏曲")),
    ("jiankang", "健康", _split("医院 疫苗 营养 血压 睡眠 药品 门诊 手术 运动 感冒 视力 食品")),
    (
        "qiche",
        "汽车",
        _split("轿车 油耗 发动机 车展 安全带 刹车 二手车 变速箱 轮胎 导航 新车 车主"),
    ),
    ("fangchan", "房产", _split("楼盘 房价 土地 户型 物业 装修 租金 小区 地铁 首付 中介 公寓")),
    ("yule", "娱乐", _split("电影 票房 演员 导演 歌手 专辑 剧本 演唱会 颁奖 综艺 首映 配音")),
    ("lvyou", "旅游", _split("景区 古镇 机票 酒店 导游 海滩 雪山 签证 夜市 温泉 线路 门票")),
    ("junshi", "军事", _split("演习 舰队 雷达 飞行员 阅兵 导弹 战机 基地 边防 士兵 坦克 潜艇")),
    ("shehui", "社会", _split("社区 志愿者 交通 天气 事故 警方 失物 邻居 公交 菜市场 停车 暴雨")),
    ("nongye", "农业", _split("小麦 水稻 果园 农机 化肥 灌溉 合作社 养殖 种子 收购 大棚 茶叶")),
    ("huanbao", "环保", _split("河流 垃圾 森林 空气 湿地 排放 候鸟 沙漠 水质 太阳能 回收 噪声")),
)
"""Columns of a site: name in paths, title, words of its own."""

CITIES = _split(
    "北京 上海 天津 重庆 广州 深圳 南京 杭州 武汉 成都 西安 沈阳 长春 济南 青岛 大连 厦门 "
    "福州 合肥 南昌 郑州 长沙 昆明 贵阳 兰州 银川 太原 海口 南宁 苏州 无锡 宁波 温州 洛阳"
)
ORGANISATIONS = _split(
    "市政府 教育局 研究所 博物馆 图书馆 出版社 交易所 气象台 人民医院 消费者协会 行业协会 "
    "规划局 统计局 实验室 大学 中学 体育馆 电视台 交通部门 环保部门 监管机构 物业公司 "
    "高新技术园区 文化中心 志愿者联合会 旅行社 合作社 设计院 汽车厂 软件公司"
)
ROLES = _split(
    "负责人 专家 教授 记者 工程师 市民 局长 主任 医生 老师 学生 经理 发言人 院士 村民 读者"
)
TIMES = _split(
    "昨天 今天 上午 下午 近日 本周 上个月 去年 今年以来 年底 周末 春节前 国庆期间 据悉 目前 随后 "
    "凌晨 傍晚 第一季度 上半年 三天后 十年来"
)
OPENINGS = _split(
    "据介绍 与此同时 另一方面 值得注意的是 不过 因此 此外 据统计 在他看来 事实上 换句话说 "
    "从长远看 有分析认为 相比之下 据了解 当然"
)
NOUNS = _split(
    "计划 项目 方案 报告 标准 技术 服务 市场 产品 价格 质量 环境 资源 能力 水平 经验 问题 机会 "
    "压力 成果 目标 意见 措施 活动 合作 投资 需求 信息 系统 平台 设施 工程 队伍 品牌 条件 渠道 "
    "传统 故事 变化 数据 规模 效率 结构 风险 收入 成本 关系 作用 过程 影响 基础 原因 经济 生活 "
    "习惯 气氛 季节 风景 道路 桥梁 广场 车站 码头 商店 农田 工厂 学校 家庭 孩子 老人 朋友 观众"
)
VERBS = _split(
    "公布 启动 完成 讨论 建立 改善 推进 检查 举办 发现 提高 扩大 调整 组织 保护 研究 支持 推广 "
    "介绍 分析 实现 满足 解决 参加 准备 设计 开发 引进 培养 整理 恢复 减少 增加 公开 接受 关注 "
    "评估 考察 说明 记录 发布 采用 验收 签署 修改 落实"
)
ADJECTIVES = _split(
    "重要 新型 传统 现代 普通 明显 严格 稳定 丰富 完整 公平 安全 便利 有效 长期 积极 巨大 独特 "
    "热闹 安静 整齐 古老 宽阔 温暖 清新 成熟 灵活 统一 复杂 简单 优秀 合理 持续 全面"
)
ADVERBS = _split(
    "正式 继续 逐步 共同 首次 再次 认真 及时 主动 全面 基本 已经 即将 明显 顺利 悄悄 迅速 进一步"
)
MEASURES = _split(
    "个百分点 万元 亿元 公里 平方米 人次 万吨 家企业 所学校 个城市 部作品 项专利 名志愿者 "
    "辆汽车 场比赛 张门票 个小时 年时间"
)
SOURCES = _split(
    "晨光网 江南晚报 新城日报 北方周刊 大众商报 科学时报 长河网 青年观察 都市快讯 星火社 东湖网 "
    "华夏经济报 文汇周末 海峡在线 绿洲杂志 本站原创"
)
SURNAMES = _split(
    "王 李 张 刘 陈 杨 黄 赵 吴 周 徐 孙 马 朱 胡 林 郭 何 高 罗 郑 梁 谢 宋 唐 许 邓 冯 韩 曹 "
    "曾 彭 萧 蔡 潘 田 董 袁 于 余 叶 蒋 杜 苏 魏 程 吕 丁 沈 任 姚 卢 傅 钟 姜 崔 谭 廖 范 汪 "
    "陆 金 石 戴 贾 韦 夏 邱 方 侯 邹 熊 孟 秦 白 江 阎 薛 尹 段 雷 黎 史 龙 陶 贺 顾 毛 郝 龚 邵"
)
GIVEN_NAMES = _split(
    "伟 芳 娜 敏 静 丽 强 磊 军 洋 勇 艳 杰 涛 明 超 秀兰 霞 平 刚 桂英 建国 志强 晓东 雨晴 思远 "
    "文博 子涵 嘉怡 海燕 春梅 国庆 立新 永康 小红 大为 一鸣 若水 天佑 玉兰 卫民 光明 学文 新华"
)
RARE_NAMES = _split("王喆 李䶮 陶镕 张堃 刘璟瑄 赵㬎 钱旻昇")
"""Names outside GB2312, two of them in the four-byte part of GB18030."""
REPLIES = _split(
    "顶一个 支持楼主 学习了 谢谢分享 说得有道理 这个我也遇到过 请问在哪里买的 收藏了 不太同意 "
    "坐等更新 图片看不到 已经解决 路过 同问 楼上正解 有没有更详细的资料"
)
