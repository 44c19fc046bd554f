"""Redirects that lead nowhere or where nobody should go; robots.txt, cookies and passwords."""

from __future__ import annotations

import gzip
import time

from .behavior import DOMAIN, Conn, behavior

R, B, P = "redirect", "robots.txt", "privacy"

PRIVATE = {
    "decimal": "http://2130706433/",
    "octal": "http://0177.0.0.1/",
    "hex": "http://0x7f.0x0.0x0.0x1/",
    "hex-whole": "http://0x7f000001/",
    "short": "http://127.1/",
    "mapped": "http://[::ffff:127.0.0.1]/",
    "mapped-hex": "http://[::ffff:7f00:1]/",
    "loopback-6": "http://[::1]/",
    "nat64": "http://[64:ff9b::7f00:1]/",
    "sixtofour": "http://[2002:7f00:1::]/",
    "metadata": "http://169.254.169.254/latest/meta-data/",
    "ten": "http://10.0.0.1/",
    "zero": "http://0.0.0.0/",
    "wide-digits": "http://①②⑦.⓪.⓪.①/",
    "localhost": "http://localhost/",
    "userinfo": "http://www.example.cn@127.0.0.1/",
}
"""Spellings of addresses that must never be asked, by the name of their behavior."""


def redirecting(name: str, says: str, home: str, location, group: str = R, **more) -> None:
    """``/`` redirects; ``location`` is the header's value, or a function of the connection."""

    def act(c: Conn):
        if c.path != "/" and not callable(location):
            return c.reply(c.page())
        value = location(c) if callable(location) else location
        lines = [] if value is None else [b"Location: " + _bytes(value)]
        return c.reply("moved", *lines, status="302 Found")

    act.__name__ = name
    behavior(group, says, home, **more)(act)


def _bytes(value: str | bytes) -> bytes:
    return value.encode() if isinstance(value, str) else value


def _chain(c: Conn) -> str:
    return f"/{int(c.path[1:] or 0) + 1}"


CHAIN = {f"/{n}": "redirect" for n in range(1, 5)} | {"/5": "redirect_limit"}
redirecting("redirect_loop", "redirects to itself", "redirect", "/")
redirecting(
    "redirect_pair", "two URLs redirect to each other", "redirect",
    lambda c: "/b" if c.path == "/" else "/", also={"/b": "redirect"},
)  # fmt: skip
redirecting("redirect_chain", "a new target each time, for ever", "redirect", _chain, also=CHAIN)
redirecting("redirect_file", "to file:///etc/passwd", "bad_redirect", "file:///etc/passwd")
redirecting("redirect_data", "to data:", "bad_redirect", "data:text/html,<title>x</title>")
redirecting("redirect_script", "to javascript:", "bad_redirect", "javascript:alert(1)")
redirecting("redirect_ftp", "to ftp:", "bad_redirect", "ftp://ftp.example.cn/")
redirecting("redirect_empty", "to an empty Location", "bad_redirect", "")
redirecting("redirect_nowhere", "without Location", "bad_redirect", None)
redirecting("redirect_bad_host", "to a host with a NUL", "bad_redirect", b"http://a%00b.cn/")
redirecting("redirect_long", "to a URL of 60,000 characters", "redirect", "/" + "x" * 60_000,
            also={"/" + "x" * 60_000: "url_too_long"})  # fmt: skip
redirecting("redirect_gbk", "to a path in raw GBK bytes", "redirect", "/天网".encode("gbk"),
            also={"/%E5%A4%A9%E7%BD%91": "stored"})  # fmt: skip
redirecting("redirect_crlf", "to a path with an encoded line end", "redirect",
            "/a%0d%0aX-Planted:%20yes", also={"/a%0D%0AX-Planted:%20yes": "stored"})  # fmt: skip
for _name, _url in PRIVATE.items():
    redirecting(f"redirect_private_{_name.replace('-', '_')}", f"to {_url}",
                "redirect", _url)  # fmt: skip


def robots(name: str, says: str, home: str = "stored", **more):
    """A host whose robots.txt misbehaves; its pages are good and link to /private."""

    def register(answer):
        def act(c: Conn):
            if c.path == "/robots.txt":
                return answer(c)
            return c.reply(c.page(*more.get("links", ())))

        act.__name__ = f"robots_{name}"
        options = {k: v for k, v in more.items() if k != "links"}
        behavior(B, says, home, **options)(act)
        return answer

    return register


RULES = "User-agent: *\nDisallow: /private\n"


@robots("50_mb", "50 MB long", links=["/private"], also={"/private": "robots"})
def _long(c: Conn):
    return c.reply(RULES + "# padding\n" * 5_000_000, kind="text/plain")


@robots("endless", "without end", links=["/private"], also={"/private": "robots"})
def _endless(c: Conn):
    c.head("Content-Type: text/plain")
    c.send(RULES)
    while True:
        c.send("# padding\n" * 1000)


@robots("html", "an HTML page with status 200")
def _html(c: Conn):
    return c.reply(c.page("/", title="Disallow: /"))


@robots("binary", "random bytes")
def _binary(c: Conn):
    return c.reply(bytes((i * 97 + i // 7) % 256 for i in range(50_000)), kind="text/plain")


@robots("utf16", "UTF-16", links=["/private"], also={"/private": "robots"})
def _utf16(c: Conn):
    return c.reply(RULES.encode("utf-16"), kind="text/plain")


@robots("500", "status 500", "robots_unreachable")
def _500(c: Conn):
    return c.reply("broken", status="500 Broken")


@robots("429", "status 429 with Retry-After, five times, then rules", links=["/private"],
        also={"/private": "robots"})  # fmt: skip
def _429(c: Conn):
    return _puts_off(c, "429 Too Many Requests")


@robots("503", "status 503 with Retry-After, five times, then rules", links=["/private"],
        also={"/private": "robots"})  # fmt: skip
def _503(c: Conn):
    return _puts_off(c, "503 Busy")


def _puts_off(c: Conn, status: str) -> bool:
    count = _asked[c.host] = _asked.get(c.host, 0) + 1
    if count <= 5:
        return c.reply("later", "Retry-After: 1", status=status)
    return c.reply(RULES, kind="text/plain")


_asked: dict[str, int] = {}


@robots("429_plain", "status 429 without Retry-After, for ever", "robots_unreachable")
def _429_plain(c: Conn):
    return c.reply("later", status="429 Too Many Requests")


@robots("403", "status 403")
def _403(c: Conn):
    return c.reply("no", status="403 Forbidden")


@robots("silent", "never answered", "timeout")
def _silent(c: Conn):
    time.sleep(60)


@robots("drip", "one byte every 100 ms", "timeout")
def _drip(c: Conn):
    c.head("Content-Type: text/plain", "Content-Length: 100000")
    while True:
        c.send(b"#")
        time.sleep(0.1)


@robots("reset", "RST", "robots_unreachable")
def _reset(c: Conn):
    c.reset()


@robots("cut", "breaks before its announced length", "robots_unreachable")
def _cut(c: Conn):
    c.head("Content-Type: text/plain", "Content-Length: 5000")
    c.send(RULES)


@robots("loop", "redirects to itself", most_requests=16)
def _loop(c: Conn):
    return c.reply("", "Location: /robots.txt", status="301 Moved")


@robots("to_file", "redirects to file:///etc/passwd")
def _to_file(c: Conn):
    return c.reply("", "Location: file:///etc/passwd", status="301 Moved")


@robots("gzip_bomb", "1 GiB in 1 MB of gzip")
def _bomb(c: Conn):
    bomb = gzip.compress(b" " * (64 << 20), 6) * 16
    return c.reply(bomb, "Content-Encoding: gzip", kind="text/plain")


@robots("wildcards", "rules that take a careless matcher years", links=["/" + "a" * 200],
        also={"/" + "a" * 200: "stored"})  # fmt: skip
def _wildcards(c: Conn):
    rules = "".join(f"Disallow: /{'*a' * n}*b$\n" for n in range(10, 40))
    return c.reply("User-agent: *\n" + rules, kind="text/plain")


@robots("many_rules", "30,000 rules", links=["/x1", "/private29999"],
        also={"/x1": "stored", "/private29999": "robots"})  # fmt: skip
def _many(c: Conn):
    rules = "".join(f"Disallow: /private{n}\n" for n in range(30_000))
    return c.reply("User-agent: *\n" + rules[: 500 * 1024] + "\n", kind="text/plain")


for _word in ("1e9", "nan", "inf", "-5", "1_0", "one"):

    @robots(f"delay_{_word.replace('-', 'minus_').replace('1_0', 'underscore')}",
            f"Crawl-delay: {_word}", links=["/next"], also={"/next": "stored"})  # fmt: skip
    def _delay(c: Conn, word: str = _word):
        return c.reply(f"User-agent: *\nCrawl-delay: {word}\n", kind="text/plain")


for _name in ("decimal", "mapped", "metadata", "localhost"):

    @robots(f"private_{_name}", f"redirects to {PRIVATE[_name]}", "private_address")
    def _private(c: Conn, name: str = _name):
        return c.reply("", f"Location: {PRIVATE[name]}", status="301 Moved")


@behavior(P, "120 cookies of 4 KB", also={"/next": "stored"})
def cookie_bomb(c: Conn):
    cookies = [f"Set-Cookie: c{n}={'x' * 4000}; Path=/" for n in range(120)]
    return c.reply(c.page("/next"), *cookies)


@behavior(P, "10,000 cookies", also={"/next": "stored"})
def cookie_flood(c: Conn):
    return c.reply(c.page("/next"), *[f"Set-Cookie: c{n}=x; Path=/" for n in range(10_000)])


@behavior(P, "malformed cookies, for all of .cn", also={"/next": "stored"})
def cookie_garbage(c: Conn):
    bad = [b"Set-Cookie: \xff\xfe=;;;=,", b"Set-Cookie: a=b; Domain=.cn", b"Set-Cookie: "]
    return c.reply(c.page("/next"), *bad)


@behavior(P, "401: asks for a password", "http_401")
def asks_password(c: Conn):
    return c.reply("who?", 'WWW-Authenticate: Basic realm="x"', status="401 Unauthorized")


@behavior(P, "links with user name and password", also={"/in": "stored"})
def password_in_link(c: Conn):
    return c.reply(c.page(f"http://user:secret@{c.host}/in"))


@behavior(P, "links to private addresses, a look-alike host and another port")
def links_elsewhere(c: Conn):
    others = (*PRIVATE.values(), "http://аррӏе.com/", f"http://{DOMAIN}:22/", "//127.0.0.1/x")
    return c.reply(c.page(*others))
