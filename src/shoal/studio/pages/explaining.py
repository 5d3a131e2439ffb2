"""What a model does not protect, on the page where models are chosen: in words, and as an attack on a small table."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from shoal.percent import percent
from shoal.studio.pages import parts
from shoal.studio.pages.parts import box, text
from shoal.studio.pages.toolkit import run

if TYPE_CHECKING:
    from shoal.attacks.demonstration import Demonstration


def explained(cls: Any) -> None:
    """What a model does not protect, an example, and the attack that shows it, which is run when it is asked for."""
    with parts.more("What it does not protect, and an attack that shows it") as panel:
        text(cls.about.not_protected)
        text(f"Example: {cls.about.example}", "soft")
        place = box("stack")
        text(cls.about.paper, "soft small")
    shown: list[bool] = []

    async def attack() -> None:
        if shown or cls.about.weak is None:
            return
        shown.append(True)
        with place:
            text("Attacking a small table …", "soft")
        found = await run.io_bound(_demonstrated, cls)
        place.clear()
        if found is None:
            return
        with place:
            text(f"A made-up table that keeps the promise{_with(cls.about.weak.parameters)}:", tag="h3")
            parts.table(found.table.columns, found.table.rows(), label="A small table")
            success, guess = percent(found.outcome.success), percent(found.outcome.baseline)
            parts.note("care", f"Attack '{found.outcome.kind}': success {success}, by guessing {guess}", found.shows)

    panel.on("toggle", attack)


def _with(parameters: Mapping[str, Any]) -> str:
    """The numbers of a model in words.

    >>> _with({"column": "diagnosis", "l": 3}), _with({})
    (' with l = 3', '')
    """
    numbers = [f"{name} = {value}" for name, value in parameters.items() if isinstance(value, int | float)]
    return f" with {', '.join(numbers)}" if numbers else ""


@cache
def _demonstrated(cls: Any) -> Demonstration | None:
    from shoal.attacks.demonstration import demonstrated

    return demonstrated(cls)
