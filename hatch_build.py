"""Compiles the loops: every module with a .pxd beside it, by Cython and a C compiler.

A module without a compiled one beside it runs as it stands, to the same results and slowly.

    python hatch_build.py           compile what is not up to date, in place
    python hatch_build.py --check   exit code 1 and a line a module if something is not
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = Path(__file__).resolve().parent
C_FILES = ROOT / "build" / "loops"
SHARED = "quarkcrawl._memoryviews"
"""What all compiled modules need of Cython's arrays, compiled once."""

HEADERS = Path(sysconfig.get_path("include"))
SUFFIX = sysconfig.get_config_var("EXT_SUFFIX")
FLAGS = ["-g0", "-fPIC", "-shared", "-fno-strict-aliasing", "-fwrapv", "-DNDEBUG", "-w"]
LEVELS = {
    "quarkcrawl.dedup.loops": "-O2",
    "quarkcrawl.content.lines.scoring.loops": "-O3",
    "quarkcrawl.rank.webgraph.loops": "-O3",
}
"""Where -O1 is not enough: more makes only what runs in vectors faster, as MD5, trees and counters,
and every module later."""

DIRECTIVES = {
    "language_level": 3,
    "annotation_typing": False,  # the types are in the .pxd
    "infer_types": True,
    "cdivision": False,  # as Python divides
    "boundscheck": False,
    "wraparound": False,
    "initializedcheck": False,
    "embedsignature": False,
}


class CompiledLoops(BuildHookInterface):
    """Adds the compiled loops to a wheel, or puts them into the working tree."""

    def dependencies(self) -> list[str]:
        """Where there is no C compiler, one comes as a wheel."""
        return [] if c_compiler() else ["ziglang>=0.13"]

    def initialize(self, version: str, build_data: dict) -> None:
        """Compile before files are collected."""
        if self.target_name != "wheel":
            return
        build(force=version != "editable")
        build_data["pure_python"] = False
        build_data["infer_tag"] = True
        build_data["artifacts"] += [f"quarkcrawl/**/*{SUFFIX}"]


def c_compiler() -> list[str] | None:
    """The command of the system's C compiler."""
    for name in (os.environ.get("CC"), "cc", "gcc", "clang"):
        if name and shutil.which(name.split()[0]):
            return name.split()
    return None


def modules() -> dict[str, list[Path]]:
    """What is compiled, each with the files that it is made of."""
    made_of = {}
    for path in sorted((ROOT / "quarkcrawl").rglob("*.pxd")):
        text = path.read_text("utf-8")
        others = re.findall(r"^from (quarkcrawl\S+) cimport", text, re.MULTILINE)
        used = [ROOT / f"{name.replace('.', '/')}.pxd" for name in others]
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        made_of[name] = [path.with_suffix(".py"), path, *used, Path(__file__)]
    return made_of


def compiled_file(module: str) -> Path:
    """Where a compiled module belongs."""
    return ROOT / (module.replace(".", "/") + SUFFIX)


def out_of_date() -> list[str]:
    """Modules whose compiled file is missing, or older than one it is made of."""
    stale = []
    for module, sources in modules().items():
        path = compiled_file(module)
        changed = max(source.stat().st_mtime for source in sources)
        if not path.exists() or path.stat().st_mtime < changed:
            stale.append(module)
    return stale


def build(*, force: bool = False) -> None:
    """Compile what is not up to date, or everything."""
    todo = list(modules()) if force else out_of_date()
    if not todo:
        return
    if not (HEADERS / "Python.h").exists():
        sys.exit(f"{HEADERS}/Python.h is missing; Debian: apt-get install python3-dev")
    if not c_compiler() and not find_spec("ziglang"):
        sys.exit("there is no C compiler; Debian: apt-get install gcc; or: pip install ziglang")
    if force or not compiled_file(SHARED).exists():
        todo.append(SHARED)
    C_FILES.mkdir(parents=True, exist_ok=True)
    with contextlib.chdir(ROOT), ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        jobs = [pool.submit(_compile, module, _c_file(module)) for module in todo]
        for job in jobs:
            job.result()


def _c_file(module: str) -> Path:
    """Have Cython write a module in C; all in one process, as much of the work is done once."""
    from Cython.Build.SharedModule import generate_shared_module  # noqa: PLC0415 - slow to load
    from Cython.Compiler.Main import CompilationOptions  # noqa: PLC0415
    from Cython.Compiler.Main import compile as compile_cython  # noqa: PLC0415

    path = C_FILES / f"{module}.c"
    if module == SHARED:
        generate_shared_module(CompilationOptions(shared_c_file_path=str(path)))
        return path
    with contextlib.redirect_stderr(io.StringIO()) as said:
        result = compile_cython(
            module.replace(".", "/") + ".py",
            output_file=str(path),
            compiler_directives=DIRECTIVES,
            shared_utility_qualified_name=SHARED,
        )
    if result.num_errors:
        sys.exit(said.getvalue())
    return path


def _compile(module: str, c_file: Path) -> None:
    path = compiled_file(module)
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    # Without baseline, zig makes what only processors like this one run.
    compiler = c_compiler() or [sys.executable, "-m", "ziglang", "cc", "-mcpu=baseline"]
    flags = [LEVELS.get(module, "-O1"), *FLAGS]
    if sys.platform == "darwin":
        flags += ["-undefined", "dynamic_lookup"]
    _run([*compiler, *flags, f"-I{HEADERS}", str(c_file), "-lm", "-o", str(fresh)])
    fresh.replace(path)


def _run(command: list[str]) -> None:
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if result.returncode:
        sys.exit(f"{' '.join(command)}\n{result.stdout}{result.stderr}")


if __name__ == "__main__":
    if "--check" in sys.argv:
        for name in (stale := out_of_date()):
            print(f"{name}: not compiled since it was changed; run: python hatch_build.py")
        sys.exit(bool(stale))
    build()
