"""Pages that mean harm to the browser or to whoever waits for it; each shows SEEN at first."""

from __future__ import annotations

SEEN = "这一段是页面原来就有的文字。"


def _page(script: str, body: str = "") -> str:
    return (
        f'<!DOCTYPE html><html><head><meta charset="utf-8"><title>x</title></head><body><p>{SEEN}'
        f"</p>{body}<script>{script}</script></body></html>"
    )


HOSTILE = {
    "endless-loop": _page("for(;;);"),
    "endless-loop-late": _page("setTimeout(()=>{for(;;);},500)"),
    "endless-microtasks": _page("(function f(){Promise.resolve().then(f)})()"),
    "memory-strings": _page("const a=[];for(;;)a.push(new Array(1e5).fill(Math.random()))"),
    "memory-buffers": _page(
        "const a=[];setInterval(()=>{for(let k=0;k<8;k++)a.push(new Uint8Array(1<<24).fill(k+1))},1)"
    ),
    "dom-flood": _page(
        "const f=document.createDocumentFragment();"
        "for(let k=0;k<400000;k++)f.append(document.createElement('b'));document.body.append(f)"
    ),
    "dialogs": _page("alert('甲');confirm('乙');prompt('丙');for(let k=0;k<20;k++)alert(k)"),
    "endless-dialogs": _page("for(;;)alert(1)"),
    "leaving-dialog": _page("addEventListener('beforeunload',e=>{e.preventDefault();return 'x'})"),
    "downloads": _page(
        "for(let k=0;k<5;k++){const a=document.createElement('a');a.href='data:application/zip,'+k;"
        "a.download='x'+k;document.body.append(a);a.click()}"
        "const i=document.createElement('iframe');i.src='/huge';document.body.append(i)"
    ),
    "popups": _page("for(let k=0;k<50;k++)window.open('/small?'+k)"),
    "endless-requests": _page("let k=0;setInterval(()=>{fetch('/small?'+k++)},1)"),
    "request-flood": _page("for(let k=0;k<3000;k++)fetch('/small?'+k)"),
    "slow-requests": _page("let k=0;(function f(){fetch('/slow?'+k++).then(f)})()"),
    "redirect": _page("location.href='http://other.example.net/somewhere'"),
    "redirect-chain": _page("setInterval(()=>{location.href='/redirect?'+Math.random()},10)"),
    "meta-refresh": _page("", '<meta http-equiv=refresh content="0;url=/redirect">'),
    "reload-loop": _page("location.reload()"),
    "websocket": _page(
        "const w=new WebSocket('ws://127.0.0.1:'+(location.port||80)+'/');"
        "w.onerror=()=>document.body.append('错');new WebSocket('wss://www.example.com/x')"
    ),
    "private-addresses": _page(
        "for(const u of ['http://127.0.0.1:22/','http://169.254.169.254/latest','http://[::1]/',"
        "'http://10.0.0.1/','file:///etc/passwd','http://localhost:6379/'])"
        "fetch(u,{mode:'no-cors'}).catch(()=>0)"
    ),
    "other-sites": _page(
        "fetch('http://tracker.example.net/a');fetch('/away');"
        "const s=document.createElement('script');s.src='http://cdn.example.org/x.js';"
        "document.head.append(s);new Image().src='http://pixel.example.net/p.gif'"
    ),
    "webrtc": _page(
        "const c=new RTCPeerConnection({iceServers:[{urls:'stun:127.0.0.1:3478'}]});"
        "c.createDataChannel('x');c.createOffer().then(o=>c.setLocalDescription(o))"
    ),
    "console-flood": _page(
        "setInterval(()=>{for(let k=0;k<500;k++)console.log('行'.repeat(200))},1)"
    ),
    "deep-tree": _page(
        "let e=document.body;for(let k=0;k<3000;k++){const d=document.createElement('div');"
        "e.append(d);e=d}e.textContent='深'"
    ),
    "frames-in-frames": _page(
        "const i=document.createElement('iframe');i.src='/frames-in-frames?'+Math.random();"
        "document.body.append(i)"
    ),
    "odd-names": _page(
        "const e=document.createElement('x-\\u00e9:y');e.setAttribute('onclick','\"><script>');"
        "e.textContent='<b>&amp;';document.body.append(e);"
        "document.body.append(document.createElementNS('u:x','A:b'));"
        "document.body.append('\\ud800\\0')"
    ),
}
