"""The tables and texts of a corpus, ready to be asked."""
