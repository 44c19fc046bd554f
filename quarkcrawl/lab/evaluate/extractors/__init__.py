"""Extractors side by side: ours, baselines and other projects'."""
