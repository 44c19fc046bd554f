"""Two ways to use a view, a mouse alone or a keyboard alone, in two widths and two languages."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

from playwright.sync_api import expect

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

MOST_TABS = 300
WHERE = """one => one === document.activeElement ? "here" : document.activeElement === document.body
  || document.activeElement.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING ? "after" : "before\""""


@dataclass
class Mouse:
    """Clicks; text is typed, as nobody does that with a mouse."""

    page: Page

    def press(self, target: Locator) -> None:
        # Rows stand in a page before its scripts have come, and a click is lost until then.
        self.page.wait_for_load_state("domcontentloaded")
        target.click()

    def write(self, target: Locator, text: str) -> None:
        target.click()
        self.page.keyboard.press("Control+A")
        self.page.keyboard.insert_text(text)

    def choose(self, target: Locator, value: str) -> None:
        """Of a list; what the browser unfolds is not part of the page, so it is asked for the value."""
        target.click()
        target.select_option(value)
        target.page.keyboard.press("Escape")

    def open_tab(self, target: Locator) -> None:
        target.click()


@dataclass
class Keyboard:
    """Goes from one control to the next with Tab, or back with Shift and Tab, as far as it takes."""

    page: Page

    def reach(self, target: Locator) -> None:
        self.page.wait_for_load_state("domcontentloaded")
        expect(target).to_be_enabled()
        for _ in range(MOST_TABS):
            place = target.evaluate(WHERE)
            if place == "here":
                return
            self.page.keyboard.press("Tab" if place == "after" else "Shift+Tab")
        raise AssertionError(f"no way there by keyboard: {target}")

    def press(self, target: Locator) -> None:
        self.reach(target)
        is_box = target.evaluate("one => one.type === 'checkbox'")
        self.page.keyboard.press("Space" if is_box else "Enter")

    def write(self, target: Locator, text: str) -> None:
        self.reach(target)
        self.page.keyboard.press("Control+A")
        self.page.keyboard.insert_text(text)

    def choose(self, target: Locator, value: str) -> None:
        self.reach(target)
        step = target.evaluate(
            "(one, value) => [...one.options].findIndex((each) => each.value === value) - one.selectedIndex",
            value,
        )
        for _ in range(abs(step)):
            self.page.keyboard.press("ArrowDown" if step > 0 else "ArrowUp")
        expect(target).to_have_value(value)

    def open_tab(self, target: Locator) -> None:
        """Of a row of tabs the keyboard comes to the open one; arrows lead to the others."""
        tabs = target.locator("xpath=..").get_by_role("tab")
        self.reach(tabs.and_(self.page.locator("[aria-selected=true]")))
        for _ in range(tabs.count()):
            if target.get_attribute("aria-selected") == "true":
                return
            self.page.keyboard.press("ArrowRight")
        raise AssertionError(f"no way there by arrows: {target}")


@dataclass(frozen=True)
class Way:
    """How somebody uses the workbench."""

    hand: type[Mouse | Keyboard]
    width: int
    locale: str

    def __str__(self) -> str:
        return f"{self.hand.__name__}-{self.width}-{self.locale[:2]}".lower()

    @property
    def options(self) -> dict[str, Any]:
        """Of a browser's context."""
        return {"viewport": {"width": self.width, "height": 844}, "locale": self.locale}


EVERY_WAY = [Way(*one) for one in product((Mouse, Keyboard), (1280, 390), ("zh-CN", "en-US"))]
