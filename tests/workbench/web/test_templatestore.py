"""The template file as the server reads it, and the command that makes it."""

from __future__ import annotations

import sys
import time

import pytest

from quarkcrawl.errors import InputError
from quarkcrawl.workbench.web.http.operation import ApiError
from quarkcrawl.workbench.web.templatestore import TemplateStore


@pytest.fixture
def store(tmp_path):
    made = TemplateStore(tmp_path / "templates.json")
    yield made
    made.close()


def ended(store):
    for _ in range(600):
        found = store.training()
        if found["state"] != "running":
            return found
        time.sleep(0.05)
    pytest.fail("the training does not end")


def test_a_training_that_says_a_lot_and_fails_ends_and_tells_its_last_words(
    store, tmp_path, monkeypatch
):
    command = tmp_path / "command"
    command.write_text(
        "#!/bin/sh\nyes 模板 | head -c 300000 >&2\necho the corpus is gone >&2\nexit 3\n"
    )
    command.chmod(0o755)
    assert store.training() == {"state": "idle", "detail": ""}
    monkeypatch.setattr(sys, "executable", str(command))
    store.train(tmp_path)
    for _ in range(2):  # whoever asks later is told as well
        found = ended(store)
        assert found["state"] == "failed"
        assert found["detail"].endswith("the corpus is gone")
        assert len(found["detail"]) < 1000
    command.write_text("#!/bin/sh\nexit 0\n")
    store.train(tmp_path)
    assert ended(store) == {"state": "done", "detail": ""}


def test_one_training_at_a_time(store, tmp_path, monkeypatch):
    command = tmp_path / "command"
    command.write_text("#!/bin/sh\nexec sleep 60\n")
    command.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(command))
    store.train(tmp_path)
    with pytest.raises(ApiError) as caught:
        store.train(tmp_path)
    assert caught.value.status == 409
    assert store.training()["state"] == "running"


def test_what_is_no_template_file_is_told(store):
    assert store.entries() == []
    with pytest.raises(ApiError, match="no template"):
        store["x"]
    store.path.write_text("[]")
    with pytest.raises(InputError, match="no template file"):
        store.entries()
