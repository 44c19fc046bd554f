"""Documents that must agree with the program."""

import re
import tomllib
from collections import Counter
from pathlib import Path

import pytest

from quarkcrawl.crawl.campaign.reasons import REASONS, RETRIED
from quarkcrawl.crawl.components.addon import PIPELINES
from quarkcrawl.page.pdf import PDF_REASONS

ROOT = Path(__file__).resolve().parents[2]


def test_every_reason_code_is_documented_with_its_meaning():
    text = (ROOT / "docs" / "reasons.md").read_text(encoding="utf-8")
    for code, meaning in (REASONS | PDF_REASONS).items():
        assert f"| `{code}` | {meaning} |" in text, code
    for code in RETRIED:
        assert f"`{code}`" in text, code


def test_every_reason_code_in_the_source_is_known():
    # What a rendered page asks for beside itself is no URL of the crawl and ends none.
    files = (ROOT / "quarkcrawl" / "crawl").rglob("*.py")
    source = "".join(p.read_text() for p in files if p.stem != "renderfetch")
    source += "".join(p.read_text() for p in (ROOT / "pipelines").glob("*.py"))
    used = set(re.findall(r'reason="([a-z_]+)"', source))
    used |= set(re.findall(r'\.drop\(lease, "([a-z_]+)"', source))
    used |= set(re.findall(r'DropPage\("([a-z_]+)"', source))
    assert used
    assert used <= {*REASONS, "storage_failed"}


def test_every_reason_of_a_selection_is_documented():
    text = (ROOT / "docs" / "reasons.md").read_text(encoding="utf-8")
    folder = ROOT / "quarkcrawl" / "select"
    codes = re.findall(r'Drop\("\w+", "(\w+)"', (folder / "selection.py").read_text())
    codes += re.findall(r'return "(\w+)"', (folder / "validity.py").read_text())
    assert len(set(codes)) >= 11
    for code in codes:
        assert f"| `{code}` |" in text, code


def test_the_layers_of_the_drawing_are_those_that_are_checked():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = project["tool"]["importlinter"]["contracts"]
    (layers,) = [one["layers"] for one in contracts if one.get("containers") == ["quarkcrawl"]]
    text = (ROOT / "docs" / "contributing.md").read_text(encoding="utf-8")
    drawn = text.split("```text\n")[1].split("```")[0].splitlines()
    names = [re.split(r" {2,}", line)[0] for line in drawn if not line.startswith(" ")]
    assert [set(one.split(" | ")) for one in names] == [set(one.split(" | ")) for one in layers]


def test_every_extra_is_listed():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    text = (ROOT / "docs" / "guides" / "shell.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE)
    assert sorted(listed) == sorted(project["project"]["optional-dependencies"])


def test_the_guide_has_the_number_of_every_stage():
    text = (ROOT / "docs" / "guides" / "spider.md").read_text(encoding="utf-8")
    said = re.search(r"the project's stand at (.*?):\n", text, re.DOTALL)
    assert [int(n) for n in re.findall(r"\d+", said[1])] == sorted(PIPELINES.values())


def test_the_readme_is_short_and_its_links_lead_somewhere():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 120
    for target in re.findall(r"\]\(([^)#]+)\)", text):
        assert target.startswith("http") or (ROOT / target).exists(), target


def test_the_source_files_that_pages_name_exist():
    tops = (ROOT / "quarkcrawl", ROOT, ROOT / "tests")
    named = Counter()
    for page in sorted((ROOT / "docs").glob("*.md")):
        paths = re.findall(r"`([a-z_0-9/]+/(?:[a-z_0-9]+\.(?:py|lua))?)`", page.read_text("utf-8"))
        sources = [
            one for one in paths if page.stem == "architecture" or one.endswith(("py", "lua"))
        ]
        assert not [
            (page.name, one) for one in sources if not any((top / one).exists() for top in tops)
        ]
        named[page.stem] += len(sources)
    assert named["architecture"] > 40
    assert named["frontier"] > 10
    assert named["decisions"] > 5


def test_the_architecture_has_a_line_for_every_package():
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `(\w+)` \| [a-zA-Z]", text, re.MULTILINE)
    folders = {path.parent.name for path in (ROOT / "quarkcrawl").glob("*/__init__.py")}
    assert sorted(listed) == sorted(folders)


@pytest.mark.parametrize("name", ["docs/tools.md", "README.md"])
def test_figures_beside_a_tool_stand_on_a_page_with_a_command(name):
    text = (ROOT / name).read_text(encoding="utf-8")
    if name == "README.md":
        text = text.partition("## Beside others")[2].partition("## More")[0]
        text = re.sub(
            r"(trafilatura|resiliparse|crawlee|scrapy-redis|datatrove) [\d.]+", r"\1", text
        )
    sources = [ROOT / "docs" / name for name in ("extraction.md", "redis.md", "dedup.md")]
    sources.append(ROOT / "benchmarks" / "README.md")
    known = "".join(path.read_text("utf-8") for path in sources)
    figures = re.findall(r"(?<![\w.])(?:\d+)?\.\d+(?!\w|\.\d)", text)
    assert len(figures) > 15
    missing = [one for one in figures if not re.search(rf"(?<![\d.]){re.escape(one)}(?!\d)", known)]
    assert not missing
