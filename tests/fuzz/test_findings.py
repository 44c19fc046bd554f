"""What fuzzing found stays found; a short run of hypothesis over each target looks for more."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzz.seeds import seeds
from tests.fuzz.targets import TARGETS
from tests.profiles import examples

FINDINGS = Path(__file__).parent / "findings"


@pytest.mark.parametrize(
    "path", sorted(FINDINGS.glob("*/*")), ids=lambda p: f"{p.parent.name}-{p.name}"
)
def test_what_was_found(path: Path) -> None:
    TARGETS[path.parent.name](path.read_bytes())


def test_every_finding_has_a_target() -> None:
    assert {path.name for path in FINDINGS.iterdir()} <= TARGETS.keys()
    assert any(FINDINGS.glob("*/*"))


@pytest.mark.parametrize("target", TARGETS)
def test_well_formed_inputs(target: str) -> None:
    for seed in seeds(target):
        TARGETS[target](seed)


@st.composite
def damaged(draw: st.DrawFn, originals: list[bytes]) -> bytes:
    """A well-formed input with some bytes changed, left out, repeated or put in."""
    data = draw(st.sampled_from(originals))
    for _ in range(draw(st.integers(0, 4))):
        start = draw(st.integers(0, len(data)))
        end = min(len(data), start + draw(st.sampled_from([0, 1, 1, 4, 40])))
        piece = draw(st.binary(max_size=4) | st.just(data[start:end] * 2) | st.sampled_from(PIECES))
        data = data[:start] + piece + data[end:]
    return data


PIECES = [
    b"\0",
    b"\xff",
    b"\r\n\r\n",
    b"\n",
    b"-1",
    b"9" * 30,
    b"1e999",
    b"NaN",
    b"[",
    b"{",
    b"<",
    b":",
]


@pytest.mark.full
@pytest.mark.parametrize("target", TARGETS)
def test_damaged_inputs(target: str) -> None:
    originals = seeds(target)

    @settings(max_examples=examples(60), suppress_health_check=list(HealthCheck))
    @given(damaged(originals) | st.binary(max_size=300))
    def run(data: bytes) -> None:
        TARGETS[target](data)

    run()
