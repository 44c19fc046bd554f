"""Show pages, blocks and content as self-contained HTML."""

__all__: list[str] = []
