"""What became of a job or a run: its state, how far it is, and why it failed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from shoal.errors import ShoalError
from shoal.progress import described


class State(StrEnum):
    """A job is queued, then running, then in one of four final states.

    `interrupted`: the studio ended before the job did. `damaged`: only a run can be, if its record cannot be read.
    """

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"
    INTERRUPTED = "interrupted"
    DAMAGED = "damaged"

    @property
    def is_final(self) -> bool:
        """Whether nothing more happens to the job."""
        return self not in (State.QUEUED, State.RUNNING)


@dataclass(frozen=True)
class Failure:
    """Why a job failed, without a value of the data: the parts of an error and the exit code of the command line."""

    error: str
    allowed: str = ""
    hint: str = ""
    exit_code: int = 2

    @classmethod
    def of(cls, error: ShoalError) -> Failure:
        """The parts of an error."""
        return cls(error.fact, error.allowed, error.hint, error.exit_code)

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Failure:
        """The inverse of `to_json`."""
        code = values.get("exit_code", 2)
        texts = {name: str(values.get(name, "")) for name in ("error", "allowed", "hint")}
        return cls(**texts, exit_code=code if isinstance(code, int) else 2)

    def to_json(self) -> dict[str, Any]:
        """The parts as JSON values."""
        return asdict(self)

    def __str__(self) -> str:
        return " ".join(part for part in (self.error, self.allowed, self.hint and f"Hint: {self.hint}") if part)


@dataclass(frozen=True)
class Stage:
    """How far a job is: the step of the pipeline, and the share of the step that is done, 0 to 1."""

    step: str = ""
    share: float = 0.0
    is_compiling: bool = False
    """Whether kernels are being compiled, which happens once on a machine and takes up to a minute."""

    @property
    def words(self) -> str:
        """The step and the share in words, such as `searching, 42 %`."""
        if not self.step:
            return "starting"
        return described(self.step, self.share) + (" (compiling, the first time only)" if self.is_compiling else "")
