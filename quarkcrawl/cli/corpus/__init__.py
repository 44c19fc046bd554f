"""The verbs of `quarkcrawl corpus`."""
