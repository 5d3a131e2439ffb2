from __future__ import annotations

from datetime import time, timedelta

import polars as pl

from shoal.roles.columns import Column, identifier, insensitive, quasi
from shoal.warnings.header import absent_header
from tests.warnings.cases import case

ROLES = (identifier(), quasi(), quasi(), insensitive())


def warned(*names: str) -> bool:
    columns: dict[str, Column] = dict(zip(names, ROLES, strict=True))
    frame = pl.DataFrame(dict(zip(names, (["Bob"] * 4, ["34", "35"] * 2, ["F", "M"] * 2, ["flu"] * 4), strict=True)))
    found = list(absent_header(case(frame, columns, [0] * 4)))
    assert all(warning.serious and not any(name in warning.text for name in names) for warning in found)
    return bool(found)


def test_the_first_patient_as_names_is_noticed() -> None:
    assert warned("Ann Lee", "35", "M", "flu")


def test_names_are_names() -> None:
    assert not warned("name", "age", "sex", "illness") and not warned("name", "2019", "2020", "2021")


def test_columns_of_every_type_are_looked_at() -> None:
    frame = pl.DataFrame(
        {"age": [1, 2], "stay": [timedelta(1), None], "at": [time(1), None], "odd": [float("inf"), None]}
    )
    columns = {name: quasi() if name == "age" else insensitive() for name in frame.columns}
    assert not list(absent_header(case(frame, columns, [0] * 2)))
