"""Pages that scripts build, drawn by a real browser under bounds (extra ``render``).

A `Renderer` hands a page to Chromium, lets its scripts run on a virtual clock and takes what then
stands there: `Rendered.page` is the page as HTML with shadow trees and frames of the same site
laid flat, `Rendered.layout` says where each node and text run was drawn, in what font and color.
The browser has no network of its own: `traffic` fetches what may be fetched through a `Fetcher`
and refuses the rest (`REFUSALS`). Time, memory, requests and size are bounded (`RenderLimits`);
each way to end has a code (`RENDER_REASONS`), and no page can stop more than itself. `is_shell`
tells the pages that are worth it.
"""

from quarkcrawl.render.browser import find_browser, import_playwright
from quarkcrawl.render.choice import is_shell, visible_chars
from quarkcrawl.render.limits import RenderLimits
from quarkcrawl.render.renderer import Renderer, render
from quarkcrawl.render.result import RENDER_REASONS, RENDERED, Rendered
from quarkcrawl.render.traffic import REFUSALS, Fetcher, Reply, same_site

__all__ = [
    "REFUSALS",
    "RENDERED",
    "RENDER_REASONS",
    "Fetcher",
    "RenderLimits",
    "Rendered",
    "Renderer",
    "Reply",
    "find_browser",
    "import_playwright",
    "is_shell",
    "render",
    "same_site",
    "visible_chars",
]
