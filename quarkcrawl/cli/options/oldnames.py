"""Old names of options: accepted for one version, with a notice, and given their new names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

_CLUSTERS = ("refine", "export", "extract", "corpus near", "corpus dedup", "corpus sample",
             "corpus stats", "template apply", "classify apply")  # fmt: skip
_RANKS = ("rank pagerank", "rank quarkrank", "rank blpr")


@dataclass(frozen=True, slots=True)
class RenamedOption:
    """An option that has another name since 0.2.

    Args:
        old: the name it had.
        new: the name it has.
        commands: where, without ``quarkcrawl``.
        value: how the value is written under the new name.
    """

    old: str
    new: str
    commands: tuple[str, ...]
    value: str = "{}"


RENAMED: Final = (
    RenamedOption(
        "--memory-mb", "--memory",
        ("refine", "export", "corpus near", "corpus dedup", "corpus sample", "corpus stats",
         "select count", "rank webgraph"),
        "{}MiB",
    ),
    RenamedOption("--memory-mib", "--worker-memory", ("extract", "refine"), "{}MiB"),
    RenamedOption("--part-bytes", "--max-file-size", ("export",)),
    RenamedOption("--max-file-mb", "--max-file-size", ("corpus export-warc",), "{}MB"),
    RenamedOption("--max-mb", "--max-size", ("report",), "{}MiB"),
    RenamedOption("--method", "--extraction", ("refine", "export", "explain")),
    RenamedOption("--from-extraction", "--method", ("mark",)),
    RenamedOption("--methods", "--method", ("evaluate items", "evaluate dedup")),
    RenamedOption("--extractors", "--method", ("evaluate extractors",)),
    RenamedOption("--least-pages", "--min-pages",
                  ("select filter", "template train", "template apply")),
    RenamedOption("--least-chars", "--min-chars", ("corpus near",)),
    RenamedOption("--most-ngrams", "--max-ngrams", ("train perplexity",)),
    RenamedOption("--k", "--max-bits", ("corpus near",)),
    RenamedOption("--limit", "--max-pages", ("evaluate extractors", "evaluate items")),
    RenamedOption("--articles", "--max-articles", ("evaluate dedup",)),
    RenamedOption("--max-rounds", "--max-iterations", _RANKS),
    RenamedOption("--limit", "--top", ("pictures search",)),
    RenamedOption("--hosts", "--top", ("frontier status",)),
    RenamedOption("--movers", "--top", ("rank compare",)),
    RenamedOption("--pages", "--scored", ("evaluate content",)),
    RenamedOption("--pages", "--whole-pages", ("evaluate dedup",)),
    RenamedOption("--parts", "--folds", ("classify train",)),
    RenamedOption("--left-out", "--folds", ("evaluate extractors",)),
    RenamedOption("--repeats", "--records", ("template train", "template evaluate")),
    RenamedOption("--truth", "--label", ("template evaluate",)),
    RenamedOption("--draw-pages", "--bootstrap-pages", ("evaluate extractors",)),
    RenamedOption("--duplicates", "--with-duplicates", ("corpus links",)),
    RenamedOption("--seeds", "--work", ("serve", "explain")),
    RenamedOption("--lang", "--content-language", ("extract",)),
    RenamedOption("--unknown", "--unstored", _RANKS),
    RenamedOption("--personalise", "--personalize", _RANKS),
    RenamedOption("--out", "--index", ("pictures search",)),
    RenamedOption("--out", "--tables", ("rank compare",)),
    RenamedOption("--table", "--no-json", ("pictures search",)),
    RenamedOption("--engine duckdb", "--engine local", _CLUSTERS),
    RenamedOption("--engine memory", "--engine local", _RANKS),
    RenamedOption(
        "--json FILE", "--json-out FILE",
        ("evaluate topic", "evaluate content", "evaluate extractors", "evaluate search"),
    ),
)  # fmt: skip
"""All of them; what follows an option belongs to its name where a value was renamed."""


def renamed(words: Sequence[str]) -> tuple[list[str], list[RenamedOption]]:
    """A command line under the names of this version, and the old names that it had.

    >>> words, old = renamed(["corpus", "near", "corpus", "--least-chars=9"])
    >>> words, old[0].new
    (['corpus', 'near', 'corpus', '--min-chars=9'], '--min-chars')
    """
    command = " ".join(words[:2])
    options = [one for one in RENAMED if {command, words[0] if words else ""} & {*one.commands}]
    by_name = {one.old: one for one in options if " " not in one.old}
    by_value = {one.old: one for one in options if " " in one.old}
    old: list[RenamedOption] = []
    new: list[str] = []
    at = 0
    while at < len(words):
        name, equals, value = words[at].partition("=")
        if words[at] == "--":  # what follows is no option
            return [*new, *words[at:]], old
        follows = value if equals else "".join(words[at + 1 : at + 2])
        valued = by_value.get(f"{name} {_kind(name, follows)}")
        if valued is not None:
            new += _with_value(valued, follows)
            at += 1 if equals else 2
            old.append(valued)
            continue
        one = by_name.get(name)
        if one is None:
            new.append(words[at])
        else:
            old.append(one)
            new.append(f"{one.new}={one.value.format(value)}" if equals else one.new)
            if one.value != "{}" and not equals and at + 1 < len(words):
                at += 1
                new.append(one.value.format(words[at]))
        at += 1
    return new, old


def _kind(name: str, value: str) -> str:
    """What a table of values lists: the value itself, or FILE for a file that ``--json`` named."""
    return "FILE" if name == "--json" and (value == "-" or value.endswith(".json")) else value


def _with_value(one: RenamedOption, value: str) -> list[str]:
    if one.old != "--json FILE":
        return one.new.split()
    return ["--json"] if value == "-" else ["--json-out", value]
