"""Spam of single pages: its kinds are found, and pages about its subjects are none of it."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarkcrawl.page import Page
from quarkcrawl.refine.spam import KINDS, REASONS, PageSpam, spam_of

CASINO = """金鼎娱乐城提供真人百家乐、电子老虎机、德州扑克，注册即送彩金88元，提款秒到账！
立即注册，加微信：kd88123，网址www.jd8821.com，首存送100%，天天返水无上限。
金鼎娱乐城信誉网投，真人荷官在线，六合彩、时时彩、北京赛车玩法齐全，点击进入领取彩金。"""
LAW = """国务院新闻办公室今天介绍了打击跨境赌博的情况。公安部负责人说，去年全国公安机关侦破跨境赌博案件一万七千余起，
抓获犯罪嫌疑人十一万余名，打掉网络赌博平台二千二百余个、赌博网站三百余个。专家指出，开设赌场罪的量刑标准已经修改，
参与网络赌博的人往往倾家荡产。一些赌博网站以百家乐、时时彩等名义吸引下注，所谓赔率由庄家在后台操纵。
律师提醒，举报赌博网站可以拨打当地公安机关的电话，法院对此类案件从严判决。"""
CLINIC = """男科门诊介绍：早泄和勃起功能障碍是常见的疾病，患者应当到正规医院检查。西地那非是处方药，
须在医生指导下使用，心脏病患者禁用。泌尿外科主任说，网上出售的所谓壮阳药成分不明，可能含有过量药物。
医院每周一至周五开放门诊，预约电话为010-66554433，请携带医保卡。减肥药同样需要医生评估。"""
BANK = """中国人民银行今天公布，一月份人民币贷款增加四万亿元，其中住户贷款增加六千亿元，企业贷款增加三万亿元。
小额贷款公司的利息受到监管。专家认为，借款人应当按时还款，以免影响征信。住房贷款利率下调后，
部分银行的审核更加严格，抵押物的评估也有变化。申请贷款的居民可以到各网点咨询。"""
EDUCATION = """性教育应当从小学开始，专家在论坛上说。色情内容对青少年的影响受到关注，学校和家长需要谈论性、
裸体与隐私的界限。成人电影产业的历史也是社会学研究的题目。会议讨论了如何保护未成年人免受偷拍和诱惑。"""
ENGLISH_LAW = """The state legislature passed a bill on Tuesday that regulates online casino games and
sports betting. Supporters say that legal betting brings tax revenue, while critics of the gambling
industry warn about addiction. Poker and blackjack are legal in four states. The governor is expected
to sign the bill, which bans a welcome bonus for players under 25. Researchers who study gambling
found that the lottery takes most from the poor."""
ARTICLE = """昨天，北京市气象台发布消息，今年冬天的气温比往年略高。专家说，受暖湿气流影响，未来三天有小雪。
市民出门应当注意保暖，交通部门已经准备了融雪设备。公园里的游人不多，湖面还没有结冰，孩子们在岸边玩耍。"""


def page(body="", head="", title="公园的冬天"):
    html = (
        f"<html><head><title>{title}</title>{head}</head><body><p>{ARTICLE}</p>{body}</body></html>"
    )
    return Page.from_html(html, "http://www.good.example/1.html")


def links(*anchors):
    return "".join(f'<a href="http://x{n}.invalid/">{text}</a>' for n, text in enumerate(anchors))


ANCHORS = links("澳门赌场", "真人百家乐", "娱乐城开户", "六合彩网址")


def test_an_advertisement_is_spam_with_evidence():
    found = spam_of(None, CASINO, "金鼎娱乐城官网")
    assert found.kinds == ("gambling",)
    assert found.reasons == ("spam_gambling",)
    assert found.score >= 0.5
    assert any("contact" in sign for sign in found.evidence)


@pytest.mark.parametrize("text", [LAW, CLINIC, BANK, EDUCATION, ENGLISH_LAW, ARTICLE])
def test_a_page_about_the_subject_is_not(text):
    assert spam_of(None, text, text[:20]).kinds == ()


@pytest.mark.parametrize(
    "written",
    [
        CASINO.translate(str.maketrans("乐电娱赌场机开户彩", "樂電娛賭場機開戶彩")),
        CASINO.replace("百家乐", "百.家.乐").replace("老虎机", "老 虎 机").replace("彩金", "彩*金"),
        "".join(chr(ord(c) + 0xFEE0) if c.isalnum() and c.isascii() else c for c in CASINO),
        CASINO.replace("彩金", "彩\u200b金").replace("百家", "百\u200b家"),
    ],
)
def test_disguises_do_not_help(written):
    assert spam_of(None, written, "官网").kinds == ("gambling",)


def test_letters_replaced_by_digits_are_read():
    text = """Buy v1agra and c1alis online, no prescription needed, discreet packaging. Order now
    from our online pharmacy, overnight delivery of V.i.a.g.r.a pills and xanax without prescription.
    Click here, cheap pills, call us at +1-888-5551234."""
    assert spam_of(None, text, "Cheap pills").kinds == ("pharmacy",)


@pytest.mark.parametrize(
    "box",
    [
        '<div style="display:none">{}</div>',
        '<div style="position:absolute; left:-9999px">{}</div>',
        '<div style="height:0;overflow:hidden">{}</div>',
        '<span style="font-size:1px">{}</span>',
        '<p style="color:#fff;background:#fff">{}</p>',
        "<marquee height=1 width=1>{}</marquee>",
        "<style>.q{{position:absolute;top:-2000px}}</style><div class=q>{}</div>",
        '<div id=q>{}</div><script>document.getElementById("q").style.display="none"</script>',
    ],
)
def test_hidden_links_of_intruders_are_found(box):
    assert spam_of(page(box.format(ANCHORS)), ARTICLE, "公园的冬天").kinds == ("hacked",)


def test_what_stands_in_the_open_or_stays_at_home_is_no_trace_of_intruders():
    assert not spam_of(page(ANCHORS), ARTICLE).kinds
    menu = "<div style='display:none'>" + links("新闻", "体育", "财经", "娱乐") + "</div>"
    assert not spam_of(page(menu), ARTICLE).kinds
    own = "".join(f'<a href="http://bbs.good.example/{n}">真人百家乐</a>' for n in "abcd")
    assert not spam_of(page(f"<div style='display:none'>{own}</div>"), ARTICLE).kinds


def test_redirect_and_foreign_title_together_are():
    head = """<meta name=keywords content="澳门赌场,真人百家乐,娱乐城,六合彩"><script>
    if(/baidu|google/.test(document.referrer)){location.href="http://b.invalid/"}</script>"""
    found = spam_of(page(head=head, title="澳门赌场_真人百家乐官网"), ARTICLE, "公园的冬天")
    assert found.kinds == ("hacked",)
    assert {sign.split("=")[0] for sign in found.evidence} >= {"hacked:script", "hacked:alien"}


def test_a_stuffed_page():
    words = [
        f"{city}搬家公司{tail}"
        for city in ("北京", "上海", "广州")
        for tail in ("电话", "价格", "哪家好", "")
    ]
    text = "\n".join("，".join(words) for _ in range(4))
    head = f'<meta name="keywords" content="{",".join(words)}">'
    assert spam_of(page(head=head, title="_".join(words[:4])), text, words[0]).kinds == (
        "stuffing",
    )


def test_a_spun_text():
    sentences = [
        "今天上午，{}的{}博物馆向社会公布了今年第二个{}计划。",
        "不少来过这里的{}希望工作人员把{}服务做得更好、更{}。",
        "参加会议的专家认为，{}的{}才是关键，我们会继续{}努力。",
    ]
    fill = [
        ("新型", "市立", "重要"),
        ("传统", "省立", "长期"),
        ("独特", "国立", "公平"),
        ("现代", "私立", "合理"),
    ]
    text = "\n".join("".join(one.format(*some) for one in sentences) for some in fill)
    assert spam_of(None, text, "博物馆").kinds == ("spun",)
    assert not spam_of(None, "\n".join([text.split("\n")[0]] * 4), "博物馆").kinds, (
        "quoted, not spun"
    )


def test_codes_and_kinds_agree():
    assert {f"spam_{kind}" for kind in KINDS} == set(REASONS)
    assert PageSpam().reasons == ()


@given(st.text(max_size=400), st.text(max_size=60))
def test_no_input_raises(text, title):
    found = spam_of(Page.from_html(text), text, title)
    assert 0 <= found.score <= 1
    assert set(found.kinds) <= set(KINDS)


@pytest.mark.parametrize(
    "piece",
    [
        "赌",
        "a.",
        "{",
        "{a|",
        "[标签",
        "v i ",
        "www.a",
        "微信",
        "。",
        "的了",
        "<a href=//x style='",
        "\\x61",
    ],
)
def test_a_megabyte_of_hostile_input_takes_no_time(piece):
    text = piece * (1_000_000 // len(piece))
    tree = Page.from_html(
        f"<title>{text[:5000]}</title><style>.a{{{text}</style><script>{text}"
    ).tree
    start = time.process_time()
    spam_of(tree, text, text[:5000], url="http://a.example/")
    assert time.process_time() - start < 2
