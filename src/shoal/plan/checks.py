"""Checks of a plan that need no data: whether its parts fit each other."""

from __future__ import annotations

import datetime
import sys
from typing import TYPE_CHECKING, cast

from shoal import algorithms, forms, hierarchies, models
from shoal.algorithms.base import Algorithm
from shoal.errors import PlanError, did_you_mean
from shoal.forms.base import Form
from shoal.models.base import Setting
from shoal.models.items import ItemModel
from shoal.roles.columns import Bound, Column, Role

if TYPE_CHECKING:
    from shoal.plan.plan import Plan


def check(plan: Plan) -> None:
    """Raises if the parts of a plan do not fit each other."""
    _check_null_characters(plan)
    for name, column in plan.columns.items():
        _check_column(name, column)
    if plan.roles:  # all else follows once the columns of the table are known
        return
    _check_columns(plan)
    _check_missing_items(plan)
    _check_models(plan)
    _check_release(plan)
    _check_statistics(plan)


def _check_null_characters(plan: Plan) -> None:
    """Raises if a name has a null character: the names of Shoal's own columns begin with one, and paths have none."""
    named = {f"Column {place} of the plan": name for place, name in enumerate(plan.columns, start=1)}
    for what, name in {**named, "The person column": plan.data.person or ""}.items():
        if "\x00" in name:
            raise PlanError(f"{what} has a null character in its name.", hint="rename the column.")
    if "\x00" in (plan.data.source or ""):
        raise PlanError("The source has a null character.", hint="name an existing file or a database URL.")


def _check_columns(plan: Plan) -> None:
    if all(column.removed for column in plan.columns.values()) and plan.data.unlisted != "insensitive":
        raise PlanError(
            "The plan releases no column.",
            allowed="At least one column needs a role that is published.",
            hint="`shoal profile DATA` suggests roles.",
        )
    if not plan.quasi_identifiers and not forms.by_kind(plan.release.form).generalizes:
        raise PlanError(
            f"The form '{plan.release.form}' needs quasi-identifiers, which it links to the sensitive values.",
            hint='give a column role = "quasi-identifier", or use form = "generalized".',
        )
    person = plan.data.person
    if person in plan.columns and not plan.columns[person].removed:
        raise PlanError(
            f"The person column '{person}' has role '{plan.columns[person].role}'.",
            allowed="It must be removed from the release.",
            hint='give it role = "identifier"; it is not published.',
        )
    if person == "":
        raise PlanError("The person column has an empty name.", hint="omit person if every row is a person.")


def _check_missing_items(plan: Plan) -> None:
    """Raises if a text that means missing contains the separator of a set-valued column: its parts would be items."""
    for name, separator in plan.separators.items():
        for text in plan.data.missing:
            if separator in text.strip():
                raise PlanError(
                    f"The missing value {text!r} contains the separator {separator!r} of column '{name}'.",
                    hint=f"choose another separator with items = \"…\" for column '{name}', or another missing value.",
                )


def _check_column(name: str, column: Column) -> None:
    given = column.model_fields_set
    quasi_only = {"weight", "top", "bottom", "finest", "coarsest"} & given
    if quasi_only and column.role != "quasi-identifier":
        raise _misplaced(name, min(quasi_only), "a quasi-identifier")
    sensitive_only = {"protected", "missing_counts", "target"} & given
    if sensitive_only and column.role != "sensitive":
        raise _misplaced(name, min(sensitive_only), "a sensitive column")
    items_only = {"items", "knowledge", "knowledge_sha256", "publish_knowledge"} & given
    if items_only and column.role != "quasi-sensitive":
        raise _misplaced(name, min(items_only), "a quasi-sensitive column")
    if column.role == "quasi-sensitive":
        _check_items(name, column)
    if not 1e-6 <= column.weight <= 1e6:  # beyond, rounding errors would decide between recodings
        raise PlanError(
            f"The weight of column '{name}' must be a number from 0.000001 to 1,000,000; got {column.weight}.",
            hint="with weight = 2.0, its information loss counts twice.",
        )
    _check_bounds(name, column)
    check_levels(name, column)
    if column.hierarchy is not None and not hasattr(column.hierarchy, "build"):
        raise PlanError(
            f"The hierarchy of column '{name}' must be a table with a 'kind'.", hint='hierarchy = { kind = "prefix" }'
        )
    if column.hierarchy is not None and column.role not in ("quasi-identifier", "sensitive", "quasi-sensitive"):
        raise _misplaced(name, "hierarchy", "a quasi-identifier, a sensitive or a quasi-sensitive column")


_NOT_OF_ITEMS = (hierarchies.Intervals, hierarchies.Dates, hierarchies.Learned)
"""Hierarchies of numbers and dates, and those that are learned from the rows of a column."""


def _check_items(name: str, column: Column) -> None:
    """Raises if the items of a set-valued column cannot be told apart, or have a type, which no items have."""
    if len(column.separator) != 1:  # with more, the end of an item and a separator could read as another separator
        raise PlanError(
            f"The separator 'items' of column '{name}' must be one character; got {column.separator!r}.",
            hint='write items = ";". Blanks around items do not count.',
        )
    if column.type not in (None, "text"):
        raise PlanError(
            f"Column '{name}' has type '{column.type}', but is quasi-sensitive.",
            allowed="The items of a quasi-sensitive column are text.",
            hint="omit type.",
        )
    if isinstance(column.hierarchy, _NOT_OF_ITEMS):
        able = [each.kind for each in hierarchies.ALL if each not in _NOT_OF_ITEMS]
        raise PlanError(
            f"Column '{name}' is quasi-sensitive, and its hierarchy of kind '{column.hierarchy.kind}' is not of items.",
            allowed=f"Allowed: {', '.join(able)}.",
            hint="items are text, and their hierarchy must not be learned from the table.",
        )


def _misplaced(name: str, key: str, owner: str) -> PlanError:
    return PlanError(
        f"Column '{name}' has '{key}', which only {owner} can have.",
        hint=f"omit '{key}', or give the column another role.",
    )


def _check_bounds(name: str, column: Column) -> None:
    bounds = [bound for bound in (column.bottom, column.top) if bound is not None]
    if any(not isinstance(bound, datetime.date) and not abs(bound) <= sys.float_info.max for bound in bounds):
        raise PlanError(f"The top and bottom of column '{name}' must be finite.", hint="omit a bound without a limit.")
    if any(isinstance(bound, datetime.datetime) and bound.tzinfo is not None for bound in bounds):
        raise PlanError(
            f"The top and bottom of column '{name}' must have no time zone.", hint="write 2021-03-04 10:15:00."
        )
    kinds = sorted({_kind_of(bound) for bound in bounds})
    if len(kinds) > 1:
        raise PlanError(
            f"One bound of column '{name}' is a {kinds[0]} and the other a {kinds[1]}.",
            hint="write top and bottom as the same type.",
        )
    if len(bounds) == 2 and not bounds[0] < bounds[1]:  # type: ignore[operator]
        raise PlanError(f"The bottom of column '{name}' must be below its top.", hint="swap them, or omit one.")


def check_levels(name: str, column: Column) -> None:
    """Raises unless the levels and nodes that a column names are those of its hierarchy, whatever the table has."""
    _check_limits(name, column)
    _check_protected(name, column)


def _check_limits(name: str, column: Column) -> None:
    """Raises if the levels that may be published are none, or none that a plan can name."""
    highest = column.coarsest if column.coarsest is not None else max(column.finest, 0)
    if not 0 <= column.finest <= highest:
        raise PlanError(
            f"The finest level of column '{name}' is {column.finest}, and its coarsest {highest}.",
            allowed="Levels count from 0, the values themselves; finest must not be above coarsest.",
        )
    if column.limited:
        _require_fixed_levels(name, column, "'finest' or 'coarsest'")


def _check_protected(name: str, column: Column) -> None:
    """Raises if a column has protected nodes, and no hierarchy that has them whichever rows are released."""
    if column.protected and column.hierarchy is None:
        raise PlanError(
            f"Column '{name}' has 'protected', but no hierarchy whose nodes these could be.",
            hint='hierarchy = { kind = "icd10cm" }',
        )
    if column.protected:
        _require_fixed_levels(name, column, "'protected'")


def _require_fixed_levels(name: str, column: Column, keys: str) -> None:
    """Raises if the levels of a hierarchy, which these keys refer to, depend on the values of the table."""
    if isinstance(column.hierarchy, hierarchies.Learned):
        raise PlanError(
            f"Column '{name}' has {keys}, and a hierarchy that is learned from the table.",
            hint="give it a hierarchy whose levels do not depend on the table, such as intervals.",
        )
    if isinstance(column.hierarchy, hierarchies.Prefix) and column.hierarchy.steps is None:
        raise PlanError(
            f"Column '{name}' has {keys}, and prefixes whose levels depend on the longest value.",
            hint="set the lengths of the prefixes, such as steps = [4, 3, 2, 1].",
        )


def _kind_of(bound: Bound) -> str:
    if isinstance(bound, datetime.datetime):
        return "date-time"
    return "date" if isinstance(bound, datetime.date) else "number"


def _check_models(plan: Plan) -> None:
    if not plan.models:
        raise PlanError(
            "The plan has no model.",
            allowed=f"Allowed kinds: {', '.join(cls.kind for cls in models.ALL)}.",
            hint='write [[models]], and below it kind = "k-anonymity" and k = 5.',
        )
    for model in plan.models:
        if not hasattr(model, "holds"):
            raise PlanError(
                "A model must be a table with a 'kind', or one of Shoal's models.",
                hint='write [[models]], and below it kind = "k-anonymity" and k = 5.',
            )
    for model in plan.enforced:
        for column in model.reads:
            _check_read(plan, f"Model '{model.kind}'", column)
        for column in model.reads_items:
            _check_read(plan, f"Model '{model.kind}'", column, "quasi-sensitive")
        problem = model.needs({name: plan.columns[name] for name in (*model.reads, *model.reads_items)})
        if problem:
            raise PlanError(problem, hint=f"`shoal explain {model.kind}` describes the model.")
    _check_protected_items(plan)
    _check_removing(plan)


def _check_protected_items(plan: Plan) -> None:
    """Raises if no model protects a quasi-sensitive column, which would then be released as it is."""
    read = {name for model in plan.enforced for name in model.reads_items}
    for name in plan.quasi_sensitive:
        if name not in read:
            raise PlanError(
                f"Column '{name}' is quasi-sensitive, and no model of the plan protects it.",
                hint=f"add a model of its items: {_item_models()}. "
                'Otherwise give it role = "sensitive", or remove it with role = "drop".',
            )


def _item_models() -> str:
    """The models of items, those first that need no knowledge table."""
    reading = [cast(type[ItemModel], cls) for cls in models.ALL if cls.removes_items]
    own = " or ".join(f"'{cls.kind}'" for cls in reading if not cls.looks_up)
    looking = " or ".join(f"'{cls.kind}'" for cls in reading if cls.looks_up)
    return f"{own}, or with a knowledge table {looking}"


def _check_removing(plan: Plan) -> None:
    """Raises if items would have to be removed for several models of a column, or in some rows only."""
    columns = [model.column for model in plan.removing]
    if repeated := [name for name in columns if columns.count(name) > 1]:
        raise PlanError(
            f"Column '{repeated[0]}' has several models for which items are removed.",
            allowed="A quasi-sensitive column has one of them: removing items for one may break another.",
            hint="keep one; `shoal explain MODEL` states what each of them promises.",
        )
    if columns and plan.algorithm.scope is not None:
        raise PlanError(
            f"Algorithm '{plan.algorithm.kind}' publishes some rows exactly, and with all items of '{columns[0]}'.",
            hint='use another algorithm, or remove the column with role = "drop".',
        )


def _check_read(plan: Plan, who: str, column: str, role: Role = "sensitive") -> None:
    if column not in plan.columns:
        raise PlanError(
            f"{who} names column '{column}', which is not in the plan.",
            hint=did_you_mean(column, plan.columns),
        )
    if plan.columns[column].role != role:
        raise PlanError(
            f"{who} names column '{column}', whose role is '{plan.columns[column].role}'.",
            allowed=f"The column must be {role}.",
            hint=f'give it role = "{role}", or name another column.',
        )


def _check_statistics(plan: Plan) -> None:
    """Raises if a statistic names a column that is not released, or whose cells are sets."""
    for statistic in plan.statistics:
        if not hasattr(statistic, "compared"):
            raise PlanError(
                "A statistic must be a table with a 'kind', or one of Shoal's statistics.",
                hint='write [[statistics]], and below it kind = "correlation" and columns = ["age", "cost"].',
            )
        who = f"The statistic '{statistic.kind}'"
        for name in statistic.columns:
            column = plan.columns.get(name)
            if column is None and (plan.data.unlisted != "insensitive" or name == plan.data.person):
                hint = did_you_mean(name, plan.columns)
                raise PlanError(f"{who} names column '{name}', which is not in the plan.", hint=hint)
            if column is not None and (column.removed or column.role == "quasi-sensitive"):
                raise PlanError(
                    f"{who} names column '{name}', whose role is '{column.role}'.",
                    allowed="It compares columns that are released, and whose cells are no sets.",
                    hint="name another column.",
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
            hint="with suppression = 0.05, up to one row in twenty may be suppressed.",
        )
    if plan.seed < 0:
        raise PlanError(f"The seed must be an integer of at least 0; got {plan.seed}.", hint="omit it to use 0.")
    _check_algorithm(plan)
    _check_setting(plan)


def _check_algorithm(plan: Plan) -> None:
    algorithm: Algorithm = plan.algorithm
    if not hasattr(algorithm, "forms"):  # a text has a method `partition`
        raise PlanError("The algorithm must be a table with a 'kind', or one of Shoal's algorithms.")
    if plan.release.form not in algorithm.forms:
        raise PlanError(
            f"Algorithm '{algorithm.kind}' does not support the release form '{plan.release.form}'.",
            allowed=f"Allowed: {', '.join(algorithm.forms)}.",
        )
    if algorithm.wants_target and len(plan.targets) != 1:
        raise PlanError(
            f"Algorithm '{algorithm.kind}' as set needs a target column; the plan has {len(plan.targets)}.",
            allowed='Exactly one column needs role = "target", or role = "sensitive" and target = true.',
            hint=f"name the column to be predicted; '{algorithm.kind}' with its default settings needs none.",
        )
    if algorithm.scope is not None:
        _check_read(plan, f"Algorithm '{algorithm.kind}'", algorithm.scope.column)
    if reason := algorithm.refuses_ranges(plan.release.ranges):
        raise PlanError(f"Algorithm '{algorithm.kind}' cannot publish these ranges: {reason}")


def _check_setting(plan: Plan) -> None:
    """Raises if models, algorithm and form cannot be combined."""
    form, suppression = forms.by_kind(plan.release.form), plan.release.suppression
    if plan.quasi_sensitive and not form.generalizes:
        raise PlanError(
            f"Column '{plan.quasi_sensitive[0]}' is quasi-sensitive, but the form '{form.kind}' publishes exact "
            "quasi-identifiers beside its items.",
            hint='use form = "generalized", or remove the column with role = "drop".',
        )
    for model in plan.enforced:
        if reason := model.refuses(_setting(plan.algorithm, form, plan)):
            able = [cls.kind for cls in algorithms.ALL if not model.refuses(_setting(cls, form, plan))]
            raise PlanError(reason, allowed=f"Allowed: {', '.join(able)}." if able else "")
    fine = next((name for name, column in plan.columns.items() if column.finest > 0), None)
    if fine is not None and not plan.searched:
        raise PlanError(
            f"Column '{fine}' has 'finest', but without a model of classes, quasi-identifiers are published unchanged.",
            hint="omit it, or add a model such as k-anonymity.",
        )
    if fine is not None and (not form.generalizes or plan.scope is not None):
        by = f"the algorithm '{plan.algorithm.kind}'" if form.generalizes else f"the form '{form.kind}'"
        raise PlanError(
            f"Column '{fine}' has 'finest', but {by} publishes quasi-identifiers unchanged.",
            hint="omit it, or use another algorithm." if form.generalizes else 'omit it, or use form = "generalized".',
        )
    published = plan.having("quasi-identifier", "insensitive", "target")
    reason = form.refuses(plan.enforced, published)
    reason = reason or plan.algorithm.refuses(plan.searched, suppression, plan.data.person is not None)
    if reason:
        raise PlanError(reason)


def _setting(algorithm: Algorithm | type[Algorithm], form: Form, plan: Plan) -> Setting:
    return Setting(
        algorithm=algorithm.kind,
        judges_tables=algorithm.judges_tables,
        form=form.kind,
        generalizes=form.generalizes,
        suppression=plan.release.suppression,
        persons=plan.data.person is not None,
    )
