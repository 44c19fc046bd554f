"""A method with options of its own, read from a small TOML file.

    method = "quark"
    topic = "topic_weights.json"         # what `quarkcrawl train topic` wrote

    [options]                            # those of the method
    similarity_threshold = 0.05
    compared_chars = 0                   # whole blocks are compared
    priors = "priors.json"               # what `quarkcrawl train priors` wrote

    [blocks]                             # how pages are cut; of quark alone
    custom_patterns = ['^发布时间']

Its name is that of the file without ``.toml``. Files that it names are looked for beside it.
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass, field, fields
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar
from zlib import crc32

from quarkcrawl.config import check_keys, read_toml, typed_values
from quarkcrawl.content.items import IbDomOptions, ItemOptions, region_extraction
from quarkcrawl.content.quark import AnalyzerOptions, Idf, Priors, jieba_tokens, quark_extraction
from quarkcrawl.content.related import RelatedOptions
from quarkcrawl.content.topic import load_topic_models
from quarkcrawl.errors import ConfigError, QuarkError
from quarkcrawl.segment import SegmentOptions

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from quarkcrawl.content.extraction import Extraction
    from quarkcrawl.content.topic import LogisticModel
    from quarkcrawl.page import Page


_T = TypeVar("_T")

METHOD_FILE_SUFFIX: Final = ".toml"
_METHODS: Final = ("quark", "ibdom", "rules")
_NUMBERS: Final = ("similarity_threshold", "compared_chars")
_KEY: Final = re.compile(r"\w+", re.ASCII)
_NAME: Final = re.compile(r"[A-Za-z0-9][\w.+-]*")


@dataclass(frozen=True, slots=True)
class Method:
    """A named way from a page to its content.

    Args:
        name: results of a corpus are kept under it.
        run: finds the content of a page; may raise.
        options: JSON values by which results of other options are told apart.
        topic_models: what decides on topic pages in place of the models that come with quarkcrawl.
        analyzer: options of the method ``quark``; None if it is another method.
        settings: every setting that a file could change, with the value in force, as the tables of
            such a file.
    """

    name: str
    run: Callable[[Page], Extraction]
    options: Mapping[str, Any] | None = None
    topic_models: Mapping[str, LogisticModel] | None = None
    analyzer: AnalyzerOptions | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)


def method_name(method: str) -> str:
    """Under which name results of a method are kept.

    Args:
        method: its name, or the path of its file.
    """
    return Path(method).name.removesuffix(METHOD_FILE_SUFFIX)


@lru_cache(maxsize=16)
def usual_method(name: str, run: Callable[[Page], Extraction]) -> Method:
    """A method without a file, with its usual settings."""
    analyzer = AnalyzerOptions() if name == "quark" else None
    return Method(name, run, analyzer=analyzer, settings=_usual_settings(name))


def _usual_settings(base: str) -> dict[str, dict[str, Any]]:
    """The settings of a method that files can change, as its tables in such a file."""
    if base == "quark":
        usual = AnalyzerOptions()
        numbers = {name: getattr(usual, name) for name in _NUMBERS}
        return {
            "options": {**numbers, "tokenizer": "rjieba"},
            "blocks": _listed(asdict(SegmentOptions())),
            "related": asdict(usual.related),
        }
    if base in _METHODS:
        return {"options": asdict(IbDomOptions() if base == "ibdom" else ItemOptions())}
    return {}


def _listed(values: dict[str, Any]) -> dict[str, Any]:
    """The same with lists, as a file has them, in place of tuples."""
    return {name: list(one) if isinstance(one, tuple) else one for name, one in values.items()}


def method_toml(tables: Mapping[str, Any]) -> str:
    """Tables of settings as a file of a method has them.

    Args:
        tables: those of `Method.settings`, or a part of them.

    Raises:
        TypeError: there is a value that no setting has.
    """

    def written(value: object) -> str:
        # A value of JSON is one of TOML, but for DEL.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")

    def key(name: str) -> str:
        return name if _KEY.fullmatch(name) else written(name)

    def line(name: str, value: object) -> str:
        return f"{key(name)} = {written(value)}"

    plain = [line(name, value) for name, value in tables.items() if not isinstance(value, dict)]
    parts = [
        "\n".join([f"[{key(name)}]", *(line(*one) for one in values.items())])
        for name, values in tables.items()
        if isinstance(values, dict)
    ]
    return "\n\n".join([*(["\n".join(plain)] if plain else []), *parts]) + "\n"


def load_method(path: str | Path) -> Method:
    """The method of a file.

    Args:
        path: the file; read again only when it has changed.

    Raises:
        ConfigError: it is missing, is no TOML, or an option or a file that it names is wrong.
    """
    path = Path(path)
    try:
        state = path.stat()
    except OSError as error:
        raise ConfigError(f"cannot be read: {error.strerror}", where=path) from error
    return _loaded(path, state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=64)
def _loaded(path: Path, _mtime_ns: int, _n_bytes: int) -> Method:
    table = read_toml(path)
    check_keys(table, ["method", "topic", "options", "blocks", "related"], source=str(path))
    base, name = table.get("method"), method_name(str(path))
    if base not in _METHODS:
        raise ConfigError(f"method: {base!r} is none of {', '.join(_METHODS)}", where=path)
    if not _NAME.fullmatch(name) or name in {"default", *_METHODS}:
        raise ConfigError("its name cannot be that of a method", where=path)
    parts = [part for part in ("options", "blocks", "related") if part in table]
    for part in parts:
        if not isinstance(table[part], dict):
            raise ConfigError(f"[{part}] must be a table", where=path)
        if part != "options" and base != "quark":
            raise ConfigError(f"[{part}] is for quark alone", where=path)
    named_files = _NamedFiles(path)
    models = named_files.load("topic", table.get("topic"), load_topic_models)
    run: Callable[[Page], Extraction]
    analyzer = None
    if base == "quark":
        analyzer = _quark_options(table, named_files)
        run = partial(quark_extraction, options=analyzer, name=name)
    else:
        values = table.get("options", {})
        options: IbDomOptions | ItemOptions
        if base == "ibdom":
            options = _record(IbDomOptions, values, path)
        else:
            options = _record(ItemOptions, values, path)
        run = partial(region_extraction, method=base, options=options, name=name)
    settings: dict[str, Any] = _usual_settings(base)
    for key, given in table.items():
        settings[key] = {**settings.get(key, {}), **given} if isinstance(given, dict) else given
    told_apart = {**table, "files": named_files.digests}
    return Method(name, run, told_apart, models, analyzer, settings)


def _quark_options(table: Mapping[str, Any], named_files: _NamedFiles) -> AnalyzerOptions:
    values = dict(table.get("options", {}))
    priors = named_files.load("priors", values.pop("priors", None), Priors.load)
    idf = named_files.load("idf", values.pop("idf", None), Idf.load)
    cut = _tokenizer(values, named_files)
    path, usual = named_files.path, AnalyzerOptions()
    numbers = {name: getattr(usual, name) for name in _NUMBERS}
    try:
        return AnalyzerOptions(
            priors=priors or usual.priors,
            idf=idf,
            related=_record(RelatedOptions, table.get("related", {}), path),
            cut=cut or usual.cut,
            blocks=_record(SegmentOptions, table["blocks"], path) if "blocks" in table else None,
            **typed_values(values, numbers, source=str(path)),
        )
    except ConfigError as error:
        raise _in_file(error, path) from error


def _tokenizer(
    values: dict[str, Any], named_files: _NamedFiles
) -> Callable[[str], list[str]] | None:
    """What cuts texts into words, if not rjieba as usual; takes its settings out."""
    usual = {"tokenizer": "rjieba", "guess_words": True, "dictionary": ""}
    own = {name: values.pop(name) for name in usual if name in values}
    given = typed_values(own, usual, source=str(named_files.path))
    if given.get("tokenizer", "rjieba") not in {"rjieba", "jieba"}:
        message = f"tokenizer: {given['tokenizer']!r} is none of rjieba, jieba"
        raise ConfigError(message, where=named_files.path)
    if given.get("tokenizer") == "jieba":
        cut = partial(jieba_tokens, guesses=given.get("guess_words", True))
        return (
            named_files.load("dictionary", own.get("dictionary"), lambda file: cut(dictionary=file))
            or cut()
        )
    if given.keys() - {"tokenizer"}:
        raise ConfigError(
            'guess_words and dictionary need tokenizer = "jieba"', where=named_files.path
        )
    return None


def _record(record: type[_T], values: Mapping[str, object], path: Path) -> _T:
    """A record of options with these values."""
    defaults = {field.name: field.default for field in fields(record)}  # type: ignore[arg-type]
    try:
        return record(**typed_values(values, defaults, source=str(path)))
    except ConfigError as error:
        raise _in_file(error, path) from error


def _in_file(error: ConfigError, path: Path) -> ConfigError:
    """The same error, saying in which file."""
    said = error.message if error.where == str(path) else f"{error.where}: {error.message}"
    return ConfigError(said, where=path)


class _NamedFiles:
    """The files that a method's file names, and what tells a changed one."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.digests: dict[str, int] = {}

    def load(self, key: str, name: object, load: Callable[[Path], _T]) -> _T | None:
        """What a named file holds; None if there is no name."""
        if name is None:
            return None
        if not isinstance(name, str):
            raise ConfigError(f"{key}: {name!r} is no path", where=self.path)
        file = self.path.parent / name
        try:
            value = load(file)
            self.digests[key] = crc32(file.read_bytes())
        except OSError as error:
            raise ConfigError(f"{key}: {file}: {error.strerror}", where=self.path) from error
        except QuarkError as error:
            raise ConfigError(f"{key}: {error}", where=self.path) from error
        return value
