"""The rules that people taught about the contents of some sites: a small file of a corpus.

    [[rule]]
    host = "www.example.cn"
    kind = "noise"                            # or "content"
    select = "div#main > div.related"         # CSS: what it finds on each page of the host
    own = true                                # without the blocks within it; false if left out
    page = "http://www.example.cn/1.html"     # where it was taught; for readers, and:
    page_only = true                          # on that page only; false if left out

The file may be written and edited by hand: rules are added at its end and taken out of it, the rest
stays as it is.
"""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

from quarkcrawl.config import check_keys
from quarkcrawl.errors import ConfigError, InputError
from quarkcrawl.page.tree import check_css
from quarkcrawl.store import storage_errors, write_whole

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


RuleKind = Literal["content", "noise"]
"""What a rule says of a part of pages."""

RULES_FILE: Final = "rules.toml"
"""Name of the file in the folder of a corpus."""

MOST_RULES_BYTES: Final = 1 << 20
MOST_SELECT_CHARS: Final = 1000
_KINDS: Final[tuple[str, ...]] = get_args(RuleKind)
_HEADER: Final = re.compile(r"^(?:[ \t]*#[^\n]*\n)*[ \t]*\[\[[ \t]*rule[ \t]*\]\]", re.MULTILINE)
"""With the comment right above it."""

_HEAD: Final = """\
# What people taught about the contents of pages, by `quarkcrawl serve` or by hand: of the pages of
# host, what the CSS selector finds is content, or noise. docs/extraction.md, "What people teach".
"""


@dataclass(frozen=True, slots=True)
class SiteRule:
    """What somebody taught about the pages of a host.

    Args:
        host: the host, as the table of pages has it.
        kind: what the text there is.
        select: CSS selector of the elements.
        own: only the text of the block that an element stands in or is, without the blocks within
            the element; else all text of the element.
        page: address of the page on which it was taught, "" if nobody said.
        page_only: whether it holds on that page only, and not on the others of the host.
    """

    host: str
    kind: RuleKind
    select: str
    own: bool = False
    page: str = ""
    page_only: bool = False

    @property
    def key(self) -> str:
        """Tells the place from others: of two rules with the same key the later one holds."""
        place = json.dumps([self.host, self.select, self.own, *self._only]).encode()
        return hashlib.blake2b(place, digest_size=8).hexdigest()

    @property
    def _only(self) -> list[str]:
        """The page on which it holds; nothing if it holds on all."""
        return [self.page] if self.page_only else []

    @property
    def told(self) -> list[str | bool]:
        """What `corrected` needs to know of it."""
        return [self.kind, self.select, self.own, *self._only]


@dataclass(frozen=True, slots=True)
class SiteRules:
    """The rules of some hosts, in the order of their file."""

    rules: tuple[SiteRule, ...] = ()

    def __len__(self) -> int:
        return len(self.rules)

    @property
    def hosts(self) -> frozenset[str]:
        """Hosts with a rule."""
        return frozenset(rule.host for rule in self.rules)

    @property
    def digest(self) -> str:
        """Tells other rules from these."""
        rules_json = json.dumps([[rule.host, self.of(rule.host)] for rule in self.rules])
        return hashlib.blake2b(rules_json.encode("utf-8", "replace"), digest_size=8).hexdigest()

    def of(self, host: str) -> str:
        """The rules of a host as a text, for `corrected`; "" for none.

        Args:
            host: as the table of pages has it.
        """
        rules = [rule.told for rule in self.for_host(host)]
        return json.dumps(rules, ensure_ascii=False) if rules else ""

    def for_host(self, host: str) -> tuple[SiteRule, ...]:
        """The rules of a host, in their order.

        Args:
            host: as the table of pages has it.
        """
        return tuple(rule for rule in self.rules if rule.host == host)

    def with_rule(self, rule: SiteRule) -> SiteRules:
        """The same and one more, which takes the place of one with its key.

        Args:
            rule: the new one.
        """
        return SiteRules((*self.without(rule.key).rules, rule))

    def without(self, key: str) -> SiteRules:
        """The same without a rule.

        Args:
            key: that of the rule.
        """
        return SiteRules(tuple(rule for rule in self.rules if rule.key != key))


def read_rules(path: Path | str) -> SiteRules:
    """Read a file of rules.

    Args:
        path: the file.

    Raises:
        ConfigError: it is missing, too long or no TOML, or a rule is wrong.
    """
    path = Path(path)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ConfigError(f"cannot be read: {error.strerror}", where=path) from error
    return parse_rules(data, path)


def parse_rules(data: bytes, where: object) -> SiteRules:
    """Read the bytes of a file of rules.

    Args:
        data: the whole file.
        where: its path, for messages.

    Raises:
        ConfigError: it is too long or no TOML, or a rule is wrong.
    """
    if len(data) > MOST_RULES_BYTES:
        raise ConfigError(f"is longer than {MOST_RULES_BYTES} bytes", where=where)
    try:
        table = tomllib.loads(data.decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"is not TOML: {error}", where=where) from error
    check_keys(table, ["rule"], source=str(where))
    entries = table.get("rule", [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise ConfigError("rules are written as [[rule]]", where=where)
    return SiteRules(tuple(_rule(entry, n, where) for n, entry in enumerate(entries, 1)))


def _rule(entry: Mapping[str, Any], number: int, where: object) -> SiteRule:
    """One rule of a file, checked."""

    def wrong(said: str) -> ConfigError:
        return ConfigError(f"rule {number}: {said}", where=where)

    try:
        check_keys(entry, ["host", "kind", "select", "own", "page", "page_only"], source="")
    except ConfigError as error:
        raise wrong(error.message) from error
    values = {"own": False, "page": "", "page_only": False, **entry}
    for name, value in values.items():
        is_truth = name in {"own", "page_only"}
        if not isinstance(value, bool if is_truth else str):
            raise wrong(f"{name}: {value!r} is no {'truth value' if is_truth else 'text'}")
    for name in ("host", "kind", "select", *(["page"] if values["page_only"] else [])):
        if not values.get(name):
            raise wrong(f"{name} is missing")
    if values["kind"] not in _KINDS:
        raise wrong(f"kind: {values['kind']!r} is none of {', '.join(_KINDS)}")
    if len(values["select"]) > MOST_SELECT_CHARS:
        raise wrong(f"select has more than {MOST_SELECT_CHARS} characters")
    try:
        check_css(values["select"])
    except InputError as error:
        raise wrong(f"select: {error.message}") from error
    return SiteRule(**values)


def write_rules(path: Path | str, rules: SiteRules) -> None:
    """Write rules into a file that has some of them, or is not there yet.

    Those that the file has and that are not wanted any more leave it, new ones come at its end; all
    other text stays. The file is replaced as a whole.

    Args:
        path: the file.
        rules: what it shall hold.

    Raises:
        ConfigError: the file that is there is wrong.
        StoreError: it cannot be written.
    """
    path = Path(path)
    with storage_errors(path):
        text = path.read_text("utf-8") if path.exists() else _HEAD
        rules_before = parse_rules(text.encode(), path).rules
        text = _edited(text, rules_before, rules.rules)
        if len(text.encode()) > MOST_RULES_BYTES:
            raise ConfigError(f"would be longer than {MOST_RULES_BYTES} bytes", where=path)
        with write_whole(path) as file:
            file.write(text.encode())


def _edited(text: str, rules_before: Sequence[SiteRule], rules_after: Sequence[SiteRule]) -> str:
    """A file with other rules; written anew where it is laid out in another way than ours."""
    starts = [header.start() for header in _HEADER.finditer(text)]
    if len(starts) == len(rules_before):
        ends = [*starts, len(text)][1:]
        parts = [text[: starts[0]] if starts else text]
        parts += [
            text[start:end]
            for start, end, rule in zip(starts, ends, rules_before, strict=True)
            if rule in rules_after
        ]
        new = [as_toml(rule) for rule in rules_after if rule not in rules_before]
        new_text = "\n\n".join(part.rstrip("\n") for part in [*parts, *new] if part.strip()) + "\n"
        try:
            if set(parse_rules(new_text.encode(), "").rules) == set(rules_after):
                return new_text
        except ConfigError:
            pass  # a header within a text; nobody writes that
    return "\n".join([_HEAD, *map(as_toml, rules_after)])


def as_toml(rule: SiteRule) -> str:
    """A rule as its file has it.

    Args:
        rule: any rule.
    """
    lines = ["[[rule]]"]
    for name, value in asdict(rule).items():
        if isinstance(value, bool):
            lines += [f"{name} = true"] if value else []
        elif value:
            # A text of JSON is one of TOML, but for DEL.
            lines.append(
                f"{name} = {json.dumps(value, ensure_ascii=False)}".replace("\x7f", "\\u007f")
            )
    return "\n".join(lines) + "\n"
