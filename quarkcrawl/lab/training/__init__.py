"""How the shipped models were trained."""

from importlib import import_module
from typing import TYPE_CHECKING

from quarkcrawl.lab.training.data import MarkedPage, blank_scorer, prepare_page, site_of
from quarkcrawl.lab.training.priors import count_priors, read_marked
from quarkcrawl.lab.training.topic import held_out, read_examples, score, train_topic

if TYPE_CHECKING:
    from quarkcrawl.lab.training.fit import FitOptions
    from quarkcrawl.lab.training.lines_cv import SET_WEIGHTS, fold_models

__all__ = [
    "SET_WEIGHTS",
    "FitOptions",
    "MarkedPage",
    "blank_scorer",
    "count_priors",
    "fold_models",
    "held_out",
    "prepare_page",
    "read_examples",
    "read_marked",
    "score",
    "site_of",
    "train_topic",
]

_LAZY = {"FitOptions": "fit", "SET_WEIGHTS": "lines_cv", "fold_models": "lines_cv"}
"""Names whose modules need scikit-learn, the extra ``train``."""


def __getattr__(name: str) -> object:
    if name in _LAZY:
        return getattr(import_module(f"{__name__}.{_LAZY[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
