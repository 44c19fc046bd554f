"""The wheel: one top-level package, and a crawl from it in an empty folder."""

import os
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

from hatch_build import SHARED, SUFFIX, modules
from quarkcrawl.lab.mockweb import ServerProcess
from tests.crawl.harness import host_map
from tests.project.starter import Starter

pytestmark = [pytest.mark.full, pytest.mark.timeout(600)]

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def dist(tmp_path_factory):
    """Wheel and sdist."""
    folder = tmp_path_factory.mktemp("dist")
    build = [sys.executable, "-m", "build", "--wheel", "--sdist", "--no-isolation"]
    done = subprocess.run([*build, "--outdir", str(folder), str(ROOT)], capture_output=True,
                          text=True, check=False)  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture(scope="module")
def wheel(dist):
    (path,) = dist.glob("*.whl")
    return path


def test_wheel_and_sdist_are_what_an_index_takes(dist, wheel):
    check = [sys.executable, "-m", "twine", "--no-color", "check", "--strict", *dist.iterdir()]
    done = subprocess.run(check, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("PASSED") == 2
    contents = Path(sys.executable).with_name("check-wheel-contents")
    done = subprocess.run([contents, wheel], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    (sdist,) = dist.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    for needed in ("README.md", "README.zh.md", "LICENSE", "CHANGELOG.md", "docs/conf.py",
                   "docs/guides/spider.md", "tests/conftest.py", "compose.yaml", "hatch_build.py",
                   "quarkcrawl/page/loops.pxd"):  # fmt: skip
        assert needed in names
    compiled = [name for name in names if name.endswith((".so", ".c"))]
    assert compiled == ["tests/crawl/jobs/recorder.c"]
    assert not any(name.startswith(("docs/reference/", "benchmarks/out")) for name in names)


def test_the_only_top_level_package_is_quarkcrawl(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.split("/")[0] for name in names}
    assert {t for t in tops if not t.endswith(".dist-info")} == {"quarkcrawl"}
    for needed in ("scrapy.cfg", "spiders/cwt.py", "pipelines/page_dat.py", "seeds/README.md"):
        assert f"quarkcrawl/_project/{needed}" in names
    assert "quarkcrawl/py.typed" in names


def test_the_wheel_is_for_this_platform_and_holds_every_loop_compiled(wheel):
    *_, python, abi, platform = wheel.stem.split("-")
    assert (python, abi) == (f"cp{sys.version_info[0]}{sys.version_info[1]}",) * 2
    assert platform != "any"
    names = {*zipfile.ZipFile(wheel).namelist()}
    made = {module.replace(".", "/") for module in (*modules(), SHARED)}
    assert {name for name in names if name.endswith(SUFFIX)} == {name + SUFFIX for name in made}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("b.HEADERS = Path('/nowhere')",
         "/nowhere/Python.h is missing; Debian: apt-get install python3-dev\n"),
        ("b.c_compiler = b.find_spec = lambda *_: None",
         "there is no C compiler; Debian: apt-get install gcc; or: pip install ziglang\n"),
    ],
)  # fmt: skip
def test_what_compiling_lacks_is_named(change, said):
    code = f"import hatch_build as b\nfrom pathlib import Path\n{change}\nb.build(force=True)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True,
                          check=False)  # fmt: skip
    assert done.returncode == 1
    assert done.stderr == said


def test_the_wheel_has_every_file_of_the_package(wheel):
    listed = subprocess.run(["git", "ls-files", "quarkcrawl"], cwd=ROOT, capture_output=True,
                            text=True, check=True)  # fmt: skip
    kept = {name for name in listed.stdout.splitlines() if (ROOT / name).exists()}
    assert "quarkcrawl/content/lines/default_model.npz" in kept
    assert not kept - set(zipfile.ZipFile(wheel).namelist())


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """A fresh environment with the wheel; third-party packages come from the running one."""
    folder = tmp_path_factory.mktemp("venv")
    venv.create(folder, with_pip=False)
    site = next((folder / "lib").glob("python*/site-packages"))
    zipfile.ZipFile(wheel).extractall(site)
    shared = [p for p in sys.path if p.endswith("site-packages")]
    (site / "shared.pth").write_text("\n".join(shared) + "\n")
    return folder / "bin" / "python"


def run(python: Path, *words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    # -P: the current folder is not on the path, so the checkout cannot be what is imported.
    # Scrapy notes in the environment which project it was asked of: by a test of this process, ours.
    others = {name: value for name, value in os.environ.items() if not name.startswith("SCRAPY_")}
    return subprocess.run([python, "-P", "-m", *words], cwd=cwd, capture_output=True, text=True,
                          check=False, timeout=400, env=others)  # fmt: skip


def test_crawl_works_in_an_empty_folder(installed, tmp_path):
    code = "import quarkcrawl; print(quarkcrawl.__file__)"
    where = subprocess.run([installed, "-P", "-c", code], cwd=tmp_path, capture_output=True,
                           text=True, check=True)  # fmt: skip
    assert str(ROOT / "quarkcrawl") not in where.stdout
    empty = tmp_path / "empty"
    empty.mkdir()
    hosts = tmp_path / "hosts.txt"
    hosts.write_text("www.wheel.example\n")
    pages = {
        "http://www.wheel.example/": "<a href=/a>甲</a>",
        "http://www.wheel.example/a": "<p>乙",
    }
    with ServerProcess.for_pages(pages) as server:
        done = run(installed, "quarkcrawl", "crawl", str(hosts), "--out", "corpus", "--quiet",
                   "--delay-s", "0", "--set", f"host_map={host_map(server)}",
                   cwd=empty)  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert '"pages": 2' in done.stdout
    assert sorted(p.name for p in empty.iterdir()) == ["corpus"]


def test_scrapy_list_of_another_project_shows_no_spider_of_ours(installed, tmp_path):
    project = tmp_path / "theirs"
    (project / "spiders").mkdir(parents=True)
    (project / "spiders" / "__init__.py").touch()
    (project / "spiders" / "own.py").write_text(
        "import scrapy\n\n\nclass Own(scrapy.Spider):\n    name = 'own'\n"
    )
    (project / "their_settings.py").write_text('SPIDER_MODULES = ["spiders"]\n')
    (project / "scrapy.cfg").write_text("[settings]\ndefault = their_settings\n")
    done = run(installed, "scrapy", "list", cwd=project)
    assert done.stdout.split() == ["own"], done.stderr


def test_config_new_makes_a_project_that_scrapy_understands(installed, tmp_path):
    made = run(installed, "quarkcrawl", "config", "new", "mine", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    (tmp_path / "mine" / "quarkcrawl.toml").write_text('[crawl]\nlevels = 2\ntimeout_s = "3 s"\n')
    listed = run(installed, "scrapy", "list", cwd=tmp_path / "mine")
    assert listed.stdout.split() == ["cwt", "seeds"], listed.stderr
    shown = run(installed, "quarkcrawl", "config", "show", cwd=tmp_path / "mine")
    assert "levels = 2" in shown.stdout
    assert "timeout_s = 3.0" in shown.stdout
    again = run(installed, "quarkcrawl", "config", "new", "mine", cwd=tmp_path)
    assert again.returncode == 2
    assert "mine" in again.stderr


def test_the_script_scrapy_runs_the_code_of_the_starter(installed, tmp_path):
    """Also beside packages of the same names, as other wheels bring them."""
    for name in ("spiders", "pipelines"):
        (tmp_path / "others" / name).mkdir(parents=True)
        (tmp_path / "others" / name / "__init__.py").touch()
    env = {**os.environ, "PYTHONPATH": str(tmp_path / "others")}
    starter = Starter(tmp_path / "mine", env, installed)
    starter.assert_lists_its_spiders()
    starter.assert_crawls_with_its_code()


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_an_empty_environment_needs_the_wheel_only(wheel, tmp_path):
    """pip install dist/*.whl, then quarkcrawl demo, as a new user does."""
    venv.create(tmp_path / "env", with_pip=True)
    done = subprocess.run([tmp_path / "env" / "bin" / "pip", "install", "--quiet", wheel],
                          capture_output=True, text=True, check=False)  # fmt: skip
    assert done.returncode == 0, done.stderr
    done = subprocess.run([tmp_path / "env" / "bin" / "quarkcrawl", "demo"], cwd=tmp_path,
                          capture_output=True, text=True, check=False)  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "documents of" in done.stdout
