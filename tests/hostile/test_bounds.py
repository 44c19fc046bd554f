"""What is remembered of hosts is bounded in bytes, not only in hosts: a farm has many."""

from __future__ import annotations

from types import SimpleNamespace

from quarkcrawl.config import CrawlConfig
from quarkcrawl.crawl.campaign import robots, traps
from quarkcrawl.crawl.campaign.robots import RobotsRules
from quarkcrawl.crawl.campaign.traps import TrapGuard
from quarkcrawl.frontier import Candidate
from quarkcrawl.frontier.redis import memory
from quarkcrawl.frontier.redis.memory import HostFacts


def rules_text(host: str, n_chars: int) -> str:
    return f"User-agent: *\nDisallow: /not-on-{host}\n#".ljust(n_chars, "x")


def test_parsed_rules_of_a_farm_are_bounded_and_hold_all_the_same(monkeypatch):
    """What was let go of is read again from the frontier."""
    monkeypatch.setattr(robots, "_CHARS", 10_000)
    kept = {f"h{n}.cn": rules_text(f"h{n}.cn", 3000) for n in range(20)}
    frontier = SimpleNamespace(host=lambda name: SimpleNamespace(robots=kept[name]))
    rules = RobotsRules(frontier, CrawlConfig())
    for host, text in kept.items():
        rules.learn(host, text)
        assert rules._n_chars == sum(known.n_chars for known in rules._parsed.values()) <= 10_000
    for host in kept:
        assert not rules.allows(f"http://{host}/not-on-{host}", host)
        assert rules.allows(f"http://{host}/other", host)
        assert len(rules._parsed) <= 3
    rules.learn("h0.cn", rules_text("h0.cn", 20_000))  # too long, but in use
    assert list(rules._parsed) == ["h0.cn"]


def test_robots_texts_that_a_worker_holds_are_bounded(monkeypatch):
    monkeypatch.setattr(memory, "_CHARS", 10_000)
    facts = HostFacts()
    for n in range(20):
        facts.keep_robots(f"h{n}.cn", "x" * 3000, at=1.0)
        facts.keep_robots(f"h{n}.cn", "y" * 2500, at=2.0)
        texts = [state.robots or "" for state in facts._known.values()]
        assert facts._n_chars == sum(map(len, texts)) <= 10_000
        assert facts.get(f"h{n}.cn").robots == "y" * 2500
    # A host that was let go of is asked of the server before it is leased again.
    facts.learn("h0.cn", [None] * 8 + [1.0, 1.0, 5.0], 0.0)
    assert facts.wanted() == ["h0.cn"]


def test_patterns_of_urls_are_bounded_and_a_trap_is_still_seen(monkeypatch):
    """Names with digits in them have a pattern each; a calendar among them has one."""
    monkeypatch.setattr(traps, "_PATTERNS", 300)
    guard = TrapGuard(CrawlConfig(pattern_pages=50))
    letters = "abcdefghijklmnopqrstuvwxyz"

    def offer(path: str, host: str) -> bool:
        candidate = Candidate(f"http://{host}/{path}", host, 2)
        allowed, _ = guard.sieve([candidate])
        for one in allowed:
            guard.count(one)
        assert guard._n_patterns == sum(map(len, guard._used.values())) <= 300
        return bool(allowed)

    days = 0
    for n in range(3000):
        word = letters[n % 26] + letters[n // 26 % 26] + letters[n // 676]
        assert offer(f"{word}1", "a.cn")
        days += offer(f"day{n}", "a.cn") if n % 4 == 0 else 0
    assert days < 70  # 50, and what was taken off with each clearing
    for host in ("b.cn", "c.cn"):  # others push out what was seen longest ago
        for n in range(200):
            offer(f"{letters[n % 26]}{letters[n // 26]}1", host)
    assert list(guard._used) == ["c.cn"]
