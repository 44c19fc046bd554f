"""Options of the papers as settings of ``scrapy crawl cwt``: each changes what a crawl stores."""

import json

import pytest

from quarkcrawl.config import CrawlConfig
from quarkcrawl.content.quark import FEATURES, Priors
from quarkcrawl.errors import ConfigError
from quarkcrawl.store import Corpus
from quarkcrawl.template.model.templatefile import read_templates
from tests.cli.test_paper_options import FIRST, TAIL
from tests.cli.test_spider_options import scrapy
from tests.content.test_methodfile import LONG, NEAR, PAGE
from tests.template.blogpages import post

HOME = "http://a.cn/"


def crawled(folder, pages, **settings):
    """The pages that a crawl of stored pages has stored, by address."""
    links = "".join(f"<a href='{url}'>x</a>" for url in pages)
    rows = [{"url": url, "html": html} for url, html in {HOME: links, **pages}.items()]
    (folder / "pages.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    (folder / "hosts.txt").write_text("a.cn\n")
    out = folder / f"corpus{len(list(folder.glob('corpus*')))}"
    given = {"QUARKCRAWL_OUT": out, "CWT_REPLAY": folder / "pages.jsonl", "LOG_LEVEL": "WARNING",
             "QUARKCRAWL_IN_PROCESS": 1, "QUARKCRAWL_SITE_PAGES": 0}  # fmt: skip
    given |= {f"QUARKCRAWL_{name.upper()}": value for name, value in settings.items()}
    words = [word for name, value in given.items() for word in ("-s", f"{name}={value}")]
    done = scrapy("crawl", "cwt", "-a", f"hosts={folder / 'hosts.txt'}", *words)
    assert done.returncode == 0, done.stderr
    return {row.url: row.analysis for row in Corpus.open(out).pages()}


@pytest.mark.full
def test_a_crawl_reads_pages_by_the_method_of_a_file(tmp_path):
    """Threshold, custom tags, a pattern and the priors beside the file decide what is stored."""
    path = tmp_path / "thesis.toml"
    path.write_text('method = "quark"\n[options]\nsimilarity_threshold = 1\n'
                    '[blocks]\ncustom_tags = ["p"]\n')  # fmt: skip
    page = f"{HOME}page"
    usual = crawled(tmp_path, {page: PAGE}, content_method="quark")[page]
    ours = crawled(tmp_path, {page: PAGE}, content_method=path)[page]
    assert (usual["content_method"], ours["content_method"]) == ("quark", "thesis")
    assert NEAR in usual["content_text"]
    assert NEAR not in ours["content_text"]
    tags = [{block["tag"] for block in row["blocks"]} for row in (usual, ours)]
    assert "p" in tags[1] - tags[0]
    n_blocks = []
    for more in ("", "custom_patterns = ['^发布时间']\n"):
        path.write_text(f'method = "quark"\n[blocks]\nripe_chars = 5000\n{more}')
        n_blocks.append(len(crawled(tmp_path, {page: PAGE}, content_method=path)[page]["blocks"]))
    assert n_blocks[0] < n_blocks[1]
    n = len(FEATURES)
    Priors(0.001, (0.5,) * n, (0.5,) * n, "nothing is content").save(tmp_path / "priors.json")
    path.write_text('method = "quark"\n[options]\npriors = "priors.json"\n')
    assert LONG in usual["content_text"]
    assert not crawled(tmp_path, {page: PAGE}, content_method=path)[page]["content_text"]


@pytest.mark.full
@pytest.mark.parametrize(
    ("second", "setting"),
    [
        (FIRST + TAIL * 4, {"near_length_ratio": "1.3"}),
        (FIRST.replace("索引擎。正式", "索引击。发式") + TAIL * 3, {"near_slack": "2"}),
    ],
)
def test_a_and_slack_of_the_feature_code(tmp_path, second, setting):
    pages = {f"{HOME}a": f"<p>{FIRST + TAIL * 3}", f"{HOME}b": f"<p>{second}"}
    marked = [
        {url for url, row in crawled(tmp_path, pages, near_method="featurecode-2004", **more).items()
         if row.get("near_of")} for more in ({}, setting)
    ]  # fmt: skip
    assert not marked[0]
    assert len(marked[1]) == 1


@pytest.mark.full
def test_the_buffer_of_unknown_pages(tmp_path):
    """Nine pages are unknown; a buffer of nine makes a template of them, one of 500 waits."""
    pages = {page.url: page.html for page in (post(k, k % 3, "a.cn") for k in range(8))}
    files = {"template_file": tmp_path / "t.json", "template_unknown": tmp_path / "u.jsonl"}
    crawled(tmp_path, pages, **files)
    assert not (tmp_path / "t.json").exists()
    assert len((tmp_path / "u.jsonl").read_text().splitlines()) == 9
    (tmp_path / "u.jsonl").unlink()
    crawled(tmp_path, pages, **files, template_buffer_pages=9)
    (found,) = read_templates(tmp_path / "t.json").templates
    assert (found.n_pages, found.buffer_pages) == (8, 9)


@pytest.mark.parametrize(
    ("values", "wrong"),
    [
        ({"near_method": "featurecode", "near_slack": 3}, "near_slack must be at most 2"),
        ({"near_method": "featurecode", "near_length_ratio": 0.9}, "must be at least 1"),
        ({"near_method": "simhash", "near_slack": 2}, "need a near_method by feature codes"),
        ({"near_length_ratio": 1.2}, "need a near_method by feature codes"),
        ({"template_buffer_pages": 9}, "needs template_unknown"),
        ({"template_unknown": "u", "template_buffer_pages": 0}, "must be at least 1"),
    ],
)
def test_what_is_wrong_is_said_before_the_crawl(values, wrong):
    with pytest.raises(ConfigError, match=wrong):
        CrawlConfig.from_mapping(values)
