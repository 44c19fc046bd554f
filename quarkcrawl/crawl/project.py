"""Which Scrapy project a crawl runs in: the user's, or the one the package carries."""

from __future__ import annotations

import configparser
import os
import sys
from pathlib import Path

from scrapy.utils.conf import closest_scrapy_cfg

from quarkcrawl.errors import ConfigError


def project_folder() -> Path:
    """The project to run: the nearest scrapy.cfg upward that is ours, else the bundled one.

    Raises:
        ConfigError: the installation is incomplete.
    """
    own = own_project()
    if own is not None:
        return own
    package = Path(__file__).resolve().parents[1]
    for folder in (package / "_project", package.parent):
        if (folder / "scrapy.cfg").is_file() and (folder / "spiders").is_dir():
            return folder
    raise ConfigError("no project: scrapy.cfg is neither here nor in the installed package")


def own_project() -> Path | None:
    """The folder of the nearest scrapy.cfg upward, if that is a project for our crawls."""
    config_path = closest_scrapy_cfg()
    return Path(config_path).parent if config_path and _is_ours(Path(config_path)) else None


def _is_ours(path: Path) -> bool:
    """A scrapy.cfg of another Scrapy project has no spider of ours."""
    parser = configparser.ConfigParser()
    try:
        parser.read(path, encoding="utf-8")
    except (configparser.Error, UnicodeDecodeError):
        return False
    module = parser.get("settings", "default", fallback="")
    return "quarkcrawl" in module or path.with_name("quarkcrawl.toml").is_file()


def use_project(folder: Path) -> None:
    """Make the project's ``spiders`` and ``pipelines`` importable and its settings current.

    The bundled project is used from anywhere, so its scrapy.cfg is not what Scrapy would find.
    """
    import_first(folder)
    parser = configparser.ConfigParser()
    parser.read(folder / "scrapy.cfg", encoding="utf-8")
    os.environ["SCRAPY_SETTINGS_MODULE"] = parser.get("settings", "default")


def import_first(folder: Path) -> None:
    """Make the project's ``spiders`` and ``pipelines`` win over all others of these names.

    Scrapy puts the folder last on the path, where an editable install of quarkcrawl, with the
    checkout's packages of the same names, stands before it.
    """
    sys.path[:] = [str(folder), *(place for place in sys.path if place != str(folder))]
