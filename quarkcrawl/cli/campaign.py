"""``quarkcrawl campaign FILE.toml``: from URL lists to a data set, step by step.

Every step is a command in a process of its own. ``OUT/steps/NAME.json`` notes what it ran and
reported; a step with the same command is not run again, and after one that was, all later ones are.
The crawl is run again when its seeds are others, or some were added to it since.
A step that was stopped goes on where it was, as far as its command does (crawl, check, extract,
refine).
"""

from __future__ import annotations

import hashlib
import json
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Argument, Option

from quarkcrawl.cli.campaign_file import CampaignFile, Step, StepName, load_campaign
from quarkcrawl.cli.options import INTERRUPTED, renamed
from quarkcrawl.errors import InputError, QuarkError, StoreError, without_credentials

if TYPE_CHECKING:
    from collections.abc import Iterable


def campaign(
    file: Annotated[Path, Argument(metavar="FILE.toml", help="The campaign.")],
    skip: Annotated[
        list[StepName] | None, Option(help="Leave out this step; may be repeated.")
    ] = None,
    again: Annotated[
        StepName | None, Option("--from", help="Run this step and all after it again.")
    ] = None,
    until: Annotated[StepName | None, Option(help="Stop after this step.")] = None,
    dry: Annotated[bool, Option("--dry-run", help="Print the commands only.")] = False,
) -> int:
    """Run a campaign: from lists of URLs to a corpus, a collection and a data set.

    The same command goes on where the last run ended. OUT/campaign.html shows what came of it.

    \b
    Examples:
      quarkcrawl campaign cwt.toml --dry-run
      quarkcrawl campaign cwt.toml
      quarkcrawl campaign cwt.toml --from sample
    """
    loaded = load_campaign(file)
    loaded = replace(loaded, skip=loaded.skip | set(skip or []))
    if dry:
        for step in loaded.steps():
            words = "(skipped)" if step.is_skipped else " ".join(step.words)
            typer.echo(f"{step.name:8} {words}")
        return 0
    return run_campaign(loaded, again=again or "", until=until or "")


def run_campaign(
    campaign: CampaignFile, *, again: str = "", until: str = "", quiet: bool = False
) -> int:
    """Run what has not been run; returns the exit code.

    The step ``again`` and all after it are run even if they were; ``until`` is the last to be run.

    Raises:
        ConfigError: a step has not what it needs.
        StoreError: the folder cannot be written.
        QuarkError: the process of a step was killed.
    """
    steps = campaign.steps()
    try:
        (campaign.out / "steps").mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"cannot write ({error.strerror})", where=campaign.out) from error
    is_stale = False
    for step in steps:
        is_stale = is_stale or step.name == again or _has_more_seeds(campaign, step)
        if not step.is_skipped and (is_stale or noted_step(campaign, step) is None):
            is_stale = True
            code = _run_step(campaign, step, quiet=quiet)
            if code:
                return code
        if step.name == until:
            break
    return 0


def _note(campaign: CampaignFile, step: str) -> Path:
    return campaign.out / "steps" / f"{step}.json"


def noted_step(campaign: CampaignFile, step: Step) -> dict[str, Any] | None:
    """What a step noted when it was done (``elapsed_s``, ``report``); None: it is to be run."""
    try:
        noted = json.loads(_note(campaign, step.name).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    is_same = (
        isinstance(noted, dict)
        and _shown(noted.get("words") or ()) == _shown(step.words)
        # What an earlier version noted, and other steps, say nothing of seeds.
        and ("seeds" not in noted or noted["seeds"] == _seeds_digest(step))
    )
    return noted if is_same else None


def _seeds_digest(step: Step) -> str:
    """Hash of the HOSTS file of a crawl; "" if it cannot be read."""
    try:
        data = Path(step.words[1]).read_bytes()
    except OSError:
        return ""
    return hashlib.blake2b(data, digest_size=12).hexdigest()


def _has_more_seeds(campaign: CampaignFile, step: Step) -> bool:
    """Whether seeds were added to a crawl that has ended since."""
    if step.name != "crawl" or step.is_skipped or not campaign.corpus.is_dir():
        return False
    from quarkcrawl.crawl.campaign import has_inbox  # noqa: PLC0415 - Scrapy is slow to import

    return has_inbox(campaign.corpus)


def _shown(words: Iterable[str]) -> list[str]:
    """A command line without passwords, under the names that options have now."""
    return [without_credentials(word) for word in renamed([str(word) for word in words])[0]]


def _run_step(campaign: CampaignFile, step: Step, *, quiet: bool) -> int:
    if not quiet:
        typer.echo(f"== {step.name}: quarkcrawl {' '.join(_shown(step.words))}", err=True)
    _note(campaign, step.name).unlink(missing_ok=True)
    _make_room(campaign, step)
    if step.name == "report" and step.words and not find_spec("matplotlib"):
        # Not noted: with matplotlib the step is to be run.
        if not quiet:
            typer.echo("report without plots: pip install 'quarkcrawl[plot]'", err=True)
        _write_page(campaign, quiet=quiet)
        return 0
    started = time.time()
    seeds = {"seeds": _seeds_digest(step)} if step.name == "crawl" else {}
    code, output = _command(step.words) if step.words else (0, "")
    if code < 0:
        raise QuarkError(f"killed ({signal.strsignal(-code)})", where=step.name)
    if code:
        return code
    noted = {
        "step": step.name,
        "words": _shown(step.words),
        **seeds,
        "started": round(started, 3),
        "elapsed_s": round(time.time() - started, 3),
        "report": _last_json(output),
    }
    text = json.dumps(noted, ensure_ascii=False) + "\n"
    _note(campaign, step.name).write_text(text, encoding="utf-8")
    if step.name == "report":
        _write_page(campaign, quiet=quiet)
    return 0


def _write_page(campaign: CampaignFile, *, quiet: bool) -> None:
    from quarkcrawl.workbench.report import write_campaign_page  # noqa: PLC0415

    page = write_campaign_page(campaign.name, campaign.out, campaign.lang)
    if not quiet:
        typer.echo(json.dumps({"campaign": campaign.name, "page": str(page)}))


def _make_room(campaign: CampaignFile, step: Step) -> None:
    """A collection is never changed: an earlier one of this campaign goes first."""
    folder = campaign.out / "collection"
    if step.name == "sample" and folder.exists():
        if not (folder / "manifest.json").is_file():
            raise InputError("is there and no collection", where=folder)
        shutil.rmtree(folder)


def _command(words: tuple[str, ...]) -> tuple[int, str]:
    """Run a command; Ctrl-C is its business, and we wait until it has ended.

    Returns:
        Its exit code (negative: the signal that killed it) and what it wrote to standard output.
    """
    before = signal.getsignal(signal.SIGINT)
    process = subprocess.Popen(  # noqa: S603 - our own program
        [sys.executable, "-m", "quarkcrawl", *words],
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        output, _ = process.communicate()
    finally:
        signal.signal(signal.SIGINT, before)
    code = process.returncode
    return (INTERRUPTED if code == -signal.SIGINT else code), output


def _last_json(output: str) -> Any:
    """The report that a command prints as its last line."""
    lines = output.strip().splitlines()
    try:
        return json.loads(lines[-1]) if lines else None
    except ValueError:
        return None
