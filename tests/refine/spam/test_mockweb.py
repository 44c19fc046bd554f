"""Spam that the mock web hides inside good hosts: found again, and the web the same without it."""

from collections import Counter
from importlib.resources import files

import pytest

from quarkcrawl.content import extract
from quarkcrawl.lab.mockweb import SPAM_KINDS, Ask, MiniWeb, page_truth, truth
from quarkcrawl.page import Page
from quarkcrawl.refine.spam import KINDS, spam_of


def pages(seed, n_pages=200, share=0.4):
    web = MiniWeb(seed, 5, n_pages, hostile=False, charsets="mixed").with_spam(share)
    for host, found in truth(web).hosts.items():
        for url in sorted(found.levels):
            known = page_truth(web, url)
            scheme, _, rest = url.partition("://")
            reply = web.respond(Ask(scheme, host, "/" + rest.partition("/")[2]))
            content_type = dict(reply.headers)["Content-Type"]
            yield known.spam, Page.from_bytes(reply.body, url, content_type)


def test_kinds_are_those_that_are_judged():
    assert set(SPAM_KINDS) == set(KINDS)


def test_without_spam_the_web_is_the_same():
    plain, spam = MiniWeb(3, 4, 60), MiniWeb(3, 4, 60).with_spam(0.5)
    assert plain.arguments() == MiniWeb(3, 4, 60).with_spam(0).arguments()
    assert "--spam-share" in spam.arguments()
    asks = [Ask("http", host, "/") for host in plain.hosts() if "*" not in host]
    assert [plain.respond(ask) for ask in asks] == [spam.respond(ask) for ask in asks]
    urls = [url for found in truth(plain).hosts.values() for url in found.levels]
    kinds = Counter(known.spam for url in urls if (known := page_truth(spam, url)))
    none = {known.spam for url in urls if (known := page_truth(plain, url))}
    assert none == {""}
    assert sum(kinds[kind] for kind in SPAM_KINDS) >= 5


@pytest.mark.full
@pytest.mark.parametrize("seed", [9001])
def test_spam_is_found_among_good_pages(seed):
    right = wrong = missed = 0
    for kind, page in pages(seed):
        content = extract(page)
        found = spam_of(page, content.text, content.title).kinds
        right += kind in found
        wrong += len([other for other in found if other != kind])
        missed += bool(kind) and kind not in found
    assert right / (right + missed) >= 0.95
    assert right / (right + wrong) >= 0.95


def test_the_vocabulary_of_the_mock_web_is_not_the_lexicon():
    lexicon = files("quarkcrawl.refine.spam").joinpath("lexicon.txt").read_text("utf-8")
    known = {
        word.strip() for line in lexicon.splitlines() for word in line.partition(":")[2].split("|")
    }
    phrases = files("quarkcrawl.lab.mockweb.site.spam").joinpath("phrases.txt").read_text("utf-8")
    parts = {
        part.strip()
        for line in phrases.splitlines() if " = " in line and not line.startswith("#")
        for part in line.partition(" = ")[2].split(" / ")
    }  # fmt: skip
    assert len(parts & known) < 0.4 * len(parts)
