"""Repeated paragraphs: equal to a dictionary of all of them, whatever the memory and the kills."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quarkcrawl.errors import ConfigError, InputError, StoreError
from quarkcrawl.refine.repeats import (
    ParagraphOptions,
    RepeatedSpan,
    SourceText,
    normalized_paragraph,
    repeated_paragraphs,
    without,
)
from tests.profiles import examples
from tests.refine.repeats import naive

LINES = [
    "甲",
    " 甲",
    "甲乙",
    "甲　乙",
    "甲 乙",
    "",
    " ",
    "ＡＢ",
    "AB",
    "丙" * 20,
    "\ud800",
    "e\u0301",
    "é",
]
texts = st.lists(st.sampled_from(LINES), max_size=6).map("\n".join)
corpora = st.lists(st.tuples(texts, st.sampled_from(["", "a.cn", "b.cn"])), max_size=12).map(
    lambda rows: [SourceText(f"d{n}", text, host) for n, (text, host) in enumerate(rows)]
)


def found(documents, folder, **options):
    return list(repeated_paragraphs(lambda: documents, folder, ParagraphOptions(**options)))


@settings(max_examples=examples(100), deadline=None)
@given(corpora, st.integers(0, 4), st.integers(0, 3), st.sampled_from([160, 500, 1 << 20]))
def test_equal_to_the_naive_result(tmp_path_factory, documents, pages, chars, memory):
    folder = tmp_path_factory.mktemp("work")
    options = {"least_pages": pages, "least_chars": chars, "memory_bytes": memory}
    expected = naive.paragraphs(documents, pages, chars)
    key = repr
    assert sorted(found(documents, folder, **options), key=key) == sorted(expected, key=key)
    again = list(repeated_paragraphs(list, folder, ParagraphOptions(**options)))
    assert sorted(again, key=key) == sorted(expected, key=key)
    order = {document.id: n for n, document in enumerate(documents)}
    places = [(order[span.document], span.start) for span in again]
    assert places == sorted(places)


def test_a_paragraph_of_very_many_places_is_merged_in_little_memory(tmp_path):
    documents = [SourceText(n, "转载请注明出处\n" * 3 + f"{n}", "a.cn") for n in range(3000)]
    options = {"least_pages": 5, "least_chars": 3, "memory_bytes": 160 * 700}
    spans = found(documents, tmp_path, **options)
    assert len(spans) == 3 * 3000 + 3 * 3000 - 1 + 0
    assert sum(span.is_first for span in spans) == 1
    assert {span.first_document for span in spans} == {0}


def test_what_is_taken_out():
    def cut(text, *places):
        return without(text, [RepeatedSpan(1, a, b, 0, 0, "corpus_substring") for a, b in places])

    assert cut("甲\n乙\n丙", (2, 3)) == "甲\n丙"
    assert cut("甲\n乙\n丙", (0, 1)) == "乙\n丙"
    assert cut("甲\n乙\n丙", (4, 5)) == "甲\n乙"
    assert cut("甲\n乙\n丙", (0, 1), (2, 3), (4, 5)) == ""
    assert cut("甲乙丙丁", (1, 3)) == "甲丁"
    assert cut("甲乙丙丁", (0, 2), (1, 3)) == "丁"
    assert cut("甲乙丙丁") == "甲乙丙丁"
    assert cut("甲\n乙丙\n丁", (2, 3)) == "甲\n丙\n丁"


def test_options_and_folders_that_cannot_be_used(tmp_path):
    with pytest.raises(ConfigError):
        ParagraphOptions(least_pages=-1)
    with pytest.raises(ConfigError):
        ParagraphOptions(memory_bytes=1)
    documents = [SourceText(1, "甲\n甲"), SourceText(2, "甲")]
    assert len(found(documents, tmp_path, least_chars=0)) == 2
    with pytest.raises(InputError, match="take another folder"):
        found(documents, tmp_path, least_chars=1)
    (tmp_path / "state.json").write_text("{")
    with pytest.raises(StoreError, match=r"state\.json"):
        found(documents, tmp_path, least_chars=0)


def stops_after(documents):
    yield from documents
    raise KeyboardInterrupt


def test_another_corpus_is_refused_where_a_search_goes_on(tmp_path):
    options = ParagraphOptions(memory_bytes=160)
    documents = [SourceText(n, "甲\n甲") for n in range(4)]
    with pytest.raises(KeyboardInterrupt):
        repeated_paragraphs(lambda: stops_after(documents), tmp_path, options)
    with pytest.raises(InputError, match="document 1 was 1 and is 7 now"):
        repeated_paragraphs(lambda: [documents[0], SourceText(7, "")], tmp_path, options)
    with pytest.raises(InputError, match="4 documents were taken in, 1 are there now"):
        repeated_paragraphs(lambda: documents[:1], tmp_path, options)


def test_normalized():
    assert normalized_paragraph("\u3000ＡＢ\u00a0\t　ｃ ") == "AB c"


KILLED = """
import random, sys
from pathlib import Path
from quarkcrawl.refine.repeats import {options}, SourceText, {search}
rng = random.Random(5)
lines = ["".join(rng.choices("天地玄黄宇宙洪荒", k=30)) for _ in range(400)]
documents = [SourceText(n, "\\n".join(rng.choices(lines, k=5)), f"h{{n % 9}}.cn") for n in range({n})]
spans = list({search}(lambda: documents, Path(sys.argv[1]), {options}({arguments})))
print(len(spans), hash(tuple(spans)))
"""


def killed_until_done(folder, code, seed):
    """What it prints in the end, and how often it was killed."""
    rng = np.random.default_rng(seed)
    command = [sys.executable, "-c", code, str(folder)]
    env = os.environ | {"PYTHONHASHSEED": "0", "PYTHONPATH": str(Path(__file__).parents[3])}
    n_killed = 0
    while True:
        process = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True)
        if n_killed < 8:
            while process.poll() is None and not (folder / "state.json").exists() and not n_killed:
                time.sleep(0.01)
            time.sleep(float(rng.uniform(0.2, 1.2)))
            process.send_signal(signal.SIGKILL)
        said, _ = process.communicate()
        if process.returncode == 0:
            return said, n_killed
        assert process.returncode == -signal.SIGKILL
        n_killed += 1


@pytest.mark.full
@pytest.mark.parametrize(
    ("search", "options", "arguments", "n"),
    [
        ("repeated_paragraphs", "ParagraphOptions", "least_pages=8, memory_bytes=60000", 4000),
        ("repeated_substrings", "SubstringOptions", "least_chars=25, memory_bytes=1000000", 2000),
    ],
)
def test_kills_at_random_moments_change_nothing(tmp_path, search, options, arguments, n):
    code = KILLED.format(search=search, options=options, arguments=arguments, n=n)
    killed, n_killed = killed_until_done(tmp_path / "killed", code, 3)
    whole, _ = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path / "whole")],
        env=os.environ | {"PYTHONHASHSEED": "0", "PYTHONPATH": str(Path(__file__).parents[3])},
        stdout=subprocess.PIPE, text=True,
    ).communicate()  # fmt: skip
    assert killed == whole
    assert n_killed
