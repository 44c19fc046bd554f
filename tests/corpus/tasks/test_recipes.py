"""The recipes for Slurm and Kubernetes, run with the variables that these set."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.corpus.corpora import add_pages, assert_complete, rows_of
from tests.crawl.harness import environment

ROOT = Path(__file__).resolve().parents[3]
RECIPES = ROOT / "recipes"


@pytest.fixture
def surroundings(tmp_path):
    """An environment whose PATH has the command."""
    add_pages(tmp_path / "corpus", range(20))
    (tmp_path / "bin").mkdir()
    command = tmp_path / "bin" / "quarkcrawl"
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m quarkcrawl "$@"\n')
    command.chmod(0o755)
    return environment() | {"PATH": f"{command.parent}{os.pathsep}{os.environ['PATH']}"}


def run(words, env, cwd):
    done = subprocess.run(list(map(str, words)), env=env, cwd=cwd, text=True, capture_output=True,
                          timeout=500, check=False)  # fmt: skip
    assert done.returncode == 0, done.stderr


@pytest.mark.full
@pytest.mark.timeout(900)
def test_slurm(surroundings, tmp_path):
    words = [RECIPES / "slurm.sh", "corpus", "--method", "quark"]
    array = {"SLURM_ARRAY_TASK_COUNT": "2", "SLURM_CPUS_PER_TASK": "1"}
    for number in "01":
        variables = surroundings | array | {"SLURM_ARRAY_TASK_ID": number}
        run([*words, "--learn-sites"], variables, tmp_path)
    run(words, surroundings | array | {"SLURM_ARRAY_TASK_ID": "0"}, tmp_path)
    alone = {"SLURM_ARRAY_TASK_COUNT": "1", "SLURM_ARRAY_TASK_ID": "1", "TASKS": "2"}
    run(words, surroundings | alone, tmp_path)  # one element given again
    assert_complete(tmp_path / "corpus")


def test_the_script_of_slurm_has_its_directives_before_any_command():
    lines = (RECIPES / "slurm.sh").read_text("utf-8").splitlines()
    directives = [number for number, line in enumerate(lines) if line.startswith("#SBATCH")]
    commands = [number for number, line in enumerate(lines) if line and not line.startswith("#")]
    assert len(directives) == 3
    assert max(directives) < min(commands)


@pytest.mark.full
@pytest.mark.timeout(900)
def test_kubernetes(surroundings, tmp_path):
    yaml = pytest.importorskip("yaml")
    job = yaml.safe_load((RECIPES / "kubernetes.yaml").read_text("utf-8"))
    assert (job["apiVersion"], job["kind"]) == ("batch/v1", "Job")
    assert job["spec"]["completionMode"] == "Indexed"
    (container,) = job["spec"]["template"]["spec"]["containers"]
    assert job["spec"]["template"]["spec"]["restartPolicy"] == "Never"
    variables = {one["name"]: one["value"] for one in container["env"]}
    assert variables["TASKS"] == str(job["spec"]["completions"])
    assert variables["CORPUS"].startswith(container["volumeMounts"][0]["mountPath"])
    here = {"CORPUS": "corpus", "TASKS": "2"}
    for index in range(2):
        env = surroundings | variables | here | {"JOB_COMPLETION_INDEX": str(index)}
        run([*container["command"], *container["args"]], env, tmp_path)
    assert len(rows_of(tmp_path / "corpus", "default")) == 20
