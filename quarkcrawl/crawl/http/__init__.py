"""Fetching: downloads, DNS, decompression, guards against private addresses."""
