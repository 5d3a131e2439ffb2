"""Query error: the relative error of COUNT queries on a release, over a random workload.

A query counts the rows that satisfy one to four conditions: one on a sensitive column, the others on quasi-identifiers.
A condition is an equality or a range. A query whose true answer is 0 is drawn again.
Paper: Gal, Chen, Gangopadhyay 2008.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
import polars as pl

from shoal import hierarchies, labels, table
from shoal.arrays import Flags, Float64, Int32, Int64
from shoal.coded.coding import Publishing, code_quasi
from shoal.engines.dictionary import dictionary
from shoal.engines.local import LocalEngine
from shoal.errors import ShoalError
from shoal.forms.anatomy import CLASS_ID, COUNT, QUASI_IDENTIFIERS, VALUE, sensitive_table
from shoal.forms.generalized import RELEASE
from shoal.labels import ANY, MISSING
from shoal.plan import Plan
from shoal.reading.typed_labels import HIGH, LOW, ORDERED, LabelColumn, typed_labels
from shoal.roles.columns import Column
from shoal.verification.regrouping import canonical, class_numbers

QUERIES = 8_800
MOST_CONDITIONS = 4
_ROUNDS = 60
_SMALL = 0.01


@dataclass(frozen=True)
class QueryError:
    """The mean relative error of COUNT queries: all, those that select less than 1 % of the rows, and the others."""

    all: float
    small: float | None
    large: float | None
    queries: int
    large_queries: int


class Domain(NamedTuple):
    """The distinct values of a column in order, as text and as numbers (dates as days), and the code of every row.

    `type` is that of the values. `numbers` is None for text. A missing value has the code `missing` and satisfies no
    condition; without missing values, `missing` is -1.
    """

    name: str
    type: str
    texts: list[str]
    numbers: Float64 | None
    codes: Int32
    missing: int


class Workload(NamedTuple):
    """Queries over columns: query q selects codes low[q, c]..high[q, c] (int32) of column c if asked[q, c] (bool)."""

    asked: Flags
    low: Int32
    high: Int32
    truth: Int64


def query_error(
    original: Any, tables: Mapping[str, Any], plan: Plan, *, queries: int = QUERIES, seed: int = 0
) -> QueryError:
    """The error of `queries` random COUNT queries on released tables (`release.frames`) against the original.

    In a generalized table, the rows of a label are assumed to be uniformly distributed over its leaves or its range. In
    an anatomy, the estimate of a class is the number of its rows that satisfy the conditions on quasi-identifiers,
    multiplied for every sensitive column by the share of values that satisfy its condition.
    """
    released = {name: table.to_polars(each)[0] for name, each in tables.items()}
    return asked(original, plan, queries=queries, seed=seed).error(released)


class Asked(NamedTuple):
    """Queries about an original table, with their true answers, for releases by one plan."""

    plan: Plan
    quasi: list[Domain]
    sensitive: list[Domain]
    work: Workload
    rows: int

    def errors(self, released: Mapping[str, pl.DataFrame]) -> Float64:
        """float64 [queries]: the relative error of each answer from released tables.

        A dropped quasi-identifier counts as published as `*` in every row.
        """
        tables = dict(released)
        main = QUASI_IDENTIFIERS if self.plan.release.form == "anatomy" else RELEASE
        dropped = [name for name in self.plan.quasi_identifiers if name not in tables[main].columns]
        tables[main] = tables[main].with_columns(pl.lit(ANY).alias(name) for name in dropped)
        answers: Answers = (
            _Anatomy(tables, self.plan, self.quasi, self.sensitive)
            if main == QUASI_IDENTIFIERS
            else _Generalized(tables[RELEASE], self.plan, self.quasi, self.sensitive)
        )
        truth, queries = self.work.truth, len(self.work.truth)
        estimates = np.array([answers.count(_conditions(self.work, q)) for q in range(queries)])
        relative: Float64 = np.abs(estimates - truth) / truth
        return relative

    def error(self, released: Mapping[str, pl.DataFrame]) -> QueryError:
        """The error of the answers from released tables."""
        errors, truth, queries = self.errors(released), self.work.truth, len(self.work.truth)
        large = truth >= _SMALL * self.rows
        return QueryError(float(errors.mean()), _mean(errors[~large]), _mean(errors[large]), queries, int(large.sum()))


def asked(original: Any, plan: Plan, *, queries: int = QUERIES, seed: int = 0) -> Asked:
    """Random queries about an original table, with their true answers."""
    frame, _ = table.to_polars(original)
    quasi = [_quasi_domain(frame[name], plan) for name in plan.quasi_identifiers]
    sensitive = [_sensitive_domain(frame[name], plan) for name in plan.sensitive]
    if not sensitive:
        raise ShoalError("Query error needs a sensitive column; the plan has none.")
    work = workload([*quasi, *sensitive], len(quasi), queries, np.random.default_rng(seed))
    return Asked(plan, quasi, sensitive, work, frame.height)


def workload(domains: Sequence[Domain], quasi: int, queries: int, rng: np.random.Generator) -> Workload:
    """Random queries with a non-zero answer; the first `quasi` domains are quasi-identifiers."""
    kept: list[Workload] = []
    wanted = queries
    for _ in range(_ROUNDS):
        drawn = _drawn(domains, quasi, wanted, rng)
        truth = np.array([_true_count(domains, _conditions(drawn, q)) for q in range(wanted)], np.int64)
        positive = truth > 0
        kept.append(Workload(drawn.asked[positive], drawn.low[positive], drawn.high[positive], truth[positive]))
        wanted -= int(positive.sum())
        if not wanted:
            return Workload(*(np.concatenate(parts) for parts in zip(*kept, strict=True)))
    raise ShoalError("No random query has an answer above 0.", hint="check that the table is not nearly empty.")


Conditions = list[tuple[int, int, int]]


class Answers(Protocol):
    """A release that answers queries."""

    def count(self, conditions: Conditions) -> float:
        """The estimated number of rows that satisfy all conditions: (column, first code, last code)."""
        ...


def _conditions(work: Workload, q: int) -> Conditions:
    return [(int(c), int(work.low[q, c]), int(work.high[q, c])) for c in np.flatnonzero(work.asked[q])]


def _drawn(domains: Sequence[Domain], quasi: int, queries: int, rng: np.random.Generator) -> Workload:
    sensitive = len(domains) - quasi
    asked = np.zeros((queries, len(domains)), np.bool_)
    number = rng.integers(1, min(MOST_CONDITIONS, quasi + 1) + 1, queries)
    asked[np.arange(queries), quasi + rng.integers(0, sensitive, queries)] = True
    ranks = np.argsort(rng.random((queries, quasi)), axis=1)  # number - 1 random quasi-identifiers
    asked[:, :quasi] = ranks < (number - 1)[:, None]
    low, high = np.zeros((2, queries, len(domains)), np.int32)
    for c, domain in enumerate(domains):
        first = 1 if domain.missing >= 0 and len(domain.texts) > 1 else 0  # a column may have no value at all
        ends = np.sort(rng.integers(first, len(domain.texts), (2, queries)), axis=0)
        equal = rng.random(queries) < 0.5
        low[:, c], high[:, c] = ends[0], np.where(equal, ends[0], ends[1])
    return Workload(asked, low, high, np.zeros(queries, np.int64))


def _true_count(domains: Sequence[Domain], conditions: Conditions) -> int:
    return int(np.count_nonzero(_meets([(domains[c].codes, low, high) for c, low, high in conditions])))


def _meets(conditions: Sequence[tuple[Int32, int, int]]) -> Flags:
    """The rows whose codes are all within their bounds."""
    all_met: Flags | None = None
    for codes, low, high in conditions:
        # An unsigned comparison tests both bounds at once.
        met = (codes - np.int32(low)).view(np.uint32) <= np.uint32(high - low)
        all_met = met if all_met is None else all_met & met
    assert all_met is not None
    return all_met


def _mean(errors: Float64) -> float | None:
    return float(errors.mean()) if len(errors) else None


# -- columns as codes -----------------------------------------------------------------------------------------------


def _quasi_domain(column: pl.Series, plan: Plan) -> Domain:
    coded, publishing = dictionary(column), Publishing(categories="sets")
    distinct = LocalEngine(column.to_frame()).distinct(column.name)
    described, codes = code_quasi(distinct, plan.columns[column.name], plan.data.absent, publishing, plan.data.notation)
    numbers, texts = _numbers(described.values), described.texts
    # A hierarchy has its own order of leaves; ranges need that of the numbers, and a missing value comes first.
    known = np.array([text != MISSING for text in texts])
    order = np.argsort(known if numbers is None else np.where(known, numbers, -np.inf), kind="stable")
    ranks = np.argsort(order).astype(np.int32)
    missing = 0 if described.has_missing else -1
    sorted_numbers = None if numbers is None else numbers[order]
    ordered = [texts[i] for i in order]
    return Domain(column.name, described.type, ordered, sorted_numbers, ranks[codes][coded.codes], missing)


def _sensitive_domain(column: pl.Series, plan: Plan) -> Domain:
    """The domain of a sensitive column: released as text, but ordered as numbers or dates if it contains such."""
    text = canonical(column, plan.columns[column.name], plan.data.absent, plan.data.notation).fill_null(MISSING)
    coded = dictionary(text)
    type_, values = table.typed(coded.distinct, type=None, missing=(MISSING,))
    order = pl.DataFrame({"value": values, "text": coded.distinct}).with_row_index("place")
    places = order.sort("value", "text", nulls_last=False)["place"].to_numpy()
    ranks = np.empty(len(places), np.int32)
    ranks[places] = np.arange(len(places), dtype=np.int32)
    texts = coded.distinct.gather(places).to_list()
    missing = 0 if values.null_count() else -1
    return Domain(column.name, type_, texts, _numbers(values.gather(places)), ranks[coded.codes], missing)


def _numbers(values: pl.Series) -> Float64 | None:
    return None if values.dtype == pl.String else _as_float(values)


def _as_float(values: pl.Series) -> Float64:
    """Numbers, the days of dates or the microseconds of date-times; NaN if missing."""
    return values.to_physical().cast(pl.Float64).fill_null(np.nan).to_numpy()


def _coded(column: pl.Series, domain: Domain) -> Int32:
    """The code of every released text; a text that the original does not have satisfies no condition."""
    known = {text: code for code, text in enumerate(domain.texts)}
    distinct = dictionary(table.as_text(column).fill_null(MISSING))
    places = np.array([known.get(text, -1) for text in distinct.distinct], np.int32)
    return places[distinct.codes]


# -- anatomy --------------------------------------------------------------------------------------------------------


class _Anatomy:
    """Answers queries from the tables of an anatomy."""

    def __init__(
        self, tables: Mapping[str, pl.DataFrame], plan: Plan, quasi: Sequence[Domain], sensitive: Sequence[Domain]
    ) -> None:
        main = tables[QUASI_IDENTIFIERS].with_columns(pl.col(CLASS_ID).cast(pl.Int64)).sort(CLASS_ID)
        ids, self.starts = np.unique(main[CLASS_ID].to_numpy(), return_index=True)
        self.sizes = np.diff(np.append(self.starts, main.height)).astype(np.float64)
        self.quasi = [_coded(main[domain.name], domain) for domain in quasi]
        self.counts = [_counts(tables[sensitive_table(d.name)], d, plan, ids) for d in sensitive]

    def count(self, conditions: Conditions) -> float:
        narrowing = [(self.quasi[c], low, high) for c, low, high in conditions if c < len(self.quasi)]
        rows = self.sizes if not narrowing else np.add.reduceat(_meets(narrowing), self.starts, dtype=np.float64)
        for c, low, high in conditions:
            if c >= len(self.quasi):
                codes, counts, starts = self.counts[c - len(self.quasi)]
                rows = rows * np.add.reduceat(counts * _meets([(codes, low, high)]), starts) / self.sizes
        return float(rows.sum())


def _counts(counting: pl.DataFrame, domain: Domain, plan: Plan, ids: Int64) -> tuple[Int32, Float64, Int64]:
    """The codes and counts of a sensitive column by class, and the start of each class."""
    ordered = counting.with_columns(pl.col(CLASS_ID, COUNT).cast(pl.Int64)).sort(CLASS_ID)
    values = canonical(ordered[VALUE].alias(domain.name), plan.columns[domain.name], plan.data.absent)
    starts = np.searchsorted(ordered[CLASS_ID].to_numpy(), ids)
    return _coded(values, domain), ordered[COUNT].to_numpy().astype(np.float64), starts


# -- generalized ----------------------------------------------------------------------------------------------------


class _Generalized:
    """Answers queries from a generalized table.

    It counts the rows that satisfy the sensitive conditions, weighted by the share of their labels that satisfies the
    others.
    """

    def __init__(
        self, released: pl.DataFrame, plan: Plan, quasi: Sequence[Domain], sensitive: Sequence[Domain]
    ) -> None:
        classes = dictionary(class_numbers(released, plan.quasi_identifiers).cast(pl.String))
        self.class_of = classes.codes
        firsts = np.zeros(len(classes.distinct), np.int64)
        firsts[classes.codes] = np.arange(released.height)
        self.cells = [_Cells(released[domain.name].gather(firsts), domain, plan) for domain in quasi]
        self.sensitive = [
            _coded(canonical(released[d.name], plan.columns[d.name], plan.data.absent), d) for d in sensitive
        ]

    def count(self, conditions: Conditions) -> float:
        quasi = len(self.cells)
        met = _meets([(self.sensitive[c - quasi], low, high) for c, low, high in conditions if c >= quasi])
        rows = np.bincount(self.class_of[met], minlength=len(self.cells[0].label_of)).astype(np.float64)
        for c, low, high in conditions:
            if c < quasi:
                rows = rows * self.cells[c].shares(low, high)
        return float(rows.sum())


class _Cells:
    """The cells of one quasi-identifier: the share of each label that satisfies a condition.

    Ranges of numbers and dates are assumed to be uniform over their integers or days, other labels over their leaves.
    `upto[label, code]` is the share of a label's leaves with a smaller code.
    """

    def __init__(self, column: pl.Series, domain: Domain, plan: Plan) -> None:
        self.domain = domain
        texts = dictionary(table.as_text(column).fill_null(MISSING))
        self.label_of = texts.codes
        meanings = [labels.read(text) for text in texts.distinct]
        self.first, self.last = _ends(texts.distinct.to_list(), domain, plan.columns[domain.name])
        leaves = _Leaves(domain, plan)
        self.upto = np.zeros((len(meanings), len(domain.texts) + 1))
        for number, (text, meaning) in enumerate(zip(texts.distinct, meanings, strict=True)):
            if np.isnan(self.first[number]):
                codes, all_leaves = leaves.under(text, meaning)
                spread = np.bincount(codes, minlength=len(domain.texts)) / max(all_leaves, 1)
                self.upto[number, 1:] = np.cumsum(spread)

    def shares(self, low: int, high: int) -> Float64:
        """float64 [classes]: the share of each class's label within the codes low..high."""
        share = self.upto[:, high + 1] - self.upto[:, low]
        if self.domain.numbers is not None:
            begin, end = self.domain.numbers[low], self.domain.numbers[high]
            within = np.minimum(self.last, end) - np.maximum(self.first, begin) + 1
            share = np.where(np.isnan(self.first), share, np.clip(within / (self.last - self.first + 1), 0, 1))
        of_class: Float64 = share[self.label_of]
        return of_class


def _ends(texts: Sequence[str], domain: Domain, settings: Column) -> tuple[Float64, Float64]:
    """float64 [labels]: the lowest and the highest value of each range, as the domain has numbers; NaN for all else."""
    if domain.numbers is None or not isinstance(settings.hierarchy, ORDERED):
        return np.full(len(texts), np.nan), np.full(len(texts), np.nan)
    ranges = [text if isinstance(labels.read(text), labels.Range) else ANY for text in texts]
    unbounded = settings.model_copy(update={"top": None, "bottom": None})  # as labels are written
    # The input says what the labels are: those of years, or of very large numbers, also read as something else.
    type_ = domain.type if domain.type in ("date", "datetime") else "real"
    said = typed_labels(LabelColumn(domain.name, ranges, unbounded, settings.hierarchy), type_)
    return _as_float(said[LOW]), _as_float(said[HIGH])


class _Leaves:
    """The codes of a column under each label."""

    def __init__(self, domain: Domain, plan: Plan) -> None:
        self.code = {text: code for code, text in enumerate(domain.texts)}
        self.under_node: dict[str, tuple[list[int], int]] = {}
        settings = plan.columns[domain.name]
        values = pl.Series([text for text in domain.texts if text != MISSING], dtype=pl.String)
        typed = table.typed(values, type=domain.type, missing=(MISSING,))
        spec = settings.hierarchy or hierarchies.default_for(typed.type)
        if spec is None:
            return
        tree = spec.build(typed.values.unique().sort(), None)
        if domain.missing >= 0:
            tree = tree.with_missing()
        codes = np.array([self.code.get(leaf, -1) for leaf in tree.leaves])
        for level in tree.levels:
            by_node = np.argsort(level.of_leaf, kind="stable")
            starts = np.searchsorted(level.of_leaf[by_node], np.arange(len(level.labels) + 1))
            for node, text in enumerate(level.labels):
                under = codes[by_node[starts[node] : starts[node + 1]]]
                self.under_node.setdefault(text, (under[under >= 0].tolist(), len(under)))

    def under(self, text: str, meaning: labels.Meaning) -> tuple[list[int], int]:
        """The codes under a label, and its total number of leaves."""
        if isinstance(meaning, labels.Exactly) and meaning.value in self.code:
            return [self.code[meaning.value]], 1
        if isinstance(meaning, labels.OneOf):
            return [self.code[value] for value in meaning.values if value in self.code], len(meaning.values)
        if text in self.under_node:
            return self.under_node[text]
        return list(range(len(self.code))), len(self.code)
