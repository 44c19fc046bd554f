"""Settings given on the command line: wrong ones are told, ``progress`` may be text."""

from __future__ import annotations

import pytest

from quarkcrawl.cli import main
from quarkcrawl.cli.crawl import wants_progress
from quarkcrawl.errors import ConfigError


@pytest.mark.parametrize(
    "words",
    [["crawl", "hosts.txt", "--out", "corpus"], ["render", "page.html"], ["select", "check"]],
)
def test_a_setting_without_a_value_is_wrong_use(words, capsys):
    assert main([*words, "--set", "delay_s"]) == 2
    assert "--set takes NAME=VALUE, not 'delay_s'" in capsys.readouterr().err


def test_progress_is_off_however_it_is_said():
    assert wants_progress({"levels": 2})
    assert wants_progress({"progress": "yes"})
    assert not wants_progress({"progress": False})
    assert not wants_progress({"progress": "false"})
    with pytest.raises(ConfigError, match="--set: progress"):
        wants_progress({"progress": "loud"})
