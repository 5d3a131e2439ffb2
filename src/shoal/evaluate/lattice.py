"""Exploring a lattice: runs the search of a plan and records the evaluated nodes. Nothing is released."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import product

import numpy as np

from shoal.algorithms.full_domain import FullDomain
from shoal.arrays import Int8
from shoal.errors import PlanError
from shoal.feasibility import explained
from shoal.pipeline import fitted, read_source
from shoal.plan import Plan
from shoal.progress import Progress, silent
from shoal.report.lattice import HeightLine, NodeLine, SearchedLattice
from shoal.search.best_first import Found
from shoal.search.explored import CODES, DRAWN_AT_MOST, FAILS, PASSES, UNSEEN, nodes_by_height, statuses_of
from shoal.search.lattice import Lattice
from shoal.search.listing import LISTED_AT_MOST
from shoal.search.nodes import Node
from shoal.search.objectives import Objective, objective

_COSTED_AT_MOST = 1000
"""The largest number of passing nodes whose cost is computed: the last ones, which are closest to the optimum."""


def explore(plan: Plan, *, drawn: bool = False, progress: Progress = silent) -> SearchedLattice:
    """The lattice as the plan's search explores it; with `drawn`, a lattice too large to draw is an error."""
    algorithm = plan.algorithm
    if not isinstance(algorithm, FullDomain):
        raise PlanError(
            f"Algorithm '{plan.algorithm.kind}' searches no lattice.",
            allowed="The algorithms 'optimal', 'incognito' and 'samarati' do.",
            hint='set kind = "optimal" under [algorithm].',
        )
    progress("read", 0.0)
    frame = read_source(plan)
    plan = plan.for_table(frame.columns)
    progress("encode", 0.0)
    coded = fitted(frame, plan).coded
    lattice = Lattice(coded, plan.searched, plan.release.suppression)
    if drawn and lattice.size > DRAWN_AT_MOST:
        raise PlanError(
            f"The lattice has {lattice.size} recodings, too many to draw.",
            allowed=f"At most {DRAWN_AT_MOST} can be drawn.",
            hint="omit --out: the table covers a lattice of any size.",
        )
    with explained(coded, plan):
        result = algorithm.search(lattice, plan.seed, progress)
    return _searched(lattice, objective(algorithm.measure, lattice), result, plan)


def _searched(lattice: Lattice, goal: Objective, result: Found, plan: Plan) -> SearchedLattice:
    statuses = statuses_of(lattice) if lattice.size <= LISTED_AT_MOST else None
    listed: Iterable[Node] = lattice.looked
    if lattice.size <= DRAWN_AT_MOST:
        listed = product(*(range(height + 1) for height in lattice.heights))
    costs = _costs(lattice, goal)
    nodes = tuple(_line(lattice, node, costs, statuses) for node in listed)
    return SearchedLattice(
        columns=lattice.coded.names,
        finest=tuple(lattice.levels((0,) * len(lattice.heights)).values()),
        heights=lattice.heights,
        size=lattice.size,
        algorithm=plan.algorithm.kind,
        measure=plan.algorithm.measure,
        rows=lattice.rows,
        limit=lattice.limit,
        nodes=nodes,
        by_height=_by_height(lattice, statuses),
        chosen=_line(lattice, result.best.classes.node, costs | {result.best.classes.node: result.cost}, statuses),
        lower_bound=result.lower_bound,
        proven_optimal=result.proven,
    )


def _costs(lattice: Lattice, goal: Objective) -> dict[Node, float]:
    feasible = [node for node, look in lattice.looked.items() if look.feasible]
    return {node: goal.cost(lattice.check(node)) for node in feasible[-_COSTED_AT_MOST:]}


def _line(lattice: Lattice, node: Node, costs: dict[Node, float], statuses: Int8 | None) -> NodeLine:
    look, levels = lattice.looked.get(node), tuple(lattice.levels(node).values())
    if look is None:
        return NodeLine(levels, CODES[statuses[node]] if statuses is not None else UNSEEN)
    if not look.feasible and (lattice.judges_table or not look.judged):  # there are no counts
        return NodeLine(levels, FAILS)
    return NodeLine(levels, PASSES if look.feasible else FAILS, look.classes, look.suppressed, costs.get(node))


def _by_height(lattice: Lattice, statuses: Int8 | None) -> tuple[HeightLine, ...]:
    totals = nodes_by_height(lattice.heights)
    if statuses is None:
        evaluated = [Counter[str]() for _ in totals]
        for node, look in lattice.looked.items():
            evaluated[sum(node)][PASSES if look.feasible else FAILS] += 1
        counts = [{**tally, UNSEEN: total - tally.total()} for tally, total in zip(evaluated, totals, strict=True)]
    else:
        heights = sum(np.ix_(*(np.arange(height + 1) for height in lattice.heights)), start=np.int64(0))
        pairs = np.asarray(heights) * len(CODES) + statuses
        table = np.bincount(pairs.ravel(), minlength=len(totals) * len(CODES)).reshape(len(totals), len(CODES))
        counts = [dict(zip(CODES, row, strict=True)) for row in table.tolist()]
    return tuple(
        HeightLine(height, total, {status: count for status, count in tally.items() if count})
        for height, (total, tally) in enumerate(zip(totals, counts, strict=True))
    )
