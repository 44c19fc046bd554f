"""Jobs on pages as tasks of a local cluster, Ray's and Spark's: the rows of one run."""

from __future__ import annotations

import importlib.util
import shutil

import pytest

from quarkcrawl.corpus import pagetable
from quarkcrawl.corpus.archive import archive_task, extract_archive
from quarkcrawl.corpus.near import find_near, near_task
from quarkcrawl.corpus.tasks import AllTasks
from quarkcrawl.engines import DuckEngine, RayCluster, SparkEngine
from quarkcrawl.errors import ConfigError, StoreError
from quarkcrawl.refine import RefineOptions, refine_corpus, refine_on_cluster
from tests.corpus.archive.commoncrawl import make_archive
from tests.corpus.archive.test_extract import HERE, QUARK, rows_of
from tests.corpus.near.test_astasks import groups
from tests.corpus.near.test_astasks import make_corpus as make_near
from tests.corpus.near_stages import make_texts
from tests.corpus.tasks import pagetables
from tests.corpus.tasks.processes import IN_PROCESS, small_parts
from tests.refine import corpora as refined
from tests.refine.test_job import labels

pytestmark = [
    pytest.mark.timeout(900),
    pytest.mark.full,
    pytest.mark.filterwarnings("ignore"),  # Ray's own
]


@pytest.fixture(scope="module")
def ray():
    if importlib.util.find_spec("ray") is None:
        pytest.skip("ray is not installed (extra ray)")
    with RayCluster(n_cores=2) as cluster:
        yield cluster


@pytest.fixture(scope="module")
def spark(cluster_process):
    cluster_process.ready()
    with SparkEngine(cluster_process.url, settings={"spark.executor.memory": "512m"}) as engine:
        yield engine


@pytest.fixture(params=["ray", "spark"])
def cluster(request):
    return request.getfixturevalue(request.param)


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """A corpus with models, and its classes and fields as one task makes them."""
    folder = tmp_path_factory.mktemp("pages")
    pagetables.make_corpus(folder / "corpus", 30)
    pagetables.make_models(folder)
    one = folder / "one"
    expected = {}
    for kind in pagetables.KINDS:
        pagetables.task(kind, folder / "corpus", folder, 0, 1, out=one)
        expected[kind] = pagetables.rows(kind, folder / "corpus", one)
    return folder, expected


@pytest.mark.parametrize("kind", pagetables.KINDS)
def test_classes_and_fields(cluster, pages, kind, tmp_path, monkeypatch):
    small_parts(monkeypatch, pagetable)
    folder, expected = pages
    root, model = folder / "corpus", pagetables.model_of(kind, folder)
    do = pagetables.FUNCTIONS[kind]
    how = {"out": tmp_path, "pool": IN_PROCESS}
    do(root, model, (1, 5), **how)  # by hand, before
    with pytest.raises(ConfigError, match="under way are 5 tasks, not 4"):
        do(root, model, AllTasks(cluster, 4), **how)
    report = do(root, model, AllTasks(cluster), **how)
    assert (report.task, report.n_tasks, report.missing) == (None, 5, 0)
    assert report.rows == len(expected[kind]) == 30
    assert pagetables.rows(kind, root, tmp_path) == expected[kind]
    assert do(root, model, AllTasks(cluster, 2), **how).n_tasks == 2  # anew, as one run would
    assert pagetables.rows(kind, root, tmp_path) == expected[kind]


def test_labels(cluster, tmp_path):
    root = tmp_path / "corpus"
    refined.make_corpus(root)
    refined.extract(root)
    one = shutil.copytree(root, tmp_path / "one")
    options = RefineOptions()
    with DuckEngine(memory_bytes=256 << 20, threads=1) as engine:
        ours = refine_corpus(engine, one, options, pool=refined.POOL)
        tasks = AllTasks(cluster, 3)
        theirs = refine_on_cluster(engine, root, options, tasks, pool=refined.POOL)
        assert labels(root) == labels(one)
        names = ("documents", "without_text", "done_before", "labelled", "failures", "repeats")
        assert [getattr(theirs, name) for name in names] == [getattr(ours, name) for name in names]
        again = refine_on_cluster(engine, root, options, tasks, pool=refined.POOL)
        assert (again.labelled, again.done_before) == (0, ours.labelled)
        anew = refine_on_cluster(engine, root, options, tasks, pool=refined.POOL, restart=True)
        assert (anew.labelled, anew.done_before) == (ours.labelled, 0)
    assert labels(root) == labels(one)


def test_fingerprints(cluster, tmp_path):
    root = tmp_path / "corpus"
    make_near(root, make_texts(150))
    one = shutil.copytree(root, tmp_path / "one")
    find_near(one, least_chars=0)
    report = near_task(root, AllTasks(cluster, 4), least_chars=0)
    assert (report.task, report.missing) == (None, 0)
    find_near(root, least_chars=0)
    assert groups(root, "default") == groups(one, "default") != []


@pytest.mark.parametrize("source", ["paths", "index"])
def test_an_archive(cluster, tmp_path, source):
    archive = make_archive(tmp_path / "cc", n_files=5, n_pages=12, damaged_every=10, n_hosts=20)
    given = ([str(getattr(archive, source))], QUARK)
    how = {"base": str(archive.root), "pool": HERE}
    extract_archive(given[0], tmp_path / "one", given[1], **how)
    report = archive_task(given[0], tmp_path / "all", given[1], AllTasks(cluster), **how)
    assert (report.task, report.missing) == (None, 0)
    assert report.n_tasks == (5 if source == "paths" else cluster.n_cores)
    expected = rows_of(tmp_path / "one")
    assert rows_of(tmp_path / "all") == expected
    assert len(expected) > 40


def test_a_file_of_an_archive_that_cannot_be_read(cluster, tmp_path):
    archive = make_archive(tmp_path / "cc", n_files=3, n_pages=4, damaged_every=99, n_hosts=4)
    gone = sorted(archive.root.rglob("*.warc.gz"))[1]
    gone.rename(tmp_path / "kept")
    given = ([str(archive.paths)], tmp_path / "rows", QUARK, AllTasks(cluster, 2))
    with pytest.raises(StoreError, match=f"{gone.name}: .*1 files, all others are done"):
        archive_task(*given, base=str(archive.root), pool=HERE)
    some = rows_of(tmp_path / "rows")
    (tmp_path / "kept").rename(gone)
    assert archive_task(*given, base=str(archive.root), pool=HERE).rows > 0
    extract_archive(given[0], tmp_path / "one", QUARK, base=str(archive.root), pool=HERE)
    expected = rows_of(tmp_path / "one")
    assert rows_of(tmp_path / "rows") == expected
    assert set(some) == {
        url for url, row in expected.items() if gone.name not in row["warc_filename"]
    }
