"""The comparison as a table, a drawing and JSON."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from shoal.models.evidence import Verdict
from shoal.report.comparison import ONE_ONLY, Compared, Comparison


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
