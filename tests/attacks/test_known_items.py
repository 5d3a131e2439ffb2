"""Few known items: the fewest rows that have them, which km-anonymity bounds."""

from __future__ import annotations

from itertools import combinations

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.attacks import KnownItems, Target, known_items
from shoal.models import KmAnonymity, QSDiversity
from tests.effort import examples
from tests.models.tables import SETS

FRAME = pl.DataFrame({"age": ["1"] * 4, "ill": ["rash|fever", "rash", "fever | rash", "cough|fever|rash"]})


def plan(*models: object, **column: str) -> shoal.Plan:
    return shoal.Plan(columns={"age": shoal.quasi(), "ill": shoal.quasi_sensitive(**column)}, models=list(models))  # type: ignore[arg-type]


def items(cell: str | None) -> set[str]:
    return {part.strip() for part in (cell or "").split("|")} - {""}


def test_by_hand() -> None:
    """Any two items: cough and rash have one row. With m = 1, three rows have fever, but only one has cough."""
    bounded, beyond = KnownItems().attack(Target({"release": FRAME}, plan(KmAnonymity("ill", k=2, m=1))))
    assert (bounded.success, bounded.baseline, bounded.bound, bounded.holds) == (1.0, 0.25, 0.5, False)
    assert (beyond.success, beyond.bound, beyond.holds) == (1.0, None, True)
    (fewer,) = KnownItems(known=2).attack(Target({"release": FRAME.head(3)}, plan(KmAnonymity("ill", k=2, m=2))))
    assert (fewer.success, fewer.bound, fewer.column) == (0.5, 0.5, "ill")


def test_without_the_model_two_items_are_known_and_nothing_is_promised() -> None:
    target = Target({"release": FRAME}, plan(QSDiversity("ill", c=1, l=2), knowledge_sha256="00"))
    (outcome,) = KnownItems().attack(target)
    assert (outcome.bound, outcome.knows) == (None, "Any 2 items of an individual, or all if there are fewer.")


def test_rows_without_items_cannot_be_found_by_them() -> None:
    empty = pl.DataFrame({"age": ["1", "2"], "ill": ["", None]}, schema_overrides={"ill": pl.String})
    for outcome in KnownItems().attack(Target({"release": empty}, plan(KmAnonymity("ill", k=2, m=2)))):
        assert outcome.success == 0.0


def test_it_needs_a_set_valued_column() -> None:
    other = shoal.Plan(columns={"age": shoal.quasi()}, models=[shoal.KAnonymity(k=2)])
    assert "no set-valued column" in KnownItems().applies(Target({"release": FRAME.select("age")}, other))


@given(st.lists(st.sampled_from(SETS), min_size=2, max_size=20), st.integers(2, 4), st.integers(1, 3))
@settings(max_examples=examples(40), deadline=None)
def test_a_release_stays_within_its_bound_and_the_fewest_rows_are_counted(
    cells: list[str | None], k: int, m: int
) -> None:
    frame = pl.DataFrame(
        {"age": [str(n % 3) for n in range(len(cells))], "ill": cells}, schema_overrides={"ill": pl.String}
    )
    asked = plan(KmAnonymity("ill", k=k, m=m))
    released = shoal.anonymize(frame, asked).frame
    bounded, beyond = KnownItems().attack(Target({"release": released}, asked))
    assert bounded.holds and not bounded.sampled
    sets = [items(cell) for cell in released["ill"].to_list()]
    for outcome, known in ((bounded, m), (beyond, m + 1)):
        matching = [
            sum(set(each) <= other for other in sets)
            for own in sets
            for each in combinations(sorted(own), min(known, len(own)))
            if each
        ]
        assert outcome.success == (1 / min(matching) if matching else 0.0)


def test_many_sets_are_sampled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(known_items, "_SETS_TRIED", 2)
    (outcome,) = KnownItems(known=1).attack(Target({"release": FRAME}, plan(KmAnonymity("ill", k=2, m=2))))
    assert outcome.sampled
    monkeypatch.undo()
    monkeypatch.setattr(known_items, "_COMBINATIONS_TRIED", 1)
    (outcome,) = KnownItems(known=1).attack(Target({"release": FRAME}, plan(KmAnonymity("ill", k=2, m=2))))
    assert outcome.sampled
