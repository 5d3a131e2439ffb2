"""Indirect disclosure finds the largest belief in a label, which models of items bound."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import shoal
from shoal.attacks import Indirect, Target
from shoal.errors import CannotBeMet
from shoal.models import ItemModel, KAnonymity, KmAnonymity, QSCloseness, QSDiversity
from tests.effort import examples
from tests.models.tables import KNOWLEDGE, SETS
from tests.oracle import Setting
from tests.oracle.quasi_sensitive import beliefs

FRAME = pl.DataFrame({"age": ["1", "1", "2", "2"], "ill": ["rash|fever", "zest", "ache | cough", None]})


@pytest.fixture
def known(tmp_path: Path) -> Path:
    path = tmp_path / "known.csv"
    path.write_text("".join(f"{label},{'|'.join(items)}\n" for label, items in KNOWLEDGE.items()), encoding="utf-8")
    return path


def plan(known: Path, *models: object) -> shoal.Plan:
    columns = {"age": shoal.quasi(), "ill": shoal.quasi_sensitive(knowledge=str(known))}
    return shoal.Plan(columns=columns, models=list(models))


def test_the_largest_belief_by_hand(known: Path) -> None:
    """Measles is certain for one of two rows; in the table, it has 1/4 and its part of the row without items."""
    (outcome,) = Indirect().attack(Target({"release": FRAME}, plan(known, QSDiversity("ill", c=1, l=2))))
    assert outcome.success == pytest.approx(1 / 2)
    assert outcome.baseline == pytest.approx(1 / 4 + 1 / 24)
    assert outcome.bound == pytest.approx(1 / 2) and outcome.holds


def test_without_a_table_at_hand_it_is_not_tried(known: Path) -> None:
    given_plan = plan(known, QSDiversity("ill", c=1, l=2))
    column = shoal.quasi_sensitive(knowledge_sha256="00")
    lacking = given_plan.changed(columns={**given_plan.columns, "ill": column})
    assert "no set-valued column" in Indirect().applies(Target({"release": FRAME}, lacking))
    assert not Indirect().applies(Target({"release": FRAME}, given_plan))


def test_labels_that_stand_for_items_are_not_looked_up(known: Path) -> None:
    """A knowledge table has items, so that a row with a label above them would seem to link to nothing."""
    column = shoal.quasi_sensitive(shoal.prefixes(1), knowledge=str(known))
    generalized = shoal.Plan(columns={"age": shoal.quasi(), "ill": column}, models=[KmAnonymity("ill", k=2, m=1)])
    assert "no set-valued column" in Indirect().applies(Target({"release": FRAME}, generalized))


@given(data=st.data())
@settings(max_examples=examples(40), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_release_exceeds_its_bound_and_the_belief_is_that_of_the_definition(
    known: Path, data: st.DataObject
) -> None:
    cells = data.draw(st.lists(st.tuples(st.integers(1, 4), st.sampled_from(SETS)), min_size=4, max_size=20))
    frame = pl.DataFrame(
        {"age": [age for age, _ in cells], "ill": [text for _, text in cells]}, schema_overrides={"ill": pl.String}
    )
    model: ItemModel = data.draw(
        st.one_of(
            st.builds(QSDiversity, st.just("ill"), c=st.sampled_from([0.5, 1, 2]), l=st.integers(2, 4)),
            st.builds(QSCloseness, st.just("ill"), t=st.sampled_from([0.1, 0.3, 0.5])),
        )
    )
    asked = plan(known, KAnonymity(k=2), model)
    try:
        release = shoal.anonymize(frame, asked)
    except CannotBeMet:
        return
    (outcome,) = Indirect().attack(Target(release.tables, asked, raw=frame))
    assert outcome.holds and outcome.bound is not None
    rows = [{"age": row["age"], "ill": row["ill"]} for row in release.tables["release"].cast(pl.String).to_dicts()]
    setting = Setting(knowledge={"ill": KNOWLEDGE})
    classes = [[row for row in rows if row["age"] == age] for age in {row["age"] for row in rows}]
    assert outcome.success == pytest.approx(float(max(max(beliefs(c, "ill", setting).values()) for c in classes)))
    assert outcome.baseline == pytest.approx(float(max(beliefs(rows, "ill", setting).values())))
