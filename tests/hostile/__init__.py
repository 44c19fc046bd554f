"""The bad web: a server of named bad behaviors, what is expected of each, and the crawls over it."""
