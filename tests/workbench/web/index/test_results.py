"""Lists with facets against a count over the rows of the tables; exports and SQL against lists."""

from __future__ import annotations

import shutil
from collections import Counter

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from quarkcrawl.refine.labels import LABEL_SCHEMA
from quarkcrawl.store import Corpus
from quarkcrawl.workbench.web.index import results
from quarkcrawl.workbench.web.index.facets import FACETS, PAGE_FILTERS
from quarkcrawl.workbench.web.index.fold import fold
from quarkcrawl.workbench.web.index.index import CorpusIndex
from quarkcrawl.workbench.web.index.results import EXPORTED, PageQuery, PageResult
from quarkcrawl.workbench.web.sql.tables import TABLES
from tests.workbench.web.index.test_index import await_rows, stored_rows
from tests.workbench.web.sites import HOSTS


@pytest.fixture(scope="module")
def corpus(made_corpus, tmp_path_factory):
    """A copy with labels, classes and flags as the commands write them."""
    root = shutil.copytree(made_corpus, tmp_path_factory.mktemp("facets") / "corpus",
                           ignore=shutil.ignore_patterns("cleaned"))  # fmt: skip
    rows = sorted(stored_rows(root), key=lambda row: row["url"])
    labels = [
        {"url": row["url"], "host": row["host"], "offset": row["offset"], "language": "zh",
         "n_chars": len(row["content_text"] or "") + (number == 5), "script": "Hans",
         "spam": ["gambling"] if number % 3 == 0 else None, "noindex": number == 1}
        for number, row in enumerate(rows[:10])
    ]  # fmt: skip
    write(pa.Table.from_pylist(labels, LABEL_SCHEMA), root / "analysis" / "labels" / "texts" / "part-000001.parquet")  # fmt: skip
    classes = [
        {"url": row["url"], "offset": row["offset"], "class": "sport", "probability": 0.9}
        for row in rows[:4]
    ]
    write(pa.Table.from_pylist(classes), root / "analysis" / "classes" / "topics.parquet")
    return root


def write(table, path):
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(table, path)


@pytest.fixture(scope="module")
def tables(corpus):
    index = CorpusIndex(corpus)
    index.warm()
    await_rows(index, "SELECT 1")
    yield index
    index.close()


def result(tables, **more):
    return PageResult(tables, PageQuery(**more))


def facet(tables, name, **more):
    (found,) = [one for one in result(tables, **more).facets() if one.name == name]
    return found


def counted(found):
    return {one.value: one.n for one in found.values}


def urls(tables, **more):
    return {row["url"] for row in result(tables, **more).exported(10_000)}


def test_facets_count_what_the_tables_have(tables, corpus):
    rows = stored_rows(corpus)
    for name, column in (("host", "host"), ("page_type", "page_type")):
        wanted = Counter(row[column] for row in rows if row[column])
        found = facet(tables, name)
        assert counted(found) == dict(wanted.most_common(10))
        assert found.n_values == len(wanted)
    years = Counter(row["published"][:4] for row in rows if row["published"])
    assert len(years) > 0
    assert counted(facet(tables, "date")) == years
    topics = Counter({True: "yes", False: "no"}[row["is_topic"]] for row in rows if row["is_topic"] is not None)  # fmt: skip
    assert counted(facet(tables, "topic")) == topics


def test_values_of_a_facet_are_alternatives_and_facets_hold_together(tables, corpus):
    rows = stored_rows(corpus)
    two = f"{HOSTS[0]}|{HOSTS[1]}"
    filters = {"host": two, "topic": "yes"}
    wanted = {row["url"] for row in rows if row["host"] in HOSTS[:2] and row["is_topic"]}
    assert urls(tables, filters=filters) == wanted
    assert result(tables, filters=filters).rows(1).total == len(wanted)
    # hosts are counted under the other condition, all of them, the chosen ones marked
    hosts = facet(tables, "host", filters=filters)
    assert counted(hosts) == Counter(row["host"] for row in rows if row["is_topic"])
    assert {one.value for one in hosts.values if one.is_chosen} == set(HOSTS[:2])
    # and topics under that of the hosts
    assert counted(facet(tables, "topic", filters=filters))["no"] == sum(
        row["host"] in HOSTS[:2] and row["is_topic"] is False for row in rows
    )


def test_months_of_a_year_that_is_chosen_are_counted_and_take_its_place(tables, corpus):
    dates = [row["published"] for row in stored_rows(corpus) if row["published"]]
    year = Counter(date[:4] for date in dates).most_common(1)[0][0]
    found = facet(tables, "date", filters={"date": year})
    months = Counter(date[:7] for date in dates if date.startswith(year) and len(date) >= 7)
    assert {value: n for value, n in counted(found).items() if len(value) == 7} == months
    month = next(iter(months))
    assert found.toggled(month) == month
    assert found.toggled(year) == ""
    narrowed = facet(tables, "date", filters={"date": month})
    assert narrowed.toggled(year) == year
    of_month = result(tables, filters={"date": month}).exported(10_000)
    assert [row["published"][:7] for row in of_month] == [month] * months[month]


def test_labels_classes_and_flags_are_facets(tables):
    assert counted(facet(tables, "labels")) == {
        "script:Hans": 9, "topics:sport": 4, "spam:gambling": 4, "noindex": 1,
    }  # fmt: skip
    spam = result(tables, filters={"labels": "spam:gambling|noindex"}).exported(100)
    assert len(spam) == 5
    assert all({"spam:gambling", "noindex"} & set(row["labels"]) for row in spam)
    assert facet(tables, "labels", filters={"labels": "noindex"}).toggled("spam:gambling") == (
        "noindex|spam:gambling"
    )


def test_labels_of_a_text_that_has_changed_are_not_those_of_the_page(tables):
    """The sixth label was made of a text with another number of characters."""
    n_labeled = sum("script:Hans" in row["labels"] for row in result(tables).exported(10_000))
    assert n_labeled == 9


def test_pages_without_a_value_can_be_asked_for(tables, corpus):
    rows = stored_rows(corpus)
    undated = {row["url"] for row in rows if not row["published"]}
    assert undated
    assert urls(tables, filters={"date": "-"}) == undated
    (none,) = [one for one in facet(tables, "date", filters={"date": "-"}).values if one.is_chosen]
    assert (none.value, none.n) == ("-", len(undated))
    assert urls(tables, filters={"labels": "-"}).isdisjoint(
        urls(tables, filters={"labels": "script:Hans"})
    )


def test_a_facet_without_data_names_the_command_that_makes_it(tables):
    found = {one.name: one for one in result(tables, filters={"host": "no.such.host"}).facets()}
    assert [one.value for one in found["host"].values if one.is_chosen] == ["no.such.host"]
    assert found["labels"].command == "refine"
    assert found["host"].command == ""


@pytest.mark.full
def test_every_filter_takes_hostile_values(tables):
    for name in PAGE_FILTERS:
        for value in ("'", "a'b|\"|--", "?", "%", "x" * 2000, "|", "||-|"):
            for query in ({"filters": {name: value}}, {"filters": {name: value}, "text": "的"}):
                found = result(tables, **query)
                assert found.rows(1).total >= 0
                assert len(found.facets("host")) == len(FACETS)
                assert found.sql()


def test_a_phrase_is_found_as_it_stands_and_words_anywhere(tables, corpus):
    rows = [row for row in stored_rows(corpus) if len(row["content_text"] or "") > 100]
    text = rows[0]["content_text"].splitlines()[0]
    first, second = text[:4], text[8:12]
    phrase = f'"{text[:12]}"'
    assert rows[0]["url"] in urls(tables, text=f"{first} {second}")
    assert rows[0]["url"] in urls(tables, text=phrase)
    assert rows[0]["url"] not in urls(tables, text=f'"{first}{second}"')


@pytest.mark.full
def test_any_form_of_a_word_finds_the_same_and_texts_are_shown_as_they_are(tables, corpus):
    rows = stored_rows(corpus)
    for text in ("学校", "學校", "市场", "市場", "ＷＷＷ"):
        wanted = {
            row["url"]
            for row in rows
            if fold(text) in fold(f"{row['content_title']}\n{row['content_text']}")
        }
        assert urls(tables, text=text) == wanted
    assert urls(tables, text="学校") == urls(tables, text="學校") != set()
    traditional = [row for row in rows if "學校" in (row["content_text"] or "")]
    for row in result(tables, text="学校").rows(1).rows:
        for start, end in row["snippet_hits"]:
            assert fold(row["snippet"][start:end]) == "学校"
        if row["url"] in {one["url"] for one in traditional}:
            assert "學校" in row["snippet"] + row["title"]


def test_relevance_is_an_order_of_a_search_alone(tables):
    search = tables.texts.search(("增长",))
    scores = dict(zip(search.found, search.scores, strict=True))
    by_row = {row["number"]: row["text_row"] for row in tables.rows("SELECT number, text_row FROM pages")}  # fmt: skip
    listed = [
        scores[by_row[row["number"]]]
        for row in result(tables, text="增长", sort="relevance").rows(1).rows
    ]
    assert listed == sorted(listed, reverse=True)
    assert len(set(listed)) > 3
    by_url = result(tables, sort="url").rows(1).rows
    assert result(tables, sort="relevance").rows(1).rows == by_url


def test_the_sql_of_a_list_gives_its_pages(tables):
    """In the same order; the tables are shown as the process for SQL shows them."""
    for query in (
        {"filters": {"host": f"{HOSTS[0]}|{HOSTS[2]}", "topic": "yes"}, "sort": "longest"},
        {"filters": {"labels": "spam:gambling", "date": "-"}},
        {"filters": {"charset": "it's -- ?"}, "part": "a'b?"},
        {"text": "增长", "filters": {"topic": "yes"}},
        {"text": "没有的词"},
    ):
        found = result(tables, **query)
        wanted = [row["id"] for row in found.exported(10_000)]
        with tables._current().cursor() as cursor:
            cursor.execute(f"CREATE TEMP VIEW shown AS SELECT {TABLES['pages']} FROM pages")
            sql = found.sql().replace("FROM pages", "FROM shown")
            ids = [row[0] for row in cursor.execute(sql).fetchall()]
        assert sorted(ids) == sorted(wanted)
        if "text" not in query:
            assert ids == wanted


def test_sql_of_a_large_search_names_the_first_pages_and_says_so(tables, monkeypatch):
    monkeypatch.setattr(results, "SQL_PAGES", 3)
    found = result(tables, text="的", sort="relevance")
    wanted = [row["id"] for row in found.exported(3)]
    sql = found.sql()
    assert sql.startswith("-- the first 3 pages found with: 的\n")
    assert [name for name in wanted if f"'{name}'" in sql] == wanted
    assert sql.count("'") == 6 + 2  # and those of the title


def test_an_export_has_what_is_known_of_each_page_in_the_order_of_the_list(tables, corpus):
    rows = result(tables, sort="longest", filters={"host": HOSTS[0]}).exported(10_000)
    assert [tuple(row) for row in rows] == [EXPORTED] * len(rows)
    chars = [row["content_chars"] for row in rows]
    assert chars == sorted(chars, reverse=True)
    stored = {row["url"]: row for row in Corpus.open(corpus).table("page").to_table().to_pylist()}
    for row in rows:
        assert row["published"] == stored[row["url"]]["published"]
        assert row["body_bytes"] == stored[row["url"]]["body_bytes"]
    assert len(result(tables).exported(7)) == 7
