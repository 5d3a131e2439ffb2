"""Forbidden cuts, against trying every cut."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from shoal.kernels.forbidden_cuts import Line, close_cuts
from shoal.kernels.matching import Limits
from tests.effort import examples

quick = settings(max_examples=examples(150), deadline=None)
PLACES = 6


class Drawn:
    """Rows in order of their place, each of an entry with a cell and perhaps a listed value; some have a person."""

    def __init__(self, seed: int, rows: int, values: int) -> None:
        rng = np.random.default_rng(seed)
        self.values, entries = values, int(rng.integers(1, 9))
        self.place = np.sort(rng.integers(0, PLACES, rows)).tolist()
        self.entry = rng.integers(0, entries, rows).astype(np.int32)
        self.weight = rng.integers(1, 4, rows)
        self.person = rng.integers(0, 6, rows).tolist()
        self.cell = rng.integers(0, 3, entries).astype(np.int32)
        self.sensitive = (
            rng.integers(-1, values, entries).astype(np.int32) if values else np.full(entries, -1, np.int32)
        )
        self.starts = np.searchsorted(self.place, np.arange(PLACES + 1)).astype(np.int64)
        self.cell_of = self.cell[self.entry].tolist()

    def closed(self, limits: Limits, room: int, persons: bool) -> list[bool]:
        weights = (self._first_met(range(len(self.place))), self._first_met(reversed(range(len(self.place)))))
        line = Line(
            self.entry, self.starts, *(weights if persons else (self.weight, self.weight)), self.cell, self.sensitive
        )
        closed = np.zeros(PLACES - 1, np.bool_)
        close_cuts(line, 3, limits, closed, room)
        found: list[bool] = closed.tolist()
        return found

    def _first_met(self, order: object) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        """1 for the row where a person is first met in its cell, going in this order."""
        met, found = set(), np.zeros(len(self.place), np.int64)
        for row in order:  # type: ignore[attr-defined]
            found[row] = (self.cell_of[row], self.person[row]) not in met
            met.add((self.cell_of[row], self.person[row]))
        return found

    def is_safe(self, rows: list[int], limits: Limits, persons: bool) -> bool:
        """Whether every cell of some rows is large enough, and no listed value too frequent in it."""
        cells = defaultdict(list)
        for row in rows:
            cells[self.cell_of[row]].append(row)
        for members in cells.values():
            size = len({self.person[row] for row in members}) if persons else int(self.weight[members].sum())
            if size < limits.support:
                return False
            for value in range(limits.values):
                having = [row for row in members if self.sensitive[self.entry[row]] == value]
                if Fraction(int(self.weight[having].sum()), size) > Fraction(limits.over, limits.under):
                    return False
        return True

    def tried(self, limits: Limits, persons: bool) -> list[bool]:
        """Which cuts leave an unsafe side, each tried."""
        rows = range(len(self.place))
        return [
            not (
                self.is_safe([row for row in rows if self.place[row] <= cut], limits, persons)
                and self.is_safe([row for row in rows if self.place[row] > cut], limits, persons)
            )
            for cut in range(PLACES - 1)
        ]


ROOM = st.sampled_from([1, 4, 1000])


@given(
    st.builds(Drawn, st.integers(0, 2**32 - 1), st.integers(1, 40), st.integers(0, 2)),
    st.integers(1, 6),
    st.integers(1, 6),
    ROOM,
)
@quick
def test_cuts_are_closed_where_a_side_would_be_unsafe(drawn: Drawn, support: int, over: int, room: int) -> None:
    limits = Limits(support, over, 6, drawn.values)
    assume(drawn.is_safe(list(range(len(drawn.place))), limits, persons=False))
    assert drawn.closed(limits, room, persons=False) == drawn.tried(limits, persons=False)


@given(st.builds(Drawn, st.integers(0, 2**32 - 1), st.integers(1, 40), st.just(0)), st.integers(1, 4), ROOM)
@quick
def test_persons_who_are_met_again_add_nothing_on_either_side(drawn: Drawn, support: int, room: int) -> None:
    limits = Limits(support, 1, 1, 0)
    assume(drawn.is_safe(list(range(len(drawn.place))), limits, persons=True))
    assert drawn.closed(limits, room, persons=True) == drawn.tried(limits, persons=True)


def test_what_is_closed_stays_closed() -> None:
    drawn = Drawn(0, 30, 0)
    line = Line(drawn.entry, drawn.starts, drawn.weight, drawn.weight, drawn.cell, drawn.sensitive)
    closed = np.ones(PLACES - 1, np.bool_)
    close_cuts(line, 3, Limits(1, 1, 1, 0), closed, 1000)
    assert closed.all()
