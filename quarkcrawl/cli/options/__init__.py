"""Options that several verbs share, and how terminals are written to."""
