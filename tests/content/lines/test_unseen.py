"""What readers do not see, form fields, menus and what scrolls is no content."""

from __future__ import annotations

import numpy as np
import pytest

import quarkcrawl as qc
from quarkcrawl.content.lines.matrix import line_features
from quarkcrawl.content.lines.unseen import without_unseen
from quarkcrawl.lab.training.data import blank_scorer
from quarkcrawl.page import Page


def test_text_of_a_form_field_is_left_out_unless_it_is_all():
    text = "周六下午我们在湖边读书，请大家自带书和水，如果下雨就改到图书馆三楼的阅览室，时间不变。"
    html = f"<title>读书会</title><article><p>{text}</p><p>{text[::-1]}</p><textarea>{text[:30]}</textarea></article>"
    assert qc.extract(html).text == f"{text}\n{text[::-1]}"
    assert qc.extract(f"<textarea>{text}</textarea>").text == text


@pytest.mark.parametrize(
    "hidden",
    [
        "<noscript><p>{}</p></noscript>",
        "<p style='display: none'>{}</p>",
        "<div hidden><p>{}</p></div>",
    ],
)
def test_hidden_text_is_left_out_unless_it_is_the_body(hidden):
    text = "周六下午我们在湖边读书，请大家自带书和水，如果下雨就改到图书馆三楼的阅览室，时间不变。"
    body = "".join(f"<p>{text[n:] + text[:n]}</p>" for n in range(0, 24, 2))
    other = "如果看不到图片，请换一个浏览器再来。"
    whole = qc.extract(f"<title>读书会</title><article>{body}{hidden.format(other)}</article>").text
    assert other not in whole
    assert whole.startswith(text)
    assert qc.extract(hidden.format(text)).text == text


SHOWN = "周六下午我们在湖边读书，请大家自带书和水，如果下雨就改到图书馆三楼的阅览室，时间不变。"
UNSEEN = "我们已经把信发到您的信箱里了，请您在一个小时之内点击信里的链接，完成最后的一步。"
LINKS = "".join(f"<div><a href=/{n}>栏目{n}</a></div>" for n in range(4))


def around_hidden(where: str, unseen: str = UNSEEN) -> str:
    shown = "".join(f"<p>{SHOWN[n:] + SHOWN[:n]}</p>" for n in range(0, 24, 6))
    hidden = f"<div style='display:none'><p>{unseen}</p></div>"
    html = where.format(shown=shown, links=LINKS, hidden=hidden)
    return qc.extract(f"<title>读书会</title>{html}").text


def test_dialogs_are_left_out_though_they_are_more_than_other_hidden_text():
    dialog = "<div><article>{shown}</article></div>{links}{hidden}"
    assert UNSEEN not in around_hidden(dialog)
    assert UNSEEN in around_hidden(dialog, f"{UNSEEN}<p>{SHOWN[::-1]}<p>{UNSEEN[::-1]}")
    beside = "<main><div>{shown}</div>{links}{hidden}</main>"
    assert UNSEEN not in around_hidden(beside, f"{UNSEEN}<p><input type=file>同意<p>{UNSEEN[5:]}")


@pytest.mark.parametrize(
    "where",
    [
        "<article>{shown}{hidden}</article>{links}",
        "<article>{shown}{links}{hidden}</article>",  # shares, then the rest
        "<main><div>{shown}</div>{links}{hidden}</main>",  # names of tabs
        "<main><div>{shown}</div><div>{links}</div><div>{hidden}</div></main>",
        "<main><div><div>{shown}</div></div>{links}{hidden}</main>",
        "{shown}{links}{hidden}",
    ],
)
def test_the_rest_of_a_text_that_is_unfolded_stays(where):
    assert UNSEEN in around_hidden(where)
    assert UNSEEN in around_hidden(where, f"{UNSEEN}<input type=hidden><p>{UNSEEN[5:]}")


def kept_lines(html):
    """First runs of the lines that stay if all seem to be content."""
    tree = Page.from_html(html).tree
    features = line_features(tree, blank_scorer())
    kept = without_unseen(tree, features, np.ones(len(features.cut), np.bool_))
    return [tree.runs[run] for run in features.cut.first_run[kept]]


LOG_IN = "<h2>Log in</h2><p>Enter your address and your password to go on. If you do not know it any more, we can send you a link.</p>"
DIALOGS = [
    "<div class=modal style='display:none'>{}</div>",
    "<div style='display:none'><div id=js_link_dialog>{}</div></div>",
    "<div class=loginPopup hidden>{}</div>",
    "<div hidden role=alertdialog>{}</div>",
    "<section hidden aria-modal=true>{}</section>",
    "<div hidden><form>{}<input type=Password></form></div>",
]


@pytest.mark.parametrize("dialog", DIALOGS)
def test_a_hidden_dialog_is_no_content_beside_one_sentence(dialog):
    sentence = "We are closed today because of the storm and will open again tomorrow at nine."
    head = "<title>Closed today</title><h1>Closed today</h1>"
    assert qc.extract(f"{head}<p>{sentence}</p>{dialog.format(LOG_IN)}").text == sentence
    assert "password" in qc.extract(dialog.format(LOG_IN)).text  # nothing else is there


@pytest.mark.parametrize("dialog", DIALOGS)
def test_a_body_in_a_hidden_dialog_stays(dialog):
    """A script opens it; the headline alone is no page."""
    body = "".join(f"<p>{SHOWN} {number}.</p>" for number in range(3))
    assert SHOWN in qc.extract(f"<h1>Harbor plans</h1>{dialog.format(body)}").text


@pytest.mark.parametrize(
    "box",
    [
        "<div class=tab-content hidden>{}</div>",
        "<div class=multimodal hidden>{}</div>",
        "<div hidden><form><input type=text></form>{}</div>",
        "<div hidden><form><input type=password></form>{}</div>",
        "<div class=modal>{}<p hidden>a</p></div>",
        "<div class=modal hidden>{}</div>" + f"<div class=modal hidden><p>{SHOWN * 12}</p></div>",
    ],
)
def test_other_hidden_text_and_what_opens_in_a_box_stay(box):
    texts = kept_lines(f"<body><p>{SHOWN}</p>{box.format(f'<p>{UNSEEN}</p>')}")
    assert texts[:2] == [SHOWN, UNSEEN]


SENTENCES = "".join(
    f"<p>湖边读书会第{n}次在教学楼前举行，同学们带来了自己喜欢的书。</p>" for n in range(6)
)
LONG_MENU = "".join(f"<p>教学楼前的第{n}条说明，写给带书来的同学们看。</p>" for n in range(12))


@pytest.mark.parametrize("name", ["nav", "footer"])
def test_menus_and_footers_are_left_out_however_long_they_are(name):
    tree = Page.from_html(
        f"<body><{name}>{LONG_MENU}</{name}><div>{SENTENCES}</div><{name}>说明</{name}>"
    ).tree
    features = line_features(tree, blank_scorer())
    everything = np.ones(len(features.cut), np.bool_)
    kept = without_unseen(tree, features, everything)
    texts = [tree.runs[run] for run in features.cut.first_run[kept]]
    assert len(texts) == 6
    assert all("读书会" in text for text in texts)
    only = Page.from_html(f"<body><{name}>{SENTENCES}</{name}><p>湖</p>").tree
    features = line_features(only, blank_scorer())
    assert without_unseen(only, features, np.ones(len(features.cut), np.bool_)).all()


CUSTOMERS = "<br>".join(f"第{n}家读书会的会员书店" for n in range(40))


@pytest.mark.parametrize(
    "box",
    [
        "<div style='overflow:hidden;height:150px;width:230px'><div>{}</div></div>",
        "<ul STYLE='HEIGHT: 80PX; OVERFLOW-Y: Hidden'><li>{}</ul>",
        "<div style='max-height:60px;overflow:hidden;height:60px'>{}</div>",
        "<marquee height=100 direction=up>{}</marquee>",
    ],
)
def test_what_scrolls_through_a_box_is_no_content(box):
    texts = kept_lines(f"<body>{box.format(CUSTOMERS)}<div>{SENTENCES}</div>")
    assert len(texts) == 6
    assert all("次在教学楼前" in text for text in texts)


@pytest.mark.parametrize(
    "box",
    [
        "<div style='overflow:hidden;height:2000px'>{}</div>",  # all lines fit
        "<div style='overflow:hidden;height:200px'>{}</div>",  # a third of a poem
        "<div style='overflow:hidden;height:0px'>{}</div>",  # a folded answer
        "<div style='overflow:hidden;line-height:20px'>{}</div>",
        "<div style='overflow:hidden;min-height:20px'>{}</div>",
        "<div style='height:80px'>{}</div>",
        "<div style='overflow:auto;height:80px'>{}</div>",  # the reader can scroll it
    ],
)
def test_other_boxes_stay(box):
    texts = kept_lines(f"<body>{box.format(CUSTOMERS)}<div>{SENTENCES}</div>")
    assert len(texts) == 46


def test_an_article_whose_rest_is_shown_on_demand_stays():
    box = f"<div style='overflow:hidden;height:40px'>{SENTENCES}{SENTENCES}</div>"
    assert len(kept_lines(f"<body>{box}<div>{SENTENCES}</div>")) == 18
    only = f"<div style='overflow:hidden;height:40px'>{CUSTOMERS}</div>"
    assert len(kept_lines(f"<body>{only}<p>湖</p>")) == 41


def test_answers_folded_in_a_nav_stay():
    menu = "<nav><a href=/>首页</a><a href=/b>教学楼</a></nav>"
    answer = "<div>要带书吗？</div><nav><p>不必，书在教学楼前。</p></nav>"
    texts = kept_lines(f"<body>{menu}<div>{SENTENCES}{answer}<nav>说明</nav></div>")
    assert len(texts) == 8
    assert texts[-2:] == ["要带书吗？", "不必，书在教学楼前。"]
