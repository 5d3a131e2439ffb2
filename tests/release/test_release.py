"""A release as a value: what it shows of itself, and of the kind that was given."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

import shoal
from shoal.algorithms import Pais
from shoal.errors import PromiseBroken, ShoalError
from shoal.models.evidence import Verdict
from shoal.percent import percent
from shoal.release.public import public_plan
from shoal.release.published import published_text
from shoal.report import Facts, Report
from shoal.verification.verdicts import Verification, found_wrong, nothing_verified, require
from shoal.warnings import Warning
from tests.contract.patients import patients, plan_of


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> shoal.Release:
    return shoal.anonymize(patients(), plan_of(tmp_path_factory.mktemp("steward")))


def test_a_release_introduces_itself_in_a_line(made: shoal.Release) -> None:
    """Without a row of the table: a traceback or a log may show it."""
    found = made.verification
    assert repr(made).startswith(
        f"Release({found.rows:,} of {made.manifest.rows_in:,} rows in {found.classes:,} classes, "
        f"information loss {percent(made.measures['ncp'])}; "
    )
    assert repr(made).endswith(" hold)") and len(repr(made)) < 200
    one = replace(made.verification, verdicts=found.verdicts[:1], sizes=found.sizes[:1])
    assert repr(replace(made, verification=one)).endswith(f" %; {found.verdicts[0].kind} holds)")
    assert "rows in 1 class, information loss" in repr(replace(made, verification=one))
    warned = replace(made, draft=replace(made.draft, warnings=(Warning("a", serious=True), Warning("b"))))
    assert repr(warned).endswith(" hold, but 1 serious warning)")
    assert "not verified" in repr(replace(made, verification=nothing_verified()))


def test_the_release_is_of_the_kind_that_was_given(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    frame = patients().to_pandas()
    frame.index = frame.index[::-1]  # index labels are no positions
    made = shoal.anonymize(frame, plan_of(tmp_path))
    assert isinstance(made.frame, pandas.DataFrame)
    assert list(made.frame.index) == list(range(40))
    assert shoal.verify(made.frame, made.plan).holds
    same = shoal.anonymize(patients(), plan_of(tmp_path)).frame
    assert pl.from_pandas(made.frame).equals(same)


def test_achieved_tells_models_of_one_kind_apart(made: shoal.Release) -> None:
    assert {key.split()[0] for key in made.achieved} >= {"k-anonymity", "l-diversity", "t-closeness"}
    assert len(made.achieved) == len(made.verification.verdicts) >= 4


def test_all_models_of_a_kind_have_the_column_in_their_key(made: shoal.Release) -> None:
    """The key of one model must not depend on which of them comes first."""
    verdicts = [
        Verdict("k-anonymity", {"k": 2}, True, {"k": 3}, 0),
        Verdict("km-anonymity", {"column": "drugs", "k": 2, "m": 2}, True, {"k": 4}, 0),
        Verdict("km-anonymity", {"column": "icd", "k": 2, "m": 2}, True, {"k": 5}, 0),
        Verdict("l-diversity", {"column": "icd", "l": 2}, True, {"l": 2}, 0),
        Verdict("l-diversity", {"column": "icd", "l": 3, "variant": "entropy"}, True, {"l": 3.0}, 0),
    ]
    several = replace(made, verification=replace(made.verification, verdicts=tuple(verdicts)))
    assert several.achieved == {
        "k-anonymity": {"k": 3},
        "km-anonymity drugs": {"k": 4},
        "km-anonymity icd": {"k": 5},
        "l-diversity icd": {"l": 2},
        "l-diversity icd 2": {"l": 3.0},
    }


def test_a_release_says_of_itself_what_its_manifest_says(made: shoal.Release) -> None:
    assert made.measures == made.manifest.measures and made.warnings == made.steward.warnings
    assert made.steward.models == made.verification.verdicts and made.manifest.holds
    public, private = made.figures
    steward = Facts(made.steward, public, private, plan=made.plan.to_toml())
    published = published_text(public_plan(made.plan, made.draft.tables))
    assert made.report == Report.of(Facts(made.manifest, public, plan=published))
    assert made.steward_report == Report.of(steward)
    assert made.digest is None and made.steps == ()


def test_a_release_of_one_table_has_a_frame_of_text(made: shoal.Release) -> None:
    assert list(made.frames) == ["release"] and made.frame is made.frames["release"]
    assert isinstance(made.tables["release"]["age"].dtype, pl.Enum)
    assert made.frame["age"].dtype == pl.String
    assert made.frame["age"].to_list() == made.tables["release"]["age"].cast(pl.String).to_list()


def test_a_release_of_several_tables_has_frames_of_the_kind_that_was_given() -> None:
    pandas = pytest.importorskip("pandas")
    plan = shoal.Plan(
        columns={"age": shoal.quasi(), "diagnosis": shoal.sensitive()},
        models=[shoal.LDiversity("diagnosis", l=2)],
        release=shoal.ReleaseSettings(form="anatomy"),
    )
    made = shoal.anonymize(patients().select("age", "diagnosis").to_pandas(), plan)
    assert list(made.frames) == ["quasi_identifiers", "sensitive_diagnosis"]
    assert all(isinstance(frame, pandas.DataFrame) for frame in made.frames.values())
    with pytest.raises(ShoalError, match=r"of form 'anatomy' has 2 tables\. Hint: use release\.frames"):
        _ = made.frame


def test_steps_are_told_where_there_are_some(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, algorithm=Pais(stop_at=3), models=(shoal.KAnonymity(k=2),))
    made = shoal.anonymize(patients(), plan)
    assert [step.number for step in made.steps] == [1, 2, 3]
    assert made.manifest.steps is not None and len(made.manifest.steps) == 3


def test_only_what_holds_is_let_through(made: shoal.Release) -> None:
    require(made.verification)
    broken = Verdict("k-anonymity", {"k": 2}, False, {"k": 1}, failing=3)
    with pytest.raises(PromiseBroken, match="'k-anonymity' fails in 3 of 4 classes") as caught:
        require(Verification((broken,), 9, pl.Series([1, 1, 1, 6])))
    assert caught.value.exit_code == 1 and "not published" in str(caught.value)
    with pytest.raises(PromiseBroken, match="'k-anonymity' fails in 1 of 1 class\\."):
        require(Verification((replace(broken, failing=1),), 1, pl.Series([1])))
    with pytest.raises(PromiseBroken, match="Something is wrong"):
        require(found_wrong("Something is wrong"))


def test_a_release_that_does_not_hold_says_so(made: shoal.Release) -> None:
    verdicts = tuple(replace(verdict, holds=False) for verdict in made.verification.verdicts)
    assert repr(replace(made, verification=replace(made.verification, verdicts=verdicts))).endswith("DO NOT HOLD)")


def test_missing_values_are_missing_in_the_kind_that_was_given() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"job": ["a", None] * 4, "note": ["x", None, "", "y"] * 2, "cost": [1.5, None] * 4})
    columns = {"job": shoal.quasi(), "note": shoal.insensitive(), "cost": shoal.insensitive()}
    plan = shoal.Plan(columns=columns, models=[shoal.KAnonymity(k=2)])
    released = shoal.anonymize(frame, plan).frame
    assert released.isna().sum().to_dict() == {"job": 4, "note": 2, "cost": 4}
    assert (released["note"] == "").sum() == 2  # an empty text is none of the missing values
    in_polars = shoal.anonymize(pl.from_pandas(frame), plan).frame
    assert in_polars.null_count().row(0) == (4, 2, 4)
    assert shoal.verify(released, plan).holds and shoal.verify(in_polars, plan).holds


def test_the_digest_is_known_once_a_release_was_saved(tmp_path: Path) -> None:
    made = shoal.anonymize(patients(), plan_of(tmp_path))
    assert made.digest is None
    digests = {made.save(tmp_path / "a"), made.save(tmp_path / "b")}
    assert digests == {made.digest}
