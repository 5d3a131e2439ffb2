"""What kernels know about the quasi-identifiers: their losses agree with those of the domains."""

from __future__ import annotations

import numpy as np
import polars as pl

import shoal
from shoal.coded import loss
from shoal.engines.fitting import fit
from shoal.engines.local import LocalEngine
from shoal.hierarchies import Prefix
from shoal.models import KAnonymity
from shoal.search.geometry import geometry


def test_tables_of_all_columns_lie_end_to_end() -> None:
    frame = pl.DataFrame({"age": ["1", "3", "5"], "zip": ["10", "11", "20"], "sex": ["f", "m", "f"]})
    columns = {"age": shoal.quasi(weight=2.0), "zip": shoal.quasi(Prefix(), type="text"), "sex": shoal.quasi()}
    plan = shoal.Plan(columns=columns, models=[KAnonymity(k=2)])
    coded = fit(LocalEngine(frame), plan).coded
    known = geometry(coded)
    assert known.size.tolist() == [3, 3, 2] and known.start.tolist() == [0, 3, 6]
    assert known.weight.tolist() == [2.0, 1.0, 1.0]
    assert known.position[:3].tolist() == [0.0, 0.5, 1.0]
    assert known.step[2] == loss.leaf_loss(coded.quasi[2]) == 1.0
    tree = known.loss[known.tree[1] :][: 3 * (known.height[1] + 1)].reshape(-1, 3)
    assert np.array_equal(tree, loss.node_losses(coded.quasi[1]))
    assert abs(float((known.spread[:3] ** 2).mean()) - 2.5) < 1e-9  # z-scored around another origin: 0, 1.22, 2.45
