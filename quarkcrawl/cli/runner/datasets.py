"""Data sets of a corpus that somebody asks for in a browser: campaigns that label and export.

    CORPUS/datasets/NAME/campaign.toml   the labeling, if wanted, and the export
    CORPUS/datasets/NAME/dataset/        the data set, once it is whole

A data set is made once: what is there is never written anew.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Final

from quarkcrawl.cli.campaign_file import STEPS
from quarkcrawl.cli.runner.folder import CampaignFolder, last_error, toml_text
from quarkcrawl.errors import QuarkError, StoreError
from quarkcrawl.workbench.web import ApiError

if TYPE_CHECKING:
    from pathlib import Path

    from quarkcrawl.dataset import ExportOptions


_STEPS: Final = ("refine", "export")
_MOST_CARD_BYTES: Final = 128 << 10
_MOST_FILES: Final = 500
_NEVER_WRITTEN: Final = frozenset({"name", "method", "shuffle", "part_bytes", "tokenizer"})


class LocalDatasets(CampaignFolder):
    """Data sets of a corpus, as `DatasetRunner` of the workbench wants them.

    Args:
        corpus: its folder; the data sets are made below it.
    """

    def __init__(self, corpus: Path) -> None:
        super().__init__(corpus / "datasets")
        self._corpus = corpus

    def listed(self) -> list[dict[str, Any]]:
        """Name, state and size of each; why one cannot be read, where that is so."""
        return [self._line(name) for name in self.names()]

    def _line(self, name: str) -> dict[str, Any]:
        line = {"name": name, "state": "", "documents": None, "chars": None, "failure": ""}
        try:
            steps = self.steps(name)
        except QuarkError as error:
            return line | {"failure": str(error)}
        report = steps[-1]["report"] if steps else None
        if isinstance(report, dict):
            line |= {"documents": sum(report["documents"].values()), "chars": report["chars"]}
        return line | {"state": _state(steps)}

    def told(self, name: str) -> dict[str, Any]:
        """What is known of a data set: steps, report, card, files."""
        lines = self.log(name)
        steps = self.steps(name)
        state = _state(steps)
        folder = self.load(name).out / "dataset"
        is_whole = state == "done" and folder.is_dir()
        return {
            "name": name, "state": state, "steps": steps, "path": str(folder),
            "started_at": self.process(name).get("started_at"),
            "error": last_error(lines) if state == "failed" else "",
            "labelled": self._labeled() if state == "running" else None,
            "report": steps[-1]["report"] if is_whole else None,
            "card": _card(folder) if is_whole else "",
            "files": _files(folder) if is_whole else [],
        }  # fmt: skip

    def _labeled(self) -> int | None:
        """How many texts of the corpus have labels by now."""
        import pyarrow as pa  # noqa: PLC0415 - help needs no Arrow
        import pyarrow.parquet as pq  # noqa: PLC0415

        from quarkcrawl.refine import label_table  # noqa: PLC0415

        try:
            rows = [pq.read_metadata(path).num_rows for path in label_table(self._corpus).files()]
            return sum(map(int, rows))
        except (OSError, pa.ArrowException):  # a part gave way to another
            return None

    def add(self, options: ExportOptions, *, refine: bool) -> None:
        """A new data set; it is begun at once.

        Args:
            options: what is exported; its name is that of the folder.
            refine: label what has no labels yet before that.

        Raises:
            ConfigError: the options do not go together.
            ApiError: there is one of this name, or another one is being made.
        """
        options.check()
        name = options.name
        self.place(name, is_new=True)
        if busy := next(filter(self.is_running, self.names()), None):
            raise ApiError(409, f"the data set {busy} is being made: one at a time")
        if not refine and not self._labeled():
            raise StoreError("the corpus has no labels: quarkcrawl refine", where=self._corpus)
        self.create(name, _written(options, refine=refine), "")
        self.start(name)

    def order(self, name: str, state: str) -> None:
        """Stop the making of a data set, or go on with one that was stopped.

        Raises:
            ApiError: that cannot be done now; one that is whole is never made anew.
        """
        if state == "stopped":
            self.stop(name)
        elif _state(self.steps(name)) == "done":
            raise ApiError(409, f"the data set {name} is there")
        else:
            self.start(name)


def _state(steps: list[dict[str, Any]]) -> str:
    """Done, running, failed (or stopped), waiting: what the first step is that is not done."""
    return next((str(step["state"]) for step in steps if step["state"] != "done"), "done")


def _written(options: ExportOptions, *, refine: bool) -> str:
    """The file of a campaign that makes the data set: options that differ from the defaults."""
    skip = [step for step in STEPS if step not in _STEPS or (step == "refine" and not refine)]
    given: dict[str, Any] = {}
    for field in dataclasses.fields(options):
        value = getattr(options, field.name)
        if field.name not in _NEVER_WRITTEN and value != field.default:
            given["format" if field.name == "form" else field.name] = value
    if "fields" in given:
        given["fields"] = ",".join(given["fields"])
    return toml_text(
        {
            "campaign": {"name": options.name, "out": ".", "corpus": "../..", "skip": skip},
            "refine": {"extraction": options.method},
            "export": given | ({} if options.shuffle else {"no_shuffle": True}),
        }
    )


def _card(folder: Path) -> str:
    try:
        with (folder / "README.md").open("rb") as file:
            return file.read(_MOST_CARD_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""


def _files(folder: Path) -> list[dict[str, Any]]:
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return [{"path": str(path.relative_to(folder)), "bytes": path.stat().st_size}
            for path in paths[:_MOST_FILES]]  # fmt: skip
