"""Text that can be encoded: lone surrogates replaced, as browsers do."""

from __future__ import annotations

__all__ = ["without_surrogates"]


def without_surrogates(text: str) -> str:
    """Replace each lone surrogate by U+FFFD; surrogate pairs become the character they mean."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text
