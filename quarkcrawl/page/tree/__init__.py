"""Text to tree: one parse as browsers do it, laid out as arrays in preorder."""
