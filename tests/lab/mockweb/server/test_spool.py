"""The spool against a dictionary."""

from hypothesis import given
from hypothesis import strategies as st

from quarkcrawl.lab.mockweb.server.spool import Spool
from quarkcrawl.lab.mockweb.web import Coding, Fault, MockReply

replies = st.builds(
    MockReply,
    st.integers(100, 599),
    st.lists(st.tuples(st.text(max_size=5), st.text(max_size=9)), max_size=3).map(tuple),
    st.binary(max_size=2000),
    st.floats(0, 9),
    st.floats(0, 9),
    st.none() | st.sampled_from(Fault),
    st.booleans(),
    st.none() | st.sampled_from(Coding),
)


@given(st.lists(st.tuples(st.sampled_from("abc天\ud800"), replies, st.integers(1, 4)), max_size=20))
def test_like_a_dictionary(entries):
    spool, oracle = Spool(), {}
    for key, reply, visit in entries:
        assert spool.add(key, reply, visit) == ((key, visit) not in oracle)
        oracle[key, visit] = reply
    spool.seal()
    for key in "abc天\ud800z":
        for visit in range(1, 6):
            known = [v for k, v in oracle if k == key and v <= visit]
            expected = oracle[key, max(known)] if known else None
            assert spool.get(key, visit) == expected
    assert len(spool) == len({key for key, visit in oracle if visit == 1})
    spool.close()


def test_no_name_on_disk(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    spool = Spool()
    spool.add("a", MockReply(body=b"x" * 100_000))
    spool.seal()
    assert not list(tmp_path.iterdir())
    assert spool.get("a").body == b"x" * 100_000
    spool.close()
