"""The web of the campaign tests: hosts whose pages are all different, so each must be stored."""

from __future__ import annotations

Pages = dict[str, dict[str, object] | bytes]

__all__ = ["small_web", "stored_urls"]


def small_web(
    n_hosts: int,
    n_pages: int,
    *,
    delay_s: float = 0.02,
    robots: dict[int, str] | None = None,
) -> Pages:
    """Home pages link to sections that link to pages; ``robots`` by number of the host."""
    pages: Pages = {}
    for number in range(n_hosts):
        root = f"http://h{number}.shared.example/"
        sections = [f"s{i}/" for i in range(4)]
        pages[root] = _page(f"home {number}", sections, delay_s)
        for i, section in enumerate(sections):
            names = [f"p{j}.html" for j in range(i, n_pages, 4)]
            pages[root + section] = _page(f"section {number} {i}", [*names, "/"], delay_s)
            for name in names:
                links = [f"../{sections[i - 1]}", "/", name]
                pages[root + section + name] = _page(f"{number} {i} {name}", links, delay_s)
        if robots and number in robots:
            pages[root + "robots.txt"] = robots[number].encode()
    return pages


def stored_urls(web: Pages) -> set[str]:
    return {url for url in web if not url.endswith("robots.txt")}


def _page(title: str, hrefs: list[str], delay_s: float) -> dict[str, object]:
    anchors = "".join(f"<a href='{h}'>{h}</a>" for h in hrefs)
    return {
        "html": f"<title>{title}</title><body>{anchors}<p>{title * 30}</p>",
        "delay_s": delay_s,
    }
