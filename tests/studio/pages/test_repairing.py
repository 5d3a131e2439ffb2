"""Problems lead to the step where they are repaired."""

from __future__ import annotations

from shoal.studio.pages.repairing import step_of_repair
from tests.studio.test_steps import workspace


def test_a_problem_leads_to_its_step() -> None:
    assert step_of_repair(workspace(undecided=lambda: ["x"])).name == "Roles"
    assert step_of_repair(workspace(unfit_hierarchies=lambda: ["x"])).name == "Hierarchies"
    assert step_of_repair(workspace()).name == "Models"
