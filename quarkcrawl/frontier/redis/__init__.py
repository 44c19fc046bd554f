"""The frontier of many workers, in Redis; its steps are Lua scripts on the server."""
