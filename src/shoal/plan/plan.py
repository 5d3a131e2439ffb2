"""Plan: the frozen description of a release, shared by Python, TOML, the command line and the studio.

All checks that need no data run when a Plan is constructed, so every Plan is consistent.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, cast

from pydantic import AfterValidator, BeforeValidator

from shoal import algorithms, models
from shoal.algorithms import Mondrian
from shoal.counts import each_once
from shoal.errors import PlanError
from shoal.models.base import ClassModel
from shoal.models.items import ItemModel, LinkingModel
from shoal.plan.checks import check
from shoal.plan.engine import EngineSettings
from shoal.plan.patterns import matched
from shoal.plan.release import ReleaseSettings
from shoal.plan.thresholds import RiskSettings
from shoal.plan.values import as_compared, scope_as_compared
from shoal.roles import spec
from shoal.roles.columns import Column, Data, Part, Role, family
from shoal.roles.scope import Scope
from shoal.statistics import ALL as STATISTICS


def _frozen_lists(roles: Any) -> Any:
    """The names of every role as a tuple, which strict validation requires."""
    if not isinstance(roles, dict):
        return roles
    return {role: tuple(names) if isinstance(names, list) else names for role, names in roles.items()}


def _of_kind(algorithm: Any) -> Any:
    """An algorithm with its defaults, if only its kind is given."""
    return {"kind": algorithm} if isinstance(algorithm, str) else algorithm


def _listed(given: Any) -> Any:
    """The models; raises if they are not a list, or if one of them is only the name of a kind."""
    if isinstance(given, str) or hasattr(given, "holds"):
        raise PlanError("The models must be a list.", hint="write models=[KAnonymity(k=5)].")
    for kind in given if isinstance(given, list | tuple) else ():
        if isinstance(kind, str):
            cls = spec.member(models.ALL, "model", kind)
            raise PlanError(
                f"The model '{kind}' is given without its parameters.",
                hint=f'write {cls.__name__}(…) in Python, or [[models]] and below it kind = "{kind}" in a plan file.',
            )
    return given


def _requests(given: Any) -> Any:
    """The statistics; raises if they are not a list of them."""
    if not isinstance(given, list | tuple) or any(isinstance(each, str) for each in given):
        raise PlanError("The statistics must be a list.", hint='write statistics=[Correlation(("age", "cost"))].')
    return given


class Plan(Part):
    """Columns and roles, models, algorithm and form of one release.

    >>> columns = {"age": Column(role="quasi-identifier"), "sex": Column(role="sensitive")}
    >>> plan = Plan(columns=columns, models=[models.KAnonymity(k=5)])
    >>> plan.quasi_identifiers, plan.sensitive
    (('age',), ('sex',))
    """

    data: Data = Data()
    roles: Annotated[dict[Role, tuple[str, ...]], BeforeValidator(_frozen_lists)] = {}
    columns: dict[str, Column] = {}
    models: Annotated[
        Sequence[Annotated[Any, *family(models.ALL, "model")]], AfterValidator(tuple), BeforeValidator(_listed)
    ]
    algorithm: Annotated[Any, *family(algorithms.ALL, "algorithm"), BeforeValidator(_of_kind)] = Mondrian()
    seed: int = 0
    engine: EngineSettings = EngineSettings()
    release: ReleaseSettings = ReleaseSettings()
    risk: RiskSettings = RiskSettings()
    statistics: Annotated[
        Sequence[Annotated[Any, *family(STATISTICS, "statistic")]],
        AfterValidator(tuple),
        BeforeValidator(_requests),
    ] = ()

    def model_post_init(self, _context: Any, /) -> None:
        check(self)

    @property
    def quasi_identifiers(self) -> tuple[str, ...]:
        return self.having("quasi-identifier")

    @property
    def sensitive(self) -> tuple[str, ...]:
        return self.having("sensitive")

    @property
    def quasi_sensitive(self) -> tuple[str, ...]:
        return self.having("quasi-sensitive")

    @property
    def separators(self) -> dict[str, str]:
        """Set-valued column → the separator between the items of its cells."""
        return {name: self.columns[name].separator for name in self.quasi_sensitive}

    def having(self, *roles: Role) -> tuple[str, ...]:
        """The columns with one of these roles, in the order of the plan."""
        return tuple(name for name, column in self.columns.items() if column.role in roles)

    @property
    def enforced(self) -> tuple[ClassModel, ...]:
        """The models with their columns; a model of several columns that names none covers all sensitive ones.

        The values that a model names are written as their column writes them.
        """
        resolved = [model.resolved(self.sensitive) for model in self.models]
        return tuple(as_compared(model, self.columns, self.data) for model in resolved)

    @property
    def searched(self) -> tuple[ClassModel, ...]:
        """The models that the search enforces: all but those for which items are removed after it."""
        return tuple(model for model in self.enforced if not model.removes_items)

    @property
    def removing(self) -> tuple[ItemModel, ...]:
        """The models for which items are removed or generalized after the search."""
        return tuple(cast(ItemModel, model) for model in self.enforced if model.removes_items)

    @property
    def linking(self) -> tuple[LinkingModel, ...]:
        """Those of them that look items up in a knowledge table."""
        return tuple(cast(LinkingModel, model) for model in self.removing if model.looks_up)

    @property
    def scope(self) -> Scope | None:
        """The rows that the promises cover, if not all; its values are written as their column writes them."""
        scope: Scope | None = self.algorithm.scope
        return None if scope is None else scope_as_compared(scope, self.columns, self.data)

    @property
    def guarded(self) -> tuple[str, ...]:
        """The sensitive columns that the models cover, in the order of the plan."""
        covered = {column for model in self.enforced for column in model.reads}
        return tuple(column for column in self.sensitive if column in covered)

    @property
    def reads(self) -> tuple[str, ...]:
        """The sensitive columns that the promises depend on: those that models cover, and that of the scope."""
        scope = self.algorithm.scope
        read = {*self.guarded, *([] if scope is None else [scope.column])}
        return tuple(column for column in self.sensitive if column in read)

    @property
    def reads_trees(self) -> tuple[str, ...]:
        """The sensitive columns whose hierarchies are used by a promise and needed to verify a release."""
        used = {column for model in self.enforced for column in model.reads_trees}
        return tuple(column for column in self.reads if column in used and self.columns[column].hierarchy is not None)

    @property
    def looked_up(self) -> tuple[str, ...]:
        """The quasi-sensitive columns whose items a promise looks up in a knowledge table."""
        used = {model.column for model in self.linking}
        return tuple(column for column in self.quasi_sensitive if column in used)

    @property
    def reads_input_sets(self) -> tuple[str, ...]:
        """The quasi-sensitive columns of which a promise is also about the sets in the input."""
        used = {column for model in self.enforced if model.reads_input for column in model.reads_items}
        return tuple(column for column in self.quasi_sensitive if column in used)

    @property
    def targets(self) -> tuple[str, ...]:
        """The columns to be predicted: those that have no other role, and sensitive ones that are targets as well."""
        return tuple(name for name, column in self.columns.items() if column.role == "target" or column.target)

    @property
    def guide(self) -> str | None:
        """The target column, if it guides the search of the algorithm."""
        return self.targets[0] if self.algorithm.wants_target else None

    def for_table(self, columns: Sequence[str], *, complete: bool = True) -> Plan:
        """The plan for a table with these columns, of which those named under `roles` are listed.

        A table that is not `complete`, such as a released one, need not have all of them.
        """
        if not self.roles:
            return self
        return self.changed(columns=matched(self.roles, self.columns, columns, complete=complete), roles={})

    def listing(self, released: Sequence[str]) -> Plan:
        """The plan with every released column listed by name, if it releases columns that it does not list."""
        if self.data.unlisted != "insensitive":
            return self
        unlisted = [name for name in released if name not in self.columns and name != self.data.person]
        return self.changed(columns={**self.columns, **{name: Column(role="insensitive") for name in unlisted}})

    def to_toml(self) -> str:
        """The plan as TOML, without default values."""
        from shoal.plan.toml import dumped

        return dumped(self)

    def changed(self, **parts: Any) -> Plan:
        """A copy of the plan with some parts replaced; it is checked again."""
        return Plan(**{name: parts.get(name, getattr(self, name)) for name in type(self).model_fields})

    def __repr__(self) -> str:
        kinds = each_once(model.kind for model in self.models)
        identifying, sensitive = len(self.quasi_identifiers), len(self.sensitive)
        return (
            f"Plan({len(self.columns)} column{'s' * (len(self.columns) != 1)}: "
            f"{identifying} quasi-identifier{'s' * (identifying != 1)}, {sensitive} sensitive; "
            f"{kinds}; {self.algorithm.kind})"
        )

    __str__ = __repr__
