"""SCBA: rows with high values pass the models among themselves, all others stay as they are, and both are said."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.algorithms import Scba
from shoal.errors import CannotBeMet, PlanError
from tests.effort import examples

TABLE_1 = pl.DataFrame(
    {
        "zip": ["423065", "422036", "423245", "422035", "423012", "423432"],
        "age": [29, 32, 38, 27, 47, 53],
        "sex": ["M", "F", "M", "F", "M", "F"],
        "diagnosis": ["Heart Disease", "Flu", "Headache", "HIV", "Cancer", "Viral"],
    }
)
"""Table I of the paper."""
INNER = ("mondrian", "k-member", "optimal", "incognito", "samarati", "pais")
STRATEGY = st.one_of(
    st.builds(
        Scba,
        column=st.just("disease"),
        high=st.sampled_from([("HIV",), ("HIV", "rash"), ("flu", "asthma", "ulcer")]),
        inner=st.sampled_from(INNER),
        cover=st.sampled_from([0.0, 0.0, 0.3, 1]),
    ),
    st.builds(Scba, column=st.just("months"), high=st.sampled_from([("9.0", "10"), ("-2", "-1", "10.50")])),
)
"""Parameters that the contract of all algorithms tries."""


ALONE = (("zip", "1*"), ("age", "[1, 9]"))
"""Labels that no other row has."""


def planned(models: Any = None, **scba: Any) -> shoal.Plan:
    chosen = Scba(**{"column": "diagnosis", "high": ("HIV", "Cancer"), **scba})
    return shoal.Plan(
        columns={
            "zip": shoal.quasi(shoal.prefixes()),
            "age": shoal.quasi(shoal.intervals(10, 20, 40, 80)),
            "sex": shoal.quasi(),
            "diagnosis": shoal.sensitive(),
        },
        models=[shoal.KAnonymity(k=2)] if models is None else models,
        algorithm=chosen,
    )


def patients(rows: int = 400, seed: int = 1) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    drawn = rng.choice(["Flu", "Cold", "HIV", "Cancer", ""], rows, p=[0.5, 0.3, 0.08, 0.08, 0.04])
    return pl.DataFrame(
        {
            "zip": [f"{zip_:05}" for zip_ in rng.integers(10_000, 10_020, rows)],
            "age": rng.integers(20, 90, rows),
            "sex": rng.choice(["M", "F"], rows),
            "diagnosis": drawn,
        }
    )


@pytest.mark.parametrize("inner", INNER)
def test_table_6_of_the_paper_follows_from_table_1(inner: str) -> None:
    """The labels are those of our hierarchies: `42*` for 42****, [0, 79] for >25."""
    released = shoal.anonymize(TABLE_1, planned(inner=inner)).frame.sort("diagnosis")
    assert released.rows() == [
        ("42*", "[0, 79]", "*", "Cancer"),
        ("422036", "32", "F", "Flu"),
        ("42*", "[0, 79]", "*", "HIV"),
        ("423245", "38", "M", "Headache"),
        ("423065", "29", "M", "Heart Disease"),
        ("423432", "53", "F", "Viral"),
    ]


def test_prec_equals_the_formula_next_to_k_anonymity_of_all_rows() -> None:
    """Two of six rows are raised 4 of 6 levels in zip, 4 of 5 in age and 1 of 1 in sex."""
    found = shoal.anonymize(TABLE_1, planned(inner="optimal")).steward.search
    assert found.precision == pytest.approx(1 - 2 * (4 / 6 + 4 / 5 + 1) / (6 * 3))
    whole = shoal.anonymize(TABLE_1, planned().changed(algorithm=shoal.Optimal()))
    raised = [whole.steward.levels[name] / height for name, height in (("zip", 6), ("age", 5), ("sex", 1))]
    assert found.precision_if_all == pytest.approx(1 - sum(raised) / 3)
    assert found.precision_if_all < found.precision
    assert found.proven_optimal is None
    assert found.cost is None


def test_prec_equals_the_measure_of_the_released_file() -> None:
    release = shoal.anonymize(patients(), planned([shoal.KAnonymity(k=5)], inner="optimal"))
    assert release.steward.search.precision == pytest.approx(release.measures["precision"])


@pytest.mark.parametrize("inner", INNER)
def test_high_and_missing_values_pass_among_themselves_and_all_others_stay(inner: str) -> None:
    given_rows, plan = patients(), planned([shoal.KAnonymity(k=5)], inner=inner)
    release = shoal.anonymize(given_rows, plan)
    origin = release.private.witness.row.tolist()
    classes: dict[tuple[str, ...], int] = {}
    for row, i in zip(release.frame.rows(), origin, strict=True):
        *shown, diagnosis = row
        if diagnosis in ("HIV", "Cancer", None, ""):
            classes[tuple(shown)] = classes.get(tuple(shown), 0) + 1
        else:
            assert shown == [str(value) for value in given_rows.row(i)[:3]]
    assert min(classes.values()) >= 5


def test_a_verdict_says_which_rows_it_covers(tmp_path: Path) -> None:
    release = shoal.anonymize(patients(), planned())
    release.save(tmp_path / "out")
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text(encoding="utf-8"))
    scope = {"column": "diagnosis", "values": ["HIV", "Cancer"], "missing": True}
    assert [model["scope"] for model in manifest["models"]] == [scope]
    assert any("satisfies none of them" in note for note in manifest["notes"])
    assert manifest["serious_warnings"] > 0
    for text in (repr(release), (tmp_path / "out" / "report.html").read_text(encoding="utf-8")):
        assert "only rows with a high value of" in text
    assert "Only rows with a high value of &#39;diagnosis&#39;: An intruder" in text
    again = shoal.verify_folder(tmp_path / "out")
    assert again.holds
    assert all(verdict.scope is not None for verdict in again.verdicts)


def test_a_high_row_that_stands_alone_is_found_by_verification() -> None:
    plan = planned()
    frame = shoal.anonymize(patients(), plan).frame
    assert shoal.verify(frame, plan).holds
    first = frame.sort(pl.col("diagnosis") != "HIV").with_row_index("n")
    moved = pl.when(pl.col("n") == 0)
    broken = first.with_columns(moved.then(pl.lit(label)).otherwise(name).alias(name) for name, label in ALONE).drop(
        "n"
    )
    assert not shoal.verify(broken, plan).holds


def test_what_is_left_open_is_measured_for_the_steward() -> None:
    """Low rows are unique, and who is not among them is high for certain; of the two high ones, none is matched."""
    found = " ".join(shoal.anonymize(TABLE_1, planned()).steward.warnings)
    assert "100 % of the rows with low values of 'diagnosis' are published exactly and are unique" in found
    assert "100 % of the individuals with a high value of 'diagnosis' have no exactly matching row" in found
    assert "100 % sure on average, and up to 100 %" in found


def test_what_is_left_open_stays_private(tmp_path: Path) -> None:
    shoal.anonymize(patients(), planned([shoal.KAnonymity(k=5)])).save(tmp_path / "out")
    public = "".join(path.read_text(encoding="utf-8") for path in (tmp_path / "out").iterdir() if path.suffix != ".csv")
    for private in ("exactly matching row", "unique in their", "precision_if_all", "loss_if_all", "covering all"):
        assert private not in public
    assert "precision_if_all" in (tmp_path / "out.private" / "steward.json").read_text(encoding="utf-8")


def test_cover_lowers_certainty_at_a_cost_and_keeps_the_promise() -> None:
    def sure(release: shoal.Release) -> float:
        from shoal.engines.fitting import fit
        from shoal.engines.local import LocalEngine
        from shoal.progress import silent
        from shoal.warnings.scope import left_open

        plan = release.plan
        coded = fit(LocalEngine(patients()), plan).coded
        partition = plan.algorithm.partition(coded, plan.enforced, 0.0, plan.seed, silent)
        found = left_open(coded, partition)
        assert found.sure is not None
        return found.sure

    releases = [shoal.anonymize(patients(), planned([shoal.KAnonymity(k=5)], cover=c)) for c in (0.0, 0.2, 0.6)]
    assert [release.verification.holds for release in releases] == [True] * 3
    certainty = [sure(release) for release in releases]
    assert certainty[0] == 1 > certainty[1] > certainty[2]
    assert releases[0].measures["ncp"] < releases[1].measures["ncp"] < releases[2].measures["ncp"]


def test_cover_depends_on_the_seed_but_not_on_the_order_of_rows() -> None:
    plan = planned([shoal.KAnonymity(k=5)], cover=0.3)
    once = shoal.anonymize(patients(), plan).frame
    assert shoal.anonymize(patients().sample(fraction=1, shuffle=True, seed=3), plan).frame.equals(once)
    assert not shoal.anonymize(patients(), plan.changed(seed=5)).frame.equals(once)


@pytest.mark.parametrize(
    ("models", "reason"),
    [
        ([shoal.AlphaK("diagnosis", alpha=0.5, k=2)], "bounds shares of values of 'diagnosis'"),
        ([shoal.TCloseness("diagnosis", t=0.2)], "compares a class with the whole table"),
        ([shoal.BetaLikeness("diagnosis", beta=1)], "compares a class with the whole table"),
        ([shoal.DeltaDisclosure("diagnosis", delta=1)], "compares a class with the whole table"),
        ([shoal.LKC(l=2, k=2, c=0.5, column="diagnosis")], "partial knowledge"),
    ],
)
def test_models_that_some_rows_cannot_keep_are_refused(models: Any, reason: str) -> None:
    with pytest.raises(PlanError, match=reason):
        planned(models)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"column": "illness"}, "is not in the plan"),
        ({"column": "zip"}, "whose role is 'quasi-identifier'"),
        ({"high": ()}, "non-empty list"),
        ({"high": "HIV"}, "non-empty list"),
        ({"inner": "scba"}, "inner must be one of"),
        ({"inner": "median"}, "inner must be one of"),
        ({"cover": 2}, "at most 1"),
    ],
)
def test_bad_parameters_are_refused(changes: dict[str, Any], reason: str) -> None:
    with pytest.raises(PlanError, match=reason):
        planned(**changes)


def test_anatomy_cuts_and_finest_levels_are_refused() -> None:
    plan = planned()
    with pytest.raises(PlanError, match="does not support the release form 'anatomy'"):
        plan.changed(release=shoal.ReleaseSettings(form="anatomy"))
    with pytest.raises(PlanError, match="nobody's exact value"):
        plan.changed(release=shoal.ReleaseSettings(ranges="cut"))
    with pytest.raises(PlanError, match="'finest'"):
        plan.changed(columns={**plan.columns, "age": shoal.quasi(shoal.intervals(10, 20), finest=1)})


def test_high_values_that_do_not_occur_are_an_error_or_a_warning() -> None:
    with pytest.raises(PlanError, match="No row has one of the high values"):
        shoal.anonymize(TABLE_1, planned(high=("hiv",)))
    warnings = shoal.anonymize(TABLE_1, planned(high=("HIV", "Cancer", "hiv"))).steward.warnings
    assert any(
        "Algorithm 'scba' names 3 values of 'diagnosis', of which 1 occurs in no row" in text for text in warnings
    )


def test_too_few_high_rows_cannot_be_met() -> None:
    with pytest.raises(CannotBeMet, match="with all 2 rows in a single class"):
        shoal.anonymize(TABLE_1, planned([shoal.KAnonymity(k=3)]))


def test_numbers_are_high_by_value() -> None:
    frame = pl.DataFrame({"age": [1, 2, 3, 4], "score": ["1", "2", "1", "2"]})
    plan = shoal.Plan(
        columns={"age": shoal.quasi(), "score": shoal.sensitive(type="integer")},
        models=[shoal.KAnonymity(k=2)],
        algorithm=Scba(column="score", high=("1.0",)),
    )
    assert shoal.anonymize(frame, plan).frame.rows() == [("2", "2"), ("4", "2"), ("[1, 3]", "1"), ("[1, 3]", "1")]


@settings(max_examples=examples(25), deadline=None)
@given(st.data())
def test_persons_are_counted_among_high_rows(data: st.DataObject) -> None:
    n = data.draw(st.integers(6, 30))
    frame = pl.DataFrame(
        {
            "who": [f"p{data.draw(st.integers(0, 8))}" for _ in range(n)],
            "age": [data.draw(st.integers(1, 5)) for _ in range(n)],
            "ill": [data.draw(st.sampled_from(["HIV", "flu"])) for _ in range(n)],
        }
    )
    plan = shoal.Plan(
        data=shoal.Data(person="who"),
        columns={"who": shoal.identifier(), "age": shoal.quasi(), "ill": shoal.sensitive()},
        models=[shoal.KAnonymity(k=2)],
        algorithm=Scba(column="ill", high=("HIV",)),
    )
    try:
        release = shoal.anonymize(frame, plan)
    except (CannotBeMet, PlanError):
        return
    persons: dict[str, set[str]] = {}
    for (age, ill), i in zip(release.frame.rows(), release.private.witness.row.tolist(), strict=True):
        if ill == "HIV":
            persons.setdefault(age, set()).add(frame["who"][i])
    assert all(len(each) >= 2 for each in persons.values())


@pytest.mark.parametrize("inner", INNER)
@settings(max_examples=examples(15), deadline=None)
@given(st.data())
def test_values_that_only_low_rows_have_are_no_obstacle(inner: str, data: st.DataObject) -> None:
    """The codes of the table are made for all rows, so that some occur in no row with a high value."""
    n = data.draw(st.integers(4, 16))
    frame = pl.DataFrame(
        {
            "a": [data.draw(st.integers(0, 6)) for _ in range(n)],
            "b": [data.draw(st.sampled_from("wxyz")) for _ in range(n)],
            "ill": [data.draw(st.sampled_from(["HIV", "flu", "flu"])) for _ in range(n)],
        }
    )
    tree = data.draw(st.sampled_from([None, shoal.intervals(2, 4)]))
    plan = shoal.Plan(
        columns={"a": shoal.quasi(tree), "b": shoal.quasi(), "ill": shoal.sensitive()},
        models=[shoal.KAnonymity(k=2)],
        algorithm=Scba(column="ill", high=("HIV",), inner=inner),
        release=shoal.ReleaseSettings(categories=data.draw(st.sampled_from(["hierarchy", "sets"]))),
    )
    if frame["ill"].to_list().count("HIV") >= 2:
        assert shoal.anonymize(frame, plan).verification.holds
