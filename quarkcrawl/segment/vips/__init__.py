"""Blocks by VIPS: what looks like one on the screen."""
