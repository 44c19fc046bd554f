"""The filter of a selection of seed sites that somebody starts in a browser.

    WORK/jobs/filter/campaign.toml   a campaign that does nothing but `quarkcrawl select filter`
    WORK/jobs/filter/log.txt         what it said, step by step

Its result takes the place of the one that is there only if that is the one which was named.
"""

from __future__ import annotations

import threading
import time
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

from quarkcrawl.cli.campaign_file import STEPS
from quarkcrawl.cli.runner.folder import CampaignFolder, is_below, last_error, toml_text
from quarkcrawl.cli.select import default_spam_lists, filter_options
from quarkcrawl.errors import InputError
from quarkcrawl.select import SelectionWork
from quarkcrawl.workbench.web import ApiError, HostFilterOptions

if TYPE_CHECKING:
    from pathlib import Path


_JOB: Final = "filter"
_SKIPPED: Final = tuple(step for step in STEPS if step != _JOB)


class LocalSelection(CampaignFolder):
    """The filter of a selection, as `SelectionRunner` of the workbench wants it.

    Args:
        root: work folder of the selection.
    """

    def __init__(self, root: Path) -> None:
        super().__init__(root / "jobs")
        self._work = SelectionWork(root.resolve())
        self._beginning = threading.Lock()

    def told(self) -> dict[str, Any]:
        """What is known of the filter: state, time, error, and the result that is there."""
        status = {
            "state": "waiting", "started_at": None, "elapsed_s": None, "error": "", "command": "",
            "version": self._work.result_version(),
            "default_lists": [str(path) for path in default_spam_lists()],
        }  # fmt: skip
        if _JOB not in self.names():
            return status
        (step,) = self.steps(_JOB)
        # What its step has noted stands there a moment before its process has ended.
        state = "running" if self.is_running(_JOB) else step["state"]
        started_at = self.process(_JOB).get("started_at")
        elapsed_s = step["elapsed_s"]
        if state == "running" and isinstance(started_at, int | float):
            elapsed_s = max(0.0, time.time() - started_at)
        return status | {
            "state": state, "started_at": started_at, "elapsed_s": elapsed_s,
            "error": last_error(self.lines()) if state == "failed" else "",
            "command": step["command"],
        }  # fmt: skip

    def lines(self) -> list[str]:
        """The last lines of what the filter said."""
        return self.log(_JOB) if _JOB in self.names() else []

    def begin(self, options: HostFilterOptions, replaces: str) -> None:
        """Filter the hosts anew, once the options are checked as the command checks them.

        Args:
            options: as on the command line; spam lists lie in the work folder.
            replaces: version of the result that may be replaced; "": there has to be none.

        Raises:
            ConfigError: no such method or step.
            InputError: a step before is missing, or a spam list is not there, or malformed.
            ApiError: the filter runs, or there is another result.
        """
        given = asdict(options)
        is_unchecked = given.pop("unchecked")
        lists = [self._list(name) for name in given.pop("spam_list")] or default_spam_lists()
        filter_options(**given, spam_list=lists)
        self._work.require_steps_before(checked=not is_unchecked)
        usual = asdict(HostFilterOptions())
        values: dict[str, Any] = {key: value for key, value in given.items() if value != usual[key]}
        values |= {"unchecked": is_unchecked, "spam_list": [str(path) for path in lists]}
        head = {"name": _JOB, "out": ".", "seeds": "../..", "skip": _SKIPPED}
        text = toml_text({"campaign": head, _JOB: values})
        with self._beginning:
            is_new = _JOB not in self.names()
            if not is_new and self.is_running(_JOB):
                raise ApiError(409, "the filter runs already")
            if replaces != self._work.result_version():
                what = "another result by now" if replaces else "a result already"
                message = f"there is {what}: load the view again, and say that it may be replaced"
                raise ApiError(409, message)
            if is_new:
                self.create(_JOB, text, "")
            else:
                self.change(_JOB, text, "", self.files(_JOB)["version"])
                (self.place(_JOB) / "steps" / f"{_JOB}.json").unlink(missing_ok=True)
            self.start(_JOB)

    def end(self) -> None:
        """Stop the filter; the result of before stays.

        Raises:
            ApiError: it does not run.
        """
        if _JOB not in self.names():
            raise ApiError(409, "the filter does not run")
        self.stop(_JOB)

    def _list(self, name: str) -> Path:
        """A spam list of the work folder.

        Raises:
            InputError: it lies elsewhere, or is no file.
        """
        path = self._work.path(name)
        if not is_below(path, self._work.root):
            raise InputError(f"a spam list has to lie in {self._work.root}", where=name)
        if not path.is_file():
            raise InputError("is not there, or no file", where=path)
        return path
