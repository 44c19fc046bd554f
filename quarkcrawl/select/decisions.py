"""What a person decided about proposed spam domains: a table to edit, kept by later runs.

``proposals.tsv`` has one line a domain. Whoever looks at the samples writes ``accept`` or
``reject`` in place of the question mark; the next run keeps these, refreshes the numbers and adds
what is new with a question mark. Accepted domains are spam patterns for later crawls, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from quarkcrawl.errors import InputError
from quarkcrawl.select.worktables import one_writer, write_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from quarkcrawl.select.proposals import Proposal


ACCEPT: Final = "accept"
REJECT: Final = "reject"
UNDECIDED: Final = "?"
_WORDS = (ACCEPT, REJECT, UNDECIDED)
_COLUMNS = ("decision", "domain", "hosts", "alike", "pages", "evidence", "samples")
_HEAD = """\
# Domains that look like families of generated sites. Look at the samples, write accept or reject
# in place of ?, and run "quarkcrawl select filter" again: decisions are kept.
"""


def read_decisions(path: Path) -> dict[str, str]:
    """Domain → ``accept``, ``reject`` or ``?``; empty if there is no file yet.

    Args:
        path: the file of proposals.

    Raises:
        InputError: the file cannot be read, or a line has no known decision (file and line named).
    """
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot be read ({error})", where=path) from error
    decisions = {}
    for number, line in enumerate(lines, 1):
        fields = [field.strip() for field in line.split("\t")]
        if not line.strip() or line.startswith("#") or tuple(fields[:2]) == _COLUMNS[:2]:
            continue
        if len(fields) < 2 or fields[0].lower() not in _WORDS or not fields[1]:
            what = f"neither accept, reject nor ? with a domain after a tab: {line[:60]!r}"
            raise InputError(what, where=f"{path}:{number}")
        decisions[fields[1].lower()] = fields[0].lower()
    return decisions


def change_decision(path: Path, domain: str, word: str) -> None:
    """Write what a person decided about a domain into its line; all other lines stay.

    Args:
        path: the file of proposals.
        domain: one of its domains.
        word: ``accept``, ``reject`` or ``?``.

    Raises:
        InputError: there is no such file, domain or word.
        StoreError: the file cannot be written; the old one stays.
    """
    if word not in _WORDS:
        raise InputError(f"neither accept, reject nor ?: {word[:60]!r}", where=path)
    with one_writer(path.parent):
        if domain not in read_decisions(path):
            raise InputError(f"does not have the domain {domain[:60]!r}", where=path)
        lines = path.read_text(encoding="utf-8-sig").splitlines()
        for number, line in enumerate(lines):
            fields = line.split("\t")
            if len(fields) > 1 and fields[1].strip().lower() == domain and not line.startswith("#"):
                lines[number] = "\t".join([word, *fields[1:]])
        write_text(path, "".join(f"{line}\n" for line in lines))


def write_proposals(
    path: Path, proposals: Iterable[Proposal], decisions: Mapping[str, str]
) -> None:
    """Write the table: the undecided first, then what was decided, also if no longer proposed.

    Raises:
        StoreError: the file cannot be written; the old one stays.
    """
    rows = [(decisions.get(one.domain, UNDECIDED), *_fields(one)) for one in proposals]
    proposed = {row[1] for row in rows}
    gone = [
        (word, domain, "", "", "", "", "")
        for domain, word in sorted(decisions.items())
        if domain not in proposed and word != UNDECIDED
    ]
    ordered = sorted(rows, key=lambda row: row[0] != UNDECIDED) + gone
    lines = ["\t".join(row) for row in [_COLUMNS, *ordered]]
    write_text(path, _HEAD + "\n".join(lines) + "\n")


def _fields(one: Proposal) -> tuple[str, ...]:
    pages = (
        f"{one.low_pages}-{one.high_pages}"
        if one.high_pages > one.low_pages
        else str(one.low_pages)
    )
    return one.domain, str(one.hosts), str(one.alike), pages, one.evidence, " ".join(one.samples)
