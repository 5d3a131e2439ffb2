"""The pipeline: read → roles and hierarchies → code and count → search under models → publish → verify → report."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from shoal import blockwise, forms, table
from shoal.algorithms.base import Algorithm
from shoal.blockwise import Each
from shoal.coded.counted import Coded
from shoal.coded.keys import distinct_rows
from shoal.coded.partition import Partition
from shoal.coded.recoding import Exact, shown_columns
from shoal.coded.removed import removed_items
from shoal.engines.base import Engine
from shoal.engines.choosing import chosen_engine
from shoal.engines.fitting import Fitted, fit, persons_of, published_columns, sensitive_text, with_hashes
from shoal.engines.local import LocalEngine
from shoal.engines.notation import settled_notation, with_notation
from shoal.engines.spark_source import is_spark_frame, spark_engine, spark_frame, sparked
from shoal.engines.stream import streamed
from shoal.errors import PlanError
from shoal.estimating.comparing import compared_statistics, require_computable
from shoal.feasibility import explained, require_possible
from shoal.figures.before import before_of
from shoal.figures.sampling import sampled
from shoal.forms.base import Publishable
from shoal.plan import Plan
from shoal.progress import Progress, silent
from shoal.release.draft import Draft, Private
from shoal.release.earlier import earlier_releases
from shoal.release.output import check_free, check_spared
from shoal.release.public import Counts, public_audit, public_manifest, public_plan
from shoal.release.release import Release
from shoal.release.saving import save
from shoal.report.laid_out import load_page
from shoal.search.removing import without_items
from shoal.table import AS_SHOWN, Notation, Runs
from shoal.table.batches import files_of
from shoal.verification.faithful import faithful_problems, require_faithful
from shoal.verification.labelled import labelled
from shoal.verification.labels import label_problems
from shoal.verification.reading import sha256
from shoal.warnings import Case, Warning, find_warnings, missing_effect, serious_first


class Search(NamedTuple):
    """What takes the place of a search by the plan's algorithm.

    `classes` finds classes of a coded table that satisfy all models of a plan, and raises CannotBeMet if it finds none.
    `usual`: how numbers and dates are written, as far as neither the plan nor the table says it.
    """

    classes: Callable[[Coded, Plan, Progress], Partition]
    usual: Notation = AS_SHOWN


def anonymize(frame: Any, plan: Plan, *, progress: Progress = silent) -> Release:
    """Anonymizes a pandas, polars, pyarrow or Spark table into a verified release; `release.frame` is of the same kind.

    The rows of a Spark frame stay in Spark.
    """
    if is_spark_frame(frame):
        with spark_engine(frame, plan) as engine:
            plan = plan.for_table(engine.columns)
            return _released(engine, plan, lambda runs: spark_frame(frame, runs, plan.separators), progress)
    return released_frame(frame, plan, progress)


def released_frame(frame: Any, plan: Plan, progress: Progress, search: Search | None = None) -> Release:
    """The verified release of a pandas, polars or pyarrow table, whose classes the `search` finds."""
    given, back = table.to_polars(frame)
    plan = plan.for_table(given.columns)
    lists = {name: each for name, each in plan.separators.items() if table.is_list(given[name])}
    engine = _engine(given, plan)
    return _released(engine, plan, lambda runs: back(table.with_lists(runs.expanded(), lists)), progress, search)


def _released(
    engine: Engine, plan: Plan, as_given: Callable[[Runs], Any], progress: Progress, search: Search | None = None
) -> Release:
    """The verified release of the rows of an engine."""
    clock = _Clock()
    draft, require_true = drafted(engine, plan, clock, progress, search)
    progress("verify", 0.0)
    with clock.timing("verify"):
        require_true()
        published = public_plan(draft.plan, draft.tables)
        checked = draft.verified_twice(draft.tables, published)
    columns = labelled(draft.tables, published)
    require_faithful(label_problems(columns, published))
    audit = public_audit(draft.tables, published, checked.shown)
    manifest = public_manifest(draft.tables, published, draft.counts, columns, checked.shown, audit)
    steward = draft.for_steward(manifest, checked.full, audit, clock.seconds)
    return Release(
        draft,
        manifest,
        steward,
        checked.full,
        as_given=as_given,
        make_figures=lambda: draft.figures(draft.tables, published, columns, checked),
    )


def anonymize_to(
    plan: Plan,
    folder: str | Path,
    *,
    force: bool = False,
    plan_text: str | None = None,
    plan_path: Path | None = None,
    engine: str | None = None,
    master: str | None = None,
    progress: Progress = silent,
) -> Release:
    """Anonymizes the plan's source and saves the verified release; `release.digest` identifies it.

    With `force`, it replaces an earlier release in the folder, but no other file, and none that it reads: the source,
    the hierarchies, and the plan at `plan_path`. `engine`: "local" holds the table in memory, "stream" reads files that
    are larger than memory, "spark" keeps the rows in Spark, at `master` or in the session that runs; by default, local
    or stream, whichever fits the source. The release is the same.
    """
    source = Source(plan_text, plan_path, engine, master)
    return release_to(plan, folder, source, force=force, progress=progress)


class Source(NamedTuple):
    """Where a plan and its rows come from: the text and the path of the plan, and the engine that reads the rows."""

    plan_text: str | None = None
    plan_path: Path | None = None
    engine: str | None = None
    master: str | None = None

    @property
    def plan_folder(self) -> str | None:
        """The folder to which paths in the text of the plan are relative."""
        return None if self.plan_path is None else str(self.plan_path.resolve().parent)


def release_to(
    plan: Plan,
    folder: str | Path,
    given: Source,
    *,
    force: bool = False,
    progress: Progress = silent,
    search: Search | None = None,
    warnings: tuple[Warning, ...] = (),
) -> Release:
    """Saves the verified release of the plan's source, whose classes the `search` finds, with further `warnings`."""
    folder, clock = check_free(Path(folder), force), _Clock()
    check_spared(folder, plan, given.plan_path)
    kind = chosen_engine(plan, given.engine)
    progress("read", 0.0)
    with ExitStack() as opened, ThreadPoolExecutor(1) as pool:  # one task after the other: reading keeps all cores busy
        loaded = pool.submit(load_kernels)
        input_sha256 = pool.submit(_input_sha256, plan)
        pool.submit(load_page)  # while the search leaves the interpreter idle
        with clock.timing("read"):
            if kind != "local":
                loaded.result()  # batches are coded by kernels, and two threads must not load numba at the same time
            source, plan = opened.enter_context(opened_source(plan, kind, given.master))
        loaded.result()
        draft, require_true = drafted(source, plan, clock, progress, search)
        found_true = pool.submit(require_true)
        del source, require_true  # so that the memory of the input table is freed as soon as it was compared
        progress("write", 0.0)
        hashed = input_sha256.result()
        private = replace(draft.private, input_sha256=hashed, plan_text=given.plan_text, plan_folder=given.plan_folder)
        warnings = serious_first((*draft.warnings, *warnings, *earlier_releases(folder, hashed)))
        require_no_warnings(warnings, plan)
        draft = replace(draft, private=private, warnings=warnings)
        written = save(draft, folder, timings=clock.seconds, force=force, require_true=found_true.result)
    figures = written.figures
    return Release(
        draft, written.manifest, written.steward, written.verification, written.digest, make_figures=lambda: figures
    )


def read_source(plan: Plan) -> pl.DataFrame:
    """The table that the plan names as its source, as it is stored."""
    if (source := plan.data.source) is None:
        raise PlanError("The plan names no source to read.", hint='set source = "…" under [data].')
    data = plan.data
    return table.read(source, separator=data.separator, query=data.query, header=data.header, sheet=data.sheet)


@contextmanager
def opened_source(plan: Plan, kind: str, master: str | None = None) -> Iterator[tuple[Engine, Plan]]:
    """The rows of the plan's source in an engine of this kind, at a `master` of Spark, and the plan for its columns."""
    if kind == "stream":
        with streamed(plan) as streaming:
            yield streaming, plan.for_table(streaming.columns)
    elif kind == "spark":
        with sparked(plan, master) as spark:
            yield spark, plan.for_table(spark.columns)
    else:
        yield _in_memory(plan)  # it is referred to nowhere here, so that its memory can be freed


def _in_memory(plan: Plan) -> tuple[Engine, Plan]:
    frame = read_source(plan)
    plan = plan.for_table(frame.columns)
    return _engine(frame, plan), plan


def fitted(frame: pl.DataFrame, plan: Plan) -> Fitted:
    """The coded table; raises if it does not fit the plan, or if the models cannot be met."""
    plan = plan.for_table(frame.columns)
    return fitted_rows(_engine(frame, plan), plan)


def fitted_rows(engine: Engine, plan: Plan) -> Fitted:
    """The coded table of an engine; raises if it does not fit the plan, or if the models cannot be met."""
    fitted = fit(engine, plan)
    require_computable(engine, plan)
    blockwise.require_searchable(fitted.coded, plan)
    require_possible(fitted.coded, plan)
    return fitted


def encoded(frame: pl.DataFrame, plan: Plan) -> Fitted:
    """The coded table, whether or not the models can be met; raises if it does not fit the plan."""
    plan = plan.for_table(frame.columns)
    return fit(_engine(frame, plan), plan)


def drafted(
    engine: Engine, plan: Plan, clock: _Clock, progress: Progress, search: Search | None = None
) -> tuple[Draft, Callable[[], None]]:
    """Searches a recoding and publishes it as a draft, a release that is not verified yet.

    The `search` is that of the plan's algorithm by default.

    Returned with it is the check that the draft is true to the input, which raises if it is not. It must be called
    before the draft is published, and can run while its files are written.
    """
    progress("encode", 0.0)
    with clock.timing("encode"):
        plan = plan if search is None else with_notation(engine, plan, search.usual)
        fitted = fitted_rows(engine, plan)
    coded, given, engine = fitted.coded, engine, fitted.engine
    knowledge = {name: each.knowledge for name, each in coded.items.items() if each.knowledge is not None}
    plan = with_hashes(plan, knowledge)
    progress("search", 0.0)
    with clock.timing("search"):
        partition = partitioned(coded, plan, progress, engine.each, search)
    progress("form", 0.0)
    with clock.timing("form"), ThreadPoolExecutor(1) as pool:
        form = forms.by_kind(plan.release.form)
        pending_warnings = pool.submit(find_warnings, Case(fitted, partition, plan))
        pending_before = pool.submit(before_of, fitted, plan)
        recoding = partition.recoding if form.generalizes else Exact()
        shown = shown_columns(recoding, coded, partition.members)
        columns = published_columns(engine.columns, plan)
        names = frozenset(plan.sensitive)
        sensitive = {name: sensitive_text(engine, name, plan) for name in columns if name in names}
        sets = {name: fitted.set_text(name) for name in plan.quasi_sensitive}
        layout = form.layout(Publishable(columns, shown, fitted.exact_text, sensitive, sets))
        published = engine.publish(partition, layout, plan.data.person)
        witness = published.witness
        texts = {name: sensitive[name] for name in plan.reads} | {name: sets[name] for name in plan.reads_input_sets}
        input_counts = {name: engine.reference(name, each, plan.data.person) for name, each in texts.items()}
        statistics = compared_statistics(given, published.tables, plan)
        warnings = pending_warnings.result()
    require_no_warnings(warnings, plan)
    counts = Counts(given.rows, given.rows - engine.rows)  # as faithfulness saw them, not as the search counted them
    suppressed = {"missing values": counts.rows_dropped, "search": engine.rows - published.main.height}
    draft = Draft(
        tables=published.tables,
        plan=plan,
        counts=counts,
        record=partition.record,
        warnings=warnings,
        missing=missing_effect(coded, partition, shown),
        private=Private(
            input_counts=input_counts,
            witness=witness,
            persons_in=persons_of(given, plan),
            suppressed_by_reason=suppressed,
            rule=partition.rule(coded),
            levels=partition.levels(coded),
            notation=settled_notation(given, plan),
            items=removed_items(coded, partition),
            knowledge=knowledge,
            statistics=statistics,
            before=pending_before.result(),
            sample=sampled(given, plan),
        ),
        in_parts=given.in_parts,
    )
    return draft, lambda: _require_true(draft, given, engine)


def _require_true(draft: Draft, given: Engine, engine: Engine) -> None:
    """Raises if a draft is not true to the input, `given`, or to what is left without dropped rows, `engine`."""
    witness, counts = draft.private.witness, draft.private.input_counts
    facts = (witness.run, witness.linked, witness.persons, counts)
    require_faithful(faithful_problems(given, engine, draft.tables, draft.plan, *facts))


def partitioned(
    coded: Coded, plan: Plan, progress: Progress, each: Each = blockwise.one_by_one, search: Search | None = None
) -> Partition:
    """Classes that satisfy all models, after items were removed; raises CannotBeMet, with the blocking models.

    `each`: how the blocks of a table with very many distinct rows are searched.
    """
    with explained(coded, plan):
        return without_items(coded, _partition(coded, plan, progress, each, search), plan.removing, progress)


def _partition(coded: Coded, plan: Plan, progress: Progress, each: Each, search: Search | None) -> Partition:
    """The classes that the search finds; without quasi-identifiers, all rows form one, which is known to pass."""
    counted = coded.counted
    if not coded.quasi:
        return Partition.of_rows(np.zeros(len(counted), np.int64), 1, counted.weight, Exact())
    if not plan.searched:  # no model is about classes, so rows with equal quasi-identifiers form one
        ids, firsts, _ = distinct_rows(list(counted.quasi))
        return Partition.of_rows(ids.astype(np.int64), len(firsts), counted.weight, Exact())
    if search is not None:
        return search.classes(coded, plan, progress)
    if blockwise.needs_blocks(coded, plan):
        return blockwise.partition(coded, plan, progress, each)
    algorithm: Algorithm = plan.algorithm
    return algorithm.partition(coded, plan.searched, plan.release.suppression, plan.seed, progress)


def require_no_warnings(warnings: tuple[Warning, ...], plan: Plan) -> None:
    """Raises if there are warnings and the plan is strict."""
    if warnings and plan.release.strict:
        raise PlanError(
            " ".join(warning.text for warning in warnings),
            allowed="A strict plan allows no warnings.",
            hint="change the plan, or set strict = false under [release].",
        )


def _engine(frame: pl.DataFrame, plan: Plan) -> Engine:
    table.require_rows(frame)
    return LocalEngine(table.with_set_texts(frame, plan.separators))


def load_kernels() -> None:
    """Loads the compiled kernels while the table is read, which leaves the interpreter idle.

    Both take about as long. Numba loads most of its modules when the first kernel is called, and the code of a kernel
    on its first call.
    """
    import shoal.kernels.counting
    import shoal.kernels.cutting  # noqa: F401
    from shoal.kernels.distinct import first_places

    first_places(np.zeros(1, np.uint32), 1)


def _input_sha256(plan: Plan) -> str | None:
    """The hash of the source; that of a folder is the hash of the names and hashes of its files."""
    source = plan.data.source
    if source is None or table.is_url(source):
        return None
    if Path(source).is_dir():
        lines = [f"{sha256(file)}  {file.name}\n" for file in files_of(source)]
        return hashlib.sha256("".join(lines).encode()).hexdigest()
    return sha256(Path(source)) if Path(source).is_file() else None


class _Clock:
    """Seconds per step of the pipeline."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def timing(self, step: str) -> Iterator[None]:
        began = time.perf_counter()
        yield
        self.seconds[step] = time.perf_counter() - began
