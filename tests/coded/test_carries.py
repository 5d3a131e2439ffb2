"""What the core types carry: searches that are none of the built-in ones, sketched here and published as any other.

Each makes a Partition of counted rows; nothing in the library knows of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.algorithms import Mondrian
from shoal.coded import Coded, Partition
from shoal.coded.counted import reference_counts
from shoal.coded.domains import RANGE
from shoal.coded.keys import distinct_rows
from shoal.coded.recoding import Composed, Exact, Observed
from shoal.engines.fitting import Fitted, fit
from shoal.engines.local import LocalEngine
from shoal.models import KAnonymity, LDiversity
from shoal.progress import silent
from shoal.table import Runs
from tests.coded.publishing import published

COLUMNS = {
    "age": shoal.quasi(),
    "town": shoal.quasi(),
    "ill": shoal.sensitive(),
    "note": shoal.insensitive(),
}


def frame(rows: int = 60) -> pl.DataFrame:
    rng = np.random.default_rng(5)
    return pl.DataFrame(
        {
            "age": rng.integers(20, 60, rows),
            "town": rng.choice(["A", "B", "C"], rows),
            "ill": rng.choice(["flu", "rash", "HIV"], rows, p=[0.5, 0.3, 0.2]),
            "note": [f"n{i:02d}" for i in rng.permutation(rows)],
        }
    )


def plan(*models: Any, **release: Any) -> shoal.Plan:
    return shoal.Plan(columns=COLUMNS, models=models, release=shoal.ReleaseSettings(**release))


def written(tables: Mapping[str, Runs]) -> list[str]:
    """The published tables as text files."""
    return [table.expanded().write_csv() for table in tables.values()]


def text(table: pl.DataFrame) -> pl.DataFrame:
    return table.with_columns(pl.all().cast(pl.String))


# -- clustering: classes that no cut bounds ---------------------------------------------------------------------------


def k_member(coded: Coded, k: int) -> Partition:
    """Greedy clusters: the first row that is left and those nearest to it, until there are k; the rest joins the
    nearest cluster."""
    weight, codes = coded.counted.weight, coded.counted.quasi
    places = np.stack([domain.position[codes[a]] for a, domain in enumerate(coded.quasi)])
    by_order = np.array([domain.published == RANGE for domain in coded.quasi])[:, None]
    class_of, classes = np.full(len(weight), -1, np.int64), 0

    def nearest(row: int, others: Any) -> Any:
        """Others by distance: along a range, or 1 where a category differs."""
        away = np.abs(places[:, others] - places[:, [row]])
        return others[np.argsort(np.where(by_order, away, away > 0).sum(axis=0), kind="stable")]

    while weight[class_of < 0].sum() >= k:
        left = np.flatnonzero(class_of < 0)
        around = nearest(left[0], left)
        enough = int(np.searchsorted(np.cumsum(weight[around]), k)) + 1
        class_of[around[:enough]] = classes
        classes += 1
    for row in np.flatnonzero(class_of < 0):
        class_of[row] = class_of[nearest(row, np.flatnonzero(class_of >= 0))[0]]
    return Partition.of_rows(class_of, classes, weight, Observed())


@pytest.mark.parametrize("categories", ["hierarchy", "sets"])
def test_clusters_are_published_by_what_their_members_show(categories: str) -> None:
    asked = plan(KAnonymity(k=4), categories=categories)
    fitted = fit(LocalEngine(frame()), asked)
    partition = k_member(fitted.coded, 4)
    assert partition.classes > 5
    table = published(fitted, partition, asked).main.expanded()
    found = shoal.verify(table, asked)
    assert found.holds and found.rows == 60
    assert sorted(text(table)["note"]) == sorted(frame()["note"])
    shuffled = fit(LocalEngine(frame().sample(fraction=1.0, shuffle=True, seed=1)), asked)
    assert published(shuffled, k_member(shuffled.coded, 4), asked).main.expanded().write_csv() == table.write_csv()


# -- SCBA: only rows with a highly sensitive value are generalized ----------------------------------------------------


def only(coded: Coded, rows: Any) -> Coded:
    """Some rows of a table as a table."""
    counted = coded.counted
    sensitive, weight = {name: codes[rows] for name, codes in counted.sensitive.items()}, counted.weight[rows]
    reference = {
        name: reference_counts(codes, coded.sensitive[name].size, weight, None) for name, codes in sensitive.items()
    }
    part = replace(counted, quasi=counted.quasi[:, rows], weight=weight, sensitive=sensitive, reference=reference)
    return replace(coded, counted=part)


def guarded(coded: Coded, high: str, k: int) -> Partition:
    """Rows with the high value in classes of at least k by Mondrian; all others as they are."""
    counted, domain = coded.counted, coded.sensitive["ill"]
    is_high = counted.sensitive["ill"] == domain.labels.index(high)
    risky, others = np.flatnonzero(is_high), np.flatnonzero(~is_high)
    found = Mondrian().partition(only(coded, risky), [KAnonymity(k=k)], 0.0, 0, silent)
    class_of = np.empty(len(counted), np.int64)
    class_of[risky[found.row]] = found.class_of
    alike, firsts, _ = distinct_rows(list(counted.quasi[:, others]))
    class_of[others] = found.classes + alike
    classes = found.classes + len(firsts)
    parts = ((np.arange(found.classes), found.recoding), (np.arange(found.classes, classes), Exact()))
    return Partition.of_rows(class_of, classes, counted.weight, Composed(parts))


@pytest.mark.parametrize("ranges", ["tight", "cut"])
def test_rows_with_a_high_value_are_generalized_and_the_others_are_exact(ranges: str) -> None:
    asked = plan(KAnonymity(k=3), LDiversity("ill", l=2), ranges=ranges)
    fitted = fit(LocalEngine(frame()), asked)
    partition = guarded(fitted.coded, "HIV", 3)
    table = text(published(fitted, partition, asked).main.expanded())
    given, is_high = text(frame()), pl.col("ill") == "HIV"
    assert table.filter(~is_high).sort("note").equals(given.filter(~is_high).sort("note"))
    risky = table.filter(is_high)
    assert risky.sort("note").select("ill", "note").equals(given.filter(is_high).sort("note").select("ill", "note"))
    among_risky = shoal.verify(risky, plan(KAnonymity(k=3)))
    assert among_risky.holds and among_risky.classes == len(np.unique(partition.class_of[_is_high(fitted, partition)]))
    with_everybody = table.group_by("age", "town").agg(pl.len(), is_high.sum().alias("high")).filter(pl.col("high") > 0)
    assert with_everybody["len"].min() >= 3  # type: ignore[operator]


def _is_high(fitted: Fitted, partition: Partition) -> Any:
    coded = fitted.coded
    return coded.counted.sensitive["ill"][partition.row] == coded.sensitive["ill"].labels.index("HIV")


# -- rows that are alike in different classes -------------------------------------------------------------------------


def repeated() -> pl.DataFrame:
    """Seven rows that are alike to a search, and three that are like nobody else; the notes tell all apart."""
    return pl.DataFrame(
        {
            "age": [30] * 7 + [20, 40, 50],
            "town": ["A"] * 7 + ["A", "B", "B"],
            "ill": ["flu"] * 7 + ["HIV", "rash", "rash"],
            "note": ["g", "c", "a", "f", "b", "e", "d", "x", "y", "z"],
        }
    )


def divided(coded: Coded) -> Partition:
    """Of the seven rows three with the younger one, three with the older ones, and one suppressed."""
    ages = [coded.quasi[0].texts[code] for code in coded.counted.quasi[0].tolist()]
    row = [ages.index(age) for age in ("20", "30", "30", "40", "50")]
    return Partition(np.array(row), np.array([0, 2, 5]), np.array([1, 3, 3, 1, 1]), Observed())


def test_parts_of_a_distinct_row_go_to_different_classes_by_content() -> None:
    asked = plan(KAnonymity(k=4), LDiversity("ill", l=2))
    fitted = fit(LocalEngine(repeated()), asked)
    assert fitted.coded.counted.weight.max() == 7
    partition = divided(fitted.coded)
    assert partition.splits(fitted.coded.counted.weight) and partition.rows.tolist() == [4, 5]
    tables = published(fitted, partition, asked)
    main = tables.main.expanded()
    found = shoal.verify(main, asked)
    assert found.holds and (found.rows, found.classes) == (9, 2)
    notes = {label: sorted(group["note"]) for (label,), group in text(main).group_by("age")}
    assert notes == {"[20, 30]": ["a", "b", "c", "x"], "[30, 50]": ["d", "e", "f", "y", "z"]}
    rows = tables.witness.row.tolist()
    assert repeated()["note"].gather(rows).to_list() == main["note"].to_list()
    assert 0 not in rows  # the note that sorts last


@pytest.mark.parametrize("form", ["generalized", "anatomy"])
@pytest.mark.parametrize("seed", range(5))
def test_which_row_goes_where_does_not_depend_on_the_order_of_the_input(form: str, seed: int) -> None:
    asked = plan(shoal.MultiSensitive(l=2, k=4, columns=("ill",)), form=form)
    tables = []
    for given in (repeated(), repeated().sample(fraction=1.0, shuffle=True, seed=seed)):
        fitted = fit(LocalEngine(given), asked)
        tables.append(published(fitted, divided(fitted.coded), asked).tables)
    assert written(tables[0]) == written(tables[1])


def test_classes_of_an_anatomy_are_numbered_the_same_where_they_share_rows() -> None:
    """No column but quasi-identifiers: the first rows of both classes are the same in the main table."""
    asked = plan(shoal.MultiSensitive(l=2, k=4, columns=("ill",)), form="anatomy")
    asked = asked.changed(columns={**COLUMNS, "note": shoal.identifier()})
    tables = []
    for given in (repeated(), repeated().reverse()):
        given = given.with_columns(age=pl.Series([30 if age == 20 else age for age in given["age"]]))
        fitted = fit(LocalEngine(given), asked)
        tables.append(published(fitted, bucketed(fitted.coded), asked).tables)
    assert written(tables[0]) == written(tables[1])


def bucketed(coded: Coded) -> Partition:
    """Two classes of rows that are the same in all quasi-identifiers, and others besides."""
    ill = [coded.sensitive["ill"].labels[code] for code in coded.counted.sensitive["ill"].tolist()]
    first, second = (at for at, each in enumerate(ill) if each == "rash")
    row = [ill.index("flu"), first, ill.index("flu"), ill.index("HIV"), second]
    return Partition(np.array(row), np.array([0, 2, 5]), np.array([4, 1, 3, 1, 1]), Observed())
