"""How long `profile` takes: against reading the same file, and on a wide table.

usage: python -m benchmarks.profile [--rows N] [--columns N] [--times N]
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl

from benchmarks import history
from benchmarks.tables import best_of
from shoal import table
from shoal.profiling.profile import profile

RESULTS = Path(__file__).resolve().parent / "results" / "profile.json"
WIDE_ROWS = 1_000


def long_table(rows: int) -> pl.DataFrame:
    """A clinical table of 20 columns: numbers of records, names, dates, codes, measurements, flags."""
    rng = np.random.default_rng(7)

    def drawn(values: list[str]) -> pl.Series:
        return pl.Series(values).gather(rng.integers(0, len(values), rows))

    def numbered(prefix: str, numbers: np.ndarray) -> pl.Series:
        return pl.Series(numbers).cast(pl.String).str.zfill(8).str.replace("^", prefix)

    days = pl.date_range(pl.date(1930, 1, 1), pl.date(2020, 12, 31), eager=True).cast(pl.String).to_list()
    codes = [f"{letter}{number:02}.{digit}" for letter in "ACEIJKMN" for number in range(90) for digit in range(6)]
    measured = {
        name: pl.Series(rng.normal(mean, mean / 5, rows).round(digits)).cast(pl.String)
        for name, mean, digits in (
            *(
                ("sbp", 130, 0),
                ("glucose", 105, 0),
                ("creatinine", 1.1, 2),
                ("weight", 80, 1),
                ("total_cost", 9_000, 2),
            ),
        )
    }
    return pl.DataFrame(
        {
            "encounter_id": numbered("E", rng.permutation(rows)),
            "patient_id": numbered("P", rng.integers(0, max(1, rows // 2), rows)),
            "birth_date": drawn(days),
            "admission_date": drawn(days[-1500:]),
            "sex": drawn(["male", "female"]),
            "race": drawn(["white", "black", "asian", "other", "unknown"]),
            "marital_status": drawn(["single", "married", "widowed", "divorced"]),
            "zip": drawn([f"{number:05}" for number in range(2_000, 2_900)]),
            "occupation": drawn([f"job {number}" for number in range(60)]),
            "hospital": drawn([f"hospital {number}" for number in range(40)]),
            "diagnosis": drawn(codes),
            "medication": drawn(["metformin", "lisinopril", "warfarin", "none"]),
            "smoker": drawn(["yes", "no"]),
            "readmitted": drawn(["yes", "no"]),
            "note_type": drawn(["a", "b", "c"]),
            **measured,
        }
    )


def wide_table(columns: int) -> pl.DataFrame:
    """A thousand rows of many columns, as tables of measurements and questionnaires have them.

    A third each are integers, reals and texts.
    """
    rng = np.random.default_rng(7)
    names = ["glucose", "diag", "item", "score", "date", "zq", "med", "visit", "code", "age"]

    def drawn(place: int) -> pl.Series:
        numbers = pl.Series(rng.integers(0, 2 + place % 900, WIDE_ROWS))
        scaled = numbers / 10 if place % 3 == 1 else numbers
        return scaled.cast(pl.String).str.replace("^", "v" if place % 3 == 2 else "")

    return pl.DataFrame({f"{names[place % len(names)]}_{place}": drawn(place) for place in range(columns)})


def timed_long(rows: int, times: int) -> dict[str, float]:
    """Seconds to read a file with polars, and to read and profile it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "long.csv"
        long_table(rows).write_csv(path)
        read = best_of(times, lambda: pl.read_csv(path))
        profiled = best_of(times, lambda: profile(table.read(path)))
    return {"rows": rows, "read": round(read, 2), "profile": round(profiled, 2), "ratio": round(profiled / read, 1)}


def timed_wide(columns: int) -> dict[str, float]:
    """Seconds to profile a wide table."""
    frame = wide_table(columns)
    began, used = time.perf_counter(), time.process_time()
    profile(frame)
    return {
        "columns": columns,
        "profile": round(time.perf_counter() - began, 1),
        "processor": round(time.process_time() - used, 1),
    }


def main() -> None:
    """Measures, prints and keeps the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--columns", type=int, default=10_000)
    parser.add_argument("--times", type=int, default=3)
    given = parser.parse_args()
    profile(long_table(1_000))  # loads what is loaded once
    figures = {"wide": timed_wide(given.columns), "long": timed_long(given.rows, given.times)}
    RESULTS.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    history.record(
        "profile",
        {"1 M rows: profile / read": figures["long"]["ratio"], "10,000 columns: seconds": figures["wide"]["profile"]},
    )
    print(json.dumps(figures, indent=2))


if __name__ == "__main__":
    main()
