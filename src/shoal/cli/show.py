"""What the terminal shows: lines, tables, JSON. Nothing in a table can pose as markup or move the cursor."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from shoal.models.evidence import Verdict

PIPED_WIDTH = 160
"""How wide tables are where no terminal says: wide enough that a program finds a row on one line."""


def printable(text: str) -> str:
    r"""The text with every character that is not to be seen written out.

    >>> printable("a\x1b[2Jb")
    'a\\x1b[2Jb'
    """
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode("ascii") for char in text)


def say(line: str = "") -> None:
    """A line of the answer, on stdout; the terminal wraps it."""
    typer.echo(printable(line))


def warn(sentence: str) -> None:
    """A warning beside an answer for a program, on stderr."""
    typer.echo(f"Warning: {printable(sentence)}", err=True)


def complain(paragraph: str) -> None:
    """An error as one paragraph, on stderr."""
    typer.echo(f"Error: {printable(' '.join(paragraph.split()))}", err=True)


def say_json(value: Any) -> None:
    """The answer for a program: one JSON value on stdout."""
    typer.echo(json.dumps(value, indent=2, ensure_ascii=False, default=str))


def say_table(headers: Sequence[str], rows: Iterable[Sequence[str]], numbers: Sequence[str] = ()) -> None:
    """A table on stdout; columns named in `numbers` are set flush right."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    width = None if sys.stdout.isatty() else PIPED_WIDTH
    console = Console(file=sys.stdout, width=width, highlight=False, markup=False, emoji=False)
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for header in headers:
        table.add_column(Text(header), justify="right" if header in numbers else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(printable(cell)) for cell in row))
    with console.capture() as drawn:
        console.print(table)
    for line in drawn.get().splitlines():
        typer.echo(line.rstrip())


def command(*words: object) -> str:
    """A command line that a shell reads as these words.

    >>> command("verify", "my release")
    "shoal verify 'my release'"
    """
    return shlex.join(["shoal", *map(str, words)])


def say_models(verdicts: Iterable[Verdict]) -> None:
    """What every model asked for and what was achieved."""
    from shoal.report.view import folded

    rows = [
        (each.kind, str(each.parameters.get("column", "")), asked(each), listed(folded(each.achieved)), outcome(each))
        for each in verdicts
    ]
    say_table(("model", "column", "asked", "achieved", ""), rows)


def asked(verdict: Verdict) -> str:
    """The parameters of a verdict, without the column, which stands by itself."""
    return listed({name: value for name, value in verdict.parameters.items() if name != "column"})


def outcome(verdict: Verdict) -> str:
    """Whether a promise holds; where it does not, in how many classes, or combinations of what an intruder knows."""
    if verdict.holds:
        return "holds"
    from shoal import models

    what = "combinations" if models.by_kind(verdict.kind).judges_table else "classes"
    return f"DOES NOT HOLD in {verdict.failing:,} {what}"


def listed(values: Mapping[str, Any]) -> str:
    """Names and values in a row, for people.

    >>> listed({"k": 5, "alpha": 1 / 3, "values": ["IV"]})
    'k = 5, alpha = 0.333333, values = [IV]'
    """
    return ", ".join(f"{name} = {_readable(value)}" for name, value in values.items())


def _readable(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    return f"[{', '.join(map(str, value))}]" if isinstance(value, list | tuple) else str(value)
