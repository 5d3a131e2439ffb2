"""How threads share work: by rows, and not where there are few."""

from __future__ import annotations

import numpy as np

from shoal.search.sharing import shares


def test_threads_share_the_nodes_by_their_rows() -> None:
    sizes = np.array([50_000, 1, 20_000, 30_000])
    assert shares(sizes, 2) == [slice(0, 2), slice(2, 4)]
    assert shares(np.array([60_000]), 8) == [slice(0, 1)]
    assert shares(np.array([9_000, 9_000]), 8) == [slice(0, 2)], "too few rows for a second thread"
