"""What a page may cost while a browser draws it."""

from __future__ import annotations

from dataclasses import dataclass

from quarkcrawl.errors import ConfigError


@dataclass(frozen=True, slots=True)
class RenderLimits:
    """Bounds of one rendering.

    Two clocks run. The page's own clock is virtual: while no request is out it jumps to the next
    timer, so that a text that a script shows after three seconds costs no three seconds. Our
    clock bounds everything.

    Args:
        wall_s: longest time until the page's scripts are stopped and what is there is taken.
        capture_s: longest time for taking it; then the browser is killed.
        page_clock_s: time that the page's clock runs after it was loaded.
        scroll_clock_s: time that it runs after its first frames, and after each scroll.
        max_scrolls: most times that the page is scrolled to its end while that makes it longer.
        max_requests: most requests of one page, refused ones included.
        max_resource_bytes: longer replies are refused.
        max_total_bytes: most bytes of all replies together.
        max_memory_bytes: most that the browser may grow over what it holds without a page.
        max_nodes: pages with more nodes are not taken.
        max_html_chars: nor are longer ones.
        max_style_bytes: most of a page's style sheets that is written into it; 0: none.
        width_px: width of the window.
        height_px: height of the window.

    Raises:
        ConfigError: a bound is not positive.
    """

    wall_s: float = 15.0
    capture_s: float = 5.0
    page_clock_s: float = 5.0
    scroll_clock_s: float = 1.0
    max_scrolls: int = 10
    max_requests: int = 100
    max_resource_bytes: int = 4 << 20
    max_total_bytes: int = 32 << 20
    max_memory_bytes: int = 1 << 30
    max_nodes: int = 200_000
    max_html_chars: int = 16 << 20
    max_style_bytes: int = 0
    width_px: int = 1280
    height_px: int = 1024

    def __post_init__(self) -> None:
        for name in self.__slots__:
            value = getattr(self, name)
            if value < 0 or (value == 0 and name not in {"max_scrolls", "max_style_bytes"}):
                raise ConfigError(f"{name} must be positive, not {value}", where="RenderLimits")
