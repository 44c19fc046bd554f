"""What takes progress where nothing is shown, and what a bar has to offer."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext


class Shown:
    """Takes what is told of progress, a `quarkcrawl.progress.Progress`; this one shows nothing."""

    def __call__(self, step: str, done: int, total: int | None, note: str = "") -> None:
        """Show how far a step is.

        Args:
            step: its name.
            done: how much is done.
            total: how much there is; None: unknown.
            note: what else there is to say.
        """

    def aside(self) -> AbstractContextManager[None]:
        """Lets the block write lines to the terminal: the bar is away meanwhile."""
        return nullcontext()
