"""Terminal output: lines, tables and JSON. Text from a table can neither act as markup nor move the cursor."""

from __future__ import annotations

import json
import shlex
import shutil
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from shoal.counts import counted

if TYPE_CHECKING:
    from shoal.models.evidence import Verdict

NARROW = 120
PIPED_WIDTH = 160
"""The width of tables that are not printed to a terminal: wide enough to keep a row on one line."""


def printable(text: str) -> str:
    r"""The text with every non-printable character escaped.

    >>> printable("a\x1b[2Jb")
    'a\\x1b[2Jb'
    """
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode("ascii") for char in text)


def say(line: str = "") -> None:
    """Prints a line of the result on stdout; the terminal wraps it."""
    typer.echo(printable(line))


def warn(sentence: str, *, serious: bool = False) -> None:
    """Prints a warning on stderr, apart from machine-readable output."""
    typer.echo(f"{_called(serious)}: {printable(sentence)}", err=True)


def say_warnings(warnings: Sequence[str], serious: int) -> None:
    """Prints the warnings of a result on stdout; the first `serious` ones are called so."""
    for place, sentence in enumerate(warnings):
        say(f"{_called(place < serious)}: {sentence}")


def _called(serious: bool) -> str:
    return "Serious warning" if serious else "Warning"


def say_serious(warnings: int, *, publishes: bool = True) -> None:
    """Prints, as the headline of a result, that serious warnings stand; `publishes`: whether it leads to a release."""
    if warnings and publishes:
        what = counted(warnings, "serious warning stands", "serious warnings stand")
        say(f"Do not publish yet: {what}. See the warnings below.")
    elif warnings:
        say(f"{counted(warnings, 'serious warning', 'serious warnings')}: see below.")


def complain(paragraph: str) -> None:
    """Prints an error as one paragraph on stderr."""
    typer.echo(f"Error: {printable(' '.join(paragraph.split()))}", err=True)


def say_json(value: Any) -> None:
    """Prints the result as one JSON value on stdout."""
    typer.echo(json.dumps(value, indent=2, ensure_ascii=False, default=str))


def say_table(headers: Sequence[str], rows: Iterable[Sequence[str]], numbers: Sequence[str] = ()) -> None:
    """Prints a table on stdout; the columns named in `numbers` are right-aligned."""
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


def is_narrow() -> bool:
    """Whether output goes to a terminal on which wide tables would break words."""
    return sys.stdout.isatty() and shutil.get_terminal_size().columns < NARROW


def command(*words: object) -> str:
    """A `shoal` command line, quoted for a shell, with the program as it was called.

    >>> command("verify", "my release")
    "shoal verify 'my release'"
    """
    return shlex.join([*_program(), *map(str, words)])


def _program() -> list[str]:
    """The words that call this program again: a program that is not on the PATH needs its folder."""
    called = Path(sys.argv[0])
    if called.name == "__main__.py" and called.parent.name in ("shoal", "cli"):
        return [sys.executable, "-m", "shoal"]
    found = shutil.which("shoal")
    if called.stem != "shoal" or (found and Path(found).resolve() == called.resolve()):
        return ["shoal"]
    return [sys.argv[0]]


def say_models(verdicts: Iterable[Verdict]) -> None:
    """Prints what every model required and what was achieved."""
    from shoal.verification.wording import HEADERS, model_row

    say_table(HEADERS, [model_row(each) for each in verdicts])
