"""Plan tables and dataclasses: what is written is read back, and what does not fit is named."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import pytest

from shoal import algorithms, forms, hierarchies, models
from shoal.errors import PlanError
from shoal.roles import spec


@dataclass(frozen=True)
class Sharp:
    """Cuts sharply."""

    edge: int
    parts: tuple[str, ...] = ()
    limits: Mapping[str, int] | None = None
    share: int | float = 0.5

    kind: ClassVar[str] = "sharp"

    def __post_init__(self) -> None:
        if self.edge < 0:
            raise PlanError("Sharp edge must not be negative.")


FAMILY = (Sharp,)


def test_a_table_becomes_the_member_it_names() -> None:
    table = {"kind": "sharp", "edge": 3, "parts": ["a", "b"], "limits": {"x": 2}, "share": 1}
    made = spec.from_table(FAMILY, "blade", table)
    assert made == Sharp(edge=3, parts=("a", "b"), limits={"x": 2}, share=1)
    assert spec.to_table(made) == table


def test_defaults_are_left_out() -> None:
    assert spec.to_table(Sharp(edge=1)) == {"kind": "sharp", "edge": 1}


def test_what_is_no_table_is_left_as_it_is() -> None:
    blade = Sharp(edge=1)
    assert spec.from_table(FAMILY, "blade", blade) is blade
    assert spec.from_table(FAMILY, "blade", "sharp") == "sharp"


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ({"edge": 1}, "A blade needs a 'kind'. Allowed: sharp."),
        ({"kind": "shrp", "edge": 1}, "There is no blade of kind 'shrp'. Allowed: sharp. Hint: did you mean 'sharp'?"),
        ({"kind": None}, "A blade needs a 'kind'."),
        ({"kind": "sharp"}, "The blade 'sharp' needs 'edge'."),
        ({"kind": "sharp", "edge": 1, "egde": 2}, "'egde' is not a parameter of blade 'sharp'."),
        ({"kind": "sharp", "edge": "1"}, "The 'edge' of blade 'sharp' is invalid: it should be an integer."),
        ({"kind": "sharp", "edge": True}, "it should be an integer"),
        ({"kind": "sharp", "edge": 1, "parts": "ab"}, "it should be a list"),
        ({"kind": "sharp", "edge": 1, "parts": [1]}, "it should be text"),
        ({"kind": "sharp", "edge": 1, "limits": {"x": "2"}}, "it should be an integer"),
        ({"kind": "sharp", "edge": -1}, "Sharp edge must not be negative. Hint:"),
    ],
)
def test_a_table_that_does_not_fit_is_named(table: dict[str, object], says: str) -> None:
    with pytest.raises(PlanError) as caught:
        spec.from_table(FAMILY, "blade", table)
    assert says in str(caught.value)
    assert caught.value.hint


@pytest.mark.parametrize("family", [models.ALL, algorithms.ALL, hierarchies.ALL], ids=["models", "algorithms", "trees"])
def test_every_member_has_a_kind_of_its_own_and_a_schema(family: tuple[type, ...]) -> None:
    kinds = [cls.kind for cls in family]  # type: ignore[attr-defined]
    assert len(set(kinds)) == len(kinds)
    for member, found in zip(family, spec.schema(family)["oneOf"], strict=True):
        assert found["properties"]["kind"] == {"const": member.kind}  # type: ignore[attr-defined]
        assert found["additionalProperties"] is False
        assert found["description"]


def test_forms_have_kinds_of_their_own() -> None:
    assert len({form.kind for form in forms.ALL}) == len(forms.ALL)
