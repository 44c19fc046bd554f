"""The spam-domain list against a naive oracle and against bad files."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarkcrawl.errors import InputError
from quarkcrawl.select import SpamList

labels = st.sampled_from(["a", "b", "www", "spam", "com", "cn", "x-1"])
hosts = st.lists(labels, min_size=1, max_size=5).map(".".join)


@given(st.lists(hosts, max_size=5), hosts)
def test_domain_matching_equals_a_suffix_search(domains, host):
    expected = any(host == d or host.endswith("." + d) for d in domains)
    assert (SpamList.parse(domains).match(host) is not None) == expected


def test_port_and_case_do_not_matter():
    spam = SpamList.parse(["Spam.Example"])
    assert spam.match("WWW.SPAM.example:8080") == "spam.example"


def test_comments_and_blank_lines_are_skipped():
    assert len(SpamList.parse(["# all", "", "  ", "a.com # why", "re:x{2,}$"])) == 2


@pytest.mark.parametrize("line", ["http://a.com/", "a b", "re:("])
def test_a_malformed_line_is_named(tmp_path, line):
    path = tmp_path / "spam.txt"
    path.write_text(f"ok.com\n{line}\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"spam\.txt:2"):
        SpamList.load(path)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(InputError, match=r"none\.txt"):
        SpamList.load(tmp_path / "none.txt")
