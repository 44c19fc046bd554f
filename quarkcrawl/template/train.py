"""From pages to templates: prepare, group, induce, look."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from quarkcrawl.page.urls import host_key
from quarkcrawl.progress import CountedStep, no_progress
from quarkcrawl.template.clustering import (
    Clustering,
    ClusterOptions,
    KindOptions,
    cluster,
    divide_by_kind,
    groups_of,
)
from quarkcrawl.template.model import InduceOptions, TemplateSet, induce, observe
from quarkcrawl.template.structure import SequenceOptions, sequence_of_page

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from quarkcrawl.page import Page
    from quarkcrawl.progress import Progress
    from quarkcrawl.template.clustering import Kind, Measure
    from quarkcrawl.template.model import Template
    from quarkcrawl.template.structure import TagSequence


_OBSERVED_PAGES: Final = 50


@dataclass(frozen=True, slots=True)
class TrainOptions:
    """How templates are found.

    Args:
        sequence: how a page becomes a sequence.
        cluster: how pages are grouped.
        group_by: pages are only grouped with others of their ``"host"``, or of their host and
            the first step of their path (``"section"``), or with ``"all"``.
        least_pages: smaller clusters become no template.
        essential_support: share of pages that must have an essential element.
        kinds: how clusters of lists are divided by kind of page (tag, category, archive), see
            `quarkcrawl.template.clustering.kinds`; None: not at all.
    """

    sequence: SequenceOptions = field(default_factory=SequenceOptions)
    cluster: ClusterOptions = field(default_factory=ClusterOptions)
    group_by: Literal["host", "section", "all"] = "host"
    least_pages: int = 2
    essential_support: float = 1.0
    kinds: KindOptions | None = field(default_factory=KindOptions)


@dataclass(frozen=True, slots=True, eq=False)
class Training:
    """What training gave.

    Args:
        templates: the templates, larger clusters first.
        clustering: the clusters, also those that were too small.
        template_of: for each page the id of its template, "" for none.
    """

    templates: TemplateSet
    clustering: Clustering
    template_of: tuple[str, ...]


def train(pages: Sequence[Page], options: TrainOptions | None = None) -> Training:
    """Find the templates of pages.

    Args:
        pages: the pages; read again when their texts are looked at.
        options: how; None for the defaults.
    """
    how = options or TrainOptions()
    sequences = [sequence_of_page(page, how.sequence).sequence for page in pages]
    return train_sequences(sequences, [page.url for page in pages], how, pages.__getitem__)


def train_sequences(
    sequences: Sequence[TagSequence],
    urls: Sequence[str],
    options: TrainOptions | None = None,
    page_of: Callable[[int], Page] | None = None,
    measure: Measure | None = None,
    *,
    on_progress: Progress = no_progress,
) -> Training:
    """Find templates in pages that are prepared already.

    Args:
        sequences: one a page.
        urls: address of each page.
        options: how; None for the defaults.
        page_of: reads a page by number, to look at texts of up to 50 pages a template; None: no
            texts.
        measure: the one that the options of clustering name.
        on_progress: is told of the pages that are grouped, and of each template.
    """
    how = options or TrainOptions()
    groups = groups_of(urls, how.group_by)
    clustering = cluster(sequences, how.cluster, groups, measure, on_progress=on_progress)
    if how.kinds is not None:
        on_progress("kinds of lists", 0, None)
        clustering = divide_by_kind(clustering, sequences, how.kinds, how.cluster.weight)
    kinds = clustering.kinds or [None] * len(clustering)
    empty = TemplateSet((), how.sequence, how.cluster)
    templates: list[Template] = []
    template_of = [""] * len(sequences)
    sizes = np.bincount(clustering.labels, minlength=len(clustering))
    n_templates = int(np.count_nonzero(sizes >= how.least_pages))
    under_way = CountedStep("templates", on_progress, n_templates)
    for number in range(len(clustering)):
        members = clustering.members(number).tolist()
        if len(members) < how.least_pages:
            break  # clusters are numbered by size
        center = int(clustering.centers[number])
        template = _template(
            members, center, sequences, urls[center], groups[center], kinds[number], how
        )
        if page_of is not None:
            step = -(-len(members) // _OBSERVED_PAGES)
            template = observe(template, map(page_of, members[::step]), empty)
        templates.append(template)
        for page in members:
            template_of[page] = template.id
        under_way.add()
    template_set = TemplateSet(tuple(templates), how.sequence, how.cluster)
    return Training(template_set, clustering, tuple(template_of))


def _template(
    members: list[int],
    center: int,
    sequences: Sequence[TagSequence],
    url: str,
    group: str,
    kind: Kind | None,
    how: TrainOptions,
) -> Template:
    host = "" if how.group_by == "all" else host_key(url) or ""
    return induce(
        [sequences[page] for page in members],
        members.index(center),
        InduceOptions(how.cluster, how.essential_support),
        host=host,
        example=url,
        section=group if how.group_by == "section" else "",
        kind=kind,
    )
