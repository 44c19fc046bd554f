"""The verbs that measure, mark and train."""

from quarkcrawl.cli.evaluate.base import app as evaluate_app
from quarkcrawl.cli.evaluate.dedup import dedup
from quarkcrawl.cli.evaluate.items import items
from quarkcrawl.cli.evaluate.mark import mark
from quarkcrawl.cli.evaluate.search import search
from quarkcrawl.cli.evaluate.train import app as train_app

__all__ = ["evaluate_app", "mark", "train_app"]

evaluate_app.command("items")(items)
evaluate_app.command("dedup")(dedup)
evaluate_app.command("search")(search)
