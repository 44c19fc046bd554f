import subprocess
import sys

import pytest

from quarkcrawl.content.extract import METHODS
from quarkcrawl.content.warmup import warm_up
from quarkcrawl.errors import InputError


@pytest.mark.parametrize("method", METHODS)
def test_every_method_can_be_warmed_up(method):
    warm_up(method)


def test_an_unknown_method_is_refused():
    with pytest.raises(InputError, match="quark"):
        warm_up("qark")


def test_quark_has_its_dictionary_before_the_first_page():
    code = (
        "from quarkcrawl.content.warmup import warm_up; warm_up('quark');"
        "from quarkcrawl.content import tokens; print(tokens.load_dictionary.cache_info().currsize)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "1"
