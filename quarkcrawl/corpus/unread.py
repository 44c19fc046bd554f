"""Why a stored page cannot be read, as a reason code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quarkcrawl.errors import DamagedRecordError

if TYPE_CHECKING:
    from quarkcrawl.errors import StoreError


def unread_reason(error: StoreError) -> str:
    """``damaged`` for bytes that are no whole record, ``unreadable`` for all else.

    Args:
        error: what reading the record raised.
    """
    return "damaged" if isinstance(error, DamagedRecordError) else "unreadable"
