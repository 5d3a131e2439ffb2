from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path

import pytest

from shoal.manifest import Manifest
from shoal.report.steps import steps_of
from tests.cli.conftest import PLAN, SECRET, Shoal, write_clinic


@pytest.fixture
def specialized(shoal: Shoal, tmp_path: Path) -> Path:
    plan = write_clinic(tmp_path)
    plan.write_text(PLAN + '\n[algorithm]\nkind = "pais"\n', encoding="utf-8")
    assert shoal("anonymize", plan, "--out", tmp_path / "out").code == 0
    return tmp_path / "out"


def test_a_table_of_steps(shoal: Shoal, specialized: Path) -> None:
    answer = shoal("steps", specialized)
    assert (answer.code, answer.err) == (0, "")
    lines = answer.out.splitlines()
    words = lines[0].split()
    assert words[:4] == ["step", "column", "value", "became"] and "smallest" in words and "support" not in words
    assert lines[-1] == f"{len(lines) - 2} steps." and "age" in answer.out and SECRET not in lines[0]


def test_json_names_only_released_values(shoal: Shoal, specialized: Path) -> None:
    found = json.loads(shoal("steps", specialized, "--json").out)
    released = (specialized / "release.csv").read_text(encoding="utf-8")
    assert found and [step["number"] for step in found] == list(range(1, len(found) + 1))
    manifest = json.loads((specialized / "manifest.json").read_text(encoding="utf-8"))
    assert all(value in released for values in manifest["step_values"].values() for value in values)


def test_a_plot(shoal: Shoal, specialized: Path, tmp_path: Path) -> None:
    assert shoal("steps", specialized, "--plot", tmp_path / "steps.svg").code == 0
    drawing = ElementTree.fromstring((tmp_path / "steps.svg").read_text(encoding="utf-8"))
    assert drawing.tag.endswith("svg") and len(drawing.findall("{*}polyline")) >= 2
    assert shoal("steps", specialized, "--plot", tmp_path / "no" / "steps.svg").code == 2
    assert "ends in .svg" in shoal("steps", specialized, "--plot", tmp_path / "steps.png").err
    again = shoal("steps", specialized, "--plot", tmp_path / "steps.svg")
    assert again.code == 2 and "--force" in again.err
    assert shoal("steps", specialized, "--plot", tmp_path / "steps.svg", "--force").code == 0
    assert "inside a release" in shoal("steps", specialized, "--plot", specialized / "steps.svg").err


def test_a_release_without_steps(shoal: Shoal, released: Path) -> None:
    answer = shoal("steps", released)
    assert answer.code == 2 and "records no steps" in answer.err


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (lambda text: text[:40], "cannot be read"),
        (lambda text: text.replace('"step_values"', '"other"'), "cannot be read"),
        (lambda text: text.replace('"parts": [', '"parts": [], "pieces": ['), "cannot be read"),
        (lambda text: text.replace('"parts"', '"pieces"'), "is not a valid manifest"),
        (lambda text: text.replace('"steps": [', '"steps": [3, '), "is not a valid manifest"),
        (lambda text: text.replace('"score": ', '"score": "high", "was": '), "is not a valid manifest"),
    ],
)
def test_a_damaged_manifest_is_no_fault_of_shoal(
    shoal: Shoal, specialized: Path, damage: Callable[[str], str], says: str
) -> None:
    path = specialized / "manifest.json"
    path.write_text(damage(path.read_text(encoding="utf-8")), encoding="utf-8")
    answer = shoal("steps", specialized)
    assert answer.code == 1 and says in answer.err and "Internal" not in answer.err


def test_parts_are_named_by_what_was_released() -> None:
    values = {"pet": ["ant", "bee", "cat", "dog", "eel", "fox"], "age": ["[1, 2]", "3", "[4, 9]"]}
    figures = {"score": 1.0, "classes": 2, "smallest_class": 3, "ncp": 0.5, "discernibility_ratio": 0.5}
    figures |= {"support": 3, "confidence": None}
    told = [
        {"column": "pet", "parts": [0, 1, 6], **figures},
        {"column": "pet", "parts": [1, 3, 6], **figures},
        {"column": "age", "parts": [1, 2, 3], **figures},
    ]
    first, second, third = steps_of(Manifest.from_json({"steps": told, "step_values": values}))
    assert (first.value, first.parts) == ("*", ("ant", "{bee, cat, dog, eel, … 5 values}"))
    assert second.parts == ("{bee, cat}", "{dog, eel, fox}")
    assert (third.value, third.parts) == ("[3, 9]", ("3", "[4, 9]"))
