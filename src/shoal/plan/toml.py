"""Plan files: reads a plan from TOML and writes it."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import tomli_w

from shoal.errors import PlanError, did_you_mean
from shoal.hierarchies import File
from shoal.plan.engine import EngineSettings
from shoal.plan.plan import Plan
from shoal.plan.release import ReleaseSettings
from shoal.plan.thresholds import RiskSettings
from shoal.roles import spec
from shoal.roles.columns import Column, Data
from shoal.table import is_url

LARGEST_PLAN = 1 << 25
"""Bytes; the draft plan of a table with 50,000 columns has a tenth of this."""

_LONGEST_KEY = 16
_LONG_KEY = re.compile(r"(?<![^\s.,=\[\]{}])(?:[^\s.,=\[\]{}]++[ \t]*+\.[ \t]*+){" + f"{_LONGEST_KEY}}}")
_TOKEN = re.compile(
    r"""(?P<text>\"{3}(?:[^\\]|\\.)*?\"{3,5} | '{3}.*?'{3,5} | "(?!"")(?:[^"\\\n]|\\.)*" | '(?!'')[^'\n]*')
        | (?P<comment>\#[^\n]*) | (?P<plain>[^"'\#]+)""",
    re.DOTALL | re.VERBOSE,
)
"""The parts of a TOML file: texts and quoted keys, comments, and everything else."""

_PARTS = ("data", "roles", "columns", "models", "engine", "release", "risk", "statistics")
_SHARES = tuple(key for key in RiskSettings.model_fields if key not in ("k_map", "weight"))


class PlanFile(NamedTuple):
    """A plan and the text from which it was read."""

    plan: Plan
    text: str


def read_plan(path: str | Path) -> Plan:
    """The plan in a TOML file; its paths are relative to the file's folder."""
    return read_plan_file(path).plan


def read_plan_file(path: str | Path, folder: Path | None = None) -> PlanFile:
    """The plan in a TOML file and the text of the file; its paths are relative to `folder`, by default the file's."""
    path = Path(path)
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST_PLAN + 1)
        text = data.decode("utf-8-sig")
    except FileNotFoundError:
        raise PlanError(f"The plan file '{path}' does not exist.") from None
    except (OSError, ValueError) as error:  # a ValueError: not UTF-8, or a null character in the path
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise PlanError(f"The plan file '{path}' cannot be read: {reason}.") from None
    _check_size(path, data)
    _check_keys(path, text)
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise PlanError(f"The plan file '{path.name}' is not valid TOML: {error}.") from None
    except (ValueError, RecursionError):  # a number with thousands of digits, or thousands of nested brackets
        raise PlanError(f"The plan file '{path.name}' has a number or a nesting too large to read.") from None
    return PlanFile(from_tables(tables, folder or path.resolve().parent), text)


def _check_size(path: Path, data: bytes) -> None:
    if len(data) > LARGEST_PLAN:
        raise PlanError(f"The plan file '{path.name}' is larger than {LARGEST_PLAN:,} bytes.", hint="is it a plan?")


def _check_keys(path: Path, text: str) -> None:
    """Refuses dotted keys with many parts, for which the time to read them grows with the square of their number."""
    plain, position = [], 0
    while token := _TOKEN.match(text, position):  # a text that does not end: the file is invalid from here on
        plain.append(token[0] if token["plain"] else "x" if token["text"] else "")
        position = token.end()
    if _LONG_KEY.search("".join([*plain, text[position:]])):
        raise PlanError(
            f"The plan file '{path.name}' has a key of more than {_LONGEST_KEY} parts.",
            hint="quote a column name that contains dots.",
        )


def from_tables(tables: Mapping[str, Any], folder: Path) -> Plan:
    """A plan from TOML tables; relative paths are relative to `folder`."""
    known = ["data", "roles", "columns", "models", "algorithm", "engine", "release", "risk", "statistics"]
    for key in tables:
        if key not in known:
            raise PlanError(
                f"'{key}' is not a part of a plan.",
                allowed=f"Allowed: {', '.join(known)}.",
                hint=did_you_mean(key, known),
            )
    given = {key: tables[key] for key in ("columns", "models") if key in tables}
    given["roles"] = dict(_table(tables.get("roles", {}), "roles"))
    given["columns"] = _columns(tables.get("columns", {}), folder)
    given["models"] = _listed(tables.get("models", []), "models")
    given["statistics"] = _listed(tables.get("statistics", []), "statistics")
    algorithm = tables.get("algorithm", {})
    algorithm = {"kind": algorithm} if isinstance(algorithm, str) else dict(_table(algorithm, "algorithm"))
    given["seed"] = algorithm.pop("seed", 0)
    if algorithm:
        given["algorithm"] = algorithm
    given["data"] = Data(**_located(_table(tables.get("data", {}), "data"), folder))
    given["engine"] = EngineSettings(**_table(tables.get("engine", {}), "engine"))
    given["release"] = ReleaseSettings(**_floats(_table(tables.get("release", {}), "release"), "suppression"))
    given["risk"] = RiskSettings(**_floats(_table(tables.get("risk", {}), "risk"), *_SHARES))
    return Plan(**given)


def to_tables(plan: Plan) -> dict[str, Any]:
    """The TOML tables of a plan; the inverse of `from_tables`."""
    parts = plan.model_dump(exclude_defaults=True, exclude_none=True, mode="python")
    tables = {key: _plain(parts[key]) for key in _PARTS if parts.get(key)}
    tables["algorithm"] = {**spec.to_table(plan.algorithm), "seed": plan.seed}
    return tables


def dumped(plan: Plan) -> str:
    """The plan as TOML, without default values."""
    return tomli_w.dumps(to_tables(plan))


def reading(plan: Plan, source: str) -> Plan:
    """The plan with another source, a path that is relative to the working folder, or the address of a database."""
    located = source if is_url(source) else str(Path(source).resolve())
    return plan.changed(data=plan.data.model_copy(update={"source": located}))


def relative_to(plan: Plan, folder: Path) -> Plan:
    """The plan as a file in this folder writes it: with relative paths to what lies inside, and absolute ones else."""

    def within(path: str) -> str:
        whole = Path(path).resolve()
        return whole.relative_to(folder).as_posix() if whole.is_relative_to(folder) else str(whole)

    columns = dict(plan.columns)
    for name, column in columns.items():
        if isinstance(column.hierarchy, File):
            column = column.model_copy(
                update={"hierarchy": replace(column.hierarchy, path=within(column.hierarchy.path))}
            )
        if column.knowledge is not None:
            column = column.model_copy(update={"knowledge": within(column.knowledge)})
        columns[name] = column
    source = plan.data.source
    located = source if source is None or is_url(source) else within(source)
    return plan.changed(columns=columns, data=plan.data.model_copy(update={"source": located}))


def _columns(tables: object, folder: Path) -> dict[str, Column]:
    columns = {}
    for name, table in _table(tables, "columns").items():
        given = _floats(_table(table, f"columns.{name}"), "weight")
        try:
            column = Column(**given)
        except PlanError as error:
            raise PlanError(f"Column '{name}': {error.fact}", allowed=error.allowed, hint=error.hint) from None
        if isinstance(column.hierarchy, File):
            column = column.model_copy(update={"hierarchy": column.hierarchy.relative_to(folder)})
        if column.knowledge is not None:
            column = column.model_copy(update={"knowledge": str(folder / column.knowledge)})
        columns[name] = column
    return columns


def _located(data: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    source = data.get("source")
    if not isinstance(source, str) or is_url(source):
        return dict(data)
    return {**data, "source": str(folder / source)}


def _table(value: object, name: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise PlanError(f"'{name}' must be a table.", hint=f"write it as [{name}].")
    return value


def _listed(value: object, name: str) -> tuple[Any, ...]:
    if not isinstance(value, list):
        raise PlanError(f"'{name}' must be a list of tables.", hint=f"write each as [[{name}]].")
    return tuple(value)


def _floats(table: Mapping[str, Any], *keys: str) -> dict[str, Any]:
    """The table with integers under these keys as floats, which strict validation requires."""
    return {
        key: _float(value) if key in keys and isinstance(value, int) and not isinstance(value, bool) else value
        for key, value in table.items()
    }


def _float(value: int) -> float:
    """The number as a float; infinite if it is too large, so that the plan refuses it."""
    try:
        return float(value)
    except OverflowError:
        return math.inf


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items() if item is not None}
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value
