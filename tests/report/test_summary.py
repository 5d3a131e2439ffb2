"""The summary of a run: what was lost and where, what the search knows, and what to do next."""

from __future__ import annotations

from typing import Any

import pytest

import shoal
from shoal.algorithms import Pais
from shoal.manifest import Manifest
from shoal.report.document import Points
from shoal.report.summary import LISTED, Summary, summary
from tests.report.manifests import cells, manifest, section


def of(**changes: Any) -> Summary:
    return summary(Manifest.from_json(manifest(**changes)))


def lost(**by_column: float) -> dict[str, Any]:
    return {"ncp": sum(by_column.values()) / len(by_column), "ncp_by_column": by_column, "average_class_size": 2.0}


def test_rows_are_told_with_the_reasons_why_some_are_gone() -> None:
    assert of().rows == (
        "Released 11,400 of 12,000 rows in 950 classes of 12.0 rows on average. Suppressed 600 rows: 5 % of all rows."
    )
    assert of(rows_dropped=120).rows.endswith(
        "Suppressed 600 rows: 5 % of all rows, 480 by the search and 120 for missing values."
    )
    none = of(rows_in=11400, rows_suppressed=0, classes=1)
    assert none.rows == "Released 11,400 of 11,400 rows in 1 class of 12.0 rows on average. No row was suppressed."


def test_columns_with_the_highest_loss_come_first() -> None:
    found = of(published_as={"age": "ranges", "zip": "hierarchy nodes"})
    assert found.columns == (("age", "ranges", "40 %", ""), ("zip", "hierarchy nodes", "10 %", "2"))
    assert found.others == "" and found.has_levels and not of(levels={}).has_levels


def test_a_wide_table_shows_only_the_columns_with_the_highest_loss() -> None:
    wide = of(measures=lost(**{f"c{n}": n / 100 for n in range(45)}))
    assert len(wide.columns) == LISTED == 10 and wide.columns[0][0] == "c44"
    assert wide.others == "… and 35 more columns, with an information loss of at most 34 %."
    one_more = of(measures=lost(**{f"c{n}": 0.5 for n in range(11)}))
    assert len(one_more.columns) == 11 and one_more.others == ""


def test_columns_that_lose_nothing_need_no_table() -> None:
    found = of(measures=lost(age=0.0, zip=0.0))
    assert found.columns == () and found.sentences == ("No quasi-identifier was generalized.",)
    assert of(measures={"ncp": 0.0, "ncp_by_column": {}, "average_class_size": 1.0}).sentences == ()


def test_columns_without_any_information_are_counted_and_named() -> None:
    (sentence,) = of(published_as={"age": "*", "zip": "hierarchy nodes"}).sentences
    assert sentence == "1 column was generalized to * in all rows: age."
    (sentence,) = of(published_as={"age": "one range", "zip": "values"}).sentences
    assert sentence == "1 column has the same range or set in all rows: age."
    (sentence,) = of(published_as={f"c{n}": "*" for n in range(14)}).sentences
    assert sentence.startswith("14 columns were generalized to * in all rows: c0, ") and sentence.endswith(
        "and 4 more."
    )


def test_the_search_says_what_it_proved() -> None:
    search = {"measure": "loss", "cost": 0.25, "lower_bound": 0.2, "proven_optimal": False}
    assert of(**search).sentences == ("Not proven optimal (loss: cost 0.25, lower bound 0.2).",)
    proven = of(**search | {"lower_bound": 0.25, "proven_optimal": True})
    assert proven.sentences == ("Proven optimal (loss: cost 0.25).",)


def test_the_search_says_what_clusters_and_refinement_achieved() -> None:
    cuts, saved = of(by_cuts=True, refined_by=0.25).sentences
    assert cuts.startswith("The classes are those of mondrian")
    assert saved.startswith("Refinement lowered the information loss by 25")


def test_the_report_says_the_same() -> None:
    search = {"measure": "loss", "cost": 0.25, "lower_bound": 0.2, "proven_optimal": False}
    given = {"published_as": {"age": "*", "zip": "hierarchy nodes"}, **search}
    assert section(manifest(**given), "columns").blocks[-1] == Points(of(**given).sentences)
    assert [row["Published as"] for row in cells(manifest(**given), "columns")] == ["*", "hierarchy nodes"]


def plan(algorithm: Any = "optimal", **parts: Any) -> shoal.Plan:
    columns = {"age": shoal.quasi(shoal.intervals(5, 10)), "zip": shoal.quasi(), "ill": shoal.sensitive()}
    return shoal.Plan(columns=columns, models=[shoal.KAnonymity(k=2)], algorithm=algorithm, **parts)


def advice(settings: shoal.Plan, **changes: Any) -> str:
    from shoal.report.summary import advised

    return advised(Manifest.from_json(manifest(**changes)), settings)


def test_nothing_is_advised_where_little_is_lost() -> None:
    assert advice(plan()) == ""


@pytest.mark.parametrize("losses", [{"age": 0.2, "zip": 0.95}, {"age": 0.4, "zip": 0.7}])
def test_a_high_loss_names_the_column_and_what_could_be_changed(losses: dict[str, float]) -> None:
    told = advice(plan(), measures=lost(**losses), published_as={"age": "ranges", "zip": "values and *"})
    assert told.startswith(f"column 'zip' loses most ({100 * losses['zip']:.0f} %). You could ")
    for change in ("give it a hierarchy", "raise its weight", 'role = "drop"', "suppression = 0.02"):
        assert change in told


def test_only_changes_that_the_plan_allows_are_named() -> None:
    told = advice(plan(), measures=lost(age=0.95, zip=0.2), published_as={"age": "ranges", "zip": "values"})
    assert "hierarchy" not in told  # it has one
    told = advice(plan(Pais()), measures=lost(age=0.2, zip=0.95))
    assert "weight" not in told and "suppression" not in told
    told = advice(plan(release=shoal.ReleaseSettings(suppression=0.1)), measures=lost(age=0.2, zip=0.95))
    assert "suppression" not in told


def test_nothing_that_would_change_the_recoding_is_advised_where_it_was_applied() -> None:
    high = {"measures": lost(age=0.2, zip=0.95)}
    assert advice(plan(), **high) and advice(plan(), recoding_of="9f2c", **high) == ""


def test_serious_warnings_come_before_utility() -> None:
    told = advice(plan(), serious_warnings=1, measures=lost(age=0.2, zip=0.95))
    assert told == "change the plan so that the serious warning no longer applies, then run it again."


def test_an_anatomy_above_a_threshold_is_told_why() -> None:
    exceeded = {"exceeded": {"highest": {"accepted": 0.2, "measured": 1.0}}}
    told = advice(plan(), form="anatomy", risk=exceeded)
    assert told.startswith("change the plan so that no threshold") and 'form = "generalized" lowers' in told
    assert "anatomy" not in advice(plan(), risk=exceeded)
    of_values = {"exceeded": {"disclosing": {"accepted": 0.0, "measured": 0.1}}}
    assert "generalized" not in advice(plan(), form="anatomy", risk=of_values), "its classes decide that"


def test_a_recoding_that_was_applied_is_told() -> None:
    assert "The recoding is that of an earlier release." in of(recoding_of="9f2c", rows_without_label=0).sentences
    assert (
        "The recoding is that of an earlier release. It has no label for some values: 2 rows were suppressed for it."
        in of(recoding_of="9f2c", rows_without_label=2).sentences
    )
