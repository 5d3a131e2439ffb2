"""How long the reports of a release take on top of the anonymization: a million patients, and a million rows of Adult.

The same plan is released with its reports and without any of their figures, in turns, in one process that has compiled
and imported everything. The difference of the medians is what the reports take, and must not exceed 3 seconds.

usage: python -m benchmarks.reports [--rows N] [--times N]
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from unittest.mock import patch

import shoal
from benchmarks.tables import QUASI, SEPARATOR, blowup
from shoal.algorithms import Algorithm
from shoal.datasets import patients
from shoal.figures import Figures, PrivateFigures, PublicFigures
from shoal.figures.before import Before
from shoal.pipeline import anonymize_to
from shoal.plan import Plan

LIMIT = 3.0
"""Seconds that the reports of a million rows may take."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000, help="patients; Adult has a million rows")
    parser.add_argument("--times", type=int, default=5)
    options = parser.parse_args()
    worst = 0.0
    with tempfile.TemporaryDirectory() as folder:
        for name, plan in plans(Path(folder), options.rows):
            extra, report = measured(plan, Path(folder) / "out", options.times)
            worst = max(worst, extra)
            print(f"{name:<20} {extra:5.2f} s, {report / 1e6:.2f} MB", flush=True)
    print(f"At most {worst:.2f} s; the limit is {LIMIT:.0f} s.")
    return int(worst > LIMIT)


def plans(folder: Path, rows: int) -> Iterator[tuple[str, Plan]]:
    """Plans of wide and of narrow tables, with a target, by cuts, full-domain search and specialization."""
    patients(rows).write_csv(folder / "patients.csv")
    yield "patients, mondrian", patients_plan(folder)
    yield (
        "patients, anatomy",
        patients_plan(folder).changed(
            models=[shoal.LDiversity("diagnosis", l=3)], release=shoal.ReleaseSettings(form="anatomy")
        ),
    )
    for algorithm in (shoal.Mondrian(), shoal.Optimal(), shoal.Pais(goal="classification")):
        yield f"Adult, {algorithm.kind}", adult_plan(algorithm)


def patients_plan(folder: Path) -> Plan:
    """Everything that patients have, as a steward would release it."""
    columns = {
        "birth_date": shoal.quasi(shoal.dates("month", "quarter", "year", "decade")),
        "zip": shoal.quasi(shoal.prefixes()),
        **{name: shoal.quasi() for name in ("sex", "race", "marital_status", "job")},
        **{name: shoal.sensitive() for name in ("diagnosis", "treatment", "stage")},
        **{name: shoal.insensitive() for name in ("survival_months", "cost")},
        "transfused": shoal.target(),
    }
    source = shoal.Data(source=str(folder / "patients.csv"), unlisted="drop")
    models = [shoal.KAnonymity(k=5), shoal.LDiversity("diagnosis", l=3)]
    return shoal.Plan(data=source, columns=columns, models=models)


def adult_plan(algorithm: Algorithm) -> Plan:
    """Adult with seven quasi-identifiers, which predicts the salary class."""
    columns = {name: shoal.quasi() for name in QUASI}
    columns |= {"age": shoal.quasi(shoal.intervals(5, 10, 20)), "occupation": shoal.sensitive()}
    columns |= {"salary-class": shoal.target()}
    source = shoal.Data(source=str(blowup("adult_1m")), separator=SEPARATOR)
    release = shoal.ReleaseSettings(suppression=0.05 if isinstance(algorithm, shoal.Optimal) else 0.0)
    return shoal.Plan(
        data=source, columns=columns, models=[shoal.KAnonymity(k=5)], algorithm=algorithm, release=release
    )


def measured(plan: Plan, out: Path, times: int) -> tuple[float, int]:
    """The seconds that the reports take, by medians of alternate runs, and the bytes of the larger page."""
    seconds(plan, out)
    page = max(path.stat().st_size for path in (out / "report.html", out.with_name("out.private") / "report.html"))
    both, without = [], []
    for _ in range(times):
        both.append(seconds(plan, out))
        with no_reports():
            without.append(seconds(plan, out))
    return statistics.median(both) - statistics.median(without), page


def seconds(plan: Plan, out: Path) -> float:
    """How long a release takes."""
    began = time.perf_counter()
    anonymize_to(plan, out, force=True)
    return time.perf_counter() - began


@contextmanager
def no_reports() -> Iterator[None]:
    """Leaves out all that is computed for the reports alone."""
    replaced = {
        "shoal.pipeline.before_of": lambda *_: Before(),
        "shoal.pipeline.sampled": lambda *_: None,
        "shoal.pipeline.compared_statistics": lambda *_: (),
        "shoal.release.draft.Draft.figures": lambda *_: Figures(PublicFigures(), PrivateFigures()),
        "shoal.release.saving._write_report": lambda *_: None,
    }
    with ExitStack() as changes:
        for name, function in replaced.items():
            changes.enter_context(patch(name, function))
        yield


if __name__ == "__main__":
    raise SystemExit(main())
