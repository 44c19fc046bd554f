"""Training of the default extractor, and its expected quality on sites it has never seen.

``quarkcrawl train lines FOLDER … --out MODEL.npz`` reads hand-marked pages,
trains on all of them and stores the model; with ``--folds 5`` it first measures by cross-validation
in which no site is in training and test at once. Same data, same seed, same model.
"""

from __future__ import annotations

import hashlib
import itertools
import json
from collections import defaultdict
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np
from rapidfuzz.distance import LCSseq
from sklearn.model_selection import StratifiedGroupKFold

from quarkcrawl.content.lines import (
    BlockModel,
    NameReader,
    choose_lines,
    fill_word_scores,
    kept_texts,
    read_model,
    text_scores,
    write_model,
)
from quarkcrawl.errors import InputError
from quarkcrawl.lab.gold import TITLE_IN_GOLD, Score, groups_of
from quarkcrawl.lab.training.data import prepare_page, read_marked_pages, without_names
from quarkcrawl.lab.training.fit import FitOptions, fit_model, gather_lines
from quarkcrawl.progress import no_progress, reported

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from quarkcrawl.lab.training.data import MarkedPage, TrainingPage
    from quarkcrawl.lab.training.fit import TrainingLines
    from quarkcrawl.progress import Progress


SET_WEIGHTS: Final = {
    "cwced": 1.5,
    "magic_article_zh": 1.5,
    "magic_forum_zh": 5.0,
    "magic_forum_en": 2.5,
    "twevents": 3.0,
    "daniel_en": 0.6,
    "scrapinghub_en": 0.8,
    "wcxb_en": 0.6,
    "wcxb_types": 1.2,
    "daniel_other": 0.4,
    "harvest_forum": 1.5,
    "zh_threads": 2.5,
    "zh_types": 3.0,
    "trafilatura_segments": 0.5,
}
"""Weight of a page by its set: Chinese first, small sets more than large ones."""


_CHINESE: Final = (
    *("cwced", "daniel_zh", "magic_article_zh", "magic_forum_zh", "twevents"),
    *("zh_threads", "zh_types"),
)
_ENGLISH: Final = ("daniel_en", "magic_article_en", "magic_forum_en", "scrapinghub_en", "wcxb_en")
_LANGUAGES: Final = dict.fromkeys(_CHINESE, "zh") | dict.fromkeys(_ENGLISH, "en")
"""Language of the sets whose pages are all of one."""


@dataclass(frozen=True, slots=True)
class PageScore:
    """Result on one page.

    Args:
        dataset: name of its set.
        name: identifier of the page.
        f1: by characters of the longest common subsequence.
    """

    dataset: str
    name: str
    f1: float


def read_pages(folders: Iterable[Path], on_progress: Progress = no_progress) -> list[TrainingPage]:
    """Read and describe all marked pages of some folders that have text.

    Args:
        folders: see `quarkcrawl.lab.training.data.read_marked_pages`.
        on_progress: is told of each page, folder by folder.

    Raises:
        InputError: a file cannot be used.
    """
    pages = map(prepare_page, read_marked_pages(*folders, on_progress=on_progress))
    return [page for page in pages if page is not None]


def train(pages: Sequence[TrainingPage], options: FitOptions) -> BlockModel:
    """Train on all pages.

    Args:
        pages: marked pages.
        options: settings.
    """
    model = _fitted(*_all_lines(pages, options), np.ones(len(pages), np.bool_), options)
    about: dict[str, object] = {"options": asdict(options), "data": _data_list(pages)}
    return replace(model, about=about)


def _all_lines(
    pages: Sequence[TrainingPage], options: FitOptions
) -> tuple[TrainingLines, TrainingLines | None]:
    """Lines of the pages, and the same without names if a model is to learn them."""
    lines = gather_lines(pages, options)
    if not options.has_nameless:
        return lines, None
    bare = [without_names(page) for page in pages]
    return lines, gather_lines(bare, replace(options, blind_share=0.0))


def _fitted(
    lines: TrainingLines,
    nameless: TrainingLines | None,
    is_learned: NDArray[np.bool_],
    options: FitOptions,
) -> BlockModel:
    """A model of some pages, with that of the same pages without names."""
    model = fit_model(lines, is_learned[lines.page], options)
    if nameless is None:
        return model
    bare = fit_model(nameless, is_learned[nameless.page], options)
    # A page to be judged still has its names, which this one must not read.
    reader = NameReader(bare.scorer.names.weights, reads="declared")
    return replace(model, nameless=replace(bare, scorer=replace(bare.scorer, names=reader)))


def _data_list(pages: Sequence[TrainingPage]) -> dict[str, dict[str, object]]:
    """Number of pages of each set, and a hash of their names, gold texts and pieces."""
    sets: dict[str, list[TrainingPage]] = defaultdict(list)
    for page in pages:
        sets[page.page.dataset].append(page)
    result: dict[str, dict[str, object]] = {}
    for dataset, members in sorted(sets.items()):
        digest = hashlib.sha256()
        for page in members:
            digest.update(f"{page.page.name}\n{page.page.gold}\n".encode())
            if page.page.has_pieces_only:
                digest.update(repr((page.page.must, page.page.must_not)).encode())
        result[dataset] = {"pages": len(members), "sha256": digest.hexdigest()}
    return result


def cross_validate(
    pages: Sequence[TrainingPage],
    options: FitOptions,
    n_folds: int = 5,
    on_progress: Progress = no_progress,
) -> list[PageScore]:
    """Score every page that has a gold text with a model that was trained on other sites.

    Args:
        pages: marked pages.
        options: settings.
        n_folds: number of parts.
        on_progress: is told of each part.
    """
    scores: dict[int, PageScore] = {}
    models = fold_models(pages, options, n_folds)
    for model, tested in reported(models, "sites left out", on_progress, total=n_folds):
        scores |= {
            number: score_page(pages[number], model)
            for number in tested
            if not pages[number].page.has_pieces_only
        }
    return [scores[number] for number in sorted(scores)]


def fold_models(
    pages: Sequence[TrainingPage], options: FitOptions, n_folds: int = 5, folder: Path | None = None
) -> Iterator[tuple[BlockModel, list[int]]]:
    """Train once for each part of the pages, on all sites that have no page in that part.

    Args:
        pages: marked pages.
        options: settings.
        n_folds: number of parts.
        folder: keeps the models; those of the same pages and settings are not trained again.

    Yields:
        A model, and the numbers of the pages it knows nothing of.

    Raises:
        InputError: the pages come from fewer sites than there are parts.
    """
    parts = np.array(fold_parts([page.page for page in pages], n_folds, options.seed))
    lines: tuple[TrainingLines, TrainingLines | None] | None = None
    about = {"options": asdict(options), "data": _data_list(pages), "n_folds": n_folds}
    for fold in range(n_folds):
        path = folder / f"left_out_{fold}.npz" if folder else None
        model = _stored(path, about)
        if model is None:
            lines = lines or _all_lines(pages, options)
            model = _fitted(*lines, parts != fold, options)
            if path:
                path.parent.mkdir(parents=True, exist_ok=True)
                write_model(path, replace(model, about=about))
        yield model, np.flatnonzero(parts == fold).tolist()


def fold_parts(pages: Sequence[MarkedPage], n_folds: int, seed: int = 0) -> list[int]:
    """The part of each page, that of all pages of its site.

    Each part has about as many pages of each set as the others. Pages without a gold text do not
    change the parts of those that have one.

    Args:
        pages: marked pages.
        n_folds: number of parts.
        seed: start of the random choice.

    Raises:
        InputError: the pages come from fewer sites than there are parts.
    """
    whole = [page for page in pages if not page.has_pieces_only]
    datasets, sites = [page.dataset for page in whole], [page.site for page in whole]
    if (n_sites := len(set(sites))) < n_folds:
        raise InputError(f"pages of {n_sites} sites cannot be cut into {n_folds} parts by site")
    folds = StratifiedGroupKFold(n_folds, shuffle=True, random_state=seed)
    part_of = dict[str, int]()
    for fold, (_, tested) in enumerate(folds.split(datasets, datasets, sites)):
        part_of |= {sites[number]: fold for number in tested.tolist()}
    others = sorted({page.site for page in pages} - part_of.keys())
    part_of |= {site: number % n_folds for number, site in enumerate(others)}
    return [part_of[page.site] for page in pages]


def _stored(path: Path | None, about: dict[str, object]) -> BlockModel | None:
    """A stored model, None if there is none of these pages and settings."""
    if path is None or not path.is_file():
        return None
    try:
        model = read_model(path)
    except InputError:  # made for other features
        return None
    facts = json.loads(json.dumps(about))
    return model if all(model.about.get(key) == value for key, value in facts.items()) else None


def score_page(page: TrainingPage, model: BlockModel) -> PageScore:
    """Extract a page with a model, as one whose names are known, and compare with its gold text."""
    nameless = rescored(without_names(page), model.nameless) if model.nameless else None
    scores = model.scores(rescored(page, model), nameless)
    is_content = choose_lines(scores, page.features)
    texts = list(itertools.compress(page.texts, is_content.tolist()))
    body = "".join(itertools.compress(texts, kept_texts(texts, page.headline)))
    if page.page.dataset in TITLE_IN_GOLD:
        body = page.headline + body
    return PageScore(page.page.dataset, page.page.name, page_f1(body, page.page.gold))


def rescored(page: TrainingPage, model: BlockModel) -> NDArray[np.float32]:
    """Features of a page's lines with the word scores of a model."""
    scorer = model.scorer
    matrix = page.features.matrix.copy()
    text = text_scores(*page.text_tokens, scorer.text_weights)
    weights = scorer.names.weights.reshape(2, -1)
    name_tokens = page.name_tokens((weights != 0).any(axis=0))
    names = text_scores(*name_tokens, scorer.names.weights)
    fill_word_scores(matrix, np.array([0, len(matrix)]), text, names)
    return matrix


def page_f1(text: str, gold: str) -> float:
    """F1 by characters of the longest common subsequence.

    Args:
        text: squeezed extracted text.
        gold: squeezed gold text.
    """
    return Score.of(LCSseq.similarity(text, gold), len(text), len(gold)).f1


def set_means(scores: Sequence[PageScore]) -> dict[str, float]:
    """Mean F1 of each set, of Chinese articles, all Chinese and all English pages."""
    members: dict[str, list[float]] = defaultdict(list)
    for score in scores:
        for group in (score.dataset, *groups_of(score.dataset, _LANGUAGES.get(score.dataset, ""))):
            members[group].append(score.f1)
    return {name: round(float(np.mean(values)), 4) for name, values in sorted(members.items())}


def train_lines(
    folders: Iterable[Path],
    out: Path | None = None,
    *,
    n_folds: int = 0,
    seed: int = 0,
    on_progress: Progress = no_progress,
) -> dict[str, float]:
    """Measure on sites left out, train on all pages, write the model.

    Args:
        folders: marked pages, see `quarkcrawl.lab.training.data.read_marked_pages`.
        out: file of the model (.npz); None: it is not trained.
        n_folds: parts of the cross-validation; 0: it is not measured.
        seed: the same gives the same model.
        on_progress: is told of each page, and of each part of the cross-validation.

    Returns:
        Mean F1 by set, empty if it is not measured.
    """
    options = FitOptions(seed=seed, set_weights=dict(SET_WEIGHTS))
    pages = read_pages(folders, on_progress)
    scores = cross_validate(pages, options, n_folds, on_progress) if n_folds else []
    quality = set_means(scores) if n_folds else {}
    if out is not None:
        on_progress("fitting", 0, None)
        model = train(pages, options)
        write_model(out, replace(model, about={**model.about, "expected_f1": quality}))
    return quality
