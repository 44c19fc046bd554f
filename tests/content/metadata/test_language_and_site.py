"""Language of a page and name of its site; the site's name is no headline."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarkcrawl.content import content_columns, extract
from quarkcrawl.content.metadata.api import metadata
from quarkcrawl.content.metadata.language import language_of
from quarkcrawl.page import Page
from tests.page.samples import FOREIGN, SIMPLIFIED, TRADITIONAL

_ENGLISH = "The library opens at nine, and people read by the windows. It is free for all of us. "
_TEXTS = {
    "zh": SIMPLIFIED, "ja": FOREIGN["ja"], "ko": FOREIGN["ko"], "ru": FOREIGN["ru"], "fr": FOREIGN["fr"] * 3,
    "en": _ENGLISH, "el": "Η βιβλιοθήκη ανοίγει στις εννέα και όλοι διαβάζουν στα παράθυρα.",
    "de": "Die Bücherei öffnet um neun, und die Leute lesen den ganzen Tag an den Fenstern. Das ist für alle.",
    "es": "La biblioteca abre a las nueve y la gente lee todo el día en las ventanas. Es para todos los que leen.",
}  # fmt: skip


@pytest.mark.parametrize("code", _TEXTS)
def test_judged_by_the_text(code: str) -> None:
    assert language_of("", _TEXTS[code]) == code
    assert language_of(code, _TEXTS[code]) == code
    wrong = "en" if code != "en" else "zh"
    assert language_of(wrong, _TEXTS[code]) == code
    assert language_of("", TRADITIONAL) == "zh"


def test_what_the_text_cannot_tell_is_believed() -> None:
    assert language_of("uk", _TEXTS["ru"]) == "uk"
    assert (
        language_of("sk", "Knižnica otvára o deviatej hodine ráno, v tichej sále sa číta.") == "sk"
    )
    assert language_of("de", "x") == "de"
    assert language_of("", "x y z") == ""
    assert language_of("en", _ENGLISH + "天网") == "en"


@pytest.mark.parametrize(
    ("declaration", "wanted"),
    [
        ("<html lang=pl-PL>", "pl"), ("<html lang=PL_pl>", "pl"), ("<html xml:lang=pl>", "pl"),
        ("<html><meta property=og:locale content=pl_PL>", "pl"), ("<html lang=cn>", "zh"), ("<html lang=jp>", "ja"),
        ("<html><meta http-equiv=content-language content='pl, en'>", "pl"), ("<html lang=x>", ""),
        ("<html lang=''>", ""), ("<html lang=english>", ""), ("<html lang=eng>", "en"),
    ],
)  # fmt: skip
def test_declarations(declaration: str, wanted: str) -> None:
    assert metadata(Page.from_html(f"{declaration}<body>1 2 3")).language == wanted


@given(st.text(max_size=300), st.sampled_from(["", "zh", "en", "xx"]))
def test_any_text(text: str, declared: str) -> None:
    assert len(language_of(declared, text)) in (0, 2)


@pytest.mark.parametrize(
    ("head", "wanted"),
    [
        ("<meta property=og:site_name content='Daily Example'>", "Daily Example"),
        ("<meta name=application-name content='Daily Example'>", "Daily Example"),
        ('<script type="application/ld+json">{"@type":"WebSite","name":"Daily Example"}</script>', "Daily Example"),
        (
            '<script type="application/ld+json">{"@type":"Article","publisher":{"name":"Daily Example"}}</script>',
            "Daily Example",
        ),
        ("<title>A new library opens | Daily Example</title>", "Daily Example"),
        ("<title>Daily Example: A new library opens</title>", "Daily Example"),
        ("<title>A new library opens</title>", ""),
        ("<meta property=og:site_name content='{{ site }}'>", ""),
        ("<meta property=og:site_name content='https://example.org'>", ""),
        ("<meta property=og:site_name content='A new library opens'>", ""),
        (f"<meta property=og:site_name content='{'x' * 200}'>", ""),
        ("<meta name=SiteName content='Daily Example'>", "Daily Example"),
        ('<script type="application/ld+json">{"@type":"WebSite","name":"Echo &amp; Co"}</script>', "Echo & Co"),
        ("<title>A new library opens - Daily Example - Powered by Discuz!</title>", "Daily Example"),
        ("<title>A new library opens - Daily Example - 手机版 - Powered by Discuz!</title>", "Daily Example"),
        ("<title>A new library opens - Powered by phpwind</title>", ""),
        ("<title>东海大学</title>", "东海大学"),
        ("<title>Something else</title>", ""),
    ],
)  # fmt: skip
def test_site_names(head: str, wanted: str) -> None:
    page = Page.from_html(f"<head>{head}</head><h1>A new library opens</h1><p>{_ENGLISH * 9}")
    assert metadata(page).site_name == wanted


def test_a_chinese_site() -> None:
    title = "市民广场周末举行露天音乐会"
    page = Page.from_html(f"<title>{title}_要闻_春城网</title><h1>{title}</h1><p>{SIMPLIFIED * 5}")
    found = metadata(page)
    assert (found.site_name, found.language, found.title) == ("春城网", "zh", title)


@pytest.mark.parametrize(
    "site",
    ["东海大学", "东海市人民政府", "东海市第一人民医院", "东海区教育局", "东海银行", "东海论坛"],
)
def test_names_of_organizations_behind_a_section(site: str) -> None:
    title = "市民广场周末举行露天音乐会"
    for parting in ("-", "_", " | "):
        head = f"<title>{parting.join((title, '要闻', site))}</title><h1>{title}</h1>"
        assert metadata(Page.from_html(f"{head}<p>{SIMPLIFIED * 5}")).site_name == site


def test_the_name_of_a_site_is_no_headline() -> None:
    """A book puts its own name into a heading, above and behind the headline."""
    html = """<title>What is a river? - The Great Book of Rivers and Lakes</title>
    <h1>The Great Book of Rivers and Lakes</h1><main><h1>What is a river?</h1>"""
    page = Page.from_html(html + f"<p>{_ENGLISH * 9}")
    assert metadata(page).title == "What is a river?"
    only = Page.from_html(
        f"<title>A river - The Great Book</title><h1>A river - The Great Book</h1>{_ENGLISH}"
    )
    assert "river" in metadata(only).title


def test_a_site_that_calls_itself_by_the_title() -> None:
    title = "A long title of a page about rivers and lakes and all that flows into the sea"
    head = f"<title>{title} | Pivot</title><meta property=og:site_name content='{title}'>"
    page = Page.from_html(f"{head}<h1>{title}</h1><p>{_ENGLISH * 9}")
    assert metadata(page).title == title


def test_columns() -> None:
    head = "<html lang=en><meta property=og:site_name content='Daily Example'>"
    page = Page.from_html(f"{head}<h1>A new library opens</h1><p>{_ENGLISH * 9}")
    columns = content_columns(extract(page))
    assert (columns["language"], columns["site_name"]) == ("en", "Daily Example")
    assert "language" not in content_columns(extract(page), metadata=False)
    empty = content_columns(extract(Page.from_html("")))
    assert "site_name" not in empty
    assert "language" not in empty
