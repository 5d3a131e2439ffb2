"""Models are offered with example parameters for the columns of the plan."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from shoal import models
from shoal.roles import spec
from shoal.studio.pages.models import _FIRST, _known, _sample


def workspace(**columns: str) -> Any:
    def having(*roles: str) -> list[str]:
        return [name for name, role in columns.items() if role in roles]

    return SimpleNamespace(plan=SimpleNamespace(models=[{"kind": "l-diversity", "column": "ill"}], having=having))


@pytest.mark.parametrize("cls", models.ALL, ids=lambda cls: cls.kind)
def test_every_model_can_be_added_as_it_is(cls: Any) -> None:
    table = _sample(cls, workspace(ill="sensitive", cost="sensitive", items="quasi-sensitive"))
    made = spec.from_table(models.ALL, "model", table)
    assert made.kind == cls.kind and table.get("column") in (None, "cost", "items")


def test_a_model_for_a_column_that_is_not_there_is_left_open() -> None:
    assert "column" not in _sample(models.KmAnonymity, workspace(ill="sensitive"))


def test_the_first_models_exist() -> None:
    assert all(_known(kind) is not None for kind in _FIRST) and _known("nonsense") is None
