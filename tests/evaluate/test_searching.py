"""The search for a suggestion: budgets are kept, and classes are as small as the thresholds allow."""

from __future__ import annotations

import time

from shoal.algorithms import Mondrian, Optimal
from shoal.evaluate.candidates import Candidate, Change, Setting
from shoal.evaluate.searching import Case, Room, Search, _combined, _larger
from shoal.evaluate.utility import loss_for
from shoal.plan import RiskSettings
from shoal.risks.measuring import Settings
from tests.evaluate.test_comparing import patients, plan_of


def searching(plans: int, **risk: float) -> Search:
    frame, plan = patients(), plan_of(3, risk=RiskSettings(**risk))
    case = Case(frame, plan, loss_for("general", frame, plan), Settings(attacks=False))
    return Search(case, Setting(plan, "general", 3, 0.0, {}, by_level=True), Room(plans), lambda _share: None)


def test_the_budget_is_kept() -> None:
    search = searching(7, average=0.05)
    search.run()
    assert len(search.tried) == 7
    assert search.room.left == 0


def test_no_round_begins_after_the_deadline() -> None:
    room = Room(10, time.monotonic() - 1)
    assert room.left == 0
    assert room.late


def test_room_is_divided() -> None:
    room = Room(100)
    first = room.less(15)
    assert (first.plans, room.of(15).plans, room.plans) == (85, 15, 0)
    small = Room(10)
    assert (small.less(15).plans, small.of(15).plans) == (5, 5)
    late = Room(10, time.monotonic() - 1)
    assert late.of(5).left == 0
    assert late.late


def test_classes_are_as_small_as_the_thresholds_allow() -> None:
    search = searching(40, average=0.05)
    start = Candidate(Mondrian(), 3)
    search.finish([start])
    sizes = {candidate.k: tried.meets for candidate, tried in search.found.values()}
    least = min(k for k, meets in sizes.items() if meets)
    assert not sizes[3]
    assert sizes[least - 1] is False


def test_what_is_refused_is_listed_by_algorithm() -> None:
    search = searching(5)
    search.try_all([Candidate(Mondrian(cut="target"), 3), Candidate(Optimal(), 3)])
    assert search.refused == ["mondrian"]
    assert [tried.name for tried in search.tried] == ["optimal, k = 3"]


def test_classes_grow_with_the_excess_within_limits() -> None:
    assert _larger(10, 1.5, 1000) == 15
    assert _larger(10, 1.001, 1000) == 11
    assert _larger(10, 99.0, 1000) == 40
    assert _larger(10, 99.0, 30) == 30


def test_improvements_are_combined() -> None:
    centre = Candidate(Mondrian(), 5, changes=(Change("age", "weight", 2.0),))
    one, two = centre.having(Change("city", "weight", 0.5)), centre.having(Change("age", "weight", 4.0))
    assert _combined(centre, [one, two]) == [one.having(Change("age", "weight", 4.0))]
    assert _combined(centre, [one]) == []
