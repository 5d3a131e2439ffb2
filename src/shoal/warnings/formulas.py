"""Cells that a spreadsheet would run as formulas."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from shoal import forms
from shoal.coded.domains import QuasiDomain
from shoal.table import are_formulas
from shoal.warnings.base import Case, Warning


def formula_cells(case: Case) -> Iterator[Warning]:
    """Warns of released text that a spreadsheet would run, with the number of cells of each column."""
    if case.plan.release.format != "csv" or case.plan.release.escape_formulas:
        return
    counts = {name: _unchanged_cells(case, name) for name in case.unchanged}
    counts |= {domain.name: _labels(case, domain) for domain in case.coded.quasi if domain.type == "text"}
    found = [f"'{name}' ({cells:,})" for name, cells in counts.items() if cells]
    if found:
        remedy = "Set escape_formulas = true under [release] to prevent it."
        yield Warning(
            f"A spreadsheet would run cells of these columns as formulas: {', '.join(found)}. {remedy}",
            public=case.partition is not None,
            remedy=remedy,
        )


def _unchanged_cells(case: Case, name: str) -> int:
    """The number of released cells of an unchanged column that are formulas."""
    values = case.engine.distinct(name).values
    if values.dtype != pl.String and not isinstance(values.dtype, pl.Categorical | pl.Enum):
        return 0
    flags = are_formulas(values.cast(pl.String)).to_numpy()
    if not flags.any():
        return 0
    tally = case.engine.tally(name, case.classes() >= 0)
    return int(tally.times[flags[tally.value]].sum())


def _labels(case: Case, domain: QuasiDomain) -> int:
    """The number of released cells of a quasi-identifier whose label is a formula."""
    levels = domain.hierarchy.levels if domain.hierarchy else ()
    texts = [*domain.texts, *(label for level in levels for label in level.labels)]
    if not are_formulas(pl.Series(texts, dtype=pl.String)).any():
        return 0
    place = case.coded.names.index(domain.name)
    if case.partition is None or not forms.by_kind(case.plan.release.form).generalizes:
        flags = are_formulas(pl.Series(domain.texts, dtype=pl.String)).to_numpy()
        released = np.where(case.classes() >= 0, case.coded.counted.weight, 0)
        return int(released[flags[case.coded.counted.quasi[place]]].sum())
    shown = case.partition.recoding.shown(case.coded, case.partition.members, place)
    flags = are_formulas(pl.Series(shown.labels, dtype=pl.String)).to_numpy()
    return int(case.partition.rows[flags[shown.codes]].sum())
