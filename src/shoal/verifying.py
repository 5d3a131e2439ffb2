"""Verifying a published folder with an engine: the findings are the same, whichever process reads the files."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from shoal.engines.choosing import require_kind
from shoal.errors import PlanError
from shoal.plan import Plan
from shoal.verification import folder as files
from shoal.verification.knowledge import KnowledgeFiles
from shoal.verification.reading import Files, Reader
from shoal.verification.verdicts import Verification


def verify_folder(
    folder: str | Path,
    *,
    plan: Plan | None = None,
    digest: str | None = None,
    knowledge: KnowledgeFiles = (),
    engine: str | None = None,
    master: str | None = None,
) -> Verification:
    """Checks that a published folder is complete and keeps its promises, from its files alone.

    Without further arguments, this detects accidents: a changed byte, a missing file, a promise that does not hold.
    With the steward's `plan` or the `digest` that was printed when the release was made, it also detects malice: a
    folder whose plan and hashes were rewritten together. Roles and parameters then come from the given plan, never
    from the folder. `knowledge`: the file of a knowledge table that the release does not contain or, if there are
    several, column → file; a list has files, each `FILE` or `COLUMN=FILE`. Raises KnowledgeNeeded if one is missing.
    `engine`: "local" reads large files in batches, "stream" all of them, "spark" reads and hashes them in executors,
    at `master` or in the session that runs. The findings are the same. Raises EngineError if the engine cannot do it.
    """
    with opened_reader(engine, master) as reader:
        return files.verify_folder(folder, plan=plan, digest=digest, knowledge=knowledge, reader=reader)


@contextmanager
def opened_reader(engine: str | None, master: str | None = None) -> Iterator[Reader]:
    """What reads the files of a release with an engine."""
    require_kind(engine)
    if master is not None and engine != "spark":
        raise PlanError("A master is given, but the engine is not Spark.", hint="name the engine 'spark'.")
    if engine == "spark":
        from shoal.engines.spark_files import spark_files  # it loads the kernels, which verification does not need

        with spark_files(master) as reader:
            yield reader
    else:
        yield Files(in_batches=engine == "stream")
