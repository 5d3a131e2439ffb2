"""Results of jobs are as they are described."""

from __future__ import annotations

import json
import sqlite3
from typing import Any

import pytest

from shoal.progress import silent
from shoal.studio.results import ALL
from shoal.studio.work import ALL as WORK
from tests.studio.tables import plan_of, write_clinic


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """Kind of job → its arguments; the job `anonymize` is first."""
    folder = tmp_path_factory.mktemp("results")
    source, plan, lattice = str(write_clinic(folder)), folder / "plan.toml", folder / "lattice.toml"
    plan.write_text(plan_of(source), encoding="utf-8")
    lattice.write_text(plan_of(source) + '\n[algorithm]\nkind = "optimal"\n', encoding="utf-8")
    with sqlite3.connect(folder / "a.db") as database:
        database.execute("CREATE TABLE visits (age INTEGER)")
    out = str(folder / "out")
    return {
        "anonymize": {"plan": str(plan), "out": out},
        "sample": {"source": source},
        "values": {"source": source, "column": "ill"},
        "tables": {"database": f"sqlite:///{folder / 'a.db'}"},
        "profile": {"source": source},
        "check": {"plan": str(plan)},
        "suggest": {"plan": str(plan), "risk": {"highest": 0.2}, "budget": 2},
        "verify": {"folder": out},
        "risk": {"data": out, "attacks": False, "views": ["gdpr"]},
        "compare": {"releases": {"a": out, "b": out}},
        "contents": {"release": out, "plan": str(plan)},
        "lattice": {"plan": str(lattice)},
    }


def test_every_kind_has_its_result(given: dict[str, dict[str, Any]]) -> None:
    assert set(ALL) == set(WORK) == set(given)
    for kind, arguments in given.items():
        found = json.loads(json.dumps(WORK[kind](arguments, silent), default=str))
        ALL[kind].model_validate_json(json.dumps(found), strict=True)
