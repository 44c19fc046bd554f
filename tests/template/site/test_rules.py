"""The file of what people taught: read, checked, written without losing what else is in it."""

from __future__ import annotations

import pytest

from quarkcrawl.errors import ConfigError, StoreError
from quarkcrawl.template.site import SiteRule, SiteRules, as_toml, read_rules, write_rules
from quarkcrawl.template.site.rules import MOST_RULES_BYTES

RELATED = SiteRule("a.cn", "noise", "div.related", page="http://a.cn/1.html")
LEAD = SiteRule("a.cn", "content", 'p[title="导语"]', own=True)
OTHER = SiteRule("b.cn", "noise", "table")
ONE_PAGE = SiteRule("a.cn", "noise", "div.related", page="http://a.cn/1.html", page_only=True)


def test_what_was_written_is_read(tmp_path):
    file = tmp_path / "rules.toml"
    write_rules(file, SiteRules((RELATED, LEAD, OTHER, ONE_PAGE)))
    assert read_rules(file) == SiteRules((RELATED, LEAD, OTHER, ONE_PAGE))
    text = file.read_text("utf-8")
    assert 'select = "div.related"' in text
    assert text.startswith("# What people taught")
    assert [path.name for path in tmp_path.iterdir()] == ["rules.toml"]


def test_what_somebody_wrote_by_hand_stays(tmp_path):
    file = tmp_path / "rules.toml"
    head = "# mine\n\n[[rule]]   # the box\nhost='a.cn'\nkind = 'noise'\nselect = '''div.box'''\n\n"
    tail = "# and\n[[ rule ]]\nhost = 'b.cn'\nkind = 'content'\nselect = 'p'\n"
    file.write_text(head + tail, "utf-8")
    known = read_rules(file)
    write_rules(file, known.with_rule(RELATED))
    assert read_rules(file) == SiteRules((*known.rules, RELATED))
    text = file.read_text("utf-8")
    assert head.rstrip() in text
    assert tail.rstrip() in text
    write_rules(file, known.without(known.rules[1].key).with_rule(RELATED))
    text = file.read_text("utf-8")
    assert "# mine" in text
    assert "'b.cn'" not in text
    assert read_rules(file) == SiteRules((known.rules[0], RELATED))


def test_a_layout_that_is_not_ours_is_written_anew(tmp_path):
    file = tmp_path / "rules.toml"
    file.write_text("rule = [{host='a.cn', kind='noise', select='div.box'}]\n", "utf-8")
    known = read_rules(file)
    write_rules(file, known.with_rule(RELATED))
    assert read_rules(file) == SiteRules((*known.rules, RELATED))


def test_a_rule_takes_the_place_of_one_for_the_same_elements():
    changed = SiteRule("a.cn", "content", "div.related")
    assert changed.key == RELATED.key != LEAD.key
    rules = SiteRules((RELATED, OTHER)).with_rule(changed)
    assert rules.rules == (OTHER, changed)
    assert rules.hosts == {"a.cn", "b.cn"}
    assert rules.of("c.cn") == ""
    assert rules.without(changed.key).of("a.cn") == ""
    assert rules.digest != SiteRules((OTHER,)).digest


def test_a_rule_for_one_page_takes_the_place_of_none_for_others():
    elsewhere = SiteRule("a.cn", "noise", "div.related", page="http://a.cn/2.html", page_only=True)
    assert len({ONE_PAGE.key, elsewhere.key, RELATED.key}) == 3
    rules = SiteRules((RELATED,)).with_rule(ONE_PAGE).with_rule(elsewhere)
    assert rules.for_host("a.cn") == (RELATED, ONE_PAGE, elsewhere)
    assert rules.of("a.cn") != SiteRules((RELATED, ONE_PAGE)).of("a.cn")


WRONG = {
    "rule": "is not TOML",
    "[rule]\nhost = 'a.cn'": r"rules are written as \[\[rule\]\]",
    "[[rules]]\nhost = 'a.cn'": "unknown setting 'rules'; did you mean 'rule'",
    "[[rule]]\nhost = 'a.cn'\nkind = 'noise'": "rule 1: select is missing",
    "[[rule]]\nkind = 'noise'\nselect = 'p'": "rule 1: host is missing",
    "[[rule]]\nhost = 'a.cn'\nkind = 'nosie'\nselect = 'p'": "rule 1: kind: 'nosie' is none of",
    "[[rule]]\nhost = 3\nkind = 'noise'\nselect = 'p'": "rule 1: host: 3 is no text",
    "[[rule]]\nhost = 'a.cn'\nkind = 'noise'\nselect = 'p'\nown = 1": "own: 1 is no truth value",
    "[[rule]]\nhost = 'a.cn'\nkind = 'noise'\nselect = 'p'\npage_only = true": "page is missing",
    "[[rule]]\nhost = 'a.cn'\nkind = 'noise'\nselect = 'p'\npage_only = 'x'": "'x' is no truth value",
    "[[rule]]\nhost = 'a.cn'\nkind = 'noise'\nselect = 'p'\nselct = 'p'": "did you mean 'select'",
    "[[rule]]\nhost = 'a.cn'\nkind = 'noise'\nselect = 'div['": "rule 1: select: invalid CSS",
    f"[[rule]]\nhost = 'a.cn'\nkind = 'noise'\nselect = '{'p' * 1001}'": "more than 1000 characters",
}


@pytest.mark.parametrize("text", WRONG, ids=list(WRONG.values()))
def test_a_wrong_file_is_told_in_one_line(tmp_path, text):
    file = tmp_path / "rules.toml"
    file.write_text(text, "utf-8")
    with pytest.raises(ConfigError, match=WRONG[text]) as told:
        read_rules(file)
    assert str(file) in str(told.value)
    assert "\n" not in str(told.value)
    with pytest.raises(ConfigError):
        write_rules(file, SiteRules((OTHER,)))
    assert file.read_text("utf-8") == text


def test_files_that_cannot_be_used(tmp_path):
    with pytest.raises(ConfigError, match="cannot be read"):
        read_rules(tmp_path / "none.toml")
    (tmp_path / "latin.toml").write_bytes(b"# \xe9\n")
    with pytest.raises(ConfigError, match="is not TOML"):
        read_rules(tmp_path / "latin.toml")
    long = tmp_path / "long.toml"
    long.write_bytes(b"#" * (MOST_RULES_BYTES + 1))
    with pytest.raises(ConfigError, match="is longer than"):
        read_rules(long)
    with pytest.raises(StoreError):
        write_rules(tmp_path / "no" / "folder" / "rules.toml", SiteRules((OTHER,)))


def test_it_never_grows_beyond_what_is_read(tmp_path):
    file = tmp_path / "rules.toml"
    write_rules(file, SiteRules((OTHER,)))
    many = tuple(SiteRule(f"{n}.cn", "noise", "p" * 900) for n in range(1200))
    with pytest.raises(ConfigError, match="would be longer"):
        write_rules(file, SiteRules((OTHER, *many)))
    assert read_rules(file) == SiteRules((OTHER,))


@pytest.mark.parametrize("text", ['a"b', "a\\b", "\x7f\t\n\x01", "[[rule]]\nhost", "正文"])
def test_any_text_survives(tmp_path, text):
    file = tmp_path / "rules.toml"
    rule = SiteRule("a.cn", "noise", "p", page=text)
    write_rules(file, SiteRules((OTHER,)))
    write_rules(file, SiteRules((OTHER, rule)))
    assert read_rules(file).rules == (OTHER, rule)
    assert as_toml(rule) in file.read_text("utf-8")
