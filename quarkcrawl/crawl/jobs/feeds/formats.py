"""Formats of feeds that can be continued, and what an exporter has to know for that."""

from __future__ import annotations

import lzma
from typing import TYPE_CHECKING, Any, Final

from scrapy.exporters import (
    BaseItemExporter,
    CsvItemExporter,
    JsonItemExporter,
    JsonLinesItemExporter,
    MarshalItemExporter,
    PickleItemExporter,
    XmlItemExporter,
)
from scrapy.extensions.postprocessing import Bz2Plugin, GzipPlugin, LZMAPlugin
from scrapy.utils.misc import load_object

from quarkcrawl.crawl.jobs.feeds.parquet import ParquetItemExporter
from quarkcrawl.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping


_CONTINUED: Final = (
    CsvItemExporter,
    JsonItemExporter,
    JsonLinesItemExporter,
    ParquetItemExporter,
    XmlItemExporter,
)
_BINARY: Final = (MarshalItemExporter, PickleItemExporter)
_MEMBERS: Final = (Bz2Plugin, GzipPlugin, LZMAPlugin)
_PLUGIN_NAMES: Final = "GzipPlugin, Bz2Plugin or LZMAPlugin"


def check_continued(template: str, options: Mapping[str, Any], exporter: type[Any]) -> None:
    """See that a feed can be continued after the process died.

    Raises:
        ConfigError: its format or its postprocessing cannot.
    """
    name = options["format"]
    if issubclass(exporter, _BINARY):
        raise ConfigError(f"format {name} is not written in a durable job", where=template)
    if not issubclass(exporter, _CONTINUED) and not _is_plain(exporter):
        message = f"a feed in format {name} cannot be continued: {exporter.__name__} has a"
        message = f"{message} start_exporting or finish_exporting of its own"
        raise ConfigError(message, where=template)
    plugins = [load_object(plugin) for plugin in options.get("postprocessing", ())]
    if issubclass(exporter, ParquetItemExporter) or not plugins:
        return
    if len(plugins) > 1 or not issubclass(plugins[0], _MEMBERS):
        names = ", ".join(plugin.__name__ for plugin in plugins)
        message = f"a feed with postprocessing by {names} cannot be continued"
        raise ConfigError(f"{message}; give one of {_PLUGIN_NAMES}", where=template)
    container = options.get("lzma_format")
    if issubclass(plugins[0], LZMAPlugin) and container not in {None, lzma.FORMAT_XZ}:
        raise ConfigError("only lzma_format FORMAT_XZ can be continued", where=template)


def _is_plain(exporter: type[Any]) -> bool:
    """Whether the format has neither head nor foot."""
    hooks = ("start_exporting", "finish_exporting")
    return issubclass(exporter, BaseItemExporter) and all(
        getattr(exporter, hook) is getattr(BaseItemExporter, hook) for hook in hooks
    )


def shape_of(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options that a feed may not change as long as its job goes on, as plain data."""
    plugins = [load_object(plugin).__qualname__ for plugin in options.get("postprocessing", ())]
    fields = options["fields"]
    if fields is not None and not isinstance(fields, dict):
        fields = list(fields)
    return {
        "format": options["format"],
        "encoding": options["encoding"],
        "fields": fields,
        "postprocessing": plugins,
    }


def exporter_state(exporter: BaseItemExporter) -> dict[str, Any]:
    """What an exporter has learned from the items so far: the columns of a CSV file."""
    # Scrapy has no public name for it; a subclass that manages headers in another way has no such
    # attribute.
    if isinstance(exporter, CsvItemExporter) and not getattr(
        exporter, "_headers_not_written", True
    ):
        fields = exporter.fields_to_export
        detected = getattr(exporter, "_autodetected_fields", False)
        return {"fields": list(fields or ()), "detected": True} if detected else {}
    return {}


def continue_exporter(exporter: BaseItemExporter, state: Mapping[str, Any]) -> None:
    """Make an exporter go on behind items that another one wrote to the same file."""
    if isinstance(exporter, JsonItemExporter):
        exporter.first_item = False
    elif isinstance(exporter, CsvItemExporter):
        vars(exporter)["_headers_not_written"] = False
        if state.get("detected"):
            exporter.fields_to_export = list(state["fields"])
            vars(exporter)["_autodetected_fields"] = True
