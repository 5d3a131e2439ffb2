"""What a search records about its own work: a typed record that the partition carries to the manifest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Specialized:
    """One specialization: the column that was cut further, and the state of the table afterwards.

    `parts`: the positions of the first released value of each part, and one past the last, in the column's order.
    `support` and `confidence`: the smallest set of matching rows and the largest share, if a model bounds them.
    """

    column: str
    parts: tuple[int, ...]
    score: float
    classes: int
    smallest_class: int
    discernibility_ratio: float
    ncp: float
    support: int | None = None
    confidence: float | None = None


@dataclass(frozen=True)
class ItemRemoval:
    """The removal of items from the classes that failed a model of items.

    `classes` of the release failed, and the cost is proven to be the least in `proven` of them. `cost`: the sum of the
    costs of all classes; none can be lower in total than `lower_bound`. Both are None if the method proves nothing.
    `whole`: the cost of removing all items of these classes.
    `nodes`: the removals that were tried. `in_time`: whether the search ended before its budget of seconds.
    """

    model: str
    column: str
    classes: int
    proven: int | None
    cost: float
    lower_bound: float | None
    whole: float
    nodes: int
    in_time: bool


@dataclass(frozen=True)
class BlockRecord:
    """A search in `blocks`, because the table has more `distinct_rows` than the `distinct_limit` of the plan.

    `largest`: the distinct rows of the largest block; more than the limit if no valid cut divides it. `extra_loss`: the
    share by which blocks raise the information loss, estimated on a `sample` of distinct rows; None if the models do
    not hold in the sample.
    """

    blocks: int
    distinct_rows: int
    distinct_limit: int
    largest: int
    sample: int
    extra_loss: float | None


@dataclass(frozen=True)
class ExploredNode:
    """A recoding of a small lattice: its levels, their sum above the finest, its status, and its classes if known."""

    levels: tuple[int, ...]
    height: int
    status: str
    classes: int | None = None


@dataclass(frozen=True)
class ExploredHeight:
    """The recodings of one height, and those of them that were evaluated and pass or fail."""

    height: int
    recodings: int
    passing: int
    failing: int


@dataclass(frozen=True)
class ExploredLattice:
    """What a full-domain search saw of its lattice. `nodes`: all recodings, if the lattice is small.

    `released`: the levels of the chosen recoding, in the order of `columns`.
    """

    columns: tuple[str, ...]
    released: tuple[int, ...]
    heights: tuple[ExploredHeight, ...]
    nodes: tuple[ExploredNode, ...] = ()


@dataclass(frozen=True)
class SearchRecord:
    """How the partition was found. An algorithm sets only the fields that apply to it.

    The descriptions of the fields become the reference page.
    """

    measure: str | None = None
    """The measure that a full-domain search minimized."""
    cost: float | None = None
    """The value of that measure for the release."""
    lower_bound: float | None = None
    """A lower bound on the cost of any recoding, rounded down unless optimality is proven."""
    proven_optimal: bool | None = None
    """Whether no recoding has a lower cost."""
    lattice_nodes: int | None = None
    """The number of recodings in the lattice."""
    nodes_checked: int | None = None
    """The number of recodings that were checked."""
    lattice: ExploredLattice | None = None
    """What the search saw of the lattice: the evaluated recodings by height, and all recodings of a small lattice with
    their status."""
    minimal: tuple[Mapping[str, int], ...] | None = None
    """All minimal recodings (`incognito`)."""
    height: int | None = None
    """The least height (`samarati`)."""
    local: bool | None = None
    """Whether local recoding was used."""
    full_domain_cost: float | None = None
    """With local recoding, the cost of the best full-domain recoding."""
    by_cuts: bool | None = None
    """Whether the classes are those of cuts, which lost less than clusters (`k-member`)."""
    refined_by: float | None = None
    """The share of the information loss that refinement saved, from 0 to 1 (`refine`)."""
    precision: float | None = None
    """The precision of a release of which only some rows are generalized (`scba`)."""
    precision_if_all: float | None = None
    """The precision that the same models and algorithm reach if all rows are generalized (`scba`)."""
    loss: float | None = None
    """The information loss of a release of which only some rows are generalized (`scba`)."""
    loss_if_all: float | None = None
    """The information loss if all rows are generalized (`scba`)."""
    blocks: BlockRecord | None = None
    """The blocks in which a table with more distinct rows than `distinct_limit` was searched, and an estimate of the
    information loss that this adds."""
    item_removal: tuple[ItemRemoval, ...] | None = None
    """For each model of items, the classes from which items were removed, at which cost, and what is proven of it."""
    recoding_of: str | None = None
    """The digest of the earlier release whose recoding was used (`shoal apply`)."""
    rows_without_label: int | None = None
    """The number of suppressed rows with a value for which that recoding has no label (`shoal apply`)."""
    steps: tuple[Specialized, ...] | None = None
    """The specialization steps of the search (`pais`). They depend on the input; the manifest has them replayed."""
