"""One file and one entry in ALL: a model and an algorithm added to a copy of the project are taken up everywhere.

The copy gets two new source files, each with its own test file, and the class of each in its package's `ALL`. Nothing
else is edited.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

MODEL = '''"""Crowding: every class is a crowd of at least m rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from shoal.arrays import Flags
from shoal.coded.stats import ClassStats
from shoal.models.base import About, ClassModel, Monotone
from shoal.models.evidence import Evidence, Finding, least
from shoal.roles.parameters import whole_number


@dataclass(frozen=True)
class Crowding(ClassModel):
    """Every class holds at least m rows.

    Monotone: UPWARD, because rows only add up.
    """

    m: int
    """The smallest number of rows in a class. Allowed: whole numbers from 2."""

    kind: ClassVar[str] = "crowding"
    about: ClassVar[About] = About(
        promise="Nobody stands in a class of fewer than m.",
        not_protected="Everything else.",
        example="A class of two fails for m = 3.",
        paper="None.",
        sample={"m": 4},
    )

    def __post_init__(self) -> None:
        whole_number(self, "m", self.m, 2)

    @property
    def monotone(self) -> Monotone:
        return Monotone.UPWARD

    @property
    def floor(self) -> int:
        return self.m

    @property
    def reads(self) -> tuple[str, ...]:
        return ()

    def passes(self, stats: ClassStats) -> Flags:
        return stats.sizes >= self.m

    def holds(self, evidence: Evidence) -> Finding:
        sizes = evidence.sizes["size"]
        failing = int((sizes < self.m).sum())
        return Finding(holds=failing == 0, achieved={"m": least(sizes)}, failing=failing)
'''

MODEL_TEST = """from __future__ import annotations

from hypothesis import strategies as st

from shoal.models import Crowding
from tests.models.hand import verdicts
from tests.oracle import k_anonymity

STRATEGY = st.builds(Crowding, m=st.integers(2, 6))


def ORACLE(members, whole, setting, *, m):  # noqa: N802
    return k_anonymity.passes(members, whole, setting, k=m)


def test_a_crowd_of_exactly_m_passes() -> None:
    assert verdicts(Crowding(m=3), ["flu"] * 3, ["flu"] * 2) == [True, False]
"""

ALGORITHM = '''"""Lumping: all rows become one class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.algorithms.base import Algorithm
from shoal.coded.counted import Coded
from shoal.coded.partition import Partition
from shoal.coded.recoding import Observed, Recoding
from shoal.coded.stats import whole_table
from shoal.errors import CannotBeMet
from shoal.models.base import ClassModel
from shoal.progress import Progress


@dataclass(frozen=True)
class Lumping(Algorithm):
    """One class for all rows, described by what its members show."""

    kind: ClassVar[str] = "lumping"
    forms: ClassVar[tuple[str, ...]] = ("generalized", "anatomy")
    recoding: ClassVar[type[Recoding]] = Observed

    def partition(
        self, coded: Coded, models: Sequence[ClassModel], suppression: float, seed: int, progress: Progress
    ) -> Partition:
        if not all(model.passes(whole_table(coded)).all() for model in models):
            raise CannotBeMet("A model does not hold with all rows in one class.")
        class_of = np.zeros(len(coded.counted), np.int64)
        return Partition.of_rows(class_of, 1, coded.counted.weight, Observed())
'''

ALGORITHM_TEST = """from __future__ import annotations

from hypothesis import strategies as st

from shoal.algorithms import Lumping

STRATEGY = st.builds(Lumping)


def test_its_recoding_refuses_cuts() -> None:
    assert Lumping.recoding.refuses("cut")
"""


@pytest.fixture(scope="module")
def extended(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project with a model and an algorithm more."""
    copy = tmp_path_factory.mktemp("extended")
    for part in ("src", "docs", "tests", "benchmarks"):
        shutil.copytree(ROOT / part, copy / part, ignore=shutil.ignore_patterns("__pycache__", "tables"))
    for file in ("README.md", "pyproject.toml"):
        shutil.copy(ROOT / file, copy)
    added = {
        "src/shoal/models/crowding.py": MODEL,
        "tests/models/test_crowding.py": MODEL_TEST,
        "src/shoal/algorithms/lumping.py": ALGORITHM,
        "tests/algorithms/test_lumping.py": ALGORITHM_TEST,
    }
    for name, text in added.items():
        (copy / name).write_text(text, encoding="utf-8")
    _enter(
        copy,
        "models",
        "from shoal.models.crowding import Crowding as Crowding",
        "    KmAnonymity,\n)",
        "    KmAnonymity,\n    Crowding,\n)",
    )
    _enter(copy, "algorithms", "from shoal.algorithms.lumping import Lumping as Lumping", "Scba)", "Scba, Lumping)")
    return copy


def _enter(copy: Path, package: str, line: str, before: str, after: str) -> None:
    """Imports a class in its package and enters it in ALL."""
    init = copy / "src" / "shoal" / package / "__init__.py"
    text = init.read_text(encoding="utf-8")
    assert before in text
    head, _, rest = text.replace(before, after).partition("\nfrom shoal.")
    init.write_text(f"{head}\n{line}\nfrom shoal.{rest}", encoding="utf-8")


def _run(copy: Path, *words: str) -> str:
    paths = os.pathsep.join([str(copy / "src"), str(copy), str(copy / "docs")])
    done = subprocess.run(
        [sys.executable, *words],
        cwd=copy,
        env={**os.environ, "PYTHONPATH": paths, "SHOAL_CONTRACT_EXAMPLES": "2"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_a_plan_and_the_command_line_take_them_up(extended: Path) -> None:
    (extended / "table.csv").write_text("age,ill\n20,flu\n30,cold\n40,flu\n50,cold\n", encoding="utf-8")
    plan = (
        '[data]\nsource = "table.csv"\n[columns.age]\nrole = "quasi-identifier"\n[columns.ill]\nrole = "insensitive"\n'
    )
    plan += '[[models]]\nkind = "crowding"\nm = 4\n[algorithm]\nkind = "lumping"\n'
    (extended / "plan.toml").write_text(plan, encoding="utf-8")
    shown = _run(extended, "-m", "shoal.cli", "anonymize", "plan.toml", "--out", "out")
    assert "crowding" in shown and "[20, 50]" in (extended / "out" / "release.csv").read_text(encoding="utf-8")
    assert "holds" in _run(extended, "-m", "shoal.cli", "verify", "out")
    assert "Nobody stands in a class" in _run(extended, "-m", "shoal.cli", "explain", "crowding", "--release", "out")
    schema = _run(extended, "-m", "shoal.cli", "plan", "schema")
    assert '"crowding"' in schema and '"lumping"' in schema


def test_the_plan_refuses_what_the_recoding_cannot_publish(extended: Path) -> None:
    code = """
import shoal
try:
    shoal.Plan(columns={"age": shoal.quasi()}, models=[shoal.Crowding(m=2)], algorithm=shoal.Lumping(),
               release=shoal.ReleaseSettings(ranges="cut"))
except shoal.ShoalError as error:
    assert "cut" in str(error)
else:
    raise AssertionError("ranges that nothing bounds were accepted")
"""
    _run(extended, "-c", code)


def test_they_have_public_names_and_documentation(extended: Path) -> None:
    code = """
import generate, shoal
assert shoal.Crowding.kind == "crowding" and shoal.Lumping.kind == "lumping"
assert "m = 4" in generate.model_page(shoal.Crowding)
row = next(line for line in generate.support_matrix().splitlines() if "crowding" in line)
assert "`lumping`" in generate.support_matrix() and "yes" in row
assert "from .models import Crowding as Crowding" in generate.stub()
assert generate.MODEL_PAGES / "crowding.md" in generate.model_pages()
assert "**`Crowding`**" in generate.python_names() and "**`Lumping`**" in generate.python_names()
assert "### Lumping" in generate.algorithm_sections() or "## Lumping" in generate.algorithm_sections()
"""
    _run(extended, "-c", code)


def test_the_contract_takes_them_up(extended: Path) -> None:
    chosen = "crowding-mondrian or crowding-lumping or k-anonymity-lumping or every_model_algorithm_and_form"
    words = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "-o", "addopts=", "tests/contract/test_contract.py")
    shown = _run(extended, *words, "-k", chosen)
    assert "passed" in shown and "crowding" in _run(extended, *words, "--collect-only", "-k", chosen)
    _run(extended, *words[:-1], "tests/models/test_crowding.py", "tests/algorithms/test_lumping.py")
