"""Faults of hosts and pages: charsets, traps, failures."""
