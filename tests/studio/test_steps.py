"""How far each step is."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from shoal.errors import PlanError
from shoal.studio.states import Stage, State
from shoal.studio.steps import STEPS, repaired_at


def workspace(**given: Any) -> Any:
    columns = {"age": {"role": "quasi-identifier", "hierarchy": {}}, "ill": {"role": "sensitive"}}
    plan = SimpleNamespace(
        models=[1], problem=None, damage=None, person_problem=None, columns=columns, having=lambda *_roles: ["age"]
    )
    facts: dict[str, Any] = {
        "profile": {"rows": 40},
        "column_names": ["age", "ill"],
        "plan": plan,
        "running": [],
        "finished": [],
        "finished_here": [],
        "comparable": [],
        "is_of_open_table": lambda _run: True,
        "unfit_hierarchies": list,
        "chosen": None,
        "job": lambda _name: None,
        "needs_sheet": False,
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
    broken = SimpleNamespace(
        models=[1], columns={}, having=lambda *_roles: [], problem=PlanError("no"), damage=None, person_problem=None
    )
    found = standings(plan=broken, problem=lambda: PlanError("no"))
    assert (found["Models"], found["Hierarchies"], found["Run"]) == ("attention", "attention", "blocked")
    failed = SimpleNamespace(state=State.FAILED)
    assert standings(job=lambda _name: failed)["Open"] == "attention"
    assert STEPS[0].of(workspace(job=lambda _name: failed, needs_sheet=True)).why == "Choose a sheet"
    assert standings(job=lambda name: failed if name == "profile" else None, profile=None)["Open"] == "attention"


def test_a_plan_that_cannot_be_read_marks_the_steps_that_edit_it() -> None:
    plan = SimpleNamespace(damage=PlanError("no"))
    found = {step.name: step.of(workspace(plan=plan, problem=lambda: plan.damage)) for step in STEPS[1:5]}
    assert {progress.why for progress in found.values()} == {"The plan cannot be read"}
    assert found["Roles"].standing == "attention" and found["Run"].standing == "blocked"


def test_each_problem_marks_the_step_where_it_is_repaired() -> None:
    unfit = standings(unfit_hierarchies=lambda: ["age"])
    assert (unfit["Hierarchies"], unfit["Models"], unfit["Run"]) == ("attention", "done", "attention")
    undecided = standings(undecided=lambda: ["x"], problem=lambda: PlanError("no"))
    assert (undecided["Roles"], undecided["Models"], undecided["Run"]) == ("attention", "done", "blocked")
    plan = SimpleNamespace(**{**vars(workspace().plan), "problem": PlanError("no"), "person_problem": PlanError("no")})
    unclear = standings(plan=plan, problem=lambda: PlanError("no"))
    assert (unclear["Roles"], unclear["Models"], unclear["Run"]) == ("attention", "done", "blocked")
    assert repaired_at(workspace(plan=plan)) == "/roles"
    assert repaired_at(workspace(unfit_hierarchies=lambda: ["age"])) == "/hierarchies"
    assert repaired_at(workspace()) == "/models"


def test_runs_are_followed_and_counted() -> None:
    going = SimpleNamespace(stage=Stage("search", 0.4))
    run = STEPS[4].of(workspace(running=[going]))
    assert run.standing == "busy" and run.why.startswith("Searching")
    done = SimpleNamespace(name="first")
    found = workspace(finished=[done, done], finished_here=[done, done], comparable=[done, done], chosen=done)
    assert [STEPS[place].of(found).standing for place in (4, 5, 6, 7)] == ["done", "open", "open", "open"]
    incomplete = workspace(finished=[done], finished_here=[done], chosen=done, problem=lambda: PlanError("no"))
    run = STEPS[4].of(incomplete)
    assert run.standing == "blocked" and run.why == "The plan is not complete · 1 release"


def test_releases_of_another_table_are_not_counted_as_those_of_this_one() -> None:
    done = SimpleNamespace(name="first")
    found = workspace(finished=[done], comparable=[done], chosen=done, is_of_open_table=lambda _run: False)
    assert [STEPS[place].of(found).standing for place in (4, 5)] == ["open", "blocked"]
    assert STEPS[4].of(found).why == "1 release of another table"
    assert STEPS[6].of(found).why == "first, of another table"
