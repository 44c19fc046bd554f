"""Classes and fields of one corpus, in one run and as tasks."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from quarkcrawl.classify import Examples, TrainingOptions, text_words
from quarkcrawl.classify import train as train_classes
from quarkcrawl.corpus import classification, pagetable, templatefields
from quarkcrawl.store import CorpusWriter
from quarkcrawl.template import train, write_templates
from tests.classify.toys import FRAMES, TOPICS, page
from tests.corpus.tasks.processes import IN_PROCESS, mortal, small_parts
from tests.store.samples import make_item
from tests.template.blogpages import listing, post

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa

KINDS = ("classes", "fields")


def make_corpus(root: Path, n_pages: int) -> None:
    """Posts and lists of a blog, pages of two topics, one without a word; one stored twice."""
    pages = [(post(k, comments=k % 3) if k % 3 else listing(k)) for k in range(n_pages // 2)]
    made = [("blog.cn", one.url, one.html) for one in pages]
    for number in range(n_pages - len(made) - 1):
        site, topic = list(FRAMES)[number % 4], list(TOPICS)[number % 2]
        made.append((site, f"http://{site}/{topic}/{number}", page(topic, site, number)))
    made += [("e.cn", "http://e.cn/", "<p>xyzzy</p>"), made[0]]
    with CorpusWriter(root) as writer:
        for number, (host, url, html) in enumerate(made):
            writer.append_page(make_item(number, host=host, url=url, body=html.encode()))


def make_models(folder: Path) -> None:
    """A classifier of the topics, and templates of the blog with a label."""
    words = [text_words("".join(words)) for words in TOPICS.values() for _ in range(2)]
    labels = [name for name in TOPICS for _ in range(2)]
    examples = Examples(labels, ["s"] * 4, words, "quark")
    train_classes(examples, TrainingOptions()).save(folder / "topics.npz")
    found = train([post(k, comments=k % 3) for k in range(10)]).templates
    (template,) = found.templates
    title = next(where for where, node in template.positions() if node.tag == "h1")
    labeled = found.with_template(replace(template, labels={"title": title}))
    write_templates(labeled, folder / "blog.json")


def model_of(kind: str, folder: Path) -> Path:
    return folder / ("topics.npz" if kind == "classes" else "blog.json")


FUNCTIONS = {"classes": classification.classify_task, "fields": templatefields.template_task}


def task(kind: str, root: Path, models: Path, number: int, n_tasks: int, out: Path | None = None):
    model = model_of(kind, models)
    return FUNCTIONS[kind](root, model, (number, n_tasks), out=out, pool=IN_PROCESS)


def rows(kind: str, root: Path, out: Path | None = None) -> dict[str, dict]:
    """Every row by URL; none twice."""
    if kind == "classes":
        table: pa.Table = classification.page_classes(root, "topics", out=out)
    else:
        table = templatefields.template_fields(root, "blog", out=out)
    found = {row["url"]: row for row in table.to_pylist()}
    assert len(found) == table.num_rows
    return found


def dying(
    kind: str,
    root: Path,
    models: Path,
    part: tuple[int, int],
    died_at: int | None,
    barrier: object = None,
) -> None:
    """Do a task; before page `died_at` the process is killed."""
    small_parts(module=pagetable)
    module, name = (
        (classification, "classify_stored")
        if kind == "classes"
        else (templatefields, "fields_of_stored")
    )
    setattr(module, name, mortal(getattr(module, name), died_at, barrier))
    task(kind, root, models, *part)


def printed(lines: str) -> dict[str, dict]:
    """What ``template apply`` has printed, by URL, without the numbers of the lines."""
    found = {}
    for line in lines.splitlines():
        row = json.loads(line)
        del row["id"]
        found[row["url"]] = row
    return found
