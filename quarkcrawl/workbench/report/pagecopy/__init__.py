"""A stored page as a copy that is safe to look at."""
