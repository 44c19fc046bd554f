"""The compiled loops of repeats and decontamination beside the same source uncompiled."""

import importlib
import importlib.util
import inspect
import random
from functools import cache
from pathlib import Path

import pytest

from quarkcrawl.refine import contamination, repeats

CHARS = "天地玄黄宇宙洪荒 ab，Ａ\n😀\u0301"
MODULES = {
    "quarkcrawl.refine.repeats": ("substrings", "windows"),
    "quarkcrawl.refine.contamination": ("folding", "search"),
}


@cache
def uncompiled(package):
    path = Path(importlib.import_module(package).__file__).with_name("loops.py")
    spec = importlib.util.spec_from_file_location(f"plain_{package.replace('.', '_')}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def results(folder):
    rng = random.Random(2)
    texts = ["".join(rng.choices(CHARS, k=40)) for _ in range(12)]
    texts += ["".join(rng.choices(texts, k=2)) for _ in range(12)] + ["天" * 60]
    documents = [repeats.SourceText(n, text) for n, text in enumerate(texts)]
    options = repeats.SubstringOptions(least_chars=9, memory_bytes=5000)
    yield from repeats.repeated_substrings(lambda: documents, folder, options)
    items = [contamination.BenchmarkItem("b", str(n), text) for n, text in enumerate(texts[:9])]
    search = contamination.Contamination(items, contamination.ContaminationOptions(3, 5))
    for text in texts:
        yield search.labels(text)


@pytest.mark.full
def test_uncompiled_loops_give_the_same_results(tmp_path):
    compiled = list(results(tmp_path / "compiled"))
    assert len(compiled) > 40
    n_replaced = 0
    with pytest.MonkeyPatch.context() as patch:
        for package, names in MODULES.items():
            plain = uncompiled(package)
            own = {key for key, value in vars(plain).items() if inspect.isfunction(value)}
            for name in names:
                module = importlib.import_module(f"{package}.{name}")
                for key in own & set(vars(module)):
                    patch.setattr(module, key, getattr(plain, key))
                    n_replaced += 1
        assert n_replaced == 10
        assert list(results(tmp_path / "plain")) == compiled
