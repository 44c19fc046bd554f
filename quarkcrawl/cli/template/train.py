"""``quarkcrawl template train`` and ``evaluate``: pages grouped by structure."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from typer import Option

from quarkcrawl.cli.options import ClassKey, Processes, check_output, progress_shown, writing
from quarkcrawl.cli.template.base import Sources
from quarkcrawl.errors import InputError
from quarkcrawl.progress import reported

if TYPE_CHECKING:
    from quarkcrawl.template import TrainOptions
    from quarkcrawl.template.clustering import Measure
    from quarkcrawl.template.structure import SequenceOptions


GroupBy = Literal["host", "section", "all"]
"""Which pages may share a template."""

Tags = Literal["default", "thesis"]
"""Which elements count."""

RepeatSearch = Literal["all", "run", "none", "suffix-tree"]
"""How repeated records are found, as `quarkcrawl.template.structure.REPEATS`."""

DepthWeight = Literal["inverse", "geometric", "constant"]
"""How much an element counts by its depth."""


MeasureName = Literal[
    "lcs",
    "tag-jaccard",
    "tag-vector",
    "weighted-tags",
    "path-set",
    "path-weighted",
    "path-shingles",
    "path-shingles-containment",
    "tree-edit",
    "fourier",
]
"""What pages are compared by, as `quarkcrawl.lab.baselines.MEASURES`; lcs goes with a weight."""


Similarity = Annotated[
    float,
    Option(
        "--min-similarity", min=0, max=1, help="Least similarity of two joined centers, 0 to 1."
    ),
]
Group = Annotated[GroupBy, Option("--group-by", help="Which pages may share a template.")]
Undivided = Annotated[bool, Option("--no-kinds", help="Leave lists of equal structure together.")]
Unmasked = Annotated[bool, Option("--no-mask", help="Also compare what is inside articles.")]
TagChoice = Annotated[Tags, Option(help="Elements that count: ours, or table 6.4 of the thesis.")]
RepeatChoice = Annotated[
    RepeatSearch,
    Option(help="Repeated records that are merged; suffix-tree: as in the thesis."),
]
WeightChoice = Annotated[
    DepthWeight, Option(help="Weight of an element by depth; constant: the plain subsequence.")
]
MeasureChoice = Annotated[
    MeasureName,
    Option(help="What pages are compared by: lcs, or a measure of the thesis' appendix."),
]


def train(  # noqa: PLR0913, PLR0917 - the options of a command are its arguments
    sources: Sources,
    out: Annotated[Path, Option(metavar="FILE", help="Templates go here.")],
    min_similarity: Similarity = 0.9,
    group_by: Group = "host",
    min_pages: Annotated[int, Option(min=1, help="Smaller clusters of pages are no template.")] = 2,
    no_mask: Unmasked = False,
    no_kinds: Undivided = False,
    tags: TagChoice = "default",
    records: RepeatChoice = "all",
    weight: WeightChoice = "inverse",
    measure: MeasureChoice = "lcs",
    curve: Annotated[bool, Option("--curve", help="Also try other similarities.")] = False,
    details_only: Annotated[
        bool, Option("--details-only", help="Leave out error, short and directory pages.")
    ] = False,
    detail_url: Annotated[
        str,
        Option(
            metavar="PATTERN", help="Pattern of addresses of detail pages (with --details-only)."
        ),
    ] = "",
    content: Annotated[bool, Option("--content", help="Also learn where content stands.")] = False,
    workers: Processes = 0,
) -> None:
    """Find the templates of pages.

    \b
    Examples:
      quarkcrawl template train corpus --out templates.json
      quarkcrawl template train pages.jsonl.gz --out templates.json --curve
      quarkcrawl template train pages.jsonl.gz --out templates.json --measure path-weighted

    A measure of the appendix compares all pairs of distinct pages of a group (tree-edit: .3 ms a
    pair). New pages are put beside templates by the common subsequence in any case.
    """
    from quarkcrawl.cli.template.pages import prepared, read_pages  # noqa: PLC0415
    from quarkcrawl.template import (  # noqa: PLC0415
        learn_content,
        train_sequences,
    )
    from quarkcrawl.template.clustering import (  # noqa: PLC0415
        groups_of,
        threshold_curve,
    )
    from quarkcrawl.template.model import write_templates  # noqa: PLC0415
    from quarkcrawl.template.structure import FilterOptions  # noqa: PLC0415

    if detail_url and not details_only:
        raise typer.BadParameter("goes with --details-only", param_hint="--detail-url")
    check_output(out)
    how = _options(
        _sequence(tags, records, no_mask=no_mask),
        min_similarity,
        weight,
        group_by,
        min_pages,
        no_kinds=no_kinds,
        measure=measure,
    )
    compare = _measure(measure)
    filters = FilterOptions(detail_url=detail_url) if details_only else None
    given = read_pages(sources)
    with progress_shown() as show:
        read = list(enumerate(prepared(given, how.sequence, workers, filters, show)))
        sequences = [sequence for _, sequence in read if not isinstance(sequence, str)]
        numbers = [number for number, sequence in read if not isinstance(sequence, str)]
        urls = given.urls
        sequence_urls = [urls[number] for number in numbers]
        done = train_sequences(
            sequences,
            sequence_urls,
            how,
            lambda page: given.pages[numbers[page]],
            compare,
            on_progress=show,
        )
        template_set = done.templates
        if content:
            looked_at = reported(numbers, "content", show, total=len(numbers))
            template_set = learn_content(
                template_set, (given.pages[number] for number in looked_at)
            )
    with writing(out):
        write_templates(template_set, out)
    summary = {
        "pages": len(urls),
        "left_out": Counter(reason for _, reason in read if isinstance(reason, str)),
        "distinct": done.clustering.n_distinct,
        "clusters": len(done.clustering),
        "templates": len(done.templates),
        "without_template": done.template_of.count(""),
        "approximate": done.clustering.n_approximate,
        "out": str(out),
    }
    if curve:
        groups = groups_of(sequence_urls, group_by)
        with progress_shown() as show:
            points = threshold_curve(
                sequences, groups, how.cluster, measure=compare, on_progress=show
            )
            summary["curve"] = [point._asdict() for point in points]
    typer.echo(json.dumps(summary, ensure_ascii=False))


def _sequence(tags: Tags, repeats: RepeatSearch, *, no_mask: bool) -> SequenceOptions:
    from quarkcrawl.template.structure import (  # noqa: PLC0415
        DEFAULT_POLICY,
        THESIS_POLICY,
        SequenceOptions,
    )

    policy = THESIS_POLICY if tags == "thesis" else DEFAULT_POLICY
    return SequenceOptions(policy, repeats, mask_prose=not no_mask)


def _options(
    sequence: SequenceOptions,
    min_similarity: float,
    weight: DepthWeight,
    group_by: GroupBy,
    least_pages: int,
    *,
    no_kinds: bool,
    measure: MeasureName,
) -> TrainOptions:
    from quarkcrawl.template import TrainOptions  # noqa: PLC0415
    from quarkcrawl.template.clustering import (  # noqa: PLC0415
        ClusterOptions,
        KindOptions,
    )

    return TrainOptions(
        sequence,
        ClusterOptions(min_similarity, weight, measure="" if measure == "lcs" else measure),
        group_by,
        least_pages,
        kinds=None if no_kinds else KindOptions(),
    )


def _measure(name: MeasureName) -> Measure | None:
    if name == "lcs":
        return None
    from quarkcrawl.lab.baselines import MEASURES  # noqa: PLC0415

    return MEASURES[name]


def evaluate(  # noqa: PLR0913, PLR0917 - the options of a command are its arguments
    sources: Sources,
    label: ClassKey = "template_label",
    min_similarity: Similarity = 0.9,
    group_by: Group = "host",
    no_mask: Unmasked = False,
    no_kinds: Undivided = False,
    tags: TagChoice = "default",
    records: RepeatChoice = "all",
    weight: WeightChoice = "inverse",
    measure: MeasureChoice = "lcs",
) -> None:
    """Compare clusters with known classes (JSON lines with a class).

    \b
    Examples:
      quarkcrawl template evaluate sites/*.jsonl.gz
      quarkcrawl template evaluate sites/*.jsonl.gz --tags thesis --records suffix-tree
    """
    from quarkcrawl.cli.template.pages import prepared, read_pages  # noqa: PLC0415
    from quarkcrawl.template.clustering import (  # noqa: PLC0415
        adjusted_rand_index,
        cluster,
        divide_by_kind,
        groups_of,
        purity,
    )

    sequence = _sequence(tags, records, no_mask=no_mask)
    how = _options(
        sequence, min_similarity, weight, group_by, 1, no_kinds=no_kinds, measure=measure
    )
    given = read_pages(sources, label)
    if not any(given.classes):
        raise InputError(f"no page has a class ({label!r})")
    with progress_shown() as show:
        read = prepared(given, how.sequence, on_progress=show)
        sequences = [one for one in read if not isinstance(one, str)]
        if len(sequences) < len(given.pages):
            raise InputError("some pages cannot be read")
        groups = groups_of(given.urls, group_by)
        clustering = cluster(sequences, how.cluster, groups, _measure(measure), on_progress=show)
        if how.kinds is not None:
            clustering = divide_by_kind(clustering, sequences, how.kinds, how.cluster.weight)
    pairs = zip(groups_of(given.urls), given.classes, strict=True)
    classes = [f"{host}|{name}" for host, name in pairs]
    scores = {
        "pages": len(classes),
        "classes": len(set(classes)),
        "clusters": len(clustering),
        "distinct": clustering.n_distinct,
        "adjusted_rand_index": round(adjusted_rand_index(clustering.labels.tolist(), classes), 4),
        "purity": round(purity(clustering.labels.tolist(), classes), 4),
        "options": asdict(how.cluster) | {"kinds": how.kinds and asdict(how.kinds)},
    }
    typer.echo(json.dumps(scores))
