"""Pages as sequences of tags: skeletons, repeats, filters, weights."""
