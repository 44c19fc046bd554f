"""The server process over real sockets: HTTP, faults, garbage, log, and its end."""

import http.client
import json
import os
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from quarkcrawl.errors import InputError, QuarkError
from quarkcrawl.lab.mockweb import ServerInfo, ServerProcess

ROOT = Path(__file__).resolve().parents[4]
HOST = "www.example.com.cn"
URL = f"http://{HOST}"
PAGES = {
    f"{URL}/": "<h1>首页</h1>" * 500,
    f"{URL}/gb.html": "天网".encode("gb18030"),
    f"{URL}/chunked": {"html": "块" * 20_000, "chunked": True},
    f"{URL}/moved": {"status": 302, "headers": {"Location": "/"}},
    f"{URL}/once": [{"status": 503, "headers": [["Retry-After", "1"]]}, {"html": "好"}],
    f"{URL}/slow": {"html": "慢", "delay_s": 0.3},
    f"{URL}/slower": {"html": "慢", "delay_s": 3.0},
    f"{URL}/drip": {"html": "滴" * 100, "drip_s": 0.3},
    **{
        f"{URL}/{fault}": {"html": "坏" * 500, "fault": fault}
        for fault in ("reset", "empty", "truncate", "reset_midway", "hang", "stall", "garbage")
    },
}


@pytest.fixture(scope="module")
def server():
    with ServerProcess.for_pages(PAGES) as process:
        yield process


def connect(server, scheme="http", timeout=5):
    address, port = server.info.address, server.info.port(scheme)
    if scheme == "http":
        return http.client.HTTPConnection(address, port, timeout=timeout)
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return http.client.HTTPSConnection(address, port, timeout=timeout, context=context)


def get(server, path, scheme="http", method="GET", host=HOST, **headers):
    connection = connect(server, scheme)
    try:
        connection.request(method, path, headers={"Host": host, **headers})
        response = connection.getresponse()
        return response.status, response.headers, response.read()
    finally:
        connection.close()


def test_info(server):
    assert server.info.hosts == (HOST,)
    assert ServerInfo.from_json(server.info.to_json()) == server.info
    assert server.running


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_pages(server, scheme):
    status, headers, body = get(server, "/", scheme)
    assert (status, body.decode()) == (200, PAGES[f"{URL}/"])
    assert headers["Content-Type"] == "text/html; charset=utf-8"
    assert headers["Date"].endswith("GMT")
    assert get(server, "/gb.html", scheme)[2].decode("gb18030") == "天网"
    assert get(server, "/chunked", scheme)[2].decode() == "块" * 20_000
    assert get(server, "/moved", scheme)[1]["Location"] == "/"
    assert get(server, "/nowhere", scheme)[0] == 404
    assert get(server, "/", scheme, host="other.cn")[0] == 404


def test_any_server_name_gets_a_certificate(server):
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    for name in ("www.pku.edu.cn", "xn--fiq228c.cn"):
        address = (server.info.address, server.info.https_port)
        with (
            socket.create_connection(address, 5) as plain,
            context.wrap_socket(plain, server_hostname=name) as sock,
        ):
            sock.sendall(f"GET / HTTP/1.1\r\nHost: {HOST}\r\n\r\n".encode())
            assert sock.recv(15) == b"HTTP/1.1 200 OK"
            assert sock.getpeercert(binary_form=True)


def test_head(server):
    status, headers, body = get(server, "/", method="HEAD")
    assert (status, body) == (200, b"")
    assert int(headers["Content-Length"]) == len(PAGES[f"{URL}/"].encode())


def test_gzip_on_request(server):
    _, headers, body = get(server, "/", **{"Accept-Encoding": "gzip"})
    assert headers["Content-Encoding"] == "gzip"
    assert len(body) < 1000


def test_visits(server):
    assert [get(server, "/once")[0] for _ in range(3)] == [503, 200, 200]


def test_delays(server):
    for path in ("/slow", "/drip"):
        begin = time.monotonic()
        assert get(server, path)[0] == 200
        assert time.monotonic() - begin >= 0.28


@pytest.mark.full
def test_slow_page_holds_nobody_up(server):
    answers = []
    thread = threading.Thread(target=lambda: answers.append(get(server, "/slower")[0]))
    thread.start()
    get(server, "/gb.html")
    assert answers == []
    thread.join()
    assert answers == [200]


def test_keep_alive_and_close(server):
    connection = connect(server)
    for _ in range(3):
        connection.request("GET", "/", headers={"Host": HOST})
        assert connection.getresponse().read()
        kept = connection.sock
    assert kept is not None
    connection.request("GET", "/", headers={"Host": HOST, "Connection": "close"})
    response = connection.getresponse()
    response.read()
    assert response.getheader("Connection") == "close"
    connection.close()
    last = [e.connection for e in server.log()][-4:]
    assert len(set(last)) == 1


def test_pipelined_requests_are_answered_in_order(server):
    ask = "GET {} HTTP/1.1\r\nHost: www.example.com.cn\r\n{}\r\n"
    with socket.create_connection((server.info.address, server.info.http_port), 5) as sock:
        sock.sendall(
            (
                ask.format("/slow", "")
                + ask.format("/gb.html", "")
                + ask.format("/nowhere", "Connection: close\r\n")
            ).encode()
        )
        data = b"".join(iter(lambda: sock.recv(65536), b""))
    assert data.index("慢".encode()) < data.index("天网".encode("gb18030")) < data.index(b"1.1 404")


def test_request_body_is_skipped(server):
    connection = connect(server)
    connection.request("POST", "/gb.html", body=b"x" * 100_000, headers={"Host": HOST})
    assert connection.getresponse().read().decode("gb18030") == "天网"
    connection.request("GET", "/gb.html", headers={"Host": HOST})
    assert connection.getresponse().status == 200
    connection.close()


@pytest.mark.parametrize("scheme", ["http", "https"])
@pytest.mark.parametrize(
    ("path", "error"),
    [
        ("/reset", OSError),
        ("/empty", http.client.RemoteDisconnected),
        ("/truncate", http.client.IncompleteRead),
        ("/reset_midway", (OSError, http.client.IncompleteRead)),
        ("/garbage", http.client.HTTPException),
    ],
)
def test_faults(server, scheme, path, error):
    with pytest.raises(error):
        get(server, path, scheme)


@pytest.mark.parametrize("path", ["/hang", "/stall"])
def test_silence(server, path):
    connection = connect(server, timeout=0.4)
    connection.request("GET", path, headers={"Host": HOST})
    with pytest.raises(TimeoutError):
        connection.getresponse().read()
    connection.close()


def test_reset_is_a_reset(server):
    with socket.create_connection((server.info.address, server.info.http_port), 5) as sock:
        sock.sendall(b"GET /reset HTTP/1.1\r\nHost: www.example.com.cn\r\n\r\n")
        with pytest.raises(ConnectionResetError):
            sock.recv(10)


@pytest.mark.parametrize(
    "garbage",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(200),
        b"\r\n\r\n\r\n",
        b"GET\r\n\r\n",
        b"HELLO " * 50_000,
        b"GET / HTTP/1.1\r\nbad header\r\n\r\n",
        bytes(range(256)) * 400,
        b"G",
        b"POST / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\nabc",
    ],
)
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_garbage_is_survived(server, garbage, scheme):
    with socket.create_connection((server.info.address, server.info.port(scheme)), 5) as sock:
        try:
            sock.sendall(garbage)
            sock.shutdown(socket.SHUT_WR)
            sock.settimeout(3)
            while sock.recv(65536):
                pass
        except OSError:
            pass
    assert get(server, "/gb.html")[0] == 200
    assert server.running


def test_garbage_gets_an_answer(server):
    with socket.create_connection((server.info.address, server.info.http_port), 5) as sock:
        sock.sendall(b"\x16\x03\x01")
        assert sock.recv(100).startswith(b"HTTP/1.1 400 Bad Request")


def test_very_long_url_is_read(server):
    assert get(server, "/?q=" + "x" * 60_000)[0] == 404


def test_many_connections_at_once(server):
    socks = [
        socket.create_connection((server.info.address, server.info.http_port), 5)
        for _ in range(300)
    ]
    for sock in socks:
        sock.sendall(b"GET /gb.html HTTP/1.1\r\nHost: www.example.com.cn\r\n\r\n")
    for sock in socks:
        assert sock.recv(4096).startswith(b"HTTP/1.1 200 OK")
        sock.close()


def test_log_and_counts(server):
    before, begin = len(server.log()), time.time()
    with socket.create_connection((server.info.address, server.info.http_port), 5) as sock:
        sock.sendall("GET /log/天?x=1 HTTP/1.1\r\nHost: www.EXAMPLE.com.cn\r\n\r\n".encode())
        assert sock.recv(100)
    get(server, "/moved", "https")
    first, second = server.log()[before:]
    assert first.target.encode("latin-1") == "/log/天?x=1".encode()
    assert (first.host, first.status, first.method, first.visit) == (HOST, 404, "GET", 1)
    assert second.url == f"https://{HOST}/moved"
    assert second.status == 302
    assert second.connection > first.connection
    assert begin - 0.01 <= first.time <= second.time <= time.time() + 0.01
    assert server.counts()[second.url] >= 1


# --- beginning and end -----------------------------------------------------------------------


def is_alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def wait_gone(pid, seconds=10.0):
    deadline = time.monotonic() + seconds
    while is_alive(pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not is_alive(pid)


def test_stop_ends_the_process_and_keeps_the_log():
    with ServerProcess.for_pages({f"{URL}/": "页"}) as process:
        get(process, "/")
        pid = process.info.pid
    assert not process.running
    assert not is_alive(pid)
    assert process.counts() == {f"{URL}/": 1}
    process.stop()


@pytest.mark.full
def test_exception_in_the_block_ends_the_process():
    with pytest.raises(ZeroDivisionError), ServerProcess.for_pages({f"{URL}/": "页"}) as process:
        raise ZeroDivisionError
    assert not is_alive(process.info.pid)


@pytest.mark.full
def test_killed_parent_leaves_no_orphan():
    code = (
        "import sys, time; from quarkcrawl.lab.mockweb import ServerProcess\n"
        f"s = ServerProcess.for_pages({{'{URL}/': 'x'}})\n"
        "print(s.info.pid, flush=True); time.sleep(60)"
    )
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, env=env) as parent:
        pid = int(parent.stdout.readline())
        assert is_alive(pid)
        parent.send_signal(signal.SIGKILL)
        parent.wait()
    assert wait_gone(pid)


@pytest.fixture
def command(tmp_path):
    pages = tmp_path / "pages.jsonl"
    pages.write_text(json.dumps({"url": f"{URL}/", "html": "页"}) + "\n")
    return [sys.executable, "-m", "quarkcrawl.lab.mockweb", "--replay", str(pages)]


@pytest.mark.full
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signals_end_the_command(command, number):
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, cwd=ROOT
    ) as child:
        info = ServerInfo.from_json(child.stdout.readline().decode())
        time.sleep(0.2)
        assert is_alive(info.pid)  # an empty stdin that is no pipe does not end it
        child.send_signal(number)
        assert child.wait(10) == 0


@pytest.mark.full
def test_closed_stdin_ends_the_command(command):
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT
    ) as child:
        assert child.stdout.readline()
        child.stdin.close()
        assert child.wait(10) == 0


@pytest.mark.full
def test_log_file(command, tmp_path):
    log = tmp_path / "log.jsonl"
    with subprocess.Popen(
        [*command, "--log", str(log)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT
    ) as child:
        info = ServerInfo.from_json(child.stdout.readline().decode())
        connection = http.client.HTTPConnection(info.address, info.http_port)
        connection.request("GET", "/", headers={"Host": HOST})
        assert connection.getresponse().status == 200
        entry = json.loads(log.read_text())
        connection.close()
        child.terminate()
    assert (entry["host"], entry["target"], entry["status"]) == (HOST, "/", 200)


@pytest.mark.full
def test_bad_input_is_told_to_the_parent(tmp_path):
    bad = tmp_path / "bad.jsonl"
    bad.write_text('{"url": "http://a.cn/", "html": "x"}\nnonsense\n')
    with pytest.raises(InputError) as caught:
        ServerProcess.for_replay([bad])
    assert caught.value.where == f"{bad}:2"
    with pytest.raises(InputError) as caught:
        ServerProcess.for_replay([tmp_path / "missing"])
    assert str(tmp_path / "missing") in str(caught.value)


def test_failed_start_is_an_error(capfd):
    with pytest.raises(QuarkError, match="ended with 2"):
        ServerProcess(["--no-such-option"])
    assert "unrecognized arguments" in capfd.readouterr().err


def test_start_that_takes_too_long_leaves_nothing():
    with pytest.raises(QuarkError, match="did not start"):
        ServerProcess(["--demo"], start_s=0.01)
