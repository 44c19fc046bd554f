"""Pages annotated by hand or by rules: read, written, drawn by start tags."""
