"""What a search says of its own work: a typed record that travels with the partition to the manifest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Specialized:
    """One specialization: `column` was cut further, and how the table stood afterwards.

    `parts`: the places of the first released value of each part, and one past the last, in the column's order.
    `support` and `confidence`: the smallest set of matching rows and the largest share, where a model bounds them.
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
class SearchRecord:
    """How the partition was found. Only what the algorithm has something to say about is set.

    `cost` by `measure`, and `lower_bound`, the least that any recoding could cost; `proven_optimal` where they meet.
    `lattice_nodes` and `nodes_checked` of a full-domain search; `minimal` levels of Incognito; `height` of Samarati's
    node. `local`: whether rows were recoded one by one, which is compared with `full_domain_cost`.
    `steps` of a specialization.
    """

    measure: str | None = None
    cost: float | None = None
    lower_bound: float | None = None
    proven_optimal: bool | None = None
    lattice_nodes: int | None = None
    nodes_checked: int | None = None
    minimal: tuple[Mapping[str, int], ...] | None = None
    height: int | None = None
    local: bool | None = None
    full_domain_cost: float | None = None
    steps: tuple[Specialized, ...] | None = None
