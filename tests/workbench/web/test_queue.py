"""What is marked next: blind, by disagreement, without what is marked, with what was skipped last."""

from __future__ import annotations

from quarkcrawl.lab.evaluate import extractor
from quarkcrawl.workbench.web.documents import DocumentSource
from quarkcrawl.workbench.web.gold import NO_NOTE, GoldFolder
from quarkcrawl.workbench.web.http import ApiError
from quarkcrawl.workbench.web.queue import MarkingQueue

IDS = [f"{n:016x}" for n in range(6)]
MADE = {"body": b"<p quark=noise>x", "chars": [1], "n_marks": 1, "passages": [], "pieces": {}}


class Worker:
    """Answers for the process that reads pages; ``bad`` crashes it."""

    def __init__(self, bad: str = "") -> None:
        self.bad = bad
        self.asked: list[list[str]] = []

    def ask(self, question, *, documents, methods, limit_s):
        assert (question, methods[:2]) == ("disagreements", ("default", "quark"))
        self.peers = methods[2:]
        self.asked.append([one.id for one in documents])
        if self.bad in self.asked[-1]:
            raise ApiError(503, "crashed")
        return [int(one.id, 16) / 10 for one in documents][:4]


class Pages(dict):
    """The documents; one of them is gone."""

    def __getitem__(self, name):
        if name == IDS[5]:
            raise ApiError(404, "gone")
        return DocumentSource(
            name, f"http://a.cn/{name}", "", n_bytes=2 << 20 if name == IDS[4] else 9
        )


def queue_on(path, worker=None):
    gold = GoldFolder(path)
    gold.save_sample({"ids": IDS})
    return gold, MarkingQueue(worker or Worker(), gold, Pages(), ("default", "quark"))


def mark(gold, name):
    said = {"kinds": ["noise"], "origin": "blank", "order": ""}
    gold.save("anna", DocumentSource(name, "http://a.cn/", ""), said, MADE)


def test_the_blind_order_is_that_of_the_sample(tmp_path):
    gold, queue = queue_on(tmp_path)
    assert queue.of_marker("anna", "blind")["next"] == IDS[0]
    mark(gold, IDS[0])
    mark(gold, IDS[2])
    found = queue.of_marker("anna", "blind", IDS[1])
    assert (found["next"], found["n_left"], found["n_pages"]) == (IDS[3], 4, 6)
    assert queue.of_marker("anna", "blind", IDS[5])["next"] == IDS[1]  # from the beginning again
    assert queue.of_marker("bao", "blind")["next"] == IDS[0]  # of another person nothing is known


def test_skipped_pages_come_last_and_marking_ends_the_skip(tmp_path):
    gold, queue = queue_on(tmp_path)
    for name in IDS[:4]:
        gold.save_note("anna", name, {**NO_NOTE, "is_skipped": True})
    gold.save_note("anna", IDS[4], {**NO_NOTE, "is_flagged": True, "note": "?"})  # is no skip
    assert queue.of_marker("anna", "blind")["next"] == IDS[4]
    mark(gold, IDS[4])
    mark(gold, IDS[5])
    found = queue.of_marker("anna", "blind", IDS[5])
    assert (found["next"], found["n_skipped"], found["n_left"]) == (IDS[0], 4, 4)
    mark(gold, IDS[0])
    assert IDS[0] not in gold.notes("anna")
    for name in IDS[1:4]:
        mark(gold, name)
    assert queue.of_marker("anna", "blind", IDS[3])["next"] == ""


def test_most_disagreement_comes_first_as_far_as_it_is_known(tmp_path):
    worker = Worker()
    gold, queue = queue_on(tmp_path, worker)
    assert queue.order("disagreement") == (IDS, {})
    queue.read_on()
    ids, values = queue.order("disagreement")
    assert ids == [IDS[3], IDS[2], IDS[1], IDS[0], IDS[4], IDS[5]]
    assert values[IDS[4]] == values[IDS[5]] == 0.0  # too large, gone
    assert worker.asked == [IDS[:4]]
    queue.read_on()
    assert len(worker.asked) == 1  # all is known, and kept
    assert MarkingQueue(worker, gold, Pages(), ("default",)).order("disagreement")[0] == ids


def test_a_page_that_crashes_the_reader_does_not_hold_up_the_others(tmp_path):
    gold, queue = queue_on(tmp_path, Worker(bad=IDS[1]))
    for _ in range(4):
        queue.read_on()
    assert gold.disagreements() == {
        IDS[0]: 0.0,
        IDS[1]: 0.0,
        IDS[2]: 0.2,
        IDS[3]: 0.3,
        IDS[4]: 0.0,
        IDS[5]: 0.0,
    }


def test_with_peers_pages_are_compared_anew_and_kept_by_the_version_of_each(tmp_path, monkeypatch):
    worker = Worker()
    gold, queue = queue_on(tmp_path, worker)
    queue.read_on()
    queue.read_on(["turbohtml"])
    assert (worker.peers, worker.asked) == (("turbohtml",), [IDS[:4]] * 2)
    gold.add_disagreements({IDS[0]: 0.9}, f"turbohtml-{extractor('turbohtml').version}")
    assert queue.order("disagreement", ["turbohtml"])[0][0] == IDS[0]
    assert queue.of_marker("anna", "disagreement", peers=["turbohtml"])["next"] == IDS[0]
    assert queue.of_marker("anna", "disagreement")["next"] == IDS[3]  # without it as before
    queue.read_on(["turbohtml"])
    queue.read_on()
    assert len(worker.asked) == 2  # all is known, and kept
    monkeypatch.setattr("importlib.metadata.version", lambda _: "0")
    assert queue.order("disagreement", ["turbohtml"]) == (IDS, {})


def test_what_another_version_found_is_not_believed(tmp_path):
    gold, queue = queue_on(tmp_path)
    queue.read_on()
    file = tmp_path / "disagreement.json"
    file.write_text(file.read_text().replace('"version":"', '"version":"0'))
    assert gold.disagreements() == {}
    file.write_text(file.read_text().replace('"version":"0', '"version":"'))
    assert gold.disagreements() != {}
    file.write_text(file.read_text().replace('"with_peers":{}', '"with_peers":[]'))
    assert gold.disagreements() != {}
    assert gold.disagreements("turbohtml-1") == {}
    file.write_text("[1")
    assert queue.order("disagreement")[1] == {}
