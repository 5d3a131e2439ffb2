"""Paths are confined to the chosen folders, whatever links and dots they contain."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import ShoalError
from shoal.plan import read_plan
from shoal.studio.places import Places
from shoal.studio.problems import Refused
from tests.studio.tables import plan_of, write_clinic


@pytest.fixture
def places(tmp_path: Path) -> Places:
    for name in ("home", "data", "data/sub", "secret"):
        (tmp_path / name).mkdir()
    write_clinic(tmp_path / "data")
    write_clinic(tmp_path / "secret")
    (tmp_path / "data" / "link.csv").symlink_to(tmp_path / "secret" / "clinic.csv")
    (tmp_path / "data" / "sub" / "part.csv").symlink_to(tmp_path / "secret" / "clinic.csv")
    (tmp_path / "data" / "fine.csv").symlink_to(tmp_path / "data" / "clinic.csv")
    (tmp_path / "data" / "loop").symlink_to(tmp_path / "data" / "loop")
    return Places.of(tmp_path / "home", [tmp_path / "data"])


def test_what_is_inside_is_found(places: Places, tmp_path: Path) -> None:
    inside = tmp_path / "data" / "clinic.csv"
    for path in (
        inside,
        "../data/clinic.csv",
        tmp_path / "data" / "fine.csv",
        tmp_path / "secret" / ".." / "data" / "clinic.csv",
    ):
        assert places.existing(path) == inside.resolve()
    assert [path.name for path in places.listed(tmp_path / "data")] == ["sub", "clinic.csv", "fine.csv"]


@pytest.mark.parametrize(
    "path",
    [
        *("../secret/clinic.csv", "/etc/passwd", "../data/link.csv", "../data/sub", "../data/../secret", "..", "/"),
        *(
            "../data/loop",
            "~/x",
            "../data-other/x",
            "",
            "a\0b",
            "sqlite:////etc/passwd",
            "postgresql://h/db",
            "x" * 5000,
        ),
        *("file:///etc/passwd", "/proc/self/environ", "/dev/zero"),
    ],
)
def test_what_is_outside_is_refused(places: Places, path: str) -> None:
    with pytest.raises(ShoalError):
        places.existing(path)


def test_a_refusal_does_not_say_whether_a_file_exists(places: Places, tmp_path: Path) -> None:
    said = []
    for name in ("clinic.csv", "none.csv"):
        with pytest.raises(Refused) as refused:
            places.existing(tmp_path / "secret" / name)
        said.append(str(refused.value))
    assert said[0] == said[1]


@given(
    st.lists(
        st.sampled_from(["..", ".", "secret", "data", "clinic.csv", "sub", "link.csv", "fine.csv", "/"]), max_size=6
    )
)
def test_no_combination_leads_out(tmp_path_factory: pytest.TempPathFactory, parts: list[str]) -> None:
    base = tmp_path_factory.getbasetemp() / "combined"
    if not base.exists():
        for name in ("home", "data", "secret"):
            (base / name).mkdir(parents=True)
        (base / "data" / "link.csv").symlink_to(base / "secret")
    places = Places.of(base / "home", [base / "data"])
    try:
        found = places.resolved("/".join(parts))
    except Refused:
        return
    assert any(found.is_relative_to((base / name).resolve()) for name in ("home", "data"))


def test_a_plan_reads_chosen_folders_only(places: Places, tmp_path: Path) -> None:
    def plan(source: Path, more: str = "") -> None:
        path = tmp_path / "plan.toml"
        path.write_text(plan_of(source).replace("[columns.ill]", f"{more}\n[columns.ill]"), encoding="utf-8")
        places.require_plan(read_plan(path))

    plan(tmp_path / "data" / "clinic.csv")
    with pytest.raises(Refused):
        plan(tmp_path / "secret" / "clinic.csv")
    with pytest.raises(Refused):
        plan(tmp_path / "data" / "clinic.csv", 'hierarchy = { kind = "file", path = "/etc/passwd" }')


def test_hidden_folders_of_the_project_are_refused(places: Places, tmp_path: Path) -> None:
    (tmp_path / "home" / ".scratch").mkdir()
    (tmp_path / "home" / ".scratch" / "token").write_text("x", encoding="utf-8")
    (tmp_path / "data" / "hop").symlink_to(tmp_path / "home" / ".scratch")
    wider = Places.of(tmp_path / "home", [tmp_path])
    for path in (".scratch", ".scratch/token", "x/../.scratch", "../data/hop", "../data/hop/token"):
        for each in (places, wider):
            with pytest.raises(Refused):
                each.existing(path)
            with pytest.raises(Refused):
                list(each.listed(path))


def test_folders_are_folders(tmp_path: Path) -> None:
    with pytest.raises(ShoalError, match="--allow"):
        Places.of(tmp_path, [tmp_path / "none"])


def test_temporary_files_of_other_projects_are_refused(places: Places, tmp_path: Path) -> None:
    hidden = tmp_path / "data" / "other" / ".scratch"
    hidden.mkdir(parents=True)
    (hidden / "token").touch()
    (tmp_path / "data" / "hop").symlink_to(hidden)
    (tmp_path / "data" / "links").mkdir()
    (tmp_path / "data" / "links" / "token").symlink_to(hidden / "token")
    for path in (".scratch", ".scratch/token", "../hop", "../hop/token", "../links", "../links/token"):
        with pytest.raises(Refused):
            places.existing(f"../data/other/{path}")
    with pytest.raises(Refused):
        list(places.listed(hidden))
    assert "hop" not in [path.name for path in places.listed("../data")] and not [*places.listed("../data/links")]
    chosen = Places.of(tmp_path / "home", [hidden])  # by the person who started the studio
    assert chosen.existing(hidden / "token")


def test_a_name_that_is_too_long_is_no_folder(places: Places) -> None:
    with pytest.raises(ShoalError, match="no such folder"):
        list(places.listed("x" * 300))
