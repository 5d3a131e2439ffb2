"""Jobs: each runs in a process of its own, reports progress, can be cancelled, and ends when the studio ends.

The pages and the REST interface share one `JobService`. A job belongs to the service, not to a page: it goes on when a
page is closed or reloaded.
"""

from __future__ import annotations

import json
import secrets
import shutil
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from shoal.errors import Cancelled
from shoal.failures import as_shoal_error
from shoal.interrupts import CANCELLED
from shoal.studio.files import read_json
from shoal.studio.problems import Busy, NoSuchThing
from shoal.studio.processes import RESULT, Process, Spare, release, stop
from shoal.studio.states import Failure, Stage, State
from shoal.studio.work import ALL, QUICK

AT_ONCE = 2
"""The number of long jobs, such as runs, that run at the same time; others wait."""
QUICK_AT_ONCE = 2
"""The number of quick jobs that run besides them: a preview does not wait for runs."""
REMEMBERED = 200
"""The number of finished jobs whose results are kept."""
QUEUED_AT_MOST = 100

_KILLED = Failure(
    "The process of the job ended unexpectedly.",
    allowed="No part of a release was left behind.",
    hint="the machine may have too little memory.",
)
_CANCELLED = Failure(CANCELLED, exit_code=Cancelled.exit_code)


@dataclass(frozen=True)
class Job:
    """One job as it is now; a value, which does not change when the job goes on. Ask the service again for news."""

    id: str
    kind: str
    state: State = State.QUEUED
    stage: Stage = field(default_factory=Stage)
    submitted: float = 0.0
    """Seconds since the epoch, as are the other times; 0 if it has not happened yet."""
    started: float = 0.0
    finished: float = 0.0
    failure: Failure | None = None
    run: str = ""
    """The run of the project that the job makes, if it is one."""

    @property
    def seconds(self) -> float:
        """How long the job has been running, or ran."""
        return (self.finished or time.time()) - self.started if self.started else 0.0

    def to_json(self) -> dict[str, Any]:
        """The job as JSON values."""
        return {
            "id": self.id,
            "kind": self.kind,
            "state": str(self.state),
            "step": self.stage.step,
            "share": self.stage.share,
            "doing": str(self.state) if self.state.is_final else self.stage.words,
            "seconds": round(self.seconds, 2),
            "failure": None if self.failure is None else self.failure.to_json(),
            "run": self.run or None,
        }


class JobService:
    """Starts, watches and cancels jobs; every method returns at once, except `wait` and `close`.

    Jobs of the kinds in `shoal.studio.work.QUICK` do not wait for others. `folder`: where jobs keep their results and
    temporary files, each in a folder of its own. `on_change` is called with a job after each change, in the thread that
    watches the job. `require_plan` is called with the kind of each job that is given a plan, and the path of the plan,
    before the job is queued; it raises if the plan may not be used.
    """

    def __init__(
        self,
        folder: Path,
        *,
        at_once: int = AT_ONCE,
        quick_at_once: int = QUICK_AT_ONCE,
        on_change: Callable[[Job], None] = lambda _job: None,
        require_plan: Callable[[str, Path], object] = lambda _kind, _path: None,
    ) -> None:
        self._folder = folder
        self._on_change = on_change
        self._require_plan = require_plan
        self._jobs: dict[str, Job] = {}
        self._processes: dict[str, Process] = {}
        self._spare = Spare(folder)
        self._unwanted: set[str] = set()
        self._changed = threading.Condition(threading.RLock())
        self._long = ThreadPoolExecutor(at_once, thread_name_prefix="shoal-job")
        self._quick = ThreadPoolExecutor(quick_at_once, thread_name_prefix="shoal-quick-job")

    def warm(self) -> None:
        """Keeps a process waiting that has imported what jobs need, so that the next job starts at once."""
        self._spare.keep()

    def submit(self, kind: str, arguments: Mapping[str, Any], *, run: str = "", lock: Path | None = None) -> Job:
        """Queues a job of a kind in `shoal.studio.work.ALL`; its process holds a lock on the file `lock`, if given.

        Paths in the arguments are absolute, and were checked by the caller; those that a plan names are checked here.
        """
        if kind not in ALL:
            raise NoSuchThing("There is no job of this kind.", allowed=f"Kinds are {', '.join(ALL)}.")
        if arguments.get("plan") is not None:
            self._require_plan(kind, Path(arguments["plan"]))
        with self._changed:
            if sum(not job.state.is_final for job in self._jobs.values()) >= QUEUED_AT_MOST:
                raise Busy("Too many jobs are waiting.", hint="wait until some are done, or cancel them.")
            job = Job(secrets.token_hex(8), kind, submitted=time.time(), run=run)
            self._jobs[job.id] = job
            self._forget_oldest()
        pool = self._quick if kind in QUICK else self._long
        pool.submit(self._work, job.id, dict(arguments), lock)
        return job

    def job(self, job_id: str) -> Job:
        """The job as it is now; raises NoSuchThing if it is not known, or no longer."""
        with self._changed:
            if job_id not in self._jobs:
                raise NoSuchThing("There is no such job.")
            return self._jobs[job_id]

    def jobs(self) -> tuple[Job, ...]:
        """All jobs that are known, the oldest first."""
        with self._changed:
            return tuple(self._jobs.values())

    def result(self, job_id: str) -> dict[str, Any]:
        """What a job returned, as JSON values; raises Busy unless it is done."""
        job = self.job(job_id)
        if job.state is not State.DONE:
            raise Busy("The job has no result.", allowed=f"It is {job.state}.")
        found = read_json(self._place(job_id) / RESULT).get("result")
        return found if isinstance(found, dict) else {}

    def cancel(self, job_id: str) -> Job:
        """Cancels a job: one that waits is not started, one that runs cleans up and ends, or is killed soon after.

        A job that is already putting a release in place completes it.
        """
        with self._changed:
            job = self.job(job_id)
            if job.state.is_final:
                return job
            self._unwanted.add(job_id)
            process = self._processes.get(job_id)
            if job.state is State.QUEUED and process is None:
                return self._update(job_id, state=State.CANCELLED, finished=time.time(), failure=_CANCELLED)
        if process is not None:
            stop(process)
        return self.job(job_id)

    def wait(self, job_id: str, timeout: float | None = None) -> Job:
        """Waits until a job is final, at most `timeout` seconds; not for code in the event loop of the server."""
        with self._changed:
            self._changed.wait_for(lambda: self.job(job_id).state.is_final, timeout)
            return self.job(job_id)

    def close(self) -> None:
        """Cancels all jobs and waits for their processes to end."""
        for job in self.jobs():
            self.cancel(job.id)
        for pool in (self._long, self._quick):
            pool.shutdown(wait=True, cancel_futures=True)
        self._spare.close()

    def _update(self, job_id: str, **changes: Any) -> Job:
        with self._changed:
            job = self._jobs[job_id] = replace(self._jobs[job_id], **changes)
        try:
            self._on_change(job)
        finally:
            with self._changed:
                self._changed.notify_all()  # after the callback: whoever waits finds everything in place
        return job

    def _work(self, job_id: str, arguments: dict[str, Any], lock: Path | None) -> None:
        """Runs a job from start to end, in a thread of the pool; whatever goes wrong, the job becomes final."""
        try:
            self._run(job_id, arguments, lock)
        except Exception as error:  # no process could be started, or the disk is full
            with self._changed:
                process = self._processes.pop(job_id, None)
            if process is not None:
                process.kill()
                process.wait()
            failed = {"state": State.FAILED, "failure": Failure.of(as_shoal_error(error)), "finished": time.time()}
            with suppress(Exception):
                self._update(job_id, **failed)

    def _run(self, job_id: str, arguments: dict[str, Any], lock: Path | None) -> None:
        place = self._place(job_id)
        with self._changed:
            if job_id in self._unwanted:
                return
            for folder in (self._folder, place, place / "tmp"):  # parents that mkdir makes would be open to others
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            process = self._processes[job_id] = self._spare.taken()
            kind = self._jobs[job_id].kind
        self._update(job_id, state=State.RUNNING, started=time.time())
        task = {"kind": kind, "arguments": arguments, "folder": str(place), "lock": lock and str(lock)}
        self._follow(job_id, process, task)
        process.wait()
        release(process)
        with self._changed:
            del self._processes[job_id]
        shutil.rmtree(place / "tmp", ignore_errors=True)
        self._update(job_id, finished=time.time(), stage=Stage(), **self._outcome(job_id))

    def _follow(self, job_id: str, process: Process, task: dict[str, Any]) -> None:
        """Gives a process its task, and notes what it reports until it ends; its stdin stays open until then."""
        assert process.stdin is not None and process.stdout is not None
        try:
            process.stdin.write(json.dumps(task).encode() + b"\n")
            process.stdin.flush()
        except OSError:  # it was cancelled before it read its task
            return
        for line in process.stdout:
            said = _message(line)
            stage = self.job(job_id).stage
            if "step" in said:
                self._update(job_id, stage=replace(stage, step=said["step"], share=said["share"]))
            elif "compiling" in said:
                self._update(job_id, stage=replace(stage, is_compiling=said["compiling"]))

    def _outcome(self, job_id: str) -> dict[str, Any]:
        """The final state of a job whose process has ended."""
        written = read_json(self._place(job_id) / RESULT)
        if "result" in written:
            return {"state": State.DONE}
        with self._changed:
            is_unwanted = job_id in self._unwanted
        if is_unwanted:
            return {"state": State.CANCELLED, "failure": _CANCELLED}
        failure = written.get("failure")
        return {"state": State.FAILED, "failure": Failure.from_json(failure) if failure else _KILLED}

    def _place(self, job_id: str) -> Path:
        return self._folder / job_id

    def _forget_oldest(self) -> None:
        finished = [job.id for job in self._jobs.values() if job.state.is_final]
        for job_id in finished[: max(0, len(finished) - REMEMBERED)]:
            del self._jobs[job_id]
            self._unwanted.discard(job_id)
            shutil.rmtree(self._place(job_id), ignore_errors=True)


def _message(line: bytes) -> dict[str, Any]:
    """A message of a process; empty if it was killed while it wrote it."""
    try:
        said = json.loads(line)
    except ValueError:
        return {}
    return said if isinstance(said, dict) else {}
