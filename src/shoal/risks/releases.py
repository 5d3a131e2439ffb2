"""The risk of published releases: of one folder, and of two that describe the same people."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from shoal.counts import some_of
from shoal.errors import KnowledgeNeeded, PlanError, PromiseBroken, ShoalError, TableError, did_you_mean
from shoal.forms.generalized import RELEASE
from shoal.manifest import MANIFEST, STEWARD
from shoal.plan import Plan, RiskSettings, read_plan
from shoal.progress import Progress, silent
from shoal.risks import ALL
from shoal.risks.base import Figures
from shoal.risks.classes import with_persons
from shoal.risks.counting import COUNTED, counted_table, engine_for
from shoal.risks.measuring import Risk, Settings, exceeded, risk_of_tables
from shoal.risks.overlap import readable_hierarchy
from shoal.risks.prosecutor import Prosecutor
from shoal.roles.columns import Data
from shoal.roles.knowledge import load_knowledge
from shoal.table import Runs, is_url, read
from shoal.verification.folder import PLAN, own_plan, private_folder
from shoal.verification.knowledge import named_files
from shoal.verification.reading import read_runs, sha256
from shoal.verifying import opened_reader

_SAME_SOURCE = (
    "Both releases were made from the same table. Whoever has both learns more about an individual than each of them "
    "promises: their models hold for each release alone."
)
_MAYBE_SAME = (
    "Whether both releases were made from the same table is not known: the private folder of at least one of them is "
    "not beside it."
)
_PRIVATE_THRESHOLDS = (
    "The thresholds are those of the private plan beside the release; roles and models are those of the published plan."
)
_ROWS = (
    "The plan counts individuals, but a release does not show which rows belong to the same one: these figures count "
    "rows, and the risk of an individual can be higher. {private}"
)
_PROSECUTOR_ONLY = "Only the prosecutor risk counts individuals: it is that of the private folder."
_REPORTED = "The report in the private folder of the release counts individuals."
_IN_ROWS = "The plan counts individuals, and only rows can be counted here."
_CHECKED = (
    "The attacks that can use the raw table know its quasi-identifiers; their success is checked against the raw table."
)
_OTHER_RAW = (
    "The raw table is not the file from which the release was made, so that the success of attacks may be wrong. The "
    "private folder of the release states another hash."
)
_NOT_INTERSECTED = (
    "Intersection was not tried, because one of the releases is an anatomy: what both reveal is not known."
)


@dataclass(frozen=True)
class Together:
    """What two releases reveal together: the risk of the new one, attacked by whoever has the old one.

    `same_source`: whether both were made from the same table; None if a private folder is missing.
    """

    risk: Risk
    same_source: bool | None
    is_intersected: bool = True
    """Whether the classes of both could be intersected: not those of an anatomy."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """What must be known before the second release is published."""
        own = {True: (_SAME_SOURCE,), None: (_MAYBE_SAME,), False: ()}[self.same_source]
        return (*own, *(() if self.is_intersected else (_NOT_INTERSECTED,)), *self.risk.warnings)

    def to_json(self) -> dict[str, Any]:
        """The risk as JSON values, and whether both releases have the same source."""
        return {**self.risk.to_json(), "same_source": self.same_source, "warnings": list(self.warnings)}


def is_release(path: Path) -> bool:
    """Whether a path is the folder of a release."""
    return path.is_dir() and (path / MANIFEST).is_file()


def _looks_released(path: Path) -> bool:
    """Whether a folder is, or may have been, that of a release, and not a table in several files."""
    return any((path / name).exists() for name in (MANIFEST, PLAN))


class Source(NamedTuple):
    """The tables of a table file or of a release, and the plan with their roles, models and thresholds.

    `folder`: that of the release, None for a table file. `raw`: the input of the release, if the steward gives it.
    `counted`: whether an engine counted the rows, so that their order is not known. `persons`: the person of each
    released row, which only the steward knows while the release is made.
    """

    tables: Mapping[str, Runs]
    plan: Plan
    notes: tuple[str, ...] = ()
    folder: Path | None = None
    raw: pl.DataFrame | None = None
    warnings: tuple[str, ...] = ()
    counted: bool = False
    persons: pl.Series | None = None

    @property
    def main(self) -> Runs:
        return next(iter(self.tables.values()))

    def risk(self, settings: Settings, progress: Progress = silent) -> Risk:
        """The risk of these tables."""
        settings = replace(settings, raw=self.raw, counted=self.counted)
        found = risk_of_tables(self._with_persons(), self.plan, settings, progress=progress)
        if self.folder is not None and self.plan.data.person is not None and not found.individuals:
            found = _in_individuals(found, individual_figures(self.folder))
        return replace(found, notes=(*found.notes, *self.notes), warnings=(*found.warnings, *self.warnings))

    def _with_persons(self) -> Mapping[str, Runs]:
        """The tables; the main one with the column of persons, if they are known."""
        name = next(iter(self.tables))
        return {**self.tables, name: with_persons(self.main, self.persons, self.plan)}

    def checked_with(self, path: str | Path) -> Source:
        """The same, with the raw table from which the release was made: attacks are checked against it."""
        if self.folder is None:
            raise TableError(
                "A raw table is given, but the table to be measured is not the folder of a release.",
                hint="--raw is the input of a release; name the folder of the release first.",
            )
        _require_there(path, "file")
        raw = _read(path, self.plan.data)
        self._require_columns(raw)
        for name in self.plan.quasi_identifiers:
            readable_hierarchy(self.plan, name)  # attacks compare raw values with labels
        stated = _input_hash(self.folder)
        other = stated is not None and Path(path).is_file() and sha256(Path(path)) != stated
        warnings = (*self.warnings, _OTHER_RAW) if other else self.warnings
        return self._replace(raw=raw, notes=(*self.notes, _CHECKED), warnings=warnings)

    def with_knowledge(self, given: Sequence[str]) -> Source:
        """The same, with the files of knowledge tables, each `FILE` or `COLUMN=FILE`; others than the plan's raise."""
        columns = dict(self.plan.columns)
        for name, path in named_files(self.plan, given).items():
            columns[name] = columns[name].model_copy(update={"knowledge": str(path)})
            load_knowledge(name, columns[name], self.plan.data.absent)
        return self._replace(plan=self.plan.changed(columns=columns)) if given else self

    def _require_columns(self, raw: pl.DataFrame) -> None:
        known = [*self.plan.quasi_identifiers, *self.plan.sensitive]
        absent = [name for name in known if name not in raw.columns]
        if absent:
            raise TableError(
                f"The raw table has no column {some_of(absent)}, which the release has.",
                allowed="A raw table has every quasi-identifier and every sensitive column of the plan.",
                hint=did_you_mean(absent[0], raw.columns) or "use the table from which the release was made.",
            )


def source_of(
    data: str | Path,
    plan: Plan | None,
    progress: Progress = silent,
    *,
    engine: str | None = None,
    master: str | None = None,
) -> Source:
    """A table file, or the folder of a release; a folder has a plan of its own, if none is given.

    `engine`: "local" holds a table file in memory, "stream" and "spark", at this `master`, count its rows; by default,
    local or stream, whichever fits. They read the files of a release as `verify_folder` does, and a folder of files.
    """
    path = Path(data)
    if engine != "spark":  # Spark has sources that are no files
        _require_there(data, "file")
    if path.is_dir() and (plan is None or engine == "local" or _looks_released(path)):
        return _of_folder(path, plan, progress, engine, master)
    if plan is None:
        raise PlanError(
            "A table needs a plan.", allowed="Only the folder of a release has its own.", hint="use --plan."
        )
    progress("read", 0.0)
    if not is_release(path.parent) and (kind := engine_for(data, plan, engine)) != "local":
        counted, plan = counted_table(data, plan, kind, master)
        return Source({RELEASE: counted}, plan, (COUNTED,), counted=True)
    frame = _read(data, plan.data)
    return Source({RELEASE: Runs.of(frame)}, plan.for_table(frame.columns, complete=False))


def individual_figures(folder: Path) -> dict[str, Figures]:
    """The prosecutor risk in individuals, as the private folder of this very release states it; empty if it cannot."""
    folder = folder.resolve()
    try:
        steward = json.loads((private_folder(folder) / STEWARD).read_text(encoding="utf-8"))
        risk = steward["risk"] if steward["digest"] == sha256(folder / MANIFEST) else {}
        return {Prosecutor.name: risk[Prosecutor.name]} if risk.get("individuals") is True else {}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}


def _in_individuals(found: Risk, known: Mapping[str, Figures]) -> Risk:
    """The risk with the figures that count individuals; a threshold is met by none of the others."""
    figures = {**found.figures, **known}
    above = exceeded(figures, found.thresholds)
    is_open = {key for name, key in _limits() if key in found.thresholds and name not in known}
    is_open = is_open.union(found.unchecked).difference(each.threshold for each in above)
    unchecked = tuple(key for key in found.thresholds if key in is_open)
    warning = _ROWS.format(private=_PROSECUTOR_ONLY if known else _REPORTED)
    return replace(
        found,
        figures=figures,
        exceeded=above,
        unchecked=unchecked,
        prosecutor_individuals=bool(known),
        warnings=(*found.warnings, warning),
    )


def _limits() -> list[tuple[str, str]]:
    """Every threshold with its measure."""
    return [(measure.name, key) for measure in ALL for key in measure.limits]


def _require_there(data: str | Path, kind: str) -> None:
    """Raises if a path does not exist; the address of a database is not a path."""
    path = Path(data)
    if is_url(data) or path.exists():
        return
    names = [other.name for other in path.parent.iterdir()] if path.parent.is_dir() else []
    raise TableError(f"There is no {kind} '{data}'.", hint=did_you_mean(path.name, names))


def _read(data: str | Path, given: Data) -> pl.DataFrame:
    """A table file; how the source of a plan is written says nothing about a released file, which is always alike."""
    if is_release(Path(data).parent):
        return read(data)
    return read(data, separator=given.separator, query=given.query, header=given.header, sheet=given.sheet)


def _of_folder(
    folder: Path, plan: Plan | None, progress: Progress, engine: str | None = None, master: str | None = None
) -> Source:
    if not is_release(folder):
        raise TableError(
            f"'{folder}' is not the folder of a release.",
            hint="name a table file, or a release; --engine stream reads a folder of files.",
        )
    progress("read", 0.0)
    published = own_plan(folder)
    with opened_reader(engine, master) as reader:
        tables = read_runs(folder, published, reader)
    columns = next(iter(tables.values())).columns
    if plan is not None:
        return Source(tables, plan.for_table(columns, complete=False), folder=folder)
    accepted = _private_thresholds(folder)
    plan = published.changed(risk=accepted).for_table(columns, complete=False)
    return Source(tables, plan, (_PRIVATE_THRESHOLDS,) if accepted.given else (), folder)


def _private_thresholds(folder: Path) -> RiskSettings:
    """The thresholds of the steward's plan, if it lies beside a release; its roles and models are not used."""
    path = private_folder(folder.resolve()) / PLAN
    try:
        path.stat()
    except OSError:  # there is none, or it is not ours to read
        return RiskSettings()
    risk: RiskSettings = read_plan(path).risk
    return risk.model_copy(update={"weight": None})


def risk_together(
    old: Path,
    new: Path,
    plan: Plan | None,
    settings: Settings,
    progress: Progress = silent,
    *,
    raw: Path | None = None,
    knowledge: Sequence[str] = (),
    engine: str | None = None,
    master: str | None = None,
) -> Together:
    """The risk of the new release for whoever has the old one too.

    `raw`: the table from which the new one was made. `knowledge`: the files of its knowledge tables. The `engine`, at
    this `master`, reads both.
    """
    for folder in (old, new):
        _require_there(folder, "folder")
    if not is_release(old):
        raise TableError(f"'{old}' is not the folder of a release.", hint="name two releases, the older one first.")
    with opened_reader(engine, master) as reader:
        earlier = read_runs(old, own_plan(old), reader)
    source = _of_folder(new, plan, progress, engine, master).with_knowledge(knowledge)
    if raw is not None:
        source = source.checked_with(raw)
    found = source.risk(replace(settings, earlier=earlier), progress)
    return Together(found, _same_source(old, new), RELEASE in earlier and RELEASE in source.tables)


def _same_source(old: Path, new: Path) -> bool | None:
    hashes = [_input_hash(folder) for folder in (old, new)]
    return None if None in hashes else hashes[0] == hashes[1]


def _input_hash(folder: Path) -> str | None:
    """The hash of a release's input, which only the steward has."""
    path = private_folder(folder.resolve()) / "steward.json"
    try:
        found = json.loads(path.read_text(encoding="utf-8")).get("input_sha256")
    except (OSError, ValueError, AttributeError):
        return None
    return found if isinstance(found, str) else None


def require_accepted(found: Risk) -> None:
    """Raises if nothing was judged, if a threshold or promise could not be checked, or if one does not hold."""
    if found.unattacked:
        raise KnowledgeNeeded(
            f"The gate cannot check what the items of {some_of(found.unattacked)} reveal: the release was made with a "
            "knowledge table that it does not contain.",
            allowed="Its labels can be attacked only with this table; the plan of the release has its hash.",
            hint=f"name the file: --knowledge {found.unattacked[0]}=FILE, or the plan: --plan PLAN.",
        )
    if not found.is_judged:
        raise ShoalError(
            "The gate has nothing to check: no threshold is stated, no attack with a bound ran, nothing was judged.",
            allowed="A gate needs a threshold under [risk], or a model that bounds an attack.",
            hint="use --plan with the plan that states the thresholds; published plans omit them.",
        )
    if found.unchecked:
        names = ", ".join(f"'{key}'" for key in found.unchecked)
        raise ShoalError(f"These thresholds of the plan cannot be checked: {names}. {_lacking(found)}")
    if not found.holds:
        beaten = list(dict.fromkeys(outcome.kind for outcome in found.attacks if not outcome.holds))
        exceeded = [each.threshold for each in found.exceeded]
        parts = [f"thresholds exceeded: {', '.join(exceeded)}"] if exceeded else []
        parts += [f"attacks that beat their bound: {', '.join(beaten)}"] if beaten else []
        fact = "The risk is larger than accepted" if found.thresholds else "The table does not satisfy the models"
        raise PromiseBroken(f"{fact}; {'; '.join(parts)}.")


def _lacking(found: Risk) -> str:
    """What the measures lack whose thresholds could not be checked."""
    measures = [cls.name for cls in ALL if cls.limits.keys() & set(found.unchecked)]
    return " ".join(dict.fromkeys(found.not_measured.get(name, _IN_ROWS) for name in measures))
