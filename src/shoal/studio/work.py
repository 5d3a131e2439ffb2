"""What a job does, in a process of its own: each function takes JSON values and returns JSON values.

The functions call the library and nothing else. Modules are imported when they are needed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from shoal.errors import ShoalError
from shoal.progress import Progress

Arguments = Mapping[str, Any]
Work = Callable[[Arguments, Progress], dict[str, Any]]


def sample(given: Arguments, progress: Progress) -> dict[str, Any]:
    """The first rows of a table as text, its columns and its number of rows.

    Arguments: `source`; optionally `separator`, `header`, `sheet`, `query`, and `rows` (20).
    """
    from shoal import table

    progress("read", 0.0)
    frame = table.read(given["source"], **_reading(given))
    first = frame.head(int(given.get("rows", 20)))
    return {
        "columns": frame.columns,
        "rows": [[None if cell is None else str(cell) for cell in row] for row in first.iter_rows()],
        "row_count": frame.height,
    }


def values(given: Arguments, progress: Progress) -> dict[str, Any]:
    """The most frequent values of a column as text, each with its count, and how many distinct values there are.

    Arguments: `source`, `column`; optionally `separator`, `header`, `sheet`, `query`, and `limit` (200).
    """
    import polars as pl

    from shoal import table
    from shoal.errors import did_you_mean

    progress("read", 0.0)
    frame, name = table.read(given["source"], **_reading(given)), str(given["column"])
    if name not in frame.columns:
        raise ShoalError(f"Column '{name}' is not in the table.", hint=did_you_mean(name, frame.columns))
    counts = frame.select(pl.col(name).alias("value")).group_by("value").len("count")
    shown = counts.sort(["count", "value"], descending=[True, False]).head(int(given.get("limit", 200)))
    cells = [[None if value is None else str(value), count] for value, count in shown.iter_rows()]
    return {"column": name, "distinct": counts.height, "values": cells}


def profile(given: Arguments, progress: Progress) -> dict[str, Any]:
    """The profile of a table and the text of a draft plan, as `shoal profile` makes them.

    Arguments: `source`; optionally `separator`, `header`, `sheet`, `query`, `purpose` ("general", "classification",
    "wide") and `target`. Result: `profile` and `plan`, and `drafted`: column → its `role` in the plan and the `reason`.
    """
    from shoal import table
    from shoal.profiling.draft import draft_text, reason_of
    from shoal.profiling.profile import profile as profiled
    from shoal.profiling.suggesting import check_purpose, suggested_plan
    from shoal.roles.columns import Data

    progress("read", 0.0)
    purpose, target, options = given.get("purpose") or "general", given.get("target"), _reading(given)
    frame = table.read(given["source"], **options)
    table.require_rows(frame)
    found = profiled(frame)
    check_purpose(found, purpose, target)
    plan = suggested_plan(frame, found, Data(**options), purpose=purpose, target=target, progress=progress)
    roles = {name: role for role, names in plan.roles.items() for name in names}
    roles |= {name: column.role for name, column in plan.columns.items()}
    drafted = {
        column.name: {"role": roles[column.name], "reason": reason_of(roles[column.name], column)}
        for column in found.columns
        if column.name in roles
    }
    return {"profile": found.figures(), "plan": draft_text(plan, found, str(given["source"])), "drafted": drafted}


def tables(given: Arguments, progress: Progress) -> dict[str, Any]:
    """The tables and views of a database, each with the query that reads it. Arguments: `database`, its URL.

    Result: `source`, to be given with the `query` of a table, and `tables`.
    """
    from shoal.table.catalog import listed

    progress("read", 0.0)
    found = [{**asdict(each), "query": each.query} for each in listed(given["database"])]
    return {"source": given["database"], "tables": found}


def check(given: Arguments, progress: Progress) -> dict[str, Any]:
    """A dry run, as `shoal plan check` makes it. Arguments: `plan`, the path of a plan file."""
    from shoal.dry_run import check as dry_run
    from shoal.plan import read_plan

    return {"fits": True, **asdict(dry_run(read_plan(given["plan"]), progress=progress))}


def anonymize(given: Arguments, progress: Progress) -> dict[str, Any]:
    """A verified release, as `shoal anonymize` makes it; returns its figures.

    Arguments: `plan`, the path of a plan file; `out`, the folder of the release; optionally `seed` and `engine`.
    """
    from shoal.pipeline import anonymize_to
    from shoal.plan.toml import read_plan_file
    from shoal.studio.summary import release_summary

    path, out = Path(given["plan"]), Path(given["out"])
    plan, text = read_plan_file(path)
    anonymize_to(plan, out, plan_text=text, plan_path=path, engine=given.get("engine"), progress=progress)
    return release_summary(out)


def risk(given: Arguments, progress: Progress) -> dict[str, Any]:
    """The risk of a table or a release, as `shoal risk` measures it.

    Arguments: `data`; optionally `plan`, `raw`, `reference`, `sampling_fraction`, `attacks` (true), `seed` (0) and
    `views`, a list of regulations.
    """
    from shoal import table
    from shoal.plan import read_plan
    from shoal.regulation import view
    from shoal.risks.measuring import Settings
    from shoal.risks.releases import source_of

    known = None if given.get("plan") is None else read_plan(given["plan"])
    settings = Settings(
        None, given.get("sampling_fraction"), attacks=given.get("attacks", True), seed=given.get("seed", 0)
    )
    if given.get("reference") is not None:
        settings = settings.knowing(table.read(Path(given["reference"])))
    source = source_of(given["data"], known, progress)
    source = source if given.get("raw") is None else source.checked_with(given["raw"])
    found = source.risk(settings, progress)
    figures = found.to_json()
    views = [view(kind, source.main.expanded(), source.plan, figures).to_json() for kind in given.get("views") or ()]
    return {**figures, "warnings": list(found.warnings), "views": views}


def verify(given: Arguments, progress: Progress) -> dict[str, Any]:
    """The findings of `shoal verify`. Arguments: `folder`; optionally `plan`, `digest`, and `knowledge`, a list."""
    from shoal.plan import read_plan
    from shoal.verifying import verify_folder

    progress("verify", 0.0)
    plan = None if given.get("plan") is None else read_plan(given["plan"])
    found = verify_folder(
        given["folder"], plan=plan, digest=given.get("digest"), knowledge=given.get("knowledge") or ()
    )
    return found.to_json()


def compare(given: Arguments, progress: Progress) -> dict[str, Any]:
    """Releases side by side, as `shoal compare` shows them, with the drawing as SVG.

    Arguments: `releases`, a mapping of names to folders; optionally `raw`.
    """
    from shoal import table
    from shoal.evaluate.comparing import compare as compared

    raw = None if given.get("raw") is None else table.read(Path(given["raw"]))
    found = compared(given["releases"], raw=raw, progress=progress)
    return {**found.to_json(), "head": found.head, "table": found.table(), "svg": found.svg()}


def contents(given: Arguments, progress: Progress) -> dict[str, Any]:
    """The columns of a release before and after, and the sizes of its classes. Arguments: `release` and `plan`."""
    from shoal.studio.contents import contents as counted

    return counted(given["release"], given["plan"], progress)


def lattice(given: Arguments, progress: Progress) -> dict[str, Any]:
    """The lattice that the search of a plan explores, as `shoal lattice` shows it. Arguments: `plan`, its path."""
    from shoal.studio.contents import lattice as explored

    return explored(given["plan"], progress)


def suggest(given: Arguments, progress: Progress) -> dict[str, Any]:
    """The plan with the best utility within thresholds of risk, as `shoal suggest` finds it, with all that were tried.

    Arguments: `plan`, the path of a plan file; optionally `use` ("general"), `risk`, thresholds by name, `suppression`,
    `budget`, the number of plans to try, and `seed` (0).
    """
    from shoal.evaluate.suggesting import BUDGET
    from shoal.evaluate.suggesting import suggest as suggested
    from shoal.pipeline import read_source
    from shoal.plan import read_plan

    progress("read", 0.0)
    plan = read_plan(given["plan"])
    found = suggested(
        read_source(plan),
        plan,
        risk=given.get("risk") or None,
        use=given.get("use") or "general",
        suppression=given.get("suppression"),
        budget=int(given.get("budget") or BUDGET),
        seed=int(given.get("seed") or 0),
        progress=progress,
    )
    return {**found.to_json(), "head": found.head, "table": found.table(), "svg": found.svg()}


def _reading(given: Arguments) -> dict[str, Any]:
    """How a table is read: separator, header and sheet of a file, or the query of a database."""
    return {name: given.get(name) for name in ("separator", "header", "sheet", "query")}


ALL: Mapping[str, Work] = {
    work.__name__: work
    for work in (sample, values, profile, tables, check, anonymize, risk, verify, compare, contents, lattice, suggest)
}
"""Kind of job → what it does."""
QUICK = frozenset(work.__name__ for work in (sample, values, profile, tables, check, contents))
"""The kinds of jobs that a page waits for, and that look at a table without a search or an attack."""
