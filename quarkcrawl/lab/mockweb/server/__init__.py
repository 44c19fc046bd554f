"""The HTTP server of the mock web, and replay of stored pages."""

from quarkcrawl.lab.mockweb.server.process import LogEntry, ServerProcess
from quarkcrawl.lab.mockweb.server.replay import Replay
from quarkcrawl.lab.mockweb.server.server import ServerInfo, serve

__all__ = ["LogEntry", "Replay", "ServerInfo", "ServerProcess", "serve"]
