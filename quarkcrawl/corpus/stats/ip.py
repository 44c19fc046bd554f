"""From IP addresses to provinces, offline.

The thesis does not name its database. Here it is ip2region: the package XdbSearchIP (extra
``geo``) carries its data of June 2022; a newer ``ip2region.xdb`` can be named instead. The file
is read by the searcher of py-ip2region, which carries no data itself. Without them, provinces are
known for hosts below a province.cn name only.

The data are as old as their file, and say where an address is registered: servers behind a content
network stand elsewhere than their sites. Private and loopback addresses have no province.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING, Final

from quarkcrawl.corpus.stats.domains import province_of_name
from quarkcrawl.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable


NO_DATABASE: Final = "the domain below which a host stands (bj.cn)"
"""What provinces are told by where there is no database."""

_PACKAGE: Final = "XdbSearchIP"
_FILE: Final = "data/ip2region.xdb"


def ip_database(path: Path | None = None) -> Path | None:
    """The database: the given file, or that of the package; None without one."""
    if path is not None:
        return path
    spec = importlib.util.find_spec(_PACKAGE)
    if spec is None or importlib.util.find_spec("ip2region") is None:
        return None
    database = Path(next(iter(spec.submodule_search_locations or [""]))) / _FILE
    return database if database.is_file() else None


def province_finder(path: Path) -> Callable[[str], str | None]:
    """A function from an IPv4 address to the name of a province, None if it is in none.

    Args:
        path: an ``ip2region.xdb`` for IPv4.

    Raises:
        InputError: the file cannot be read, or the searcher is not installed.
    """
    if importlib.util.find_spec("ip2region") is None:
        raise InputError("needs a package: pip install 'quarkcrawl[geo]'", where=path)
    from ip2region import searcher, util  # noqa: PLC0415 - an extra

    try:
        with path.open("rb") as file:
            util.verify(file)
            content = util.load_content(file)
        search = searcher.new_with_buffer(util.IPv4, content)
    except Exception as error:
        raise InputError(f"no ip2region database ({error})", where=path) from error

    def find(address: str) -> str | None:
        try:
            region = search.search(address)
        except Exception:  # noqa: BLE001 - of addresses that are none, or not IPv4
            return None
        return _province(region)

    return find


def _province(region: str) -> str | None:
    """From ``中国|0|广东省|深圳市|电信`` or ``中国|广东省|深圳市|电信|CN``."""
    parts = region.split("|")
    if parts[0] != "中国":
        return None
    return next(filter(None, map(province_of_name, parts[1:3])), None)
