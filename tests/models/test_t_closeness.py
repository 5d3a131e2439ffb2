from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.coded import stats_of
from shoal.errors import PlanError
from shoal.models import TCloseness
from shoal.models.evidence import CLASS, COUNT, Evidence, SensitiveFacts
from shoal.roles.columns import Column
from tests.effort import examples
from tests.models.hand import finding, table, verdicts
from tests.models.strategies import COLUMN, SHARE, tables
from tests.models.tables import DISEASE, Made, encode, evidence, stats
from tests.oracle import t_closeness

STRATEGY = st.builds(
    TCloseness,
    column=COLUMN,
    t=st.one_of(SHARE, st.sampled_from([0, 0.05, 0.15, 1 / 6])),
    distance=st.sampled_from(["equal", "ordered", "hierarchical"]),
    reference=st.sampled_from(["both", "released", "input"]),
)
ORACLE = t_closeness.passes


def test_a_distance_exactly_at_t_passes() -> None:
    classes = (["HIV"] * 3 + ["flu"] * 7, ["flu"] * 10)  # the table has 3 in 20: both classes are 0.15 away
    assert verdicts(TCloseness("disease", t=0.15), *classes) == [True, True]
    assert verdicts(TCloseness("disease", t=0.14999999999999999), *classes) == [True, True]  # the same double
    assert verdicts(TCloseness("disease", t=0.149999999999999), *classes) == [False, False]


def test_one_third_is_not_the_double_nearest_to_it() -> None:
    classes = (["HIV", "HIV", "flu"], ["flu", "flu", "flu"])  # 1/3 each
    assert verdicts(TCloseness("disease", t=1 / 3), *classes) == [False, False]  # 0.3333333333333333 is less
    assert verdicts(TCloseness("disease", t=0.33333333333333337), *classes) == [True, True]


def test_ordered_distance_goes_by_number_not_by_text() -> None:
    """The paper's salaries in miniature: two neighbours are nearer than two extremes."""
    classes = (["-2", "-1"], ["9", "10"], ["-2", "10"], ["-1", "9"])
    found = finding(TCloseness("months", t=0.4, distance="ordered"), *classes, column="months", with_trees=False)
    assert found.achieved["t_released"] == pytest.approx((0.25 + 0.5 + 0.25) / 3)
    near = TCloseness("months", t=0.17, distance="ordered")
    assert verdicts(near, *classes, column="months", with_trees=False) == [False, False, True, True]


@given(tables(), SHARE)
@settings(max_examples=examples(100))
def test_without_a_tree_the_search_and_verification_order_numbers_alike(made: Made, t: float) -> None:
    model = TCloseness("months", t=t, distance="ordered", reference="input")
    failing = model.holds(evidence(made, with_trees=False)).failing
    assert failing == model.passes(stats(made)).tolist().count(False)
    assert failing == model.holds(evidence(made)).failing  # the tree lists them in the same order


def test_the_papers_salary_classes() -> None:
    """Nine salaries 3k to 11k: {3k, 4k, 5k} is 0.375 away, {6k, 8k, 11k} 0.167."""
    salaries = [str(k) for k in range(3, 12)]
    facts = {"salary": SensitiveFacts(Column(role="sensitive", type="integer"))}
    for here, distance in ((["3", "4", "5"], 0.375), (["6", "8", "11"], 1 / 6)):
        rest = [s for s in salaries if s not in here]
        seen = Evidence(pl.DataFrame({CLASS: [0] * 3 + [1] * 6, COUNT: [1] * 9, "salary": [*here, *rest]}), facts)
        own = TCloseness("salary", t=1, distance="ordered", reference="released")
        alone = own._distances(seen, seen.reference("salary")).filter(pl.col(CLASS) == 0)
        assert alone["over"][0] / alone["under"][0] == pytest.approx(distance)


def test_hierarchical_distance_is_small_inside_a_branch() -> None:
    lungs, apart = (["flu", "flu"], ["asthma", "asthma"]), (["flu", "flu"], ["HIV", "HIV"])
    model = TCloseness("disease", t=0.2, distance="hierarchical")
    assert verdicts(model, *lungs) == [True, True]  # half the earth, one of three levels: 1/6
    assert verdicts(model, *apart) == [False, False]  # half the earth, all the way up
    assert finding(model, *lungs).achieved["t_released"] == pytest.approx(1 / 6)
    assert finding(model, *apart).achieved["t_released"] == 0.5


@pytest.mark.parametrize("distance", ["equal", "ordered", "hierarchical"])
def test_one_value_overall_is_no_distance(distance: str) -> None:
    assert verdicts(TCloseness("disease", t=0, distance=distance), ["flu"], ["flu", "flu"]) == [True, True]
    assert verdicts(TCloseness("disease", t=0, distance=distance), [None], [None, None]) == [True, True]


@pytest.mark.parametrize("distance", ["equal", "ordered", "hierarchical"])
def test_missing_is_a_value_like_any_other(distance: str) -> None:
    model = TCloseness("disease", t=0.4, distance=distance)
    assert verdicts(model, ["flu", "flu"], [None, None]) == [False, False]


class TestReference:
    """Nine suppressed HIV rows: far from the input, next to the release."""

    made = table(["flu", "rash"], ["flu", "rash"], suppressed=["HIV"] * 8)

    @pytest.mark.parametrize(("reference", "failing"), [("released", 0), ("input", 2), ("both", 2)])
    def test_each_is_checked_as_asked(self, reference: str, failing: int) -> None:
        assert TCloseness("disease", t=0.2, reference=reference).holds(evidence(self.made)).failing == failing

    def test_achieved_names_what_was_compared(self) -> None:
        both = TCloseness("disease", t=0.7).holds(evidence(self.made))
        assert both.achieved == {"t_released": 0, "t_input": 0.67}
        released = TCloseness("disease", t=0.7, reference="released").holds(evidence(self.made))
        assert released.achieved == {"t_released": 0}

    def test_the_distance_to_the_input_is_told_coarsely_and_never_above_t_when_it_holds(self) -> None:
        assert TCloseness("disease", t=0.668).holds(evidence(self.made)).achieved["t_input"] == 0.668
        assert TCloseness("disease", t=0.666).holds(evidence(self.made)).achieved["t_input"] == 0.67

    @pytest.mark.parametrize("reference", ["input", "both"])
    def test_without_the_input_it_is_not_claimed(self, reference: str) -> None:
        found = TCloseness("disease", t=0.2, reference=reference).holds(evidence(self.made, with_input=False))
        assert found.achieved == {"t_released": 0, "input_reference": "not checked"}

    def test_both_still_checks_the_release_when_the_input_is_gone(self) -> None:
        made = table(["flu", "flu"], ["rash", "rash"])
        assert TCloseness("disease", t=0.2).holds(evidence(made, with_input=False)).failing == 2


class TestTree:
    def test_hierarchical_needs_a_hierarchy(self) -> None:
        made, model = table(["flu"]), TCloseness("disease", t=0.2, distance="hierarchical")
        searched = stats(made)
        bare = replace(searched.coded.sensitive["disease"], hierarchy=None)
        with pytest.raises(PlanError, match="needs a hierarchy of column 'disease'"):
            model.passes(replace(searched, coded=replace(searched.coded, sensitive={"disease": bare})))
        with pytest.raises(PlanError, match="needs a hierarchy of column 'disease'"):
            model.holds(replace(evidence(made), facts={"disease": SensitiveFacts()}))

    @pytest.mark.parametrize("distance", ["ordered", "hierarchical"])
    def test_a_value_the_tree_lacks_is_far_from_everything(self, distance: str) -> None:
        known = {value: path for value, path in DISEASE.paths.items() if value != "asthma"}
        made = table(["flu", "flu"], ["asthma", "asthma"])
        facts = {"disease": SensitiveFacts(paths=known)}
        found = TCloseness("disease", t=0.4, distance=distance).holds(replace(evidence(made), facts=facts))
        assert found.failing == 2
        assert found.achieved["t_released"] == 0.5


@pytest.mark.parametrize("distance", ["equal", "ordered", "hierarchical"])
def test_two_thousand_million_rows_are_still_compared_exactly(distance: str) -> None:
    """At exactly its own distance a class passes; one part in 10^18 less, and it fails."""
    coded, _ = encode(Made(tuple({"disease": d, "months": "9", "who": "ann"} for d in DISEASE.paths), (0, 1, 2, 3, 4)))
    weights = [2**30 + 3, 5**12, 3**18, 7, 2**28 + 1]
    large = np.array(weights, np.int64)
    assert coded.counted.sensitive["disease"].tolist() == [0, 1, 2, 3, 4]
    counted = replace(coded.counted, weight=large, reference={"disease": large})
    searched = stats_of(replace(coded, counted=counted), [[0, 3], [1, 2, 4]])
    whole = {v: Fraction(w, sum(weights)) for v, w in zip(DISEASE.paths, weights, strict=True)}
    here = {v: Fraction(weights[i], weights[0] + weights[3]) for i, v in enumerate(DISEASE.paths) if i in (0, 3)}
    exact = {
        "equal": t_closeness.equal(here, whole),
        "ordered": t_closeness.ordered(here, whole, list(DISEASE.paths)),
        "hierarchical": t_closeness.hierarchical(here, whole, DISEASE.paths),
    }[distance]
    step = Fraction(1, 10**18)
    assert _at(exact, distance).passes(searched)[0]
    assert not _at(exact - step, distance).passes(searched)[0]


def _at(t: Fraction, distance: str) -> TCloseness:
    """A model whose t is that very fraction, which no written number may be."""
    model = TCloseness("disease", t=0.5, distance=distance)
    object.__setattr__(model, "t", t)
    return model


@pytest.mark.parametrize("distance", ["equal", "ordered", "hierarchical"])
def test_a_value_the_input_lacks_does_not_slip_through(distance: str) -> None:
    made = table(["flu", "flu"], ["rash", "rash"])
    wrong = {"disease": pl.DataFrame({"value": ["flu"], "count": [4]})}
    model = TCloseness("disease", t=0.4, distance=distance, reference="input")
    assert model.holds(replace(evidence(made), input_counts=wrong)).failing == 1


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"t": -0.1}, "t must be a number of at least 0 and at most 1"),
        ({"t": 1.1}, "t must be a number of at least 0 and at most 1"),
        ({"t": 0.2, "distance": "euclid"}, "distance must be one of 'equal', 'ordered', 'hierarchical'"),
        ({"t": 0.2, "reference": "none"}, "reference must be one of 'both', 'released', 'input'"),
    ],
)
def test_parameters_are_checked(parameters: dict[str, object], said: str) -> None:
    with pytest.raises(PlanError, match=f"TCloseness {said}"):
        TCloseness("disease", **parameters)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("distance", "type_", "hierarchy", "lacking"),
    [
        ("equal", None, None, ""),
        ("hierarchical", "text", None, "needs a hierarchy for column 'disease'"),
        ("hierarchical", "text", "a tree", ""),
        ("ordered", "text", None, "needs an order for column 'disease'"),
        ("ordered", None, None, "needs an order for column 'disease'"),
        ("ordered", "integer", None, ""),
        ("ordered", "text", "a tree", ""),
    ],
)
def test_what_the_plan_must_say_of_the_column(
    distance: str, type_: str | None, hierarchy: str | None, lacking: str
) -> None:
    column = SimpleNamespace(type=type_, hierarchy=hierarchy)
    said = TCloseness("disease", t=0.2, distance=distance).needs({"disease": column})
    assert lacking in said
    assert bool(said) is bool(lacking)
