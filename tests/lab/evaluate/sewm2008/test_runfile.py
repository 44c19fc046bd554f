"""Run files: the formats of SEWM2008, and errors that name the line."""

import gzip

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from quarkcrawl.errors import InputError
from quarkcrawl.lab.evaluate.sewm2008.runfile import (
    read_content_run,
    read_topic_run,
    write_content_run,
    write_topic_run,
)

SIZES = {"CWTquark080103-00000001": 1000, "CWTquark080103-00000002": 10}
ONE, TWO = SIZES


def written(folder, text: str, name: str = "run.txt"):
    path = folder / name
    data = text.encode()
    path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    return path


@pytest.mark.parametrize("name", ["run.txt", "run.txt.gz"])
def test_the_examples_of_the_thesis(tmp_path, name):
    path = written(tmp_path, f"{ONE} 200 300 // 第一段\n\n{ONE}\t450 500 // 第二段\r\n", name)
    run = read_content_run(path, SIZES.get)
    assert run.name == "run"
    assert run.spans == {ONE: ((200, 300), (450, 500))}
    path = written(tmp_path, f"{ONE}\n{TWO}\n", name)
    assert read_topic_run(path, SIZES.__contains__).documents == {ONE, TWO}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("CWTother-1 0 1", "unknown document 'CWTother-1'"),
        (f"{TWO} 0 11", f"span 0 \\+ 11 is not inside {TWO}, which has 0 to 10"),
        (f"{TWO} 10 1", "is not inside"),
        (f"{TWO} -1 2", "is not inside"),
        (f"{TWO} 3 0", "is not inside"),
        (f"{TWO} 3", "'number start length' is expected"),
        (f"{TWO} 3 4 5", "'number start length' is expected"),
        (f"{TWO} 3 x", "'number start length' is expected"),
    ],
)
def test_a_bad_line_of_a_content_run_is_named(tmp_path, line, message):
    path = written(tmp_path, f"{ONE} 0 5\n\n{line}\n")
    with pytest.raises(InputError, match=rf"run\.txt:3: .*{message}"):
        read_content_run(path, SIZES.get)


@pytest.mark.parametrize(
    ("line", "message"), [("nix", "unknown document 'nix'"), (f"{ONE} 3", "one document")]
)
def test_a_bad_line_of_a_topic_run_is_named(tmp_path, line, message):
    path = written(tmp_path, f"{ONE}\n{line}\n")
    with pytest.raises(InputError, match=rf"run\.txt:2: {message}"):
        read_topic_run(path, SIZES.__contains__)


def test_unknown_documents_can_be_passed_over(tmp_path):
    path = written(tmp_path, f"other 0 99999\n{TWO} 0 10\n")
    assert read_content_run(path, SIZES.get, ignore_unknown=True).spans == {TWO: ((0, 10),)}
    path = written(tmp_path, f"other\n{TWO}\n")
    assert read_topic_run(path, SIZES.__contains__, ignore_unknown=True).documents == {TWO}


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("none", None),
        ("run.gz", b"not gzip"),
        ("run", b"\xff\xff"),
        ("run.gz", gzip.compress(b"a" * 99, mtime=0)[:-9]),
    ],
)
def test_a_file_that_cannot_be_read_is_named(tmp_path, name, data):
    path = tmp_path / name
    if data is not None:
        path.write_bytes(data)
    with pytest.raises(InputError, match=f"{name}: cannot be read as a run file"):
        read_content_run(path, SIZES.get)


spans = st.dictionaries(
    st.text(st.characters(categories=("L", "N")), min_size=1),
    st.lists(st.tuples(st.integers(0, 400), st.integers(1, 600)), min_size=1).map(tuple),
)


@given(spans)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_runs_come_back_as_they_were_written(tmp_path, run):
    write_content_run(tmp_path / "r.gz", run)
    assert read_content_run(tmp_path / "r.gz", dict.fromkeys(run, 1000).get).spans == run
    write_topic_run(tmp_path / "t", run)
    assert read_topic_run(tmp_path / "t", run.__contains__).documents == set(run)


def test_a_number_with_white_space_is_refused(tmp_path):
    with pytest.raises(InputError, match="white space"):
        write_topic_run(tmp_path / "t", ["a b"])
