"""The frontier of many workers, in Redis; its steps are Lua scripts on the server."""

from quarkcrawl.frontier.redis.batched import BatchedFrontier
from quarkcrawl.frontier.redis.direct import RedisFrontier, Restored, Share
from quarkcrawl.frontier.redis.script import agreed_crew, stored_part, was_whole
from quarkcrawl.frontier.redis.server import AddressList, RedisAddress, is_redis_url, unreachable
from quarkcrawl.frontier.redis.starts import StartList, start_candidate

__all__ = [
    "AddressList",
    "BatchedFrontier",
    "RedisAddress",
    "RedisFrontier",
    "Restored",
    "Share",
    "StartList",
    "agreed_crew",
    "is_redis_url",
    "start_candidate",
    "stored_part",
    "unreachable",
    "was_whole",
]
