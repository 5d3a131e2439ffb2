"""The frontier of several plans: their releases side by side, and the plans that could not be met."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from shoal.plan import Plan
from shoal.report.comparison import Comparison


@dataclass(frozen=True)
class Frontier(Comparison):
    """The verified releases of several plans of one table. Average risk and information loss decide the front.

    `plans`: the plan of every name. `unmet`: the names of the plans that could not be met, with the reason.
    """

    plans: Mapping[str, Plan] = field(default_factory=dict)
    unmet: Mapping[str, str] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """The frontier as JSON values."""
        plans = {name: plan.to_toml() for name, plan in self.plans.items()}
        return {**super().to_json(), "unmet": dict(self.unmet), "plans": plans}

    def sentences(self) -> list[str]:
        """What the table cannot show: which releases remain, and why some plans have none."""
        if not self.releases:
            return ["None of the plans can be met.", *self._unmet()]
        first, *others = super().sentences()
        return [first, *self._unmet(), *others]

    def _unmet(self) -> list[str]:
        return [f"'{name}' cannot be met: {reason}" for name, reason in self.unmet.items()]
