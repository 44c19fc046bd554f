"""Posts of threads, and what has none: found, read, and what of them is content."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import quarkcrawl as qc
from quarkcrawl.classify.pagewords import content_texts
from quarkcrawl.content import METHODS, block_columns, content_columns, post_fields
from quarkcrawl.content.posts import find as posts_module
from quarkcrawl.content.posts import find_posts, header_of
from quarkcrawl.content.posts.dates import dated_runs
from quarkcrawl.content.posts.loops import mark_dates
from quarkcrawl.content.posts.words import is_byline, may_be_name, text_lines
from quarkcrawl.content.topic.api import dlut
from quarkcrawl.lab.mockweb import Ask, MiniWeb, page_truth, truth
from quarkcrawl.page import Page
from tests.content.posts import pages
from tests.profiles import examples

SENTENCE = "The mirrors are copied at night, when few people read, and checked in the morning. "
ARTICLE = "".join(f"<p>{SENTENCE * 3}{n}.</p>" for n in range(6))


def texts_of(posts):
    return tuple(post.text for post in posts)


# Threads


def test_posts_of_discuz():
    content = qc.extract(pages.discuz())
    assert texts_of(content.posts) == pages.TEXTS
    assert [post.author for post in content.posts] == [f"会员{n}号" for n in range(4)]
    assert content.posts[1].date == "2012-03-02T08:31"
    assert content.comments == ()
    assert content.text.split("\n") == list(pages.TEXTS)


def test_posts_of_phpbb():
    content = qc.extract(pages.phpbb())
    assert texts_of(content.posts) == pages.ENGLISH
    assert [post.author for post in content.posts] == ["rowan0", "rowan1", "rowan2"]
    assert content.posts[2].date.startswith("2012-03-03")
    assert "Joined" not in content.text
    assert "rowan" not in content.text


def test_posts_of_a_table_without_names():
    assert texts_of(qc.extract(pages.nameless()).posts) == pages.ENGLISH * 3


@pytest.mark.parametrize(
    ("markup", "seed", "min_posts"),
    [("table", 2, 5), ("table", 1, 5), ("div", 6, 3), ("html5", 4, 3)],
)
def test_threads_of_the_mock_web(markup, seed, min_posts):
    """Nothing but its place tells an author; in tables, nothing names the posts either."""
    web = MiniWeb(seed, 40, 1500, hostile=False)
    plan = next(plan for plan in web.plans if (plan.family, plan.markup) == ("forum", markup))
    n_threads = 0
    for url in truth(web, [plan.name]).hosts[plan.name].levels:
        known = page_truth(web, url)
        texts = known.main_text.split("\n") if known and known.kind == "topic" else []
        if len(texts) < min_posts:
            continue
        target = url.partition(plan.name)[2]
        body = web.respond(Ask(plan.scheme, plan.name, target)).body
        content = qc.extract(Page.from_bytes(body, url))
        assert list(texts_of(content.posts)) == texts
        assert content.text.split("\n") == texts
        printed = Page.from_bytes(body).tree.runs
        assert all(post.author in printed and len(post.author) < 5 for post in content.posts)
        assert {post.date for post in content.posts} == {known.date[:10]}
        n_threads += 1
    assert n_threads > 9


def test_a_short_thread_in_elements_named_comments_beside_other_links():
    """Nothing but what the page is tells that these are no comments on an article."""
    items = "".join(
        f"<section class=comment><b>{name}</b> <time>2012-03-0{n}</time><p>{text}</p></section>"
        for n, (name, text) in enumerate(
            zip(("丁宁", "于磊", "山人"), pages.TEXTS, strict=False), 1
        )
    )
    links = "".join(f"<li><a href=/t{n}>{n}号服务器上的镜像同步完成了没有</a>" for n in range(20))
    html = pages.page(f"<h1>镜像同步变慢</h1><article>{items}</article><ul>{links}</ul>")
    tree = Page.from_html(html).tree
    kinds = [
        (posts := find_posts(tree, thread_probability=lambda: likely)) and posts.kind  # noqa: B023
        for likely in (0.9, 0.4)
    ]
    assert kinds == ["post", None]


@pytest.mark.parametrize(
    ("before", "likely", "kind"),
    [
        ("", 0.2, "post"),
        ("", 0.01, None),
        (f"<p>{'山路一直通到湖边，沿路有三座石桥。' * 8}</p>", 0.2, "post"),
        (f"<p>{'山路一直通到湖边，沿路有三座石桥。' * 8}</p>", 0.01, "comment"),
    ],
)
def test_names_of_posts_make_no_thread_of_a_page_that_is_none(before, likely, kind):
    """Blogs and news sites name articles, teasers and comments as posts, too."""
    items = "".join(
        f"<div class=post id=post-{n}><b class=author>{name}</b> <time>2012-03-0{n}</time>"
        f"<p>{text * 5}</p></div>"
        for n, (name, text) in enumerate(
            zip(("丁宁", "于磊", "山人", "陈静"), pages.TEXTS, strict=True), 1
        )
    )
    tree = Page.from_html(pages.page(f"<h1>湖边的石桥</h1>{before}{items}")).tree
    posts = find_posts(tree, thread_probability=lambda: likely)
    assert (posts and posts.kind) == kind


@pytest.mark.parametrize(
    ("line", "is_name"),
    [
        ("丁宁", True), ("Leon", True), ("rowan_7", True), ("Ivy C. O'Neil", True), ("@rowan", True),
        ("丁", False), ("7", False), ("30.00 EUR", False), ("Great microphone.", False),
        ("能走，就是石阶有点滑", False), ("Posted by", False), ("作者：", False), ("Reply", False),
        ("3楼", False), ("Środa", False), ("Rating 4.5", False), ("EUR 30", False), ("星期三", False), ("What helped me most was this", False),
    ],
)  # fmt: skip
def test_what_may_be_a_name(line, is_name):
    assert may_be_name(line) == is_name


@pytest.mark.parametrize(
    ("lines", "n_header"),
    [
        (["发表于 2012-3-1", "石阶有点滑"], 1),
        (["发表于 2012-3-1", "站长说：“今晚修好”"], 1),
        (["2012-03-01 10:22", "昨天修好了"], 1),
        (["10:30 Hall A", "11:45 Hall B", "13:00 Hall C"], 0),
        (["2012-3-1"], 0),
        (["活动通知", "时间：2012年3月10日 8:30", "地点：南门"], 0),
        (["My router", "is at 192.168.1.10", "and does not answer"], 0),
    ],
)
def test_lines_above_the_text_of_a_post(lines, n_header):
    is_text = [False] * n_header + [True] * (len(lines) - n_header)
    assert text_lines(lines, has_header=False) == is_text


@pytest.mark.parametrize(
    ("lines", "is_one"),
    [
        (["丁宁", "发表于 2012-3-1", "石阶有点滑"], True),
        (["丁宁", "2012-3-1"], False),
        (["Linux on the desk", "Linux • rowan • 3.5.2012 10:22 • ivy", "12"], False),
        (["石阶有点滑，小心", "2012-3-1", "又下雨了"], False),
        (["Thanks", "I did it 2 days ago", "and it holds"], False),
    ],
)
def test_a_name_and_a_date_above_a_text(lines, is_one):
    assert is_byline(lines) == is_one


@pytest.mark.parametrize(("n_headed", "is_text"), [(4, False), (1, True)])
def test_names_and_dates_that_begin_most_posts_are_no_text(n_headed, is_text):
    """In tables without names, where nothing parts a post from its header."""
    names = "丁宁", "于磊", "山人", "陈静"
    rows = "".join(
        f"<table><tr><td><b>{name if n < n_headed else '楼下的朋友们，'}</b><td>2012-03-0{n + 1}<hr>{text}</table>"
        for n, (name, text) in enumerate(zip(names, pages.TEXTS, strict=True))
    )
    html = pages.page(f"<h1>镜像同步变慢</h1>{rows}")
    posts = find_posts(Page.from_html(html).tree, thread_probability=lambda: 0.9)
    assert posts
    runs = Page.from_html(html).tree.runs
    assert (posts.text_run[runs.index("丁宁")] >= 0) == is_text


def test_an_author_by_his_place_is_no_rank_and_no_label():
    def authors(*headers):
        items = "".join(
            f"<section class=comment>{header} <time>2012-03-0{n}</time><p>{text}</p></section>"
            for n, (header, text) in enumerate(zip(headers, pages.TEXTS, strict=True), 1)
        )
        links = "".join(f"<li><a href=/t{n}>{n}号镜像</a>" for n in range(20))
        html = pages.page(f"<h1>镜像同步变慢</h1>{items}<ul>{links}</ul>")
        tree = Page.from_html(html).tree
        posts = find_posts(tree, thread_probability=lambda: 0.9)
        return posts and [header_of(tree, posts, n)[0] for n in range(len(posts))]

    names = "丁宁", "于磊", "rowan7", "Pat O’Neil"
    assert authors(*(f"<b>{name}</b>" for name in names)) == [*names]
    assert authors(*(f"<b>楼主 {name}</b>" for name in names)) == [*names]
    assert authors(*(f"<a href=/user/{n}>{n}再说</a>" for n in names)) == [
        f"{n}再说" for n in names
    ]
    assert authors(*(f"<a href=/user/{name}>{name}说：</a>" for name in names)) == [*names]
    assert authors(*(["<b>新手上路</b>"] * 4)) == [""] * 4
    assert authors(*(f"<a href=/user/{name}>{name}</a><b>银牌</b>" for name in names)) == [*names]


def test_authors_and_dates_behind_the_texts_are_not_those_of_edits():
    posts = qc.extract(pages.stack_exchange()).posts
    assert [post.author for post in posts] == ["rowan0", "rowan1", "rowan2"]
    assert [post.date for post in posts] == [f"2012-03-0{n}T08:30:00+00:00" for n in (1, 2, 3)]


@pytest.mark.parametrize(
    ("shown", "date"),
    [
        ("<i>05-01-2012,&nbsp;<i>10:00 AM</i></i>", "2012-05-01T10:00"),
        ("<i>Yesterday,</i> <i>10:00 AM</i>", "Yesterday, 10:00 AM"),
        ("<i>Last edited</i> <i>2012-05-03</i> <i>11:00</i> <i>2012-05-01</i>", "2012-05-01"),
        ("Last edited: <time>2012-05-03</time> <time>2012-05-01</time>", "2012-05-01"),
        ("<i title='2012-05-01 10:00:30'>2 days ago</i>", "2012-05-01T10:00:30"),
        ("<i>05.03.12 10:00</i>", "05.03.12 10:00"),
    ],
)
def test_dates_of_posts(shown, date):
    assert qc.extract(pages.vbulletin(shown)).posts[1].date == date


def test_the_initial_in_a_picture_is_no_name():
    picture = "<a href=/member/7><span class=avatar>R</span> Offline</a>"
    posts = qc.extract(pages.vbulletin(f"{picture} 2012-05-01 10:00")).posts
    assert [post.author for post in posts] == ["rowan0", "rowan1", "rowan2"]


@pytest.mark.parametrize("method", METHODS)
def test_all_methods_know_posts(method):
    assert texts_of(qc.extract(pages.discuz(), method=method).posts) == pages.TEXTS


def test_edit_lines_and_signatures_are_no_text():
    edits = "<br><i class=pstatus>本帖最后由 会员 于 2012-3-9 10:00 编辑</i>"
    content = qc.extract(pages.discuz(edits=edits))
    assert texts_of(content.posts) == pages.TEXTS
    assert "编辑" not in content.text
    assert "天道酬勤" not in content.text


def test_quotations_are_told_from_own_words():
    quote = "<blockquote><cite>rowan1 wrote:</cite>Look at the cache first.</blockquote>"
    *_, last = qc.extract(pages.phpbb(quote=quote)).posts
    assert last.own_text == pages.ENGLISH[-1]
    assert "Look at the cache first." in last.text
    assert post_fields(last)["own_text"] == last.own_text


def test_listings_keep_their_line_breaks_and_indents():
    listing = "<b>def</b> f():<i>\n</i><i>    </i>return 1\n\nf()"
    texts = [
        f"<p>{text}</p><pre><code>{listing} # {n}</code></pre>" for n, text in enumerate("abc")
    ]
    for html in (pages.phpbb(texts), pages.stack_exchange(texts)):
        told = texts_of(qc.extract(html).posts)
        assert told == tuple(
            f"{s}\ndef f():\n    return 1\n\nf() # {n}" for n, s in enumerate("abc")
        )


def test_who_is_quoted_stands_in_a_line_of_its_own():
    def told(quote):
        return qc.extract(pages.phpbb(quote=f"<blockquote><div>{quote}</div></blockquote>"))

    head = "<cite>ivy wrote: <small>Mon Mar 01, 2021 1:00 pm</small></cite>Look first."
    assert (
        told(head).posts[-1].text.startswith("ivy wrote: Mon Mar 01, 2021 1:00 pm\nLook first.\n")
    )
    title = "<cite>Mirrors at night</cite>, a book about the work of a night watch."
    assert told(title).posts[-1].text.startswith("Mirrors at night, a book")


def test_rules_of_a_board_around_a_thread_are_no_content():
    rules = "<ul><li>上传的图片不得超过两兆，违者由版主删除。</li></ul>"
    html = pages.discuz().replace("<div id=postlist>", f"{rules}<div id=postlist>")
    html = html.replace("<div id=footer>", f"{rules}<div id=footer>")
    assert qc.extract(html).text.split("\n") == list(pages.TEXTS)


def test_a_text_named_as_what_was_asked_is_the_first_post():
    answers = "".join(
        f"<div class=answer id=answer-{n}><div class=answer-text>{SENTENCE}{n}</div>"
        f"<a class=user-name href=/u/{n}>rowan{n}</a> <span>2019-03-0{n}</span></div>"
        for n in range(1, 5)
    )
    asked = f"<div class=ask-box><h1>Mirrors</h1><div class=con-text>{SENTENCE * 2}</div></div>"
    content = qc.extract(pages.page(f"{asked}<div class=all>{answers}</div>", "Mirrors"))
    texts = SENTENCE * 2, *(f"{SENTENCE}{n}" for n in range(1, 5))
    assert texts_of(content.posts) == tuple(text.strip() for text in texts)


def test_a_thread_in_elements_named_comments_is_one_where_nothing_stands_before_them():
    texts = [f"{SENTENCE * 2}{n}" for n in range(6)]
    html = f"<h1>Mirrors</h1><div id=comments>{pages.comment_items(texts)}</div>"
    content = qc.extract(pages.page(html, "Mirrors"))
    assert texts_of(content.posts) == tuple(text.strip() for text in texts)
    assert content.comments == ()


def test_names_of_the_headers_lead_to_the_comments_around_them():
    """Of a film: each as short as its header, whose element alone has a name of comments."""
    films = [text.split("，")[0] + f"，{n}分。" for n, text in enumerate(pages.TEXTS * 3)]
    items = "".join(
        f"<div class=row><div class=avatar><a href=/u{n}><img src=u{n}.jpg></a></div>"
        f"<div class=main><h3><span class=votes><span>{n * 37}</span> <a href=#>有用</a></span>"
        f"<span class=comment-info><a href=/people/{n}/>天网影迷会{n}号</a> <span>看过</span>"
        f"<span class=comment-time>2024-04-{n + 10} 13:19:20</span> <span class=comment-location>内蒙古</span></span></h3>"
        f"<p><span class=short>{text}</span></p></div></div>"
        for n, text in enumerate(films)
    )
    content = qc.extract(
        pages.page(f"<h1>长镜头 短评</h1><div id=all>{items}</div>", "长镜头 短评")
    )
    assert texts_of(content.posts or content.comments) == tuple(films)


def test_white_space_between_elements_parts_words():
    words = "The <b>mirror</b> <i>copies</i><!-- --> <!-- -->slowly, they said."
    assert qc.extract(f"<p>{words}</p>").text == "The mirror copies slowly, they said."
    *_, last = qc.extract(pages.phpbb((*pages.ENGLISH[:2], words))).posts
    assert last.text == "The mirror copies slowly, they said."


def test_words_above_a_quotation_are_kept_and_its_head_is_not():
    text = "<p>换线试试</p><p>会员0号 在 ta 的帖子中提到：</p><p>日志里没有任何报错。</p>"
    *_, last = qc.extract(pages.discuz((*pages.TEXTS[:3], text))).posts
    assert last.text == "换线试试\n日志里没有任何报错。"


@pytest.mark.parametrize("subject", ["Re: Slow builds", "AW: Slow builds", "回复：镜像同步变慢"])
def test_a_repeated_subject_is_no_text(subject):
    texts = [f"<p>{subject}</p><p>{text}</p>" for text in pages.ENGLISH]
    assert texts_of(qc.extract(pages.phpbb(texts)).posts) == pages.ENGLISH
    alone = (*pages.ENGLISH[:2], f"<p>{subject}</p>")
    assert qc.extract(pages.phpbb(alone)).posts[-1].text == subject


def test_what_ends_several_replies_is_a_signature():
    signed = "<br>Maintainer of the northern mirrors"
    texts = [f"{SENTENCE}{n}.{signed}" for n in range(4)]
    first, *replies = qc.extract(pages.phpbb(texts)).posts
    assert [post.text for post in replies] == [f"{SENTENCE}{n}." for n in (1, 2, 3)]
    assert first.text.endswith("mirrors")  # what replies repeat may be the words of the first
    once = qc.extract(pages.phpbb([f"{SENTENCE}0.", f"{SENTENCE}1.{signed}", f"{SENTENCE}2."]))
    assert once.posts[1].text.endswith("mirrors")


def test_notices_about_files_are_no_text():
    notices = "<p>下载附件 保存到相册</p><p>2012-3-9 18:39 上传</p><p>登录/注册后可看大图</p>"
    assert texts_of(qc.extract(pages.discuz(edits=notices)).posts) == pages.TEXTS


def test_what_is_named_as_no_text_is_none_even_if_longer_than_the_text():
    lead = f"<div class=subhead>镜像同步变慢 由 会员0号 发表在 运维论坛 {'·'.join('甲乙丙丁戊己庚')}</div>"
    texts = [f"{lead}<p>{text[:12]}</p>" for text in pages.TEXTS]
    posts = qc.extract(pages.discuz(texts)).posts
    assert texts_of(posts) == tuple(text[:12] for text in pages.TEXTS)
    named = [f"<div class=sign>{text}</div>" for text in pages.TEXTS]
    assert texts_of(qc.extract(pages.discuz(named)).posts) == pages.TEXTS


def test_a_thread_of_two_posts_has_nothing_around_it():
    sidebar = "<div class=hot><p>大家晚上好，今天的备份已经全部做完了，明早可以照常下载。</p></div>"
    html = pages.discuz(pages.TEXTS[:2]).replace("<div id=footer>", f"{sidebar}<div id=footer>")
    assert qc.extract(html).text.split("\n") == list(pages.TEXTS[:2])


def test_a_form_to_write_posts_is_no_content():
    rules = "".join(f"<li>第{n}条，上传的图片不得超过两兆，违者由版主删除。</li>" for n in range(9))
    form = f"<form><textarea></textarea><ul>{rules}</ul></form>"
    html = pages.discuz().replace("<div id=postlist>", f"{form}<div id=postlist>")
    assert qc.extract(html).text.split("\n") == list(pages.TEXTS)


def test_posts_in_the_form_of_a_moderator_are_content():
    html = pages.discuz().replace("<div id=postlist>", "<form><div id=postlist>")
    html = html.replace("<div id=footer>", "<textarea></textarea></form><div id=footer>")
    assert qc.extract(html).text.split("\n") == list(pages.TEXTS)


def imageboard(title):
    posts = "".join(
        f"<div class=post id=r{n + 70}><div class=post-head><span class=title>{'無題' if n else '镜像'}"
        f"</span><span class=name>無名</span><span class=now>2012/03/0{n + 1} 19:5{n}:47</span>"
        f"<a href=#r{n}>No.{n + 70}</a></div><div class=quote>{text}</div></div>"
        for n, text in enumerate(pages.TEXTS)
    )
    return pages.page(f"<div class=thread>{posts}</div>", title)


def test_the_subject_is_the_headline_where_the_title_is_an_excerpt():
    assert qc.extract(imageboard(f"{pages.TEXTS[0][:14]} ... - 綜合")).title == "镜像"
    assert qc.extract(imageboard("镜像服务器换了硬盘之后 - 綜合")).title == "镜像服务器换了硬盘之后"


# Kinds of blocks


def kinds_of(content, texts):
    """Kinds of the blocks that hold these texts, and of all others."""
    inside = [b.kind for text in texts for b in content.blocks if text in b.text]
    outside = [b.kind for b in content.blocks if not any(text in b.text for text in texts)]
    return inside, outside


@pytest.mark.parametrize("html", [pages.discuz(), pages.phpbb()], ids=["discuz", "phpbb"])
def test_blocks_of_posts(html):
    content = qc.extract(html)
    inside, outside = kinds_of(content, texts_of(content.posts))
    assert inside == ["post"] * len(content.posts)
    assert set(outside) == {"noise"}  # headers of posts, too
    assert content_columns(content)["content_text"] == content.text
    assert {row["kind"] for row in block_columns(content.segmentation)["blocks"]} >= {"post"}


def test_blocks_of_comments():
    content = qc.extract(pages.wordpress(ARTICLE))
    inside, outside = kinds_of(content, pages.ENGLISH)
    assert inside == ["comment"] * len(pages.ENGLISH)
    assert {"content"} <= set(outside) <= {"content", "noise"}


def test_other_methods_know_no_posts_among_blocks():
    kinds = {block.kind for block in qc.extract(pages.discuz(), method="quark").blocks}
    assert kinds <= {"content", "rel_link", "noise"}


def test_posts_are_content_for_what_reads_kinds():
    content = qc.extract(pages.discuz())
    assert {block.kind for block in content.blocks} == {"post", "noise"}
    assert any(pages.TEXTS[0] in text for text in content_texts(content))
    assert dlut(content.segmentation) == 1.0


# Neither


@pytest.mark.parametrize(
    "html",
    [
        f"<h1>Mirrors at night</h1>{ARTICLE}",
        pages.page(
            "".join(
                f"<div class=post><h2><a href=/a{n}>Report {n}</a></h2><span class=date>2012-3-{n}"
                f"</span> <a href=/author/ivy>Ivy</a><p>{SENTENCE}</p></div>"
                for n in range(1, 9)
            )
        ),
        "",
        "<div class=comment></div>" * 9,
    ],
)
def test_articles_and_lists_have_no_posts(html):
    content = qc.extract(html)
    assert content.posts == content.comments == ()


# Any markup


PIECES = (
    "<div class=post id=p{}>", "<li class=comment id=comment-{}>", "<div class=message-body>",
    "<a href=/user/{}>Ivy</a>", "<time datetime=2012-03-0{}>", "2012-3-{} 08:30", "<blockquote>",
    "<div class=quote>", "<p>", "</div>", "</li>", "<textarea>", "</textarea>", "<ol>", "</ol>",
    "Mirrors are copied, one by one.", "回复", "{}楼", "<tr>", "<td>", "<table>", "\ud800", " ago",
    "<noscript>", "<img class=avatar>",
)  # fmt: skip


@settings(max_examples=examples(300))
@given(st.lists(st.tuples(st.sampled_from(PIECES), st.integers(0, 9)), max_size=60))
def test_any_markup(drawn):
    tree = Page.from_html("".join(piece.replace("{}", str(n)) for piece, n in drawn)).tree
    found = find_posts(tree)
    if found is None:
        return
    assert found.items == sorted(found.items)
    assert set(found.text_run[found.text_run >= 0].tolist()) == set(range(len(found)))
    for number, (item, body) in enumerate(zip(found.items, found.bodies, strict=True)):
        assert item <= body < tree.end[item]
        runs = np.flatnonzero(found.text_run == number)
        assert tree.run_start[body] <= runs[0] <= runs[-1] < tree.run_end[body]
    content = qc.extract(Page.from_html("".join(p.replace("{}", str(n)) for p, n in drawn)))
    assert content.failure is None
    assert all(post.text for post in content.posts + content.comments)


@pytest.mark.parametrize(
    "html",
    [
        "<div class=post id=p1>2012-3-5 08:30 <a href=/user/1>Ivy</a> a, b." * 4_000,
        "<div class=post id=p1>2012-3-5 08:30 <a href=/user/1>Ivy</a> a, b.</div>" * 4_000,
        "<div class=comment><p>2012-3-5 <i class=author>I</i>" * 2_000,
        f"<div class='{' '.join(f'post{chr(97 + n)}' for n in range(26))}'>5:30" * 3_000,
    ],
)
def test_hostile_pages_end_soon(html):
    content = qc.extract(html)
    assert content.failure is None
    assert len(content.posts) <= 4_000


def test_headers_in_many_elements_are_looked_at_a_few_times(monkeypatch):
    looks = []
    finder = posts_module._Finder
    monkeypatch.setattr(posts_module, "_Finder", lambda *a, **b: looks.append(a) or finder(*a, **b))
    opened = "".join(f"<div class=w{chr(97 + n // 26)}{chr(97 + n % 26)}>" for n in range(60))
    item = (
        "<span class=comment-info><a href=/people/{}/>天网影迷会员</a> <span>看过</span>"
        "<span class=comment-time>2024-04-10 13:19:20</span> <span>内蒙古</span></span>"
    )
    items = "".join(f"{opened}{item.format(n)}{'</div>' * 60}" for n in range(12))
    assert qc.extract(pages.page(f"<div id=all>{items}</div>")).posts == ()
    assert 1 < len(looks) <= 4


# Dates


@pytest.mark.parametrize(
    ("text", "is_dated"),
    [
        ("2012-3-5 08:30", True),
        ("5 分钟前", True),
        ("3小时前", True),
        ("two hours ago", True),
        ("March 5", True),
        ("Mar. 5, 2012", True),
        ("Sunday 8th", True),
        ("2012年3月5日", True),
        ("in 2012", True),
        ("Room 5", False),
        ("前", False),
        ("12345678", False),
        ("agog", False),
        ("x" * 200 + " 2012-3-5", False),
    ],
)
def test_runs_with_dates(text, is_dated):
    dated, n_dates = dated_runs(Page.from_html(f"<p>{text}</p>").tree)
    assert dated.tolist() == [is_dated]
    assert n_dates == is_dated


@given(st.text(max_size=30))
def test_loop_takes_any_characters(text):
    codes = np.frombuffer((text + "\0").encode("utf-32-le", "surrogatepass"), np.uint32)
    starts, dated = np.array([0, len(codes)], np.int32), np.zeros(1, np.bool_)
    marks = np.array([58], np.uint16)
    months = np.array([1], np.int32)
    assert mark_dates(codes, starts, 80, marks, marks, months, dated) == dated.sum()


def custom_thread(texts):
    """A thread in elements whose names the site made up, and whose classes tell nothing."""
    first = f"<x-thread><h1>Mirrors</h1><div class='md large'><p>{texts[0]}</p></div></x-thread>"
    items = "".join(
        f"<x-comment><div><a href=/user/m{n}>member{n}</a> "
        f"<time datetime=2025-02-0{n + 1}T08:10:00Z>2 months ago</time></div>"
        f"<div class=md><p>{text}</p></div><div><button>Reply</button></div></x-comment>"
        for n, text in enumerate(texts[1:])
    )
    return f"{first}<x-comment-tree>{items}</x-comment-tree>"


def test_names_of_custom_elements_tell_posts():
    texts = [f"{SENTENCE * 2}{n}".strip() for n in range(5)]
    posts = qc.extract(pages.page(custom_thread(texts), "Mirrors")).posts
    assert texts_of(posts) == tuple(texts)
    assert [post.author for post in posts[1:]] == [f"member{n}" for n in range(4)]


@pytest.mark.parametrize("name", ["data-testid", "data-hook"])
def test_names_for_tests_tell_posts(name):
    texts = [f"{SENTENCE * 2}{n}".strip() for n in range(5)]
    html = custom_thread(texts).replace("<x-comment>", f"<div class=x1 {name}=comment-box>")
    html = html.replace("</x-comment>", "</div>").replace("x-comment-tree", "div")
    assert texts_of(qc.extract(pages.page(html, "Mirrors")).posts) == tuple(texts)


def test_a_card_that_a_script_shows_tells_the_author():
    comments = "".join(
        f"<div class=issue-comment id=issuecomment-{n}><div><a href=/m{n} "
        f"data-hovercard-url=/users/m{n}/hovercard>member{n}</a> commented "
        f"<a href=#c{n}>on Feb {n + 1}, 2025</a></div><div class=md><p>{SENTENCE * 2}{n}</p></div></div>"
        for n in range(4)
    )
    first = f"<h1>Mirrors</h1><div class=md><p>{SENTENCE}</p></div>"
    posts = qc.extract(pages.page(f"{first}<div>{comments}</div>", "Mirrors")).posts
    assert [post.author for post in posts] == [f"member{n}" for n in range(4)]
