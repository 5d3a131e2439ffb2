"""The values that a model names are compared as their column writes them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from shoal.algorithms import Pais
from shoal.errors import PlanError
from shoal.models import LKC, AlphaK
from shoal.plan.toml import from_tables, to_tables


def plan(model: Any, type: str | None) -> shoal.Plan:
    columns = {"a": shoal.quasi(), "s": shoal.sensitive(type=type)}  # type: ignore[typeddict-item]
    return shoal.Plan(columns=columns, models=[model], algorithm=Pais())


@pytest.mark.parametrize("kind", [lambda values: LKC(1, 2, 0.5, "s", values), lambda v: AlphaK("s", 0.5, 2, v)])
@pytest.mark.parametrize(
    ("values", "type", "compared"),
    [
        (("1.0", "02"), "integer", ("1", "2")),
        (("1", "1.0", "2.50"), "real", ("1", "2.5")),
        ((1, 2.0, 2.5), "real", ("1", "2", "2.5")),
        ((1, 2.0), "integer", ("1", "2")),
        (("1", "1.0", "01"), None, ("1", "1.0", "01")),
        ((1, "x"), "text", ("1", "x")),
        (("1.2.2020",), "date", ("2020-02-01",)),
    ],
)
def test_numbers_match_numerically_and_texts_literally(
    kind: Any, values: tuple[Any, ...], type: str | None, compared: tuple[str, ...]
) -> None:
    assert plan(kind(values), type).enforced[0].names_values == compared


def test_a_plan_keeps_the_values_as_given() -> None:
    given = plan(AlphaK("s", 0.5, 2, ("1.0",)), "integer")
    assert given.models[0].values == ("1.0",) and from_tables(to_tables(given), Path()) == given


def test_a_listed_number_is_guarded_however_it_is_written() -> None:
    frame = pl.DataFrame({"a": ["1", "1", "2", "2"], "s": ["1", "1.0", "2", "3"]})
    release = shoal.anonymize(frame, plan(AlphaK("s", 0.5, 2, (1,)), "integer"))
    assert release.verification.classes == 1  # in a class of its own, a = 1 would reveal s = 1
    assert release.achieved["alpha-k"]["alpha"] == 0.5


@pytest.mark.parametrize("values", [(), (True,), (float("nan"),), ("a", "a"), (1, "1"), ("",), (None,), "HIV"])
def test_what_no_list_of_values_is_is_refused(values: Any) -> None:
    with pytest.raises(PlanError, match="values must be a non-empty list of distinct texts or numbers"):
        AlphaK("s", 0.5, 2, values)
