"""Keys and passwords in URIs: refused, and printed nowhere, however the URI was taken."""

from __future__ import annotations

import pickle
import sys
from pathlib import Path

import pytest

from quarkcrawl.errors import ConfigError, InputError, QuarkError, StoreError, without_credentials
from quarkcrawl.store import Corpus, StoragePath, corpus_places
from quarkcrawl.store.lock import holder_note
from quarkcrawl.store.workingcopy import folder_here

SECRETS = ("GEHEIM", "GE/HE/IM", "GEH@EIM", "GE//HEIM+=")


def is_silent(text: str) -> bool:
    return "AKIA" not in text and not any(part in text for part in ("GE", "HE", "EIM", "IM"))


@pytest.mark.parametrize("secret", SECRETS)
@pytest.mark.parametrize("start", ["s3://", "s3:/", "S3://", "gs://", "hdfs://"])
def test_no_message_has_them(start: str, secret: str) -> None:
    uri = f"{start}AKIA:{secret}@bucket/c?secret_key={secret}"
    told = without_credentials(f"cannot read {uri}: gone; see {uri}")
    assert told == f"cannot read {start}***@bucket/c: gone; see {start}***@bucket/c"
    error = QuarkError(f"in {uri}", where=uri)
    assert str(error) == f"{start}***@bucket/c: in {start}***@bucket/c"
    assert is_silent(repr(pickle.loads(pickle.dumps(error)).__dict__))


def test_other_texts_stay_as_they_are() -> None:
    for text in (
        "http://a.cn/@user/1?q=a@b: no page",
        "s3://bucket/a/b.warc.gz@1234: damaged",
        "s3://bucket/a/b.warc.gz@1234",
        "mail a@b.cn, what is s3://bucket/a",
        "/data/a@b",
        "file:///data/a@b",
    ):
        assert without_credentials(text) == text
    assert without_credentials("redis://u:p@h:1/0") == "redis://***@h:1/0"
    assert without_credentials("s3://AKIA:GE/HEIM@123") == "s3://***@123"
    assert without_credentials("s3://AKIA:GE/HEIM@bucket/a@12: x") == "s3://***@12: x"


@pytest.mark.parametrize("secret", SECRETS)
def test_a_path_with_them_is_refused(secret: str) -> None:
    uri = f"s3://AKIA:{secret}@bucket/c"
    for call in (
        lambda: Corpus.open(uri),
        lambda: corpus_places(uri),
        (StoragePath(uri) / "data/x").read_bytes,
        lambda: StoragePath("s3://bucket/c?secret_key=" + secret).read_bytes(),
    ):
        with pytest.raises(InputError, match=r"credentials do not belong|no option") as caught:
            call()
        assert is_silent(str(caught.value))
    with pytest.raises(StoreError, match="of this machine only") as told:
        Corpus(Path(uri))
    assert is_silent(str(told.value))
    with pytest.raises(ConfigError, match="tasks work on folders") as named:
        folder_here(uri + "?secret_key=" + secret, "tasks")
    assert is_silent(str(named.value))


@pytest.mark.parametrize("secret", SECRETS)
def test_a_lock_does_not_have_them(secret: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["q", "extract", f"s3://AKIA:{secret}@b/c", "--workers", "1"])
    assert holder_note()["command"] == "q extract s3://***@b/c --workers 1"
