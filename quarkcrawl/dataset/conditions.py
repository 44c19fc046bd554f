"""Which documents go into a data set: rules in order, each with a reason for what it leaves out.

A rule is a condition over documents and their labels, in SQL; a document stays where it is true.
What is left out has the reason of the first rule that does not hold. Of copies one stays: they
are compared last, among the documents for which all else holds, so that a text is not lost with
a copy of it that stands on a page of spam.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from quarkcrawl.errors import ConfigError, EngineError, InputError
from quarkcrawl.refine import DOCUMENT_COLUMNS, LABEL_COLUMNS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from quarkcrawl.engines import Engine


@dataclass(frozen=True, slots=True)
class DatasetRule:
    """A condition of a data set.

    Args:
        reason: code of what it leaves out.
        condition: SQL over the columns of documents and labels.
        meaning: what the reason says, in a sentence.
    """

    reason: str
    condition: str
    meaning: str


ALWAYS: Final = (
    DatasetRule("no_text", "text <> ''", "no text was found on the page"),
    DatasetRule("unlabelled", "is_labelled", "the text has no labels: quarkcrawl refine"),
    DatasetRule("label_failed", "label_failure IS NULL", "labeling the document failed"),
)
"""Rules that hold for every data set."""

RULES: Final = (
    DatasetRule("short", "n_chars >= 100", "the text has fewer than 100 characters"),
    DatasetRule("spam", "spam IS NULL", "the page is spam, or a hacked page with hidden links"),
    DatasetRule("heuristics", "heuristics IS NULL", "the text fails a heuristic of quality"),
    DatasetRule("contaminated", "contaminated IS NULL", "the text holds a piece of a benchmark"),
    DatasetRule(
        "opted_out", "opted_out IS NULL", "page or host asks that no model be trained on it"
    ),
)
"""Rules of a data set that are left out by their reason."""

COPIES: Final = (
    DatasetRule("duplicate", "duplicate_of", "a page with the same bytes is in the data set"),
    DatasetRule("near_duplicate", "near_of", "a page with nearly the same text is in the data set"),
)
"""Rules that compare documents; their conditions are the columns that name the kept page."""

AFTERWARDS: Final = (
    DatasetRule("only_repeats", "", "what is left without repeated passages is too short"),
    DatasetRule("personal", "", "the text holds personal data, and such texts are left out"),
)
"""Reasons that the writing of the texts finds."""

LEAST_CHARS: Final = 100
"""Shorter texts are left out, see the rule ``short``."""


def chosen_rules(where: Sequence[str], without: Sequence[str]) -> tuple[DatasetRule, ...]:
    """The rules of a data set in their order.

    Args:
        where: further conditions in SQL.
        without: reasons of `RULES` and `COPIES` that are not asked.

    Raises:
        ConfigError: there is no such rule, or a condition is empty.
    """
    names = [rule.reason for rule in (*RULES, *COPIES)]
    for reason in without:
        if reason not in names:
            message = f"no rule {reason!r}; there are {', '.join(names)}"
            raise ConfigError(message, where="--without")
    own = []
    for condition in where:
        if not condition.strip():
            raise ConfigError("a condition is empty", where="--where")
        shown = " ".join(condition.split())
        own.append(DatasetRule(f"where {shown}", condition, f"the condition {shown} does not hold"))
    return (*ALWAYS, *(rule for rule in RULES if rule.reason not in without), *own)


def chosen_copies(without: Sequence[str]) -> tuple[DatasetRule, ...]:
    """The rules that compare documents, in their order."""
    return tuple(rule for rule in COPIES if rule.reason not in without)


def check_rules(engine: Engine, rules: Sequence[DatasetRule], columns: Sequence[str]) -> None:
    """See that an engine understands the conditions.

    Args:
        engine: knows the view ``labelled``.
        rules: whose conditions it is asked.
        columns: columns that a condition may name, for the message.

    Raises:
        InputError: a condition is none, or names a column that is not there.
    """
    for rule in rules:
        sql = f"SELECT ({rule.condition}) AS holds FROM labelled WHERE 1 = 0"  # noqa: S608
        try:
            table = engine.fetch(sql)
        except EngineError as error:
            said = str(error).split(": ", 1)[-1].splitlines()[0]
            hint = f"; columns: {', '.join(columns)}"
            raise InputError(f"{said}{hint}", where=f"--where {rule.condition!r}") from error
        if str(table.schema.field("holds").type) != "bool":
            message = f"is no condition but a {table.schema.field('holds').type}"
            raise InputError(message, where=f"--where {rule.condition!r}")


def decided_sql(rules: Sequence[DatasetRule], copies: Sequence[DatasetRule]) -> str:
    """A query over ``labelled``: all documents and why they are left out (``reason``), or NULL."""
    cases = "\n".join(
        f"WHEN NOT coalesce(({rule.condition}), FALSE) THEN '{_quoted(rule.reason)}'"
        for rule in rules
    )
    query = f"SELECT *, CASE {cases} END AS reason FROM labelled"  # noqa: S608
    for rule in copies:
        owner = rule.condition
        rank = (
            f"row_number() OVER (PARTITION BY reason IS NULL, coalesce({owner}, url) "
            f"ORDER BY CASE WHEN {owner} IS NULL THEN 0 ELSE 1 END, url)"
        )
        left_out = f"WHEN reason IS NULL AND {rank} > 1 THEN '{rule.reason}'"
        inner = f"SELECT *, CASE {left_out} ELSE reason END AS next_reason FROM ({query}) AS q"  # noqa: S608
        columns = ", ".join(f'"{name}"' for name in (*DOCUMENT_COLUMNS, *LABEL_COLUMNS, "repeats"))
        query = f"SELECT {columns}, next_reason AS reason FROM ({inner}) AS r"  # noqa: S608
    return query


def _quoted(text: str) -> str:
    return text.replace("'", "''")
