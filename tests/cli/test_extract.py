"""``quarkcrawl extract`` as a user runs it: files, standard input, URLs, corpora, and mistakes."""

import gzip
import http.server
import json
import os
import pty
import socket
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass

import pytest

from quarkcrawl.cli import main
from quarkcrawl.cli.options.fetching import fetch
from quarkcrawl.cli.options.reading import MAX_BYTES
from quarkcrawl.config import CrawlConfig
from quarkcrawl.errors import FetchError
from tests.corpus.corpora import HOSTS, add_pages, rows_of
from tests.crawl.harness import environment
from tests.progress import read_terminal

SENTENCE = "图书馆新到了一批关于计算机网络的书，管理员说借的人很多，请大家看完以后按时归还。"
NAVIGATION = "".join(f"<li><a href='/n{i}'>栏目{i}</a></li>" for i in range(30))
HTML = (
    f"<html><head><title>新书_天网</title></head><body><div><ul>{NAVIGATION}</ul></div>"
    f"<div><h1>新书</h1>{''.join(f'<p>{SENTENCE}{i}</p>' for i in range(9))}</div></body></html>"
)


def run(*words, cwd, stdin=b""):
    """The command in a process of its own."""
    return subprocess.run([sys.executable, "-m", "quarkcrawl", *words], cwd=cwd, input=stdin,
                          env=environment(), capture_output=True, check=False, timeout=300)  # fmt: skip


@dataclass(frozen=True)
class Answer:
    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def call(tmp_path, monkeypatch, capfd):
    """The command in this process, which saves the imports."""
    monkeypatch.chdir(tmp_path)

    def call(*words) -> Answer:
        capfd.readouterr()
        return Answer(main([str(word) for word in words]), *capfd.readouterr())

    return call


@pytest.fixture
def page(tmp_path):
    path = tmp_path / "page.html"
    path.write_bytes(HTML.encode("gb18030"))
    return path


def test_a_file_gives_text_and_nothing_else(page, tmp_path, call):
    done = call("extract", "page.html", "--method", "quark")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count(SENTENCE) == 9
    assert "栏目" not in done.stdout
    titled = call("extract", "page.html", "--method", "quark", "--title")
    assert titled.stdout == "新书\n\n" + done.stdout


def test_json_has_what_the_library_finds(page, tmp_path, call):
    words = ("extract", "page.html", "--format", "json", "--blocks", "--spans", "--method", "quark")
    done = call(*words, "--url", "http://a.cn/x.htm")
    fields = json.loads(done.stdout)
    assert fields["url"] == "http://a.cn/x.htm"
    assert (fields["input"], fields["method"], fields["title"]) == ("page.html", "quark", "新书")
    assert fields["text"].count(SENTENCE) == 9
    assert {block["kind"] for block in fields["blocks"]} >= {"content", "noise"}
    (span,) = fields["spans"]
    body = page.read_bytes()[span["start"] : span["end"]].decode("gb18030")
    assert body.count(SENTENCE) == 9


@pytest.mark.full
def test_json_with_the_structure(tmp_path, call):
    items = "".join(f"<li>{SENTENCE}<a href=/{n}.htm>书</a>" for n in range(4))
    html = f"<h1>新书</h1><p>{SENTENCE}<ul>{items}</ul>"
    (tmp_path / "list.html").write_text(html, "utf-8")
    done = call("extract", "list.html", "--format", "json", "--structure")
    pieces = json.loads(done.stdout)["structure"]
    (books,) = [piece["parts"] for piece in pieces if piece["kind"] == "list"]
    links = [item["parts"][0]["links"][0]["url"] for item in books]
    assert links == ["/0.htm", "/1.htm", "/2.htm", "/3.htm"]
    done = call("extract", "list.html", "--structure")
    assert (done.returncode, "goes with --format json" in done.stderr) == (2, True)


@pytest.mark.full
def test_markdown_and_html(page, tmp_path, call):
    markdown = call("extract", "page.html", "--method", "quark", "--format", "markdown", "--title")
    assert markdown.stdout.startswith("# 新书\n\n")
    assert markdown.stdout.count(f"{SENTENCE}0\n\n{SENTENCE}1") == 1
    view = call("extract", "page.html", "--method", "quark", "--format", "html")
    assert view.stdout.startswith("<html")  # quirks mode, as the page has it
    assert view.stdout.count(SENTENCE) >= 9
    assert "<script" not in view.stdout


RULES = '[[rule]]\nhost = "{}"\nkind = "noise"\nselect = "p:last-of-type"\n'


def test_a_page_by_the_rules_of_its_host(page, tmp_path, call):
    (tmp_path / "taught.toml").write_text(RULES.format("a.cn"))
    words = ("extract", "page.html", "--rules", "taught.toml", "--url")
    plain, taught = (call(*words, f"http://{host}/x.html") for host in ("b.cn", "a.cn"))
    assert (plain.returncode, taught.returncode) == (0, 0)
    assert f"{SENTENCE}8" in plain.stdout
    assert taught.stdout == plain.stdout.replace(f"{SENTENCE}8\n", "").rstrip("\n") + "\n"


def test_a_corpus_by_the_rules_of_a_file(tmp_path, call):
    add_pages(tmp_path, range(6), body=HTML.encode())
    (tmp_path / "taught.toml").write_text(RULES.format(HOSTS[0]))
    words = ("extract", ".", "--in-process", "--site-pages", "0")
    done = call(*words, "--rules", "taught.toml")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["corrected"] == 2
    told = {
        row["host"]: f"{SENTENCE}8" in row["content_text"]
        for row in rows_of(tmp_path, "default").values()
    }
    assert told == {HOSTS[0]: False, HOSTS[1]: True, HOSTS[2]: True}
    assert json.loads(call(*words).stdout)["extracted"] == 2  # the corpus has no rules of its own


@pytest.mark.parametrize("source", ["page.html", "."])
def test_rules_with_a_fault_are_told_in_one_line(page, tmp_path, source, call):
    add_pages(tmp_path, range(1))
    (tmp_path / "taught.toml").write_text(RULES.format("a.cn").replace("p:last", "p::last"))
    done = call("extract", source, "--rules", "taught.toml")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "taught.toml: rule 1: select: invalid CSS selector" in done.stderr
    assert done.stdout == ""


@pytest.mark.full
def test_standard_input(page, tmp_path):
    done = run("extract", "-", cwd=tmp_path, stdin=page.read_bytes())
    assert done.returncode == 0
    assert done.stdout.decode().count(SENTENCE) == 9


def test_several_files_and_one_that_is_not_there(page, tmp_path, call):
    (tmp_path / "b.txt").write_text("纯文本 <b>")
    done = call("extract", "page.html", "missing.html", "b.txt")
    assert done.returncode == 2
    assert done.stderr == "quarkcrawl: missing.html: cannot be read (No such file or directory)\n"
    assert done.stdout.startswith("==> page.html <==\n")
    assert done.stdout.endswith("==> b.txt <==\n纯文本 <b>\n\n")


def test_each_of_several_pages_has_its_name_above_its_markdown(page, tmp_path, call):
    (tmp_path / "b.txt").write_text("纯文本 <b>")
    printed = call("extract", "page.html", "b.txt", "--format", "markdown").stdout
    alone = call("extract", "page.html", "--format", "markdown").stdout
    assert printed.startswith(f"==> page.html <==\n{alone}\n==> b.txt <==\n")


def test_a_headline_is_no_markup_in_markdown(tmp_path, call):
    text = "<p>" + "北京大学网络实验室发布了天网搜索引擎的新版本。" * 9
    title = "C# *new* [x](y) &lt;b>"
    (tmp_path / "a.html").write_text(f"<title>{title}</title><h1>{title}</h1>{text}")
    printed = call("extract", "a.html", "--title", "--format", "markdown").stdout
    assert printed.startswith("# C\\# \\*new\\* \\[x\\](y) \\<b>\n\n北京大学")


@pytest.mark.full
def test_files_that_are_no_pages(tmp_path, call):
    (tmp_path / "empty").touch()
    (tmp_path / "noise").write_bytes(bytes(range(256)) * 20)
    done = call("extract", "empty", "noise", "--format", "json")
    assert done.returncode == 2
    assert (
        done.stderr == "quarkcrawl: noise: binary data, no page; give an HTML, text or PDF file\n"
    )
    empty = json.loads(done.stdout)
    assert (empty["text"], empty["is_topic"]) == ("", False)
    with (tmp_path / "huge").open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    assert "huge: larger than 64 MiB" in call("extract", "huge").stderr


@pytest.mark.parametrize("source", ["page.html", "corpus"])
def test_an_unknown_method_is_refused_with_the_nearest_name(page, tmp_path, source, call):
    add_pages(tmp_path / "corpus", range(1))
    done = call("extract", source, "--method", "quarck")
    assert done.returncode == 2
    assert (
        done.stderr == "quarkcrawl: extract: no extraction method 'quarck'; did you mean 'quark'?\n"
    )


# Corpora


@pytest.mark.full
def test_a_format_is_no_matter_of_a_corpus(tmp_path):
    add_pages(tmp_path / "corpus", range(2))
    done = run("extract", "corpus", "--format", "json", cwd=tmp_path)
    assert done.returncode == 2
    assert b"quarkcrawl export corpus" in b" ".join(done.stderr.split())
    assert not (tmp_path / "corpus" / "analysis" / "extractions").exists()


def test_a_corpus_in_this_process(tmp_path, call):
    add_pages(tmp_path / "corpus", range(3))
    done = call("extract", "corpus", "--method", "quark", "--in-process")
    assert (done.returncode, json.loads(done.stdout)["extracted"]) == (0, 3)


@pytest.mark.full
def test_a_corpus_from_start_to_failure_list(tmp_path, call):
    root = tmp_path / "corpus"
    add_pages(root, range(9))
    victim = next(root.glob(f"data_*/{HOSTS[0]}/page.dat"))
    victim.write_bytes(victim.read_bytes()[:-200])
    done = call("extract", "corpus", "--method", "quark", "--workers", "2")
    assert (done.returncode, done.stderr) == (0, "")
    summary = json.loads(done.stdout)
    assert (summary["pages"], summary["extracted"]) == (9, 9)
    assert summary["failures"] == {"damaged": 1}
    assert len(rows_of(root)) == 9
    listed = call("extract", "corpus", "--method", "quark", "--failures")
    (row,) = map(json.loads, listed.stdout.splitlines())
    assert (row["host"], row["failure"]) == (HOSTS[0], "damaged")
    assert f"{HOSTS[0]}/page.dat@" in row["detail"]
    again = call("extract", "corpus", "--method", "quark")
    assert json.loads(again.stdout)["done_before"] == 9


@pytest.mark.full
def test_what_is_wrong_with_a_corpus_is_said(page, tmp_path, call):
    (tmp_path / "folder").mkdir()
    none = call("extract", "folder")
    assert none.returncode == 2
    assert "folder: the folder is no corpus" in none.stderr
    add_pages(tmp_path / "corpus", range(2))
    both = call("extract", "corpus", "page.html")
    assert both.returncode == 2
    assert "together" in both.stderr
    early = call("extract", "corpus", "--failures")
    assert early.returncode == 2
    assert "no extraction by the method 'default'" in early.stderr
    call("extract", "corpus", "--method", "quark")
    other = call("extract", "corpus", "--method", "quark", "--spans")
    assert other.returncode == 2
    assert "--restart" in other.stderr


# URLs


class Handler(http.server.BaseHTTPRequestHandler):
    """A server with every habit that a fetch must bear."""

    def do_GET(self):
        getattr(self, "get_" + self.path.strip("/").partition("?")[0])()

    def reply(self, body, kind="text/html; charset=iso-8859-1", status=200, **headers):
        self.send_response(status)
        for name, value in {"Content-Type": kind, **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def get_page(self):
        self.server.seen.append(dict(self.headers))
        self.reply(HTML.encode("gb18030"))

    def get_zipped(self):
        self.reply(gzip.compress(HTML.encode()), Content_Encoding="gzip")

    def get_moved(self):
        self.reply(b"", status=302, Location="/page")

    def get_file(self):
        self.reply(b"", status=302, Location="file:///etc/passwd")

    def get_round(self):
        self.reply(b"", status=302, Location="/round")

    def get_text(self):
        self.reply("一 <b>".encode(), kind="text/plain; charset=utf-8")

    def get_gone(self):
        self.reply(b"no", status=410)

    def get_endless(self):
        self.reply(b"<p>")
        for _ in range(3000):
            self.wfile.write(b"a" * 10_000)

    def get_slow(self):
        self.reply(b"<p>")
        for _ in range(100):
            self.wfile.write(b"a")
            self.wfile.flush()
            time.sleep(0.1)

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        """The client may go at any time."""


@contextmanager
def serving():
    with Server(("127.0.0.1", 0), Handler) as server:
        server.seen = []
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield server, f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()


def test_a_url_is_fetched_once_under_our_name(tmp_path, call):
    with serving() as (server, base):
        done = call("extract", base + "page", "--format", "json")
        assert done.returncode == 0, done.stderr
        (headers,) = server.seen
    assert headers["User-Agent"].startswith("quarkcrawl/")
    fields = json.loads(done.stdout)
    assert fields["text"].count(SENTENCE) == 9  # by our charset, not by the header's
    assert fields["url"] == base + "page"


def test_redirects_compression_and_plain_text():
    with serving() as (_, base):
        moved = fetch(base + "moved")
        assert (moved.name, moved.page.url) == (base + "moved", base + "page")
        assert moved.page.encoding == "gb18030"
        assert fetch(base + "zipped").page.html == HTML
        assert fetch(base + "text").is_plain


def test_a_large_reply_is_cut():
    with serving() as (_, base):
        config = CrawlConfig(max_body_bytes=100_000)
        assert len(fetch(base + "endless", config).page.body) == 100_000


@pytest.mark.full
@pytest.mark.parametrize(
    ("path", "reason", "words"),
    [
        ("gone", "http_410", "410"),
        ("file", "http_302", "302"),
        ("round", "http_302", "infinite loop"),
        ("slow", "timeout", "no whole reply within 0.5 s"),
    ],
)
def test_replies_that_are_no_page(path, reason, words):
    with serving() as (_, base), pytest.raises(FetchError, match=words) as caught:
        fetch(base + path, CrawlConfig(timeout_s=0.5))
    assert caught.value.reason == reason
    assert caught.value.where == base + path


def test_servers_that_are_none():
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{closed.getsockname()[1]}/"
        with pytest.raises(FetchError) as caught:
            fetch(url)
        assert caught.value.reason == "connection_refused"
        closed.listen()
        with pytest.raises(FetchError) as caught:
            fetch(url, CrawlConfig(timeout_s=0.3))
        assert caught.value.reason == "timeout"
    with pytest.raises(FetchError) as caught:
        fetch("http://name.invalid/")
    assert caught.value.reason == "dns"
    with pytest.raises(FetchError) as caught:
        fetch("http:///")
    assert caught.value.reason == "bad_url"


def test_a_reply_that_is_not_http():
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer():
            client, _ = server.accept()
            with client:
                client.recv(1000)
                client.sendall(b"220 mail.example.cn ESMTP\r\n\r\n")

        threading.Thread(target=answer, daemon=True).start()
        with pytest.raises(FetchError) as caught:
            fetch(f"http://127.0.0.1:{server.getsockname()[1]}/")
        assert caught.value.reason == "bad_http"


def test_help_has_an_example(tmp_path, call):
    done = call("extract", "--help")
    assert done.returncode == 0
    assert "quarkcrawl extract corpus --method quark" in done.stdout
    assert call("extract").returncode == 2


@pytest.mark.full
def test_a_terminal_sees_a_bar_and_stdout_stays_json(tmp_path):
    add_pages(tmp_path / "corpus", range(6))
    master, slave = pty.openpty()
    words = [sys.executable, "-m", "quarkcrawl", "extract", "corpus", "--method", "quark"]
    terminal = environment(TERM="xterm", COLUMNS="80")
    with subprocess.Popen(
        words, cwd=tmp_path, env=terminal, stdout=subprocess.PIPE, stderr=slave
    ) as done:
        os.close(slave)
        shown = "".join(read_terminal(master))  # all along: a terminal holds no more than 4 KiB
        stdout, _ = done.communicate(timeout=300)
    os.close(master)
    assert done.returncode == 0
    assert "6/6" in shown
    assert json.loads(stdout)["extracted"] == 6


@pytest.mark.parametrize("option", ["--workers", "--timeout-s", "--worker-memory"])
def test_numbers_out_of_range_exit_with_2(tmp_path, option):
    add_pages(tmp_path / "corpus", range(1))
    assert main(["extract", str(tmp_path / "corpus"), "--method", "quark", option, "-1"]) == 2
