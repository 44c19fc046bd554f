"""Compile the loops that `quarkcrawl.content.warm_up` does not reach: `make` does so beside it.

Tests would compile them one after the other while others of their processes wait for the code.
"""

import quarkcrawl as qc
from quarkcrawl.dedup import METHODS, group_texts
from quarkcrawl.rank import LinkGraph, iterate, pagerank_flow
from quarkcrawl.template import train

if __name__ == "__main__":
    for method in METHODS:
        group_texts(["天网。" * 99] * 3, method)
    iterate(pagerank_flow(LinkGraph.from_links([0], [1])))
    train([qc.Page.from_html("<ul>" + "<li><p>天网</p>" * n) for n in range(1, 9)])
