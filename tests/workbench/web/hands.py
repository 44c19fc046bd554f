"""Two ways to use a view: a mouse alone, or a keyboard alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from playwright.sync_api import expect

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

MOST_TABS = 300


@dataclass
class Mouse:
    """Clicks; text is typed, as nobody does that with a mouse."""

    page: Page

    def press(self, target: Locator) -> None:
        target.click()

    def write(self, target: Locator, text: str) -> None:
        target.click()
        self.page.keyboard.press("Control+A")
        self.page.keyboard.insert_text(text)


@dataclass
class Keyboard:
    """Goes from one control to the next with Tab, as far as it takes."""

    page: Page

    def reach(self, target: Locator) -> None:
        expect(target).to_be_enabled()
        for _ in range(MOST_TABS):
            if target.evaluate("one => one === document.activeElement"):
                return
            self.page.keyboard.press("Tab")
        raise AssertionError(f"no way there by keyboard: {target}")

    def press(self, target: Locator) -> None:
        self.reach(target)
        is_box = target.evaluate("one => one.type === 'checkbox'")
        self.page.keyboard.press("Space" if is_box else "Enter")

    def write(self, target: Locator, text: str) -> None:
        self.reach(target)
        self.page.keyboard.press("Control+A")
        self.page.keyboard.insert_text(text)
