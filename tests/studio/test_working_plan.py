"""The plan that is edited: always on disk, and a plan only when it is complete."""

from __future__ import annotations

from pathlib import Path

import pytest

from shoal.errors import PlanError
from shoal.studio.project import Project
from shoal.studio.working_plan import UNDECIDED, WorkingPlan
from tests.studio.tables import plan_of


class Memory:
    folder = Path("/nowhere")

    def __init__(self, text: str | None = None) -> None:
        self.text = text

    def plan_text(self) -> str | None:
        return self.text

    def save_plan(self, text: str) -> None:
        self.text = text


@pytest.fixture
def plan() -> WorkingPlan:
    return WorkingPlan(Memory(plan_of("clinic.csv")))


def test_a_text_stays_as_it_is_until_it_is_edited(plan: WorkingPlan) -> None:
    assert plan.plan is not None and "# the plan of a clinic" in plan.text()
    plan.set_part("release", suppression=0.1)
    assert plan.plan is not None and plan.plan.release.suppression == 0.1 and "#" not in plan.text()


def test_roles_are_given_and_taken_back(plan: WorkingPlan) -> None:
    plan.set_roles(["age", "zip"], "identifier")
    assert plan.having("identifier") == ["age", "zip"] and plan.role("zip") == "identifier"
    plan.set_roles(["zip"], UNDECIDED)
    assert plan.role("zip") == UNDECIDED and "zip" not in plan.columns


def test_settings_that_the_new_role_cannot_have_are_removed(plan: WorkingPlan) -> None:
    plan.set_column("age", hierarchy={"kind": "intervals", "widths": [5]}, top=90)
    plan.set_roles(["age"], "sensitive")
    assert plan.columns["age"] == {"role": "sensitive", "hierarchy": {"kind": "intervals", "widths": [5]}}
    plan.set_roles(["age"], "drop")
    assert plan.columns["age"] == {"role": "drop"}


def test_settings_return_with_the_role_that_may_have_them(plan: WorkingPlan) -> None:
    before = {"role": "quasi-identifier", "hierarchy": {"kind": "intervals", "widths": [5]}, "top": 90}
    plan.set_column("age", hierarchy=before["hierarchy"], top=90)
    for role in ("sensitive", "drop", UNDECIDED):
        plan.set_roles(["age"], role)
    plan.set_roles(["age"], "quasi-identifier")
    assert plan.columns["age"] == before
    plan.set_roles(["age"], "drop")
    plan.replace(plan.text())
    plan.set_roles(["age"], "quasi-identifier")
    assert plan.columns["age"] == {"role": "quasi-identifier"}


def test_a_column_stays_where_it_is_in_the_plan(plan: WorkingPlan) -> None:
    before = list(plan.columns)
    plan.set_roles([before[0]], "insensitive")
    assert list(plan.columns) == before


def test_settings_do_not_return_into_a_file_that_another_program_changed() -> None:
    memory = Memory(plan_of("clinic.csv"))
    plan = WorkingPlan(memory)
    plan.set_column("age", top=90)
    plan.set_roles(["age"], "drop")
    memory.text = plan_of("clinic.csv").replace("quasi-identifier", "insensitive")
    plan.set_roles(["age"], "quasi-identifier")
    assert plan.columns["age"] == {"role": "quasi-identifier"}


def test_models_of_columns_with_another_role_are_found_and_removed(plan: WorkingPlan) -> None:
    plan.set_roles(["cost", "stage"], "sensitive")
    kept = {"kind": "t-closeness", "column": "ill", "t": 0.2}
    several = {"kind": "p-sensitive", "p": 2, "k": 5, "columns": ["ill", "stage"]}
    plan.set_models([{"kind": "k-anonymity", "k": 5}, {**kept, "column": "cost"}, kept, several])
    assert plan.stale_models == []
    plan.set_roles(["cost", "stage"], "quasi-identifier")
    assert plan.stale_models == [1, 3] and plan.stale_columns(several) == ["stage"]
    assert plan.remove_stale_models() == 1
    assert plan.models == [{"kind": "k-anonymity", "k": 5}, kept, {**several, "columns": ["ill"]}]


def test_columns_that_a_pattern_gives_their_role_are_not_stale() -> None:
    plan = WorkingPlan(Memory('[roles]\nsensitive = ["lab_*"]\n'))
    assert plan.stale_columns({"kind": "t-closeness", "column": "lab_1", "t": 0.2}) == []
    assert plan.stale_columns({"kind": "km-anonymity"}) == [] and plan.stale_columns({"kind": "nonsense"}) == []


def test_an_invalid_hierarchy_is_a_problem_of_its_column(plan: WorkingPlan) -> None:
    assert plan.hierarchy_problems == {}
    plan.set_column("age", hierarchy={"kind": "intervals"})
    assert list(plan.hierarchy_problems) == ["age"]


def test_levels_that_a_hierarchy_does_not_have_are_a_problem_of_its_column(plan: WorkingPlan) -> None:
    plan.set_column("age", hierarchy={"kind": "prefix"}, finest=1)
    assert "finest" in str(plan.hierarchy_problems["age"])
    plan.set_column("age", hierarchy={"kind": "prefix", "steps": [3, 2]})
    assert plan.hierarchy_problems == {}
    plan.set_column("ill", protected=["cancer"])
    assert list(plan.hierarchy_problems) == ["ill"]


def test_levels_and_protected_nodes_go_and_return_with_their_hierarchy(plan: WorkingPlan) -> None:
    drafted = {"hierarchy": {"kind": "prefix", "steps": [4, 3]}, "finest": 1}
    plan.set_column("age", **drafted)
    plan.choose_hierarchy("age", {"kind": "file", "path": "ages.csv"})
    assert plan.columns["age"] == {"role": "quasi-identifier", "hierarchy": {"kind": "file", "path": "ages.csv"}}
    plan.choose_hierarchy("age", None)
    assert plan.columns["age"] == {"role": "quasi-identifier"}
    plan.choose_hierarchy("age", {"kind": "prefix"})
    assert plan.columns["age"] == {"role": "quasi-identifier", **drafted}
    plan.set_column("ill", hierarchy={"kind": "icd9"}, protected=["042"])
    plan.choose_hierarchy("ill", None)
    assert plan.columns["ill"] == {"role": "sensitive"} and plan.hierarchy_problems == {}


def test_the_column_that_identifies_individuals_is_removed_from_the_release(plan: WorkingPlan) -> None:
    assert plan.person is None and plan.person_problem is None
    plan.set_roles(["patient"], "insensitive")
    plan.set_person("patient")
    assert plan.person == "patient" and plan.role("patient") == "identifier" and plan.problem is None
    plan.set_roles(["patient"], "drop")
    plan.set_person("patient")
    assert plan.role("patient") == "drop"
    plan.set_roles(["patient"], "insensitive")
    assert "must be removed" in str(plan.person_problem)
    plan.set_person(None)
    assert plan.person is None and plan.person_problem is None and plan.role("patient") == "insensitive"


def test_an_incomplete_plan_says_why(plan: WorkingPlan) -> None:
    plan.set_models([{"kind": "l-diversity", "l": 3}])
    assert plan.plan is None and plan.problem is not None and "column" in str(plan.problem)
    plan.set_models([{"kind": "l-diversity", "l": 3, "column": "ill"}])
    assert plan.problem is None


def test_columns_that_are_listed_by_role_can_be_edited() -> None:
    text = '[roles]\nquasi-identifier = ["a", "lab_*"]\ndrop = ["b"]\n'
    plan = WorkingPlan(Memory(text))
    plan.set_roles(["b"], "insensitive")
    assert plan.columns == {"a": {"role": "quasi-identifier"}, "b": {"role": "insensitive"}}
    assert plan.tables["roles"] == {"quasi-identifier": ["lab_*"]}


def test_a_hierarchy_of_text_that_is_chosen_is_used(plan: WorkingPlan) -> None:
    plan.set_part("release", categories="sets")
    plan.set_roles(["zip"], "quasi-identifier")
    plan.set_column("zip", hierarchy={"kind": "intervals", "widths": [5]})
    assert plan.release["categories"] == "sets"
    plan.set_column("zip", hierarchy={"kind": "prefix"})
    assert plan.release["categories"] == "hierarchy"


def test_the_algorithm_keeps_its_seed(plan: WorkingPlan) -> None:
    plan.set_algorithm(kind="pais", goal="general", seed=4)
    plan.set_algorithm(kind="mondrian", cut=None)
    assert plan.algorithm == {"kind": "mondrian", "seed": 4}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("= nonsense", "not valid TOML"),
        ('columns = "x"', "form of a plan"),
        ("columns = {age = 3}", "form of a plan"),
        ('models = "x"', "form of a plan"),
        ("models = [3]", "form of a plan"),
        ("models = [{kind = 3}]", "form of a plan"),
        ("[columns.age]\nhierarchy = [1]", "form of a plan"),
        ("algorithm = [1]", "form of a plan"),
    ],
)
def test_a_broken_file_is_a_problem_and_is_not_changed(text: str, words: str) -> None:
    memory = Memory(text)
    plan = WorkingPlan(memory)
    assert plan.plan is None and words in str(plan.problem) and plan.damage is plan.problem
    assert dict(plan.columns) == {} and plan.models == [] and plan.hierarchy_problems == {}
    with pytest.raises(PlanError, match=words):
        plan.set_roles(["age"], "sensitive")
    assert memory.text == text
    plan.replace(plan_of("clinic.csv"))
    assert plan.damage is None and plan.plan is not None


def test_a_file_that_is_not_text_is_a_problem_until_it_is_corrected(tmp_path: Path) -> None:
    project = Project.open(tmp_path / "p")
    plan = WorkingPlan(project)
    for content in (plan_of("clinic.csv").encode() + "\n# geprüft\n".encode("latin-1"), b"\xff[[["):
        project.plan_path.write_bytes(content)
        assert plan.plan is None and "not UTF-8" in str(plan.damage) and plan.text() == ""
        project.plan_path.write_text(plan_of("clinic.csv"), encoding="utf-8-sig")
        assert plan.damage is None and plan.plan is not None
    project.plan_path.write_bytes(b"\xff")
    assert plan.damage is not None
    project.plan_path.unlink()
    assert plan.damage is None and plan.text() == ""
    project.plan_path.write_bytes(b"\xff")
    assert plan.damage is not None
    plan.replace(plan_of("clinic.csv"))
    assert plan.damage is None
    project.close()


def test_the_plan_of_a_project_survives(tmp_path: Path) -> None:
    project = Project.open(tmp_path / "p")
    WorkingPlan(project).set_roles(["age"], "quasi-identifier")
    project.close()
    again = Project.open(tmp_path / "p")
    assert WorkingPlan(again).having("quasi-identifier") == ["age"]
    again.close()
