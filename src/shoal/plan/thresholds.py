"""The risk that a steward accepts: thresholds of `shoal risk`, and the column of sampling weights."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from shoal.roles.columns import Part

_Share = Annotated[float, Field(ge=0.0, le=1.0)]


class RiskSettings(Part):
    """The largest accepted figures of risk, each of them optional. They are never published.

    >>> RiskSettings(highest=0.2).given
    {'highest': 0.2}
    """

    highest: _Share | None = None
    average: _Share | None = None
    journalist: _Share | None = None
    marketer: _Share | None = None
    uniques: _Share | None = None
    population_uniques: _Share | None = None
    k_map: Annotated[int, Field(ge=1)] | None = None
    presence: _Share | None = None
    individual: _Share | None = None
    disclosing: _Share | None = None
    weight: str | None = None

    @property
    def given(self) -> dict[str, float]:
        """The thresholds that the steward set."""
        every = self.model_dump(exclude={"weight"})
        return {name: value for name, value in every.items() if value is not None}
