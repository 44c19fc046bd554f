"""The bad web: a server of named bad behaviours, what is expected of each, and the crawls over it."""
