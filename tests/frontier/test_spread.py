"""A frontier over several servers keeps the same protocol; here they are databases of one."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

import pytest

from quarkcrawl.frontier import Frontier, FrontierOptions, SpreadFrontier, open_shared
from tests.frontier.contract import FrontierContract
from tests.frontier.machine import Backend
from tests.redis.server import RedisServer

if TYPE_CHECKING:
    from collections.abc import Iterator

NUMBERS = count()


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    server = RedisServer(tmp_path_factory.mktemp("redis"))
    yield ",".join(f"redis://127.0.0.1:{server.port}/{number}" for number in range(3))
    server.stop()


def opened(where: str, options: FrontierOptions | None = None, **more: object) -> SpreadFrontier:
    frontier = open_shared(where, options, server_clock=False, **more)
    assert isinstance(frontier, SpreadFrontier)
    return frontier


class TestSpread(FrontierContract):
    examples = 25

    @pytest.fixture
    def backend(self, servers: str) -> Backend:
        return Backend(
            make=lambda options: opened(f"{servers}#c{next(NUMBERS)}", options),
            reopen=lambda old: opened(f"{servers}#{old.address.servers[0].campaign}", old.options),
            names_owners=False,
            orders_hosts=False,
        )


def test_it_is_a_frontier(servers: str) -> None:
    frontier: Frontier = opened(f"{servers}#protocol")
    assert frontier.options == FrontierOptions()
    frontier.close()
