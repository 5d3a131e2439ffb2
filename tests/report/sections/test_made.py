"""How a release was made."""

from __future__ import annotations

from tests.report.manifests import cells, manifest, report


def test_what_is_known_is_shown() -> None:
    shown = {line["Fact"]: line["Value"] for line in cells(manifest(proven_optimal=False, lower_bound=0.125), "made")}
    assert shown == {
        "Algorithm": "mondrian",
        "Form": "generalized",
        "Proven optimal": "no",
        "Lower bound": "0.125",
        "Shoal": "9.8.7",
    }
    assert report({}).document.section("made") is None
