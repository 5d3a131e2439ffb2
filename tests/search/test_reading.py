"""The sets that models read, and no others."""

from __future__ import annotations

import numpy as np

from shoal.coded.counted import Counted
from shoal.models import KAnonymity
from shoal.search.reading import sets_read
from tests.itemsets import FewItems


def test_only_sets_that_a_model_reads_tell_rows_apart() -> None:
    sets = {name: np.array(codes, np.int32) for name, codes in {"b": [0, 1], "a": [1, 1], "c": [0, 0]}.items()}
    counted = Counted(np.zeros((0, 2), np.int32), np.ones(2, np.int64), items=sets)
    models = [FewItems("b", 1), KAnonymity(k=2), FewItems("a", 1), FewItems("b", 2)]
    assert [codes.tolist() for codes in sets_read(counted, models)] == [[1, 1], [0, 1]]
    assert sets_read(counted, models[1:2]) == []
