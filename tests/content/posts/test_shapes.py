"""Posts and comments found without names: class names and ids made up, as some programs write."""

import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import quarkcrawl as qc
from quarkcrawl.content.posts import find_posts
from quarkcrawl.page import Page
from tests.content.posts import pages
from tests.profiles import examples

SENTENCE = "The mirrors are copied at night, when few people read, and checked in the morning. "
ARTICLE = "".join(f"<p>{SENTENCE * 3}{n}.</p>" for n in range(6))
LIKELY, UNLIKELY = (lambda: 0.9), (lambda: 0.01)
NAMES = re.compile(r"""\b(class|id)=('[^']*'|"[^"]*"|[^\s>]+)""")


def renamed(html, seed=0):
    """A page with each class name and id another, made-up one."""
    dice, known = random.Random(seed), {}

    def new(name):
        letters = dice.choices("bcdfghjklmnpqrstvwxz", k=9)
        return known.setdefault(name, "".join(letters))

    def attribute(match):
        return f"{match[1]}='{' '.join(map(new, match[2].strip(chr(39)).split()))}'"

    return NAMES.sub(attribute, html)


def found_in(html, probability):
    tree = Page.from_html(html).tree
    found = find_posts(tree, thread_probability=probability)
    texts = (
        ()
        if found is None
        else tuple(
            "".join(
                run
                for run, number in zip(tree.runs, found.text_run.tolist(), strict=True)
                if number == post
            ).strip()
            for post in range(len(found))
        )
    )
    return found and found.kind, texts


def thread(tag="div", n_posts=6):
    """A thread of short posts with avatar, floor and buttons."""
    return "".join(
        f"<{tag} class=post><img src=/avatar/{n}.gif><a href='/user/{n}'>山人{n}号</a> "
        f"<span class=when>2015-6-{n + 1} 10:0{n}</span> <b class=no>{n + 1}楼</b>"
        f"<div class=text>{text}</div><a href=#r>回复</a> <a href=#j>举报</a></{tag}>"
        for n, text in zip(range(n_posts), TEXTS, strict=False)
    )


TEXTS = (
    "昨晚的雨太大了，山路还能走吗？", "能走，就是石阶有点滑，穿双防滑的鞋。", "今天早上刚下来，没问题。",
    "谢谢各位，那我们周六上山。", "带够水，山顶的小店关门了。", "周六我也去，在东门等你们吧。",
)  # fmt: skip
TEASERS = "".join(
    f"<div class=item><h3><a href=/news/{n}.html>Library extends its hours again, part {n}</a></h3>"
    f"<span>2015-06-0{n + 1}</span><p>{SENTENCE}{n}</p><a href=/news/{n}.html>Read more</a></div>"
    for n in range(8)
)
PRODUCTS = "".join(
    f"<li class=item><a href=/p/{n}><img src=/p{n}.jpg>Lamp no. {n}</a><p>Brass, with a shade of "
    f"linen, {n + 20} cm.</p><b>{n + 30}.00 EUR</b> <span>in stock from 2015-07-0{n + 1}</span></li>"
    for n in range(8)
)


@pytest.mark.parametrize("tag", ["div", "li", "article"])
def test_a_thread_is_found_by_what_its_posts_carry(tag):
    html = pages.page(f"<h1>雨后上山</h1><div class=all>{thread(tag)}</div>")
    assert found_in(renamed(html), LIKELY) == ("post", TEXTS)


@pytest.mark.parametrize(
    ("html", "texts"),
    [(pages.discuz(), pages.TEXTS), (pages.phpbb(pages.ENGLISH * 2), pages.ENGLISH * 2)],
)
def test_threads_of_known_boards_under_made_up_names(html, texts):
    kind, found = found_in(renamed(html), LIKELY)
    assert kind == "post"
    assert found == texts


def bare_thread(text):
    """A thread of four posts with nothing but a date above each text."""
    return "".join(
        f"<div class=post><p class=when>2015-06-0{n} 10:0{n}</p><p>{text}{n}</p></div>"
        for n in range(1, 5)
    )


def test_posts_with_dates_and_enough_text_are_posts_where_the_page_is_likely_a_thread():
    html = renamed(pages.page(f"<h1>Mirrors</h1>{bare_thread(SENTENCE)}"))
    assert found_in(html, LIKELY) == ("post", tuple(f"{SENTENCE}{n}" for n in range(1, 5)))
    assert found_in(html, lambda: 0.4) == (None, ())


def test_elements_with_dates_and_little_text_are_no_posts_of_a_thread():
    html = renamed(pages.page(f"<h1>Mirrors</h1>{bare_thread('The mirrors are copied, part ')}"))
    assert found_in(html, LIKELY) == (None, ())


def answered(n, *answers):
    """One of the texts, with answers in a list below it."""
    return (
        f"<li class=tree><div class=post><a href='/user/{n}'>ivy{n}</a> <time>2015-06-1{n} 10:0{n}"
        f"</time><div class=text><p>{SENTENCE}{n}</p></div><a href=#r>Reply</a></div>"
        f"<ol class=answers>{''.join(answers)}</ol></li>"
    )


def test_most_posts_may_be_answers_to_others():
    tree = answered(0, answered(1, answered(2, answered(3)))) + answered(4, answered(5))
    html = renamed(pages.page(f"<h1>Mirrors</h1><ol class=answers>{tree}</ol>"))
    assert found_in(html, LIKELY) == ("post", tuple(f"{SENTENCE}{n}" for n in range(6)))


def test_names_before_dates_tell_posts_where_the_page_is_likely_a_thread():
    """Too little of it for posts without authors."""
    names = "rowan7", "丁宁", "Ivy C. O'Neil", "ash"
    posts = [
        f"<div class=post>{{}}<p class=when>2015-06-0{n} 10:0{n}</p><p>{text}</p></div>"
        for n, text in enumerate(TEXTS[:4], 1)
    ]
    named = "".join(post.format(f"<b>{name}</b>") for post, name in zip(posts, names, strict=True))
    html = renamed(pages.page(f"<h1>雨后上山</h1>{named}"))
    assert found_in(html, LIKELY) == ("post", TEXTS[:4])
    assert found_in(html, UNLIKELY) == (None, ())
    bare = "".join(post.format("") for post in posts)
    assert found_in(renamed(pages.page(f"<h1>雨后上山</h1>{bare}")), LIKELY) == (None, ())


def test_a_text_named_as_that_of_a_topic_is_the_first_post():
    first = "<div class=head><a href=/member/7>ivy</a></div><div class=topic_content>{}</div>"
    replies = "".join(
        f"<div class=cell id=r_{n}><img class=avatar><a href=/member/{n}>rowan{n}</a> "
        f"<span class=ago>{n} 天前</span><div class=reply_content>{text}</div></div>"
        for n, text in enumerate(TEXTS, 1)
    )
    texts = ("今晚镜像服务器换硬盘，有人知道要停多久吗？", *TEXTS)
    html = pages.page(f"<div><h1>镜像</h1>{first.format(texts[0])}</div><div>{replies}</div>")
    assert found_in(html, LIKELY) == ("post", texts)


def test_what_stands_below_posts_in_the_same_element_is_no_post():
    posts = re.sub(r" (?:class|id)=\w+", "", thread())
    html = pages.page(f"<h1>雨后上山</h1><main>{posts}<div>东门登山会，欢迎新会员</div></main>")
    assert found_in(html, LIKELY) == ("post", TEXTS)


@pytest.mark.parametrize(
    "button", ["Odpowiedz", "Nahlásit", "Ответить", "Παράθεση", "Balas", "Report comment"]
)
def test_posts_are_told_by_their_buttons_in_many_languages(button):
    html = pages.page(f"<h1>Mirrors</h1>{bare_thread(SENTENCE)}")
    html = html.replace("</p></div>", f"</p><a href=#r>{button}</a></div>")
    texts = tuple(f"{SENTENCE}{n}" for n in range(1, 5))
    assert found_in(renamed(html), lambda: 0.4) == ("post", texts)


@settings(max_examples=examples(20))
@given(st.integers())
def test_which_names_are_made_up_does_not_matter(seed):
    html = pages.page(f"<h1>雨后上山</h1>{thread()}")
    assert found_in(renamed(html, seed), LIKELY) == ("post", TEXTS)


@pytest.mark.parametrize("heading", ["网友评论", "Comments", "Комментарии"])
def test_comments_below_an_article_are_comments(heading):
    html = pages.page(f"<h1>Mirrors</h1><div>{ARTICLE}</div><h2>{heading}</h2>{thread('li')}")
    assert found_in(renamed(html), UNLIKELY) == ("comment", TEXTS)


def test_comments_under_made_up_names_are_no_content():
    html = renamed(pages.page(f"<h1>Mirrors</h1><div>{ARTICLE}</div><h2>评论</h2>{thread('li')}"))
    content = qc.extract(html)
    assert tuple(post.text for post in content.comments) == TEXTS
    assert not any(text in content.text for text in TEXTS)
    assert content.text.count(SENTENCE.strip()) == 18


def test_without_the_kind_of_the_page_names_are_needed():
    html = renamed(pages.page(f"<h1>雨后上山</h1>{thread(n_posts=3)}"))
    assert found_in(html, None) == (None, ())


def test_a_page_that_is_neither_thread_nor_article_has_no_posts():
    assert found_in(renamed(pages.page(thread())), UNLIKELY) == (None, ())


@pytest.mark.parametrize("items", [TEASERS, f"<ul>{PRODUCTS}</ul>"])
@pytest.mark.parametrize("before", ["", ARTICLE])
@pytest.mark.parametrize("probability", [LIKELY, UNLIKELY])
def test_lists_of_news_and_products_are_no_posts(items, before, probability):
    html = pages.page(f"<h1>Lamps and news</h1>{before}<div class=list>{items}</div>")
    assert found_in(renamed(html), probability) == (None, ())


@pytest.mark.parametrize("probability", [LIKELY, UNLIKELY])
def test_columns_of_a_layout_are_no_posts(probability):
    html = pages.page(
        f"<div class=col><p>2015-06-01 10:00</p><h1>Mirrors</h1>{ARTICLE}</div>"
        f"<div class=col><ul>{'<li><a href=/n>News</a> 2015-06-02</li>' * 9}</ul></div>"
    )
    assert found_in(renamed(html), probability) == (None, ())


@pytest.mark.parametrize("panel", ["li role=tabpanel", "li hidden", "li style='display: none'"])
def test_panels_of_tabs_are_no_comments(panel):
    """They are shown one at a time: all but one are hidden, or the page says what they are."""
    tabs = (
        thread("li")
        .replace("<li ", f"<{panel} ")
        .replace(f"<{panel} ", "<li ", panel != "li role=tabpanel")
    )
    html = pages.page(f"<h1>Mirrors</h1><div>{ARTICLE}</div><h2>Comments</h2>{tabs}")
    assert found_in(renamed(html), UNLIKELY) == (None, ())


def test_what_many_posts_say_alike_is_no_text():
    ranks = "<div class=info><p>新手上路</p><p>积分 5</p><p>发消息</p><p>当前离线，距离下一级还需积分</p></div>"
    html = pages.page(f"<h1>雨后上山</h1>{thread().replace('<img', ranks + '<img')}")
    assert found_in(renamed(html), LIKELY) == ("post", TEXTS)


DATED_ARTICLE = f"<h1>Mirrors</h1><p>March 1, 2024</p><article>{ARTICLE}</article>"
LONE_COMMENT = (
    "<div id=comments class=comments-area><h2 class=comments-title>One thought</h2>"
    "<ol class=comment-list><li id=comment-7 class='comment even'>"
    "<article id=div-comment-7 class=comment-body><footer class=comment-meta>"
    "<div class='comment-author vcard'><b class=fn>annlee</b> <span class=says>says:</span></div>"
    "<div class=comment-metadata><a href='#comment-7'>March 3, 2024 at 10:22</a></div></footer>"
    "<div class=comment-content><p>The second paragraph was news to me, thank you for the trouble."
    "</p></div><div class=reply><a class=comment-reply-link href='?replytocom=7'>Reply</a></div>"
    "</article></li></ol><div id=respond class=comment-respond><h3>Leave a reply</h3>"
    "<form id=commentform class=comment-form><p class=comment-form-comment><label>Comment</label>"
    "<textarea></textarea></p></form></div></div>"
)


def test_a_comment_may_stand_alone():
    content = qc.extract(DATED_ARTICLE + LONE_COMMENT)
    (comment,) = content.comments
    assert comment.text == "The second paragraph was news to me, thank you for the trouble."
    assert comment.author == "annlee"
    assert comment.date.startswith("2024-03-03")
    assert "news to me" not in content.text


TWO_COMMENTS = "".join(
    f"<div class=comment><span class=author>{name}</span> <span class=date>2026-11-03 1{n}:20</span>"
    f"<p>{text}</p></div>"
    for n, (name, text) in enumerate(
        [("小张", "石阶有点滑，上山要当心。"), ("老王", "站长说今晚修好。")]
    )
)


def test_two_comments_in_an_element_of_that_name():
    """They need no button, number or picture."""
    content = qc.extract(f"{DATED_ARTICLE}<div class=comments><h3>评论</h3>{TWO_COMMENTS}</div>")
    assert [(c.author, c.text) for c in content.comments] == [
        ("小张", "石阶有点滑，上山要当心。"),
        ("老王", "站长说今晚修好。"),
    ]
    assert "石阶" not in content.text
    assert qc.extract(f"{DATED_ARTICLE}<div class=more>{TWO_COMMENTS}</div>").comments == ()


@pytest.mark.parametrize(
    "other",
    [
        LONE_COMMENT.replace("March 3, 2024 at 10:22", "reply"),
        re.sub("<div class='comment-author.*?</div>", "", LONE_COMMENT),
        LONE_COMMENT.replace(" id=comments class=comments-area", "").replace(
            " class=comment-list", ""
        ),
    ],
    ids=["no date", "no author", "not among comments"],
)
def test_what_is_not_told_in_all_ways_is_no_lone_comment(other):
    assert qc.extract(DATED_ARTICLE + other).comments == ()


NICKS = ("marta77", "old_tom", "Kettle")
WITH_SIGNATURES = "".join(
    f"<article class='message message--post' data-content=post-{n} id=js-post-{n}>"
    f"<div class=message-user><h4 class=message-name><a href=/u class=username>{nick}</a></h4>"
    "<h5 class='userTitle message-userTitle'>Member</h5></div><header class=message-attribution>"
    f"<time datetime='2026-02-0{n + 1}T08:10:00Z'>Feb {n + 1}, 2026</time> <a href=#>#{n + 1}</a></header>"
    f"<div class=message-content><article class=message-body><div class=bbWrapper>{text}</div>"
    f"</article><aside class=message-signature><div class=bbWrapper>Signed {n}.</div></aside></div>"
    "<footer class=message-footer><a href=#>Like</a> <a href=#>Reply</a></footer></article>"
    for n, (nick, text) in enumerate(zip(NICKS, pages.ENGLISH, strict=True))
)


def test_a_name_that_ends_as_those_of_signatures_is_none_of_a_text():
    content = qc.extract(f"<title>Lid</title><h1>Lid</h1><div>{WITH_SIGNATURES}</div>")
    assert tuple(post.text for post in content.posts) == pages.ENGLISH
    assert content.text.split("\n") == list(pages.ENGLISH)


def test_a_rank_beside_a_name_is_none():
    post = (
        "<div class=post id=p{0}><div class=usertext><strong class=username>anna{0}</strong>"
        "<em class=usertitle>Regular</em></div><p class=date>2026-02-0{0} 08:10</p>"
        "<div class=content>{1}</div></div>"
    )
    posts = "".join(post.format(n + 1, text) for n, text in enumerate(pages.ENGLISH))
    content = qc.extract(f"<title>Lid</title><h1>Lid</h1>{posts}")
    assert [post.author for post in content.posts] == ["anna1", "anna2", "anna3"]


def test_who_began_a_thread_is_its_author():
    thread = f"<title>Lid</title><h1>Lid</h1><div>{WITH_SIGNATURES}</div>"
    assert qc.extract(thread).author == "marta77"
    submitted = thread.replace("</h1>", "</h1><p>Submitted by Kettle</p>")
    assert qc.extract(submitted).author == "Kettle"


def _discussion(likely):
    """What began it is no comment by name, but its text has the name of those of comments."""
    head = "<p class=tagline><a class=author href=/user/{0}>{0}</a> <time>2026-02-0{1} 08:10</time></p>"
    body = "<div class=md>{2}</div><ul class=flat-list><li>reply</ul>"
    replies = "".join(
        ("<div class='thing comment'>" + head + body + "</div>").format(name, n + 2, text)
        for n, (name, text) in enumerate(zip(NICKS[1:], pages.ENGLISH[1:], strict=True))
    )
    first = ("<div class='thing link'>" + head + body + "</div>").format(
        NICKS[0], 1, pages.ENGLISH[0]
    )
    return found_in(f"<title>Lid</title><h1>Lid</h1>{first}<div>{replies}</div>", likely)


def test_what_comments_of_a_thread_answer_is_its_first_post():
    kind, texts = _discussion(LIKELY)
    assert (kind, texts) == ("post", pages.ENGLISH)
    kind, texts = _discussion(UNLIKELY)
    assert (kind, texts) == ("comment", pages.ENGLISH[1:])
