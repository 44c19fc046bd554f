"""A starter project beside a checkout: its own code is what the script ``scrapy`` runs.

The checkout's packages ``spiders`` and ``pipelines`` stand on the path, put there by an editable
install or, where there is none, by PYTHONPATH. A starter of the wheel: test_wheel.py.
"""

import os

import pytest

from tests.crawl.harness import environment
from tests.project.starter import Starter


@pytest.mark.full
def test_the_spider_and_the_edited_stage_of_the_starter_crawl(tmp_path):
    Starter(tmp_path / "mine", environment()).assert_crawls_with_its_code()


@pytest.mark.full
@pytest.mark.parametrize(
    ("env", "below"),
    [(dict(os.environ), ""), (environment(), "spiders")],
    ids=["as installed", "by PYTHONPATH, from a folder below"],
)
def test_the_spiders_of_the_starter_are_listed(tmp_path, env, below):
    Starter(tmp_path / "mine", env).assert_lists_its_spiders(below)
