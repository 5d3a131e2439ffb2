from __future__ import annotations

from shoal.items.removal.deadline import after, never


def test_without_a_deadline_the_time_is_never_over() -> None:
    assert not never()


def test_the_time_is_over_by_the_given_clock() -> None:
    now = [5.0]
    over = after(2, lambda: now[0])
    assert not over()
    now[0] = 7.0
    assert over()
