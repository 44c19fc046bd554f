"""A news page as they were in 2005, written by hand, and its blocks."""

from __future__ import annotations

from quarkcrawl.page import Page
from quarkcrawl.segment import QuarkRecognizer, SegmentOptions

PAGE = """\
<html>
<head>
<meta http-equiv="Content-Type" content="text/html; charset=gb2312">
<title>市图书馆新馆六月开放_东湖新闻网</title>
<style type="text/css"><!-- td { font-size: 9pt } --></style>
</head>
<body bgcolor=#ffffff topmargin=0>
<center>
<table width=760 border=0 cellspacing=0><tr>
<td width=180><a href="/"><img src="/images/logo.gif" alt="东湖新闻网"></a></td>
<td><a href="/local/">本地</a> | <a href="/china/">国内</a> | <a href="/world/">国际</a> |
<a href="/sports/">体育</a> | <a href="/finance/">财经</a> | <a href="/edu/">教育</a></td>
</tr></table>
<table width=760 border=0><tr>
<td width=180 valign=top bgcolor=#eeeeee>
  <b>今日热点</b><br>
  <a href=/a/1.htm>地铁三号线昨日试车</a><br>
  <a href=/a/2.htm>高考报名人数创新高</a><br>
  <a href=/a/3.htm>老城区供水管网改造</a><br>
</td>
<td valign=top>
  <h1 align=center>市图书馆新馆六月开放</h1>
  <p align=center><font size=2>2005年05月18日 09:12 东湖新闻网</font></p>
  <hr size=1>
  <table align=right><tr><td><img src=/p/lib.jpg><br><font color=gray>新馆外景</font></td></tr></table>
  <p>　　本报讯 经过两年建设，市图书馆新馆将于下月一日正式开放，首批图书达八十万册。
  <p>　　馆长说，读者凭<font color=red>身份证</font>即可办理借书证，不收押金。
  <script>document.write('广告');</script>
  <p>　　开放时间为每天上午九时至晚上九时。<br><br>
  （记者 王小明）
</td></tr></table>
<form action=/search><input name=q>站内搜索<select><option>标题<option>全文</select></form>
<hr>Copyright &copy; 2005 东湖新闻网
</center>
</body>
</html>
"""

DATE_LINE = r"^\d{4}年\d\d月\d\d日 \d\d:\d\d \S+$"

BLOCKS = [
    (
        "/html/body/center/table[1]/tbody/tr/td[2]",
        "B",
        "本地 | 国内 | 国际 | 体育 | 财经 | 教育",
    ),
    (
        "/html/body/center/table[2]/tbody/tr/td[1]",
        "B",
        "今日热点\n地铁三号线昨日试车\n高考报名人数创新高\n老城区供水管网改造",
    ),
    (
        "/html/body/center/table[2]/tbody/tr/td[2]/h1",
        "C",
        "市图书馆新馆六月开放",
    ),
    (
        "/html/body/center/table[2]/tbody/tr/td[2]/p[1]",
        "C",
        "2005年05月18日 09:12 东湖新闻网",
    ),
    (
        "/html/body/center/table[2]/tbody/tr/td[2]/table/tbody/tr/td",
        "B",
        "新馆外景",
    ),
    (
        "/html/body/center/table[2]/tbody/tr/td[2]",
        "B",
        (
            "本报讯 经过两年建设，市图书馆新馆将于下月一日正式开放，首批图书达八十万册。\n"
            "馆长说，读者凭身份证即可办理借书证，不收押金。\n"
            "开放时间为每天上午九时至晚上九时。\n（记者 王小明）"
        ),
    ),
    ("/html/body/center", "B", "站内搜索\n标题\n全文\nCopyright © 2005 东湖新闻网"),
]


def test_golden_page() -> None:
    page = Page.from_bytes(PAGE.encode("gb18030"))
    options = SegmentOptions(custom_patterns=(DATE_LINE,), ripe_chars=15, ripe_layout_share=0.6)
    found = QuarkRecognizer(options).recognize(page)
    assert [(block.path, block.tag_class, block.text) for block in found] == BLOCKS
    assert found.n_links.tolist() == [6, 3, 0, 0, 0, 0, 1]
    assert found.n_images.tolist() == [0, 0, 0, 0, 1, 0, 1]
    assert found.has_custom.tolist() == [False, False, True, True, False, False, False]
    assert found.n_anchor_chars.tolist() == [12, 27, 0, 0, 0, 0, 0]
    assert [len(block.spans) for block in found] == [1, 1, 1, 1, 1, 2, 1]
    data = [page.body[span.byte_start : span.byte_end] for span in found[5].spans]
    texts = [piece.decode("gb18030") for piece in data]
    assert texts[0].startswith("　　本报讯 经过")
    assert texts[0].endswith("不收押金。\n  ")
    assert texts[1].endswith("（记者 王小明）\n")
    assert PAGE.encode("gb18030").find(data[0]) == found[5].spans[0].byte_start
