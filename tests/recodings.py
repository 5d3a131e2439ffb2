"""Random small tables with random trees, and full-domain recoding of them in plain Python, to judge the search by.

Nothing here groups, costs or judges with the library: labels are read off the trees' paths, classes are dicts of rows,
models are the oracle's.
"""

from __future__ import annotations

import dataclasses
import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product
from typing import Any

import polars as pl
from hypothesis import assume
from hypothesis import strategies as st

from shoal.algorithms import Optimal
from shoal.coded import Coded, Partition
from shoal.engines.fitting import Fitted, fit
from shoal.engines.local import LocalEngine
from shoal.hierarchies.base import Hierarchy
from shoal.models import ALL, ClassModel, MultiSensitive
from shoal.plan import Plan
from shoal.roles.columns import Column, Data, identifier
from tests import oracle
from tests.coded.publishing import distinct_row_of
from tests.models.strategies import MODELS
from tests.models.tables import COLUMNS

Node = tuple[int, ...]
Paths = Mapping[str, tuple[str, ...]]
Published = Mapping[tuple[str, ...], Sequence[int]]
"""Labels to the rows that are published with them."""
MEASURES = ("loss", "discernibility", "precision", "average-class-size", "entropy")
SUPPRESSIONS = (0.0, 0.1, 0.5, 1.0)


@dataclass(frozen=True)
class Tree:
    """A hierarchy as the plan would give it."""

    paths: Paths
    kind = "tree"

    def build(self, values: pl.Series, counts: pl.Series | None = None) -> Hierarchy:
        return Hierarchy.from_paths(self.paths.values())


@dataclass(frozen=True)
class Table:
    """Rows of text (None: missing), a tree and a weight for every quasi-identifier, and whether persons are counted."""

    rows: tuple[oracle.Row, ...]
    trees: Mapping[str, Paths]
    weights: Mapping[str, float]
    by_person: bool = False
    missing_counts: frozenset[str] = frozenset()

    @cached_property
    def coded(self) -> Coded:
        """The table as the search sees it."""
        return self._fitted.coded

    @cached_property
    def row_of(self) -> list[int]:
        """The distinct row behind every row."""
        return distinct_row_of(self._fitted, self.frame, self.plan)

    @property
    def frame(self) -> pl.DataFrame:
        return pl.DataFrame(self.rows, schema=dict.fromkeys([*self.trees, *COLUMNS, "who"], pl.String))

    @cached_property
    def _fitted(self) -> Fitted:
        return fit(LocalEngine(self.frame), self.plan)

    @property
    def plan(self) -> Plan:
        """A plan that reads all sensitive columns."""
        quasi = {
            name: _column("quasi-identifier", paths, weight=weight)
            for (name, paths), weight in zip(self.trees.items(), self.weights.values(), strict=True)
        }
        sensitive = {
            name: _column("sensitive", column.paths, column.type, missing_counts=name in self.missing_counts)
            for name, column in COLUMNS.items()
        }
        return Plan(
            columns={**quasi, **sensitive, "who": identifier()},
            models=[MultiSensitive(l=2, k=2, columns=tuple(COLUMNS))],
            algorithm=Optimal(),
            data=Data(person="who" if self.by_person else None),
        )

    @property
    def heights(self) -> Node:
        return tuple(len(next(iter(paths.values()))) - 1 for paths in self.trees.values())

    def nodes(self) -> list[Node]:
        return list(product(*(range(height + 1) for height in self.heights)))

    def label(self, row: int, name: str, level: int) -> str:
        value, paths = self.rows[row][name], self.trees[name]
        if level == len(next(iter(paths.values()))) - 1:
            return "*"
        return "" if value is None else paths[value][level]

    def labels(self, row: int, node: Node) -> tuple[str, ...]:
        return tuple(self.label(row, name, level) for name, level in zip(self.trees, node, strict=True))

    def groups(self, node: Node) -> list[tuple[int, ...]]:
        """The rows that are alike at a node."""
        found = defaultdict(list)
        for row in range(len(self.rows)):
            found[self.labels(row, node)].append(row)
        return [tuple(rows) for rows in found.values()]

    @property
    def setting(self) -> oracle.Setting:
        return oracle.Setting(
            person="who" if self.by_person else None,
            missing_counts=self.missing_counts,
            order={name: list(column.paths) for name, column in COLUMNS.items()},
            paths={name: column.paths for name, column in COLUMNS.items()},
        )

    def judged(self, model: ClassModel, classes: Sequence[Sequence[int]], whole: Sequence[int]) -> list[bool]:
        """Which classes satisfy a model by its definition, compared with the given rows."""
        members = [[self.rows[row] for row in rows] for rows in classes]
        parameters = dataclasses.asdict(model)  # type: ignore[call-overload]
        return oracle.passing(model.kind, parameters, members, [self.rows[row] for row in whole], self.setting)

    def guarded(self, model: ClassModel, published: Published) -> bool:
        """Whether a release is safe from those who know some columns, by the definition."""
        shown = [
            {**self.rows[row], **dict(zip(self.trees, labels, strict=True))}
            for labels, rows in published.items()
            for row in rows
        ]
        parameters = dataclasses.asdict(model)  # type: ignore[call-overload]
        return oracle.allows(model.kind, parameters, shown, list(self.trees), self.setting)

    def published(self, classes: Sequence[tuple[Sequence[int], Node]]) -> Published:
        """The rows that are published with the same labels; the stated levels must make the rows of a class alike."""
        found: dict[tuple[str, ...], list[int]] = {}
        for rows, node in classes:
            labels = {self.labels(row, node) for row in rows}
            assert len(labels) == 1
            found.setdefault(labels.pop(), []).extend(rows)
        return found

    def keep_promises(self, models: Sequence[ClassModel], published: Published) -> bool:
        """Whether a release satisfies every model, compared with all that it promises to be."""
        classes = list(published.values())
        released = [row for rows in classes for row in rows]
        return all(
            self.guarded(model, published)
            if model.judges_table
            else all(
                all(self.judged(model, classes, whole))
                for whole in _references(model, released, list(range(len(self.rows))))
            )
            for model in models
        )

    def releases(self, models: Sequence[ClassModel], node: Node, limit: int) -> Iterator[list[tuple[int, ...]]]:
        """Every choice of classes at a node that may be released.

        Where leaving rows out moves nothing, that is what passes. Otherwise any set of classes may be left out, unless
        fewer would do: nothing is left out without need.
        """
        groups = self.groups(node)
        everything = list(range(len(self.rows)))
        if any(model.judges_table for model in models):
            assert limit == 0
            if self.keep_promises(models, self.published([(rows, node) for rows in groups])):
                yield groups
            return
        if not any(model.relative_to_released for model in models):
            verdicts = [self.judged(model, groups, everything) for model in models]
            passing = [group for group, *fine in zip(groups, *verdicts, strict=True) if all(fine)]
            if passing and self.rows_without(passing) <= limit:
                yield passing
            return
        found: list[set[tuple[int, ...]]] = []
        for size in range(len(groups), 0, -1):
            for chosen in combinations(groups, size):
                needless = any(larger.issuperset(chosen) for larger in found)
                if needless or self.rows_without(chosen) > limit:
                    continue
                if self.keep_promises(models, self.published([(rows, node) for rows in chosen])):
                    found.append(set(chosen))
                    yield list(chosen)

    def rows_without(self, classes: Sequence[Sequence[int]]) -> int:
        return len(self.rows) - sum(len(rows) for rows in classes)

    def all_costs(self, measure: str, models: Sequence[ClassModel], limit: int) -> dict[Node, float]:
        """What the cheapest release of every node that has one costs."""
        found = {}
        for node in self.nodes():
            costs = [self.cost(measure, [(rows, node) for rows in kept]) for kept in self.releases(models, node, limit)]
            if costs:
                found[node] = min(costs)
        return found

    def cost(self, measure: str, classes: Sequence[tuple[Sequence[int], Node]]) -> float:
        """What a release costs, given its classes with the levels they are published at."""
        n, released = len(self.rows), sum(len(rows) for rows, _ in classes)
        if measure == "discernibility":
            return (sum(len(rows) ** 2 for rows, _ in classes) + (n - released) * n) / n**2
        if measure == "average-class-size":
            return released / len(classes) / n
        node_of = {row: node for rows, node in classes for row in rows}
        total = 0.0
        for a, (name, weight) in enumerate(self.weights.items()):
            for row in range(n):
                level = node_of[row][a] if row in node_of else None
                total += weight * self._cell_cost(measure, name, row, level)
        return total / n / sum(self.weights.values())

    def _cell_cost(self, measure: str, name: str, row: int, level: int | None) -> float:
        paths, top = self.trees[name], len(next(iter(self.trees[name].values()))) - 1
        if measure == "precision":
            return 1.0 if level is None else level / top
        label = self.label(row, name, top if level is None else level)
        if measure == "entropy":
            published = top if level is None else level
            alike = sum(self.label(other, name, published) == label for other in range(len(self.rows)))
            same = sum(other[name] == self.rows[row][name] for other in self.rows)
            return math.log2(alike / same)
        if level is None:
            return 1.0
        missing = any(other[name] is None for other in self.rows)
        leaves = len(paths) + missing
        under = leaves if level == top else 1 if label == "" else sum(path[level] == label for path in paths.values())
        return (under - 1) / max(leaves - 1, 1)

    def classes_of(self, partition: Partition) -> list[tuple[list[int], Node]]:
        """The classes of a partition as rows of this table, with their levels."""
        levels = partition.recoding.class_levels()
        assert levels is not None
        class_of = dict(zip(partition.row.tolist(), partition.class_of.tolist(), strict=True))
        found: list[tuple[list[int], Node]] = []
        for c in range(partition.classes):
            rows = [row for row, distinct in enumerate(self.row_of) if class_of.get(distinct) == c]
            found.append((rows, tuple(levels[c].tolist())))
        return found


def _column(role: str, paths: Paths, type_: str | None = None, **settings: Any) -> Column:
    """What a plan says of a column with this tree, which no plan could name."""
    return Column.model_construct(role=role, type=type_ or "text", hierarchy=Tree(paths), **settings)


def _references(model: ClassModel, released: list[int], everything: list[int]) -> list[list[int]]:
    given = dataclasses.asdict(model).get("reference", "released")  # type: ignore[call-overload]
    return {"released": [released], "input": [everything], "both": [released, everything]}[given]


@st.composite
def trees(draw: st.DrawFn, leaves: str = "abcde", height: int = 3) -> Paths:
    """A tree over some letters. Now and then a node of one child is called like it, as in real files."""
    names = list(leaves[: draw(st.integers(1, len(leaves)))])
    paths = {leaf: [leaf] for leaf in names}
    for level in range(1, draw(st.integers(1, height))):
        tops = sorted({path[-1] for path in paths.values()})
        parent = {top: draw(st.integers(0, len(tops) - 1)) for top in tops}
        below = {number: [top for top in tops if parent[top] == number] for number in parent.values()}
        keep = draw(st.booleans())
        for path in paths.values():
            siblings = below[parent[path[-1]]]
            path.append(siblings[0] if keep and len(siblings) == 1 else f"{level}.{parent[path[-1]]}")
    return {leaf: (*path, "*") for leaf, path in paths.items()}


@st.composite
def tables(draw: st.DrawFn, *, rows: int = 12, columns: int = 3, persons: bool | None = None) -> Table:
    """A few rows; domains are cut down at random, so that rows agree, and classes pass, often."""
    found = {f"q{a}": draw(trees()) for a in range(draw(st.integers(1, columns)))}
    domains: dict[str, list[Any]] = {}
    for name, paths in found.items():
        used = draw(st.integers(1, len(paths)))
        domains[name] = [*list(paths)[:used], *draw(st.sampled_from([[], [], [None]]))]
    for name, column in COLUMNS.items():
        domains[name] = [*list(column.paths)[: draw(st.integers(1, 4))], *draw(st.sampled_from([[], [], [None]]))]
    domains["who"] = ["ann", "bob", "cat", "dan", "eve", "fay"]
    drawn = draw(
        st.lists(
            st.fixed_dictionaries({name: st.sampled_from(domain) for name, domain in domains.items()}),
            min_size=1,
            max_size=rows,
        )
    )
    for name in found:
        assume(any(row[name] is not None for row in drawn))  # a column without a value has no tree to speak of
    return Table(
        tuple(drawn),
        found,
        {name: draw(st.sampled_from([1.0, 1.0, 2.5])) for name in found},
        by_person=draw(st.booleans()) if persons is None else persons,
        missing_counts=frozenset(draw(st.sets(st.sampled_from(sorted(COLUMNS))))),
    )


def model_sets(kind: str) -> st.SearchStrategy[tuple[ClassModel, ...]]:
    """A model of the kind, now and then with another of any kind beside it."""
    searched = [model.kind for model in ALL if not model.removes_items]
    other = st.sampled_from(sorted(set(searched) & set(MODELS))).flatmap(lambda name: MODELS[name])
    return st.tuples(MODELS[kind]) | st.tuples(MODELS[kind], MODELS["k-anonymity"]) | st.tuples(MODELS[kind], other)


def suppressions(models: Sequence[ClassModel]) -> st.SearchStrategy[float]:
    """Shares that may be suppressed under these models: none where one judges what is known of some columns."""
    return st.just(0.0) if any(model.judges_table for model in models) else st.sampled_from(SUPPRESSIONS)
