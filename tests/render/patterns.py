"""Pages that scripts build, each in another way, with the text that a reader sees.

Every pattern is one page with its further files; ``SENTENCES`` are handed out so that no two
pages share one. The text stands in scripts, in data or in no place at all, so that reading the
page as it was sent finds next to nothing of it.
"""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass, field

SUBJECTS = (
    "市图书馆", "东湖公园", "老城区", "山区小学", "渔港", "地铁三号线", "古镇", "气象台", "果园", "博物馆",
    "体育中心", "水利局", "茶农", "剧团", "研究所", "社区医院", "港务公司", "植物园", "消防队", "邮局",
    "书店", "糖厂", "乡村公路", "天文馆",
)  # fmt: skip
EVENTS = (
    "在春节前后接待了比往年更多的来访者，工作人员把开放时间延长了两个小时。",
    "公布了今年上半年的统计数字，其中有三项指标高于预期，另外两项与去年持平。",
    "请来几位退休的老师傅，向年轻人讲解当年怎样用手工完成这些细致的活计。",
    "计划把沿河的旧仓库改造成展览空间，预计在明年秋天以前向公众开放。",
)


@dataclass(frozen=True)
class Pattern:
    """A page, its files by path, and its text in paragraphs."""

    name: str
    html: str
    paragraphs: tuple[str, ...]
    files: dict[str, tuple[str, str]] = field(default_factory=dict)

    @property
    def text(self) -> str:
        return "".join(self.paragraphs)


def story(number: int) -> tuple[str, ...]:
    subject = SUBJECTS[number]
    return tuple(f"{subject}{event}编号{number}{k}。" for k, event in enumerate(EVENTS))


def page(title: str, body: str, head: str = "") -> str:
    return (
        f'<!DOCTYPE html><html><head><meta charset="utf-8"><title>{title}</title>{head}</head>'
        f"<body>{body}</body></html>"
    )


ADD = """
function add(parent, list) {
  for (const t of list) { const p = document.createElement('p'); p.textContent = t; parent.append(p); }
}
"""


def _patterns() -> list[Pattern]:
    made: list[Pattern] = []

    def make(name: str, body: str, files: dict[str, tuple[str, str]] | None = None, head: str = ""):
        text = story(len(made))
        values = {
            "TEXT": json.dumps(text, ensure_ascii=False),
            "MARKUP": json.dumps("".join(f"<p>{t}</p>" for t in text), ensure_ascii=False),
            "BASE64": base64.b64encode("\n".join(text).encode()).decode(),
            "CODES": json.dumps([[ord(c) for c in t] for t in text]),
        }

        def fill(source: str) -> str:
            for key, value in values.items():
                source = source.replace(f"%{key}%", value)
            return source

        other = {path: (kind, fill(body)) for path, (kind, body) in (files or {}).items()}
        made.append(Pattern(name, page(f"页面{name}", fill(body), fill(head)), text, other))

    js, data, html = "text/javascript", "application/json", "text/html; charset=utf-8"
    make(
        "document-write", "<script>for (const t of %TEXT%) document.write('<p>'+t+'</p>')</script>"
    )
    make(
        "inner-html",
        "<div id=m></div><script>addEventListener('load',()=>{m.innerHTML=%MARKUP%})</script>",
    )
    make(
        "fetch-json",
        f"<main id=m>载入中</main><script>{ADD}fetch('fetch-json/d.json').then(r=>r.json()).then(d=>{{m.textContent='';add(m,d.list)}})</script>",
        {"fetch-json/d.json": (data, '{"list":%TEXT%}')},
    )
    make(
        "xhr",
        f"<div id=m></div><script>{ADD}const x=new XMLHttpRequest();x.open('GET','xhr/d.json');x.onload=()=>add(m,JSON.parse(x.responseText));x.send()</script>",
        {"xhr/d.json": (data, "%TEXT%")},
    )
    make(
        "timer",
        f"<div id=m></div><script>{ADD}const t=%TEXT%;let k=0;const i=setInterval(()=>{{add(m,[t[k++]]);if(k==t.length)clearInterval(i)}},700)</script>",
    )
    make(
        "shadow-open",
        f"<x-story></x-story><script>{ADD}customElements.define('x-story',class extends HTMLElement{{connectedCallback(){{add(this.attachShadow({{mode:'open'}}),%TEXT%)}}}})</script>",
    )
    make(
        "shadow-closed-slots",
        "<x-card></x-card><script>customElements.define('x-card',class extends HTMLElement{connectedCallback(){const t=%TEXT%;const s=this.attachShadow({mode:'closed'});s.innerHTML='<slot name=a></slot><p></p><slot></slot><x-in></x-in>';s.querySelector('p').textContent=t[1];const h=(x,n)=>{const p=document.createElement('p');p.textContent=x;if(n)p.slot=n;this.append(p)};h(t[2]);h(t[0],'a');const n=s.querySelector('x-in').attachShadow({mode:'closed'});n.innerHTML='<p></p>';n.firstChild.textContent=t[3]}})</script>",
    )
    make(
        "frame",
        '<iframe src="frame/inner" width=800 height=600></iframe>',
        {
            "frame/inner": (
                html,
                f"<!DOCTYPE html><body><script>{ADD}add(document.body,%TEXT%)</script>",
            )
        },
    )
    make(
        "frame-srcdoc",
        "<div id=m></div><script>const f=document.createElement('iframe');f.srcdoc=%MARKUP%;m.append(f)</script>",
    )
    make(
        "template",
        f"<div id=m></div><script>{ADD}const b=document.createElement('template');add(b.content,%TEXT%);m.append(b.content.cloneNode(true))</script>",
    )
    make(
        "module",
        '<article id=m></article><script type=module src="module/main.js"></script>',
        {
            "module/main.js": (
                js,
                "import {list} from './data.js';" + ADD + "add(document.getElementById('m'),list)",
            ),
            "module/data.js": (js, "export const list=%TEXT%"),
        },
    )
    make(
        "endless-scroll",
        f"<div style='height:1200px'></div><div id=m></div><div id=end style='height:1px'></div><script>{ADD}const t=%TEXT%;let k=0;new IntersectionObserver(e=>{{if(e[0].isIntersecting&&k<t.length){{add(m,[t[k++]]);m.lastChild.style.height='1500px'}}}}).observe(document.getElementById('end'));addEventListener('scroll',()=>{{}})</script>",
    )
    make(
        "scroll-event",
        f"<div id=m style='min-height:2500px'></div><script>{ADD}const t=%TEXT%;let k=0;addEventListener('scroll',()=>{{if(k<t.length&&innerHeight+scrollY>=document.documentElement.scrollHeight-5){{add(m,t.slice(k,k+2));k+=2;m.lastChild.style.marginBottom='2000px'}}}})</script>",
    )
    make(
        "base64",
        f"<div id=m></div><script>{ADD}add(m,new TextDecoder().decode(Uint8Array.from(atob('%BASE64%'),c=>c.charCodeAt(0))).split('\\n'))</script>",
    )
    make(
        "char-codes",
        f"<div id=m></div><script>{ADD}add(m,%CODES%.map(c=>String.fromCharCode(...c)))</script>",
    )
    make(
        "jsonp",
        f"<div id=m></div><script>{ADD}function got(d){{add(m,d)}};const s=document.createElement('script');s.src='jsonp/d.js?callback=got';document.head.append(s)</script>",
        {"jsonp/d.js": (js, "got(%TEXT%)")},
    )
    make(
        "hydration",
        "<div id=app><p>正在加载</p></div><script id=state type='application/json'>{\"story\":%TEXT%}</script><script defer src='hydration/app.js'></script>",
        {
            "hydration/app.js": (
                js,
                ADD
                + "const d=JSON.parse(document.getElementById('state').textContent);const a=document.getElementById('app');a.replaceChildren();requestAnimationFrame(()=>requestAnimationFrame(()=>Promise.resolve().then(()=>add(a,d.story))))",
            )
        },
    )
    make(
        "hash-router",
        f"<nav><a href='#/a'>甲</a><a href='#/b'>乙</a></nav><div id=m></div><script>{ADD}function go(){{m.replaceChildren();if(location.hash=='#/a')add(m,%TEXT%)}}addEventListener('hashchange',go);location.hash='#/a'</script>",
    )
    make(
        "push-state",
        f"<div id=m></div><script>{ADD}history.replaceState({{}},'','push-state?view=1');add(m,%TEXT%)</script>",
    )
    make(
        "dom-parser",
        "<div id=m></div><script>const d=new DOMParser().parseFromString('<section>'+%MARKUP%+'</section>','text/html');m.append(...d.body.firstChild.childNodes)</script>",
    )
    make(
        "worker",
        f"<div id=m></div><script>{ADD}const w=new Worker(URL.createObjectURL(new Blob(['postMessage(%TEXT%)'.replaceAll('\\n',' ')])));w.onmessage=e=>add(m,e.data)</script>",
    )
    make(
        "mutation-chain",
        f"<div id=m></div><script>{ADD}const t=%TEXT%;new MutationObserver(()=>{{if(m.childElementCount<t.length)add(m,[t[m.childElementCount]])}}).observe(m,{{childList:true}});add(m,[t[0]])</script>",
    )
    make(
        "reload",
        f"<div id=m></div><script>{ADD}if(!document.cookie.includes('seen=1')){{document.cookie='seen=1';location.reload()}}else add(m,%TEXT%)</script>",
    )
    make(
        "paragraph-in-p",
        "<p id=m></p><script>for(const t of %TEXT%){const d=document.createElement('div');d.textContent=t;m.append(d)}</script>",
    )
    return made


PATTERNS = {pattern.name: pattern for pattern in _patterns()}
