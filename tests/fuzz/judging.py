"""Judges a release in memory: rows, labels, promises and figures, by plain definitions. Returns what is wrong."""

from __future__ import annotations

import csv
import dataclasses
import io
import math
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path

import polars as pl

import shoal
from tests import oracle
from tests.contract.kinds import FORMS, Shape
from tests.contract.tables import Row, Value
from tests.fuzz.making import Made, is_missing
from tests.models.tables import COLUMNS, ITEM_PATHS, ITEMS, KNOWLEDGE

Key = tuple[Value, ...]


@dataclass(frozen=True)
class Case:
    """A table, its plan and the release."""

    made: Made
    plan: shoal.Plan
    release: shoal.Release

    @property
    def shape(self) -> Shape:
        return FORMS[self.plan.release.form]

    @cached_property
    def rows(self) -> list[Row]:
        """The rows of the main table, as anyone can read them."""
        return texts(next(iter(self.release.tables.values())))

    @cached_property
    def kept(self) -> list[int]:
        """The input row behind each of them, which nobody else knows."""
        return self.release.private.witness.row.tolist()

    @cached_property
    def values(self) -> list[Row]:
        """The input rows, with None for missing values, and quasi-identifiers within top and bottom."""
        coded = {each.name: each.coded for each in self.made.quasi}
        read = [*coded, *self.made.sensitive]
        removes = ITEMS in self.plan.quasi_sensitive
        found: list[Row] = []
        for row in self.made.rows:
            cells = dict(row) | {name: self.made.value(row, name) for name in read}
            if removes:
                cells[ITEMS] = "|".join(sorted(items_of(cells[ITEMS]))) or None
            for name, code in coded.items():
                value = cells[name]
                cells[name] = None if value is None else code(value)
            found.append(cells)
        return found

    @cached_property
    def came_from(self) -> list[Row]:
        return [self.values[row] for row in self.kept]

    @cached_property
    def usable(self) -> list[int]:
        """The input rows that are not left out for missing values."""
        needed = [*(each.name for each in self.made.quasi), *self.made.sensitive]
        rows = range(len(self.values))
        return [n for n in rows if not (self.made.drops and any(self.values[n][name] is None for name in needed))]

    def key(self, row: Row) -> Key:
        """What tells classes apart in the main table."""
        return tuple(row[name] for name in self.shape.class_columns([each.name for each in self.made.quasi]))


def items_of(cell: Value) -> set[str]:
    """The items of a cell, however it is written."""
    parts = {part.strip() for part in (cell or "").split("|")}
    return {part for part in parts if not is_missing(part)}


def _labels_of(case: Case, cell: Value) -> set[str]:
    """The items of an input cell and, if the plan has a hierarchy of them, the labels above them."""
    items = items_of(cell)
    if case.plan.columns[ITEMS].hierarchy is None:
        return items
    return {label for item in items for label in ITEM_PATHS[item]}


def texts(frame: pl.DataFrame) -> list[Row]:
    """The rows of a table as text, None where a cell is empty."""
    shown = frame.with_columns(pl.all().cast(pl.String)).to_dicts()
    return [{name: value or None for name, value in row.items()} for row in shown]


def problems(case: Case) -> list[str]:
    """All that is wrong with a release; empty for a sound one."""
    found = list(_pairing_problems(case))
    if found:  # all else compares released rows with their input rows
        return found
    judges = (_row_problems, _content_problems, _label_problems, _promise_problems, _measure_problems)
    return [problem for judge in judges for problem in judge(case)]


def _pairing_problems(case: Case) -> Iterator[str]:
    """Every released row has one input row of its own, and the columns of the input."""
    kept, rows = case.kept, case.rows
    if len(set(kept)) != len(kept) or len(kept) != len(rows) or not set(kept) <= set(case.usable):
        yield "rows: lost, repeated, or with missing values"
    if rows and list(rows[0]) != [*_shown(case), *(["class_id"] if case.shape.apart else [])]:
        yield "columns: not those of the input"


def _shown(case: Case) -> list[str]:
    """The columns of the main table that come from the input."""
    apart = case.made.sensitive if case.shape.apart else ()
    return [name for name in case.made.rows[0] if name != "who" and name not in apart]


def _row_problems(case: Case) -> Iterator[str]:
    """Every input row is released or suppressed within the limit, and the manifest says so."""
    manifest, released, n = case.release.manifest, len(case.rows), len(case.made.rows)
    limit = math.floor(Fraction(str(case.plan.release.suppression)) * len(case.usable))
    if len(case.usable) - released > limit:
        yield "rows: more were suppressed than the plan allows"
    dropped = n - len(case.usable)
    if (manifest.rows_in, manifest.rows_released, manifest.rows_suppressed, manifest.rows_dropped) != (
        n,
        released,
        n - released,
        dropped,
    ):
        yield "rows: the manifest counts others"


def _content_problems(case: Case) -> Iterator[str]:
    """Nothing but quasi-identifiers changed, and rows are in the order of their content."""
    shown = _shown(case)
    for name in shown:
        if name == ITEMS and ITEMS in case.plan.quasi_sensitive:
            pairs = zip(case.rows, case.came_from, strict=True)
            if not all(items_of(row[ITEMS]) <= _labels_of(case, origin[ITEMS]) for row, origin in pairs):
                yield f"column {name}: items were added"
        elif name in (*case.made.sensitive, "note", "goal", ITEMS):
            cells = [case.made.rows[n][name] or None for n in case.kept]
            expected = [None if name in case.made.sensitive and is_missing(cell) else cell for cell in cells]
            if [row[name] for row in case.rows] != expected:
                yield f"column {name}: changed"
    in_order = [[(row[name] is not None, (row[name] or "").encode()) for name in shown] for row in case.rows]
    if in_order != sorted(in_order) and case.made.kind == "text":
        yield "rows: not sorted by content"
    for name in case.made.sensitive if case.shape.apart else ():
        counted = {
            (row["class_id"], row["value"]): int(row["count"] or 0)
            for row in texts(case.release.tables[f"sensitive_{name}"])
        }
        true = Counter((row["class_id"], o[name]) for row, o in zip(case.rows, case.came_from, strict=True))
        if counted != true:
            yield f"column {name}: the counts of its table are wrong"


def _label_problems(case: Case) -> Iterator[str]:
    """Every label is true of the value it stands for."""
    for each in case.made.quasi:
        pairs = {(row[each.name], origin[each.name]) for row, origin in zip(case.rows, case.came_from, strict=True)}
        if case.shape.labelled:
            wrong = [pair for pair in pairs if not each.covers(pair[0] or "", pair[1])]
            groups = Counter((value, (label or "").split(" of ")[-1]) for label, value in pairs if _is_group(label))
            if any(each.is_beyond(label or "") for label, _ in pairs):
                yield f"column {each.name}: labels reach beyond top or bottom"
            if any(times > 1 for times in groups.values()):
                yield f"column {each.name}: a value is in two groups of one level"
        else:
            wrong = [(label, value) for label, value in pairs if label != value]
        if wrong:
            yield f"column {each.name}: {len(wrong)} labels are not true of their values"


def _is_group(label: Value) -> bool:
    return label is not None and label.startswith("group ")


def _promise_problems(case: Case) -> Iterator[str]:
    """Every model is met in every class, compared with every table that its shares refer to."""
    made = case.made
    setting = oracle.Setting(
        person="who" if made.person else None,
        missing_counts=made.missing_counts,
        order={name: list(column.paths) for name, column in COLUMNS.items()},
        paths={name: column.paths for name, column in COLUMNS.items()},
        protected={name: column.protected for name, column in COLUMNS.items()},
        knowledge={ITEMS: KNOWLEDGE},
    )
    shown = [{**origin, ITEMS: row.get(ITEMS)} for row, origin in zip(case.rows, case.came_from, strict=True)]
    classes: dict[Key, list[Row]] = defaultdict(list)
    for row, origin in zip(case.rows, shown, strict=True):
        if _is_covered(case.plan, origin):
            classes[case.key(row)].append(origin)
    given = [case.values[n] for n in case.usable]
    for model in case.plan.enforced:
        parameters = dataclasses.asdict(model)  # type: ignore[call-overload]
        if model.judges_table:
            quasi = [each.name for each in made.quasi]
            pairs = zip(case.rows, case.came_from, strict=True)
            seen = [{**origin, **{name: row[name] for name in quasi}} for row, origin in pairs]
            holds = oracle.allows(model.kind, parameters, seen, quasi, setting)
        else:
            reference = parameters.get("reference", "both" if model.reads_input else "")
            wholes = {"input": [given], "both": [shown, given]}.get(reference, [shown])
            holds = all(
                oracle.check(model.kind, parameters, list(classes.values()), whole, setting) for whole in wholes
            )
        if not holds:
            yield f"promise: {model.kind} does not hold"


def _is_covered(plan: shoal.Plan, row: Row) -> bool:
    """Whether the promises cover a row: under `scba`, if its value is high or missing."""
    if not isinstance(plan.algorithm, shoal.Scba):
        return True
    value, high = row[plan.algorithm.column], plan.algorithm.high
    is_number = plan.algorithm.column == "months"
    return value is None or (float(value) in map(float, high) if is_number else value in high)


def _measure_problems(case: Case) -> Iterator[str]:
    manifest, rows, n = case.release.manifest, len(case.rows), len(case.made.rows)
    sizes = Counter(case.key(row) for row in case.rows).values()
    if manifest.classes != len(sizes):
        yield "figures: the number of classes is wrong"
    gone = n - rows
    if manifest.measures["discernibility"] != sum(size**2 for size in sizes) + gone * n:
        yield "figures: the discernibility is wrong"
    shares = [*manifest.measures["ncp_by_column"].values(), manifest.measures["ncp"]]
    if not all(gone / n - 1e-9 <= share <= 1 + 1e-9 for share in shares):
        yield "figures: the information loss is no share"


def public_bytes(release: shoal.Release) -> dict[str, bytes]:
    """Every file of the public folder."""
    with tempfile.TemporaryDirectory(prefix="fuzz-") as parent:
        folder = Path(parent) / "out"
        release.save(folder)
        return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def saved_problems(case: Case) -> list[str]:
    """What is wrong with the files of a release."""
    with tempfile.TemporaryDirectory(prefix="fuzz-") as parent:
        folder = Path(parent) / "out"
        case.release.save(folder)
        found = [f"folder: {problem}" for problem in shoal.verify_folder(folder, plan=case.plan).problems]
        files = [case.plan.columns[name].knowledge or "" for name in case.plan.looked_up]
        alone = shoal.verify_folder(folder, knowledge=files)
        found += [f"folder without the plan: {problem}" for problem in alone.problems]
        settings = case.plan.release
        if settings.format == "csv" and not settings.escape_formulas:
            text = (folder / case.shape.file).read_text(encoding="utf-8")
            read = [dict(row) for row in csv.DictReader(io.StringIO(text, newline=""))]
            if [{name: value or None for name, value in row.items()} for row in read] != case.rows:
                found.append("folder: the file is not the released table")
        return found
