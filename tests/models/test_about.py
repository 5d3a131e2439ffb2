from __future__ import annotations

import json

import pytest

from shoal.models import ALL, ClassModel


@pytest.mark.parametrize("model", ALL, ids=lambda model: model.kind)
def test_a_weak_table_is_small_and_complete(model: type[ClassModel]) -> None:
    weak = model.about.weak
    assert weak is not None
    assert all(len(row) == len(weak.columns) for row in weak.rows)
    assert set(weak.sensitive) < set(weak.columns)
    assert list(weak.rows) == sorted(weak.rows)  # as released, the order says nothing
    assert len(weak.shows) > 30 and weak.shows.endswith(".")


@pytest.mark.parametrize("model", ALL, ids=lambda model: model.kind)
def test_the_description_without_the_table_is_json(model: type[ClassModel]) -> None:
    told = model.about.to_json()
    assert set(told) == {"promise", "not_protected", "example", "paper", "sample"}
    json.dumps(told)
