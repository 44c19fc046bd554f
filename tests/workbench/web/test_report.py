"""``quarkcrawl report``: one file that a browser opens without asking anybody for anything."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from quarkcrawl.cli import main
from quarkcrawl.store import Corpus
from quarkcrawl.workbench.report.corpuspage import corpus_page
from quarkcrawl.workbench.theme.words import LANGUAGES, words
from tests.crawl.harness import environment
from tests.workbench.web.conftest import Watched
from tests.workbench.web.sites import HOSTS, REPRINTS

_BROWSERS_OWN = re.compile(r"(?:[a-z0-9-]+\.)*(?:google(?:apis)?|gstatic|gvt1)\.com")
_WORD = re.compile(r"[a-z0-9.-]+")
_SCRIPT = re.compile(r"<script\b.*?</script>", re.DOTALL)


def is_browsers_own(sent: str) -> bool:
    """Whether the browser asks its maker: in the clear or, by the server name, with TLS.

    A greeting of TLS holds the name behind its type and length; what follows is any byte, also
    one that is a letter in Latin-1.
    """
    names = _WORD.findall(sent)
    if sent.startswith("\x16"):
        lengths = re.finditer(r"\0\0(.)(?=[a-z])", sent, re.DOTALL)
        names = [sent[length.end() :][: ord(length[1])] for length in lengths]
    return any(map(_BROWSERS_OWN.fullmatch, names))


def test_whom_the_browser_asks():
    greeting = "\x16\x03\x01ab\0\0\x18\0\x16\0\0\x13{}zz\0\x01"
    assert is_browsers_own(greeting.format("accounts.google.com"))
    assert not is_browsers_own(greeting.format("accounts.goggle.com"))
    assert not is_browsers_own("\x16\x03\x01ab\0\0\x17evil.google.com.example\0")
    assert is_browsers_own("CONNECT update.googleapis.com:443 HTTP/1.1")
    assert not is_browsers_own("GET http://google.com.example/ HTTP/1.1")


def apart(text: str) -> tuple[str, list[str]]:
    """A report without its scripts, and these."""
    return _SCRIPT.sub("", text), _SCRIPT.findall(text)


@pytest.fixture(scope="module")
def reports(made_corpus, tmp_path_factory):
    """The report in each language."""
    folder = tmp_path_factory.mktemp("report")
    paths = {lang: folder / f"{lang}.html" for lang in LANGUAGES}
    for lang, path in paths.items():
        assert main(["report", str(made_corpus), "--out", str(path), "--lang", lang]) == 0
    return paths


@pytest.fixture(scope="module")
def report(reports):
    return reports["en"]


@pytest.mark.full
@pytest.mark.parametrize(("width", "scheme", "lang"), [(1280, "light", "en"), (390, "dark", "zh")])
def test_the_page_opens_offline_and_fits(browser, outside, reports, width, scheme, lang):
    report = reports[lang]
    outside.seen.clear()
    context = browser.new_context(viewport={"width": width, "height": 844}, color_scheme=scheme)
    page = context.new_page()
    watched = Watched(page, "")
    page.on("request", lambda request: watched.asked.append(request.url))
    page.on("pageerror", lambda error: watched.said.append(str(error)))
    page.on("console", lambda message: watched.said.append(message.text))
    page.goto(report.as_uri())
    assert page.locator(".plot .dot").count() >= 1  # drawn in the page itself
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    words = page.inner_text("body")
    for host in (*HOSTS, REPRINTS):
        assert host in words
    assert page.evaluate("document.documentElement.lang")[:2] == lang
    context.close()
    assert watched.asked == [report.as_uri()]
    assert watched.said == []
    # The browser itself asks its maker now and then; nothing else may leave.
    assert [text for text in outside.seen if not is_browsers_own(text)] == []


def test_the_figures_are_those_of_the_corpus(report, made_corpus):
    info = Corpus.open(made_corpus).info()
    text = report.read_text("utf-8")
    for name, number in (
        ("Pages", info.pages),
        ("Hosts", info.hosts),
        ("Redirects", info.redirects),
    ):
        assert f"<dt>{name}</dt><dd>{number:,}</dd>" in text
    for reason, number in info.drops.items():
        assert f">{reason}</span>" in text
        assert f"<b>{number:,}</b>" in text
    page, scripts = apart(text)
    assert len(scripts) == 2  # data, and ours
    assert "src=" not in page


def test_the_report_in_chinese_has_the_same_numbers_and_no_english_words(reports, made_corpus):
    english, chinese = (apart(reports[lang].read_text("utf-8"))[0] for lang in ("en", "zh"))
    numbers = re.compile(r"<(dd|b|i)>[^<]*|<td class=\"n\">[^<]*|<circle[^>]*>")
    assert [match[0] for match in numbers.finditer(english)] == [
        match[0] for match in numbers.finditer(chinese)
    ]
    for lang, text, other in (("en", english, chinese), ("zh", chinese, english)):
        said = [words(lang)(key) for key in ("bars.reasons", "sizes.title", "column.host")]
        said += [words(lang).reason(code) for code in Corpus.open(made_corpus).info().drops]
        for word in said:
            assert word in text
            assert word not in other


def test_a_corpus_without_pages_has_a_report(tmp_path):
    Corpus.create(tmp_path / "empty")
    for lang in LANGUAGES:
        assert words(lang)("nothing") in corpus_page(tmp_path / "empty", lang)


@pytest.mark.full
def test_standard_output_and_what_is_no_corpus(made_corpus, tmp_path, report):
    command = [sys.executable, "-m", "quarkcrawl", "report"]
    done = subprocess.run([*command, str(made_corpus), "--out", "-"], env=environment(), check=True,
                          capture_output=True, timeout=60)  # fmt: skip
    assert done.stdout == report.read_bytes()
    assert main(["report", str(tmp_path), "--out", str(tmp_path / "x.html")]) == 2
    assert not (tmp_path / "x.html").exists()
