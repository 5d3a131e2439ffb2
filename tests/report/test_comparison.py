"""The comparison as a table, a drawing and JSON."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.models.evidence import Verdict
from shoal.report.comparison import ONE_OF_EACH, ONE_ONLY, Compared, Comparison


def compared(name: str, risk: float, loss: float, **changed: object) -> Compared:
    verdict = Verdict("t-closeness", {"column": "ill", "t": 0.2}, True, {"t": 0.1234})
    figures: dict[str, Any] = {
        "rows_in": 100,
        "rows_released": 90,
        "classes": 9,
        "discernibility_ratio": 0.1,
    }
    return Compared(
        name,
        "mondrian",
        "generalized",
        models=(verdict,),
        highest_risk=1.0,
        average_risk=risk,
        ncp=loss,
        **figures | changed,
    )  # type: ignore[arg-type]


shares = st.floats(0, 1, allow_nan=False).map(lambda share: round(share, 1))


@given(st.lists(st.tuples(shares, shares, st.booleans()), min_size=1, max_size=8))
def test_the_front_has_what_no_verified_release_beats(figures: list[tuple[float, float, bool]]) -> None:
    releases = [
        compared(f"r{number}", risk, loss, problems=() if holds else ("changed.",))
        for number, (risk, loss, holds) in enumerate(figures)
    ]
    front = {each.name for each in Comparison(tuple(releases)).front}
    for number, (risk, loss, holds) in enumerate(figures):
        beaten = any(r <= risk and o <= loss and (r, o) != (risk, loss) for r, o, verified in figures if verified)
        assert (f"r{number}" in front) is (holds and not beaten)


def test_the_table_says_what_was_achieved_and_what_is_better() -> None:
    found = Comparison((compared("a", 0.1, 0.2), compared("b", 0.2, 0.3), compared("c", 0.0, 0.0, problems=("x",))))
    rows = {row[0]: dict(zip(found.head, row, strict=True)) for row in found.table()}
    assert rows["a"]["achieved"] == "t-closeness of ill 0.123"
    assert rows["a"]["suppressed"] == "10 %"
    assert [rows[name][""] for name in "abc"] == ["", "a is better", "does not verify"]
    assert "seconds" not in found.head
    assert ONE_ONLY in str(found)


def test_columns_that_some_releases_lack_are_told() -> None:
    both, one = compared("a", 0.1, 0.2, quasi_identifiers=("age", "zip")), compared("b", 0.2, 0.1)
    told = Comparison((both, replace(one, quasi_identifiers=("age",)))).sentences()
    (unlike,) = [sentence for sentence in told if "like with like" in sentence]
    assert "'zip'" in unlike and "'age'" not in unlike and "costs nothing in its NCP" in unlike
    same = Comparison((both, replace(one, quasi_identifiers=("zip", "age")))).sentences()
    assert not any("like with like" in sentence for sentence in same)


@pytest.mark.parametrize(
    ("verdict", "words"),
    [
        (Verdict("k-anonymity", {"k": 5}, True, {"k": 1234}), "k-anonymity 1,234"),
        (
            Verdict(
                "lkc",
                {"l": 2, "k": 5, "c": 0.5, "column": "ill"},
                True,
                {"support": 10, "support_columns": "age", "confidence": 0.375},
            ),
            "lkc of ill support 10, confidence 0.375",
        ),
        (
            Verdict("p-sensitive", {"p": 2, "k": 3, "columns": ["a"]}, True, {"p": 3, "k": 4}),
            "p-sensitive of a p 3, k 4",
        ),
        (
            Verdict(
                "t-closeness", {"column": "ill", "t": 0.2}, True, {"t_released": 0.1, "input_reference": "not checked"}
            ),
            "t-closeness of ill 0.1",
        ),
        (Verdict("l-diversity", {"column": "ill", "l": 2}, True, {"persons": "not checked"}), "l-diversity of ill"),
    ],
)
def test_figures_are_named_unless_there_is_only_that_of_the_parameter(verdict: Verdict, words: str) -> None:
    found = Comparison((replace(compared("a", 0.1, 0.2), models=(verdict,)), compared("b", 0.2, 0.3)))
    assert found.table()[0][2] == words


def test_releases_of_different_tables_are_told_and_not_ranked() -> None:
    """A table of another number of rows, or of other columns, has other people, or other facts about them."""
    rows = compared("a", 0.1, 0.2, rows_in=20_000), compared("b", 0.2, 0.3, rows_in=18_000)
    told = Comparison(rows).sentences()
    assert "different tables: their inputs have 18,000 and 20,000 rows." in " ".join(told)
    assert ONE_OF_EACH in told and ONE_ONLY not in told
    other = compared("a", 0.1, 0.2, columns=("age", "ill")), compared("b", 0.2, 0.3, columns=("stage",))
    found = Comparison(other)
    assert "different tables: 'a', 'b' have no column in common." in " ".join(found.sentences())
    assert found.dominated_by(other[1]) is None and [row[-1] for row in found.table()] == ["", ""]
    assert not any("like with like" in each for each in found.sentences()), "one warning about it is enough"


def test_releases_with_a_column_in_common_are_of_one_table() -> None:
    found = Comparison((compared("a", 0.1, 0.2, columns=("age", "ill")), compared("b", 0.2, 0.3, columns=("age",))))
    assert "different tables" not in str(found) and ONE_ONLY in str(found)
    assert found.dominated_by(found.releases[1]) is found.releases[0]


def test_the_json_has_all_figures() -> None:
    found = Comparison((compared("a", 0.1, 0.2, seconds=1.5), compared("b", 0.2, 0.3)))
    read = json.loads(json.dumps(found.to_json()))
    assert read["front"] == ["a"]
    assert read["releases"][1]["dominated_by"] == "a"
    assert read["releases"][0]["models"][0]["achieved"] == {"t": 0.1234}
    assert read["releases"][0]["seconds"] == 1.5


def test_the_drawing_greys_what_is_dominated_and_escapes_names() -> None:
    found = Comparison((compared("<b>&", 0.1, 0.2), compared("b", 0.2, 0.3)))
    drawn = ElementTree.fromstring(found.svg())
    circles = drawn.findall(".//{*}circle")
    assert [circle.get("class") for circle in circles] == ["kept", "grey"]
    assert "<b>" not in found.svg()
    assert re.search(r"<td[^>]*>&lt;b&gt;&amp;</td>", found._repr_html_())
