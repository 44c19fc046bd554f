"""Blocks by the rules of the Quark thesis."""
