"""Templates: pages of one kind grouped by structure, and what they have in common."""

__all__: list[str] = []
