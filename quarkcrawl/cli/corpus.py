"""``quarkcrawl corpus``: look at a stored corpus, check it, mend it."""

import typer

__all__ = ["app"]

app = typer.Typer(help="Look at a corpus, check it, mend it.", no_args_is_help=True)
