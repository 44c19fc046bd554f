"""Bad input: a clear error that names the place, or a counted reason."""

import os
import socket
import subprocess
import time

import pytest

from quarkcrawl.lab.mockweb import ServerProcess
from tests import forked

from .harness import FAST, command, crawl, environment, host_map, write_hosts

HOST = "www.input.example"
PAGES = {f"http://{HOST}/": "<p>home"}


@pytest.fixture(scope="module")
def server():
    with ServerProcess.for_pages(PAGES) as process:
        yield process


def run(tmp_path, hosts, out, **settings):
    words = command(hosts, out, {**FAST, **settings})
    return forked.run(words, cwd=tmp_path, env=environment(), timeout=300)


def assert_clear(done, *parts: str, code: int = 1) -> None:
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    for part in parts:
        assert part in done.stderr


def test_a_missing_host_file_is_named(tmp_path):
    assert_clear(
        run(tmp_path, tmp_path / "none.txt", tmp_path / "c"),
        "none.txt: cannot be read: No such",
        code=2,
    )


@pytest.mark.parametrize(
    "line",
    [
        "not a host",
        *(
            pytest.param(line, marks=pytest.mark.full)
            for line in ("ftp://a.example/", "http://", "a..b", "http://[::1")
        ),
    ],
)
def test_a_malformed_line_is_named_with_its_number(tmp_path, line):
    hosts = write_hosts(tmp_path, ["good.example", "# comment", line])
    assert_clear(run(tmp_path, hosts, tmp_path / "c"), "hosts.txt:3", code=2)
    assert not (tmp_path / "c").exists()


def test_an_empty_host_file_is_an_error(tmp_path):
    assert_clear(
        run(tmp_path, write_hosts(tmp_path, ["# only this"]), tmp_path / "c"), "no hosts", code=2
    )


@pytest.mark.full
def test_binary_in_the_host_file_is_an_error(tmp_path):
    path = tmp_path / "hosts.txt"
    path.write_bytes(b"\xff\xfe\x00")
    assert_clear(run(tmp_path, path, tmp_path / "c"), "hosts.txt", code=2)


@pytest.mark.full
def test_an_output_that_is_a_file_or_cannot_be_written_is_named(tmp_path):
    hosts = write_hosts(tmp_path, [HOST])
    blocked = tmp_path / "file"
    blocked.write_text("")
    assert_clear(run(tmp_path, hosts, blocked), "file")
    assert_clear(run(tmp_path, hosts, blocked / "below"), "file")
    assert blocked.read_text() == ""


def test_an_unknown_setting_is_a_usage_error_with_the_nearest_name(tmp_path):
    hosts = write_hosts(tmp_path, [HOST])
    done = run(tmp_path, hosts, tmp_path / "c", max_trys="3")
    assert_clear(done, "max_trys", "max_tries", code=2)


def test_a_setting_of_the_wrong_type_is_a_usage_error(tmp_path):
    done = run(tmp_path, write_hosts(tmp_path, [HOST]), tmp_path / "c", levels="deep")
    assert_clear(done, "levels", "deep", code=2)


@pytest.mark.full
def test_a_replay_file_with_a_bad_line_is_named(tmp_path):
    bad = tmp_path / "pages.jsonl"
    bad.write_text('{"url": "http://a.example/", "html": "x"}\nnot json\n')
    words = [*command(write_hosts(tmp_path, [HOST]), tmp_path / "c", FAST), "--replay", str(bad)]
    done = forked.run(words, cwd=tmp_path, env=environment(), timeout=300)
    assert_clear(done, "pages.jsonl:2", code=2)


@pytest.mark.full
def test_a_corpus_that_another_run_holds_open_is_refused_with_its_lock(tmp_path, server):
    slow = {f"http://{HOST}/": {"html": "<p>late", "delay_s": 20}}
    hosts = write_hosts(tmp_path, [HOST])
    out = tmp_path / "corpus"
    with ServerProcess.for_pages(slow) as busy:
        settings = {**FAST, "timeout_s": "30", "host_map": host_map(busy)}
        first = subprocess.Popen(command(hosts, out, settings), env=environment(), cwd=tmp_path,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip
        try:
            while not busy.log():
                time.sleep(0.05)
            second = run(tmp_path, hosts, out, host_map=host_map(busy))
        finally:
            first.kill()
            first.wait()
    assert_clear(second, "LOCK", str(first.pid))
    again = crawl(tmp_path, server, [HOST], out=out)
    assert again.code == 0
    assert set(again.pages()) == {f"http://{HOST}/"}


@pytest.mark.full
def test_a_metrics_port_that_is_taken_is_told_and_stops_nothing(tmp_path, server):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        run = crawl(tmp_path, server, [HOST], metrics_port=str(port))
    assert run.code == 0, run.stderr
    assert "Traceback" not in run.stderr
    assert run.stderr.count(f"no metrics at 127.0.0.1:{port}") == 1
    assert set(run.pages()) == {f"http://{HOST}/"}


@pytest.mark.full
def test_hosts_on_private_addresses_are_refused(tmp_path):
    names = ["127.0.0.1", "http://2130706433/", "http://0x7f.1/", "http://[::ffff:127.0.0.1]/",
             "localhost.localdomain", "http://10.1.2.3:8080/x", "http://169.254.169.254/"]  # fmt: skip
    run = crawl(tmp_path, None, names)
    run.assert_settled()
    assert run.summary["pages"] == 0
    reasons = run.drops()
    assert reasons
    assert set(reasons.values()) <= {"private_address", "dns"}
    assert reasons["http://169.254.169.254/"] == "private_address"


@pytest.mark.full
def test_a_redirect_to_a_private_address_is_recorded_and_not_followed(tmp_path):
    pages = {f"http://{HOST}/": {"status": 302, "headers": [["Location", "http://127.0.0.1/"]]}}
    with ServerProcess.for_pages(pages) as server:
        run = crawl(tmp_path, server, [HOST])
    run.assert_settled()
    (row,) = run.rows("redirect")
    assert (row.target, row.in_scope) == ("http://127.0.0.1/", False)


@pytest.fixture
def closed_folder(tmp_path):
    """A folder in which nobody can write: for root, a read-only file system."""
    folder = tmp_path / "closed"
    folder.mkdir(mode=0o500)
    if os.geteuid() != 0:
        yield folder
        return
    mount = ["mount", "-t", "tmpfs", "-o", "ro,size=1m", "tmpfs", str(folder)]
    if subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("needs the right to mount a tmpfs")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


@pytest.mark.full
def test_a_corpus_folder_that_cannot_be_written_is_named(tmp_path, closed_folder):
    hosts = write_hosts(tmp_path, [HOST])
    assert_clear(run(tmp_path, hosts, closed_folder), "closed")
    assert_clear(run(tmp_path, hosts, closed_folder / "new"), "closed")
