"""What a preview of a hierarchy shows, and what it says about a hierarchy that does not fit."""

from __future__ import annotations

from shoal.counts import some_of
from shoal.errors import ShoalError
from shoal.roles.columns import Column
from shoal.studio.pages import parts
from shoal.studio.pages.parts import text
from shoal.studio.previews import FEWEST_ROWS, Preview

NEEDED = "Every value of the column must be in it."


def problem_of(found: Preview | None, problem: ShoalError | None) -> str:
    """Why the hierarchy cannot be used; empty if it can."""
    if problem is not None:
        return problem.fact
    return f"lacks {found.uncovered:,} values" if found is not None and found.uncovered else ""


def lacks(found: Preview) -> str:
    """Which values the hierarchy does not have; for private pages alone."""
    return f"The hierarchy does not have {found.uncovered:,} of the values: {some_of(found.lacking)}."


def show_preview(found: Preview | None, distinct: int, counted: int, settings: Column) -> None:
    """The levels, and what frequent values become; first of all, whether something is missing."""
    if found is None:
        text("Ranges are cut as fine as the models allow, when the plan runs. They have no levels to preview.", "soft")
        return
    if found.uncovered:
        parts.note(
            "bad",
            lacks(found),
            f"{NEEDED} Add them to the groups, or to the file.",
        )
        return
    if distinct > counted:
        parts.note(
            "care",
            f"This preview is partial: only the {counted:,} most frequent of {distinct:,} values are counted",
            "Labels have more rows than are shown here, and rare labels may be missing.",
        )
    limits = ("may be published",) if settings.limited else ()
    heads: tuple[str, ...] = ("level", "labels", "rows of the smallest", "frequent labels", *limits)
    rows = [
        (
            "values" if level.level == 0 else str(level.level),
            f"{level.labels:,}",
            f"{level.smallest:,}",
            level.examples or "–",
            *("yes" if _is_allowed(level.level, settings) else "no" for _ in limits),
        )
        for level in found.levels
    ]
    parts.table(heads, rows, numbers=heads[1:3], label="Levels")
    if found.paths:
        text("What the most frequent values become", tag="h3")
        heads = ("rows", *(_head(number, settings) for number in range(len(found.levels))))
        paths = [(f"{rows:,}", *path) for path, rows in found.paths]
        parts.table(heads, paths, numbers=("rows",), classes="sample", label="Frequent values")
    text(f"Labels of fewer than {FEWEST_ROWS} rows are counted, and not shown.", "soft small")


def _is_allowed(level: int, settings: Column) -> bool:
    """Whether a level may be published."""
    return settings.finest <= level and (settings.coarsest is None or level <= settings.coarsest)


def _head(level: int, settings: Column) -> str:
    """The head of a level in the table of frequent values.

    >>> _head(0, Column(role="quasi-identifier", finest=1)), _head(2, Column(role="quasi-identifier"))
    ('value (not published)', 'level 2')
    """
    name = f"level {level}" if level else "value"
    return name if _is_allowed(level, settings) else f"{name} (not published)"
