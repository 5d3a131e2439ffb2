"""Tables whose classes are given, as warnings see them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from shoal.algorithms import Mondrian, Pais
from shoal.coded.encode import encode
from shoal.coded.partition import Partition
from shoal.engines.prepare import prepare
from shoal.models import KAnonymity
from shoal.plan import Plan
from shoal.roles.columns import Column, Data
from shoal.warnings import Case

K = KAnonymity(k=2)


def case(frame: pl.DataFrame, columns: dict[str, Column], classes: Sequence[int], *models, **data) -> Case:
    """The case of a table whose row i is in class classes[i]; rows alike in what is encoded must be in one class."""
    knows = any(model.judges == "knowledge" for model in models)
    plan = Plan(data=Data(**data), columns=columns, models=models or (K,), algorithm=Pais() if knows else Mondrian())
    prepared = prepare(frame, plan)
    encoded = encode(prepared.frame, plan.columns, plan.data, plan.reads, plan.release.categories)
    class_of = np.full(len(encoded.rows.weight), -1, np.int64)
    class_of[encoded.row_of] = classes
    return Case(prepared, encoded, Partition(class_of, int(max(classes)) + 1), plan)


def married(couples: int) -> pl.DataFrame:
    """Half of the rows are husbands and wives, half are single women and men."""
    return pl.DataFrame(
        {
            "sex": ["F", "M", "F", "M"] * couples,
            "relationship": ["Wife", "Husband", "Single", "Single"] * couples,
        }
    )
