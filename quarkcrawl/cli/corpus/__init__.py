"""The verbs of `quarkcrawl corpus`."""

from quarkcrawl.cli.corpus.base import app
from quarkcrawl.cli.corpus.dedup import dedup
from quarkcrawl.cli.corpus.links import links
from quarkcrawl.cli.corpus.merge import merge
from quarkcrawl.cli.corpus.near import near
from quarkcrawl.cli.corpus.replay import replay
from quarkcrawl.cli.corpus.sample import sample
from quarkcrawl.cli.corpus.stats import stats
from quarkcrawl.cli.corpus.warc import export_warc, import_warc

__all__ = ["app"]

app.command("merge")(merge)
app.command("near")(near)
app.command("dedup")(dedup)
app.command("sample")(sample)
app.command("stats")(stats)
app.command("links")(links)
app.command("replay")(replay)
app.command("export-warc")(export_warc)
app.command("import-warc")(import_warc)
