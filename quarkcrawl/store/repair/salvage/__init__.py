"""Records read out of damaged files, and the rows that belong to them."""
