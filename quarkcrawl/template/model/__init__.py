"""Templates as they are kept: induced nodes, labels, fields, the file."""
