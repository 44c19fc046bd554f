"""The file of what people taught about the sites of a corpus, as the server reads and writes it."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from quarkcrawl.template.site import SiteRules, read_rules, write_rules

if TYPE_CHECKING:
    from pathlib import Path

    from quarkcrawl.template.site import SiteRule


class RuleStore:
    """The rules of a corpus; somebody may edit their file meanwhile.

    Args:
        path: the file; may be missing.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()

    def rules(self) -> SiteRules:
        """All rules, as the file has them now.

        Raises:
            ConfigError: something in the file is wrong.
        """
        return read_rules(self.path) if self.path.exists() else SiteRules()

    def add(self, rule: SiteRule) -> None:
        """Accept a rule; it takes the place of one for the same elements.

        Raises:
            ConfigError: something in the file is wrong, or it would become too long.
            StoreError: it cannot be written.
        """
        with self._lock:
            write_rules(self.path, self.rules().with_rule(rule))

    def remove(self, key: str) -> bool:
        """Take a rule back; whether there was one.

        Raises:
            ConfigError: something in the file is wrong.
            StoreError: it cannot be written.
        """
        with self._lock:
            rules = self.rules()
            left = rules.without(key)
            if len(left) == len(rules):
                return False
            write_rules(self.path, left)
            return True
