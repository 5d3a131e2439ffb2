from __future__ import annotations

import sys
from pathlib import Path

import pytest

from shoal.cli import show


def test_tables_are_wide_where_nobody_says_how_wide(capsys: pytest.CaptureFixture[str]) -> None:
    show.say_table(("name", "why"), [("a", "x " * 60), ("b", "")])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 3 and all(line == line.rstrip() for line in lines)


def test_a_cell_is_no_markup(capsys: pytest.CaptureFixture[str]) -> None:
    show.say_table(("name",), [("[red]x[/red] :smile:",)])
    assert "[red]x[/red] :smile:" in capsys.readouterr().out


def test_numbers_stand_flush_right(capsys: pytest.CaptureFixture[str]) -> None:
    show.say_table(("count", "of"), [("1", "a"), ("1,000", "b")], numbers=("count",))
    assert capsys.readouterr().out.splitlines()[1:] == ["    1  a", "1,000  b"]


@pytest.mark.parametrize("text", ["\x1b[31m", "a\nb", "\udcff", "\u202eabc", "\x9b1m"])
def test_nothing_unseen_reaches_the_screen(capsys: pytest.CaptureFixture[str], text: str) -> None:
    show.say(text)
    show.complain(text)
    show.say_table(("name",), [(text,)])
    out, err = capsys.readouterr()
    assert not set("\x1b\udcff\u202e\x9b") & set(out + err)
    assert err.count("\n") == 1


def test_json_keeps_letters(capsys: pytest.CaptureFixture[str]) -> None:
    show.say_json({"β": 1})
    assert capsys.readouterr().out == '{\n  "β": 1\n}\n'
    assert sys.stdout is not None


@pytest.mark.parametrize(
    ("called", "shown"),
    [
        ("bin/shoal", "bin/shoal verify out"),
        ("lib/shoal/__main__.py", f"{sys.executable} -m shoal verify out"),
        ("lib/shoal/cli/__main__.py", f"{sys.executable} -m shoal verify out"),
        ("lib/pytest/__main__.py", "shoal verify out"),
        ("notebook.py", "shoal verify out"),
    ],
)
def test_a_command_names_the_program_as_it_was_called(
    called: str, shown: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program that is not on the PATH would not be found by its name alone."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "argv", [called])
    assert show.command("verify", "out") == shown


def test_a_program_on_the_path_needs_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "shoal"
    program.touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "argv", [str(program)])
    assert show.command("verify", "out") == "shoal verify out"


def test_serious_warnings_are_marked_and_stand_first(capsys: pytest.CaptureFixture[str]) -> None:
    show.say_warnings(["one", "two", "three"], serious=2)
    show.warn("four", serious=True)
    show.warn("five")
    out, err = capsys.readouterr()
    assert out.splitlines() == ["Serious warning: one", "Serious warning: two", "Warning: three"]
    assert err.splitlines() == ["Serious warning: four", "Warning: five"]
