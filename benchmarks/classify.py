"""Page classes by the words of the content, beside the same model on whole pages, sites left out.

Labels are what sites say of their own pages, see classify_labels.py. Vocabulary, model and parts
are the same; only the text differs. With --folds the default extractor is trained anew without the
site of each page where the pages are those it was trained on. JSON lines: macro F1, and the
difference to whole pages with a bootstrap interval over pages and over sites.

    python benchmarks/classify.py [--folds FOLDER] [--only topics]
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from pathlib import Path

from classify_labels import DATA, RUBRIC_WORDS, kinds, pages, rubrics, topics

from quarkcrawl.classify import (
    WHOLE_PAGE,
    Examples,
    TrainingOptions,
    left_out_predictions,
    macro_f1,
    page_text,
    text_words,
)
from quarkcrawl.classify.pagewords import content_texts
from quarkcrawl.content import Content
from quarkcrawl.content.lines.extractor import default_extraction
from quarkcrawl.lab.evaluate import macro_difference
from quarkcrawl.page import Page

TASKS = {"topics": topics, "rubrics": rubrics, "kinds": kinds, "pages": pages}
TRAINED_ON = {"rubrics", "kinds"}
LEFT_OUT = "default, sites left out"


def left_out_extractor(folder):
    """Gives the text of a page by a default extractor that knows nothing of its site."""
    from quarkcrawl.lab.training.fit import FitOptions
    from quarkcrawl.lab.training.lines_cv import SET_WEIGHTS, fold_models, read_pages

    marked = read_pages(DATA / "extraction")
    options = FitOptions(set_weights=dict(SET_WEIGHTS))
    models = {}
    for model, tested in fold_models(marked, options, 5, folder):
        models |= {marked[number].page.name: model for number in tested}

    def text(one):
        if one.name not in models:  # no text at all
            return ""
        content = Content(default_extraction(Page.from_bytes(one.body, one.url), models[one.name]))
        return "\n".join([content.title, *content_texts(content)])

    return text


def texts_of(found, method):
    return [page_text(Page.from_bytes(one.body, one.url), method) for one in found]


def examples(found, texts, method, unwanted=frozenset()):
    words = [[w for w in text_words(text) if w not in unwanted] for text in texts]
    return Examples([one.label for one in found], [one.site for one in found], words, method)


def compare(task, extract=None):
    found = TASKS[task]()
    unwanted = RUBRIC_WORDS if task == "rubrics" else frozenset()
    sets, cpu = {}, {}
    methods = [WHOLE_PAGE, "quark", "default"]
    for method in methods:
        started = time.process_time()
        sets[method] = examples(found, texts_of(found, method), method, unwanted)
        cpu[method] = time.process_time() - started
    if extract is not None and task in TRAINED_ON:
        texts = [extract(one) for one in found]
        sets[LEFT_OUT] = examples(found, texts, "default", unwanted)
    for inverse in (0.3, 1.0, 10.0):
        report(task, found, sets, TrainingOptions(penalty_inverse=inverse))


def report(task, found, sets, options):
    truth = [one.label for one in found]
    sites = [one.site for one in found]
    guesses = {name: left_out_predictions(one, options) for name, one in sets.items()}
    row = {
        "task": task,
        "pages": len(found),
        "sites": len(set(sites)),
        "classes": dict(Counter(truth)),
        "penalty_inverse": options.penalty_inverse,
    }
    for name, guess in guesses.items():
        n_words = sum(map(len, sets[name].words)) / len(found)
        row[name] = {"macro_f1": round(macro_f1(truth, guess), 4), "words": round(n_words)}
        if name == WHOLE_PAGE:
            continue
        for groups, key in ((None, "by_page"), (sites, "by_site")):
            found_ = macro_difference(truth, guess, guesses[WHOLE_PAGE], groups=groups)
            row[name][key] = [round(value, 4) for value in (found_.mean, found_.low, found_.high)]
    print(json.dumps(row, ensure_ascii=False), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", choices=TASKS, action="append")
    parser.add_argument("--folds", type=Path, help="folder that keeps extractors of --folds")
    given = parser.parse_args()
    extract = left_out_extractor(given.folds) if given.folds else None
    for task in given.only or TASKS:
        compare(task, extract)


if __name__ == "__main__":
    main()
