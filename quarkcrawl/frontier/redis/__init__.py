"""The frontier of many workers, in Redis; its steps are Lua scripts on the server."""

from quarkcrawl.frontier.redis.batched import BatchedFrontier
from quarkcrawl.frontier.redis.direct import RedisFrontier, Restored
from quarkcrawl.frontier.redis.server import RedisAddress, is_redis_url
from quarkcrawl.frontier.redis.starts import StartList

__all__ = [
    "BatchedFrontier",
    "RedisAddress",
    "RedisFrontier",
    "Restored",
    "StartList",
    "is_redis_url",
]
