"""Fitting a table to its plan: checks columns and roles, drops rows with missing values, and codes the table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace

import polars as pl

from shoal.arrays import Flags, Int32, Int64
from shoal.coded.coding import Publishing, code_items, code_quasi, code_sensitive, describe_target, with_tree
from shoal.coded.counted import Coded, Counted, reference_counts
from shoal.coded.domains import ItemDomain, SensitiveDomain, TargetDomain
from shoal.counts import counted
from shoal.engines.base import Engine
from shoal.errors import CannotBeMet, PlanError, TableError, did_you_mean
from shoal.hierarchies.base import text_of
from shoal.plan import Plan
from shoal.roles.knowledge import Knowledge, load_knowledge
from shoal.table import typed
from shoal.table.header import HINT, may_be_absent
from shoal.table.stats import check_columns


@dataclass(frozen=True)
class Fitted:
    """A table that fits its plan: the engine with its rows, the coded table, and the number of input rows.

    `quasi_codes`: quasi-identifier → int32, the code of each of its distinct raw values. `set_codes`: the same of
    set-valued columns.
    """

    engine: Engine
    coded: Coded
    rows_in: int
    quasi_codes: Mapping[str, Int32]
    set_codes: Mapping[str, Int32] = field(default_factory=dict)

    @property
    def dropped(self) -> int:
        """The number of rows that were dropped because of a missing value."""
        return self.coded.counted.rows_dropped

    def exact_text(self, name: str) -> pl.Series:
        """The text of each distinct raw value of a quasi-identifier, after top and bottom coding."""
        domain = next(domain for domain in self.coded.quasi if domain.name == name)
        return pl.Series(name, domain.texts, dtype=pl.String).gather(self.quasi_codes[name])

    def set_text(self, name: str) -> pl.Series:
        """The canonical text of each distinct raw value of a set-valued column, null if the set is empty."""
        return self.coded.items[name].texts.gather(self.set_codes[name])


def fit(engine: Engine, plan: Plan) -> Fitted:
    """The coded table, without the rows that the plan drops; a column without a role is an error."""
    require_columns(engine.columns, plan)
    rows_in = engine.rows
    if plan.data.missing_rows == "drop":
        engine = _without_missing_rows(engine, plan)
    _require_persons(engine, plan)
    coded, codes = _coded(engine, plan, rows_in - engine.rows)
    _require_named_values(coded, plan)
    quasi_codes = {name: codes[name] for name in coded.names}
    return Fitted(engine, coded, rows_in, quasi_codes, {name: codes[name] for name in coded.items})


def require_columns(columns: Sequence[str], plan: Plan) -> None:
    """Raises unless the table has every column of the plan, and the plan every column of the table.

    `unlisted` in the plan allows columns that the plan does not list.
    """
    listed = [*plan.columns, *([plan.data.person] if plan.data.person else [])]
    present, nameless = set(columns), may_be_absent(columns)
    for name in listed:
        if name not in present:
            hint = f"{HINT}." if nameless else did_you_mean(name, columns)
            raise PlanError(f"Column '{name}' is not in the table.", hint=hint)
    unlisted = sorted(present - set(listed))
    if unlisted and plan.data.unlisted == "error":
        more = f" and {len(unlisted) - 1} more" if len(unlisted) > 1 else ""
        first = f"{columns.index(unlisted[0]) + 1}" if nameless else f"'{unlisted[0]}'"
        raise PlanError(
            f"Column {first}{more} of the table has no role in the plan.",
            allowed="Every column needs a role.",
            hint='add a role, or set unlisted = "drop" under [data].',
        )
    check_columns(published_columns(columns, plan), plan.release.format)


def published_columns(columns: Sequence[str], plan: Plan) -> tuple[str, ...]:
    """The published columns, in the order of the table."""
    return tuple(name for name in columns if _is_published(name, plan))


def _is_published(name: str, plan: Plan) -> bool:
    if name == plan.data.person:
        return False
    column = plan.columns.get(name)
    return plan.data.unlisted == "insensitive" if column is None else not column.removed


def sensitive_text(engine: Engine, name: str, plan: Plan) -> pl.Series:
    """The canonical text of each distinct raw value of a sensitive column, null if missing.

    Equal values have equal text, so that verification and search count the same values.
    """
    settings = plan.columns[name]
    values = engine.distinct(name).values
    type_, data = settings.type or "text", plan.data
    return text_of(typed(values, type=type_, missing=data.absent, notation=data.notation).values).alias(name)


def _require_named_values(coded: Coded, plan: Plan) -> None:
    """Raises if a model is limited to values of which the table has none: it would protect nobody.

    If rows may be suppressed, this is a private warning instead: a release that contains none of the values would
    otherwise disclose that a suppressed row has one.
    """
    if plan.scope is not None and not len(coded.in_scope.counted):
        raise PlanError(
            f"No row has one of the high values of column '{plan.scope.column}', so there is nothing to protect.",
            allowed='Texts are compared literally; with type = "integer" or "real", numbers by value.',
            hint="check the spelling of the values.",
        )
    if plan.release.suppression > 0:
        return
    for model in plan.enforced:
        named = set(model.names_values)
        for name in model.reads if named else ():
            if named.isdisjoint(coded.sensitive[name].labels):
                values = counted(len(named), "value", "values")
                raise PlanError(
                    f"Model '{model.kind}' names {values} of column '{name}', none of which occurs in the table.",
                    allowed='Texts are compared literally; with type = "integer" or "real", numbers by value.',
                    hint="check the spelling of the values, or remove the model.",
                )


# -- missing values and persons -----------------------------------------------------------------------------------


def _missing(engine: Engine, name: str, plan: Plan) -> Flags:
    """bool [distinct values]: which of them represent a missing value."""
    values = engine.distinct(name).values
    flags: Flags = typed(values, type="text", missing=plan.data.absent).values.is_null().to_numpy()
    return flags


def _without_missing_rows(engine: Engine, plan: Plan) -> Engine:
    """The rows without a missing quasi-identifier, sensitive value or person."""
    names = (*plan.quasi_identifiers, *plan.sensitive, *([plan.data.person] if plan.data.person else []))
    kept = engine.without({name: _missing(engine, name, plan) for name in names})
    if not kept.rows:
        raise CannotBeMet(
            "Every row has a missing value, and the plan drops such rows.", hint='set missing_rows = "keep".'
        )
    return kept


def _require_persons(engine: Engine, plan: Plan) -> None:
    """Raises if a row has no person: unknown persons may be one or many, so they cannot be counted."""
    person = plan.data.person
    unknown = 0 if person is None else int(engine.distinct(person).counts[_missing(engine, person, plan)].sum())
    if unknown:
        raise TableError(
            f"The person column '{person}' is missing in {unknown} of {engine.rows} rows.",
            allowed="Every row needs a person.",
            hint='fill in the missing values, or set missing_rows = "drop" under [data].',
        )


def persons_of(engine: Engine, plan: Plan) -> int | None:
    """The number of persons in the table; None if the plan counts rows."""
    return None if plan.data.person is None else int((~_missing(engine, plan.data.person, plan)).sum())


# -- coding -------------------------------------------------------------------------------------------------------


def _coded(engine: Engine, plan: Plan, dropped: int) -> tuple[Coded, Mapping[str, Int32]]:
    """The coded table, and column → int32, the code of each of its distinct raw values.

    Its distinct rows are those of quasi-identifiers, columns of models, target and persons.

    Quasi-identifiers are in the order of the table, so that their order in the plan does not change the result.
    """
    absent, notation, target = plan.data.absent, plan.data.notation, plan.guide
    publishing = Publishing(plan.release.categories, plan.release.ranges, plan.algorithm.recodes_by_level)
    identifying = set(plan.quasi_identifiers)
    names = [name for name in engine.columns if name in identifying]
    with ThreadPoolExecutor(pl.thread_pool_size()) as pool:
        quasi = [
            pool.submit(
                lambda name: code_quasi(engine.distinct(name), plan.columns[name], absent, publishing, notation), name
            )
            for name in names
        ]
        sensitive = [
            pool.submit(lambda name: code_sensitive(engine.distinct(name), plan.columns[name], absent, notation), name)
            for name in dict.fromkeys((*plan.reads, *([] if target is None else [target])))
        ]
        domains = {name: each.result() for name, each in zip(names, quasi, strict=True)}
        read = [each.result() for each in sensitive]
    sets = {name: _sets(engine, name, plan) for name in plan.quasi_sensitive}
    of_values = {name: codes for name, (_, codes) in domains.items()} | {domain.name: codes for domain, codes in read}
    of_values |= {name: codes for name, (_, codes) in sets.items()}
    codes, weight = engine.count(of_values, plan.data.person)
    counted = _counted(codes, weight, len(names), plan, dropped, {domain.name: domain.size for domain, _ in read})
    described = {domain.name: domain for domain, _ in read if domain.name in plan.reads}
    coded = Coded(
        quasi=tuple(domain for domain, _ in domains.values()),
        sensitive=described,
        counted=replace(counted, covered=_covered(counted, described, plan)),
        items={name: domain for name, (domain, _) in sets.items()},
        target=_target(engine, plan, read),
    )
    return coded, of_values


def _sets(engine: Engine, name: str, plan: Plan) -> tuple[ItemDomain, Int32]:
    """The domain of a set-valued column with its knowledge table and its hierarchy, and the set of each raw value."""
    settings = plan.columns[name]
    domain, codes = code_items(engine.distinct(name), settings, plan.data.absent)
    if name in plan.looked_up:
        domain = replace(domain, knowledge=load_knowledge(name, settings, plan.data.absent))
    return (domain if settings.hierarchy is None else with_tree(domain, plan.data.absent)), codes


def with_hashes(plan: Plan, knowledge: Mapping[str, Knowledge]) -> Plan:
    """The plan with the hashes of the knowledge tables that were read."""
    if not knowledge:
        return plan
    hashed = {
        name: plan.columns[name].model_copy(update={"knowledge_sha256": each.sha256})
        for name, each in knowledge.items()
    }
    return plan.changed(columns={**plan.columns, **hashed})


def _covered(counted: Counted, sensitive: Mapping[str, SensitiveDomain], plan: Plan) -> Flags | None:
    """bool [d]: the distinct rows that the promises cover; None for all."""
    scope = plan.scope
    if scope is None:
        return None
    labels = pl.Series([label or None for label in sensitive[scope.column].labels], dtype=pl.String)
    covers: Flags = scope.covers(labels).to_numpy()[counted.sensitive[scope.column]]
    return covers


def _target(engine: Engine, plan: Plan, read: Sequence[tuple[SensitiveDomain, Int32]]) -> TargetDomain | None:
    """The target that guides the search, among the columns that were read."""
    for domain, codes in read:
        if domain.name == plan.guide:
            settings, absent = plan.columns[domain.name], plan.data.absent
            return describe_target(engine.distinct(domain.name), settings, absent, domain, codes, plan.data.notation)
    return None


def _counted(codes: Int32, weight: Int64, quasi: int, plan: Plan, dropped: int, sizes: Mapping[str, int]) -> Counted:
    """The counted columns by role: quasi-identifiers first, then the columns of `sizes`, then sets, then the person."""
    person = None if plan.data.person is None else codes[-1]
    others = dict(zip(sizes, codes[quasi:], strict=False))
    sets = dict(zip(plan.quasi_sensitive, codes[quasi + len(sizes) :], strict=False))
    target = None if plan.guide is None else others[plan.guide]
    others = {name: others[name] for name in plan.reads}
    reference = {name: reference_counts(column, sizes[name], weight, person) for name, column in others.items()}
    return Counted(codes[:quasi], weight, others, sets, person, target, reference, dropped)
