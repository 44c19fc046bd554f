"""Made-up pages of boards and blogs, in the markup of several programs."""

TEXTS = (
    "我们的镜像服务器昨晚换了硬盘，有人知道为什么同步变慢了吗？日志里没有任何报错。",
    "先看看是不是阵列还在重建，重建的时候读写都会慢，等它做完再测一次。",
    "多谢，果然还在重建，今晚再看。",
    "同求结果，我们学校的也一样。",
)
ENGLISH = (
    "Since the update my build takes twice as long, and the log shows nothing. What can I check?",
    "Look at the cache first, it was moved to another folder, so everything is compiled anew.",
    "That was it, thank you both.",
)


def page(body, title="镜像同步变慢 - 天网论坛"):
    """A page with what stands around the body of any page."""
    nav = "".join(f"<li><a href=/f{n}>版块{n}</a></li>" for n in range(6))
    foot = "<div id=footer>Copyright 2012 天网 京ICP备05005746号</div>"
    return f"<title>{title}</title><body><ul class=nav>{nav}</ul>{body}{foot}"


def discuz(texts=TEXTS, edits=""):
    """A thread as Discuz! writes it."""
    posts = "".join(
        f"<div id=post_{100 + n}><table id=pid{100 + n} class=plhin><tr><td class=pls><div class=pi>"
        f"<div class=authi><a href='home.php?mod=space&amp;uid={n + 7}' class=xw1>会员{n}号</a></div>"
        f"</div><div class=avatar><img src=noavatar.gif></div><p>积分 {n * 12}</p></td>"
        f"<td class=plc><div class=pi><strong><a id=postnum{100 + n}>{n + 1}楼</a></strong>"
        f"<div class=authi><em>发表于 2012-3-{n + 1} 08:3{n}</em></div></div><div class=pct>"
        f"<div class=pcb><div class=t_fsz><table><tr><td class=t_f id=postmessage_{100 + n}>{text}"
        f"{edits}</td></tr></table></div></div></div><div class=sign>签名：天道酬勤</div>"
        f"<div class=po><a>回复</a> <a>举报</a></div></td></tr></table></div>"
        for n, text in enumerate(texts)
    )
    return page(f"<h1>镜像同步变慢</h1><div id=postlist>{posts}</div>")


def phpbb(texts=ENGLISH, quote=""):
    """A thread as phpBB writes it; the last post quotes the first if a quotation is given."""
    posts = "".join(
        f"<div id=p{500 + n} class='post bg{n % 2 + 1}'><div class=inner><div class=postbody>"
        f"<p class=author>by <strong><a href='./memberlist.php?u={n}'>rowan{n}</a></strong> "
        f"&raquo; Mon Mar 0{n + 1}, 2012 5:3{n} pm</p><div class=content>"
        f"{quote if n == len(texts) - 1 else ''}{text}</div></div>"
        f"<dl class=postprofile><dt><a href='./memberlist.php?u={n}'>rowan{n}</a></dt>"
        f"<dd>Posts: {n * 31}</dd><dd>Joined: Tue May 04, 2010 1:00 am</dd></dl></div></div>"
        for n, text in enumerate(texts)
    )
    return page(f"<div id=page-body><h2>Slow builds</h2>{posts}</div>", "Slow builds - Board")


def stack_exchange(texts=ENGLISH):
    """A question and its answers as Stack Exchange writes them: who wrote a text stands behind it."""

    def cell(n, text):
        people = ("editor", 90 + n, ""), (f"rowan{n}", n, "itemprop=author")
        cards = "".join(
            f"<div class=user-info><div class=user-action-time>{'asked' if mark else 'edited'} <span "
            f"class=relativetime title='2012-03-0{n + 1} 0{9 - bool(mark)}:30:00Z'>Mar {n + 1}, 2012"
            f"</span></div><div class=user-details {mark}><a href=/users/{number}/{name}>{name}</a>"
            f"</div></div>"
            for name, number, mark in people[n == 1 :]
        )
        return f"<div class=postcell><div class='s-prose js-post-body'>{text}</div>{cards}</div>"

    answers = "".join(
        f"<div class=answer id=answer-{n}>{cell(n, text)}</div>"
        for n, text in enumerate(texts)
        if n
    )
    return page(
        f"<a href=/users>Users</a><h1>Slow builds</h1><div id=question class=question>"
        f"{cell(0, texts[0])}</div><div id=answers><h2>Answers</h2>{answers}</div>",
        "Slow builds",
    )


def vbulletin(date, texts=ENGLISH):
    """A thread as vBulletin 4 writes it, with this date above each post."""
    posts = "".join(
        f"<li class=postbitlegacy id=post_{n}><div class=posthead><span class=postdate>{date}</span>"
        f"<a class=postcounter name=post{n}>#{n + 1}</a></div><div class=userinfo><a class=username "
        f"href='member.php?{n}'>rowan{n}</a></div><div class=content><blockquote class=postcontent>"
        f"{text}</blockquote></div><div class=postfoot><a href=r{n}>Reply With Quote</a></div></li>"
        for n, text in enumerate(texts)
    )
    return page(f"<h1>Slow builds</h1><ol id=posts>{posts}</ol>", "Slow builds")


def wordpress(article, comments=ENGLISH):
    """An article with comments as WordPress writes them; each answers the one before."""
    thread = ""
    for n, text in reversed([*enumerate(comments)]):
        thread = (
            f"<li id=comment-{n + 20} class='comment even thread-even depth-{n + 1}'>"
            f"<article id=div-comment-{n + 20} class=comment-body><div class='comment-author vcard'>"
            f"<img class=avatar><b class=fn>Ivy {chr(65 + n)}</b> <span class=says>says:</span></div>"
            f"<div class=comment-metadata><a href=#comment-{n + 20}>March {n + 1}, 2012 at 5:3{n} pm"
            f"</a></div><div class=comment-content><p>{text}</p></div>"
            f"<div class=reply><a href=?replytocom={n + 20}>Reply</a></div></article>"
            f"<ol class=children>{thread}</ol></li>"
        )
    return page(
        f"<article class='post type-post'><h1>Mirrors at night</h1>{article}</article>"
        f"<div id=comments><h2>Comments</h2><ol class=comment-list>{thread}</ol>"
        f"<form><textarea></textarea></form></div>",
        "Mirrors at night",
    )


def nameless(texts=ENGLISH * 3):
    """A thread in a table without any names."""
    rows = "".join(
        f"<tr><td><a href=/profile/{n}>rowan{n}</a><br>5-{n + 1}-2012, 1{n}:15</td><td>{text}"
        f"<br><a name=p{n + 300}></a><a href=/r{n}>Reply</a></td></tr>"
        for n, text in enumerate(texts)
    )
    return page(f"<table>{rows}</table>", "Slow builds")


def comment_items(texts, name="comment"):
    return "".join(
        f"<ul class={name} id=comment-{n + 70}><li class=author><a href=/u{n}>rowan{n}</a></li>"
        f"<li class=date>13 December 2011 7:0{n % 10}PM</li><li class=body>{text}</li>"
        f"<li class=reply><a href=?r{n}>Reply</a></li></ul>"
        for n, text in enumerate(texts)
    )
