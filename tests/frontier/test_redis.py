"""The Redis frontier keeps the same protocol, on a real server."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

import pytest

from quarkcrawl.frontier import Frontier, FrontierOptions, RedisFrontier
from tests.frontier.contract import FrontierContract
from tests.frontier.machine import Backend
from tests.redis.server import RedisServer

if TYPE_CHECKING:
    from collections.abc import Iterator

NUMBERS = count()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    server = RedisServer(tmp_path_factory.mktemp("redis"))
    yield server
    server.stop()


def opened(url: str, options: FrontierOptions | None = None, **more: object) -> RedisFrontier:
    return RedisFrontier(url, options, server_clock=False, **more)


class TestRedis(FrontierContract):
    examples = 40

    @pytest.fixture
    def backend(self, server: RedisServer) -> Backend:
        return Backend(
            make=lambda options: opened(f"{server.url}#c{next(NUMBERS)}", options),
            reopen=lambda old: opened(f"{server.url}#{old.server.address.campaign}", old.options),
            names_owners=False,
        )


def test_it_is_a_frontier(server: RedisServer) -> None:
    frontier: Frontier = RedisFrontier(f"{server.url}#protocol")
    assert frontier.options == FrontierOptions()
    frontier.close()
