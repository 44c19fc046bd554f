"""A classifier: words, their weights for each class, and how pages are to be read.

The file is a NumPy archive of plain arrays and a JSON note, without pickles: reading one runs no
code of whoever made it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Self

import numpy as np

from quarkcrawl.classify.pagewords import check_method, page_text, text_words
from quarkcrawl.classify.vocabulary import Vocabulary
from quarkcrawl.content import model_arrays
from quarkcrawl.segment import as_page

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from quarkcrawl.segment import PageLike

    FloatArray = NDArray[np.float32]


_FORMAT: Final = 1


@dataclass(frozen=True, slots=True)
class Guess:
    """What a text was taken for.

    Args:
        name: the class; "" if the text has no word that the model knows.
        probability: how likely, 0–1, by the model's own reckoning.
    """

    name: str
    probability: float


_NOTHING: Final = Guess("", 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class Classifier:
    """A linear model over words (multinomial logistic regression).

    QuarkClassification (Quark thesis, sections 3 and 5.2) names classification from content blocks
    and prints no model.

    Args:
        classes: names of the classes.
        vocabulary: the words.
        weights: one row a word, one column a class.
        bias: one a class.
        method: extraction method whose content it was trained on, or `WHOLE_PAGE`.
        about: notes on the training.
    """

    classes: tuple[str, ...]
    vocabulary: Vocabulary
    weights: FloatArray
    bias: FloatArray
    method: str = "quark"
    about: dict[str, Any] = field(default_factory=dict)

    def probabilities(self, words: Sequence[str]) -> FloatArray:
        """Probability of each class.

        Args:
            words: what `text_words` makes of a text; words that the model does not know do not
                count.
        """
        columns, values = self.vocabulary.vector(words)
        odds = values @ self.weights[columns] + self.bias
        likely = np.exp(odds - odds.max())
        result: FloatArray = (likely / likely.sum()).astype(np.float32)
        return result

    def classify_words(self, words: Sequence[str]) -> Guess:
        """Most likely class of a text that has been cut into words.

        Args:
            words: what `text_words` makes of a text; if the model knows none of them, the class is
                "".
        """
        if not len(self.vocabulary.vector(words)[0]):
            return _NOTHING
        likely = self.probabilities(words)
        best = int(likely.argmax())
        return Guess(self.classes[best], float(likely[best]))

    def classify_text(self, text: str) -> Guess:
        """Most likely class of a text.

        Args:
            text: headline and content of a page.
        """
        return self.classify_words(text_words(text))

    def classify(self, page_or_html: PageLike, url: str = "") -> Guess:
        """Most likely class of a page, by the text that the model was trained on.

        Args:
            page_or_html: the page, its source, or the bytes as received.
            url: its address.
        """
        return self.classify_text(page_text(as_page(page_or_html, url), self.method))

    def telling_words(self, n_words: int = 10) -> dict[str, list[str]]:
        """Words that speak most for each class against the others, the strongest first.

        Args:
            n_words: how many.
        """
        ahead = self.weights - self.weights.mean(axis=1, keepdims=True)  # of two, one has zeros
        order = np.argsort(-ahead, axis=0, kind="stable")[:n_words]
        words = self.vocabulary.words
        return {
            name: [words[row] for row in order[:, column].tolist()]
            for column, name in enumerate(self.classes)
        }

    def save(self, path: Path) -> None:
        """Write the model.

        Args:
            path: the file.
        """
        note = {
            "format": _FORMAT,
            "classes": self.classes,
            "method": self.method,
            "about": self.about,
        }
        with path.open("wb") as file:  # a name without .npz stays as it is
            np.savez_compressed(
                file,
                note=_bytes(json.dumps(note, ensure_ascii=False)),
                words=_bytes("\n".join(self.vocabulary.words)),
                idf=self.vocabulary.idf,
                weights=self.weights,
                bias=self.bias,
            )

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read a model that `save` wrote.

        Args:
            path: the file.

        Raises:
            InputError: the file is missing or is no such model.
        """
        with model_arrays(path, "model of page classes") as arrays:
            return cls._of(arrays, path)

    @classmethod
    def _of(cls, arrays: dict[str, NDArray[Any]], path: Path) -> Self:
        note = json.loads(arrays["note"].tobytes())
        if note["format"] != _FORMAT:
            raise ValueError(f"format {note['format']}")
        words = arrays["words"].tobytes().decode()
        word_list = tuple(words.split("\n")) if words else ()
        check_method(note["method"], where=path)
        model = cls(
            tuple(note["classes"]),
            Vocabulary(word_list, arrays["idf"].astype(np.float32)),
            arrays["weights"].astype(np.float32),
            arrays["bias"].astype(np.float32),
            note["method"],
            note["about"],
        )
        n_words, n_classes = len(word_list), len(model.classes)
        shapes = (model.vocabulary.idf.shape, model.weights.shape, model.bias.shape)
        if shapes != ((n_words,), (n_words, n_classes), (n_classes,)) or not n_classes:
            raise ValueError("arrays do not fit one another")
        return model


def _bytes(text: str) -> NDArray[np.uint8]:
    return np.frombuffer(text.encode(), np.uint8)
