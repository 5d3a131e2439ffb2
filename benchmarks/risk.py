"""How long the risk of a table takes: against reading the same file, and the search for special uniques.

usage: python -m benchmarks.risk [--table adult_1m] [--times N]
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
import polars as pl

import shoal
from benchmarks import history
from benchmarks.tables import QUASI, SEPARATOR, best_of, blowup
from shoal import table
from shoal.progress import silent
from shoal.risks import Prosecutor, SpecialUniques, Uniques
from shoal.risks.base import Sample
from shoal.risks.classes import counted_classes
from shoal.risks.estimators import Spectrum
from shoal.risks.population import estimated

RESULTS = Path(__file__).resolve().parent / "results" / "risk.json"
FRACTIONS = (0.02, 0.05, 0.1, 0.2, 0.5, 0.8)
SAMPLES = 5


def plan() -> shoal.Plan:
    columns = {name: shoal.quasi() for name in QUASI} | {"occupation": shoal.sensitive()}
    return shoal.Plan(columns=columns, models=[shoal.KAnonymity(k=5)], data=shoal.Data(unlisted="drop"))


def timed(name: str, times: int) -> dict[str, float]:
    """Seconds to read a table with polars, and to read it and find prosecutor risk, special uniques or all figures."""
    path, settings = blowup(name), plan()

    def sample() -> Sample:
        return Sample(counted_classes(table.read(path, separator=SEPARATOR), settings))

    def reidentification() -> None:
        counted = sample()
        Prosecutor().of(counted, silent)
        Uniques().of(counted, silent)

    reidentification()  # compiles the kernels
    read = best_of(times, lambda: pl.read_csv(path, separator=SEPARATOR))
    found = best_of(times, reidentification)
    counted = sample()
    special = best_of(times, lambda: SpecialUniques().of(counted, silent))
    frame = table.read(path, separator=SEPARATOR)
    every = best_of(1, lambda: shoal.risk(frame, settings, sampling_fraction=0.1, attacks=False))
    return {
        "read": round(read, 2),
        "prosecutor": round(found, 2),
        "ratio": round(found / read, 1),
        "special_uniques": round(special, 2),
        "all_figures": round(every, 2),
    }


def errors(name: str) -> dict[str, float]:
    """Sampling fraction → the largest error of the estimated share of population uniques, over several samples."""
    settings = plan()
    sizes = counted_classes(table.read(blowup(name), separator=SEPARATOR), settings).sizes
    members = np.repeat(np.arange(len(sizes)), sizes)
    truth = np.count_nonzero(sizes == 1) / len(members)
    found = {}
    for fraction in FRACTIONS:
        shares = []
        for seed in range(SAMPLES):
            drawn = np.random.default_rng(seed).choice(members, round(fraction * len(members)), replace=False)
            counts = np.bincount(drawn)
            shares.append(estimated(Spectrum.of(counts[counts > 0], fraction))[1] / len(members))
        found[str(fraction)] = round(max(abs(share - truth) for share in shares), 4)
    return {"truth": round(truth, 4), **found}


def main() -> None:
    """Measures, prints and keeps the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--table", default="adult_1m")
    parser.add_argument("--times", type=int, default=3)
    given = parser.parse_args()
    tables = dict.fromkeys(("adult_30k", given.table))
    figures = {"times": timed(given.table, given.times), "errors": {name: errors(name) for name in tables}}
    RESULTS.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    if given.table == "adult_1m":
        seconds = figures["times"]
        history.record(
            "risk",
            {
                "1 M rows: prosecutor risk / read": seconds["ratio"],
                "1 M rows: special uniques, seconds": seconds["special_uniques"],
            },
        )
    print(json.dumps(figures, indent=2))


if __name__ == "__main__":
    main()
