"""Dockerfile, compose.yaml and .dockerignore name what there is."""

import re
import shlex
import tomllib
from pathlib import Path, PurePosixPath

import pytest
import typer
import yaml

from quarkcrawl.cli.app import app
from quarkcrawl.frontier.redis.server import RedisAddress

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


@pytest.fixture(scope="module")
def services():
    return yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))["services"]


@pytest.fixture(scope="module")
def steps():
    """The instructions of the image that is kept, as (name, words)."""
    text = re.sub(r"\\\n", "", (ROOT / "Dockerfile").read_text("utf-8"))
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    last = max(i for i, line in enumerate(lines) if line.startswith("FROM "))
    return [tuple(line.split(maxsplit=1)) for line in lines[last:]]


def one(steps, name):
    (words,) = [words for step, words in steps if step == name]
    return words


def test_the_image_has_extras_that_exist_and_a_python_that_is_supported(steps):
    (extras,) = re.findall(r'\[([a-z,]+)\]"', "\n".join(words for _, words in steps))
    assert not set(extras.split(",")) - PROJECT["project"]["optional-dependencies"].keys()
    (version,) = re.findall(r"^python:(\d\.\d+)-slim$", one(steps, "FROM"))
    assert f"Programming Language :: Python :: {version}" in PROJECT["project"]["classifiers"]


def test_what_is_sent_to_the_builder_is_what_the_wheel_is_made_of():
    first, *lines = [
        line
        for line in (ROOT / ".dockerignore").read_text("utf-8").splitlines()
        if not line.startswith("#")
    ]
    wheel = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]
    about = PROJECT["project"]
    needed = {"pyproject.toml", about["readme"], *about["license-files"]}
    needed |= {*wheel["packages"], *wheel["force-include"], wheel["hooks"]["custom"]["path"]}
    assert first == "*"
    assert {line.removeprefix("!") for line in lines if line.startswith("!")} == needed
    assert {"**/__pycache__", "**/*.so"} <= {*lines}


def test_the_worker_s_command_is_one(services, steps):
    worker = services["worker"]
    assert one(steps, "ENTRYPOINT") == '["quarkcrawl"]'
    verb, *words = shlex.split(worker["command"])
    given = typer.main.get_command(app).commands[verb].make_context(verb, words).params
    address = RedisAddress.parse(given["redis"])
    assert re.match(r"redis://([a-z]+):6379/", address.url)[1] in services
    assert "#" in given["redis"], "YAML takes what follows a blank and # for a comment"
    (mounted,) = [PurePosixPath(volume.partition(":")[2]) for volume in worker["volumes"]]
    folder = PurePosixPath(one(steps, "WORKDIR"))
    for path in (given["hosts"], given["out"]):
        assert mounted in (folder / path).parents


def test_workers_wait_for_a_server_that_keeps_what_it_is_told(services):
    redis = shlex.split(services["redis"]["command"])
    assert redis[1:] == [
        "--appendonly", "yes", "--appendfsync", "everysec", "--maxmemory-policy", "noeviction",
    ]  # fmt: skip
    assert services["worker"]["depends_on"]["redis"]["condition"] == "service_healthy"
    assert services["redis"]["healthcheck"]["test"]
    assert any(volume.endswith(":/data") for volume in services["redis"]["volumes"])
