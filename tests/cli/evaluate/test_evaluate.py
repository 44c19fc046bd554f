"""``quarkcrawl evaluate`` as a user runs it."""

import base64
import json

import pytest

from quarkcrawl.cli import main
from tests.lab.baselines.test_content import NEWS, SENTENCE

MARKED = NEWS.replace("<div id=main", "<div quark=content id=main")


@pytest.fixture
def gold(tmp_path):
    folder = tmp_path / "gold"
    folder.mkdir()
    (folder / "CWT-1.html").write_bytes(MARKED.encode("gb18030"))
    (folder / "CWT-2.html").write_text(
        "<body quark=noise><a href=/>列表一</a><a href=/2>列表二</a>"
    )
    return folder


@pytest.fixture
def data(tmp_path):
    row = {"id": "x/1", "url": "http://example.cn/1", "lang": "zh", "encoding": "gb18030",
           "body_b64": base64.b64encode(NEWS.encode("gb18030")).decode(), "gold_text": SENTENCE * 13}  # fmt: skip
    path = tmp_path / "x.jsonl"
    path.write_text(json.dumps(row) + "\n")
    return path


@pytest.mark.parametrize("verb", [[], ["topic"], ["content"], ["extractors"]])
def test_every_command_has_help_with_an_example(capsys, verb):
    assert main(["evaluate", *verb, "--help"]) == 0
    text = capsys.readouterr().out
    assert "Usage" in text
    assert not verb or f"quarkcrawl evaluate {verb[0]}" in text


def test_topic_runs_and_methods(gold, tmp_path, capsys):
    run = tmp_path / "team.txt"
    run.write_text("CWT-1\nCWT-2\n")
    written = tmp_path / "ours.txt"
    words = [
        "evaluate",
        "topic",
        str(gold),
        "--run",
        str(run),
        "--method",
        "dlut",
        "--workers",
        "1",
    ]
    assert main([*words, "--write-run", str(written), "--json", "-"]) == 0
    team, ours = json.loads(capsys.readouterr().out)
    assert team["score"] == {"precision": 0.5, "recall": 1.0, "f1": pytest.approx(2 / 3)}
    assert ours["score"]["f1"] == 1
    assert written.read_text() == "CWT-1\n"
    assert main(["evaluate", "topic", str(gold), "--run", str(written)]) == 0
    assert "1.000" in capsys.readouterr().out


def test_a_written_content_run_scores_as_the_method(gold, tmp_path, capsys):
    written = tmp_path / "ours.txt"
    words = ["evaluate", "content", str(gold)]
    assert (
        main(
            [
                *words,
                "--method",
                "dlut",
                "--write-run",
                str(written),
                "--workers",
                "1",
                "--json",
                "-",
                "--by-page",
            ]
        )
        == 0
    )
    (method,) = json.loads(capsys.readouterr().out)
    assert main([*words, "--run", str(written), "--json", "-", "--by-page"]) == 0
    (run,) = json.loads(capsys.readouterr().out)
    assert run["by_page"] == method["by_page"]
    assert list(run["by_page"]) == ["CWT-1"]
    assert run["score"]["f1"] > 0.9
    out = tmp_path / "scores.json"
    assert main([*words, "--run", str(written), "--scored", "common", "--json-out", str(out)]) == 0
    assert f"{run['score']['f1']:.3f}" in capsys.readouterr().out
    assert json.loads(out.read_text())[0]["score"] == run["score"]


def test_offsets_may_refer_to_the_marked_page_and_count_characters(gold, tmp_path, capsys):
    start, end = MARKED.index("<h1>"), MARKED.index("<div id=foot")
    run = tmp_path / "hand.txt"
    run.write_text(f"CWT-1 {start} {end - start}\n")
    words = [
        "evaluate",
        "content",
        str(gold),
        "--run",
        str(run),
        "--json",
        "-",
        "--offsets",
        "marked",
    ]
    assert main([*words, "--unit", "chars"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["score"]["f1"] == 1


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("CWT-9 0 1", "unknown document 'CWT-9'"),
        ("CWT-2 0 9999", "is not inside CWT-2"),
        ("CWT-1", "is expected"),
    ],
)
def test_a_bad_run_line_ends_with_its_place(gold, tmp_path, capsys, line, message):
    run = tmp_path / "bad.txt"
    run.write_text(f"CWT-1 5 5\n{line}\n")
    assert main(["evaluate", "content", str(gold), "--run", str(run)]) == 2
    error = capsys.readouterr().err
    assert f"{run}:2: " in error
    assert message in error


def test_an_unmarked_gold_page_is_named(gold, capsys):
    (gold / "CWT-3.html").write_text("<p>no marks")
    assert main(["evaluate", "topic", str(gold), "--method", "dlut"]) == 2
    assert "CWT-3.html: no element is marked" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words", [[], ["--write-run", "x"], ["--method", "a", "--method", "b", "--write-run", "x"]]
)
@pytest.mark.parametrize("verb", ["topic", "content"])
def test_usage_errors_exit_with_2(gold, verb, words):
    assert main(["evaluate", verb, str(gold), *words]) == 2


@pytest.mark.parametrize(
    "words", [["--workers", "-1"], ["--timeout-s", "-1"], ["--max-pages", "0"]]
)
def test_numbers_out_of_range_exit_with_2(data, words):
    assert main(["evaluate", "extractors", str(data), "--method", "sdu", *words]) == 2


@pytest.mark.parametrize(("verb", "known"), [("topic", "'scut'"), ("content", "there are")])
def test_unknown_methods_are_named(gold, capsys, verb, known):
    assert main(["evaluate", verb, str(gold), "--method", "nix"]) != 0
    said = capsys.readouterr().err
    assert "'nix'" in said
    assert known in said


@pytest.mark.full
def test_extractors_side_by_side(data, tmp_path, capsys):
    words = [
        "evaluate",
        "extractors",
        str(data),
        "--method",
        "quark,sdu,turbohtml",
        "--workers",
        "1",
    ]
    assert main([*words, "--json", "-", "--by-page", "--against", "sdu"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert set(found["extractors"]) == {"quark", "sdu", "turbohtml"}
    assert found["against"] == "sdu"
    assert set(found["differences"]) == {"quark", "turbohtml"}
    assert found["differences"]["quark"]["all_zh"]["n_pages"] == 1
    assert found["extractors"]["sdu"]["by_page"]["x/1"]["score"]["precision"] == 1
    assert main(words) == 0
    shown = capsys.readouterr()
    assert "Macro F1" in shown.out
    assert shown.err == ""  # no progress where nobody looks


def test_a_wrong_name_is_told_before_anything_runs(data, capsys):
    assert main(["evaluate", "extractors", str(data), "--method", "quark,qark"]) == 2
    assert "no extractor 'qark'" in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--json-out", "--write-run"])
@pytest.mark.parametrize("name", ["none/out", "gold"])
def test_a_file_that_cannot_be_written_is_told_before_anything_runs(
    gold, tmp_path, capsys, option, name
):
    words = ["content", str(tmp_path / "no gold"), "--method", "quark"]
    assert main(["evaluate", *words, option, str(tmp_path / name)]) == 1
    assert f"quarkcrawl: {tmp_path / name}: cannot be written" in capsys.readouterr().err


def test_a_full_disk_takes_the_json_and_not_the_table(gold, capsys):
    words = ["evaluate", "topic", str(gold), "--method", "dlut", "--workers", "1"]
    assert main([*words, "--json-out", "/dev/full"]) == 1
    output = capsys.readouterr()
    assert "dlut" in output.out
    assert output.err.startswith("quarkcrawl: /dev/full: cannot be written")


def test_standard_error_is_silent_where_it_is_no_terminal(gold, capsys):
    words = ["evaluate", "topic", str(gold), "--method", "dlut", "--workers", "1"]
    assert main(words) == 0
    assert not capsys.readouterr().err
