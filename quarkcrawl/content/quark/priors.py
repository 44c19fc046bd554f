"""The seven features of a block, and how likely each is in content and elsewhere.

Both come from the Quark thesis, section 3.2 (which prints two names of its second column as those
of the first).
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from quarkcrawl.errors import InputError

FEATURES: Final = (
    "custom_tag",
    "noise_word",
    "punctuation_density",
    "punctuation",
    "long_text",
    "many_links",
    "anchor_ratio",
)
"""Names of the seven features, in the order of the thesis."""

# The limits of the thesis, which defines the features by them.
NOISE_BLOCK_CHARS: Final = 100
PUNCTUATION_PER_10_CHARS: Final = 0.3
PUNCTUATION: Final = 4
LONG_TEXT_CHARS: Final = 200
LINKS: Final = 20
ANCHOR_RATIO: Final = 0.3


@dataclass(frozen=True, slots=True)
class Priors:
    """Probabilities of the Bayes side.

    Args:
        p_content: share of content among all blocks.
        given_content: probability of each of `FEATURES` in a content block.
        given_noise: the same in any other block.
        name: where they come from.
    """

    p_content: float
    given_content: tuple[float, ...]
    given_noise: tuple[float, ...]
    name: str = "unnamed"

    def __post_init__(self) -> None:
        """Refuse what is no probability strictly between 0 and 1.

        Raises:
            InputError: naming the value at fault.
        """
        for label in ("given_content", "given_noise"):
            if len(getattr(self, label)) != len(FEATURES):
                raise InputError(f"{label}: {len(FEATURES)} values are needed", where=self.name)
        for value in (self.p_content, *self.given_content, *self.given_noise):
            if not 0 < value < 1:
                raise InputError(f"{value} is not between 0 and 1", where=self.name)

    def save(self, path: str | Path) -> None:
        """Write the priors as JSON, one feature a line.

        Args:
            path: the file.
        """
        pairs = zip(FEATURES, self.given_content, self.given_noise, strict=True)
        table = {name: {"content": content, "noise": noise} for name, content, noise in pairs}
        record = {"name": self.name, "p_content": self.p_content, "features": table}
        Path(path).write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", "utf-8")

    @classmethod
    def load(cls, path: str | Path) -> Priors:
        """Read priors that `save` wrote.

        Args:
            path: the file.

        Raises:
            InputError: if the file is missing or is no table of priors.
        """
        try:
            record = json.loads(Path(path).read_text("utf-8"))
            table = record["features"]
            content = tuple(float(table[name]["content"]) for name in FEATURES)
            noise = tuple(float(table[name]["noise"]) for name in FEATURES)
            return cls(float(record["p_content"]), content, noise, str(record.get("name", path)))
        except InputError as error:  # names the priors, not the file
            raise InputError(error.message, where=path) from error
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise InputError(f"no table of priors: {error!r}", where=path) from error


PUBLISHED_PRIORS: Final = Priors(
    p_content=0.16,
    given_content=(0.29, 0.04, 0.85, 0.77, 0.84, 0.10, 0.08),
    given_noise=(0.01, 0.45, 0.25, 0.34, 0.06, 0.71, 0.85),
    name="Quark thesis, section 3.2",
)
"""The priors that the thesis prints, counted there on hand-marked pages."""
