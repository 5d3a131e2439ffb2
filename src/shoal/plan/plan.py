"""Plan: the one frozen description of a release that Python, TOML, the command line and the studio all use.

Everything that can be known without data is checked when a Plan is made; a Plan that exists makes sense in itself.
"""

from __future__ import annotations

import datetime
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import polars as pl
import tomli_w

from shoal import algorithms, forms, models
from shoal.algorithms import Mondrian
from shoal.algorithms.base import Algorithm
from shoal.errors import PlanError, TableError, did_you_mean
from shoal.hierarchies import File
from shoal.hierarchies.base import text_of
from shoal.models.base import ClassModel
from shoal.roles import spec
from shoal.roles.columns import Column, Data, Part, Role, family
from shoal.table import typed


class ReleaseSettings(Part):
    """How the result is published."""

    form: str = "generalized"
    categories: Literal["hierarchy", "sets"] = "hierarchy"
    ranges: Literal["tight", "cut"] = "tight"
    suppression: float = 0.0
    format: Literal["csv", "parquet"] = "csv"
    strict: bool = False


class Plan(Part):
    """Columns and roles, models, algorithm and form of one release.

    >>> columns = {"age": Column(role="quasi-identifier"), "sex": Column(role="sensitive")}
    >>> plan = Plan(columns=columns, models=[models.KAnonymity(k=5)])
    >>> plan.quasi_identifiers, plan.sensitive
    (('age',), ('sex',))
    """

    data: Data = Data()
    columns: dict[str, Column]
    models: tuple[Annotated[Any, *family(models.ALL, "model")], ...]
    algorithm: Annotated[Any, *family(algorithms.ALL, "algorithm")] = Mondrian()
    seed: int = 0
    release: ReleaseSettings = ReleaseSettings()

    def model_post_init(self, _context: Any, /) -> None:
        _check(self)

    @property
    def quasi_identifiers(self) -> tuple[str, ...]:
        return self.having("quasi-identifier")

    @property
    def sensitive(self) -> tuple[str, ...]:
        return self.having("sensitive")

    def having(self, *roles: Role) -> tuple[str, ...]:
        """The columns with one of these roles, in the plan's order."""
        return tuple(name for name, column in self.columns.items() if column.role in roles)

    @property
    def enforced(self) -> tuple[ClassModel, ...]:
        """The models with their columns filled in: a model that names none means all sensitive columns."""
        return tuple(model.resolved(self.sensitive) for model in self.models)

    @property
    def reads(self) -> tuple[str, ...]:
        """The sensitive columns that some model names, in the plan's order."""
        named = {column for model in self.enforced for column in model.reads}
        return tuple(column for column in self.sensitive if column in named)

    @property
    def reads_trees(self) -> tuple[str, ...]:
        """The sensitive columns whose hierarchies it takes to verify a release: those that some promise is about."""
        about = {column for model in self.enforced for column in model.reads_trees}
        return tuple(column for column in self.reads if column in about and self.columns[column].hierarchy is not None)

    @property
    def guide(self) -> str | None:
        """The target column that guides the search, where the algorithm looks at it."""
        return self.having("target")[0] if self.algorithm.wants_target else None

    def to_toml(self) -> str:
        """The plan as TOML, defaults left out."""
        return tomli_w.dumps(to_tables(self))

    def changed(self, **parts: Any) -> Plan:
        """The same plan with some parts replaced, checked anew."""
        return Plan(**{name: parts.get(name, getattr(self, name)) for name in type(self).model_fields})


def read_plan(path: str | Path) -> Plan:
    """The plan in a TOML file; its paths are relative to the file's folder."""
    path = Path(path)
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise PlanError(f"There is no plan file at '{path}'.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise PlanError(f"The plan file '{path}' cannot be read ({type(error).__name__}).") from None
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise PlanError(f"The plan file '{path.name}' is not valid TOML: {error}.") from None
    except (ValueError, RecursionError):  # a number of thousands of digits, brackets thousands deep
        raise PlanError(f"The plan file '{path.name}' is not a plan that anyone wrote.") from None
    return from_tables(tables, path.resolve().parent)


def from_tables(tables: Mapping[str, Any], folder: Path) -> Plan:
    """A plan from TOML tables; relative paths are taken from `folder`."""
    known = ["data", "columns", "models", "algorithm", "release"]
    for key in tables:
        if key not in known:
            raise PlanError(
                f"'{key}' is not a part of a plan.",
                allowed=f"Allowed: {', '.join(known)}.",
                hint=did_you_mean(key, known),
            )
    given = {key: tables[key] for key in ("columns", "models") if key in tables}
    given["columns"] = _columns(tables.get("columns", {}), folder)
    given["models"] = _listed(tables.get("models", []), "models")
    algorithm = dict(_table(tables.get("algorithm", {}), "algorithm"))
    given["seed"] = algorithm.pop("seed", 0)
    if algorithm:
        given["algorithm"] = algorithm
    given["data"] = Data(**_located(_table(tables.get("data", {}), "data"), folder))
    given["release"] = ReleaseSettings(**_floats(_table(tables.get("release", {}), "release"), "suppression"))
    return Plan(**given)


def to_tables(plan: Plan) -> dict[str, Any]:
    """TOML tables of a plan; `from_tables` reads them back."""
    found = plan.model_dump(exclude_defaults=True, exclude_none=True, mode="python")
    tables = {key: _plain(found[key]) for key in ("data", "columns", "models", "release") if found.get(key)}
    tables["algorithm"] = {**spec.to_table(plan.algorithm), "seed": plan.seed}
    return tables


def schema() -> dict[str, Any]:
    """The JSON schema of a plan file."""
    found = Plan.model_json_schema()
    properties = found["properties"]
    properties.pop("seed")
    properties["algorithm"]["oneOf"] = [
        {**option, "properties": {**option["properties"], "seed": {"type": "integer", "default": 0}}}
        for option in properties["algorithm"]["oneOf"]
    ]
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **found, "title": "Shoal plan"}


# -- checks across parts ------------------------------------------------------------------------------------------


def _check(plan: Plan) -> None:
    _check_columns(plan)
    _check_models(plan)
    _check_release(plan)


def _check_columns(plan: Plan) -> None:
    if not plan.quasi_identifiers:
        raise PlanError(
            "The plan has no quasi-identifier.",
            allowed='At least one column needs role = "quasi-identifier".',
            hint="`shoal profile DATA` suggests roles with reasons.",
        )
    for name, column in plan.columns.items():
        _check_column(name, column)
    if plan.having("quasi-sensitive"):
        raise PlanError(
            f"Column '{plan.having('quasi-sensitive')[0]}' is quasi-sensitive, and no model of the plan guards it.",
            hint="make it sensitive, or leave it out as an identifier.",
        )
    person = plan.data.person
    if person in plan.columns and plan.columns[person].role != "identifier":
        raise PlanError(
            f"The person column '{person}' has role '{plan.columns[person].role}'.",
            allowed="It must be an identifier.",
            hint='give it role = "identifier"; it is removed once persons are counted.',
        )
    if person == "":
        raise PlanError("The person column has an empty name.", hint="leave it out where a row is a person.")


def _check_column(name: str, column: Column) -> None:
    given = column.model_fields_set
    quasi_only = {"weight", "top", "bottom"} & given
    if quasi_only and column.role != "quasi-identifier":
        raise _misplaced(name, min(quasi_only), "a quasi-identifier")
    sensitive_only = {"protected", "missing_counts"} & given
    if sensitive_only and column.role != "sensitive":
        raise _misplaced(name, min(sensitive_only), "a sensitive column")
    items_only = {"items", "knowledge"} & given
    if items_only and column.role != "quasi-sensitive":
        raise _misplaced(name, min(items_only), "a quasi-sensitive column")
    if not column.weight > 0 or column.weight == float("inf"):
        raise PlanError(
            f"The weight of column '{name}' must be a number above 0; got {column.weight}.",
            hint="with weight = 2.0 its loss counts twice.",
        )
    _check_bounds(name, column)
    if column.hierarchy is not None and not hasattr(column.hierarchy, "build"):
        raise PlanError(
            f"The hierarchy of column '{name}' must be a table with a 'kind'.", hint='hierarchy = { kind = "prefix" }'
        )
    if column.hierarchy is not None and column.role not in ("quasi-identifier", "sensitive"):
        raise _misplaced(name, "hierarchy", "a quasi-identifier or a sensitive column")


def _misplaced(name: str, key: str, whose: str) -> PlanError:
    return PlanError(
        f"Column '{name}' has '{key}', which only {whose} can have.",
        hint="leave it out, or give the column another role.",
    )


def _check_bounds(name: str, column: Column) -> None:
    bounds = [bound for bound in (column.bottom, column.top) if bound is not None]
    if any(not isinstance(bound, datetime.date) and not abs(bound) <= sys.float_info.max for bound in bounds):
        raise PlanError(f"The top and bottom of column '{name}' must be finite.", hint="leave out what has no limit.")
    if len({isinstance(bound, datetime.date) for bound in bounds}) > 1:
        raise PlanError(
            f"Of the top and bottom of column '{name}' one is a date and the other a number.", hint="write both alike."
        )
    if len(bounds) == 2 and not bounds[0] < bounds[1]:  # type: ignore[operator]
        raise PlanError(f"The bottom of column '{name}' must lie below its top.", hint="swap them, or leave one out.")


def _check_models(plan: Plan) -> None:
    if not plan.models:
        raise PlanError(
            "The plan has no model.",
            allowed=f"Allowed kinds: {', '.join(cls.kind for cls in models.ALL)}.",
            hint='write [[models]], kind = "k-anonymity" and k = 5 below it.',
        )
    for model in plan.models:
        if not hasattr(model, "holds"):
            raise PlanError(
                "A model must be a table with a 'kind', or one of shoal's models.",
                hint='write [[models]], kind = "k-anonymity" and k = 5 below it.',
            )
    for model in plan.enforced:
        for column in model.reads:
            _check_read(plan, model, column)
            _check_named(plan, model, column)
        problem = model.needs({name: plan.columns[name] for name in model.reads})
        if problem:
            raise PlanError(problem, hint=f"`shoal explain {model.kind}` says more.")


def _check_read(plan: Plan, model: ClassModel, column: str) -> None:
    if column not in plan.columns:
        raise PlanError(
            f"Model '{model.kind}' names column '{column}', which is not in the plan.",
            hint=did_you_mean(column, plan.columns),
        )
    if plan.columns[column].role != "sensitive":
        raise PlanError(
            f"Model '{model.kind}' names column '{column}', whose role is '{plan.columns[column].role}'.",
            allowed="It must be sensitive.",
            hint='give it role = "sensitive", or name another column.',
        )


def _check_named(plan: Plan, model: ClassModel, column: str) -> None:
    """Values are compared as Shoal writes them: one that is written otherwise would not be guarded."""
    named = model.names_values
    if not named:
        return
    type_ = plan.columns[column].type or "text"
    try:
        values = typed(pl.Series(named, dtype=pl.String), type=type_, missing=plan.data.absent).values
    except TableError:
        raise PlanError(
            f"Model '{model.kind}' names values that column '{column}' cannot have: its type is '{type_}'.",
            hint="write them as they stand in the table, or leave out the type.",
        ) from None
    for value, text in zip(named, text_of(values).to_list(), strict=True):
        if text is None:
            raise PlanError(
                f"Model '{model.kind}' names {value!r} of column '{column}', which stands for a missing value.",
                hint="leave it out; missing_counts = true on the column lets missing values count.",
            )
        if text != value:
            raise PlanError(
                f"Model '{model.kind}' names {value!r} of column '{column}'; as '{type_}' that is written {text!r}.",
                hint=f"write {text!r}.",
            )


def _check_release(plan: Plan) -> None:
    kinds = [cls.kind for cls in forms.ALL]
    form = plan.release.form
    if form not in kinds:
        raise PlanError(
            f"There is no release form '{form}'.",
            allowed=f"Allowed: {', '.join(kinds)}.",
            hint=did_you_mean(form, kinds) or f'form = "{kinds[0]}" is the default.',
        )
    if not 0 <= plan.release.suppression <= 1:
        raise PlanError(
            f"suppression must be a share from 0 to 1; got {plan.release.suppression}.",
            hint="suppression = 0.05 lets one row in twenty be left out.",
        )
    algorithm: Algorithm = plan.algorithm
    if not hasattr(algorithm, "partition"):
        raise PlanError("The algorithm must be a table with a 'kind', or one of shoal's algorithms.")
    if form not in algorithm.forms:
        raise PlanError(
            f"Algorithm '{algorithm.kind}' cannot be released as '{form}'.",
            allowed=f"Allowed: {', '.join(algorithm.forms)}.",
        )
    _check_knowledge(plan)
    if algorithm.wants_target and len(plan.having("target")) != 1:
        raise PlanError(
            f"Algorithm '{algorithm.kind}' with this goal needs a column to be predicted; the plan has "
            f"{len(plan.having('target'))}.",
            allowed='Exactly one column needs role = "target".',
        )
    published = plan.having("quasi-identifier", "insensitive", "target")
    reason = next(cls for cls in forms.ALL if cls.kind == form)().refuses(plan.enforced, published)
    reason = reason or algorithm.refuses(plan.enforced, plan.release.suppression, plan.data.person is not None)
    if reason:
        raise PlanError(reason)


def _check_knowledge(plan: Plan) -> None:
    """Models of what intruders know go only with algorithms that enforce them, and with every row released."""
    for model in plan.enforced:
        if model.judges not in plan.algorithm.takes:
            able = [cls.kind for cls in algorithms.ALL if model.judges in cls.takes]
            raise PlanError(
                f"Algorithm '{plan.algorithm.kind}' cannot enforce '{model.kind}': it judges classes, and this model "
                f"judges what is known of some columns.",
                allowed=f"Allowed: {', '.join(able)}.",
            )
        if model.judges == "knowledge" and plan.release.suppression > 0:
            raise PlanError(
                f"Model '{model.kind}' cannot be combined with suppression: leaving rows out makes other combinations "
                "rarer.",
                hint="set suppression = 0 under [release].",
            )


# -- from and to TOML ---------------------------------------------------------------------------------------------


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
    if not isinstance(source, str) or "://" in source:
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
    """A whole number is a fine weight or share, though strict reading would refuse it."""
    return {
        key: float(value) if key in keys and isinstance(value, int) and not isinstance(value, bool) else value
        for key, value in table.items()
    }


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items() if item is not None}
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value
