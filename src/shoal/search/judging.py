"""Asking the models about classes of units."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from shoal.arrays import Flags, Float64
from shoal.coded.counted import Coded
from shoal.coded.recoding import Observed, alike, shown_columns
from shoal.coded.stats import Members, MemberStats
from shoal.models.base import ClassModel
from shoal.search.clusters import Classes, Units, classes_of
from shoal.search.geometry import geometry


class Judge(NamedTuple):
    """The models of a table whose rows are units, or parts of units."""

    coded: Coded
    models: tuple[ClassModel, ...]
    units: Units

    @property
    def floor(self) -> int:
        """The number of rows that every class needs at least."""
        return max(model.floor for model in self.models)

    @property
    def reads(self) -> bool:
        """Whether a model reads sensitive values or items."""
        return any(model.reads or model.reads_items for model in self.models)

    def members(self, classes: Classes) -> Members:
        return classes.members(self.units, whole=self.coded.counts_persons)

    def passing(self, classes: Classes) -> Flags:
        """bool [classes]: which classes pass every model."""
        rows, offsets, weight = self.members(classes)
        stats = MemberStats(self.coded, rows, offsets, weight=weight)
        passing = np.ones(len(classes), np.bool_)
        for model in self.models:
            passing &= model.passes(stats)
        return passing

    def failing_alike(self, classes: Classes) -> list[tuple[int, int]]:
        """Classes that look alike but do not pass as the one class that a reader sees, in pairs."""
        if all(model.monotone.merges(self.coded.counts_persons) for model in self.models):
            return []
        look = alike(list(shown_columns(Observed(), self.coded, self.members(classes)).values())).astype(np.int64)
        whole = np.zeros(len(self.units), np.int64)
        seen = classes_of(classes.unit, classes.weight, look[classes.class_of], whole)
        failing = np.flatnonzero(~self.passing(seen)[look])
        by_look = failing[np.argsort(look[failing], kind="stable")]
        return [(one, other) for one, other in pairwise(by_look.tolist()) if look[one] == look[other]]

    def lost(self, classes: Classes) -> Float64:
        """float64 [classes]: the information loss of all rows of each class."""
        from shoal.kernels.refining import losses

        entries = classes.unit, classes.weight, classes.offsets
        lost: Float64 = losses(self.units.codes, *entries, geometry(self.coded))
        return lost
