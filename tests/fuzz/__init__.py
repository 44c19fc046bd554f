"""Fuzzing: `targets` says what must hold for any bytes; hypothesis and atheris feed it.

`test_findings` runs the targets on everything that ever broke one (``findings/TARGET/``), and a
short hypothesis run over each. `python -m tests.fuzz.run TARGET --seconds 300` runs atheris.
"""
