from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import polars as pl
import pytest
from hypothesis import strategies as st

from shoal.coded import coded_values, stats_of
from shoal.errors import PlanError
from shoal.models import KPQR, Monotone
from shoal.models.evidence import CLASS, COUNT, Evidence, Finding, SensitiveFacts
from shoal.roles.columns import Column, Type
from tests.models.hand import finding, table, verdicts
from tests.models.strategies import COLUMN, SHARE
from tests.models.tables import Made, evidence
from tests.oracle import kpqr


@st.composite
def models(draw: st.DrawFn) -> KPQR:
    k = draw(st.integers(2, 4))
    return KPQR(
        draw(COLUMN),
        k=k,
        p=draw(st.integers(2, k)),
        q=draw(st.one_of(SHARE, st.sampled_from([0, 0.05]))),
        r=draw(st.one_of(st.just(0), SHARE)),
        reference=draw(st.sampled_from(["both", "released", "input"])),
    )


STRATEGY = models()
ORACLE = kpqr.passes
FLU = ["flu"] * 8


def test_only_a_class_with_a_rare_value_needs_several_values() -> None:
    """HIV has 1 of 10: rare at q = 0.2. Flu, with 9 of 10, may fill a class."""
    model = KPQR("disease", k=2, p=2, q=0.2)
    assert verdicts(model, FLU, ["flu", "HIV"]) == [True, True]
    assert verdicts(model, [*FLU, "flu"], ["HIV", "HIV"]) == [True, False]
    assert verdicts(replace(model, p=3, k=3), FLU, ["flu", "flu", "HIV"]) == [True, False]


def test_a_share_of_exactly_q_is_not_rare() -> None:
    classes = (FLU, ["HIV", "HIV"])  # 1 in 5
    assert verdicts(KPQR("disease", k=2, p=2, q=0.2), *classes) == [True, True]
    assert verdicts(KPQR("disease", k=2, p=2, q=0.200000000000001), *classes) == [True, False]
    assert verdicts(KPQR("disease", k=2, p=2, q=0), *classes) == [True, True]


def test_every_class_needs_k_rows() -> None:
    assert verdicts(KPQR("disease", k=3, p=2, q=0), FLU, ["flu", "flu"]) == [True, False]


def test_a_variance_exactly_at_r_passes() -> None:
    """Half of the table has −2 and half has 10, a variance of 36; with three of one and one of the other, it is 27."""
    classes = (["-2"] * 3 + ["10"], ["-2"] + ["10"] * 3)
    model = KPQR("months", k=2, p=2, q=1, r=0.75)
    assert verdicts(model, *classes, column="months") == [True, True]
    assert verdicts(replace(model, r=0.750000000000001), *classes, column="months") == [False, False]
    assert verdicts(replace(model, r=1, q=0.5), *classes, column="months") == [True, True]  # no value is rare
    assert finding(model, *classes, column="months").achieved["r_released"] == 0.75


def test_variance_is_of_numbers_and_not_of_ranks() -> None:
    """9, 10 and 10.5 are three values, but they lie close together beside −2."""
    classes = (["9", "10", "10.5"], ["-2"] * 3)
    model = KPQR("months", k=3, p=3, q=0.4, r=0.5)
    assert verdicts(replace(model, r=0), *classes, column="months") == [True, True]
    assert verdicts(model, *classes, column="months") == [False, True]
    found = finding(model, *classes, column="months")
    # 7/18 within the class; in the table half of that, and the square of half the distance between the two means
    assert found.achieved["r_released"] == pytest.approx((7 / 18) / (7 / 36 + (71 / 12) ** 2))


def test_text_is_ranked_in_the_order_of_its_hierarchy_among_the_values_that_occur() -> None:
    """Flu, rash and HIV are 0, 1 and 2: asthma and ulcer, between them in the tree, do not occur."""
    classes = (["flu", "rash"], ["flu", "HIV"])
    model = KPQR("disease", k=2, p=2, q=0.6, r=0.5)  # variance of the table: 11/16; of the classes: 1/4 and 1
    assert verdicts(model, *classes) == [False, True]
    assert finding(model, *classes).achieved["r_released"] == pytest.approx(4 / 11)


def test_a_missing_value_is_neither_rare_nor_a_value_unless_it_counts() -> None:
    model = KPQR("disease", k=2, p=2, q=0.3)
    classes = (FLU, ["flu", None])
    assert verdicts(model, *classes) == [True, True]
    assert verdicts(model, FLU, ["HIV", None]) == [True, False]
    assert verdicts(model, FLU, ["HIV", None], missing_counts=True) == [True, True]
    assert verdicts(model, FLU, [None, None], missing_counts=True) == [True, False]


def test_a_class_without_positions_has_no_variance() -> None:
    model = KPQR("months", k=2, p=2, q=0.6, r=0.1)
    assert verdicts(replace(model, r=0), ["9", None], ["-1", None], column="months", missing_counts=True) == [True] * 2
    assert verdicts(model, ["9", None], ["-1", None], column="months", missing_counts=True) == [False] * 2


def test_a_table_without_variance_requires_none() -> None:
    model = KPQR("months", k=2, p=2, q=1, r=1)
    assert verdicts(model, ["9", "9", None], column="months", missing_counts=True) == [True]


class TestReference:
    """Eight suppressed HIV rows: rare in the release, frequent in the input."""

    made = table(FLU, ["HIV", "HIV"], suppressed=["HIV"] * 8)

    def found(self, made: Made | None = None, **parameters: object) -> Finding:
        return KPQR("disease", k=2, p=2, q=0.3, **parameters).holds(evidence(made or self.made))  # type: ignore[arg-type]

    @pytest.mark.parametrize(("reference", "failing"), [("released", 1), ("input", 0), ("both", 1)])
    def test_each_is_checked_as_asked(self, reference: str, failing: int) -> None:
        assert self.found(reference=reference).failing == failing

    def test_what_is_rare_in_the_input_fails_too(self) -> None:
        made = table(["flu"] * 2, ["HIV"] * 2, suppressed=["flu"] * 8)  # HIV: 1/2 of the release, 1/6 of the input
        assert [self.found(made, reference=each).failing for each in ("released", "input", "both")] == [0, 1, 1]

    def test_achieved_names_what_was_compared(self) -> None:
        assert self.found().achieved == {"k": 2, "p_released": 1, "p_input": None}
        assert self.found(reference="released").achieved == {"k": 2, "p_released": 1}
        unknown = KPQR("disease", k=2, p=2, q=0.3).holds(evidence(self.made, with_input=False))
        assert unknown.achieved == {"k": 2, "p_released": 1, "input_reference": "not checked"}

    def test_the_share_of_the_inputs_variance_is_coarse(self) -> None:
        made = table(["9", "10"], ["-2", "10.5"], suppressed=["-1"], column="months")
        achieved = KPQR("months", k=2, p=2, q=1, r=0).holds(evidence(made)).achieved
        assert "r_input" not in achieved
        achieved = KPQR("months", k=2, p=2, q=1, r=0.001).holds(evidence(made)).achieved
        assert achieved["r_input"] == 0.001  # at least r, and no more places than r or two
        achieved = KPQR("months", k=2, p=2, q=1, r=1).holds(evidence(made)).achieved
        assert achieved["r_input"] == 0


@pytest.mark.parametrize(
    ("type_", "values"),
    [
        ("integer", [str(10**30 + n) for n in (0, 1, 2, 100)]),
        ("real", ["1e-300", "2e-300", "3e-300", "1e-298"]),
        ("date", ["2020-01-01", "2020-01-02", "2020-01-03", "2020-04-10"]),
        ("datetime", [f"2020-01-01 00:00:0{s}" for s in ("0", "0.001", "0.002", "0.100")]),
    ],
)
def test_numbers_of_any_size_and_dates_have_positions(type_: Type, values: list[str]) -> None:
    """0, 1, 2 and 100 of some unit: {0, 1, 2} varies little, {0, 1, 100} much."""
    settings = Column(role="sensitive", type=type_)
    coded = coded_values({"x": values}, settings={"x": settings}, order={"x": values})
    model = KPQR("x", k=3, p=3, q=1, r=0.5)
    assert model.passes(stats_of(coded, [[0, 1, 2], [0, 1, 3]])).tolist() == [False, True]
    for here, failing in (([0, 1, 2], 1), ([0, 1, 3], 0)):
        rows = pl.DataFrame({CLASS: [0] * 3, COUNT: [1] * 3, "x": [values[i] for i in here]})
        whole = pl.DataFrame({"value": values, "count": [1] * 4})
        seen = Evidence(rows, {"x": SensitiveFacts(settings)}, {"x": whole}, references={"x": whole})
        assert model.holds(seen).failing == failing


def test_a_passing_class_without_variance_lowers_that_of_a_union() -> None:
    assert KPQR("months", k=2, p=2, q=0.5).monotone is Monotone.UNION
    model = KPQR("months", k=2, p=2, q=0.3, r=0.9)
    assert model.monotone is Monotone.NONE
    rare, uniform, other = ["-2", "10.5"], ["10"] * 6, ["-1"] * 6
    assert verdicts(model, rare, uniform, other, column="months") == [True, True, True]
    assert verdicts(model, [*rare, *uniform], other, column="months") == [False, True]


def test_the_part_without_shares_is_k() -> None:
    rest = KPQR("months", k=3, p=3, q=0.5, r=0.5).without_shares
    assert verdicts(rest, ["9"] * 3, ["-1"] * 2, column="months") == [True, False]


@pytest.mark.parametrize(
    ("type_", "hierarchy", "r", "lacking"),
    [
        ("text", None, 0, ""),
        ("text", None, 0.1, "needs an order for column 'disease'"),
        (None, None, 0.1, "needs an order for column 'disease'"),
        ("integer", None, 0.1, ""),
        ("text", "a tree", 0.1, ""),
    ],
)
def test_what_the_plan_must_say_of_the_column(type_: str | None, hierarchy: str | None, r: float, lacking: str) -> None:
    said = KPQR("disease", k=2, p=2, q=0.1, r=r).needs({"disease": SimpleNamespace(type=type_, hierarchy=hierarchy)})
    assert lacking in said and bool(said) is bool(lacking)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"k": 1}, "k must be an integer of at least 2; got 1"),
        ({"p": 1}, "p must be an integer of at least 2; got 1"),
        ({"p": 4}, "p must be at most k; got p = 4 and k = 3"),
        ({"q": 1.5}, "q must be a number of at least 0 and at most 1"),
        ({"r": -1}, "r must be a number of at least 0 and at most 1"),
        ({"reference": "none"}, "reference must be one of 'both', 'released', 'input'"),
    ],
)
def test_parameters_are_checked(changed: dict[str, object], said: str) -> None:
    with pytest.raises(PlanError, match=f"KPQR {said}"):
        KPQR(**{"column": "disease", "k": 3, "p": 2, "q": 0.1} | changed)  # type: ignore[arg-type]
