"""``quarkcrawl train``: learn from marked pages."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

from quarkcrawl.cli.options import ContentMethod, Folds, check_output, progress_shown, writing
from quarkcrawl.progress import reported

app = typer.Typer(help="Learn priors and weights from marked pages.", no_args_is_help=True)

Gold = Annotated[list[Path], Argument(metavar="GOLD", help="Marked pages.")]
Out = Annotated[Path, Option("--out", metavar="FILE", help="File to write.")]
Model = Annotated[Path | None, Option("--out", metavar="FILE", help="Train and write this model.")]


@app.command("priors")
def priors(gold: Gold, out: Out) -> None:
    """Count the priors of the Quark method's Bayes side.

    GOLD: HTML files with quark= marks, or JSON lines (.jsonl, .jsonl.gz) with html or body_b64 and
    gold_text. A file of a method names the result (priors = "priors.json").

    \b
    Example:
      quarkcrawl train priors marked/*.html --out priors.json
    """
    from quarkcrawl.lab.training import count_priors, read_marked  # noqa: PLC0415

    check_output(out)
    note = f"counted on {', '.join(path.name for path in gold)}"
    with progress_shown() as show:
        bayes_priors = count_priors(reported(read_marked(gold), "pages", show), note)
    with writing(out):
        bayes_priors.save(out)
    typer.echo(json.dumps(dataclasses.asdict(bayes_priors), ensure_ascii=False))


@app.command("idf")
def idf(
    sources: Annotated[
        list[Path],
        Argument(metavar="TEXTS", help="Data sets, folders or files: .parquet, .jsonl, .txt."),
    ],
    out: Out,
    field: Annotated[str, Option(metavar="NAME", help="Column or key of the text.")] = "text",
) -> None:
    """Count in how many texts each word occurs: weights of words for the Quark method's comparison.

    TEXTS: what a corpus is like, such as a data set of it; of each text the first 500 characters
    count, as in the comparison of blocks. A file of a method names the result (idf = "idf.json").

    \b
    Examples:
      quarkcrawl train idf dataset/data --out idf.json
      quarkcrawl train idf corpus/analysis/extractions/quark --field content_text --out idf.json
    """
    from quarkcrawl.content.quark import Idf  # noqa: PLC0415
    from quarkcrawl.refine.contamination import read_benchmark  # noqa: PLC0415

    check_output(out)
    paths = [path for source in sources for path in _text_files(source)]
    with progress_shown() as show:
        files = reported(paths, "files", show, total=len(paths))
        texts = [item.text for path in files for item in read_benchmark(path, (field,))]
        idf_table = Idf.from_texts(reported(texts, "texts", show, total=len(texts)))
    with writing(out):
        idf_table.save(out)
    typer.echo(json.dumps({"texts": len(texts), "words": len(idf_table.weights), "out": str(out)}))


@app.command("topic")
def topic(
    gold: Gold,
    out: Out,
    method: ContentMethod = "default",
) -> None:
    """Fit the topic classifier; prints how it does on hosts that it has not seen.

    GOLD: JSON lines with url, html or body_b64, and is_topic (or template_label, or gold_text).

    \b
    Example:
      quarkcrawl train topic labelled.jsonl --out topic_weights.json
    """
    from quarkcrawl.content.topic import save_models  # noqa: PLC0415
    from quarkcrawl.lab.training import held_out, read_examples, score, train_topic  # noqa: PLC0415

    check_output(out)
    with progress_shown() as show:
        examples = read_examples(gold, method, show)
        probabilities = held_out(examples, on_progress=show)
    n_topics = int(examples.is_topic.sum())
    n_hosts = len(set(examples.hosts))
    note = f"{n_topics} topic pages, {len(examples.hosts) - n_topics} others, {n_hosts} hosts"
    for name, probability in probabilities.items():
        scores = dataclasses.asdict(score(examples.is_topic, probability > 0.5))
        typer.echo(json.dumps({"model": name, "on": "hosts left out", **scores}))
    with writing(out):
        save_models(out, train_topic(examples), note)


@app.command("perplexity")
def perplexity(
    sources: Annotated[
        list[Path],
        Argument(metavar="TEXTS", help="Data sets, folders or files: .parquet, .jsonl, .txt."),
    ],
    out: Out,
    order: Annotated[int, Option(min=1, max=8, help="Longest sequence of characters.")] = 5,
    max_ngrams: Annotated[
        int, Option(min=0, help="Most sequences of each length; 0: all.")
    ] = 2_000_000,
) -> None:
    """Train a language model of characters for quarkcrawl refine --perplexity.

    TEXTS: what good text is like; of Parquet files and JSON lines the column or key text is read.

    \b
    Examples:
      quarkcrawl train perplexity chosen.jsonl --out characters.npz
      quarkcrawl train perplexity dataset/data --out characters.npz --order 4
    """
    from quarkcrawl.refine import CharacterModel, PerplexityOptions  # noqa: PLC0415
    from quarkcrawl.refine.contamination import read_benchmark  # noqa: PLC0415

    check_output(out)
    options = PerplexityOptions(order, max_ngrams)
    note = ", ".join(path.name for path in sources)
    paths = [path for source in sources for path in _text_files(source)]
    with progress_shown() as show:
        items = (item for path in paths for item in read_benchmark(path, ("text",)))
        texts = (item.text for item in reported(items, "texts", show))
        model = CharacterModel.train(texts, options, note)
    with writing(out):
        model.save(out)
    typer.echo(json.dumps(model.about, ensure_ascii=False))


def _text_files(source: Path) -> list[Path]:
    """A file, or the files of a folder; a data set's are below ``data``."""
    if not source.is_dir():
        return [source]
    inner = source / "data"
    return sorted(path for path in (inner if inner.is_dir() else source).iterdir())


def _check_wanted(out: Path | None, folds: int) -> None:
    """See that something is to be done."""
    if out is None and not folds:
        raise typer.BadParameter("give --out FILE, --folds N, or both", param_hint="--out, --folds")


@app.command("lines")
def lines(
    folders: Annotated[
        list[Path],
        Argument(metavar="FOLDER", help="Marked pages: NAME.jsonl.gz, or NAME.html with marks."),
    ],
    out: Model = None,
    folds: Folds = 0,
    seed: Annotated[int, Option(help="Seed of chance: the same seed, the same result.")] = 0,
) -> None:
    """Train the default extractor; prints its F1 by set on sites that it has not seen.

    Needs scikit-learn: pip install 'quarkcrawl[train]'.

    \b
    Example:
      quarkcrawl train lines gold-sets marked-by-me --folds 5 --out model.npz
    """
    _check_wanted(out, folds)
    from quarkcrawl.lab.training import train_lines  # noqa: PLC0415

    check_output(out)
    with progress_shown() as show:
        quality = train_lines(folders, out, n_folds=folds, seed=seed, on_progress=show)
    if quality:
        typer.echo(json.dumps(quality))


@app.command("kinds")
def kinds(
    folders: Annotated[
        list[Path], Argument(metavar="FOLDER", help="Pages with page_type: NAME.jsonl.gz.")
    ],
    out: Model = None,
    folds: Folds = 0,
    seed: Annotated[int, Option(help="Seed of chance: the same seed, the same result.")] = 0,
) -> None:
    """Train the kinds of pages; prints F1 by kind on sites that it has not seen.

    Needs scikit-learn: pip install 'quarkcrawl[train]'.

    \b
    Example:
      quarkcrawl train kinds gold-sets --folds 5 --out kinds.npz
    """
    _check_wanted(out, folds)
    from quarkcrawl.lab.training import train_kinds  # noqa: PLC0415

    check_output(out)
    with progress_shown() as show:
        quality = train_kinds(folders, out, n_folds=folds, seed=seed, on_progress=show)
    if quality:
        typer.echo(json.dumps(quality))


@app.command("importance")
def importance(
    source: Annotated[
        Path, Argument(metavar="FOLDER|FILE.npz", help="Marked pages, or rendered blocks.")
    ],
    out: Model = None,
    folds: Folds = 0,
) -> None:
    """Train block importance; prints how it does on sites that it has not seen.

    Needs scikit-learn: pip install 'quarkcrawl[train]'.

    \b
    Example:
      quarkcrawl train importance gold-sets --folds 5 --out importance.npz
    """
    _check_wanted(out, folds)
    from quarkcrawl.lab.training import train_block_importance  # noqa: PLC0415

    check_output(out)
    with progress_shown() as show:
        quality = train_block_importance(source, out, n_folds=folds, on_progress=show)
    if quality:
        typer.echo(json.dumps(quality))
