"""Where a host's pages are: ``data_N/<host>/page.dat`` with N from a hash of the host name.

The hash is that of the STL class the CWT200g collection was spread with (``hash<const char*>``
of the SGI library: h = 5 h + c), modulo 256, over the lower-case host without its port.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from quarkcrawl.errors import InputError
from quarkcrawl.store.storagepath import StoragePath

if TYPE_CHECKING:
    from collections.abc import Iterator


N_BUCKETS: Final = 256
PAGE_DAT: Final = "page.dat"
ELSEWHERE: Final = "records.json"
"""File in a working copy of a corpus that names the folder of its records."""

_PORT = re.compile(r":\d*$")
_SAFE = re.compile(r"[^\x00-\x20\x7f/\\+:<>\"|?*\ud800-\udfff]+")
_MAX_NAME_BYTES = 255  # of ext4, xfs, btrfs, tmpfs


@lru_cache(maxsize=65536)
def bucket(host: str) -> int:
    """Bucket of a host, 0 to 255; case and port do not matter.

    >>> bucket("www.pku.edu.cn"), bucket("WWW.sina.com.cn:8080")
    (214, 34)
    """
    value = 0
    for byte in _PORT.sub("", host.lower()).encode("utf-8", "surrogatepass"):
        value = (5 * value + byte) & 255
    return value


@lru_cache(maxsize=65536)
def host_folder(host: str) -> str:
    """Folder name of a host: the lower-case host; a port follows after "+" instead of ":".

    A colon would be read as a remote host or a drive by scp, rsync and Windows; "+" never
    occurs in a host name, so `folder_host` can turn it back.

    Raises:
        InputError: the name could leave its folder or is no folder name at all.
    """
    name = host.lower().replace(":", "+")
    plain = name.replace("+", "")
    if "+" in host or name.startswith((".", "+")) or not _SAFE.fullmatch(plain):
        raise InputError("host cannot be a folder name", where=repr(host))
    if len(name.encode()) > _MAX_NAME_BYTES:
        raise InputError("host is longer than a folder name may be", where=repr(host[:80]))
    return name


def folder_host(name: str) -> str:
    """Host of a folder name; the reverse of `host_folder`."""
    return name.replace("+", ":")


def page_dat_path(root: Path, host: str) -> Path:
    """Path of a host's records.

    Args:
        root: folder of the corpus.
        host: key of the host.

    Raises:
        InputError: the host cannot be a folder name.

    >>> page_dat_path(Path("corpus"), "www.pku.edu.cn:8080").as_posix()
    'corpus/data_214/www.pku.edu.cn+8080/page.dat'
    """
    return Path(root) / f"data_{bucket(host)}" / host_folder(host) / PAGE_DAT


def stored_files(root: Path) -> Iterator[tuple[int, str, Path]]:
    """Every page.dat below ``root`` as (bucket of the folder, host, path), in order of both.

    Args:
        root: one corpus, no folder of shards.
    """
    for number in range(N_BUCKETS):
        folder = Path(root) / f"data_{number}"
        if not folder.is_dir():
            continue
        for path in sorted(folder.glob(f"*/{PAGE_DAT}")):
            yield number, folder_host(path.parent.name), path


def write_elsewhere(root: Path, records: StoragePath) -> None:
    """Note that the page.dat files of a corpus lie elsewhere; readers find them there."""
    (root / ELSEWHERE).write_text(json.dumps({"records": records.text}) + "\n", encoding="utf-8")


@lru_cache(maxsize=64)
def records_elsewhere(root: str) -> StoragePath | None:
    """Where the page.dat files of a working copy of a corpus lie; None: in the corpus itself."""
    try:
        noted = json.loads((Path(root) / ELSEWHERE).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    return StoragePath(noted["records"])


def record_file(root: Path, host: str) -> Path | StoragePath:
    """The file of a host's records, for reading: as `page_dat_path`, or in an object store.

    Args:
        root: folder of the corpus, or a working copy of one.
        host: key of the host.

    Raises:
        InputError: the host cannot be a folder name.
    """
    elsewhere = records_elsewhere(str(root))
    if elsewhere is None:
        return page_dat_path(root, host)
    return elsewhere / page_dat_path(Path(), host).as_posix()


def record_sizes(root: Path) -> Iterator[tuple[str, int]]:
    """Every host with records, and how many bytes these have; for reading, as `record_file`.

    Args:
        root: one corpus, no folder of shards.
    """
    elsewhere = records_elsewhere(str(root))
    if elsewhere is None:
        for _, host, path in stored_files(root):
            yield host, path.stat().st_size
        return
    of_host = {}
    for name, size in elsewhere.sizes().items():
        folder, _, rest = name.partition("/")
        host_name, _, last = rest.partition("/")
        if folder.startswith("data_") and last == PAGE_DAT:
            of_host[int(folder.removeprefix("data_")), host_name] = size
    for (_, host_name), size in sorted(of_host.items()):
        yield folder_host(host_name), size
