"""What is done with each page: a plan that is made from settings and sent to workers."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

VERSION: Final = 1
"""Of what plans mean: equal plans of one version give equal rows."""


@dataclass(frozen=True, slots=True)
class StagePlan:
    """One stage: a function that a worker imports by its name.

    It is called with the page, with the columns of the stages before it, and with the options; it
    returns columns.

    Args:
        name: a page on which the stage fails is flagged ``failed:NAME``.
        function: such as ``"package.module:function"``.
        options: keyword arguments, as pairs; numbers, texts, truth values.
    """

    name: str
    function: str
    options: tuple[tuple[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class AnalysisPlan:
    """What is done with each page, and how much may come of it.

    Args:
        stages: in this order, after the links.
        max_url_chars: longer links are counted, not kept.
        max_link_bytes: most bytes of a page's links; those behind are counted, not kept.
        max_column_bytes: most bytes of a page's columns; what a stage adds beyond them is left
            out.
        links: whether they are wanted.
        feeds: whether feeds that pages name are among the links.
    """

    stages: tuple[StagePlan, ...] = ()
    max_url_chars: int = 2000
    max_link_bytes: int = 4 << 20
    max_column_bytes: int = 32 << 20
    links: bool = True
    feeds: bool = False

    @property
    def digest(self) -> str:
        """16 hexadecimal digits that tell plans apart."""
        fields = asdict(self)
        if not self.feeds:  # which plans of earlier versions could not ask for
            del fields["feeds"]
        data = json.dumps([VERSION, fields], sort_keys=True).encode()
        return hashlib.blake2b(data, digest_size=8).hexdigest()

    @property
    def modules(self) -> set[str]:
        """Names of the modules that hold the functions of the stages."""
        return {stage.function.partition(":")[0] for stage in self.stages}

    def only(self, *names: str) -> AnalysisPlan:
        """The plan with no other stages than these.

        Args:
            names: stages that are kept.
        """
        stages = tuple(stage for stage in self.stages if stage.name in names)
        return replace(self, stages=stages)
