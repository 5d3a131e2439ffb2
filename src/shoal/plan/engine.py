"""How much an engine and a search hold at a time."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from shoal.roles.columns import Part

FEWEST = 1_000
"""The smallest limit. With fewer rows, classes at the boundaries of blocks would lose much of the information."""


class EngineSettings(Part):
    """How many distinct rows are searched at a time. It is a constant of the plan, so that machines agree.

    It is never published.

    >>> EngineSettings().distinct_limit
    50000000
    """

    distinct_limit: Annotated[int, Field(ge=FEWEST)] = 50_000_000
