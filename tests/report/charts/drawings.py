"""Charts to draw, of every kind, with values that are difficult to draw."""

from __future__ import annotations

from shoal.report.document import Chart, ChartKind, Column, Table

LONG = "a rather long name of a category that does not fit beside its bar"


def chart(kind: ChartKind, columns: tuple[Column, ...], *rows: tuple[object, ...]) -> Chart:
    return Chart(kind, f"A chart of kind {kind}", "What it shows, in words.", Table(columns, rows))  # type: ignore[arg-type]


def examples() -> list[Chart]:
    """A chart of every kind."""
    share = ("share",)
    shares = tuple(Column(name, *share) for name in ("5 %", "median", "95 %", "table"))
    return [
        chart(
            "bars",
            (Column("Level"), Column("share of classes", "share"), Column("share of rows", "share")),
            *(("0", 0.5, 0.25), ("<b>&", 0.0, 0.031), (LONG, None, 1.0)),
        ),
        chart(
            "before-after",
            (Column("Measure"), Column("before", "share"), Column("after", "share")),
            *(("highest", 1.0, 0.2), ("average", 0.31, 0.31), (LONG, None, 0.05)),
        ),
        chart("ranges", (Column("Value"), *shares), ("flu", 0.1, 0.25, 0.6, 0.3), (LONG, 0.0, 0.0, 0.01, None)),
        chart(
            "histogram",
            (Column("from", "number"), Column("to", "number"), Column("input", "count"), Column("released", "count")),
            *((18, 30, 4, 2), (30, 50, 12, 13), (50, 90, 1, 0)),
        ),
        chart(
            "lines",
            (Column("step", "count"), Column("loss", "share"), Column("confidence", "share")),
            *((1, 1.0, None), (2, 0.5, 0.2), (3, 0.25, 0.4)),
        ),
        chart(
            "scatter",
            (
                Column("Release"),
                Column("loss", "share"),
                Column("risk", "share"),
                Column("not dominated", "verdict", "dominated"),
            ),
            *(("a", 0.1, 0.2, True), ("b", 0.1, 0.2, True), (LONG, 0.9, 0.01, False)),
        ),
        chart(
            "lattice",
            tuple(
                Column(*each)
                for each in (
                    ("Levels",),
                    ("Height", "count"),
                    ("Status",),
                    ("loss", "share"),
                    ("Released", "verdict"),
                )
            ),
            *(
                ("0 0", 0, "fails", 0.0, False),
                ("1 0", 1, "passes", 0.25, True),
                ("0 1", 1, "fails, inferred", None, False),
            ),
            ("1 1", 2, "passes, inferred", None, False),
        ),
    ]


def example(kind: ChartKind) -> Chart:
    return next(each for each in examples() if each.kind == kind)
