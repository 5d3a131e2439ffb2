from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from shoal.errors import CannotBeMet, PromiseBroken
from tests.cli.conftest import SECRET, Shoal, names, start

HEAVY = "polars numpy numba pyarrow pydantic narwhals jinja2 shoal.plan.plan shoal.models shoal.pipeline rich"


def _loaded_after(*words: str) -> set[str]:
    code = (
        "import sys\nfrom shoal.cli import run\nassert run(sys.argv[2:]) == 0\n"
        "sys.stderr.write(' '.join(set(sys.modules) & set(sys.argv[1].split())))"
    )
    done = subprocess.run([sys.executable, "-c", code, HEAVY, *words], capture_output=True, text=True, check=True)
    return set(done.stderr.split())


@pytest.mark.parametrize(
    "words", [["--help"], ["--version"], ["anonymize", "--help"], ["hierarchy", "build", "--help"]]
)
def test_help_loads_nothing_heavy(words: list[str]) -> None:
    by_typer = {"pydantic"} if len(words) > 1 else set()  # it reads the options of a command with it
    assert _loaded_after(*words) <= by_typer


def test_help_answers_at_once() -> None:
    seconds = []
    for _ in range(5):
        began = time.perf_counter()
        subprocess.run([sys.executable, "-m", "shoal.cli", "--help"], check=True, capture_output=True)
        seconds.append(time.perf_counter() - began)
    assert min(seconds) < 0.4


def test_kernels_load_without_what_no_kernel_needs() -> None:
    code = (
        "import sys\nfrom shoal import cli\ncli._start_lightly()\n"
        "import numpy as np\nfrom shoal.kernels.distinct import first_places\n"
        "assert first_places(np.zeros(3, np.uint32), 2).tolist() == [0, -1]\n"
        "sys.stderr.write(' '.join(name for name in ('scipy', 'yaml') if sys.modules.get(name)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr == ""


@pytest.mark.parametrize("debug", ["", "1"])
def test_the_process_ends_with_its_exit_code_and_all_its_output(debug: str) -> None:
    environment = os.environ | {"SHOAL_DEBUG": debug}
    for words, code, text in ((["--version"], 0, "shoal "), (["anonymise"], 2, "anonymise")):
        done = subprocess.run(
            [sys.executable, "-m", "shoal.cli", *words], capture_output=True, text=True, env=environment, check=False
        )
        assert done.returncode == code and text in done.stdout + done.stderr


def test_help_names_every_command(shoal: Shoal) -> None:
    answer = shoal("--help")
    assert answer.code == 0
    for command in ("demo", "profile", "plan", "hierarchy", "anonymize", "verify", "explain"):
        assert f"\n  {command} " in answer.out


def test_nothing_asked_is_answered_with_help(shoal: Shoal) -> None:
    assert shoal() == shoal("--help")


def test_version(shoal: Shoal) -> None:
    from shoal import __version__

    assert shoal("--version") == (0, f"shoal {__version__}\n", "")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["anonymise"], "Did you mean 'anonymize'?"),
        (["anonymize"], "Missing argument 'PLAN'"),
        (["anonymize", "plan.toml"], "--out"),
        (["verify", "out", "--digset", "ab"], "--digset"),
        (["plan"], "Missing command"),
        (["anonymize", "plan.toml", "--out", "out", "--seed", "one"], "--seed"),
    ],
)
def test_bad_usage_is_one_paragraph(shoal: Shoal, words: list[str], said: str) -> None:
    answer = shoal(*words)
    assert (answer.code, answer.out) == (2, "")
    assert said in answer.err
    assert answer.err.startswith("Error: ") and answer.err.count("\n") == 1 and "Hint: `shoal" in answer.err


@pytest.mark.parametrize(("error", "code"), [(CannotBeMet("No."), 3), (PromiseBroken("No."), 1)])
def test_an_error_has_its_exit_code(
    shoal: Shoal, plan: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, code: int
) -> None:
    monkeypatch.setattr("shoal.pipeline.anonymize_to", _raising(error))
    assert shoal("anonymize", plan, "--out", plan.parent / "out", "--quiet") == (code, "", "Error: No.\n")


def test_an_unexpected_error_shows_where_and_no_value(
    shoal: Shoal, plan: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shoal.pipeline.fit", _raising(pl.exceptions.ComputeError(f"cannot parse {SECRET}")))
    answer = shoal("anonymize", plan, "--out", plan.parent / "out")
    assert (answer.code, answer.out) == (2, "")
    assert "Internal error: ComputeError in shoal.pipeline:" in answer.err
    assert SECRET not in answer.err and "Traceback" not in answer.err
    monkeypatch.setenv("SHOAL_DEBUG", "1")
    assert "Traceback" in shoal("anonymize", plan, "--out", plan.parent / "out").err


def test_a_panic_is_no_traceback_either(shoal: Shoal, plan: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shoal.pipeline.fit", _raising(pl.exceptions.PanicException(SECRET)))
    answer = shoal("plan", "check", plan)
    assert answer.code == 2
    assert "Internal error: PanicException" in answer.err and SECRET not in answer.err


def test_the_system_is_quoted_on_files(shoal: Shoal, plan: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shoal.pipeline.fit", _raising(OSError(28, "No space left on device", "/tmp/x")))
    assert shoal("plan", "check", plan) == (
        2,
        "",
        "Error: The operating system reported an error: '/tmp/x': No space left on device.\n",
    )
    monkeypatch.setattr("shoal.pipeline.fit", _raising(MemoryError(SECRET)))
    answer = shoal("plan", "check", plan)
    assert answer.code == 2 and "memory" in answer.err and SECRET not in answer.err


def test_control_characters_of_an_error_are_written_out(shoal: Shoal, tmp_path: Path) -> None:
    answer = shoal("verify", f"{tmp_path}/\x1b[2Jgone\n")
    assert answer.code == 2
    assert "\x1b" not in answer.out + answer.err
    assert shoal("plan", "check", "\udcff.toml").code == 2


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no /dev/full")
def test_an_answer_that_cannot_be_written_is_an_error() -> None:
    with Path("/dev/full").open("w") as full:
        command = [sys.executable, "-m", "shoal.cli", "plan", "schema"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 2
    assert "No space left on device" in done.stderr and "Traceback" not in done.stderr


def test_a_reader_that_goes_away_is_no_traceback() -> None:
    command = [sys.executable, "-m", "shoal.cli", "plan", "schema"]
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, text=True)
    os.close(writing)
    assert (done.returncode, done.stderr) == (2, "")


def test_ctrl_c_in_the_middle_leaves_nothing(tmp_path: Path) -> None:
    """A table that takes seconds; the first line of progress says that the work is under way."""
    rng = np.random.default_rng(0)
    columns = {f"q{i}": rng.integers(0, 1000, 600_000) for i in range(6)}
    pl.DataFrame(columns).write_csv(tmp_path / "large.csv")
    roles = "".join(f'[columns.q{i}]\nrole = "quasi-identifier"\n' for i in range(6))
    plan = tmp_path / "plan.toml"
    plan.write_text(f'[data]\nsource = "large.csv"\n{roles}[[models]]\nkind = "k-anonymity"\nk = 2\n')
    process = start("anonymize", plan, "--out", tmp_path / "out")
    assert process.stderr is not None
    assert process.stderr.readline().startswith("1 s: ")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    assert err.endswith("Error: Cancelled. No files were left behind.\n") and "Traceback" not in err
    assert names(tmp_path) == {"large.csv", "plan.toml"}


def test_ctrl_c_while_writing_leaves_nothing(shoal: Shoal, plan: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from shoal import table

    write = table.write_runs

    def interrupted(*arguments: object) -> None:
        write(*arguments)  # type: ignore[arg-type]
        raise KeyboardInterrupt

    before = names(plan.parent)
    monkeypatch.setattr("shoal.table.write_runs", interrupted)
    answer = shoal("anonymize", plan, "--out", plan.parent / "out")
    assert answer.code == 130 and "Cancelled" in answer.err
    assert names(plan.parent) == before


def test_leftovers_of_a_killed_run_are_cleared_by_the_next(shoal: Shoal, plan: Path) -> None:
    code = """
import os, signal, sys, shoal.table
shoal.table.write_runs = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
from shoal.cli import run
run(sys.argv[1:])
"""
    out, before = plan.parent / "out", names(plan.parent)
    done = subprocess.run([sys.executable, "-c", code, "anonymize", plan, "--out", out])
    assert done.returncode == -signal.SIGKILL
    assert names(plan.parent) > before and "out" not in names(plan.parent)
    assert shoal("anonymize", plan, "--out", out).code == 0
    assert names(plan.parent) == before | {"out", "out.private"}


def _raising(error: BaseException) -> object:
    def fail(*_: object, **__: object) -> None:
        raise error

    return fail
