"""Comments below articles: found, told from threads, and no content of the page."""

import pytest

import quarkcrawl as qc
from quarkcrawl.content import content_columns
from quarkcrawl.content.posts import find_posts
from quarkcrawl.content.posts.header import header_of
from quarkcrawl.page import Page
from tests.content.posts import pages

SENTENCE = "The mirrors are copied at night, when few people read, and checked in the morning. "
ARTICLE = "".join(f"<p>{SENTENCE * 3}{n}.</p>" for n in range(6))


def texts_of(posts):
    return tuple(post.text for post in posts)


def test_comments_are_kept_but_are_no_content():
    content = qc.extract(pages.wordpress(ARTICLE))
    assert texts_of(content.comments) == pages.ENGLISH
    assert [post.author for post in content.comments] == ["Ivy A", "Ivy B", "Ivy C"]
    assert content.posts == ()
    assert SENTENCE.strip() in content.text
    assert not any(text in content.text for text in pages.ENGLISH)


def test_the_first_post_is_the_text_nearest_to_the_replies_and_none_of_a_side_column():
    texts = [f"{SENTENCE * 2}{n}" for n in range(7)]
    rules, first = (f"<ul><li class=body>{text}</li></ul>" for text in (SENTENCE, texts[0]))
    items = pages.comment_items(texts[1:])
    tree = Page.from_html(
        pages.page(f"<div>{rules}</div><div><div>{first}</div><div id=all>{items}</div></div>")
    ).tree
    posts = find_posts(tree, thread_probability=lambda: 0.9)
    assert posts is not None
    assert [tree.text(body).strip() for body in posts.bodies] == texts


def test_many_comments_of_a_discussion_are_comments():
    texts = [f"{SENTENCE * 3}{n}" for n in range(30)]
    html = (
        f"<article><h1>Mirrors</h1>{ARTICLE}</article><div class=discussion>"
        f"<div id=discussion-comments>{pages.comment_items(texts)}</div></div>"
    )
    content = qc.extract(pages.page(html, "Mirrors"))
    assert content.posts == ()
    assert len(content.comments) == len(texts)
    assert SENTENCE * 3 + "29" not in content.text


@pytest.mark.parametrize(
    ("n_paragraphs", "likely", "kind"), [(12, 0.2, "comment"), (3, 0.2, "post")]
)
def test_a_long_text_named_as_a_topic_is_an_article(n_paragraphs, likely, kind):
    """Blogs and boards of questions name both so; answers to short ones are posts."""
    text = "".join(f"<p>{SENTENCE}{n}.</p>" for n in range(n_paragraphs))
    html = (
        f"<h1>Mirrors</h1><div id=topics><div class=postBody>{text}</div></div>"
        f"<div>{pages.comment_items(pages.ENGLISH)}</div>"
    )
    posts = find_posts(Page.from_html(html).tree, thread_probability=lambda: likely)
    assert posts
    assert posts.kind == kind


def test_links_before_dates_are_authors_of_comments():
    """Nothing but its place tells that such a link leads to who wrote the comment."""
    items = "".join(
        f"<div class=comment-item><div class=top><a>{name}</a><span>2025-03-1{n} 10:00</span>"
        f"</div><div class=con><span>{text}</span></div></div>"
        for n, (name, text) in enumerate(zip(("夜航船", "丁宁", "于磊"), pages.TEXTS, strict=False))
    )
    tree = Page.from_html(f"<h1>镜像</h1>{ARTICLE}<div class=comment-list>{items}</div>").tree
    posts = find_posts(tree, thread_probability=lambda: 0.01)
    assert posts
    assert (posts.kind, len(posts)) == ("comment", 3)
    assert [header_of(tree, posts, n)[0] for n in range(3)] == ["夜航船", "丁宁", "于磊"]


def test_authors_of_comments_by_their_place():
    """Nothing names them; a label before them is no name."""
    names = ["Ivy Ash", "rowan7", "Pat O’Neil"]
    items = "".join(
        f"<li><i>Comment by</i> <b>{name}</b> <time>March {n}, 2026</time><p>{text}</p>"
        f"<a href='#'>Reply</a></li>"
        for n, (name, text) in enumerate(zip(names, pages.ENGLISH, strict=True), 1)
    )
    html = f"<h1>Mirrors</h1>{ARTICLE}<section class=comments><h2>3 Comments</h2><ol>{items}</ol>"
    comments = qc.extract(html).comments
    assert [post.author for post in comments] == names


@pytest.mark.parametrize("n_others", [2, 4])
def test_the_accepted_answer_may_be_marked_up_in_another_way(n_others):
    answers = "".join(
        f"<div class=answer><div><a class=uname>网友{n}号</a> 2024-03-1{n}</div>"
        f"<div class=answer-text><p>{text}{n}</p></div></div>"
        for n, text in enumerate((pages.TEXTS * 2)[:n_others])
    )
    html = (
        f"<h1>镜像为什么变慢？</h1><div class=question><div class=q-content>{pages.TEXTS[0]}</div></div>"
        "<div class=best-answer><div class=who><a class=uname>夜航船</a> 2024-03-09</div>"
        f"<div class=best-text>{pages.TEXTS[1] * 3}</div></div><div class=others>{answers}</div>"
        f"<div class=answer-count>共有{n_others}个回答，请先登录，然后再写下您的回答，谢谢您的支持。</div>"
    )
    tree = Page.from_html(html).tree
    posts = find_posts(tree, thread_probability=lambda: 0.6)
    assert posts
    assert (posts.kind, len(posts)) == ("post", n_others + 2)
    assert tree.text(posts.bodies[1]) == pages.TEXTS[1] * 3


def test_reviews_amid_a_text_are_no_comments():
    texts = [f"{SENTENCE * 4}{n}" for n in range(4)]
    html = f"<article><h1>Mirrors</h1>{ARTICLE}{pages.comment_items(texts, 'review')}{ARTICLE * 3}</article>"
    found = qc.extract(pages.page(html, "Mirrors")).text
    assert all(text in found for text in texts)


def test_teasers_below_an_article_are_no_posts():
    teasers = "".join(
        f"<div class=forum-post><a href=/a{n}>{n}号线的新车站今天开放，市民可以进站参观</a>"
        f"<span class=author>天网社</span> <span class=date>{n + 1}小时前</span></div>"
        for n in range(8)
    )
    text = "地铁新车站今天开放参观，市民从两个入口进站，工作人员在站台上介绍了信号系统和列车。" * 4
    content = qc.extract(pages.page(f"<h1>新车站</h1><p>{text}</p>{teasers}", "新车站"))
    assert content.posts == ()
    assert "2号线" not in content.text
    assert text in content.text


def test_labels_are_no_posts():
    threads = "".join(
        f"<div class='structItem thread-{n}'><div class=author>rowan{n}</div><time>2012-3-{n + 1}"
        f"</time><div class=main><a href=/t{n}>Why is build {n} slow?</a></div>"
        f"<dl class=post-meta><dt>Views</dt></dl></div>"
        for n in range(9)
    )
    assert find_posts(Page.from_html(pages.page(threads)).tree) is None


def test_columns_of_posts():
    columns = content_columns(qc.extract(pages.wordpress(ARTICLE)))
    assert [post["kind"] for post in columns["posts"]] == ["comment"] * 3
    assert "own_text" not in columns["posts"][0]
    assert "posts" not in content_columns(qc.extract(f"<h1>Mirrors</h1>{ARTICLE}"))
