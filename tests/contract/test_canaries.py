"""Canaries: values that the release hides appear in no file of the public folder, and rare ones in no report."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import shoal
from shoal.verification.folder import private_folder

RARE, GENERALIZED, SUPPRESSED, DROPPED, NAMED = "xRareIllx", "xLeafx", "xLonelyx", "xDropx", "xNamex"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two large classes with a generalized leaf, a suppressed row, a rare sensitive value and dropped columns."""
    towns = ["Aby"] * 37 + [GENERALIZED] * 3 + ["Byn"] * 39 + [SUPPRESSED]
    frame = pl.DataFrame(
        {
            "town": towns,
            "ill": [*["flu", "cold"] * 39, RARE, "flu"],
            "note": [DROPPED] * 80,
            "name": [f"{NAMED}{row}" for row in range(80)],
        }
    )
    home = tmp_path_factory.mktemp("canaries")
    leaves = {"Aby": "North", GENERALIZED: "North", "Byn": "South", SUPPRESSED: "Isles"}
    tree = "".join(f"{leaf};{parent};*\n" for leaf, parent in leaves.items())
    (home / "towns.csv").write_text(tree, encoding="utf-8")
    plan = shoal.Plan(
        columns={
            "town": shoal.quasi(shoal.tree(str(home / "towns.csv"))),
            "ill": shoal.sensitive(),
            "note": shoal.drop(),
            "name": shoal.identifier(),
        },
        models=[shoal.KAnonymity(k=5)],
        algorithm=shoal.Optimal(),
        release=shoal.ReleaseSettings(suppression=0.02, title="Towns", approval={"number": "xApprovalx"}),
    )
    shoal.anonymize(frame, plan).save(home / "out")
    return home / "out"


@pytest.mark.parametrize("canary", [GENERALIZED, SUPPRESSED, DROPPED, NAMED, "xApprovalx"])
def test_what_the_release_hides_is_in_no_public_file(folder: Path, canary: str) -> None:
    released = (folder / "release.csv").read_text(encoding="utf-8")
    assert "North" in released and "Byn" not in released  # the case tests what it means to
    for path in (path for path in folder.rglob("*") if path.is_file()):
        assert canary.encode() not in path.read_bytes(), path.name


@pytest.mark.parametrize("name", ["report.html", "report.json"])
@pytest.mark.parametrize("canary", [RARE, GENERALIZED, SUPPRESSED, DROPPED, NAMED])
def test_values_of_few_rows_are_in_no_report(folder: Path, name: str, canary: str) -> None:
    assert RARE in (folder / "release.csv").read_text(encoding="utf-8")
    for place in (folder, private_folder(folder)):
        assert canary not in (place / name).read_text(encoding="utf-8"), place.name
