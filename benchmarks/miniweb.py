"""CPU time per reply of the miniweb server, beside the same web on aiohttp.

    python benchmarks/miniweb.py [--requests 20000]

Both serve the same replies in a process of their own to the same raw-socket client over eight
kept-alive connections; what counts is the server's own CPU time. Prints one JSON object.
"""

from __future__ import annotations

import argparse
import json
import os
import select
import socket
import subprocess
import sys
import time
from pathlib import Path

import psutil

ROOT = Path(__file__).resolve().parents[1]
CONNECTIONS = 8

OURS = """
from benchmarks.miniweb import FixedWeb
from quarkcrawl.lab.mockweb import serve
serve(FixedWeb())
"""

GENERATED = """
from quarkcrawl.lab.mockweb import MiniWeb, serve
serve(MiniWeb(1, 1, 500, hostile=False))
"""

AIOHTTP = """
import asyncio, json, sys
from aiohttp import web
from benchmarks.miniweb import FixedWeb
from quarkcrawl.lab.mockweb import Ask
site = FixedWeb()
async def handle(request):
    reply = site.respond(Ask("http", request.host, request.raw_path, headers=dict(request.headers)))
    return web.Response(status=reply.status, body=reply.body, headers=dict(reply.headers))
async def main():
    server = web.Server(handle)
    runner = web.ServerRunner(server)
    await runner.setup()
    tcp = web.TCPSite(runner, "127.0.0.1", 0)
    await tcp.start()
    port = tcp._server.sockets[0].getsockname()[1]
    print(json.dumps({"http_port": port}), flush=True)
    await asyncio.Event().wait()
asyncio.run(main())
"""


class FixedWeb:
    """A small and a usual page."""

    def __init__(self) -> None:
        from quarkcrawl.lab.mockweb import MockReply

        html = (("Content-Type", "text/html; charset=utf-8"),)
        self._small = MockReply(200, html, b"x" * 500)
        self._page = MockReply(200, html, "北京大学天网".encode() * 1000)

    def hosts(self):
        return ["www.example.com.cn"]

    def respond(self, ask):
        return self._small if ask.target == "/small" else self._page


def request(url: str, coding: str = "") -> bytes:
    host, _, path = url.partition("://")[2].partition("/")
    accept = f"Accept-Encoding: {coding}\r\n" if coding else ""
    return f"GET /{path} HTTP/1.1\r\nHost: {host}\r\nAccept: */*\r\n{accept}\r\n".encode()


def drive(port: int, asks: list[bytes], requests: int) -> float:
    """Send requests over kept-alive connections, one at a time on each; returns seconds."""
    socks = [socket.create_connection(("127.0.0.1", port)) for _ in range(CONNECTIONS)]
    left = dict.fromkeys(socks, 0)
    begin = time.perf_counter()
    sent = done = 0
    for sock in socks:
        sock.sendall(asks[sent % len(asks)])
        sent += 1
    while done < requests:
        for sock in select.select(socks, [], [])[0]:
            data = sock.recv(1 << 20)
            if left[sock] <= 0:
                head, _, body = data.partition(b"\r\n\r\n")
                length = int(head.lower().partition(b"content-length: ")[2].split(b"\r\n")[0])
                left[sock] = length - len(body)
            else:
                left[sock] -= len(data)
            if left[sock] == 0:
                done += 1
                if sent < requests:
                    sock.sendall(asks[sent % len(asks)])
                    sent += 1
    for sock in socks:
        sock.close()
    return time.perf_counter() - begin


def measure(script: str, cases: dict[str, list[bytes]], requests: int) -> dict[str, dict]:
    env = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]),
    }
    child = subprocess.Popen(
        [sys.executable, "-P", "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env
    )
    try:
        port = json.loads(child.stdout.readline())["http_port"]
        watch = psutil.Process(child.pid)
        result = {}
        for name, asks in cases.items():
            drive(port, asks, 500)
            cpu = sum(watch.cpu_times()[:2])
            seconds = drive(port, asks, requests)
            cpu = sum(watch.cpu_times()[:2]) - cpu
            result[name] = {
                "cpu_us_per_reply": round(cpu / requests * 1e6, 1),
                "replies_per_cpu_s": round(requests / cpu),
                "replies_per_s": round(requests / seconds),
            }
        return result
    finally:
        child.terminate()
        child.wait()
        child.stdin.close()
        child.stdout.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=20_000)
    options = parser.parse_args()
    fixed = {name: [request(f"http://www.example.com.cn/{name}")] for name in ("small", "page")}
    ours = measure(OURS, fixed, options.requests)
    other = measure(AIOHTTP, fixed, options.requests)
    ratio = {
        key: round(other[key]["cpu_us_per_reply"] / ours[key]["cpu_us_per_reply"], 2)
        for key in ours
    }
    generated = measure(GENERATED, generated_cases(), options.requests // 5)
    print(
        json.dumps(
            {"ours": ours, "aiohttp": other, "aiohttp_over_ours": ratio, "generated": generated}
        )
    )


def generated_cases() -> dict[str, list[bytes]]:
    """All pages of a small clean web, plain and gzipped."""
    from quarkcrawl.lab.mockweb import MiniWeb, truth

    found = truth(MiniWeb(1, 1, 500, hostile=False), levels=9)
    urls = [url for host in found.hosts.values() for url in host.levels]
    return {name: [request(url, name) for url in urls] for name in ("identity", "gzip")}


if __name__ == "__main__":
    main()
