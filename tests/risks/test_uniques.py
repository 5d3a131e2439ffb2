"""Sample uniques equal the rows that no other row equals."""

from __future__ import annotations

from hypothesis import given

from shoal.risks import Uniques
from tests.risks.tables import ROWS, Rows, class_size, figures, sample_of


@given(ROWS)
def test_it_counts_rows_without_an_equal(rows: Rows) -> None:
    sizes = [class_size(rows, row) for row in rows]
    found = figures(Uniques, sample_of(rows))
    assert found["rows"] == sizes.count(1)
    assert found["share"] == sizes.count(1) / len(rows)
    assert found["share_below"] == {
        str(size): sum(each < size for each in sizes) / len(rows) for size in (2, 3, 5, 11, 20)
    }
