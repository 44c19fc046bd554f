"""The frontier of one process, in a SQLite file."""
