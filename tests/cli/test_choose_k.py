"""`shoal plan choose-k` as a user calls it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import PLAN, SECRET, Shoal, names
from tests.test_interrupts import CANCELLED, interrupted, started

ITEMS = ("ache", "cough", "fever", "rash")
LABELS = {"cold": "ache|cough", "flu": "ache|cough|fever", "measles": "fever|rash", "gout": "ache", "mumps": "fever"}

SYMPTOMS = """
[columns.symptoms]
role = "quasi-sensitive"
knowledge = "diseases.csv"

[[models]]
kind = "qs-diversity"
column = "symptoms"
c = 1
l = 2
"""


ENDLESS = """
import sys
from threading import Barrier, Event
from shoal.cli import main
from shoal.evaluate import at_once, choosing_k

both = Barrier(2, action=lambda: (sys.stdout.write("ready\\n"), sys.stdout.flush()))

def searching(*arguments):
    both.wait()
    Event().wait()

at_once.os.cpu_count = lambda: 2
choosing_k.partitioned = searching
main()
"""


@pytest.fixture
def with_items(plan: Path) -> Path:
    """The clinic with symptoms, every item of which shows if a cell shows."""
    header, *rows = (plan.parent / "clinic.csv").read_text().splitlines()
    sets = ["|".join(f"{SECRET} {ITEMS[(i * step) % 4]}" for step in range(1, 2 + i % 3)) for i in range(len(rows))]
    lines = [f"{header},symptoms", *(f"{row},{items}" for row, items in zip(rows, sets, strict=True))]
    (plan.parent / "clinic.csv").write_text("\n".join(lines) + "\n")
    known = [f"{label},{f'{SECRET} ' + items.replace('|', f'|{SECRET} ')}" for label, items in LABELS.items()]
    (plan.parent / "diseases.csv").write_text("\n".join(["label,items", *known]) + "\n")
    plan.write_text(PLAN + SYMPTOMS)
    return plan


def test_the_table_and_the_drawing(shoal: Shoal, with_items: Path) -> None:
    out = with_items.parent / "k.svg"
    before = names(with_items.parent)
    answer = shoal("plan", "choose-k", with_items, "--k", "1,4,500", "--out", out)
    assert (answer.code, answer.err) == (0, "")
    assert "Private" in answer.out and "k of the plan" in answer.out and str(out) in answer.out
    assert "k = 500 cannot be met" in answer.out
    assert out.read_text().startswith("<svg")
    assert SECRET not in answer.out + out.read_text()
    assert names(with_items.parent) == before | {"k.svg"}
    assert out.stat().st_mode & 0o077 == 0
    again = shoal("plan", "choose-k", with_items, "--out", out)
    assert again.code == 2 and "--force" in again.err
    assert shoal("plan", "choose-k", with_items, "--k", "2", "--out", out, "--force").code == 0


def test_json_has_the_figures_of_the_release(shoal: Shoal, with_items: Path) -> None:
    found = json.loads(shoal("plan", "choose-k", with_items, "--k", "4,8", "--json").out)
    assert (found["rows"], found["planned"]) == (120, 4)
    released = json.loads(shoal("anonymize", with_items, "--out", with_items.parent / "out", "--json").out)
    tried = found["tried"][0]
    assert tried["ncp"] == pytest.approx(released["measures"]["ncp"])
    assert tried["item_loss"] == pytest.approx(released["measures"]["item_loss"])
    assert tried["classes"] == released["classes"]


@pytest.mark.parametrize("ks", ["", "a", "1;2", "0", "2,", "1.5"])
def test_what_is_no_list_of_k(shoal: Shoal, with_items: Path, ks: str) -> None:
    answer = shoal("plan", "choose-k", with_items, "--k", ks)
    assert (answer.code, answer.out) == (2, "")
    assert "hole numbers from 1" in answer.err and answer.err.count("\n") == 1


def test_a_plan_without_a_model_of_items(shoal: Shoal, plan: Path) -> None:
    answer = shoal("plan", "choose-k", plan)
    assert (answer.code, answer.out) == (2, "")
    assert "no model of items" in answer.err and "qs-diversity" in answer.err


def test_ctrl_c_ends_it_and_leaves_nothing(with_items: Path) -> None:
    """The searches never end: both are under way when the signal comes."""
    before = names(with_items.parent)
    words = ("plan", "choose-k", with_items, "--quiet", "--out", with_items.parent / "k.svg")
    assert interrupted(started(ENDLESS, *words)) == (130, "", CANCELLED)
    assert names(with_items.parent) == before
