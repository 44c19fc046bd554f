"""Find the content of a page among its blocks."""

__all__: list[str] = []
