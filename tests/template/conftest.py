"""Templates of a blog, trained once for all tests that look at them."""

import pytest

from quarkcrawl.template.train import train
from tests.template.blogpages import at, listing, post


@pytest.fixture(scope="session")
def pages():
    made = [post(k, comments=k % 4, editor=bool(k % 3)) for k in range(12)]
    return made + [listing(k) for k in range(6)]


@pytest.fixture(scope="session")
def trained(pages):
    return train(pages)


@pytest.fixture(scope="session")
def labeled(trained):
    template = trained.templates.templates[0]
    for name, tag in {"title": "h1", "date": "time", "body": "section", "editor": "address",
                      "comment": "dl"}.items():  # fmt: skip
        template = template.with_label(name, at(template, tag))
    return trained.templates.with_template(template)
