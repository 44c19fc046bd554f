"""Draw the pictures of this folder: the three views of one page of the generated web.

Run from the project root, with chromium installed: ``python docs/pictures/draw.py``.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from quarkcrawl.content import extract
from quarkcrawl.lab.mockweb import Ask, MiniWeb, page_truth
from quarkcrawl.page import Page
from quarkcrawl.workbench.report import block_map, comparison_view, content_view

URL = "http://bbs.pingzhitian.net/viewthread.php?tid=1002"
SIZE = "--window-size=820,520"


def views() -> dict[str, str]:
    """The documents by name."""
    web = MiniWeb(seed=3, n_hosts=3, n_pages=60, hostile=False)
    scheme, _, host, target = URL.split("/", 3)
    reply = web.respond(Ask(scheme.rstrip(":"), host, f"/{target}"))
    content = extract(Page.from_bytes(reply.body, URL), method="quark")
    return {
        "block-map": block_map(content.page, content.segmentation),
        "content": content_view(content),
        "comparison": comparison_view(content, page_truth(web, URL).main_text),
    }


def main() -> None:
    """Write one PNG a view beside this file."""
    browser = shutil.which("chromium")
    if browser is None:
        sys.exit("chromium is needed")
    with tempfile.TemporaryDirectory() as folder:
        for name, document in views().items():
            page = Path(folder, f"{name}.html")
            page.write_text(document, "utf-8")
            picture = Path(__file__).with_name(f"{name}.png")
            options = ["--headless", "--no-sandbox", "--hide-scrollbars", SIZE]
            command = [browser, *options, f"--screenshot={picture}", page.as_uri()]
            subprocess.run(command, check=True, capture_output=True)  # noqa: S603


if __name__ == "__main__":
    main()
