"""The verbs that measure, mark and train."""
