"""`quarkcrawl frontier` on the address of several servers."""

from __future__ import annotations

import json
import time

import pytest
import redis

from quarkcrawl.cli import main
from quarkcrawl.cli.serve import campaign_service
from quarkcrawl.errors import FrontierError
from quarkcrawl.frontier import Ending, FrontierOptions, open_shared
from quarkcrawl.store import DropRow, open_shard
from tests.corpus.merge_samples import write_page
from tests.frontier.steps import page
from tests.redis.server import RedisServer
from tests.redis.steps import hosts_on

OPTIONS = FrontierOptions(delay_s=0.0, robots=False)
HOSTS = [name for number in range(3) for name in hosts_on(number, 2)]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    server = RedisServer(tmp_path_factory.mktemp("redis"), "--requirepass", "geheim")
    yield server
    server.stop()


@pytest.fixture
def url(server, request) -> str:
    """Three databases of one server stand for three servers."""
    urls = [f"redis://:geheim@127.0.0.1:{server.port}/{number}" for number in range(3)]
    return f"{','.join(urls)}#{request.node.name.split('[')[0]}-{abs(hash(request.node.name))}"


def out_json(capsys) -> dict:
    return json.loads(capsys.readouterr().out)


def test_status_has_a_line_for_each_server(server, url, tmp_path, capsys) -> None:
    hosts = tmp_path / "hosts.txt"
    hosts.write_text("\n".join(HOSTS))
    assert main(["frontier", "add", url, str(hosts)]) == 0
    assert out_json(capsys) == {"offered": 6, "duplicates": 0, "new": 6}
    assert main(["frontier", "status", url, "--json"]) == 0
    found = out_json(capsys)
    assert (found["pending"], found["hosts"]) == (6, 6)
    assert [(one["pending"], one["state"]) for one in found["servers"]] == [(2, "running")] * 3
    servers = [f"redis://127.0.0.1:{server.port}/{number}" for number in range(3)]
    assert [one["server"] for one in found["servers"]] == servers
    assert found["server_memory_bytes"] >= sum(
        one["memory_bytes"] * 0.9 for one in found["servers"]
    )
    assert main(["frontier", "status", url]) == 0
    shown = capsys.readouterr().out
    assert all(f":{server.port}/{number} " in shown for number in range(3))
    assert "geheim" not in shown + json.dumps(found)
    assert main(["frontier", "export", url]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert sorted(line["host"] for line in lines) == sorted(HOSTS)


def test_orders_reach_each_server(url, capsys) -> None:
    frontier = open_shared(url, OPTIONS)
    for verb, state in (("pause", "paused"), ("drain", "draining"), ("resume", "running")):
        assert main(["frontier", verb, url]) == 0
        assert "geheim" not in (said := capsys.readouterr().out)
        assert json.loads(said)["state"] == state
        assert [part.state() for part in frontier.parts] == [state] * 3
    service = campaign_service(url, None)
    service.steer("paused")
    found = service.status(5, 0)
    assert (found["state"], found["order"]) == ("new", "paused")  # no worker was ever there
    assert "geheim" not in service.name
    frontier.close()


def test_a_start_list_of_any_server_is_added(server, url, capsys) -> None:
    with redis.Redis(port=server.port, password="geheim", db=1) as client:
        client.rpush("three:start_urls", *(f"http://{name}/" for name in HOSTS))
    assert main(["frontier", "add", url, "--start-list", "three:start_urls"]) == 0
    assert out_json(capsys) == {"offered": 6, "refused": 0, "new": 6}


@pytest.mark.parametrize("fresh", [[], ["--fresh"]])
def test_recovery_enters_rows_on_their_servers(server, url, tmp_path, capsys, fresh) -> None:
    """One server has lost everything, the others still hold what is stored to be waiting."""
    out = tmp_path / "out"
    with open_shard(out) as shard:
        for name in HOSTS:
            write_page(shard, f"http://{name}/1", level=1)
    frontier = open_shared(url, OPTIONS)
    frontier.push([page(n, 1, name) for name in HOSTS for n in (1, 2)])
    frontier.close()
    with redis.Redis(port=server.port, password="geheim", db=1) as client:
        client.flushdb()
    with pytest.raises(FrontierError, match="has nothing of the campaign"):
        open_shared(url)  # a worker that is started too early
    assert main(["frontier", "recover", url, str(out), *fresh]) == 0
    found = out_json(capsys)
    unknown = 6 if fresh else 2
    assert (found["rows"], found["unknown"], found["reopened"]) == (6, unknown, 6 - unknown)
    assert found["waiting"] == (0 if fresh else 4)
    frontier = open_shared(url)
    assert [part.counts().ended for part in frontier.parts] == [{"stored": 2}] * 3
    if not fresh:
        assert frontier.parts[0].options == OPTIONS
    frontier.close()


def test_what_was_given_up_is_tried_again_on_its_server(url, tmp_path, capsys) -> None:
    out = tmp_path / "out"
    frontier = open_shared(url, OPTIONS)
    frontier.push([page(1, 1, name) for name in HOSTS])
    leases = frontier.lease(9, now=time.time())
    frontier.acknowledge([Ending(lease.token, "timeout") for lease in leases])
    with open_shard(out) as shard:
        for lease in leases:
            row = DropRow(
                url=lease.url, host=lease.host, reason="timeout", detail="", level=1, at=1.0
            )
            shard.append_row(row)
    assert main(["frontier", "retry", url, str(out)]) == 0
    assert out_json(capsys) == {"urls": 6, "reasons": {"timeout": 6}}
    assert [part.counts().pending for part in frontier.parts] == [2, 2, 2]
    assert frontier.counts().ended == {}
    frontier.close()


@pytest.mark.parametrize(
    ("order", "words"),
    [((1, 0, 2), "is server 2/3 of the campaign, not 1/3"), ((0, 1), "not 1/2")],
)
def test_mistakes_are_one_clear_line(url, capsys, order, words) -> None:
    open_shared(url, OPTIONS).close()
    urls, _, name = url.partition("#")
    some = ",".join(urls.split(",")[at] for at in order)
    assert main(["frontier", "status", f"{some}#{name}"]) == 1
    said = capsys.readouterr().err
    assert words in said
    assert said.strip().count("\n") == 0
    assert "geheim" not in said
