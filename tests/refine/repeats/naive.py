"""What repeats are, said in the simplest way: all occurrences of everything in dictionaries."""

import unicodedata
from collections import defaultdict

from quarkcrawl.refine.repeats import RepeatedSpan


def paragraphs(documents, least_pages, least_chars):
    """Spans of paragraphs, sorted."""
    places = defaultdict(list)
    hosts = defaultdict(list)
    for number, (_, text, host) in enumerate(documents):
        start = 0
        for line in text.split("\n"):
            paragraph = " ".join(unicodedata.normalize("NFKC", line).split())
            place = (number, start, start + len(line))
            start += len(line) + 1
            if len(paragraph) >= max(least_chars, 1):
                places[paragraph].append(place)
            if paragraph and host:
                hosts[host, paragraph].append(place)
    rows = [
        (place, found[0], "corpus_paragraph") for found in places.values() for place in found[1:]
    ]
    for found in hosts.values():
        if least_pages and len({number for number, _, _ in found}) >= least_pages:
            rows += [(place, found[0], "host_paragraph") for place in found]
    ids = [document[0] for document in documents]
    return [
        RepeatedSpan(ids[number], start, end, ids[first[0]], first[1], reason)
        for (number, start, end), first, reason in sorted(rows, key=lambda row: row)
    ]


def substrings(documents, least_chars):
    """Spans of substrings: each window of so many characters is looked up, then extended."""
    first, spans = {}, []
    texts = [document[1] for document in documents]
    for number, text in enumerate(texts):
        for start in range(len(text) - least_chars + 1):
            first.setdefault(text[start : start + least_chars], (number, start))
    for number, text in enumerate(texts):
        done = 0  # the first window that no span has
        for start in range(len(text) - least_chars + 1):
            source, begin = first[text[start : start + least_chars]]
            if start < done or (source, begin) == (number, start):
                continue
            n = least_chars
            other = texts[source]
            while (
                start + n < len(text)
                and begin + n < len(other)
                and text[start + n] == other[begin + n]
            ):
                n += 1
            one = documents[number][0]
            spans.append(
                RepeatedSpan(one, start, start + n, documents[source][0], begin, "corpus_substring")
            )
            done = start + n - least_chars + 1
    return spans


def longest_common_prefix(one, other):
    n = 0
    while n < min(len(one), len(other)) and one[n] == other[n]:
        n += 1
    return n


def repeated_chars(texts, least_chars):
    """By a suffix array: characters of occurrences, but the first, of what is repeated."""
    suffixes = sorted(
        (text[start:], number, start)
        for number, text in enumerate(texts)
        for start in range(len(text))
    )
    marked = set()
    begin = 0
    for k in range(1, len(suffixes) + 1):
        if (
            k < len(suffixes)
            and longest_common_prefix(suffixes[k - 1][0], suffixes[k][0]) >= least_chars
        ):
            continue
        group = sorted(suffixes[begin:k], key=lambda suffix: suffix[1:])  # with a prefix in common
        # Of each the longest that it has in common with an earlier one.
        for n, (suffix, number, start) in enumerate(group):
            common = max(
                (longest_common_prefix(suffix, other) for other, _, _ in group[:n]), default=0
            )
            marked.update((number, place) for place in range(start, start + common))
        begin = k
    return marked
