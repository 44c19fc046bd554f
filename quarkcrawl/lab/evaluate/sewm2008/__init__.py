"""The two tasks of SEWM 2008: finding topic pages, and their content."""

from quarkcrawl.lab.evaluate.sewm2008.finder import (
    StoredPage,
    find_content,
    find_topics,
    stored_page,
)
from quarkcrawl.lab.evaluate.sewm2008.finding import (
    ContentGold,
    ContentResult,
    content_gold,
    score_content,
    score_page,
)
from quarkcrawl.lab.evaluate.sewm2008.grades import Grade, GradeReport
from quarkcrawl.lab.evaluate.sewm2008.runfile import (
    ContentRun,
    TopicRun,
    read_content_run,
    read_topic_run,
    write_content_run,
    write_topic_run,
)
from quarkcrawl.lab.evaluate.sewm2008.tables import (
    content_json,
    content_table,
    topic_json,
    topic_table,
)
from quarkcrawl.lab.evaluate.sewm2008.topic import TopicResult, score_topic, topic_gold

__all__ = [
    "ContentGold",
    "ContentResult",
    "ContentRun",
    "Grade",
    "GradeReport",
    "StoredPage",
    "TopicResult",
    "TopicRun",
    "content_gold",
    "content_json",
    "content_table",
    "find_content",
    "find_topics",
    "read_content_run",
    "read_topic_run",
    "score_content",
    "score_page",
    "score_topic",
    "stored_page",
    "topic_gold",
    "topic_json",
    "topic_table",
    "write_content_run",
    "write_topic_run",
]
