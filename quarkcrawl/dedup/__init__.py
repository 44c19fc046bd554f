"""Near-duplicate texts: the same article under different chrome, found by what it says."""

__all__: list[str] = []
