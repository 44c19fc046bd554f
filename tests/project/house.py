"""Counts how the source is laid out: folders, faces, circles, sizes, names, docstrings.

A face is a package or a package of a package: what other packages may import from. `COUNTS` names
what is counted; `tests/project/budget.json` says how many of each there may be.
"""

from __future__ import annotations

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "quarkcrawl"
WORD = re.compile(r"[a-z0-9]+")


@cache
def modules() -> dict[str, Path]:
    """Dotted name and file of each module."""
    return {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
        for path in sorted(PACKAGE.rglob("*.py"))
    }


def importers() -> dict[str, Path]:
    """The modules, and those that a user's project begins with."""
    return modules() | {
        f"{folder}.{path.stem}": path
        for folder in ("spiders", "pipelines")
        for path in sorted((ROOT / folder).glob("*.py"))
    }


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def is_face(name: str) -> bool:
    return importers()[name].name == "__init__.py"


def _statements(node: ast.AST, is_inside: bool = False) -> Iterator[tuple[ast.AST, bool]]:
    """The statements below a node, and whether they stand in a function; expressions hold none."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.expr):
            yield child, is_inside
            is_function = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
            yield from _statements(child, is_inside or is_function)


@cache
def imports() -> tuple[tuple[str, str, str, bool], ...]:
    """(importing module, module named, module meant, inside a function) of every own import."""
    rows = []
    for name, path in importers().items():
        for node, is_inside in _statements(tree(path)):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("quarkcrawl"):
                exported = _exports(modules()[str(node.module)]).split()
                for alias in node.names:
                    full = f"{node.module}.{alias.name}"
                    is_module = full in modules() and repr(alias.name) not in exported
                    meant = full if is_module else str(node.module)
                    rows.append((name, str(node.module), meant, is_inside))
            elif isinstance(node, ast.Import):
                rows += [
                    (name, alias.name, alias.name, is_inside)
                    for alias in node.names
                    if alias.name in modules()
                ]
    return tuple(rows)


def is_past_a_face(importer: str, meant: str) -> bool:
    """Whether an import reaches into a package whose face it should ask."""
    own = importer.split(".") if is_face(importer) else importer.split(".")[:-1]
    other = meant.split(".")
    n_common = 0
    while n_common < min(len(own), len(other)) and own[n_common] == other[n_common]:
        n_common += 1
    n_deeper = len(other) - max(n_common, 1)
    if n_common > 1:
        return n_deeper > 1
    return n_deeper > 2 or (n_deeper == 2 and not is_face(meant))


def modules_of_a_folder() -> dict[str, int]:
    counts = Counter(
        str(path.parent.relative_to(ROOT))
        for path in modules().values()
        if path.name != "__init__.py"
    )
    return {
        folder: n for folder, n in counts.items() if n > (25 if "mockweb/site" in folder else 20)
    }


def shared_first_words() -> list[str]:
    """Three modules of a folder whose names begin alike."""
    folders = defaultdict(set)
    for path in modules().values():
        if path.name != "__init__.py":
            folders[path.parent].add(path.stem)
    rows = []
    for folder, names in folders.items():
        words = {WORD.match(name).group() for name in names if WORD.match(name)} | names
        for word in sorted(words):
            alike = sorted(name for name in names if name.startswith(word))
            if len(alike) >= 3 and len(word) >= 4:
                rows.append(f"{folder.relative_to(ROOT)}: {', '.join(alike)}")
    return rows


def imports_past_a_face() -> list[str]:
    return [f"{importer} -> {meant}" for importer, _, meant, _ in imports()
            if is_past_a_face(importer, meant)]  # fmt: skip


def circles() -> list[str]:
    """Groups of modules that import each other, for types too."""
    graph = defaultdict(set)
    for importer, _, meant, _ in imports():
        if importer != meant:
            graph[importer].add(meant)
    order, low, stack, on, rows = {}, {}, [], set(), []

    def visit(start: str) -> None:
        work = [(start, iter(sorted(graph[start])))]
        order[start] = low[start] = len(order)
        stack.append(start)
        on.add(start)
        while work:
            node, targets = work[-1]
            for target in targets:
                if target not in order:
                    order[target] = low[target] = len(order)
                    stack.append(target)
                    on.add(target)
                    work.append((target, iter(sorted(graph[target]))))
                    break
                if target in on:
                    low[node] = min(low[node], order[target])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == order[node]:
                    group = []
                    while not group or group[-1] != node:
                        group.append(stack.pop())
                        on.discard(group[-1])
                    if len(group) > 1:
                        rows.append(" <-> ".join(sorted(group)))

    for name in modules():
        if name not in order:
            visit(name)
    return rows


def imports_inside_functions() -> list[str]:
    return [f"{importer} -> {meant}" for importer, _, meant, is_inside in imports()
            if is_inside and importer.startswith("quarkcrawl.") and not importer.startswith("quarkcrawl.cli") and not is_face(importer)]  # fmt: skip


def global_statements() -> list[str]:
    return [f"{name}:{node.lineno}" for name, path in modules().items()
            for node in ast.walk(tree(path)) if isinstance(node, ast.Global)]  # fmt: skip


def class_names_twice() -> list[str]:
    places = defaultdict(list)
    for name, path in modules().items():
        for node in tree(path).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(name)
    return [f"{name}: {', '.join(where)}" for name, where in places.items() if len(where) > 1]


def long_constructors() -> list[str]:
    """More than six parameters; records and options have as many as they have fields."""
    rows = []
    for name, path in modules().items():
        for cls in ast.walk(tree(path)):
            if not isinstance(cls, ast.ClassDef):
                continue
            for node in cls.body:
                if isinstance(node, ast.FunctionDef) and node.name == "__init__":
                    n = len(node.args.posonlyargs + node.args.args + node.args.kwonlyargs) - 1
                    if n > 6:
                        rows.append(f"{name}.{cls.name}: {n}")
    return rows


def lines_of_files() -> dict[str, int]:
    return {name: len(path.read_text(encoding="utf-8").splitlines())
            for name, path in modules().items()}  # fmt: skip


def long_files() -> list[str]:
    return [f"{name}: {n}" for name, n in lines_of_files().items() if n > 600]


def median_lines() -> int:
    return int(median(n for name, n in lines_of_files().items() if not is_face(name)))


def empty_entries() -> list[str]:
    """Entries of ``Args:`` that repeat the name of what they describe, or go on from it by "of"."""
    rows = []
    for name, path in modules().items():
        for node in ast.walk(tree(path)):
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                continue
            for entry, text in re.findall(
                r"^ +(\w+): (.+)$", _args(ast.get_docstring(node) or ""), re.MULTILINE
            ):
                said = re.sub(r"^(the|a|an|its|some) ", "", text.lower()).rstrip(".;")
                if said.startswith("of ") or said in (entry, entry.replace("_", " ")):
                    rows.append(f"{name}.{node.name}: {entry}: {text}")
    return rows


def _args(doc: str) -> str:
    found = re.search(r"^Args:\n((?: .*\n?|\n)*)", doc, re.MULTILINE)
    return found[1] if found else ""


def functions_of_tests_only() -> list[str]:
    """Public functions that no code, script or documentation names and no package offers."""
    offered = {
        word
        for name, path in modules().items()
        if is_face(name) and name.count(".") == 1
        for word in re.findall(r"\w+", _exports(path))
    }
    texts = [path.read_text(encoding="utf-8") for path in modules().values()]
    for folder, kinds in (("docs", "*.md"), ("docs", "*.py"), ("spiders", "*.py"), ("pipelines", "*.py"),
                          ("benchmarks", "*.py")):  # fmt: skip
        texts += [path.read_text(encoding="utf-8") for path in (ROOT / folder).rglob(kinds)]
    texts += [
        (ROOT / name).read_text(encoding="utf-8")
        for name in ("README.md", "Makefile", "pyproject.toml")
    ]
    words = Counter(word for text in texts for word in re.findall(r"\w+", text))
    rows = []
    for name, path in modules().items():
        exported = Counter(re.findall(r"\w+", _exports(path)))
        for node in tree(path).body:
            if (isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
                    and not node.decorator_list and node.name not in offered
                    and words[node.name] - exported[node.name] <= 1):  # fmt: skip
                rows.append(f"{name}.{node.name}")
    return rows


@cache
def _exports(path: Path) -> str:
    """Names of ``__all__`` as they are quoted, with spaces between."""
    return " ".join(
        ast.unparse(node.value).strip("[]").replace(",", " ")
        for node in tree(path).body
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and node.targets[0].id == "__all__"
    )


def exports_outside_faces() -> list[str]:
    """The modules that stand beside the packages (config, errors) are faces of their own."""
    return [name for name, path in modules().items()
            if not is_face(name) and _exports(path) and path.parent != PACKAGE]  # fmt: skip


def frontiers_told_apart_in_crawl() -> list[str]:
    """Where a crawl asks which kind of frontier it has, or reaches through one to its parts."""
    rows = []
    for name, path in modules().items():
        if not name.startswith("quarkcrawl.crawl"):
            continue
        for node in ast.walk(tree(path)):
            word = getattr(node, "attr", None) or getattr(node, "id", None) or ""
            is_part = word.lstrip("_") in {"shared", "direct", "traffic"}
            is_asked = isinstance(node, ast.Call) and re.match(
                r"(isinstance|type)\(.*(Frontier|frontier)", ast.unparse(node)
            )
            if is_part or is_asked:
                rows.append(f"{name}:{node.lineno}: {ast.unparse(node)}")
    return rows


HAPPENED = {"found", "known", "wanted", "chosen", "made", "told", "kept", "asked"}


def names_of_what_happened() -> list[str]:
    """Variables and arguments that say what was done to a value, not what it is."""
    rows = []
    for name, path in modules().items():
        for node in ast.walk(tree(path)):
            is_bound = isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
            word = node.id if is_bound else node.arg if isinstance(node, ast.arg) else ""
            if word in HAPPENED:
                rows.append(f"{name}:{node.lineno}: {word}")
    return rows


COUNTS = {
    "modules in the fullest folder above 20": lambda: sorted(modules_of_a_folder().items()),
    "three modules of a folder that begin alike": shared_first_words,
    "imports past a face": imports_past_a_face,
    "circles of imports": circles,
    "own imports inside functions outside cli and faces": imports_inside_functions,
    "global statements": global_statements,
    "class names defined twice": class_names_twice,
    "constructors with more than six parameters": long_constructors,
    "files above 600 lines": long_files,
    "entries of Args that say nothing": empty_entries,
    "public functions that only tests use": functions_of_tests_only,
    "__all__ outside a face": exports_outside_faces,
    "frontiers told apart in crawl": frontiers_told_apart_in_crawl,
    "names of what happened to a value": names_of_what_happened,
}


if __name__ == "__main__":
    import sys

    for what, count in COUNTS.items():
        rows = count()
        print(len(rows), what)
        if len(sys.argv) > 1 and sys.argv[1] in what:
            print(*rows, sep="\n")
    print(median_lines(), "lines in the median file")
