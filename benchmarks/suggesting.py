"""What `shoal.suggest` proposes, against the best of 50 hand-made plans, on Adult and on the bundled patients.

usage: python -m benchmarks.suggesting [--table NAME] [--rows N]

All plans of a table have the same columns, roles, hierarchies, appearance (categories, ranges, form), least models,
thresholds of risk and measure of utility; everything else may differ. The hand-made plans are those that someone who
knows the algorithms would write: every algorithm and its options, several k, weights for what matters, columns dropped,
columns coarsened, suppression. After a trial with 3,000 rows, Adult's threshold of average risk was raised from 0.03 to
0.05, and the hand-made plans were given k closer to it; both favour the hand-made plans.
"""

from __future__ import annotations

import argparse
import gzip
import json
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

import shoal
from benchmarks.tables import HIERARCHIES, SHARED
from shoal.algorithms import Incognito, KMember, Mondrian, Optimal, Pais, Samarati
from shoal.datasets import patient_hierarchies, patients
from shoal.errors import CannotBeMet
from shoal.evaluate.candidates import with_floor
from shoal.evaluate.comparing import compared_as
from shoal.evaluate.frontier import released
from shoal.evaluate.utility import USES, loss_for
from shoal.report.suggestion import Tried
from shoal.risks.measuring import Settings

RESULTS = Path(__file__).parent / "results" / "suggesting.json"
SUPPRESSION = 0.05
ROWS = 5_000


class Case(NamedTuple):
    """A table, the given plan with its thresholds, and columns in the order in which a person would sacrifice them."""

    name: str
    frame: pl.DataFrame
    plan: shoal.Plan
    droppable: tuple[str, str]
    important: tuple[str, ...]


def adult(rows: int) -> Case:
    """UCI Adult: seven quasi-identifiers with their published hierarchies, occupation sensitive, income as target."""
    with gzip.open(SHARED / "data" / "adult" / "adult_complete.csv.gz", "rb") as file:
        frame = pl.read_csv(file.read())
    names = ("age", "sex", "race", "marital-status", "education", "native-country", "workclass")
    trees = {name: shoal.tree(str(HIERARCHIES / f"adult_hierarchy_{name}.csv")) for name in names}
    columns = {name: shoal.quasi(tree) for name, tree in trees.items()}
    plan = shoal.Plan(
        columns={**columns, "occupation": shoal.sensitive(), "income": shoal.target()},
        models=[shoal.KAnonymity(k=5), shoal.LDiversity("occupation", l=3)],
        data=shoal.Data(unlisted="drop"),
        release=shoal.ReleaseSettings(suppression=SUPPRESSION),
        risk=shoal.RiskSettings(highest=0.1, average=0.05),
    )
    return Case(
        "adult",
        frame.sample(min(rows, frame.height), seed=0),
        plan,
        ("native-country", "workclass"),
        ("age", "education", "marital-status"),
    )


def patient_registry(rows: int, folder: Path) -> Case:
    """The bundled patients: six quasi-identifiers, diagnosis and treatment sensitive, transfused as target."""
    for name, text in patient_hierarchies().items():
        (folder / name).write_text(text, encoding="utf-8")
    tree = {name: shoal.tree(str(folder / f"{name}.csv")) for name in ("race", "marital_status", "job")}
    plan = shoal.Plan(
        columns={
            "birth_date": shoal.quasi(shoal.dates("month", "quarter", "year", "decade")),
            "sex": shoal.quasi(),
            "race": shoal.quasi(tree["race"]),
            "marital_status": shoal.quasi(tree["marital_status"]),
            "job": shoal.quasi(tree["job"]),
            "zip": shoal.quasi(shoal.prefixes(4, 3, 2, 1), type="text"),
            "diagnosis": shoal.sensitive(),
            "treatment": shoal.sensitive(),
            "transfused": shoal.target(),
        },
        models=[shoal.KAnonymity(k=5), shoal.LDiversity("diagnosis", l=3), shoal.LDiversity("treatment", l=2)],
        data=shoal.Data(unlisted="drop"),
        release=shoal.ReleaseSettings(suppression=SUPPRESSION),
        risk=shoal.RiskSettings(highest=0.1, average=0.05),
    )
    return Case("patients", patients(rows), plan, ("zip", "job"), ("birth_date", "sex", "marital_status"))


# -- hand-made plans ----------------------------------------------------------------------------------------------


def with_k(case: Case, k: int, algorithm: Any, suppression: float = 0.0, **columns: Any) -> shoal.Plan:
    """The given plan with this k, algorithm and suppression, and columns replaced."""
    return case.plan.changed(
        models=with_floor(case.plan, k),
        algorithm=algorithm,
        release=case.plan.release.model_copy(update={"suppression": suppression}),
        columns={**case.plan.columns, **columns},
    )


def weighing(case: Case, names: tuple[str, ...], weight: float) -> dict[str, Any]:
    """Columns with another weight."""
    return {name: case.plan.columns[name].model_copy(update={"weight": weight}) for name in names}


def without(*names: str) -> dict[str, Any]:
    """Columns that are dropped."""
    return {name: shoal.drop() for name in names}


def coarser(case: Case, *names: str) -> dict[str, Any]:
    """Columns that begin one level higher, if they have levels."""
    able = [name for name in names if case.plan.columns[name].hierarchy is not None]
    return {name: case.plan.columns[name].model_copy(update={"finest": 1}) for name in able}


def hand_made(case: Case) -> dict[str, shoal.Plan]:
    """50 plans. With k = 20, the average risk is at most the threshold in any case; smaller k may also be enough."""
    first, second = case.droppable
    found: dict[str, shoal.Plan] = {}

    def add(name: str, k: int, algorithm: Any, suppression: float = 0.0, **columns: Any) -> None:
        found[f"{name}, k = {k}"] = with_k(case, k, algorithm, suppression, **columns)

    for k in (14, 16, 18, 20):  # 16 plans: the algorithms that lose least
        add("mondrian", k, Mondrian())
        add("mondrian, refined", k, Mondrian(refine=True))
        add("k-member, refined", k, KMember(refine=True))
        add("optimal, local", k, Optimal(local=True))
    for k in (10, 20):  # 10 plans: one recoding for all rows
        add("optimal", k, Optimal())
        add("optimal, suppressing", k, Optimal(), SUPPRESSION)
        add("optimal by entropy, suppressing", k, Optimal(measure="entropy"), SUPPRESSION)
        add("pais", k, Pais())
        add("pais for the target", k, Pais(goal="classification"))
    for k in (10, 20):  # 6 plans: cuts by target, cuts at medians
        add("mondrian by target", k, Mondrian(cut="target"))
        add("mondrian by target, refined", k, Mondrian(cut="target", refine=True))
        add("mondrian by median", k, Mondrian(cut="median"))
    for k in (16, 18):  # 8 plans: a column less
        add(f"mondrian, refined, without {first}", k, Mondrian(refine=True), **without(first))
        add(f"optimal, local, without {first}", k, Optimal(local=True), **without(first))
        add(f"optimal, local, without {first} and {second}", k, Optimal(local=True), **without(first, second))
        add(f"mondrian by target, without {first}", k, Mondrian(cut="target"), **without(first))
    for k in (16, 18):  # 6 plans: what matters weighs more
        add("optimal, local, weighted", k, Optimal(local=True), **weighing(case, case.important, 2.0))
        add("mondrian, refined, weighted", k, Mondrian(refine=True), **weighing(case, case.important, 3.0))
        add(f"optimal, local, {first} counts half", k, Optimal(local=True), **weighing(case, (first,), 0.5))
    add("optimal, local, coarser", 16, Optimal(local=True), **coarser(case, first, second))  # 4 plans: levels, listing
    add("mondrian, refined, coarser", 16, Mondrian(refine=True), **coarser(case, first, second))
    add("incognito", 10, Incognito())
    add("samarati", 10, Samarati())
    assert len(found) == 50
    return found


def measured(case: Case, plans: dict[str, shoal.Plan]) -> dict[str, list[Tried]]:
    """Use → what every hand-made plan leads to, by the same figures as those of `suggest`."""
    losses = {use: loss_for(use, case.frame, case.plan) for use in USES}
    found: dict[str, list[Tried]] = {use: [] for use in USES}
    for name, plan in plans.items():
        try:
            release, risk = released(case.frame, plan, Settings(attacks=False), lambda _share: None)
        except CannotBeMet:
            continue
        one = compared_as(name, release.manifest, risk, None, None, ())
        for use, loss in losses.items():
            found[use].append(Tried(name, plan, one, loss(release), exceeded=risk.exceeded))
    return found


def line(tried: Tried | None) -> dict[str, Any] | None:
    """A plan in the results."""
    if tried is None or tried.release is None:
        return None
    return {
        "name": tried.name,
        "loss": round(tried.loss or 0.0, 6),
        "highest_risk": round(tried.release.highest_risk, 4),
        "average_risk": round(tried.release.average_risk, 4),
        "suppressed": round(tried.release.suppressed, 4),
    }


def compared(case: Case, use: str, made: list[Tried], plans: int) -> dict[str, Any]:
    """One line of the results: the best hand-made plan, and the proposed one."""
    meeting = sorted((each for each in made if each.meets), key=lambda each: each.rank)
    began = time.perf_counter()
    suggestion = shoal.suggest(case.frame, case.plan, use=use)
    seconds = time.perf_counter() - began
    proposed, best = suggestion.proposed, meeting[0] if meeting else None
    return {
        "table": case.name,
        "rows": case.frame.height,
        "use": use,
        "measured": USES[use],
        "thresholds": case.plan.risk.given,
        "hand_made": plans,
        "hand_made_meeting": len(meeting),
        "best_hand_made": line(best),
        "proposed": line(proposed),
        "tried": len(suggestion.tried),
        "at_least_as_good": proposed is not None and (best is None or proposed.rank <= best.rank),
        "seconds_suggest": round(seconds, 1),
        "next_best": [line(each) for each in meeting[1:4]],
    }


def main() -> None:
    """Prints and keeps every line as it is measured."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--table")
    parser.add_argument("--rows", type=int, default=ROWS)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for case in (adult(asked.rows), patient_registry(asked.rows, Path(folder))):
            if asked.table in (None, case.name):
                plans = hand_made(case)
                for use, made in measured(case, plans).items():
                    measurement = compared(case, use, made, len(plans))
                    print(json.dumps(measurement), flush=True)
                    keep(measurement)


def keep(measurement: dict[str, Any]) -> None:
    """Writes a line to the results, in place of an earlier one of the same table and use."""
    earlier = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else []
    lines = {(each["table"], each["use"]): each for each in [*earlier, measurement]}
    RESULTS.write_text(json.dumps(list(lines.values()), indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
