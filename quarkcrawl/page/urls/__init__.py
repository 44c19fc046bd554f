"""URLs in one spelling: canonical form, hosts, percent encoding."""
