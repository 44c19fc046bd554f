"""Idle connections are bounded, whatever hosts and times come."""

from hypothesis import given
from hypothesis import strategies as st

from quarkcrawl.crawl.http.idle import KEEP_S, IdleBudget

VISITS = st.lists(st.tuples(st.integers(0, 30), st.floats(0, 5)), max_size=120)


@given(
    VISITS,
    st.sampled_from([96, 128, 192, 384, 1000]),
    st.sampled_from([(-1, 384), (256, 384), (1024, 384), (1600, 960), (1 << 20, 2048)]),
)
def test_hosts_that_keep_connections_are_as_many_as_there_is_room_for(visits, per_host, limit):
    files, sockets = limit
    budget, now, kept = IdleBudget(per_host, files), 0.0, {}
    for host, wait_s in visits:
        now += wait_s
        if budget.keeps(str(host), now):
            kept[host] = now
        assert sum(at > now - KEEP_S for at in kept.values()) <= max(1, sockets // per_host)


@given(VISITS)
def test_a_host_that_is_used_again_in_time_keeps_its_connection(visits):
    budget, now, kept = IdleBudget(192, 1024), 0.0, {}
    for host, wait_s in visits:
        now += wait_s
        keeps = budget.keeps(str(host), now)
        assert keeps or not kept.get(host, -99) > now - KEEP_S
        if keeps:
            kept[host] = now
