from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarkcrawl.errors import InputError
from quarkcrawl.store.layout import (
    bucket,
    folder_host,
    host_folder,
    page_dat_path,
    stored_files,
)
from tests.store.spec_reader import spec_bucket

# g++ __gnu_cxx::hash<const char*>, modulo 256
VECTORS = {
    "www.pku.edu.cn": 214,
    "www.sina.com.cn": 34,
    "net.pku.edu.cn": 80,
    "www.mydrivers.com": 49,
    "e.pku.edu.cn": 98,
    "news.sina.com.cn": 18,
    "中文.cn": 107,
}


@pytest.mark.parametrize(("host", "number"), VECTORS.items())
def test_bucket_vectors(host: str, number: int) -> None:
    assert bucket(host) == number
    assert spec_bucket(host) == number


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters=":")))
def test_bucket_equals_the_hash_of_the_description(host: str) -> None:
    assert bucket(host) == spec_bucket(host)


def test_case_and_port_do_not_matter_for_the_bucket() -> None:
    assert bucket("WWW.PKU.EDU.CN") == bucket("www.pku.edu.cn:8080") == 214


def test_a_port_has_a_folder_of_its_own() -> None:
    path = page_dat_path(Path("/c"), "www.pku.edu.cn:8080")
    assert path == Path("/c/data_214/www.pku.edu.cn+8080/page.dat")
    assert folder_host(path.parent.name) == "www.pku.edu.cn:8080"


@pytest.mark.parametrize(
    "host",
    [
        "",
        ".",
        "..",
        "../etc",
        "a/b",
        "a\\b",
        "a\0b",
        "a b",
        "a\nb",
        ".hidden",
        "a+b",
        "x" * 256,
        "中" * 100,
        "\udc80",
        ":80",
        "a?b",
        "a*",
    ],
)
def test_names_that_are_no_folder(host: str) -> None:
    with pytest.raises(InputError):
        host_folder(host)


@given(st.text())
def test_no_host_leaves_its_bucket(host: str) -> None:
    root = Path("/corpus")
    try:
        path = page_dat_path(root, host)
    except InputError:
        return
    assert path.resolve().parent.parent == root / f"data_{bucket(host)}"
    assert folder_host(path.parent.name) == host.lower()


def test_stored_files_lists_what_is_there(tmp_path: Path) -> None:
    hosts = ["www.pku.edu.cn", "www.sina.com.cn", "a.cn:81"]
    for host in hosts:
        path = page_dat_path(tmp_path, host)
        path.parent.mkdir(parents=True)
        path.write_bytes(b"")
    (tmp_path / "data_x" / "h").mkdir(parents=True)
    (tmp_path / "data_3").write_text("a file, no folder")
    found = list(stored_files(tmp_path))
    assert sorted(host for _, host, _ in found) == sorted(hosts)
    assert [number for number, _, _ in found] == sorted(bucket(host) for host in hosts)
