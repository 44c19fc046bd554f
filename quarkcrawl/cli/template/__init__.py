"""The verbs of `quarkcrawl template`."""

from quarkcrawl.cli.template.base import app, apply, preview, show
from quarkcrawl.cli.template.label import label
from quarkcrawl.cli.template.train import evaluate, train

__all__ = ["app"]

app.command("train")(train)
app.command("show")(show)
app.command("label")(label)
app.command("apply")(apply)
app.command("evaluate")(evaluate)
app.command("preview")(preview)
