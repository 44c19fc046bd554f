"""``quarkcrawl config``: what is set, and a project of one's own."""

from __future__ import annotations

import json
import shutil
from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any

import typer
from typer import Argument

from quarkcrawl.cli.options import AsJson
from quarkcrawl.config import FRESHNESS, CrawlConfig, load_toml
from quarkcrawl.errors import InputError, StoreError, without_credentials

app = typer.Typer(help="Show settings; start a project of your own.", no_args_is_help=True)


@app.command("show")
def show(
    as_json: AsJson = False,
) -> None:
    """Print every crawl setting: value, where it comes from, meaning.

    \b
    Example:
      quarkcrawl config show
    """
    from quarkcrawl.crawl import project_folder  # noqa: PLC0415

    path = project_folder() / "quarkcrawl.toml"
    table = load_toml(path) if path.is_file() else {}
    effective = CrawlConfig.from_mapping(table, source=str(path))
    for field in fields(CrawlConfig):
        value = getattr(effective, field.name)
        if field.name in {"redis", "proxy"}:  # nobody's password
            is_one = isinstance(value, str)
            value = without_credentials(value) if is_one else tuple(map(without_credentials, value))
        row: dict[str, Any] = {
            "name": field.name,
            "value": value,
            "source": str(path) if field.name in table else "default",
            "help": field.metadata["help"],
        }
        if as_json:
            typer.echo(json.dumps(row, ensure_ascii=False))
        else:
            typer.echo(f"{row['name']} = {_toml(row['value'])}")
            typer.echo(f"    {row['help']} ({row['source']})")


@app.command("new")
def new(
    folder: Annotated[
        Path, Argument(metavar="FOLDER", help="Folder to create; must not exist or be empty.")
    ],
) -> None:
    """Copy the spiders, pipelines and settings into a project to change.

    \b
    Example:
      quarkcrawl config new mycrawl && cd mycrawl && scrapy list
    """
    from quarkcrawl.crawl import project_folder  # noqa: PLC0415

    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError("is there already and not an empty folder", where=folder)
    try:
        _copy(project_folder(), folder)
    except OSError as error:  # of copytree: a list of errors in place of a reason
        reason = error.strerror or "copying failed"
        raise StoreError(f"cannot write ({reason})", where=folder) from error
    typer.echo(
        f"{folder}: a project; edit quarkcrawl.toml, then: quarkcrawl crawl hosts.txt --out corpus",
        err=True,
    )


def _copy(source: Path, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("spiders", "pipelines", "seeds"):
        ignore = shutil.ignore_patterns("__pycache__")
        shutil.copytree(source / name, folder / name, ignore=ignore)
    shutil.copy(source / "scrapy.cfg", folder)
    (folder / "quarkcrawl.toml").write_text(starter_toml(), encoding="utf-8")


def starter_toml() -> str:
    """A configuration file with every setting, commented out at its default."""
    lines = ["# Settings of this project; remove the # to change one.", "[crawl]"]
    later: list[str] = []
    for field in fields(CrawlConfig):
        if field.name not in {"out", "host_map"}:
            table = later if field.name in FRESHNESS else lines
            table += [f"# {field.metadata['help']}", f"# {field.name} = {_toml(field.default)}"]
    lines += ["", "[freshness]", *later]
    return "\n".join(lines) + "\n"


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str | tuple):
        return json.dumps(value, ensure_ascii=False)
    return str(value)
