"""Large pages are read in steps, so that nobody waits for more than one of them.

What a question needs of a page is read first. A small page is read at once. Of a large one as much
is read as fits into a short time, one step at least; if that was not all, the question is given
back unanswered, and whoever asked asks again. What was read is kept
(`quarkcrawl.workbench.web.worker.analyzed`).
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from quarkcrawl.workbench.web.http import PagePendingError
from quarkcrawl.workbench.web.worker.analyzed import Analyzed, analyzed

if TYPE_CHECKING:
    from collections.abc import Callable

    from quarkcrawl.workbench.web.documents import DocumentSource


PATIENCE_S: Final = 0.1
"""Time of the processor after which no further step begins."""


def _content(held: Analyzed, method: str, templates: str) -> object:
    content = held.content(method, templates)
    return content.segmentation, content.is_topic


STEPS: Final[dict[str, Callable[[Analyzed, str, str], object]]] = {
    "tree": lambda held, _method, _templates: held.page.tree.text_chars,
    "blocks": lambda held, _method, _templates: held.segmentation,
    "content": _content,
    "facts": lambda held, method, templates: held.facts(method, templates).some(0, 1),
    "spans": lambda held, method, templates: held.content(method, templates).spans,
}
"""What is found out about a page by a method, in this order; each step needs those before it."""


def read(
    document: DocumentSource, upto: str, method: str = "default", templates: str = ""
) -> Analyzed:
    """A page, read as far as a question needs it.

    Args:
        document: where it is.
        upto: name of the last one of `STEPS` that is needed.
        method: name of the method that finds the content.
        templates: file of templates, for the site model; "": the page alone.

    Raises:
        PagePendingError: there is more to read of a large page than fits into `PATIENCE_S`.
        StoreError: the page cannot be read.
        InputError: the template file cannot be read.
    """
    held = analyzed(document)
    if not document.is_read_in_steps:
        return held
    names = list(STEPS)
    keys = [(name, method, templates) for name in names[: names.index(upto) + 1]]
    start = time.process_time()
    for place, key in enumerate(key for key in keys if key not in held.steps_done):
        if place and time.process_time() - start > PATIENCE_S:
            raise PagePendingError(document.id)
        STEPS[key[0]](held, method, templates)
        held.steps_done.add(key)
    return held
