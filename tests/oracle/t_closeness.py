"""The earth mover's distance to the table's distribution is at most t."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from .counting import Row, Setting, Value, shares, written

Shares = Mapping[Value, Fraction]


def passes(
    members: Sequence[Row],
    whole: Sequence[Row],
    setting: Setting,
    *,
    column: str,
    t: float,
    distance: str = "equal",
    reference: str = "both",
) -> bool:
    """`reference` only says which table the caller has to pass as `whole`."""
    p, q = shares(members, column, setting), shares(whole, column, setting)
    if distance == "equal":
        found = equal(p, q)
    elif distance == "ordered":
        found = ordered(p, q, [None, *setting.order[column]])
    else:
        found = hierarchical(p, q, setting.paths[column])
    return found <= written(t)


def equal(p: Shares, q: Shares) -> Fraction:
    zero = Fraction()
    return sum((abs(p.get(v, zero) - q.get(v, zero)) for v in {*p, *q}), zero) / 2


def ordered(p: Shares, q: Shares, order: Sequence[Value]) -> Fraction:
    """Σ |cumulative difference| / (m − 1), over the m values that the table has, in order."""
    values = [value for value in order if value in q]
    if len(values) == 1:
        return Fraction()
    running, moved = Fraction(), Fraction()
    for value in values:
        running += p.get(value, Fraction()) - q[value]
        moved += abs(running)
    return moved / (len(values) - 1)


def hierarchical(p: Shares, q: Shares, paths: Mapping[str, Sequence[str]]) -> Fraction:
    """Level by level: what can be settled between the children of a node is, at the node's height."""
    top = len(next(iter(paths.values()))) - 1
    extra = {value: p.get(value, Fraction()) - q.get(value, Fraction()) for value in {*p, *q}}
    cost = Fraction()
    for height in range(1, top + 1):
        for parent in {node(value, height, paths, top) for value in extra}:
            of_child: dict[str, Fraction] = {}
            for value, amount in extra.items():
                if node(value, height, paths, top) == parent:
                    child = node(value, height - 1, paths, top)
                    of_child[child] = of_child.get(child, Fraction()) + amount
            surplus = sum((x for x in of_child.values() if x > 0), Fraction())
            deficit = sum((-x for x in of_child.values() if x < 0), Fraction())
            cost += Fraction(height, top) * min(surplus, deficit)
    return cost


def node(value: Value, height: int, paths: Mapping[str, Sequence[str]], top: int) -> str:
    """The node above a value at a height; a missing value is a branch of its own up to the top."""
    if height == top:
        return "top"
    return "missing" if value is None else paths[value][height]
