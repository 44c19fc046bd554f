"""``quarkcrawl config new`` where nothing can be written."""

from quarkcrawl.cli import main


def test_a_place_that_cannot_be_written_is_named(tmp_path, capsys):
    (tmp_path / "file").write_text("x")
    folder = tmp_path / "file" / "project"
    assert main(["config", "new", str(folder)]) == 1
    told = capsys.readouterr().err
    assert str(folder) in told
    assert "cannot write" in told
