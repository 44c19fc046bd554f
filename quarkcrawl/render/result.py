"""What came of rendering a page, and the codes that say how it ended."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from quarkcrawl.page import Page
    from quarkcrawl.page.tree import Layout


RENDERED: Final = "rendered"

RENDER_REASONS: Final[dict[str, str]] = {
    RENDERED: "the page was drawn and came to rest",
    "render_timeout": "its scripts were stopped at wall_s; what was there then was taken",
    "render_requests": "asked for more than max_requests or max_total_bytes; the rest was refused",
    "render_redirect": "a script tried to lead elsewhere, which was refused; detail: where to",
    "render_stuck": "it could not be taken within capture_s and the browser was killed",
    "render_memory": "the browser grew by more than max_memory_bytes and was killed",
    "render_crash": "the browser's process for the page broke down",
    "render_too_large": "more nodes or characters than may be taken",
    "render_not_html": "the reply is not HTML",
    "render_unreachable": "the page could not be fetched",
    "render_busy": "no turn in the browser came in time",
    "render_error": "the browser or its driver failed in another way",
}
"""How a rendering can end. The first four give a page, the others none."""


@dataclass(frozen=True, slots=True)
class Rendered:
    """A page after its scripts have run.

    Args:
        url: address of the page.
        reason: how it ended, see `RENDER_REASONS`.
        detail: more about it where something is known.
        page: the page as it stood in the browser, shadow trees and frames of the same site laid
            out flat; None where nothing could be taken.
        n_requests: requests that the page made, the page itself not counted.
        refused: how many of them were refused, by reason: one of `REFUSALS`, a kind of request
            that is never fetched (``"image"``, ``"font"``, ``"media"`` …) or the reason code of a
            failure (``"private_address"``, ``"robots"``, ``"timeout"`` …).
        blocked: dialogs, popups, downloads and WebSockets that were blocked, by kind.
        elapsed_s: time that it took.
    """

    url: str
    reason: str
    detail: str = ""
    page: Page | None = None
    n_requests: int = 0
    refused: Mapping[str, int] = field(default_factory=Counter)
    blocked: Mapping[str, int] = field(default_factory=Counter)
    elapsed_s: float = 0.0

    @property
    def html(self) -> str | None:
        """The page as HTML, None where nothing could be taken."""
        return None if self.page is None else self.page.html

    @property
    def layout(self) -> Layout | None:
        """Boxes, fonts and colors of the nodes and runs of ``page.tree``."""
        return None if self.page is None else self.page.layout
