"""Models are offered with example parameters for the columns of the plan."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, get_args, get_type_hints

import pytest

from shoal import forms, models
from shoal.plan import ReleaseSettings
from shoal.roles import spec
from shoal.studio.pages.models import _FIRST, _known, _sample, problem_of
from shoal.studio.wording import CATEGORIES, FORMS, RANGES


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


def test_the_fields_of_the_release_offer_what_a_plan_allows() -> None:
    assert set(RANGES) == set(get_args(get_type_hints(ReleaseSettings)["ranges"]))
    assert set(CATEGORIES) == set(get_args(get_type_hints(ReleaseSettings)["categories"]))
    assert set(FORMS) == {each.kind for each in forms.ALL}
    defaults = ReleaseSettings()
    assert (next(iter(RANGES)), next(iter(CATEGORIES))) == (defaults.ranges, defaults.categories)


def test_a_model_that_is_wrong_by_itself_says_why() -> None:
    assert problem_of({"kind": "k-anonymity", "k": 5}) is None
    assert problem_of({"kind": "k-anonymity"}) is not None
