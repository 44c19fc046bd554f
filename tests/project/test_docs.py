"""Documents that must agree with the program."""

import re
from pathlib import Path

from quarkcrawl.crawl.reasons import REASONS, RETRIED

ROOT = Path(__file__).resolve().parents[2]


def test_every_reason_code_is_documented_with_its_meaning():
    text = (ROOT / "docs" / "reasons.md").read_text(encoding="utf-8")
    for code, meaning in REASONS.items():
        assert f"| `{code}` | {meaning} |" in text, code
    for code in RETRIED:
        assert f"`{code}`" in text, code


def test_every_reason_code_in_the_source_is_known():
    # What a rendered page asks for beside itself is no URL of the crawl and ends none.
    files = (ROOT / "quarkcrawl" / "crawl").glob("*.py")
    source = "".join(p.read_text() for p in files if p.stem != "renderfetch")
    source += "".join(p.read_text() for p in (ROOT / "pipelines").glob("*.py"))
    used = set(re.findall(r'reason="([a-z_]+)"', source))
    used |= set(re.findall(r'\.drop\(lease, "([a-z_]+)"', source))
    used |= set(re.findall(r'DropPage\("([a-z_]+)"', source))
    assert used
    assert used <= {*REASONS, "storage_failed"}


def test_the_readme_is_short_and_its_links_lead_somewhere():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 150
    for target in re.findall(r"\]\(([^)#]+)\)", text):
        assert target.startswith("http") or (ROOT / target).exists(), target
