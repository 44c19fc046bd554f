"""The versions that CI installs: they meet pyproject.toml, each file by its hash."""

import os
import re
import subprocess
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path

import pytest
from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
LOCK = ROOT / ".ci" / "requirements.txt"
HASH = re.compile(r"--hash=sha256:[0-9a-f]{64}$")


def locked() -> dict[str, list[tuple[Requirement, list[str]]]]:
    """Name → the requirements on it (there may be one a Python version) with their hashes."""
    found: dict[str, list[tuple[Requirement, list[str]]]] = {}
    text = re.sub(r"^#.*\n", "", LOCK.read_text(encoding="utf-8"), flags=re.MULTILINE)
    for entry in text.replace("\\\n", " ").splitlines():
        requirement, *hashes = entry.split("--hash")
        parsed = Requirement(requirement)
        found.setdefault(canonicalize_name(parsed.name), []).append(
            (parsed, ["--hash" + h.strip() for h in hashes])
        )
    return found


def wanted() -> list[Requirement]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    lines = project["dependencies"] + extras["test"] + extras["spark"]
    return [Requirement(line) for line in lines]


def on(requirement: Requirement, python: str) -> bool:
    names = {"python_version": python.rpartition(".")[0], "python_full_version": python}
    marker = requirement.marker
    return marker is None or marker.evaluate({**default_environment(), "extra": "", **names})


@pytest.mark.parametrize("python", ["3.11.0", "3.11.7", "3.12.1", "3.13.0"])
def test_every_dependency_is_locked_at_a_version_that_will_do(python):
    found = locked()
    for requirement in wanted():
        if not on(requirement, python):
            continue
        entries = [
            e for e, _ in found.get(canonicalize_name(requirement.name), []) if on(e, python)
        ]
        assert len(entries) == 1, requirement.name
        (pin,) = entries[0].specifier
        assert pin.operator == "=="
        assert requirement.specifier.contains(pin.version), f"{requirement}: {pin.version}"


def test_every_file_has_its_hash():
    for entries in locked().values():
        for requirement, hashes in entries:
            assert hashes, requirement.name
            assert all(HASH.match(one) for one in hashes), requirement.name


def test_what_dependencies_depend_on_is_locked_too():
    """Of the packages that are installed here; pip would fetch the rest without a hash."""
    found, python = locked(), sys.version.split()[0]
    for name, entries in found.items():
        if not any(on(entry, python) for entry, _ in entries):
            continue
        try:
            needs = [Requirement(line) for line in requires(name) or []]
        except PackageNotFoundError:
            continue
        missing = [
            r.name for r in needs if on(r, python) and canonicalize_name(r.name) not in found
        ]
        assert missing == [], name


def test_an_audit_without_its_database_says_so_and_goes_on():
    done = subprocess.run(
        [ROOT / ".ci" / "audit"], env={**os.environ, "AUDIT_HOST": "nowhere.invalid"},
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout == "pip-audit: nowhere.invalid cannot be reached, nothing was audited\n"
