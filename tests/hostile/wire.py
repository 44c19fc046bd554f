"""Bad framing: bodies and headers that never end, lie about their length, or are no HTTP."""

from __future__ import annotations

import time

from .behavior import Conn, behavior

G = "framing"
HTML = "Content-Type: text/html"
CHUNKED = "Transfer-Encoding: chunked"
LATE_S = 60
SEEN = "how much has come when it is seen"


@behavior(G, "one byte every 100 ms, for ever", "timeout")
def drip_body(c: Conn):
    c.head(HTML, "Content-Length: 100000")
    while True:
        c.send(b"x")
        time.sleep(0.1)


@behavior(G, "header bytes one by one, for ever", "timeout")
def drip_headers(c: Conn):
    c.send("HTTP/1.1 200 OK\r\nX-Slow: ")
    while True:
        c.send(b"x")
        time.sleep(0.1)


@behavior(G, "reads the request and never answers", "timeout")
def silent(c: Conn):
    time.sleep(LATE_S)


@behavior(G, "headers, then nothing more", "timeout")
def stalls_after_headers(c: Conn):
    c.head(HTML, "Content-Length: 10")
    time.sleep(LATE_S)


@behavior(G, "chunks without end", "stored+truncated")
def endless_chunks(c: Conn):
    c.head(HTML, CHUNKED)
    c.send(b"%x\r\n%s\r\n" % (65536, (c.page() + " " * 65536).encode()[:65536]))
    while True:
        c.send(b"10000\r\n" + b"x" * 65536 + b"\r\n")


@behavior(G, "a body without length and end", "stored+truncated")
def endless_body(c: Conn):
    c.head(HTML)
    c.send(c.page())
    while True:
        c.send(b"y" * 65536)


@behavior(G, "a proper body of 320 MB", "stored+truncated")
def large_body(c: Conn):
    c.head(HTML, f"Content-Length: {64 * 5 << 20}")
    for _ in range(64):
        c.send(b"large" * (1 << 20))


@behavior(G, "header lines without end", "bad_http")
def endless_headers(c: Conn):
    c.send("HTTP/1.1 200 OK\r\n")
    number = 0
    while True:
        c.send("".join(f"X-{number + i}: v\r\n" for i in range(1000)))
        number += 1000


@behavior(G, "one header line without end", "bad_http")
def endless_header_line(c: Conn):
    c.send("HTTP/1.1 200 OK\r\nX-Long: ")
    while True:
        c.send(b"v" * 65536)


@behavior(G, "a status line without end", "bad_http")
def endless_status_line(c: Conn):
    c.send("HTTP/1.1 200 ")
    while True:
        c.send(b"O" * 65536)


@behavior(G, "interim replies (103) without end", "bad_http")
def endless_interim(c: Conn):
    while True:
        c.send("HTTP/1.1 103 Early Hints\r\nLink: </x.css>\r\n\r\n" * 100)
        time.sleep(0.001)


@behavior(G, "trailer lines without end")
def endless_trailers(c: Conn):
    c.head(HTML, CHUNKED)
    page = c.page().encode()
    c.send(b"%x\r\n%s\r\n0\r\n" % (len(page), page))
    while True:
        c.send("X-Trailer: v\r\n" * 1000)


@behavior(G, "Content-Length beyond the body, then a close", "data_loss")
def length_too_long(c: Conn):
    c.head(HTML, "Content-Length: 5000")
    c.send(c.page())


@behavior(G, "Content-Length of an exabyte, then a close", "data_loss")
def length_exabyte(c: Conn):
    c.head(HTML, f"Content-Length: {10**18}")
    c.send(c.page())


@behavior(G, "Content-Length of 40 digits", "bad_http")
def length_forty_digits(c: Conn):
    c.head(HTML, f"Content-Length: {10**39}")
    c.send(c.page())


@behavior(G, "a body longer than Content-Length", also={"/next": "stored"})
def length_too_short(c: Conn):
    text = c.page("/next").encode()
    c.head(HTML, f"Content-Length: {len(text)}")
    c.send(text + b"what was not announced" * 100)
    return True


@behavior(G, "negative Content-Length")
def length_negative(c: Conn):
    c.head(HTML, "Content-Length: -1")
    c.send(c.page())


@behavior(G, "Content-Length that is no number")
def length_word(c: Conn):
    c.head(HTML, "Content-Length: many")
    c.send(c.page())


@behavior(G, "two Content-Lengths that differ", "bad_http")
def length_twice(c: Conn):
    text = c.page()
    c.head(HTML, "Content-Length: 3", f"Content-Length: {len(text.encode())}")
    c.send(text)


@behavior(G, "Content-Length and chunks at once")
def length_and_chunks(c: Conn):
    c.head(HTML, "Content-Length: 5", CHUNKED)
    page = c.page().encode()
    c.send(b"%x\r\n%s\r\n0\r\n\r\n" % (len(page), page))


@behavior(G, "chunk sizes that are no numbers", "bad_http")
def chunk_garbage(c: Conn):
    c.head(HTML, CHUNKED)
    c.send(b"5\r\nhello\r\nzz\r\n\x00\xff\xfe\r\n\r\n")


@behavior(G, "a chunk size of 2^68", "bad_http")
def chunk_overflow(c: Conn):
    c.head(HTML, CHUNKED)
    c.send(b"FFFFFFFFFFFFFFFFF\r\n" + b"x" * 5000)


@behavior(G, "a negative chunk size", "bad_http")
def chunk_negative(c: Conn):
    c.head(HTML, CHUNKED)
    c.send(b"-5\r\nhello\r\n0\r\n\r\n")


@behavior(G, "chunks without the last one", "data_loss")
def chunks_cut(c: Conn):
    c.head(HTML, CHUNKED)
    c.send(b"5\r\nhello\r\n")


@behavior(G, "a chunk extension without end", "bad_http|data_loss", why=SEEN)
def chunk_extension(c: Conn):
    c.head(HTML, CHUNKED)
    c.send(b"5;x=")
    while True:
        c.send(b"e" * 65536)


@behavior(G, "a transfer encoding that does not exist", "stored")
def transfer_unknown(c: Conn):
    c.head(HTML, "Transfer-Encoding: rot13, chunked, gzip")
    c.send(c.page())


@behavior(G, "HTTP/0.9: a body and nothing else", "bad_http")
def http_0_9(c: Conn):
    c.send("<html><title>old</title>old</html>")


@behavior(G, "an SSH banner", "bad_http")
def other_protocol(c: Conn):
    c.send("SSH-2.0-OpenSSH_9.6\r\n")


@behavior(G, "random bytes", "bad_http")
def random_bytes(c: Conn):
    c.send(bytes((i * 167 + 13) % 256 for i in range(4096)))


@behavior(G, "HTTP/9.9 in the status line")
def http_9_9(c: Conn):
    text = c.page()
    c.send(f"HTTP/9.9 200 OK\r\n{HTML}\r\nContent-Length: {len(text.encode())}\r\n\r\n{text}")


@behavior(G, "status 99999", "bad_http")
def status_five_digits(c: Conn):
    c.head(HTML, "Content-Length: 0", status="99999 Much")


@behavior(G, "status 000", "http_0")
def status_zero(c: Conn):
    c.head(HTML, "Content-Length: 0", status="000 None")


@behavior(G, "a status that is a word", "bad_http")
def status_word(c: Conn):
    c.head(HTML, "Content-Length: 0", status="OK OK")


@behavior(G, "status 999", "http_999")
def status_999(c: Conn):
    return c.reply("no", status="999 Request denied")


@behavior(G, "101 Switching Protocols, unasked", "http_101")
def switches_protocol(c: Conn):
    c.head("Upgrade: h2c", "Connection: Upgrade", status="101 Switching Protocols")
    c.send(b"\x00\x00\x00\x04\x00\x00\x00\x00\x00")


@behavior(G, "204 with a body", "http_204")
def no_content_with_body(c: Conn):
    c.head(HTML, "Content-Length: 5", status="204 No Content")
    c.send(b"hello")


@behavior(G, "304, unasked", "http_304")
def not_modified(c: Conn):
    c.head(HTML, status="304 Not Modified")


@behavior(G, "a second reply behind the first, for the next URL", also={"/next": "stored"})
def reply_ahead(c: Conn):
    c.reply(c.page("/next"))
    if c.path == "/":
        c.reply("<title>planted</title>this page was put under a URL that is not its own")
    return True


@behavior(G, "lines end in a bare line feed", "stored")
def bare_line_feeds(c: Conn):
    text = c.page()
    c.send(f"HTTP/1.1 200 OK\n{HTML}\nContent-Length: {len(text.encode())}\n\n{text}")


@behavior(G, "NUL in a header", "bad_http")
def nul_in_header(c: Conn):
    c.reply(c.page(), b"X-Nul: a\x00b")


@behavior(G, "headers in invalid UTF-8", "stored")
def header_bytes(c: Conn):
    return c.reply(c.page(), b"X-Bytes: \xff\xfe\xb1\xb1\xbe\xa9 \xed\xa0\x80")


@behavior(G, "a header name in Chinese")
def header_name_bytes(c: Conn):
    return c.reply(c.page(), "中文: 值")


@behavior(G, "a header line without a colon")
def header_without_colon(c: Conn):
    return c.reply(c.page(), "this is no header")


@behavior(G, "folded header lines", "stored")
def header_folded(c: Conn):
    return c.reply(c.page(), "X-Folded: one\r\n two\r\n\tthree")


@behavior(G, "two Content-Lengths in one line that agree")
def length_list(c: Conn):
    size = len(c.page().encode())
    c.head(HTML, f"Content-Length: {size}, {size}")
    c.send(c.page())


@behavior(G, "two Content-Lengths in one line that differ", "bad_http")
def length_list_unequal(c: Conn):
    c.head(HTML, f"Content-Length: {len(c.page().encode())}, 5")
    c.send(c.page())


@behavior(G, "lines between chunks end in a bare line feed")
def chunk_line_feeds(c: Conn):
    page = c.page().encode()
    c.head(HTML, CHUNKED)
    c.send(b"%x\n%s\n%x\n%s\n0\n\n" % (30, page[:30], len(page) - 30, page[30:]))


@behavior(G, "5,000 header lines")
def header_lines_5000(c: Conn):
    return c.reply(c.page(), *(f"X-{number}: value" for number in range(5000)))


@behavior(G, "ICY 200 OK, as radio stations say")
def icy(c: Conn):
    c.send(f"ICY 200 OK\r\n{HTML}\r\n\r\n{c.page()}")


@behavior(G, "two Content-Type lines, text/html the last")
def type_last(c: Conn):
    return c.reply(c.page(), "Content-Type: text/html", kind="image/png")


@behavior(G, "two Content-Type lines, the last not a media type")
def type_last_is_none(c: Conn):
    return c.reply(c.page(), "Content-Type: nonsense")


@behavior(G, "two Content-Type lines, a picture the last", "mime")
def type_picture_last(c: Conn):
    return c.reply(c.page(), "Content-Type: image/png")
