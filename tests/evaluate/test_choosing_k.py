"""The choice of k: its figures are those of the release with that k."""

from __future__ import annotations

import os
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.algorithms import Incognito, KMember, Mondrian, Optimal, Pais
from shoal.errors import Cancelled, PlanError
from shoal.evaluate import choosing_k
from shoal.evaluate.choosing_k import choose_k, with_k
from shoal.models import AlphaK, KAnonymity, KmAnonymity, LDiversity, PSensitive, QSCloseness, QSDiversity
from shoal.pipeline import partitioned
from tests.models.tables import KNOWLEDGE, SETS

SECRET = "Zyxwv"


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("known") / "diseases.csv"
    pairs = [f"{label},{item}" for label, items in KNOWLEDGE.items() for item in items]
    path.write_text("\n".join(["label,item", *pairs]) + "\n")
    return path


def patients(rows: int = 60, seed: int = 0) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "age": [None if i % 17 == 0 else 20 + int(rng.integers(0, 12)) for i in range(rows)],
            "city": [f"{SECRET}{int(rng.integers(0, 4))}" for _ in range(rows)],
            "stage": [str(int(rng.integers(0, 3))) for _ in range(rows)],
            "symptoms": [SETS[int(rng.integers(0, 6))] for _ in range(rows)],
        }
    )


def plan_of(known: Path, *models: Any, algorithm: Any = None, **release: Any) -> shoal.Plan:
    return shoal.Plan(
        columns={
            "age": shoal.quasi(shoal.intervals(5, 10), type="integer"),
            "city": shoal.quasi(),
            "stage": shoal.sensitive(),
            "symptoms": shoal.quasi_sensitive(knowledge=str(known)),
        },
        models=models or (KAnonymity(k=3), QSDiversity("symptoms", c=1, l=3)),
        algorithm=algorithm or Mondrian(),
        release=shoal.ReleaseSettings(**release),
    )


ALGORITHMS = {
    "mondrian": Mondrian(),
    "k-member": KMember(),
    "refined": Mondrian(refine=True),
    "optimal": Optimal(),
    "incognito": Incognito(),
    "pais": Pais(goal="general"),
}


@pytest.mark.parametrize("name", ALGORITHMS)
def test_the_figures_are_those_of_the_release(known: Path, name: str) -> None:
    plan, frame = plan_of(known, algorithm=ALGORITHMS[name]), patients()
    choice = choose_k(frame, plan, ks=(5, 1, 2, 2))
    assert [tried.k for tried in choice.tried] == [1, 2, 5]
    assert (choice.rows, choice.planned) == (60, 3)
    for tried in choice.tried:
        manifest = shoal.anonymize(frame, with_k(plan, tried.k)).steward
        assert tried.ncp == pytest.approx(manifest.measures["ncp"], abs=1e-12)
        assert tried.item_loss == pytest.approx(manifest.measures["item_loss"], abs=1e-12)
        assert (tried.classes, tried.rows_suppressed) == (manifest.classes, manifest.rows_suppressed)
        assert manifest.search is not None
        (removal,) = manifest.search.item_removal or ()
        assert (tried.with_item_loss, tried.removals, tried.in_time) == (removal.classes, (removal,), True)
        assert (tried.item_loss_by_column or {})["symptoms"] == pytest.approx(tried.item_loss)


def test_a_class_with_losses_in_two_columns_counts_once(known: Path) -> None:
    plan = plan_of(known)
    columns = {**plan.columns, "drugs": shoal.quasi_sensitive()}
    plan = plan.changed(columns=columns, models=[*plan.models, KmAnonymity("drugs", k=20, m=2)])
    frame = patients().with_columns(drugs=pl.col("symptoms").reverse())
    choice = choose_k(frame, plan, ks=(1, 2))
    for tried in choice.tried:
        steward = shoal.anonymize(frame, with_k(plan, tried.k)).steward
        first, second = tried.removals
        assert max(first.classes, second.classes) <= (tried.with_item_loss or 0) <= (tried.classes or 0)
        assert first.classes + second.classes > (tried.classes or 0)
        assert (first.model, first.proven) == ("qs-diversity", first.classes)
        assert (second.model, second.column, second.proven) == ("km-anonymity", "drugs", None)
        assert tried.item_loss_by_column == pytest.approx(steward.measures["item_loss_by_column"])


@pytest.mark.parametrize("release", [{"suppression": 0.2}, {"ranges": "cut"}, {"categories": "sets"}], ids=str)
def test_release_settings_and_closeness(known: Path, release: dict[str, Any]) -> None:
    algorithm = Optimal() if "suppression" in release else Mondrian()
    plan = plan_of(known, QSCloseness("symptoms", t=0.2), algorithm=algorithm, **release)
    for tried in choose_k(patients(), plan, ks=(4, 9)).tried:
        measures = shoal.anonymize(patients(), with_k(plan, tried.k)).steward.measures
        assert tried.ncp == pytest.approx(measures["ncp"], abs=1e-12)
        assert tried.item_loss == pytest.approx(measures["item_loss"], abs=1e-12)


def test_dropped_rows_count_as_lost(known: Path) -> None:
    plan = plan_of(known)
    plan = plan.changed(data=shoal.Data(missing_rows="drop"))
    (tried,) = choose_k(patients(), plan, ks=(2,)).tried
    manifest = shoal.anonymize(patients(), with_k(plan, 2)).steward
    assert tried.rows_suppressed == manifest.rows_suppressed == 4
    assert tried.ncp == pytest.approx(manifest.measures["ncp"], abs=1e-12)


def test_k_1_publishes_equal_quasi_identifiers_and_a_larger_k_generalizes(known: Path) -> None:
    frame = patients(200)
    one, ten = choose_k(frame, plan_of(known), ks=(1, 10)).tried
    assert one.ncp == 0 and one.classes == frame.select("age", "city").n_unique()
    assert (ten.ncp or 0) > 0 and (ten.item_loss or 0) <= (one.item_loss or 0)


def test_every_model_of_classes_gets_the_k(known: Path) -> None:
    diverse = QSDiversity("symptoms", c=1, l=3)
    plan = plan_of(known, KAnonymity(k=3), AlphaK("stage", alpha=0.9, k=2), diverse)
    assert with_k(plan, 7).models == (KAnonymity(k=7), AlphaK("stage", alpha=0.9, k=7), diverse)
    assert with_k(plan, 1).models == (AlphaK("stage", alpha=0.9, k=1), diverse)
    assert choose_k(patients(), plan, ks=(2,)).planned is None
    none = plan_of(known, diverse, LDiversity("stage", l=2))
    assert with_k(none, 7).models == (KAnonymity(k=7), diverse, LDiversity("stage", l=2))
    assert with_k(none, 1).models == none.models
    assert choose_k(patients(), none, ks=(2,)).planned == 1


def test_a_k_that_cannot_be_met_is_shown(known: Path) -> None:
    """Also if the k of the plan itself cannot be met."""
    plan = plan_of(known, KAnonymity(k=500), QSDiversity("symptoms", c=1, l=3))
    possible, impossible = choose_k(patients(), plan, ks=(2, 61)).tried
    assert possible.met and not impossible.met
    assert impossible.ncp is None and impossible.item_loss is None
    assert "k = 61" in impossible.reason and SECRET not in impossible.reason


def test_a_k_that_a_model_refuses_is_shown(known: Path) -> None:
    plan = plan_of(known, PSensitive(p=2, k=3), QSDiversity("symptoms", c=1, l=3))
    refused, possible = choose_k(patients(), plan, ks=(1, 4)).tried
    assert "PSensitive k must be an integer of at least 2" in refused.reason and possible.met


def test_a_removal_that_is_impossible_is_shown(known: Path) -> None:
    (tried,) = choose_k(patients(), plan_of(known, QSDiversity("symptoms", c=0.01, l=6)), ks=(2,)).tried
    assert "cannot be met by removing items" in tried.reason


@pytest.mark.parametrize("ks", [(), (0,), (2, -1), (True,), (2.0,), ("2",)])
def test_what_is_no_k(known: Path, ks: Any) -> None:
    with pytest.raises(PlanError, match=r"whole numbers from 1"):
        choose_k(patients(), plan_of(known), ks=ks)


def test_a_plan_without_a_model_of_items_is_refused() -> None:
    plan = shoal.Plan(columns={"age": shoal.quasi()}, models=[KAnonymity(k=2)], data=shoal.Data(unlisted="drop"))
    with pytest.raises(PlanError, match="no model of items"):
        choose_k(patients(), plan)


def test_a_table_that_does_not_fit_is_an_error(known: Path) -> None:
    with pytest.raises(PlanError, match="Column 'stage' is not in the table"):
        choose_k(patients().drop("stage"), plan_of(known))


def test_progress_is_reported_by_the_thread_of_the_caller(known: Path) -> None:
    seen: list[tuple[str, float, int]] = []
    choose_k(patients(), plan_of(known), progress=lambda step, share: seen.append((step, share, threading.get_ident())))
    shares = [share for step, share, _ in seen if step == "choose"]
    assert shares and shares == sorted(shares) and all(0 <= share <= 1 for share in shares)
    assert {thread for _, _, thread in seen} == {threading.get_ident()}


def test_what_progress_raises_cancels_all(known: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ended = []

    def endless(_coded: Any, _plan: Any, progress: Any) -> Any:
        try:
            for _ in range(1000):
                progress("search", 0.5)
                time.sleep(0.01)
        finally:
            ended.append(sys.exc_info()[0])

    def cancel(step: str, share: float) -> None:
        if step == "choose" and share > 0:
            raise Cancelled("Enough.")

    monkeypatch.setattr(choosing_k, "partitioned", endless)
    with pytest.raises(Cancelled, match="Enough"):
        choose_k(patients(), plan_of(known), progress=cancel)
    assert ended and None not in ended  # those that had begun were told to stop, and none is still at work
    assert len(ended) <= (os.cpu_count() or 1)


def test_several_k_are_tried_at_the_same_time(known: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    both, given = threading.Barrier(2), partitioned

    def meeting(*arguments: Any) -> Any:
        both.wait(60)
        return given(*arguments)

    monkeypatch.setattr(choosing_k, "partitioned", meeting)
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    assert len(choose_k(patients(), plan_of(known), ks=(2, 5)).met) == 2


def test_a_fault_in_one_k_is_raised(known: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> Any:
        raise ZeroDivisionError

    monkeypatch.setattr(choosing_k, "partitioned", broken)
    with pytest.raises(ZeroDivisionError):
        choose_k(patients(), plan_of(known))


def test_a_fault_in_one_k_stops_the_others_at_once(known: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    began, ended = threading.Event(), []

    def broken_or_endless(_coded: Any, plan: Any, progress: Any) -> Any:
        if plan.models[0].k == 5:
            began.wait(60)
            raise ZeroDivisionError
        began.set()
        try:
            for _ in range(1000):
                progress("search", 0.5)
                time.sleep(0.01)
        finally:
            ended.append(sys.exc_info()[0])

    monkeypatch.setattr(choosing_k, "partitioned", broken_or_endless)
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    with pytest.raises(ZeroDivisionError):
        choose_k(patients(), plan_of(known), ks=(2, 5))
    assert ended != [None]


def test_a_search_without_seconds_is_out_of_time_only_if_it_left_something_open(known: Path) -> None:
    """Without seconds every class gets a greedy answer, which is not proven. Where none fails, nothing is left open."""
    strict, weak = (plan_of(known, QSDiversity("symptoms", c=c, l=l, budget=0)) for c, l in ((1, 3), (4, 2)))
    (failing,), (passing,) = (choose_k(patients(), plan, ks=(1,)).tried for plan in (strict, weak))
    assert failing.removals[0].classes > (failing.removals[0].proven or 0) and failing.in_time is False
    assert (passing.with_item_loss, passing.in_time) == (0, True)


def test_other_kinds_of_frames(known: Path) -> None:
    plan, frame = plan_of(known), patients()
    assert choose_k(frame.to_pandas(), plan, ks=(2, 5)) == choose_k(frame, plan, ks=(2, 5))
    lists = frame.with_columns(pl.col("symptoms").str.split("|"))
    assert choose_k(lists.to_arrow(), plan, ks=(2, 5)) == choose_k(frame, plan, ks=(2, 5))
