"""Pages that try to send something past us, and a process that listens while a browser draws them.

Run as a program it prints, as JSON, what arrived: ``python -m tests.render.leaks MODE``. ``guarded``
is our browser, ``switches`` the same with WebRTC given back to pages, ``unguarded`` one without the
arguments that keep it silent, which shows that the listeners hear. Where the machine allows it, the
program runs in a network of its own, in which every address is this machine, names are asked at
``127.0.0.1:53``, and each packet is seen.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import selectors
import socket
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from pathlib import Path
from unittest import mock

from quarkcrawl.errors import FetchError
from quarkcrawl.page import Page
from quarkcrawl.render import Renderer, RenderLimits, Reply, browser, visit

SITE = "https://www.example.com/"
SEEN = "这一段是页面原来就有的文字。"
WEBRTC = ("stun", "turn", "candidates")
_NAME = "www.leak-by-name.net"

_WAIT = "<script>(async()=>{for(const k of [1,2,3])await fetch('/wait?'+k)})()</script>"
"""A page that rests at once would be closed before what it tries has begun."""

_RTC = """
const c = new RTCPeerConnection({iceServers: [%s]});
c.createDataChannel('x'); c.onicecandidate = () => 0;
c.createOffer().then(o => c.setLocalDescription(o)).catch(() => 0);
"""
_RTC_ANSWER = """
const a = new RTCPeerConnection(), b = new RTCPeerConnection();
a.createDataChannel('x');
const candidates = ['udp 2113937151 127.0.0.1 {udp} typ host', 'udp 2113937151 {name} {udp} typ host',
  'tcp 1518280447 127.0.0.1 {tcp} typ host tcptype passive'];
a.createOffer().then(o => a.setLocalDescription(o)).then(() => b.setRemoteDescription(
  a.localDescription)).then(() => b.createAnswer()).then(o => b.setLocalDescription(o)).then(
  () => a.setRemoteDescription(b.localDescription)).then(() => candidates.forEach((c, k) => {{
    for (const p of [a, b]) p.addIceCandidate({{sdpMid: '0', candidate:
      'candidate:' + k + ' 1 ' + c}}).catch(() => 0);
}}));
"""


def pages(tcp: int, udp: int) -> dict[str, str]:
    """Scripts and markup by what they try, aimed at two ports of this machine and at a name."""
    at, name = f"127.0.0.1:{tcp}", f"{_NAME}:{tcp}"
    both = (at, name, f"[::1]:{tcp}")
    stun = ",".join(f"{{urls:'stun:{host}:{udp}'}}" for host in ("127.0.0.1", "[::1]", _NAME))
    turn = ",".join(
        f"{{urls:'{scheme}:{host}:{port}?transport={kind}',username:'u',credential:'p'}}"
        for scheme, kind, port in (
            ("turn", "udp", udp),
            ("turn", "tcp", tcp),
            ("turns", "tcp", tcp),
        )
        for host in ("127.0.0.1", _NAME)
    )
    hints = "".join(
        f'<link rel="{relation}" href="{scheme}//{host}/{relation}" {more}>'
        for host in both
        for scheme in ("http:", "https:")
        for relation, more in (
            ("preconnect", ""), ("preconnect", "crossorigin"), ("dns-prefetch", ""),
            ("prefetch", ""), ("prerender", ""), ("preload", "as=script"),
            ("preload", "as=font crossorigin"), ("modulepreload", ""), ("stylesheet", ""),
            ("icon", ""), ("manifest", ""), ("apple-touch-icon", ""), ("compression-dictionary", ""),
        )
    )  # fmt: skip
    rules = json.dumps(
        {
            kind: [{"source": "list", "urls": [f"https://{h}/{kind}" for h in both],
                    "eagerness": "immediate"}]
            for kind in ("prefetch", "prerender")
        }
    )  # fmt: skip
    report = f"default-src *; report-uri http://{at}/csp https://{name}/csp; report-to away"
    return {
        "stun": f"<script>{_RTC % stun}</script>",
        "turn": f"<script>{_RTC % turn}</script>",
        "candidates": f"<script>{_RTC_ANSWER.format(udp=udp, tcp=tcp, name=_NAME)}</script>",
        "hints": hints,
        "hints of scripts": f"<script>document.head.innerHTML={json.dumps(hints)}</script>",
        "speculation": f"<script type=speculationrules>{rules}</script>",
        "reports": f'<meta http-equiv="Content-Security-Policy" content="{report}">'
        f'<meta http-equiv="Content-Security-Policy" content="img-src \'none\'; {report}">'
        f'<meta http-equiv="NEL" content=\'{{"report_to":"away","max_age":9}}\'>'
        f'<meta http-equiv="x-dns-prefetch-control" content="on"><img src="http://{at}/i.gif">'
        f'<a href="http://{name}/link">a</a><a href="https://{name}/link">b</a>',
        **{f"scripts, {host}": _scripts(host) for host in both},
        "embedded": "".join(
            f'<img src="http://{h}/i"><iframe src="http://{h}/f"></iframe><object data="ftp://{h}/o">'
            f'</object><embed src="http://{h}/e"><video src="http://{h}/v" autoplay></video>'
            f'<audio src="ftp://{h}/a"></audio><link rel=stylesheet href="ftp://{h}/s.css">'
            f"<style>@import 'http://{h}/c.css';@font-face{{font-family:f;src:url(http://{h}/f)}}"
            f"p{{font-family:f;background:url(http://{h}/b)}}</style><p>甲</p>"
            f'<script src="http://{h}/s.js"></script><svg><image href="http://{h}/g"/></svg>'
            f'<table background="http://{h}/t"></table><input type=image src="http://{h}/n">'
            for h in both
        ),
        "leaving": f'<meta http-equiv=refresh content="0;url=http://{at}/away">'
        f'<a id=a href="http://{at}/x" ping="http://{at}/ping" target=_blank>a</a>'
        f'<form id=f method=post action="http://{name}/form" target=_blank></form>'
        f"<script>a.click();f.submit();open('http://{at}/open');"
        f"addEventListener('pagehide',()=>navigator.sendBeacon('http://{at}/hide'));"
        f"location='http://{name}/gone'</script>",
    }  # fmt: skip


def _scripts(host: str) -> str:
    """A script for each way of asking."""
    ways = (
        f"new WebSocket('ws://{host}/')",
        f"new WebSocket('wss://{host}/')",
        f"const t=new WebTransport('https://{host}/');t.ready.catch(()=>0);t.closed.catch(()=>0)",
        f"navigator.sendBeacon('https://{host}/beacon','x')",
        f"new EventSource('https://{host}/events')",
        f"fetch('https://{host}/k',{{method:'POST',body:'x',mode:'no-cors',keepalive:true}})",
        f"const x=new XMLHttpRequest();x.open('GET','https://{host}/xhr',false);x.send()",
        (
            f"navigator.serviceWorker.register('https://{host}/sw.js').catch(()=>0);"
            "navigator.serviceWorker.register('/sw.js').catch(()=>0)"
        ),
        (
            f"new Worker(URL.createObjectURL(new Blob([`importScripts('https://{host}/w.js');`])));"
            f"new Worker(URL.createObjectURL(new Blob([`new WebSocket('wss://{host}/');"
            f"fetch('https://{host}/w',{{mode:'no-cors'}});new EventSource('https://{host}/')`])))"
        ),
        f"new SharedWorker(URL.createObjectURL(new Blob([`fetch('https://{host}/w')`])))",
        f"import('https://{host}/m.js').catch(()=>0)",
        (
            f"new PaymentRequest([{{supportedMethods:'https://{host}/pay'}}],"
            "{total:{label:'x',amount:{currency:'CNY',value:'1'}}}).canMakePayment().catch(()=>0)"
        ),
        (
            f"navigator.credentials.get({{identity:{{providers:[{{configURL:'https://{host}/i.json',"
            "clientId:'x'}]}}).catch(()=>0)"
        ),
    )
    return "".join(f"<script>{{{way}}}</script>" for way in ways)


class _Web:
    """The site of the pages: answers with a service worker that asks on, else with nothing."""

    async def fetch(self, url: str, max_bytes: int) -> Reply:
        """Fetch from the site itself, which is nowhere."""
        if not url.startswith(SITE):
            raise FetchError("not of the site", reason="other", where=url)
        await asyncio.sleep(0.3)  # the page's clock stands still meanwhile, ours goes on
        return Reply(url, 200, "text/javascript", b"fetch('https://127.0.0.1/');")


def _is_of_the_kernel(sender: tuple[object, ...]) -> bool:
    """Whether a packet is one with which the pair of interfaces looks for its neighbors."""
    return isinstance(sender[0], str) and sender[0].startswith("leak") and sender[1] != 0x0800


class Listeners:
    """Sockets on this machine that count what comes to them."""

    def __init__(self, *, alone: bool) -> None:
        self.heard: Counter[str] = Counter()
        self._selector = selectors.DefaultSelector()
        self._stopped = threading.Event()
        self.tcp, self.udp = self._pair(0)
        if alone:
            self._pair(53)
            every = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
            self._add(every, "packet")
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def _pair(self, port: int) -> tuple[int, int]:
        ports = []
        for kind, word in ((socket.SOCK_STREAM, "tcp"), (socket.SOCK_DGRAM, "udp")):
            here = socket.socket(socket.AF_INET6, kind)
            here.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
            here.bind(("::", port))
            if kind == socket.SOCK_STREAM:
                here.listen(256)
            self._add(here, "dns" if port == 53 else word)
            ports.append(here.getsockname()[1])
        return ports[0], ports[1]

    def _add(self, here: socket.socket, word: str) -> None:
        here.setblocking(False)
        self._selector.register(here, selectors.EVENT_READ, word)

    def _listen(self) -> None:
        while not self._stopped.is_set():
            for key, _ in self._selector.select(0.05):
                here: socket.socket = key.fileobj
                with contextlib.suppress(BlockingIOError):
                    if here.type == socket.SOCK_STREAM:
                        here.accept()[0].close()
                    elif _is_of_the_kernel(here.recvfrom(65536)[1]):
                        continue
                    self.heard[key.data] += 1

    def take(self) -> dict[str, int]:
        """What came since the last time."""
        heard, self.heard = self.heard, Counter()
        return dict(heard)


_SILENCING = ("--host-resolver-rules", "--proxy-", "--webrtc-ip-handling")


async def _draw(listeners: Listeners, mode: str) -> dict[str, dict[str, int]]:
    """What was heard while each page was drawn, and a little later."""
    silencing = () if mode != "unguarded" else _SILENCING
    arguments = [a for a in browser._ARGUMENTS if not a.startswith(silencing)]
    missing = visit._MISSING if mode == "guarded" else "0"
    heard = {}
    with (
        mock.patch.object(browser, "_ARGUMENTS", tuple(arguments)),
        mock.patch.object(visit, "_MISSING", missing),
    ):
        async with Renderer(RenderLimits(wall_s=8), _Web()) as renderer:
            for name, text in pages(listeners.tcp, listeners.udp).items():
                if mode == "switches" and name not in WEBRTC:
                    continue
                page = (
                    f"<!DOCTYPE html><meta charset=utf-8><title>x</title><p>{SEEN}</p>{text}{_WAIT}"
                )
                result = await renderer.render(Page.from_html(page, SITE))
                await asyncio.sleep(0.3)
                heard[name] = listeners.take() | {"drawn": int(SEEN in (result.html or ""))}
            await asyncio.sleep(2)
    heard["later"] = listeners.take()
    return heard


def main(mode: str, alone: str = "") -> None:
    """Draw all pages with listeners around them and print what they heard."""
    if alone:
        _make_own_network()
    listeners = Listeners(alone=bool(alone))
    heard = asyncio.run(_draw(listeners, mode))
    print(json.dumps({"alone": bool(alone), "heard": heard}))


def _make_own_network() -> None:
    """All addresses lead here, and the server for names is here.

    WebRTC does not look at loopback alone, so there is a pair of interfaces too.
    """
    for words in (
        "ip link set lo up",
        "ip link add leak0 type veth peer name leak1",
        "ip address add 10.9.8.7/24 dev leak0",
        "ip link set leak0 up",
        "ip link set leak1 up",
        "ip route add local 0.0.0.0/0 dev lo",
    ):
        subprocess.run(words.split(), check=True, capture_output=True)
    with tempfile.NamedTemporaryFile("w", suffix=".conf", delete=False) as file:
        file.write("nameserver 127.0.0.1\n")
    subprocess.run(["mount", "--bind", file.name, "/etc/resolv.conf"], check=True)
    Path(file.name).unlink()


def own_network() -> list[str]:
    """Words before a command that give it a network of its own; none where that is not allowed."""
    words = ["unshare", "--net", "--mount"]
    with contextlib.suppress(OSError):
        steps = "ip link add leak0 type veth peer name leak1 && mount --bind /dev/null"
        test = [*words, "sh", "-c", f"{steps} /etc/resolv.conf"]
        if subprocess.run(test, capture_output=True, check=False).returncode == 0:
            return words
    return []


if __name__ == "__main__":
    main(*sys.argv[1:])
