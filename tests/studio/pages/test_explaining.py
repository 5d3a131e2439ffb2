"""How a model is explained beside its form."""

from __future__ import annotations

from shoal import models
from shoal.studio.pages.explaining import _demonstrated, _with


def test_the_numbers_of_a_made_up_table_are_those_of_its_model() -> None:
    k_anonymity = next(cls for cls in models.ALL if cls.kind == "k-anonymity")
    assert k_anonymity.about.weak is not None
    found = _demonstrated(k_anonymity)
    assert found is not None and found.verdict.holds
    assert _with(k_anonymity.about.weak.parameters) == f" with k = {found.verdict.parameters['k']}"
