"""Pages for the report tests: one of 2005, one that attacks its viewer."""

from __future__ import annotations

import re

from quarkcrawl.page import Page, PageTree
from quarkcrawl.segment import QuarkRecognizer

_LEGEND = re.compile("<template shadowrootmode.*?</template>", re.DOTALL)
TEXT = "春天来了，校园里的樱花开得正好，学生们在湖边读书。老人们在树下下棋，孩子们放着风筝。"

TABLES = f"""<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN">
<html><head><title>樱花开了</title><style>td.nav {{ font-size: 12px }}</style></head>
<body bgcolor="#ffffff" text="#000000">
<table width="760" align="center"><tr><td class="nav" colspan="2">
<a href="/">首页</a> | <a href="/news/">新闻</a> | <a href="/campus/">校园</a> |
<a href="/sports/">体育</a></td></tr>
<tr><td width="560"><h1>樱花开了</h1>
<table><tr><td><p>{TEXT * 4}</p><p>{TEXT * 3}</p></td></tr></table></td>
<td bgcolor="#eeeeee"><ul><li><a href="/news/1.html">图书馆新到一批书</a></li>
<li><a href="/news/2.html">第二教学楼的报告</a></li></ul></td></tr>
<tr><td colspan="2" align="center">版权所有 &copy; 2005 &lt;校报&gt;</td></tr></table></body></html>"""

HOSTILE = """<!doctype html><html onclick="pwn(1)"><head><title>攻击</title>
<base href="§/base/"><base target="_top">
<meta http-equiv="refresh" content="0;url=§/refresh">
<meta http-equiv="refresh" content="0;url=javascript:pwn(2)">
<meta http-equiv="Content-Security-Policy" content="default-src * 'unsafe-inline'">
<link rel="stylesheet" href="§/sheet.css"><link rel="icon" href="§/icon.ico">
<link rel="preload" as="image" href="§/preload.png"><link rel="prefetch" href="§/prefetch">
<link rel="preconnect" href="§/"><link rel="dns-prefetch" href="§/"><link rel="manifest" href="§/m">
<template><svg><style>&lt;/style&gt;&lt;img src=x: onerror=pwn(34)&gt;</style></svg></template>
<link rel="import" href="§/import"><link rel="modulepreload" href="§/module.js">
<style>@import "§/import.css"; @import url(§/import2.css); @\\69mport "§/import3.css";
@font-face { font-family: x; src: url(§/font.woff) } body { background: url("§/back.png");
font-family: x; display: none !important } p { background-image: u\\72l(§/escaped.png) }
template, aside, .bar, .page { display: none !important } qk-run { display: none !important }
@layer qk { qk-run { display: none !important } } :host { display: none !important }
#cover { position: fixed; inset: 0; background: #00ff00; z-index: 2147483647 }</style>
<script>function pwn(n) { document.title = "pwned"; new Image().src = "§/pwned" + n } pwn(3)</script>
<script src="§/script.js"></script><script type="module" src="§/module.js"></script>
<script type="speculationrules">{"prefetch": [{"urls": ["§/speculation"]}]}</script>
</head><body onload="pwn(4)" background="§/background.png" style="color:red;display:none!important">
<div id="cover" style="position:fixed!important">遮住一切</div>
<img src="§/x.png" onerror="pwn(5)" srcset="§/2x.png 2x"><img src=x: onerror=pwn(6)>
<picture><source srcset="§/source.webp"><img src="§/y.png"></picture>
<iframe src="§/frame"></iframe><iframe srcdoc="<script>parent.pwn(7)</script>"></iframe>
<object data="§/object.swf"><embed src="§/embed.swf">对象</object><applet code="§/a.class"></applet>
<video src="§/v.mp4" poster="§/poster.png" autoplay onloadstart="pwn(8)"></video>
<audio src="§/a.mp3" autoplay></audio><input type="image" src="§/input.png" onfocus="pwn(9)" autofocus>
<svg onload="pwn(10)"><script>pwn(11)</script><animate onbegin="pwn(12)" attributeName="x" dur="1s"/>
<image href="§/svgimage.png"/><use href="§/sprite.svg#x"/><a xlink:href="javascript:pwn(13)"><text>图</text>
</a><style>&lt;/style&gt;&lt;img src=x: onerror=pwn(14)&gt;</style></svg>
<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=pwn(15)&gt;">
</table></mtext></math>
<noscript><p title="</noscript><img src=x: onerror=pwn(16)>">无脚本</p></noscript>
<a href="javascript:pwn(17)" ping="§/ping">点击</a><a href=" java&#10;script:pwn(18)">再点击</a>
<a href="data:text/html,<script>pwn(19)</script>">数据</a><a href="vbscript:pwn(20)">旧</a>
<form action="§/form" id="f"><button formaction="javascript:pwn(21)" autofocus>提交</button></form>
<details ontoggle="pwn(22)" open><summary>详情</summary>内容</details><marquee onstart="pwn(23)">动</marquee>
<template shadowrootmode="open"><img src="§/shadow.png"><script>pwn(24)</script></template>
<div><template shadowrootmode="open"><img src="§/shadow2.png"></template></div>
<xmp></qk-run><script>pwn(25)</script></xmp><textarea></textarea><img src=x: onerror=pwn(26)></textarea>
<p id="qk-block-0" data-qk-info="假" title='"><script>pwn(27)</script>' style="background:url(§/inline.png)">
&lt;script&gt;pwn(28)&lt;/script&gt;</p><qk-run onclick="pwn(29)" data-qk-label="假">假的</qk-run>
<x-a onpointerover=pwn(30)>自定</x-a><div popover id=pop>弹出</div><dialog open>对话</dialog>
<embed src="javascript:pwn(31)"><frame src="§/frame2"><bgsound src="§/b.mid"><body onhashchange="pwn(32)">
<table background="§/table.png"><tr><td background="§/cell.png">格</td></tr></table><plaintext><script>pwn(33)
"""
"""A page that tries to run scripts and to load things; ``§`` stands for the address of a server."""


HOSTILE_LOOKS = """<style>b{background:image-set("§/set.png" 1x)}i{background:url(/**/"§/comment.png")}
u{background:u\\52 l("§/hex.png")}s{background:\\url('§/letter.png')}p{width:1px}</style>
<style>@import/**/"§/glued.css";</style><style>@import'§/tight.css'</style><style>@\\import "§/odd.css";</style>
<style>@import "§/open.css</style><style>q{background:url("§/cut.png</style><style>q{background:url(§/cut2.png</style>
<b>一</b><i>二</i><u>三</u><s>四</s><q>五</q><p style='background:u\\72l("§/style.png")'>六</p>
<p style="background:-webkit-image-set('§/webkit.png' 1x)">七</p><p style="background:url('§/unclosed.png">八</p>
<svg width=9 height=9><rect width=9 height=9 fill="url(§/fill.svg#a)" style="fill:url(§/fill2.svg#b)"/>
<rect width=9 height=9 fill="u\\72l(§/fill3.svg#a)" clip-path="url(§/clip.svg#a)" mask="url(§/mask.svg#a)"/></svg>
"""
"""Addresses in style sheets, written so that they are not found easily."""


def segmented(html: str, url: str = "http://www.a.cn/news/3.html"):
    """A page and its blocks."""
    page = Page.from_html(html, url)
    return page, QuarkRecognizer().recognize(page)


def tree_of_copy(document: str) -> PageTree:
    """The copy of a page in a document, without the legend in its shadow tree."""
    return PageTree.parse(_LEGEND.sub("", document, count=1))
