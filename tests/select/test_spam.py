"""The spam-domain list against a naive oracle and against bad files."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quarkcrawl.errors import InputError
from quarkcrawl.select import SpamList
from tests.profiles import examples

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


KNOWN = ["^a[0-9]", "spam$", r"^www[.]", "(?P<n>x)", "(?i)SPAM"]
UNKNOWN = ["^(?=www)", r"(.)\1", "(?<!x)-1"]  # to RE2, which joins the others


@settings(max_examples=examples(30))
@given(st.lists(st.sampled_from(KNOWN + UNKNOWN), max_size=9), st.lists(hosts, max_size=9))
def test_many_hosts_at_once_are_matched_as_one_by_one(patterns, names):
    spam = SpamList.parse(["b.com", *(f"re:{pattern}" for pattern in patterns)])
    assert spam.match_all(names) == [spam.match(name) for name in names]


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(InputError, match=r"none\.txt"):
        SpamList.load(tmp_path / "none.txt")


def test_a_byte_order_mark_is_no_part_of_the_first_pattern(tmp_path):
    path = tmp_path / "spam.txt"
    path.write_text("spam.cn\n", encoding="utf-8-sig")
    assert SpamList.load(path).match("www.spam.cn") == "spam.cn"
