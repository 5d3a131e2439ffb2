"""The commands: listed in order, called with words, and wrong usage is an error that says where the usage is."""

from __future__ import annotations

import pytest
import typer

from shoal.cli import app as commands
from shoal.cli.app import app, invoke
from shoal.errors import PlanError, ShoalError
from shoal.version import VERSION

COMMANDS = ["demo", "profile", "anonymize", "lattice", "verify", "steps", "explain", "plan", "hierarchy"]


def test_the_version_is_told_and_is_no_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert invoke(["--version"]) == 0
    assert capsys.readouterr().out == f"shoal {VERSION}\n"


def test_help_lists_every_command_with_a_sentence_in_its_order(capsys: pytest.CaptureFixture[str]) -> None:
    assert invoke(["--help"]) == 0
    out = capsys.readouterr().out
    lines = [line.split(maxsplit=1) for line in out.partition("Commands:")[2].splitlines() if line.startswith("  ")]
    listed = [words for words in lines if words[0] in COMMANDS]
    assert [name for name, *_ in listed] == COMMANDS
    assert all(len(words) == 2 and words[1].rstrip().endswith(".") for words in listed)
    assert "Exit codes: 0 done, 1 a promise" in " ".join(out.split())


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert invoke([name, "--help"]) == 0
    assert f"Usage: shoal {name}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "said", "where"),
    [
        (["anonymise"], "anonymise", "`shoal --help`"),
        (["verify"], "Missing argument", "`shoal verify --help`"),
        (["plan", "chek"], "chek", "`shoal plan --help`"),
        (["explain", "k-anonymity", "--relase", "out"], "--relase", "`shoal explain --help`"),
        (["anonymize", "p.toml", "--out", "o", "--seed", "x"], "--seed", "`shoal anonymize --help`"),
    ],
)
def test_wrong_usage_is_an_error_that_says_where_the_usage_is(words: list[str], said: str, where: str) -> None:
    with pytest.raises(ShoalError) as caught:
        invoke(words)
    assert said in caught.value.fact and where in caught.value.hint
    assert caught.value.exit_code == 2


def _answering(monkeypatch: pytest.MonkeyPatch, outcome: BaseException) -> None:
    """A command that ends in this way, however it is called."""

    class Ending:
        def main(self, *_: object, **__: object) -> None:
            raise outcome

    monkeypatch.setattr(commands.typer.main, "get_command", lambda _: Ending())


def test_errors_of_commands_come_through(monkeypatch: pytest.MonkeyPatch) -> None:
    _answering(monkeypatch, PlanError("No."))
    with pytest.raises(PlanError, match="No"):
        invoke(["demo"])


def test_an_exit_code_is_passed_on() -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(app, "registered_commands", [*app.registered_commands])

        @app.command("seven", hidden=True)
        def seven() -> None:
            raise typer.Exit(7)

        assert invoke(["seven"]) == 7


def test_ctrl_c_inside_a_command_is_a_keyboard_interrupt() -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(app, "registered_commands", [*app.registered_commands])

        @app.command("stopped", hidden=True)
        def stopped() -> None:
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            invoke(["stopped"])


def test_a_reader_that_is_gone_is_a_broken_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    _answering(monkeypatch, SystemExit(1))
    with pytest.raises(BrokenPipeError):
        invoke(["demo"])
