"""Links that were offered lately are left out, unless they are offered at a lower level."""

from hypothesis import given
from hypothesis import strategies as st

from quarkcrawl.frontier import offered
from quarkcrawl.frontier.offered import OfferedLinks

CALLS = st.lists(
    st.tuples(st.lists(st.sampled_from("abcdef")), st.sampled_from("xy"), st.integers(1, 4))
)


@given(calls=CALLS)
def test_what_was_offered_at_a_level_is_not_offered_at_it_or_a_higher_one_again(calls):
    links, lowest = OfferedLinks(), {}
    for urls, host, level in calls:
        wanted = []
        for url in urls:
            if level < lowest.get((host, url), 99):
                lowest[host, url] = level
                wanted.append(url)
        assert links.sift(urls, host, level) == wanted
    links.clear()
    assert links.sift(["a"], "x", 9) == ["a"]


def test_hosts_seen_longest_ago_are_forgotten(monkeypatch):
    monkeypatch.setattr(offered, "_MOST_LINKS", 4)
    links = OfferedLinks()
    links.sift("ab", "x", 1)
    links.sift("ab", "y", 1)
    assert links.sift("ab", "x", 1) == []
    links.sift("abc", "z", 1)
    assert links.sift("abc", "z", 1) == []
    assert links.sift("ab", "y", 1) == ["a", "b"]
