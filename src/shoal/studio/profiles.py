"""The profile of a table that a project keeps, as far as pages show it; a damaged one counts as none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field, ValidationError

from shoal.roles.columns import Role
from shoal.studio.files import read_json


class _Column(BaseModel):
    name: str
    type: str
    distinct: int = Field(ge=0)
    missing: float = Field(ge=0, le=1)
    unique: float = Field(ge=0, le=1)
    role: Role
    reason: str
    confidence: str


class _Drafted(BaseModel):
    role: Role
    reason: str


class _Combination(BaseModel):
    columns: list[str]
    unique: float = Field(ge=0, le=1)


class _Profile(BaseModel):
    rows: int = Field(ge=0)
    columns: list[_Column]
    together: _Combination | None
    riskiest: list[_Combination]
    warnings: list[Any]
    drafted: dict[str, _Drafted] = {}


def read_profile(path: Path) -> dict[str, Any] | None:
    """The profile in a file; None if there is none, or if it is not one that pages can show."""
    found = read_json(path)
    try:
        _Profile.model_validate(found, strict=True)
    except ValidationError:
        return None
    return found
