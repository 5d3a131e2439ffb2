"""The engine that reads a release changes nothing about what is found in it."""

from __future__ import annotations

from pathlib import Path

import pytest

import shoal
from shoal.engines.choosing import KINDS
from shoal.errors import PlanError
from tests.spark import needs_spark
from tests.verification.test_folder import rehashed
from tests.verification.test_reading import saved


@pytest.mark.parametrize("engine", [pytest.param(kind, marks=needs_spark if kind == "spark" else ()) for kind in KINDS])
def test_findings_are_the_same_with_every_engine(engine: str, tmp_path: Path) -> None:
    folder = saved(tmp_path / "out", in_parts=False)
    master = "local[2]" if engine == "spark" else None
    assert shoal.verify_folder(folder, engine=engine, master=master).verdicts == shoal.verify_folder(folder).verdicts
    lines = (folder / "release.csv").read_text().splitlines(keepends=True)
    (folder / "release.csv").write_text("".join([*lines[:-1], "x,y,z,1\n"]))
    rehashed(folder)
    found = shoal.verify_folder(folder, engine=engine, master=master)
    assert not found.holds and found.problems == shoal.verify_folder(folder).problems
    assert found.verdicts == shoal.verify_folder(folder).verdicts


def test_engines_and_masters_are_checked(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match="There is no engine 'sparc'"):
        shoal.verify_folder(tmp_path, engine="sparc")
    with pytest.raises(PlanError, match="the engine is not Spark"):
        shoal.verify_folder(tmp_path, engine="stream", master="local[2]")
