"""Pages grouped by structure: distances, clusters, splits of groups."""
