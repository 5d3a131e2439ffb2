"""The knowledge tables by which a release is verified: published with it, given by the reader, or named in the plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from shoal.counts import some_of
from shoal.errors import KnowledgeNeeded, TableError, did_you_mean
from shoal.plan import Plan
from shoal.roles.knowledge import Knowledge, read_knowledge
from shoal.table import file_name

KnowledgeFiles = str | Path | Sequence[str | Path] | Mapping[str, str | Path]
"""One file, several as `FILE` or `COLUMN=FILE`, or column → file."""


def knowledge_path(column: str) -> str:
    """The path of a column's knowledge table inside the folder of a release, if it is published."""
    return f"knowledge/{file_name(column)}.csv"


def published_knowledge(plan: Plan) -> tuple[str, ...]:
    """The columns whose knowledge tables are published."""
    return tuple(name for name in plan.looked_up if plan.columns[name].publish_knowledge)


def unpublished_knowledge(plan: Plan) -> tuple[str, ...]:
    """The columns whose knowledge tables verification needs, and which a release does not contain."""
    return tuple(name for name in plan.looked_up if not plan.columns[name].publish_knowledge)


def named_files(plan: Plan, given: KnowledgeFiles) -> dict[str, Path]:
    """Column → file, given as `FILE` or, if several columns need one, as `COLUMN=FILE` or column → file."""
    if isinstance(given, Mapping):
        return _of_columns(plan, given)
    named: dict[str, Path] = {}
    for word in [str(given)] if isinstance(given, str | Path) else map(str, given):
        column, equals, path = word.partition("=")
        if equals and column in plan.looked_up:
            named[column] = Path(path)
        elif equals and (column in plan.columns or (not Path(word).exists() and Path(path).exists())):
            raise _not_looked_up(plan, column)
        elif len(plan.looked_up) == 1:
            named[plan.looked_up[0]] = Path(word)
        else:
            raise KnowledgeNeeded(
                f"The knowledge table '{word}' is given without the column to which it belongs.",
                allowed=_allowed(plan),
                hint="write --knowledge COLUMN=FILE.",
            )
    return named


def _of_columns(plan: Plan, given: Mapping[str, str | Path]) -> dict[str, Path]:
    for column in given:
        if column not in plan.looked_up:
            raise _not_looked_up(plan, column)
    return {column: Path(path) for column, path in given.items()}


def _not_looked_up(plan: Plan, column: str) -> KnowledgeNeeded:
    """The error about a knowledge table that is given for a column that has none."""
    fact = f"no promise about column '{column}' uses a knowledge table."
    return KnowledgeNeeded(
        f"A knowledge table is given, but {fact}" if column in plan.columns else f"There is no column '{column}'.",
        allowed=_allowed(plan),
        hint=did_you_mean(column, plan.looked_up) or "write --knowledge COLUMN=FILE.",
    )


def _allowed(plan: Plan) -> str:
    return f"The columns with a knowledge table are: {some_of(plan.looked_up) or 'none'}."


def gathered(plan: Plan, given: Mapping[str, Path]) -> dict[str, Knowledge]:
    """Column → its knowledge table: the file given for it, or else the one that the plan names.

    Raises KnowledgeNeeded if there is none, or if it cannot be read.
    """
    files = {name: given.get(name, plan.columns[name].knowledge) for name in plan.looked_up}
    lacking = [name for name, path in files.items() if path is None]
    if lacking:
        raise KnowledgeNeeded(
            f"The release was made with a knowledge table for {some_of(lacking)}, which it does not contain.",
            allowed="Its promises can be verified only with this table; the plan of the release has its hash.",
            hint=f"name the file: --knowledge {'FILE' if len(plan.looked_up) == 1 else f'{lacking[0]}=FILE'}.",
        )
    try:
        return {name: _read(plan, name, str(path)) for name, path in files.items()}
    except TableError as error:
        raise KnowledgeNeeded(error.fact, allowed=error.allowed, hint=error.hint) from None


def _read(plan: Plan, name: str, path: str) -> Knowledge:
    column = plan.columns[name]
    return read_knowledge(path, column.separator, missing=plan.data.absent, sha256=column.knowledge_sha256)


def knowledge_problems(own: Plan, tables: Mapping[str, Knowledge]) -> list[str]:
    """Knowledge tables that are not those whose hashes the plan of the release has."""
    return [
        f"The knowledge table of column '{name}' is not the one with which the release was made: its hash differs."
        for name, knowledge in tables.items()
        if name not in own.columns or own.columns[name].knowledge_sha256 != knowledge.sha256
    ]
