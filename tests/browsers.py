"""The browser of this machine, or the reason why there is none to test with."""

import shutil
import subprocess

import pytest

from quarkcrawl.render.browser import find_browser


def browser_or_skip() -> str:
    """Path of Chromium."""
    path = find_browser()
    if not path:
        pytest.skip("no Chromium on PATH (apt-get install chromium)")
    if shutil.which("fc-list"):
        fonts = subprocess.run(["fc-list"], capture_output=True, text=True, check=False)
        if not fonts.stdout.strip():
            pytest.skip("no font: Chromium ends when it is to draw a letter")
    return path
