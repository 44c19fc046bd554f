"""Docstrings: every public name has one, and it says what a caller must know."""

from __future__ import annotations

import ast
import doctest
import importlib
import inspect
import pkgutil
import re
import sys
import textwrap
from pathlib import Path
from types import FunctionType

import pytest

import quarkcrawl
from quarkcrawl.errors import QuarkError

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "docs"))
from generate import PACKAGES

CAUSES = {"storage_error", "frontier_error"}
"""Functions that make a QuarkError of what the system said."""


def module_names() -> list[str]:
    found = (info.name for info in pkgutil.walk_packages(quarkcrawl.__path__, "quarkcrawl."))
    left_out = ("__main__", "crawl.settings", "_memoryviews")
    return [n for n in found if not n.endswith(left_out) and "._project" not in n]


def exported(name: str):
    """Public functions and classes of a module that are its own or one of its modules'."""
    module = importlib.import_module(name)
    for word in getattr(module, "__all__", ()):
        thing = getattr(module, word)
        if getattr(thing, "__module__", "").startswith("quarkcrawl"):
            yield word, thing


def methods(thing: type):
    """Functions that a class itself defines for others."""
    for word, value in vars(thing).items():
        function = getattr(value, "__func__", getattr(value, "fget", value))
        if not word.startswith("_") and isinstance(function, FunctionType):
            yield word, function, isinstance(value, property)


def functions(name: str):
    """Every function that others may call: its name, itself, the class it belongs to."""
    for word, thing in exported(name):
        if inspect.isclass(thing):
            for method, function, is_property in methods(thing):
                yield f"{word}.{method}", function, thing, is_property
        elif isinstance(thing, FunctionType):
            yield word, thing, None, False


def contract(owner: type | None, method: str) -> str:
    """The docstring of a method in the class or protocol that says what it is for."""
    parts = (owner.__module__ if owner else "quarkcrawl").split(".")
    packages = [sys.modules[".".join(parts[: n + 1])] for n in range(max(1, len(parts) - 1))]
    faces = [thing for package in packages for thing in vars(package).values()]
    protocols = [thing for thing in faces if getattr(thing, "_is_protocol", 0)]
    above = [*(owner.__mro__[1:] if owner else ()), *protocols]
    if owner in protocols:
        return ""
    return "".join(getattr(getattr(one, method, None), "__doc__", None) or "" for one in above)


def is_documented(document: str, parameters: list[str]) -> bool:
    """A section for the arguments that names each of them, or where to read about them."""
    section = document.partition("Args:")[2]
    return "See `" in document or all(f"{name}:" in section for name in parameters)


@pytest.mark.parametrize("name", module_names())
def test_every_public_name_has_a_docstring(name):
    silent = [word for word, function, _, _ in functions(name) if not inspect.getdoc(function)]
    silent += [w for w, thing in exported(name) if inspect.isclass(thing) and not thing.__doc__]
    assert not silent


@pytest.mark.parametrize("package", ["", *PACKAGES])
def test_arguments_of_what_the_api_reference_lists_are_explained(package):
    missing = []
    for word, function, owner, _ in functions(f"quarkcrawl.{package}".rstrip(".")):
        parameters = [p for p in inspect.signature(function).parameters if p not in ("self", "cls")]
        document = inspect.getdoc(function) or ""
        if not is_documented(document + contract(owner, function.__name__), parameters):
            missing.append((word, parameters))
    assert not missing


def raised(function: FunctionType) -> set[str]:
    """Names of the QuarkErrors that a function raises itself, not those of what it calls."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            word = getattr(node.exc.func, "id", "")
            error = function.__globals__.get(word)
            is_ours = inspect.isclass(error) and issubclass(error, QuarkError)
            found |= {word} if is_ours or word in CAUSES else set()
    return found


@pytest.mark.parametrize("name", [n for n in module_names() if not n.startswith("quarkcrawl.cli")])
def test_errors_that_a_public_function_raises_are_named(name):
    """Commands are left out: their docstring is the help text."""
    missing = []
    for word, function, owner, _ in functions(name):
        errors = raised(function) if function.__module__ == name else set()
        section = (inspect.getdoc(function) or "") + contract(owner, function.__name__)
        section += (owner.__doc__ or "") if owner else ""
        if errors and "Raises:" not in section and "See `" not in section:
            missing.append((word, errors))
    assert not missing


def has_examples(name: str) -> bool:
    origin = Path(importlib.util.find_spec(name).origin)
    stem = origin.name.partition(".")[0]  # of a compiled module, too
    source = origin.with_name(f"{stem}.py").read_text("utf-8")
    return re.search(r"^ *>>> ", source, re.MULTILINE) is not None


@pytest.mark.parametrize("name", [n for n in module_names() if has_examples(n)])
def test_examples_are_true(name):
    """All of quarkcrawl; what needs an extra that is not installed is skipped."""
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as missing:
        pytest.skip(f"needs {missing.name}")
    assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize("function", [quarkcrawl.extract, quarkcrawl.segment, quarkcrawl.fingerprint,
                                      quarkcrawl.topic_items], ids=lambda one: one.__name__)  # fmt: skip
def test_the_main_functions_have_an_example(function):
    assert ">>> " in function.__doc__


SOURCE = re.compile(
    r"thesis|paper|report|section|chapter|IB-DOM|CWT|SEWM|HIT|RFC|et al|[12]\d{3}", re.IGNORECASE
)


def named_in_papers() -> list[str]:
    text = (Path(__file__).resolve().parents[2] / "docs" / "papers.md").read_text("utf-8")
    rows = "\n".join(re.findall(r"^\|.*\|$", text, re.MULTILINE))
    return sorted(set(re.findall(r"`([a-z]+\.[a-z0-9_.]+(?:\.\w+)?)`", rows)))


def test_code_that_follows_a_paper_says_so():
    """All that docs/papers.md names: in its own docstring or that of its module."""
    silent = []
    for name in named_in_papers():
        thing = pkgutil.resolve_name(f"quarkcrawl.{name}")
        module = sys.modules[getattr(thing, "__module__", thing.__name__)]
        document = (module.__doc__ or "") + (thing.__doc__ or "")
        silent += [] if SOURCE.search(document) else [name]
    assert not silent
