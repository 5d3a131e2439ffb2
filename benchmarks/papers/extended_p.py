"""The experiment of Campan and Truta 2006: what k-anonymity alone discloses, and what preventing it costs.

    python -m benchmarks.papers.extended_p adult       Table 4 on Adult, then with the models enforced
    python -m benchmarks.papers.extended_p diabetes    the same on diabetes130, with ICD-9-CM diagnoses
    python -m benchmarks.papers.extended_p patients    the same on synthetic patients, with an ICD-10-CM diagnosis
    python -m benchmarks.papers.extended_p searches    seconds of searches against those of p-sensitive
    python -m benchmarks.papers.extended_p command     seconds of a million rows against those of 3-diversity
    python -m benchmarks.papers.extended_p page        write docs/evidence/extended_p.md and its figure

Disclosures are counted here straight from the definitions, on the released tables, apart from the package's own audit.
Results are stored in benchmarks/results/extended_p.json. Needs the data sets next to the project.
"""

from __future__ import annotations

import json
import math
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import polars as pl

import shoal
from benchmarks import history
from benchmarks.papers.extended_p_tables import Case, adult_case, coded_adult, diabetes_case, full_domain, patients_case
from benchmarks.papers.lkc_tables import adult
from benchmarks.tables import QUASI
from shoal.hierarchies import Icd10Cm
from shoal.pipeline import fitted
from shoal.progress import silent

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "benchmarks" / "results" / "extended_p.json"
SEEDS, CLINICAL_SEEDS = 20, 10
STUDENT_95 = {10: 2.262, 20: 2.093}
Lines = Iterator[dict[str, Any]]


def interval(values: Sequence[float]) -> dict[str, float]:
    """The mean over seeds, and the half-width of its 95 % interval."""
    n, mean = len(values), math.fsum(values) / len(values)
    spread = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (n - 1) / n)
    return {"mean": mean, "half": STUDENT_95[n] * spread}


# -- disclosures ----------------------------------------------------------------------------------------------------


def audit(frame: pl.DataFrame, quasi: Sequence[str], column: str, p: int, strong: Mapping[str, str]) -> dict[str, int]:
    """Classes, and their rows, in which the values of a column lie in fewer than p different groups.

    `strong` maps a value to its group; a value that is not listed is a group of its own. Missing values do not count.
    """
    value = pl.col(column).replace(strong)
    present = value.filter(value.is_not_null() & (value != ""))
    classes = frame.group_by([pl.col(name).fill_null("") for name in quasi]).agg(
        present.n_unique().alias("n"), pl.len()
    )
    broken = classes.filter(pl.col("n") < p)
    return {"classes": broken.height, "rows": int(broken["len"].sum())}


def audits(frame: pl.DataFrame, case: Case, p: int) -> dict[str, dict[str, int]]:
    """The audit of every sensitive column: of its values, and under each choice of protected nodes."""
    found = {}
    for column in case.sensitive:
        found[column] = audit(frame, case.quasi, column, p, {})
        for marked, strong in case.strong.items():
            if column in strong:
                found[f"{column}, {marked}"] = audit(frame, case.quasi, column, p, strong[column])
    return found


def most_classes(table: pl.DataFrame, p: int, groups: Mapping[str, Mapping[str, str]]) -> int:
    """Condition 3 of the paper, for these columns with their groups: no release has more classes."""
    counts = [
        table[column].drop_nulls().replace(strong).value_counts(sort=True)["count"].to_list()
        for column, strong in groups.items()
    ]
    cf = {i: max(sum(each[:i]) for each in counts) for i in range(1, p)}
    return min((table.height - cf[p - i]) // i for i in range(1, p))


def expected(shares: Sequence[float], k: int, p: int) -> float:
    """The probability that k independent values fall in fewer than p groups with these shares, for p of 2 or 3.

    >>> expected([0.5, 0.5], 3, 2)
    0.25
    """
    one = math.fsum(share**k for share in shares)
    pairs = (shares[i] + shares[j] for i in range(len(shares)) for j in range(i))
    return one if p == 2 else math.fsum(pair**k for pair in pairs) - (len(shares) - 2) * one


# -- the experiment -------------------------------------------------------------------------------------------------


def models(case: Case, k: int, p: int) -> dict[str, tuple[Any, str]]:
    """The models to compare, each with the name of what is protected; a column with fewer than p values is left out."""
    columns = tuple(name for name in case.sensitive if case.table[name].n_unique() >= p)
    extended = {
        f"extended-p-sensitive, {marked}": (shoal.ExtendedPSensitive(p=p, k=k, columns=columns), marked)
        for marked in case.strong
    }
    return {
        "k-anonymity": (shoal.KAnonymity(k=k), ""),
        "p-sensitive": (shoal.PSensitive(p=p, k=k, columns=columns), ""),
        **extended,
    }


def released(case: Case, setting: Mapping[str, Any], k: int, p: int) -> dict[str, dict[str, Any]]:
    """By model: the audit, the costs, and the number of classes with its bound."""
    found = {}
    for name, (model, marked) in models(case, k, p).items():
        plan = case.plan(model, setting["algorithm"], setting["suppression"], marked, setting.get("ranges", ()))
        release = shoal.anonymize(case.table, plan)
        groups = {column: case.strong.get(marked, {}).get(column, {}) for column in getattr(model, "columns", ())}
        found[name] = {
            "audit": audits(release.frame, case, p),
            "ncp": release.measures["ncp"],
            "precision": release.measures["precision"],
            "suppressed": release.manifest.rows_suppressed,
            "classes": release.manifest.classes,
            "most": most_classes(case.table, p, groups) if groups else case.table.height // k,
        }
    return found


def over_seeds(
    make: Callable[[Path, int], Case], seeds: int, settings: Mapping[str, Mapping[str, Any]], ks: Mapping[int, int]
) -> Lines:
    """One line per setting, k and model: means over random samples, and differences on the same samples."""
    with tempfile.TemporaryDirectory() as folder:
        for name, setting in settings.items():
            for k, p in ks.items():
                if k not in setting.get("ks", ks):
                    continue
                runs = [released(make(Path(folder), seed), setting, k, p) for seed in range(seeds)]
                for model in runs[0]:
                    yield {"what": name, "k": k, "p": p, "model": model, **_summary([run[model] for run in runs], runs)}


def _summary(found: Sequence[Mapping[str, Any]], runs: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    base = [run["k-anonymity"] for run in runs]
    figures = {key: interval([each[key] for each in found]) for key in ("classes", "suppressed", *_costs(found))}
    costs = {
        f"{key} added": interval([each[key] - other[key] for each, other in zip(found, base, strict=True)])
        for key in _costs(found)
    }
    audited = {
        column: {part: interval([each["audit"][column][part] for each in found]) for part in ("classes", "rows")}
        for column in found[0]["audit"]
    }
    within = all(each["classes"] <= each["most"] for each in found)
    return {"seeds": len(found), "audit": audited, **figures, **costs, "within condition 3": within}


def _costs(found: Sequence[Mapping[str, Any]]) -> list[str]:
    return [key for key in ("ncp", "precision") if all(each[key] is not None for each in found)]


def run_adult() -> Lines:
    """The paper's k = 3 with p = 2, and k = 5 with p = 3; Samarati also with k = 2."""
    settings = {
        "samarati": {"algorithm": shoal.Samarati(), "suppression": 0.0},
        "samarati, 5 % suppressed": {"algorithm": shoal.Samarati(), "suppression": 0.05},
        "k-member": {"algorithm": shoal.KMember(), "suppression": 0.0, "ks": (3, 5)},
        "k-member, ages as ranges": {
            "algorithm": shoal.KMember(), "suppression": 0.0, "ks": (3, 5), "ranges": ("age",),
        },
    }  # fmt: skip
    yield from over_seeds(adult_case, SEEDS, settings, {2: 2, 3: 2, 5: 3})
    incomes = adult()["income"].value_counts()["count"]
    shares = {
        "pay": (incomes / incomes.sum()).to_list(),
        "capital_gain": [1 / 3] * 3,
        "capital_loss": [1 / 4] * 4,
        "tax_amount": [0.1] * 10,
        "tax_amount, narrow": [0.2, *[0.1] * 8],
        "tax_amount, wide": [0.4, 0.2, 0.4],
    }
    for k, p in ((3, 2), (5, 3)):
        classes = {name: 400 // k * expected(each, k, p) for name, each in shares.items()}
        yield {"what": "expected", "k": k, "p": p, **classes}


CLINICAL = {
    "samarati, 5 % suppressed": {"algorithm": shoal.Samarati(), "suppression": 0.05},
    "k-member": {"algorithm": shoal.KMember(), "suppression": 0.0},
}


def run_diabetes() -> Lines:
    yield from over_seeds(diabetes_case, CLINICAL_SEEDS, CLINICAL, {3: 2, 5: 3})


def run_patients() -> Lines:
    yield from over_seeds(patients_case, CLINICAL_SEEDS, CLINICAL, {3: 2, 5: 3})


# -- time -----------------------------------------------------------------------------------------------------------


def run_searches(repeats: int = 6) -> Lines:
    """The search alone under p-sensitive and under its extension, in turn; ratios are medians of the pairs."""
    with tempfile.TemporaryDirectory() as folder:
        for name, case, algorithm in full_domain(Path(folder)):
            for marked in ("", "chapter"):
                plans = [
                    case.plan(model(p=3, k=5), algorithm, 0.0, marked)
                    for model in (shoal.PSensitive, shoal.ExtendedPSensitive)
                ]
                coded = [fitted(case.table, plan).coded for plan in plans]
                taken = [
                    [_searched(plan, each) for plan, each in zip(plans, coded, strict=True)] for _ in range(repeats)
                ]
                del taken[0]  # compiles, and fills caches
                yield {"what": name, "protected": marked or "nothing", "rows": case.table.height, **_ratios(taken)}


def _searched(plan: shoal.Plan, coded: Any) -> dict[str, float]:
    wall, cpu = time.perf_counter(), time.process_time()
    plan.algorithm.partition(coded, plan.enforced, 0.0, plan.seed, silent)
    return {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}


def _ratios(taken: Sequence[Sequence[Mapping[str, float]]]) -> dict[str, Any]:
    """Medians of both sides and of their ratio, for every kind of time."""
    keys = list(taken[0][0])
    return {
        "plain": {key: median(pair[0][key] for pair in taken) for key in keys},
        "extended": {key: median(pair[1][key] for pair in taken) for key in keys},
        "ratio": {key: median(pair[1][key] / pair[0][key] for pair in taken) for key in keys},
        "repeats": len(taken),
    }


def run_command(repeats: int = 7) -> Lines:
    """The whole command on a million rows: 3-diversity without a tree, and p = 3 with every chapter protected."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        coded_adult("adult_1m").write_csv(folder / "table.csv")
        chapters = Icd10Cm()._nodes()["chapter"].unique().sort().to_list()
        plans = {
            "l-diversity": (
                "",
                '[[models]]\nkind = "k-anonymity"\nk = 5\n'
                '[[models]]\nkind = "l-diversity"\ncolumn = "diagnosis"\nl = 3\n',
            ),
            "extended-p-sensitive": (
                f'hierarchy = {{ kind = "icd10cm" }}\nprotected = {chapters}\n',
                '[[models]]\nkind = "extended-p-sensitive"\np = 3\nk = 5\n',
            ),
        }
        for kind, (column, models_text) in plans.items():
            roles = "".join(f'[columns.{quasi}]\nrole = "quasi-identifier"\n' for quasi in QUASI)
            text = (
                f'[data]\nsource = "table.csv"\n{roles}[columns.diagnosis]\nrole = "sensitive"\n{column}{models_text}'
            )
            (folder / f"{kind}.toml").write_text(text, encoding="utf-8")
        taken = [[_commanded(folder, kind) for kind in plans] for _ in range(repeats + 1)]
        yield {"what": "command", "rows": 1_000_000, **_ratios(taken[1:])}


def _commanded(folder: Path, kind: str) -> dict[str, float]:
    """Seconds of the command, of the processor, and of its search."""
    out = folder / f"{kind}.release"
    before, wall = _children(), time.perf_counter()
    arguments = [sys.executable, "-m", "shoal", "anonymize", f"{kind}.toml", "--out", out, "--force", "--quiet"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    subprocess.run(arguments, cwd=folder, check=True, capture_output=True, env=environment)
    wall, cpu = time.perf_counter() - wall, _children() - before
    steward = json.loads((folder / f"{kind}.release.private" / "steward.json").read_text(encoding="utf-8"))
    return {"wall": wall, "cpu": cpu, "search": steward["timings"]["search"]}


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


# -- results --------------------------------------------------------------------------------------------------------

STAGES: dict[str, Callable[[], Lines]] = {
    "adult": run_adult,
    "diabetes": run_diabetes,
    "patients": run_patients,
    "searches": run_searches,
    "command": run_command,
}


def figures(stage: str, lines: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """What the history keeps of a stage: the cost of the extension, the rows that k-anonymity discloses, and ratios."""
    found = {}
    for line in lines:
        if "ratio" in line:
            name = f"{line['what']}, protected: {line.get('protected', 'chapter')}"
            found[f"{name}: CPU ratio"] = line["ratio"]["cpu"]
        elif line["what"] == "expected":
            continue
        elif line["k"] == 5 and line["model"] == "k-anonymity":
            rows = max(each["rows"]["mean"] for name, each in line["audit"].items() if name != "pay")
            found[f"{stage}, {line['what']}: most rows disclosed"] = rows
        elif line["k"] == 5 and line["model"].startswith("extended"):
            found[f"{stage}, {line['what']}, {line['model']}: NCP added"] = line["ncp added"]["mean"]
    return found


def main() -> None:
    stage = sys.argv[1] if len(sys.argv) > 1 else "page"
    results = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    if stage != "page":
        found = []
        for line in STAGES[stage]():
            print(json.dumps(line), flush=True)
            found.append(line)
        run = history.record("extended_p", figures(stage, found))
        results[stage] = {"date": run.date, "commit": run.commit, "lines": found}
        RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    from benchmarks.papers.extended_p_page import write

    write(results, ROOT / "docs" / "evidence")


if __name__ == "__main__":
    main()
