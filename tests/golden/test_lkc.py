"""The patients of Mohammed, Fung, Hung, Lee 2009: Table 1, Table 2 and Example 3."""

from __future__ import annotations

import polars as pl
import pytest

import shoal
from shoal.algorithms import Pais
from shoal.models import LKC, KAnonymity

JOBS = ("Janitor", "Doctor", "Mover", "Lawyer", "Mover", "Janitor", "Doctor", "Lawyer", "Doctor", "Carpenter")
SURGERY = ("Transgender", "Plastic", "Transgender", "Vascular", "Urology", "Plastic", "Urology", "Plastic", "Vascular")
RAW = pl.DataFrame(
    {
        "Job": [*JOBS, "Technician"],
        "Sex": list("MMMMMMMFFFF"),
        "Age": [34, 58, 34, 24, 58, 44, 24, 58, 44, 63, 63],
        "Transfuse": list("YNYNNYNNNYY"),
        "Surgery": [*SURGERY, "Vascular", "Plastic"],
    }
)
KIND = {"Janitor": "Non-Technical", "Mover": "Non-Technical", "Carpenter": "Technical", "Technician": "Technical"}
ANONYMOUS = RAW.with_columns(
    pl.col("Job").replace_strict(KIND, default="Professional"),
    pl.when(pl.col("Age") <= 30).then(pl.lit("[1, 30]")).when(pl.col("Age") <= 60).then(pl.lit("[30, 60]")).otherwise(
        pl.lit("[60, 99]")
    ).alias("Age"),
)  # fmt: skip
ROLES = {"Transfuse": shoal.target(), "Surgery": shoal.sensitive()}
MODEL = LKC(l=2, k=2, c=0.5, column="Surgery", values=("Transgender",))
PLAN = shoal.Plan(
    columns={"Job": shoal.quasi(), "Sex": shoal.quasi(), "Age": shoal.quasi(), **ROLES},
    models=[MODEL],
    algorithm=Pais(goal="classification"),
)


def test_table_1_discloses_a_man_of_34() -> None:
    (verdict,) = shoal.verify(RAW, PLAN).verdicts
    assert not verdict.holds
    assert (verdict.achieved["support"], verdict.achieved["confidence"]) == (1, 1.0)


def test_table_2_is_private_but_not_2_anonymous() -> None:
    (verdict,) = shoal.verify(ANONYMOUS, PLAN).verdicts
    assert verdict.holds
    assert (verdict.achieved["support"], verdict.achieved["confidence"]) == (2, 0.5)
    assert not shoal.verify(ANONYMOUS, PLAN.changed(models=(KAnonymity(2),))).holds


@pytest.fixture
def collars(tmp_path_factory: pytest.TempPathFactory) -> shoal.Plan:
    """A plan in which jobs are known by collar alone."""
    path = tmp_path_factory.mktemp("jobs") / "job.csv"
    white = ("Doctor", "Lawyer")
    lines = [f"{job};{'White' if job in white else 'Blue'}-collar;*" for job in sorted(set(RAW["Job"]))]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    columns = {"Job": shoal.quasi(shoal.hierarchies.File(str(path))), "Sex": shoal.insensitive(), **ROLES}
    return shoal.Plan(
        columns={**columns, "Age": shoal.insensitive()}, models=[LKC(1, 2, 1, "Surgery")], algorithm=Pais()
    )


@pytest.mark.parametrize(
    ("algorithm", "score"),
    [
        (Pais(goal="classification", score="paper", stop_at=1), 0.63947),  # printed as 0.6396, of rounded entropies
        (Pais(goal="general", stop_at=1), 121 - 61),
    ],
)
def test_example_3(collars: shoal.Plan, algorithm: Pais, score: float) -> None:
    release = shoal.anonymize(RAW, collars.changed(algorithm=algorithm))
    (step,) = release.manifest.steps or ()
    assert step.score == pytest.approx(score, abs=5e-6)
    assert sorted(release.frame["Job"].value_counts().rows()) == [("Blue-collar", 6), ("White-collar", 5)]
    assert step.discernibility_ratio == 61 / 121
