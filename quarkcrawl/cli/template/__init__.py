"""The verbs of `quarkcrawl template`."""
