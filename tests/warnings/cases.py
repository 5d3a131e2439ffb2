"""Tables whose classes are given, as warnings see them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl

from shoal.algorithms import Mondrian, Pais
from shoal.coded import Partition
from shoal.coded.recoding import Observed
from shoal.engines.fitting import fit
from shoal.engines.local import LocalEngine
from shoal.models import ClassModel, KAnonymity
from shoal.plan import Plan
from shoal.roles.columns import Column, Data
from shoal.warnings import Case
from tests.recodings import distinct_row_of

K = KAnonymity(k=2)


def case(
    frame: pl.DataFrame, columns: dict[str, Column], classes: Sequence[int], *models: ClassModel, **data: Any
) -> Case:
    """The case of a table whose row i is in class classes[i]; rows alike in what is coded must be in one class."""
    knows = any(model.judges_table for model in models)
    plan = Plan(data=Data(**data), columns=columns, models=models or (K,), algorithm=Pais() if knows else Mondrian())
    fitted = fit(LocalEngine(frame), plan)
    weight = fitted.coded.counted.weight
    class_of = np.full(len(weight), -1, np.int64)
    class_of[distinct_row_of(fitted, frame, plan)] = classes
    return Case(fitted, Partition.of_rows(class_of, max(classes) + 1, weight, Observed()), plan)


def married(couples: int) -> pl.DataFrame:
    """Half of the rows are husbands and wives, half are single women and men."""
    return pl.DataFrame(
        {
            "sex": ["F", "M", "F", "M"] * couples,
            "relationship": ["Wife", "Husband", "Single", "Single"] * couples,
        }
    )
