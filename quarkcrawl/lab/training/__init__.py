"""How the shipped models were trained."""

from importlib import import_module
from typing import TYPE_CHECKING

from quarkcrawl.errors import ConfigError
from quarkcrawl.lab.training.data import MarkedPage, blank_scorer, marked_page, prepare_page
from quarkcrawl.lab.training.priors import count_priors, read_marked
from quarkcrawl.lab.training.topic import held_out, read_examples, score, train_topic

if TYPE_CHECKING:
    from quarkcrawl.lab.training.fit import FitOptions
    from quarkcrawl.lab.training.importance import train_block_importance
    from quarkcrawl.lab.training.kinds import train_kinds
    from quarkcrawl.lab.training.lines_cv import (
        SET_WEIGHTS,
        fold_models,
        fold_parts,
        train_lines,
    )

__all__ = [
    "SET_WEIGHTS",
    "FitOptions",
    "MarkedPage",
    "blank_scorer",
    "count_priors",
    "fold_models",
    "fold_parts",
    "held_out",
    "marked_page",
    "prepare_page",
    "read_examples",
    "read_marked",
    "score",
    "train_block_importance",
    "train_kinds",
    "train_lines",
    "train_topic",
]

_LAZY = {
    "FitOptions": "fit",
    "SET_WEIGHTS": "lines_cv",
    "fold_models": "lines_cv",
    "fold_parts": "lines_cv",
    "train_block_importance": "importance",
    "train_kinds": "kinds",
    "train_lines": "lines_cv",
}
"""Names whose modules need scikit-learn, the extra ``train``."""


def __getattr__(name: str) -> object:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        return getattr(import_module(f"{__name__}.{_LAZY[name]}"), name)
    except ImportError as error:
        message = "training needs scikit-learn: pip install 'quarkcrawl[train]'"
        raise ConfigError(message) from error
