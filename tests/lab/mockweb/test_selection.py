"""The wide web of seed selection: the same everywhere, true to its plan."""

import subprocess
import sys
from collections import Counter

from quarkcrawl.lab.mockweb import SelectionWeb, plan_selection
from quarkcrawl.lab.mockweb.selection.web import SelectionWeb as Web
from quarkcrawl.lab.mockweb.web import Ask


def test_the_plan_is_the_same_in_every_process_and_names_are_unique():
    code = (
        "from quarkcrawl.lab.mockweb import plan_selection as p; print([h.host for h in p(3, 300)])"
    )
    assert plan_selection(3, 300) == plan_selection(3, 300) != plan_selection(4, 300)
    one = [host.host for host in plan_selection(3, 300)]
    words = [sys.executable, "-c", code]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(one)
    assert 300 <= len(set(one)) == len(one) < 330


def test_every_kind_is_planted():
    kinds = Counter(host.kind for host in plan_selection(1, 1000))
    assert set(kinds) == {
        "site", "hosted", "branch", "alias", "dead", "malformed", "port", "address", "listed",
        "digit", "family",
    }  # fmt: skip
    assert min(kinds.values()) >= 20


def ask(web: Web, url: str, visit: int = 1):
    scheme, _, rest = url.partition("://")
    host, _, target = rest.partition("/")
    return web.respond(Ask(scheme, host, "/" + target, visit=visit))


def test_a_site_has_the_pages_that_the_lists_name_and_no_more():
    web = SelectionWeb(2, 200, most_pages=120)
    site = next(
        h for h in web.plan if h.kind == "site" and h.form == "plain" and web.pages_of(h) > 60
    )
    found = {f"{site.url}{n}" for n in ("", "list/0.html", "list/1.html")}
    for number in range(1, web.pages_of(site)):
        assert ask(web, f"{site.url}page/{number}.html").status == 200
    assert ask(web, f"{site.url}page/{web.pages_of(site)}.html").status == 404
    assert all(ask(web, url).status == 200 for url in found)
    assert Counter(url.split("/")[2] for url in web.urls())[site.host] == web.pages_of(site)


def test_aliases_answer_as_their_site_and_traps_have_no_end():
    web = SelectionWeb(2, 1000)
    names = {host.host: host for host in web.plan}
    alias = next(h for h in web.plan if h.form == "same" and h.kind == "alias")
    assert ask(web, alias.url).body == ask(web, names[alias.of].url, visit=2).body
    moved = next(h for h in web.plan if h.form == "counter")
    assert dict(ask(web, moved.url).headers)["Location"] == names[moved.of].url
    true = names[moved.of].url
    assert ask(web, true, 2).body != ask(web, true, 3).body
    trap = next(h for h in web.plan if h.form == "trap")
    assert b"/calendar/100001.html" in ask(web, f"{trap.url}calendar/100000.html").body
