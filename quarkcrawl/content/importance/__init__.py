"""How important each block of a page is."""
