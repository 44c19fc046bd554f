import subprocess
import sys

import pytest

from quarkcrawl.content.methods import METHODS
from quarkcrawl.content.warmup import warm_up
from quarkcrawl.errors import InputError


@pytest.mark.parametrize("method", METHODS)
def test_every_method_can_be_warmed_up(method):
    warm_up(method)


def test_an_unknown_method_is_refused():
    with pytest.raises(InputError, match="quark"):
        warm_up("qark")


@pytest.mark.full
def test_quark_has_its_dictionary_before_the_first_page():
    code = (
        "from quarkcrawl.content.warmup import warm_up; warm_up('quark');"
        "from quarkcrawl.content.quark import tokens; print(tokens.load_dictionary.cache_info().currsize)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "1"


@pytest.mark.full
@pytest.mark.parametrize("method", METHODS)
def test_pages_find_all_loops_compiled(method):
    code = f"""
import gc
from numba.core.dispatcher import Dispatcher
from quarkcrawl.content import extract
from quarkcrawl.content.warmup import warm_up
from quarkcrawl.segment import as_page

warm_up({method!r})
def loaded():
    loops = [found for found in gc.get_objects() if isinstance(found, Dispatcher)]
    return sorted((loop.py_func.__module__, loop.__name__, len(loop.signatures)) for loop in loops)

before = loaded()
text, links = "天网搜集网页，" * 40, "<li><a href=/2008/12345.htm>网页的结构和排序</a>" * 9
related = f"<body><div>{{text}}</div><div><p>{{text}}</div><h2>相关</h2><div><ul>{{links}}</ul></div>"
for html in ("", "<p>abc", related, "<p>天网。<table><td>甲<td>乙<a href=/1>丙</a>", "<div><h1>😀</h1><pre>x</pre>"):
    page = as_page(html * 9, "http://example.com/")
    page.links
    content = extract(page, method={method!r})
    content.blocks, content.topic_probability, content.metadata, content.items
print(len(before) > 5, sorted(set(loaded()) - set(before)))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "[]"]
