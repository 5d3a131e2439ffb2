"""constraints.txt pins every package that `make setup` installs, at a version that pyproject.toml allows."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
LINES = [
    line
    for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
]


def _pins() -> dict[str, str]:
    """Canonical name → pinned version."""
    return {canonicalize_name(name): version for name, _, version in (line.partition("==") for line in LINES)}


def _extras() -> list[str]:
    """The extras that `make setup` installs."""
    found = re.search(r"--editable '\.\[([\w,-]+)\]'", (ROOT / "Makefile").read_text(encoding="utf-8"))
    assert found is not None, "the Makefile installs no extras"
    return found.group(1).split(",")


def _requirements() -> list[Requirement]:
    """Every requirement of the project, of its installed extras and of its dependency groups."""
    project, groups = PROJECT["project"], PROJECT["dependency-groups"]
    extras = [project["optional-dependencies"][extra] for extra in _extras()]
    lines = [line for part in (project["dependencies"], *extras, *groups.values()) for line in part]
    return [Requirement(line) for line in lines if isinstance(line, str)]


def _installed(requirements: list[Requirement]) -> Iterator[str]:
    """The canonical name of every installed package that the requirements need, directly or indirectly."""
    seen, todo = set[tuple[str, str]](), [(each.name, extra) for each in requirements for extra in ("", *each.extras)]
    while todo:
        name, extra = todo.pop()
        if (key := (canonicalize_name(name), extra)) in seen:
            continue
        seen.add(key)
        try:
            needed = metadata.requires(name) or []
        except metadata.PackageNotFoundError:
            continue
        yield key[0]
        for each in map(Requirement, needed):
            if each.marker is None or each.marker.evaluate({"extra": extra}):
                todo += [(each.name, inner) for inner in ("", *each.extras)]


def test_every_line_is_a_plain_pin() -> None:
    """No URLs, hosts, paths or ranges: a name and one version."""
    assert [line for line in LINES if not re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.+!]+", line)] == []
    assert len(_pins()) == len(LINES)


@pytest.mark.parametrize("requirement", _requirements(), ids=str)
def test_a_dependency_is_pinned_at_an_allowed_version(requirement: Requirement) -> None:
    pinned = _pins().get(canonicalize_name(requirement.name))
    assert pinned is not None, f"{requirement.name} is not pinned; run `make pins`"
    assert requirement.specifier.contains(pinned, prereleases=True), f"{requirement} excludes {pinned}; run `make pins`"


def test_indirect_dependencies_are_pinned() -> None:
    assert set(_installed(_requirements())) - set(_pins()) == set(), "run `make pins`"


def test_both_installations_use_the_pins() -> None:
    installs = re.findall(r"^.*--editable.*$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert len(installs) == 2
    assert all("-c constraints.txt" in line for line in installs)
