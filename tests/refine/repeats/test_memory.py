"""Ten million paragraphs within 4 GiB of memory, all that is mapped included."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

MEASURED = """
import random, resource, sys
from pathlib import Path
from quarkcrawl.refine.repeats import SourceText, repeated_paragraphs
resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
han = [chr(0x4E00 + k) for k in range(3000)]
def texts():
    rng = random.Random(7)
    repeated = ["".join(rng.choices(han, k=40)) for _ in range(2000)]
    chars = "".join(rng.choices(han, k=100000))
    for number in range(N // 20):
        lines = []
        for _ in range(20):
            if rng.random() < 0.15:
                lines.append(repeated[int(rng.paretovariate(1)) % 2000])
            else:
                start = int(rng.random() * 99000)
                lines.append(f"{chars[start:start + 40]}{number}")
        yield SourceText(number, "\\n".join(lines), f"h{number % 5000}.cn")
print(sum(1 for _ in repeated_paragraphs(texts, Path(sys.argv[1]))))
status = Path("/proc/self/status").read_text()
print(status.split("VmHWM:")[1].split()[0])
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_ten_million_paragraphs(tmp_path):
    code = MEASURED.replace("N // 20", "10_000_000 // 20")
    env = os.environ | {"PYTHONPATH": str(Path(__file__).parents[3])}
    run = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "work")],
        env=env, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    n_spans, peak_kib = map(int, run.stdout.split())
    assert n_spans > 2_000_000
    assert peak_kib < 2 << 20
