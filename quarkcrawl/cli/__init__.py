"""The command line: one file a verb, each a thin layer over the library.

JSON lines or tables go to standard output, words and progress to standard error. Exit codes:
0 done, 1 failed, 2 usage, 130 interrupted.
"""

from quarkcrawl.cli.app import main

__all__ = ["main"]
