"""The file of a campaign: which steps, with which options, as commands anyone can run by hand.

Paths in the file are relative to it. Each step is one command of ``quarkcrawl``; what a step needs
from the ones before is where they leave it in the campaign's folder:

    OUT/seeds/         count, check, filter, report of the selection
    OUT/corpus/        crawl, extract, dedup
    OUT/collection/    sample
    OUT/statistics/    stats
    OUT/corpus/        refine: labels
    OUT/dataset/       export
    OUT/campaign.html  report
"""

from __future__ import annotations

import os
from dataclasses import dataclass, fields
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from quarkcrawl.cli.options import renamed
from quarkcrawl.config import FRESHNESS, CrawlConfig, check_keys, read_toml
from quarkcrawl.errors import ConfigError


class StepName(StrEnum):
    """Steps of a campaign, in their order."""

    COUNT = "count"
    CHECK = "check"
    FILTER = "filter"
    CRAWL = "crawl"
    EXTRACT = "extract"
    DEDUP = "dedup"
    SAMPLE = "sample"
    STATS = "stats"
    REFINE = "refine"
    EXPORT = "export"
    REPORT = "report"


STEPS: Final = tuple(step.value for step in StepName)
"""The steps in their order."""

_CRAWL: Final = frozenset(field.name for field in fields(CrawlConfig)) - {"out"}
_KEYS: Final[dict[str, frozenset[str]]] = {
    "campaign": frozenset({"name", "out", "corpus", "seeds", "skip", "lang"}),
    "engine": frozenset({"name", "spark_master", "memory", "memory_mb", "partitions"}),
    "count": frozenset({"lists", "column"}),
    "check": _CRAWL,
    "filter": frozenset(
        {
            "spam_list",
            "min_pages",
            "least_pages",
            "aliases",
            "outliers",
            "drop_undecided",
            "skip",
            "unchecked",
        }
    ),
    "crawl": _CRAWL | {"hosts", "replay"},
    "freshness": FRESHNESS,
    "extract": frozenset({"method", "blocks", "spans", "items", "workers", "timeout_s"}),
    "dedup": frozenset(),
    "sample": frozenset({"seed", "group", "draw", "pages", "bytes", "docno", "tables_only"}),
    "stats": frozenset({"ip_database"}),
    "refine": frozenset(
        {
            "extraction",
            "method",
            "lexicon",
            "benchmark",
            "perplexity",
            "quality",
            "no_duplicates",
            "no_repeats",
            "workers",
            "timeout_s",
        }
    ),
    "export": frozenset(
        {
            "where",
            "without",
            "fields",
            "format",
            "personal",
            "repeats",
            "validation",
            "test",
            "seed",
            "no_shuffle",
            "max_file_size",
            "part_bytes",
            "tokenizer",
            "contact",
            "license",
        }
    ),
    "report": frozenset(),
}
_PATHS: Final = {
    ("count", "lists"), ("filter", "spam_list"), ("crawl", "hosts"), ("crawl", "replay"),
    ("crawl", "spam_list"), ("crawl", "template_file"), ("stats", "ip_database"),
    ("refine", "lexicon"), ("refine", "benchmark"), ("refine", "perplexity"),
    ("refine", "quality"), ("export", "tokenizer"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Step:
    """One step: the command that does it, and whether it is left out."""

    name: str
    words: tuple[str, ...]
    is_skipped: bool = False


@dataclass(frozen=True, slots=True)
class CampaignFile:
    """A campaign.

    Args:
        path: the file.
        name: what the campaign and its collection are called.
        out: folder of everything.
        corpus: the crawled corpus.
        seeds: work folder of the selection.
        skip: steps that are left out.
        tables: options of each step.
        lang: language of the pages.
    """

    path: Path
    name: str
    out: Path
    corpus: Path
    seeds: Path
    skip: frozenset[str]
    tables: dict[str, dict[str, Any]]
    lang: str = "en"

    @property
    def collection(self) -> Path:
        """What the statistics are about: the collection, or the corpus if none is drawn."""
        return self.corpus if "sample" in self.skip else self.out / "collection"

    def steps(self) -> list[Step]:
        """All steps with their commands.

        Raises:
            ConfigError: a step has not what it needs.
        """
        makers = {
            "count": self._count, "check": self._check, "filter": self._filter,
            "crawl": self._crawl, "extract": self._extract, "dedup": self._dedup,
            "sample": self._sample, "stats": self._stats,
            "refine": self._refine, "export": self._export, "report": self._report,
        }  # fmt: skip
        return [
            Step(name, (), is_skipped=True)
            if name in self.skip or self._lacks_texts(name)
            else Step(name, tuple(renamed([str(word) for word in makers[name]()])[0]))
            for name in STEPS
        ]

    def _lacks_texts(self, step: str) -> bool:
        """Whether a step of the data set has nothing to work on: no text is extracted here."""
        is_wanted = "refine" in self.tables or "export" in self.tables
        return step in {"refine", "export"} and "extract" in self.skip and not is_wanted

    def _options(self, step: str, *without: str) -> list[str]:
        """The table of a step as command line options."""
        words: list[str] = []
        for key, value in self.tables.get(step, {}).items():
            if key not in without and value is not False:
                option = f"--{key.replace('_', '-')}"
                for one in value if isinstance(value, list) else [value]:
                    words += [option] if one is True else [option, str(one)]
        return words

    def _settings(self, step: str, *without: str) -> list[str]:
        """The table of a step as settings of a crawl."""
        words: list[str] = []
        for key, value in self.tables.get(step, {}).items():
            if key not in without:
                text = ",".join(map(str, value)) if isinstance(value, list) else str(value)
                words += ["--set", f"{key}={text}"]
        return words

    def _engine(self, *without: str) -> list[Any]:
        """The table of the engine as options of a job."""
        options = {
            "name": "--engine", "spark_master": "--spark-master", "memory": "--memory",
            "memory_mb": "--memory-mb", "partitions": "--partitions",
        }  # fmt: skip
        engine = self.tables.get("engine", {})
        keys = [key for key in options if key in engine and key not in without]
        return [word for key in keys for word in (options[key], engine[key])]

    def _count(self) -> list[Any]:
        lists = self.tables.get("count", {}).get("lists")
        if not lists:
            raise ConfigError("[count] needs lists, or skip count, check, filter", where=self.path)
        lists = lists if isinstance(lists, list) else [lists]
        options = self._options("count", "lists")
        return ["select", "count", *lists, "--work", self.seeds, *options]

    def _check(self) -> list[Any]:
        return ["select", "check", "--work", self.seeds, *self._settings("check")]

    def _filter(self) -> list[Any]:
        is_unchecked = self.tables.get("filter", {}).get("unchecked", "check" in self.skip)
        unchecked = ["--unchecked"] if is_unchecked else []
        options = self._options("filter", "unchecked")
        return ["select", "filter", "--work", self.seeds, *unchecked, *options]

    def _crawl(self) -> list[Any]:
        crawl = self.tables.get("crawl", {})
        hosts = crawl.get("hosts")
        if hosts is None and "filter" in self.skip:
            raise ConfigError("without the step filter, [crawl] needs hosts", where=self.path)
        words = ["crawl", hosts or self.seeds / "seeds.txt", "--out", self.corpus]
        replay = crawl.get("replay", [])
        for path in replay if isinstance(replay, list) else [replay]:
            words += ["--replay", path]
        return words + self._settings("crawl", "hosts", "replay") + self._settings("freshness")

    def _extract(self) -> list[Any]:
        is_spark = self.tables.get("engine", {}).get("name") == "spark"
        engine = self._engine("memory", "memory_mb", "partitions") if is_spark else []
        return ["extract", self.corpus, *self._options("extract"), *engine]

    def _dedup(self) -> list[Any]:
        return ["corpus", "dedup", self.corpus, *self._engine()]

    def _sample(self) -> list[Any]:
        words = ["corpus", "sample", self.corpus, "--out", self.collection, "--name", self.name]
        words += ["--with-duplicates"] if "dedup" in self.skip else []
        return words + self._options("sample") + self._engine()

    def _stats(self) -> list[Any]:
        folder = ["--folder", self.out / "statistics"]
        return ["corpus", "stats", self.collection, *folder, *self._options("stats"),
                *self._engine(), *self._lang()]  # fmt: skip

    def _refine(self) -> list[Any]:
        options = self._options("refine", "method", "extraction")
        words = ["refine", self.corpus, "--extraction", self._text_method]
        return [*words, *options, *self._engine()]

    def _export(self) -> list[Any]:
        words = ["export", self.corpus, "--out", self.out / "dataset", "--name", self.name]
        words += ["--extraction", self._text_method, "--replace"]
        return [*words, *self._options("export"), *self._engine()]

    @property
    def _text_method(self) -> str:
        """By which the texts of the data set are found: as they were extracted last."""
        refined = self.tables.get("refine", {})
        given = refined.get("extraction") or refined.get("method")
        extracted = self.tables.get("extract", {}).get("method", "default")
        crawled = self.tables.get("crawl", {}).get("content_method", "default")
        return str(given or (crawled if "extract" in self.skip else extracted))

    def _report(self) -> list[Any]:
        if "filter" in self.skip:
            return []
        return ["select", "report", "--work", self.seeds, *self._lang()]

    def _lang(self) -> list[str]:
        return [] if self.lang == "en" else ["--lang", self.lang]


def load_campaign(path: Path) -> CampaignFile:
    """Read the file of a campaign.

    Raises:
        ConfigError: it is missing, no TOML, or has unknown tables, keys or steps.
    """
    return campaign_of(read_toml(path), path)


def campaign_of(data: dict[str, Any], path: Path) -> CampaignFile:
    """The campaign of parsed TOML.

    Raises:
        ConfigError: unknown tables, keys or steps, or values of the wrong type.
    """
    check_keys(data, _KEYS, source=str(path))
    for table, values in data.items():
        if not isinstance(values, dict):
            raise ConfigError(f"[{table}] has to be a table", where=path)
        check_keys(values, sorted(_KEYS[table]), source=f"{path}: [{table}]")
    campaign = data.get("campaign", {})
    _check_types(campaign, path)
    skip = frozenset(campaign.get("skip", []))
    check_keys(sorted(skip), STEPS, source=f"{path}: skip")
    folder = path.parent
    tables = {
        table: {key: _placed(folder, table, key, value) for key, value in values.items()}
        for table, values in data.items()
        if table != "campaign"
    }
    out = folder / campaign.get("out", f"{path.stem}-out")
    corpus, seeds = (
        Path(os.path.normpath(folder / campaign[key])) if campaign.get(key) else out / key
        for key in ("corpus", "seeds")
    )
    lang = str(campaign.get("lang", "en"))
    check_keys([lang], ("en", "zh"), source=f"{path}: lang")
    name = str(campaign.get("name", "CWT"))
    return CampaignFile(path, name, out, corpus, seeds, skip, tables, lang)


def _check_types(campaign: dict[str, Any], path: Path) -> None:
    """Refuse paths that are no text and steps that are no list."""
    for key in ("out", "corpus", "seeds"):
        if not isinstance(campaign.get(key, ""), str):
            raise ConfigError(f"[campaign] {key} has to be a path", where=path)
    skip = campaign.get("skip", [])
    if not isinstance(skip, list) or not all(isinstance(step, str) for step in skip):
        raise ConfigError("[campaign] skip has to be a list of steps", where=path)


def _placed(folder: Path, table: str, key: str, value: Any) -> Any:
    """The value, paths relative to the folder of the file."""
    if (table, key) not in _PATHS:
        return value
    if isinstance(value, list):
        return [str(folder / str(one)) for one in value]
    return str(folder / str(value))
