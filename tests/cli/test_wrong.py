"""Wrong inputs to every command: one line in one style, the right exit code, nothing changed."""

from __future__ import annotations

import hashlib
import random
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from docs.generate import commands
from quarkcrawl.cli import main
from tests.corpus.corpora import add_pages
from tests.crawl.harness import environment

COMMANDS = [name.removeprefix("quarkcrawl ") for name, _ in commands()]
STYLE = re.compile(r"quarkcrawl: [^\n]*[^\s:;]: [^\n]+\n")
NO_ARGUMENT = {"demo", "serve", "evaluate dedup", "select check", "select filter", "select report",
               "config show"}  # fmt: skip
"""Commands that run without an argument."""

CASES = """
2 demo --out full | full
2 demo --out text.txt | text.txt
2 campaign none.toml | none.toml
2 campaign junk.bin | junk.bin
2 campaign broken.toml | broken.toml
2 campaign unknown.toml | unknown.toml
2 campaign nostep.toml | nostep.toml
2 campaign full | full
2 campaign campaign.toml --until nostep | --until
2 campaign campaign.toml --from nostep --dry-run | --from
2 campaign campaign.toml --skip nostep | --skip
2 crawl none.txt --out new | none.txt
2 crawl empty.txt --out new | empty.txt
2 crawl full --out new | full
2 crawl hosts.txt --out new --levels none | --levels
2 crawl hosts.txt --out new --levels 0 | --levels
2 crawl hosts.txt --out new --delay-s -1 | --delay-s
2 crawl hosts.txt --out new --concurrency 0 | --concurrency
2 crawl hosts.txt --out new --workers -1 | --workers
2 crawl hosts.txt --out new --set levels | --set
2 crawl hosts.txt --out new --set level=2 | level
2 crawl hosts.txt --out new --set delay_s=soon | delay_s
2 crawl hosts.txt --out new --set max_body_bytes=1XB | max_body_bytes
2 crawl hosts.txt --out new --redis server | server
2 extract none.html | none.html
2 extract junk.bin | junk.bin
2 extract junk.html | junk.html
2 extract picture.png | picture.png
2 extract none.warc.gz --out new | none.warc.gz
2 extract junk.warc.gz --out new | junk.warc.gz
2 extract junk.parquet --out new | junk.parquet
2 extract full | full
2 extract page.html --method none | none
2 extract page.html --method none.toml | none.toml
2 extract page.html --method broken.toml | broken.toml
2 extract page.html --rules none.toml | none.toml
2 extract page.html --rules broken.toml | broken.toml
2 extract page.html --format xml | --format
2 extract page.html page.html --format html | --format
2 extract page.html --url nonsense | --url
2 extract page.html --task 1/2 | --task
2 extract page.html --host a.cn | --host
2 extract page.html --workers 3 | --workers
2 extract page.html --restart | --restart
2 extract page.html --out new | --out
2 extract page.html --site-pages 9 | --site-pages
2 extract page.html --failures | --failures
2 extract page.html --blocks | --blocks
2 extract page.html --engine spark | --engine
2 extract corpus --format json | --format
2 extract corpus --title | --title
2 extract corpus --url http://a.cn/ | --url
2 extract corpus --task 2/2 | --task
2 extract corpus --task x | --task
2 extract corpus --task 0/2 --restart | --restart
2 extract corpus --engine dask | --engine
2 extract corpus --spark-master spark://a:1 | --spark-master
2 extract corpus --ray-address a:1 | --ray-address
2 extract corpus --worker-memory much | --worker-memory
2 extract corpus --base x | --base
2 extract corpus page.html | corpus
2 extract corpus --method none | none
2 extract corpus --rules none.toml | none.toml
2 refine none | none
2 refine full | full
2 refine corpus --extraction none | none
2 refine corpus --benchmark none.jsonl | none.jsonl
2 refine corpus --lexicon none.txt | none.txt
2 refine corpus --perplexity junk.bin | junk.bin
2 refine corpus --quality none.npz | none.npz
2 refine corpus --memory 1MiB | --memory
2 refine corpus --memory lots | --memory
2 refine corpus --tasks 3 | --tasks
2 refine corpus --engine ray --task 0/2 | --engine
2 export none --out new | none
2 export full --out new | full
1 export corpus --out new | corpus
2 export corpus --out new --format xml | --format
2 export corpus --out new --without luck | --without
1 export corpus --out new --where "(" | labels
2 export corpus --out new --fields id,moon | --fields
2 export corpus --out new --test 2 | --test
2 export corpus --out new --test 0.6 --validation 0.6 | --validation
2 export corpus --out new --max-file-size 0 | --max-file-size
2 export corpus --out new --tokenizer junk.bin | junk.bin
2 export corpus --out new --partitions 3 | --partitions
2 explain none http://a.cn/ | none
2 explain full http://a.cn/ | full
2 explain corpus http://a.cn/ --dataset none | none
2 explain corpus http://a.cn/ --work none | none
2 explain corpus "" | URL
2 segment none.html | none.html
2 segment junk.bin | junk.bin
2 segment full | full
2 segment page.html --method none | none
2 segment page.html --spans | --spans
2 segment page.html --url ftp://a.cn/ | --url
2 items none.html | none.html
2 items junk.bin | junk.bin
2 items page.html --out new | --out
1 items page.html --format csv --out text.txt | text.txt
2 items page.html --method none | --method
2 render none.html | none.html
2 render page.html --set nothing=1 | nothing
2 render page.html --pdoc 11 | --pdoc
2 render page.html --pdoc 3 | --pdoc
2 mark none.html --method quark | none.html
2 mark junk.bin --method quark | junk.bin
2 mark page.html | --selectors
2 mark page.html --selectors none.txt | none.txt
2 mark page.html --selectors junk.bin | junk.bin
2 mark page.html --method none | none
1 mark page.html --method quark --out none/page.html | none/page.html
2 serve none | none
2 serve full | full
2 serve corpus --port 99999 | --port
2 serve corpus --campaign none | none
2 serve corpus --before none | none
2 serve corpus --templates broken.json | broken.json
2 serve corpus --rules broken.toml | broken.toml
2 serve corpus --work none | none
2 report none | none
2 report full | full
1 report corpus --out none/report.html | none/report.html
2 report corpus --lang fr | --lang
2 report corpus --max-size big | --max-size
2 corpus info none | none
2 corpus info full | full
2 corpus info text.txt | text.txt
2 corpus versions none | none
2 corpus versions full | full
2 corpus settle none | none
2 corpus settle full | full
2 corpus verify none | none
2 corpus verify text.txt | text.txt
2 corpus salvage none | none
2 corpus salvage full --out new | full
2 corpus salvage corpus --out full | full
2 corpus merge none --out new | none
2 corpus merge full --out new | full
2 corpus merge corpus --out full | full
2 corpus near none | none
2 corpus near full | full
2 corpus near corpus --method soundex | --method
2 corpus near corpus --method minhash --max-bits 3 | --max-bits
2 corpus near corpus --max-bits 99 | --max-bits
2 corpus near corpus --slack 3 | --slack
2 corpus near corpus --extraction none | none
2 corpus near corpus --memory 8MiB | --memory
2 corpus near corpus --tasks 4 | --tasks
2 corpus near corpus --engine spark | --engine
2 corpus dedup none | none
2 corpus dedup full | full
2 corpus dedup corpus --method none | --method
2 corpus dedup corpus --engine spark | --engine
2 corpus dedup corpus --partitions 3 | --partitions
2 corpus sample none --out new | none
2 corpus sample full --out new | full
2 corpus sample corpus --out full | full
2 corpus sample corpus --out new --bytes much | --bytes
2 corpus sample corpus --out new --docno {m} | --docno
2 corpus sample corpus --out new --draw 0 | --draw
2 corpus sample corpus --out new --pages 3 --bytes 1MB | pages or bytes
2 corpus stats none | none
2 corpus stats full | full
2 corpus stats corpus --format xls | --format
2 corpus stats corpus --ip-database none.xdb | none.xdb
1 corpus stats corpus --out none/stats.txt | none/stats.txt
2 corpus stats corpus --folder new --format csv | --format
2 corpus stats corpus --lang zh --format json | --lang
2 corpus links none | none
2 corpus links full | full
1 corpus links corpus --out none/links.parquet | none/links.parquet
2 corpus replay none | none
2 corpus replay full | full
2 corpus replay corpus --for-s soon | --for-s
2 corpus export-warc none --out new | none
2 corpus export-warc full --out new | full
2 corpus export-warc text.txt --out new | text.txt
2 corpus export-warc corpus --out full | full
2 corpus export-warc corpus --out new --max-file-size 0 | --max-file-size
2 corpus import-warc none.warc --out new | none.warc
2 corpus import-warc full --out new | full
2 corpus import-warc junk.bin --out new | junk.bin
2 corpus import-warc junk.warc.gz --out new | junk.warc.gz
2 corpus import-warc text.txt --out new | text.txt
2 corpus import-warc page.html --out new | page.html
2 corpus import-warc good.warc --out full | full
2 corpus import-warc good.warc --out new --any-mime --mime text/css | --mime
2 evaluate topic none --method dlut | none
2 evaluate topic junk.bin --method dlut | junk.bin
2 evaluate topic gold.jsonl | --run
2 evaluate topic gold.jsonl --run none.txt | none.txt
2 evaluate topic gold.jsonl --method best | --method
2 evaluate topic gold.jsonl --run a --write-run new | --write-run
2 evaluate content none --method quark | none
2 evaluate content broken.jsonl --method quark | broken.jsonl
2 evaluate content gold.jsonl --method none | none
2 evaluate content gold.jsonl --run junk.bin | junk.bin
2 evaluate content gold.jsonl --unit words --method quark | --unit
2 evaluate extractors none | none
2 evaluate extractors broken.jsonl | broken.jsonl
2 evaluate extractors gold.jsonl --method none | none
2 evaluate extractors gold.jsonl --against none | none
2 evaluate extractors gold.jsonl --max-pages 0 | --max-pages
1 evaluate extractors gold.jsonl --method quark --json-out none/x.json | none/x.json
2 evaluate items none | none
2 evaluate items gold.jsonl --method , | --method
2 evaluate items gold.jsonl --method none | none
2 evaluate dedup none.jsonl | none.jsonl
2 evaluate dedup broken.jsonl | broken.jsonl
2 evaluate dedup --method none | --method
2 evaluate dedup --max-articles 0 | --max-articles
2 evaluate search none | none
2 evaluate search full | full
2 evaluate search corpus --ranks none | none
2 evaluate search corpus --out full | full
2 select count none.txt --work new | none.txt
2 select count junk.parquet --work new | junk.parquet
2 select count junk.bin --work new | junk.bin
1 select count urls.txt --work text.txt | text.txt
2 select count urls.txt --work new --memory 1 | --memory
2 select check --work none | none
2 select check --work full --set nothing=1 | full
2 select filter --work none | none
2 select filter --work full --aliases sha1 | --aliases
2 select filter --work full --outliers none | --outliers
2 select filter --work full --skip none | --skip
2 select filter --work full --spam-list none.txt | none.txt
2 select report --work none | none
2 select report --work full --lang fr | --lang
2 select blocklist none.txt --out new | none.txt
2 select blocklist junk.bin --out new | junk.bin
2 select blocklist urls.txt --keep none.txt --out new | none.txt
1 select blocklist urls.txt --out none/list.txt | none/list.txt
2 train priors none.html --out new | none.html
2 train priors broken.jsonl --out new | broken.jsonl
2 train idf none.jsonl --out new | none.jsonl
2 train idf junk.parquet --out new | junk.parquet
2 train idf gold.jsonl --field none --out new | none
2 train idf text.txt | --out
2 train topic none.jsonl --out new | none.jsonl
2 train topic broken.jsonl --out new | broken.jsonl
2 train topic gold.jsonl --out new --method none | none
2 train perplexity none.txt --out new | none.txt
2 train perplexity junk.parquet --out new | junk.parquet
2 train perplexity text.txt --out new --order 9 | --order
1 train perplexity text.txt --out none/m.npz | none/m.npz
2 train lines none --out new | none
2 train lines full --out new | full
2 train lines gold.jsonl | --out
2 train kinds none --out new | none
2 train importance none --out new | none
2 train importance junk.bin --out new | junk.bin
2 template train none.html --out new | none.html
2 template train full --out new | full
2 template train broken.jsonl --out new | broken.jsonl
2 template train corpus --out new --min-similarity 2 | --min-similarity
2 template train corpus --out new --detail-url x | --detail-url
1 template train corpus --out none/t.json | none/t.json
2 template show none.json | none.json
2 template show broken.json | broken.json
2 template show junk.bin | junk.bin
2 template label none.json 8d1f a=1 | none.json
2 template label broken.json 8d1f a=1 | broken.json
2 template apply none.json page.html | none.json
2 template apply broken.json page.html | broken.json
2 template evaluate none.jsonl | none.jsonl
2 template evaluate broken.jsonl | broken.jsonl
2 template preview none.json page.html | none.json
2 rank pagerank none | none
2 rank pagerank full | full
2 rank pagerank corpus --damping 2 | --damping
2 rank pagerank corpus --engine spark | --engine
2 rank pagerank corpus --engine ray | --engine
2 rank pagerank corpus --personalize none.txt | none.txt
2 rank pagerank corpus --hosts | --hosts
2 rank pagerank corpus --name ../x | --name
2 rank quarkrank none | none
2 rank quarkrank corpus --extraction none | none
2 rank quarkrank corpus --weights heavy | --weights
2 rank blpr full | full
1 rank blpr corpus --plot none/x.svg | none/x.svg
2 rank blpr corpus --plot x.doc | x.doc
2 rank export none --out new | none
2 rank export corpus --out new --level words | --level
1 rank export corpus --out text.txt | text.txt
2 rank webgraph none.txt none.txt --out new | none.txt
2 rank webgraph junk.bin junk.bin --out new | junk.bin
2 rank webgraph junk.gz junk.gz --out new | junk.gz
2 rank compare none a b | none
2 rank compare corpus first second | first
2 frontier status none | none
2 frontier status full | full
1 frontier status redis://127.0.0.1:1 | redis
2 frontier pause none | none
2 frontier resume full | full
2 frontier drain text.txt | text.txt
2 frontier add corpus | HOSTS
2 frontier add full hosts.txt | full
2 frontier add corpus none.txt | none.txt
2 frontier add corpus --start-list x | start list
2 frontier retry corpus corpus | corpora
2 frontier retry full | full
2 frontier retry corpus --reason luck | luck
2 frontier export none | none
2 frontier recover corpus corpus | redis://
1 frontier recover redis://127.0.0.1:1/0#x corpus | redis://127.0.0.1:1/0#x
1 frontier status redis://127.0.0.1:1/0#x | redis://127.0.0.1:1/0#x
2 frontier robots none a.cn | none
2 frontier robots full a.cn | full
2 classify train none.jsonl --model new | none.jsonl
2 classify train broken.jsonl --model new | broken.jsonl
2 classify train gold.jsonl --model new --method none | none
2 classify apply page.html --model none.npz | none.npz
2 classify apply page.html --model junk.bin | junk.bin
2 classify apply page.html --model junk.bin --task 0/2 | --task
2 classify apply corpus --model none.npz | none.npz
2 classify apply full --model junk.bin | full
2 pictures index none | none
2 pictures index full | full
2 pictures search none x | none
2 pictures search corpus x | corpus
2 pictures search corpus x --top 0 | --top
2 config new full | full
2 config new text.txt | text.txt
2 config show more | more
"""

SCRIPT_CASES = """
1 quarkcrawl crawl hosts.txt --out text.txt | text.txt
2 quarkcrawl crawl hosts.txt --out new --replay none.jsonl | none.jsonl
2 quarkcrawl crawl hosts.txt --out new --replay junk.bin | junk.bin
2 quarkcrawl crawl | HOSTS
2 quarkcrawl extract none.html | none.html
2 quarkcrawl corpus info none | none
2 quarkcrawl corpus import-warc junk.bin --out new | junk.bin
2 quarkcrawl nonsense | nonsense
1 scrapy crawl cwt -a hosts=hosts.txt | no corpus folder: -s QUARKCRAWL_OUT=FOLDER
1 scrapy crawl cwt -a hosts=none.txt -s QUARKCRAWL_OUT=new | none.txt: cannot be read
1 scrapy crawl cwt -a hosts=hosts.txt -s QUARKCRAWL_OUT=new -s QUARKCRAWL_DELAY_S=soon | delay_s
"""
"""By a process of their own: what leaves an event loop behind, and some of each kind."""


def parsed(text: str) -> list[tuple[int, list[str], str]]:
    """Lines ``CODE WORDS | WHERE``: the exit code, and what the line has to name."""
    cases = []
    for line in filter(None, text.splitlines()):
        words, _, where = line.partition(" | ")
        code, *rest = shlex.split(words)
        cases.append((int(code), rest, where))
    return cases


BY_SCRIPT = parsed(SCRIPT_CASES)
WRONG = parsed(CASES)
WRONG_USE = [(2, [*name.split(), "--nonsense"], "--nonsense") for name in COMMANDS]
WRONG_USE += [(2, name.split(), name) for name in COMMANDS if name not in NO_ARGUMENT]
WRONG_USE += [(2, ["nonsense"], "nonsense"), (2, ["corpus", "nonsense"], "nonsense")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A corpus, files of all kinds that are what they should be, and files that are not."""
    root = tmp_path_factory.mktemp("wrong")
    add_pages(root / "corpus", range(3))
    (root / "full").mkdir()
    (root / "full" / "thesis.doc").write_text("precious")
    junk = random.Random(31).randbytes(3000)
    for name in ("junk.bin", "junk.html", "junk.warc.gz", "junk.parquet", "junk.gz"):
        (root / name).write_bytes(junk)
    (root / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n" + junk)
    (root / "page.html").write_text("<html><title>t</title><p>" + "words of a page, " * 30)
    (root / "text.txt").write_text("some words\n")
    (root / "empty.txt").write_text("")
    (root / "hosts.txt").write_text("www.example.cn\n")
    (root / "urls.txt").write_text("http://www.example.cn/\n")
    (root / "broken.json").write_text('{"a": ')
    (root / "broken.jsonl").write_text('{"url": "http://a.cn/", "html": \n')
    (root / "broken.toml").write_text("[a\n")
    (root / "unknown.toml").write_text("[campaign]\nnames = 1\n")
    (root / "nostep.toml").write_text("[campaign]\nskip = ['moon']\n")
    (root / "campaign.toml").write_text("[count]\nlists = 'urls.txt'\n")
    (root / "good.warc").write_bytes(
        b"WARC/1.0\r\nWARC-Type: warcinfo\r\nContent-Length: 0\r\n\r\n\r\n\r\n"
    )
    row = '{"url": "http://a.cn/1", "html": "<p quark=content>words</p>", "gold_text": "words", "label": "a", "id": "1"}\n'
    (root / "gold.jsonl").write_text(row)
    return root


def state(folder: Path) -> dict[str, str]:
    """All files with their contents."""
    return {
        str(path.relative_to(folder)): hashlib.md5(path.read_bytes()).hexdigest()
        if path.is_file()
        else "folder"
        for path in sorted(folder.rglob("*"))
    }


def check(code: int, where: str, ended: int, out: str, err: str) -> None:
    assert STYLE.fullmatch(err), err
    if code == 2:
        assert "; " in err, err
    assert where in err
    assert ended == code, err
    assert out == ""


@pytest.mark.full
@pytest.mark.parametrize(("code", "words", "where"), WRONG, ids=str)
def test_what_is_wrong_is_said_in_a_line(folder, monkeypatch, capfd, code, words, where):
    said_in_a_line(folder, monkeypatch, capfd, code, words, where)


@pytest.mark.parametrize(("code", "words", "where"), WRONG_USE, ids=str)
def test_wrong_use_is_said_in_a_line(folder, monkeypatch, capfd, code, words, where):
    said_in_a_line(folder, monkeypatch, capfd, code, words, where)


def said_in_a_line(folder, monkeypatch, capfd, code, words, where):
    monkeypatch.chdir(folder)
    before = state(folder)
    ended = main(words)
    shown = capfd.readouterr()
    check(code, where, ended, shown.out, shown.err)
    assert state(folder) == before


@pytest.mark.full
@pytest.mark.parametrize(("code", "words", "where"), BY_SCRIPT, ids=str)
def test_by_the_installed_script(folder, code, words, where):
    before = state(folder)
    script = Path(sys.executable).with_name(words[0])
    done = subprocess.run(
        [script, *words[1:]], cwd=folder, capture_output=True, text=True, timeout=200, check=False,
        env=environment(SCRAPY_SETTINGS_MODULE="quarkcrawl.crawl.components.settings"),
    )  # fmt: skip
    if words[0] == "quarkcrawl":
        check(code, where, done.returncode, done.stdout, done.stderr)
    else:  # Scrapy's own log and style
        assert where in done.stderr
        assert done.returncode != 0
    assert state(folder) == before


def test_there_are_cases_for_every_command():
    assert len(parsed(CASES)) >= 100
    said = [" ".join(words) for _, words, _ in parsed(CASES)]
    without = [name for name in COMMANDS if not any(one.startswith(f"{name} ") for one in said)]
    assert without == []
