"""Near-duplicates with a known truth: edited and reposted texts."""
