"""Templates of a campaign, and which of them a page is nearest to."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from quarkcrawl.errors import ConfigError, InputError
from quarkcrawl.template.clustering import (
    ONE,
    ClusterOptions,
    floor_of,
    nearest,
    section_of,
)
from quarkcrawl.template.model.model import sequence_of_nodes
from quarkcrawl.template.structure import NO_SIGNS, SequenceOptions, flatten, token_weights

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from quarkcrawl.template.clustering import Kind, Question
    from quarkcrawl.template.model.model import Template
    from quarkcrawl.template.structure import SequenceSet, Signs, TagSequence

    LongArray = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class NearestTemplate:
    """The template nearest to a page.

    Args:
        template: the one whose center is most like the page.
        similarity: how alike page and center are, 0–1.
    """

    template: Template
    similarity: float


@dataclass(frozen=True)
class TemplateSet:
    """Templates and how pages must be prepared to be matched with them.

    Args:
        templates: in the order of their files.
        sequence: how a page becomes a sequence.
        cluster: how pages were grouped; the least similarity also holds for matching.
    """

    templates: tuple[Template, ...] = ()
    sequence: SequenceOptions = field(default_factory=SequenceOptions)
    cluster: ClusterOptions = field(default_factory=ClusterOptions)

    def __post_init__(self) -> None:
        ids = [template.id for template in self.templates]
        if len(set(ids)) < len(ids):
            twice = next(name for name in ids if ids.count(name) > 1)
            raise ConfigError(f"two templates have the id {twice}")

    def __len__(self) -> int:
        return len(self.templates)

    def __getitem__(self, name: str) -> Template:
        """The template with this id, or with the only id that begins so.

        Raises:
            InputError: there is none, or several.
        """
        matches = [template for template in self.templates if template.id.startswith(name)]
        exact = [template for template in matches if template.id == name]
        if len(exact or matches) != 1:
            what = "no template" if not matches else f"{len(matches)} templates"
            raise InputError(f"{what} with an id that begins with {name!r}")
        return (exact or matches)[0]

    def with_template(self, template: Template) -> TemplateSet:
        """The set with a template put in, in the place of the one with its id.

        Args:
            template: the new or changed template.
        """
        others = [one if one.id != template.id else template for one in self.templates]
        if template not in others:
            others.append(template)
        return replace(self, templates=tuple(others))

    @cached_property
    def _centers(self) -> SequenceSet:
        centers = [sequence_of_nodes(template.center) for template in self.templates]
        return flatten(centers, self.cluster.weight)

    @cached_property
    def _floors(self) -> LongArray:
        least = self.cluster.min_similarity
        floors = [floor_of(min(least, template.reach)) for template in self.templates]
        return np.array(floors, np.int64)

    def _numbers(self, key_of: Callable[[Template], Any]) -> dict[Any, LongArray]:
        """Numbers of the templates by a key; those with the key None are left out."""
        by_key: defaultdict[Any, list[int]] = defaultdict(list)
        for number, template in enumerate(self.templates):
            by_key[key_of(template)].append(number)
        return {key: np.array(numbers) for key, numbers in by_key.items() if key is not None}

    @cached_property
    def _by_host(self) -> dict[str, LongArray]:
        return self._numbers(lambda template: template.host)

    @cached_property
    def _by_section(self) -> dict[str, LongArray]:
        return self._numbers(lambda template: template.section or None)

    @cached_property
    def _families(self) -> dict[tuple[str, Question], LongArray]:
        """Templates of each host that one question tells apart."""
        return self._numbers(lambda one: one.kind and (one.host, one.kind.question))

    def _of_kind(self, number: int, signs: Signs) -> LongArray:
        """Templates of a template's family that are of the page's kind; none if it is itself."""
        template = self.templates[number]
        none = np.zeros(0, np.int64)
        if template.kind is None or signs == NO_SIGNS or template.kind.has(signs):
            return none
        answer = template.kind.question.answer(signs)
        family = self._families[template.host, template.kind.question].tolist()
        fitting = [one for one in family if self._kind(one).answer == answer]
        return np.array(fitting, np.int64) if fitting else none

    def _kind(self, number: int) -> Kind:
        kind = self.templates[number].kind
        assert kind is not None
        return kind

    def _candidates(self, host: str | None) -> LongArray:
        if host is None:
            return np.arange(len(self), dtype=np.int64)
        none = np.zeros(0, np.int64)
        own, general = self._by_host.get(host, none), self._by_host.get("", none)
        return np.concatenate([own, general]) if host and len(general) else own

    def nearest(
        self,
        sequence: TagSequence,
        host: str | None = None,
        min_similarity: float | None = None,
        url: str = "",
    ) -> NearestTemplate | None:
        """The nearest template; of equally near ones the one with the lower number.

        If it is for another kind of page than this one, and there is one near enough for its
        kind, that is taken.

        Args:
            sequence: the page.
            host: compare only with templates of this host and of no particular one; None: all.
            min_similarity: least similarity; None: that of the clustering, or that of the page
                of the template's cluster that is the least like its center.
            url: address of the page; where templates were made by section, those of its own
                section come first.

        Returns:
            None if no template is near enough.
        """
        if not self.templates:
            return None
        floors = self._floors
        if min_similarity is not None:
            floors = np.full(len(self), floor_of(min_similarity), np.int64)
        heavy = token_weights(sequence.tokens, self.cluster.weight)
        near = self._by_section.get(section_of(url)) if self._by_section else None

        def nearest_of(candidates: LongArray) -> tuple[int, int]:
            return nearest(sequence.tokens, heavy, candidates, floors, self._centers)

        for candidates in (near, self._candidates(host)):
            if candidates is not None:
                number, value = nearest_of(candidates)
                if number >= 0:
                    other, its = nearest_of(self._of_kind(number, sequence.signs))
                    number, value = (other, its) if other >= 0 else (number, value)
                    return NearestTemplate(self.templates[number], value / ONE)
        return None
