"""``quarkcrawl classify``: classes of pages by the words of their content blocks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Argument, Option

from quarkcrawl.cli.options import (
    CONTENT_METHODS,
    ClassKey,
    FinishTasks,
    Folds,
    NumberOfTasks,
    OneTask,
    PageEngine,
    PageUrl,
    Processes,
    RayAddress,
    SparkMaster,
    check_no_cluster,
    check_output,
    corpus_of,
    opened_tasks,
    print_each,
    print_report,
    progress_shown,
    wanted_task,
    writing,
)

if TYPE_CHECKING:
    from quarkcrawl.classify import Classifier, Examples, TrainingOptions
    from quarkcrawl.progress import Progress


app = typer.Typer(
    help="Classes of pages by the words of their content blocks.", no_args_is_help=True
)

Model = Annotated[Path, Option("--model", metavar="FILE", help="The model.")]


@app.command("train")
def train(
    labeled: Annotated[list[Path], Argument(metavar="LABELLED", help="Labeled pages.")],
    model: Model,
    method: Annotated[
        str,
        Option(
            metavar="|".join(("page", *CONTENT_METHODS, "FILE.toml")),
            help="Extraction method that finds the words; page: the whole page.",
        ),
    ] = "quark",
    label: ClassKey = "label",
    penalty_inverse: Annotated[
        float, Option(min=0, help="Larger fits the pages more closely.")
    ] = 1.0,
    folds: Folds = 5,
) -> None:
    """Train a classifier; prints how it does on sites that it has not seen.

    LABELLED: JSON lines (.jsonl, .jsonl.gz) with label, url and one of html, body_b64, text. Needs
    scikit-learn: pip install 'quarkcrawl[train]'. Applying a model does not.

    \b
    Examples:
      quarkcrawl classify train labelled.jsonl --model topics.npz
      quarkcrawl classify train sites/*.jsonl.gz --label template_label --model kinds.npz
    """
    from quarkcrawl.classify import TrainingOptions, read_examples  # noqa: PLC0415
    from quarkcrawl.classify import train as train_model  # noqa: PLC0415

    check_output(model)
    options = TrainingOptions(penalty_inverse=penalty_inverse)
    with progress_shown() as show:
        examples = read_examples(labeled, method, label=label, on_progress=show)
        show("fitting", 0, None)
        classifier = train_model(examples, options)
        summary = _summary(classifier, examples, options, folds, show)
    with writing(model):
        classifier.save(model)
    typer.echo(json.dumps(summary, ensure_ascii=False))


def _summary(
    classifier: Classifier,
    examples: Examples,
    options: TrainingOptions,
    folds: int,
    on_progress: Progress,
) -> dict[str, object]:
    from quarkcrawl.classify import left_out_predictions, macro_f1  # noqa: PLC0415
    from quarkcrawl.errors import InputError  # noqa: PLC0415

    summary: dict[str, object] = {
        "method": classifier.method,
        **classifier.about,
        "words": len(classifier.vocabulary.words),
        "telling_words": classifier.telling_words(),
    }
    if folds > 1 and len(set(examples.sites)) > 1:
        try:
            guesses = left_out_predictions(
                examples, options, n_parts=folds, on_progress=on_progress
            )
        except InputError as error:  # without some sites one class is left
            typer.echo(f"not tested on sites left out: {error.message}", err=True)
        else:
            summary["macro_f1_sites_left_out"] = round(macro_f1(examples.labels, guesses), 4)
    return summary


@app.command("apply")
def apply(  # noqa: PLR0913, PLR0917 - the options of a command are its arguments
    sources: Annotated[
        list[str], Argument(metavar="CORPUS|FILE|URL|-", help="One corpus, or pages.")
    ],
    model: Model,
    url: PageUrl = "",
    name: Annotated[
        str, Option(metavar="NAME", help="Name of the table.", show_default="that of the model")
    ] = "",
    out: Annotated[
        Path | None,
        Option(
            metavar="FOLDER", help="The table goes here.", show_default="CORPUS/analysis/classes"
        ),
    ] = None,
    workers: Processes = 0,
    task: OneTask = "",
    finish: FinishTasks = False,
    engine: PageEngine = "local",
    spark_master: SparkMaster = "",
    ray_address: RayAddress = "",
    tasks: NumberOfTasks = 0,
) -> int:
    """Classify a corpus, or single pages.

    The classes of a corpus go to CORPUS/analysis/classes/NAME.parquet (url, host, offset, class,
    probability, reason), a JSON summary to standard output. Of pages, a JSON line each.

    With --task K/N only a slice of the pages is done, on whatever machine: all N tasks together
    make the same rows, in a folder of that name, and a task that was stopped goes on when it is
    given again. With --engine ray or spark a cluster does all tasks.

    \b
    Examples:
      quarkcrawl classify apply corpus --model topics.npz
      quarkcrawl classify apply corpus --model topics.npz --task 3/32
      quarkcrawl classify apply page.html --model topics.npz
    """
    corpus = corpus_of(sources)
    part = wanted_task(task, finish=finish)
    if corpus is None:
        if part is not None or finish:
            raise typer.BadParameter("is for a corpus", param_hint="--task, --finish")
        if engine != "local" or spark_master or ray_address or tasks:
            raise typer.BadParameter("is for a corpus", param_hint="--engine, --tasks")
        return _pages(sources, model, url)
    from quarkcrawl.analysis import PoolOptions  # noqa: PLC0415
    from quarkcrawl.corpus import (  # noqa: PLC0415
        classify_corpus,
        classify_task,
        finish_classes,
    )

    if finish:
        check_no_cluster(engine, spark_master, ray_address, tasks)
        print_report(finish_classes(corpus, name or model.stem, out=out))
        return 0
    given: dict[str, Any] = {"name": name, "out": out, "pool": PoolOptions(workers)}
    with opened_tasks(part, engine, spark_master, ray_address, tasks) as job_tasks:
        if job_tasks is not None:
            with progress_shown() as show:
                show("tasks", 0, None)
                done = classify_task(corpus, model, job_tasks, **given)
            print_report(done)
        else:
            with progress_shown() as show:
                report = classify_corpus(corpus, model, **given, on_progress=show)
            print_report(report)
    return 0


def _pages(sources: list[str], model: Path, url: str) -> int:
    from quarkcrawl.classify import Classifier  # noqa: PLC0415
    from quarkcrawl.cli.options import read_source  # noqa: PLC0415

    classifier = Classifier.load(model)

    def text_of(word: str) -> str:
        guess = classifier.classify(read_source(word, url=url).page)
        row = {"source": word, "class": guess.name or None, "probability": guess.probability}
        return json.dumps(row, ensure_ascii=False)

    return print_each(sources, text_of)
