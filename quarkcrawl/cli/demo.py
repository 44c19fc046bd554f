"""``quarkcrawl demo``."""

__all__ = ["demo"]


def demo() -> None:
    """Run the demo."""
