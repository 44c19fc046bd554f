"""What every task of a job does, and what one has done."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from quarkcrawl.errors import ConfigError, InputError, StoreError

if TYPE_CHECKING:
    from pathlib import Path


_VERSION: Final = 1


def check_task(number: int, n_tasks: int) -> None:
    """See that there can be such a task.

    Args:
        number: which task, counted from 0.
        n_tasks: how many there are.

    Raises:
        InputError: there cannot.
    """
    if not 0 <= number < n_tasks:
        message = f"is no task: of {n_tasks} the first is 0/{n_tasks}"
        if n_tasks > 0:
            message += f", the last {n_tasks - 1}/{n_tasks}"
        raise InputError(message, where=f"{number}/{n_tasks}")


class PartLimits(NamedTuple):
    """How much of a slice becomes one part.

    Args:
        inputs: most inputs.
        n_bytes: most bytes of inputs; a single one may have more.
    """

    inputs: int = 8192
    n_bytes: int = 256 << 20


PART_LIMITS: Final = PartLimits()
"""A part takes some minutes, which is what a task that is killed has to do again."""


@dataclass(frozen=True, slots=True)
class TaskOrder:
    """What is wanted, which tells one plan from another.

    Args:
        job: name of the job.
        n_tasks: how many tasks.
        settings: JSON values; all that the results depend on, but for the input.
        state: what the input was when it was cut, in a word.
        limits: how much of a slice becomes one part.
    """

    job: str
    n_tasks: int
    settings: dict[str, Any]
    state: str = ""
    limits: PartLimits = PART_LIMITS

    def check(self, other: TaskOrder, where: Path) -> None:
        """See that tasks under way are those that are wanted.

        Args:
            other: the order of the tasks that are under way.
            where: their folder.

        Raises:
            ConfigError: they are others.
        """
        if other.job != self.job:
            differs = f"the job {other.job}, not {self.job}"
        elif other.n_tasks != self.n_tasks:
            differs = f"{other.n_tasks} tasks, not {self.n_tasks}"
        elif name := next(
            (n for n in self.settings if other.settings.get(n) != self.settings[n]), ""
        ):
            theirs, ours = (json.dumps(one.settings.get(name)) for one in (other, self))
            differs = f"tasks with {name} = {theirs}, not {ours}"
        else:
            return
        raise ConfigError(f"under way are {differs}; finish them or delete the folder", where=where)


@dataclass(frozen=True, slots=True)
class TaskPlan:
    """An order and how the inputs are cut for it.

    Args:
        order: what was wanted.
        cuts: where each slice begins among the inputs, and where the last one ends.
        input_bytes: bytes of all inputs.
        about: what the job has noted of its inputs.
        folder: name of the folder with the files of this plan and of no other.
    """

    order: TaskOrder
    cuts: tuple[int, ...]
    input_bytes: int
    about: dict[str, Any] = field(default_factory=dict)
    folder: str = "files"

    def slice(self, number: int) -> tuple[int, int]:
        """The inputs of a task.

        Args:
            number: which task, counted from 0.

        Raises:
            InputError: there is no such task.
        """
        check_task(number, self.order.n_tasks)
        return self.cuts[number], self.cuts[number + 1]

    def encode(self) -> bytes:
        """As a file."""
        return (
            json.dumps({"version": _VERSION, **asdict(self)}, ensure_ascii=False).encode() + b"\n"
        )

    @classmethod
    def read(cls, path: Path) -> TaskPlan | None:
        """The plan in a file; None if there is none.

        Args:
            path: the file.

        Raises:
            StoreError: it cannot be read.
        """
        try:
            fields = json.loads(path.read_bytes())
            if fields.pop("version") != _VERSION:
                raise StoreError("was written by another version; delete the folder", where=path)
            order = fields["order"]
            limits = PartLimits(*order.pop("limits"))
            fields |= {"order": TaskOrder(**order, limits=limits), "cuts": tuple(fields["cuts"])}
            return cls(**fields)
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise StoreError(f"cannot read ({error})", where=path) from error


@dataclass(frozen=True, slots=True)
class TaskMark:
    """That a task is done, and what it has made.

    Args:
        task: its number, from 0.
        n_tasks: how many there are.
        rows: rows of its parts.
        n_bytes: bytes of its parts.
        counts: what the job has counted, failures by reason among it.
        parts: for each part ``folder``, ``name``, ``rows``, ``bytes`` and ``digest``, and
            ``keeps_name`` if it is published under its own.
    """

    task: int
    n_tasks: int
    rows: int = 0
    n_bytes: int = 0
    counts: dict[str, int] = field(default_factory=dict)
    parts: tuple[dict[str, Any], ...] = ()

    def encode(self) -> bytes:
        """As a file."""
        return json.dumps(asdict(self), ensure_ascii=False).encode() + b"\n"

    @classmethod
    def decode(cls, data: bytes | str) -> TaskMark:
        """What `encode` has written.

        Args:
            data: the file.
        """
        fields = json.loads(data)
        return cls(**{**fields, "parts": tuple(fields["parts"])})
