from __future__ import annotations

import pytest
from hypothesis import strategies as st

from shoal.errors import PlanError
from shoal.models import PSensitive
from tests.models.hand import finding, table, verdicts
from tests.models.tables import Made, evidence, stats
from tests.oracle import p_sensitive

BOTH = ("disease", "months")
STRATEGY = st.builds(
    PSensitive, p=st.integers(2, 3), k=st.integers(3, 5), columns=st.sampled_from([("disease",), BOTH])
)
ORACLE = p_sensitive.passes


def test_exactly_p_values_and_k_rows_pass() -> None:
    model = PSensitive(p=2, k=3, columns=("disease",))
    assert verdicts(model, ["flu", "HIV", "flu"], ["flu"] * 3, ["flu", "HIV"]) == [True, False, False]


def test_the_papers_class_of_two_men_with_diabetes() -> None:
    found = finding(PSensitive(p=2, k=2, columns=("disease",)), ["HIV", "HIV"], ["HIV", "flu"])
    assert (found.failing, found.achieved) == (1, {"p": 1, "k": 2})


def test_every_column_must_be_sensitive() -> None:
    """Values of one column do not make up for another's."""
    rows = tuple({"disease": d, "months": m, "who": "ann"} for d, m in [("flu", "9"), ("HIV", "9")])
    made = Made(rows, (0, 0))
    assert PSensitive(p=2, k=2, columns=("disease",)).passes(stats(made)).tolist() == [True]
    assert PSensitive(p=2, k=2, columns=BOTH).passes(stats(made)).tolist() == [False]
    assert PSensitive(p=2, k=2, columns=BOTH).holds(evidence(made)).achieved == {"p": 1, "k": 2}


def test_a_missing_value_counts_only_where_the_plan_says_so() -> None:
    model = PSensitive(p=2, k=2, columns=("disease",))
    assert verdicts(model, ["flu", None], [None, None]) == [False, False]
    assert verdicts(model, ["flu", None], missing_counts=True) == [True]


class TestResolved:
    def test_without_columns_all_sensitive_ones_are_meant(self) -> None:
        resolved = PSensitive(p=2, k=3).resolved(BOTH)
        assert resolved == PSensitive(p=2, k=3, columns=BOTH)
        assert resolved.reads == BOTH
        assert PSensitive(p=2, k=3).reads == ()

    def test_named_columns_stay(self) -> None:
        model = PSensitive(p=2, k=3, columns=("disease",))
        assert model.resolved(BOTH) is model

    def test_unresolved_it_judges_nothing(self) -> None:
        made = table(["flu", "HIV"])
        with pytest.raises(PlanError, match="before its sensitive columns are known"):
            PSensitive(p=2, k=2).passes(stats(made))
        with pytest.raises(PlanError, match="before its sensitive columns are known"):
            PSensitive(p=2, k=2).holds(evidence(made))

    def test_a_plan_without_sensitive_columns_is_refused(self) -> None:
        with pytest.raises(PlanError, match="needs a sensitive column"):
            PSensitive(p=2, k=2).resolved(())


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"p": 3, "k": 2}, "p must be at most k; got p = 3 and k = 2"),
        ({"p": 1, "k": 2}, "p must be an integer of at least 2; got 1"),
        ({"p": 2, "k": 2, "columns": []}, "columns must be a non-empty list"),
        ({"p": 2, "k": 2, "columns": "disease"}, "columns must be a non-empty list"),
    ],
)
def test_parameters_are_checked(parameters: dict[str, object], said: str) -> None:
    with pytest.raises(PlanError, match=f"PSensitive {said}"):
        PSensitive(**parameters)  # type: ignore[arg-type]
