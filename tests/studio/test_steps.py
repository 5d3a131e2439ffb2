"""How far each step is."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from shoal.errors import PlanError
from shoal.studio.states import Stage, State
from shoal.studio.steps import STEPS


def workspace(**given: Any) -> Any:
    columns = {"age": {"role": "quasi-identifier", "hierarchy": {}}, "ill": {"role": "sensitive"}}
    plan = SimpleNamespace(models=[1], problem=None, columns=columns, having=lambda *_roles: ["age"])
    facts: dict[str, Any] = {
        "profile": {"rows": 40},
        "column_names": ["age", "ill"],
        "plan": plan,
        "running": [],
        "finished": [],
        "chosen": None,
        "job": lambda _name: None,
        "is_busy": lambda *_names: False,
        "undecided": list,
        "problem": lambda: None,
    }
    return SimpleNamespace(**{**facts, **given})


def standings(**given: Any) -> dict[str, str]:
    return {step.name: step.of(workspace(**given)).standing for step in STEPS}


def test_without_a_table_everything_but_opening_is_blocked() -> None:
    found = standings(profile=None)
    assert found.pop("Open") == "open" and set(found.values()) == {"blocked"}


def test_a_complete_plan_can_be_run() -> None:
    found = standings()
    assert [found[name] for name in ("Open", "Roles", "Hierarchies", "Models")] == ["done"] * 4
    assert found["Run"] == "open" and found["Compare"] == found["Inspect"] == found["Export"] == "blocked"


def test_what_needs_attention_says_why() -> None:
    roles = STEPS[1].of(workspace(undecided=lambda: ["x", "y"]))
    assert (roles.standing, roles.why) == ("attention", "2 columns without a role")
    broken = SimpleNamespace(models=[1], columns={}, having=lambda *_roles: [])
    found = standings(plan=broken, problem=lambda: PlanError("no"))
    assert (found["Models"], found["Hierarchies"], found["Run"]) == ("attention", "attention", "blocked")
    failed = SimpleNamespace(state=State.FAILED)
    assert standings(job=lambda _name: failed)["Open"] == "attention"


def test_runs_are_followed_and_counted() -> None:
    going = SimpleNamespace(stage=Stage("search", 0.4))
    run = STEPS[4].of(workspace(running=[going]))
    assert run.standing == "busy" and run.why.startswith("Searching")
    done = SimpleNamespace(name="first")
    found = workspace(finished=[done, done], chosen=done)
    assert [STEPS[place].of(found).standing for place in (4, 5, 6, 7)] == ["done", "open", "open", "open"]
