"""What the tests of shared jobs start."""

import pytest

from tests.redis.server import RedisServer


@pytest.fixture
def server(tmp_path):
    """A Redis server that keeps what it is told in a file, as SharedAddon asks for."""
    folder = tmp_path / "redis"
    folder.mkdir()
    server = RedisServer(folder, "--appendonly", "yes", "--appendfsync", "everysec")
    yield server
    server.stop()
