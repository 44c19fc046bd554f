"""Cut a page into blocks (Quark, chapter 3)."""

__all__: list[str] = []
