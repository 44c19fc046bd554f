"""Collections: pages drawn from a corpus and copied into one of their own."""
