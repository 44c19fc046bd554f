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
    found = closest_scrapy_cfg()
    if found and _is_ours(Path(found)):
        return Path(found).parent
    package = Path(__file__).resolve().parents[1]
    for folder in (package / "_project", package.parent):
        if (folder / "scrapy.cfg").is_file() and (folder / "spiders").is_dir():
            return folder
    raise ConfigError("no project: scrapy.cfg is neither here nor in the installed package")


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
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    parser = configparser.ConfigParser()
    parser.read(folder / "scrapy.cfg", encoding="utf-8")
    os.environ["SCRAPY_SETTINGS_MODULE"] = parser.get("settings", "default")
