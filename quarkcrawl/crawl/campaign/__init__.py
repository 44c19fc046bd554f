"""A crawl's decisions: scope, seeds, robots, opt-out, outcomes, recovery after a kill."""
