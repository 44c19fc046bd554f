"""Jobs over a stored corpus."""

__all__: list[str] = []
