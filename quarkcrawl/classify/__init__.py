"""Classes of pages by the words of their content blocks (the thesis' QuarkClassification).

Navigation, advertisements and lists of hot articles say what a site is like, not what a page is
about; so a page is classified by its content alone. `read_examples` reads labeled pages and cuts
their words with jieba (``examples``, ``pagewords``). `train` weighs the words (``vocabulary``) and
fits a linear model with scikit-learn, an extra (``training``); a `Classifier` is a file of arrays
and applies with NumPy alone (``model``). How well it does on sites it has never seen is measured
by `left_out_predictions`. `quarkcrawl.corpus.classify_corpus` applies a model to a
stored corpus.
"""

from quarkcrawl.classify.examples import (
    Examples,
    LabeledPage,
    examples_of,
    read_examples,
    record_page,
)
from quarkcrawl.classify.model import Classifier, Guess
from quarkcrawl.classify.pagewords import WHOLE_PAGE, page_text, text_words
from quarkcrawl.classify.training import TrainingOptions, left_out_predictions, macro_f1, train

__all__ = [
    "WHOLE_PAGE",
    "Classifier",
    "Examples",
    "Guess",
    "LabeledPage",
    "TrainingOptions",
    "examples_of",
    "left_out_predictions",
    "macro_f1",
    "page_text",
    "read_examples",
    "record_page",
    "text_words",
    "train",
]
