"""Public lists of bad sites: each form a line comes in, and what is never taken."""

import gzip
import json

import idna
import pytest

from quarkcrawl.cli import main
from quarkcrawl.errors import InputError
from quarkcrawl.select import BlockList, SpamList


def gathered(tmp_path, *texts, keep=()):
    found = BlockList(SpamList.parse(keep))
    for number, text in enumerate(texts):
        path = tmp_path / f"list-{number}"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        found.read(path)
    return found


LINES = {
    # hosts files
    "0.0.0.0 a.example.com": ["a.example.com"],
    "127.0.0.1\ta.com   b.com # both": ["a.com", "b.com"],
    "::1 a.com": ["a.com"],
    "127.0.0.1 localhost": [],
    "::1 ip6-localhost ip6-loopback": [],
    # domains
    "Spam.COM.": ["spam.com"],
    "*.spam.com": ["spam.com"],
    ".spam.com  # why": ["spam.com"],
    "spam_shop.com": ["spam_shop.com"],
    "北京.cn": ["xn--1lq90i.cn"],
    "xn--1lq90i.cn": ["xn--1lq90i.cn"],
    "spam.com:8080": ["spam.com"],
    # ad blockers
    "||spam.com^": ["spam.com"],
    "||spam.com^$document,important": ["spam.com"],
    "||spam.com^$third-party": [],
    "||spam.com/banner^": [],
    "||ads.*.com^": [],
    "spam.com##.banner": [],
    "! title": [],
    "[Adblock Plus 2.0]": [],
    # dnsmasq, zones
    "address=/spam.com/0.0.0.0": ["spam.com"],
    "server=/a.com/b.com/": ["a.com", "b.com"],
    "local=/spam.com/": ["spam.com"],
    "*.spam.com CNAME .": ["spam.com"],
    "spam.com. 300 IN CNAME rpz-drop.": ["spam.com"],
    # URLs
    "http://www.spam.com/a/b?c=d,e": ["www.spam.com"],
    "hxxps://spam[.]com/x": ["spam.com"],
    "ftp://spam.com/x": ["spam.com"],
    "https://user@spam.com:81/": ["spam.com"],
    '"1","2026-11-01 10:00","http://spam.com/a,b.exe","online"': ["spam.com"],
    # not to be taken
    "0.0.0.0 0.0.0.0": [],
    "0.0.0.0 10.1.2.3": [],
    "http://10.1.2.3/x.exe": [],
    "com.cn": [],
    "spam.nosuchtld": [],
    "two words": [],
    "-bad-.com": [],
    "": [],
}


@pytest.mark.parametrize("line", LINES)
def test_a_line_gives_its_names(tmp_path, line):
    assert gathered(tmp_path, line + "\n").domains() == sorted(LINES[line])
    assert gathered(tmp_path, "\ufeff" + line + "\r\n").domains() == sorted(LINES[line])


def test_columns_are_known_by_their_names_also_in_a_comment(tmp_path):
    urlhaus = '# id,dateadded,url,reporter\n"7","2026-11-01","https://bad.com/x","http://me.org/"\n'
    assert gathered(tmp_path, urlhaus).domains() == ["bad.com"]
    table = "rank,domain,note\n1,spam.com,x\n2,b.com,\n"
    found = gathered(tmp_path, table)
    assert found.domains() == ["b.com", "spam.com"]


def test_names_below_a_listed_one_are_folded_and_each_stands_once(tmp_path):
    found = gathered(
        tmp_path, "a.b.spam.com\nspam.com\nspam.com\nwww.other.com\n", "||b.spam.com^\n"
    )
    assert found.domains() == ["spam.com", "www.other.com"]
    assert found.n_names == 4


def test_exceptions_and_kept_names_are_left_out(tmp_path):
    text = "||good.com^\n@@||good.com^\nhttp://git.example.org/u/x.exe\nbad.com\n"
    found = gathered(tmp_path, text, keep=["example.org"])
    assert found.domains() == ["bad.com"]
    assert found.n_excepted == 1
    assert found.lists[0].counts["kept"] == 1


def test_every_line_is_counted(tmp_path):
    text = "# c\n\nspam.com\n10.0.0.1\ncom.cn\n||x.com^$popup,third-party\nno domain here\n"
    count = gathered(tmp_path, text).lists[0]
    assert count.lines == 7
    assert count.counts == {
        "comment": 2, "name": 1, "address": 1, "suffix": 1, "partial": 1, "unreadable": 1
    }  # fmt: skip
    assert count.unreadable == [(7, "no domain here")]


def test_bytes_of_any_encoding_and_long_lines_are_read(tmp_path):
    raw = "赌场.com\n".encode("gb18030") + b"\xff\xfe\xff\n" + b"x" * 200_000 + b"\nspam.com\n"
    found = gathered(tmp_path, raw)
    assert found.domains() == ["spam.com", idna.encode("赌场.com").decode()]
    assert found.lists[0].counts["unreadable"] == found.lists[0].lines - 2


def test_the_command_writes_a_spam_list(tmp_path, capsys):
    plain, packed, keep = tmp_path / "a.txt", tmp_path / "b.gz", tmp_path / "keep.txt"
    plain.write_text("0.0.0.0 spam.com\nnot a domain\n")
    packed.write_bytes(gzip.compress(b"||bad.com^\nhttp://good.cn/x\n"))
    keep.write_text("good.cn\n")
    out = tmp_path / "spam.txt"
    words = ["select", "blocklist", str(plain), str(packed), "--keep", str(keep), "--out", str(out)]
    assert main(words) == 0
    said = capsys.readouterr()
    summary = json.loads(said.out)
    assert summary["domains"] == summary["names"] == 2
    assert summary["lists"][0] == {"path": str(plain), "lines": 2, "name": 1, "unreadable": 1}
    assert "a.txt:2: no domain: 'not a domain'" in said.err
    spam = SpamList.load(out)
    assert len(spam) == 2
    assert spam.match("www.spam.com") == "spam.com"
    assert spam.match("good.cn") is None


def test_a_damaged_list_leaves_no_file(tmp_path, capsys):
    packed, out = tmp_path / "b.gz", tmp_path / "spam.txt"
    packed.write_bytes(gzip.compress(b"spam.com\n" * 1000)[:-20])
    assert main(["select", "blocklist", str(packed), "--out", str(out)]) == 2
    assert "b.gz" in capsys.readouterr().err
    assert not out.exists()
    with pytest.raises(InputError):
        gathered(tmp_path).read(tmp_path / "missing")
