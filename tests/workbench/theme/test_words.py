"""The catalogues: complete in both languages, each word once."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import quarkcrawl.workbench as workbench
from quarkcrawl.crawl.campaign.reasons import REASONS
from quarkcrawl.page.pdf import PDF_REASONS
from quarkcrawl.workbench.theme.words import LANGUAGES, words
from quarkcrawl.workbench.web.api.routes import OPERATIONS

FOLDER = Path(workbench.__file__).parent


def test_both_catalogs_have_the_same_words_and_values():
    chinese, english = words("zh").texts, words("en").texts
    assert chinese.keys() == english.keys()
    for key, text in english.items():
        names, others = (set(re.findall(r"\{(\w+)", one)) for one in (text, chinese[key]))
        assert names == others, key


def test_a_noun_follows_its_number():
    english = words("en")
    assert [english("templates.size", n=n) for n in (0, 1, 2, 1000)] == [
        "0 pages", "1 page", "2 pages", "1,000 pages",
    ]  # fmt: skip
    assert english("seeds.in_domain", n=1, domain="a.cn").startswith("1 host of the lists is ")
    assert words("zh")("templates.size", n=1) == "1 页"


@pytest.mark.parametrize("lang", LANGUAGES)
def test_no_brace_is_left_in_what_is_said(lang):
    for key, text in words(lang).texts.items():
        names = re.findall(r"\{(\w+)", text)
        assert "{" not in words(lang)(key, **dict.fromkeys(names, 2)) or not names, key


@pytest.mark.parametrize("lang", LANGUAGES)
def test_no_word_stands_twice_in_a_catalog(lang):
    catalog = FOLDER / "theme" / "catalogues" / f"{lang}.json"
    keys = [key for key, _ in json.loads(catalog.read_text("utf-8"), object_pairs_hook=list)]
    assert keys == sorted(set(keys))


def test_every_word_that_a_view_asks_for_is_in_the_catalog():
    known = words("en").texts
    asked = {(path.name, key) for path in (FOLDER / "theme" / "pages").rglob("*.html")
             for key in re.findall(r"\bt\('([a-z_.0-9]+)'[,)]", path.read_text("utf-8"))}  # fmt: skip
    asked |= {(path.name, "js." + key) for path in (FOLDER / "web" / "static").glob("*.js")
              for key in re.findall(r"\bt\(\"([a-z_.0-9]+)\"[,)]", path.read_text("utf-8"))}  # fmt: skip
    assert len(asked) > 150
    assert [entry for entry in asked if entry[1] not in known] == []


def test_every_reason_has_its_meaning_in_both_languages():
    english, chinese = words("en"), words("zh")
    for code, meaning in (REASONS | PDF_REASONS).items():
        assert english.reason(code) == meaning
        assert re.search("[\u4e00-\u9fff]", chinese.reason(code)), code
    assert "404" in english.reason("http_404")
    assert "404" in chinese.reason("http_404")
    assert english.reason("a_code_of_a_user") == "a_code_of_a_user"


def test_every_operation_of_the_api_is_explained_in_both_languages():
    english, chinese = words("en"), words("zh")
    for one in OPERATIONS:
        assert english(f"operation.{one.name}") == one.summary
        assert re.search("[\u4e00-\u9fff]", chinese(f"operation.{one.name}")), one.name
