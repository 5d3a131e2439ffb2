"""How labels are read: the kinds that the release has, and no others."""

from __future__ import annotations

import pytest

from shoal.labels import read, span
from shoal.manifest import Manifest
from shoal.report.document import Terms
from shoal.report.sections.base import Facts
from shoal.report.sections.label_syntax import LabelSyntax
from tests.figures.releases import released


@pytest.mark.parametrize(
    ("published_as", "explained"),
    [
        ("ranges", ["[low, high]"]),
        ("one range", ["[low, high]"]),
        ("values, sets and *", ["{a, b}", "*"]),
        ("hierarchy nodes", ["Node of a hierarchy"]),
    ],
)
def test_the_kinds_of_the_release_are_explained(published_as: str, explained: list[str]) -> None:
    terms, _ = LabelSyntax.of(Facts(Manifest(published_as={"age": published_as, "sex": "values"})))
    assert isinstance(terms, Terms)
    assert [name for name, _ in terms.terms] == [*explained, "Empty", "Backslash at the beginning"]


def test_values_need_no_explanation() -> None:
    assert LabelSyntax.section(Facts(Manifest(published_as={"sex": "values"}))) is None


def test_the_examples_are_labels() -> None:
    assert str(span("low", "high")) == "[low, high]" and type(read("{a, b}")).__name__ == "OneOf"


def test_a_release_with_ranges_has_the_section() -> None:
    release = released()
    assert LabelSyntax.section(Facts(release.manifest, release.figures.public)) is not None
