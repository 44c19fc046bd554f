"""Our extraction as a step of a datatrove pipeline."""

from __future__ import annotations

from datatrove.pipeline.extractors.base import BaseExtractor

from quarkcrawl.content import extract


class ContentExtractor(BaseExtractor):  # type: ignore[misc]  # datatrove has no types
    """Makes the text of a document from its HTML, as datatrove's own extractors do.

    Args:
        method: extraction method, see `quarkcrawl.content.METHODS`.
        timeout: longest time for a document, in seconds.
    """

    name = "quarkcrawl"

    def __init__(self, method: str = "default", timeout: float = 10) -> None:
        super().__init__(timeout)
        self.method = method

    def extract(self, text: str) -> str:
        """The content of a page.

        Args:
            text: its HTML.
        """
        return extract(text, method=self.method).text
