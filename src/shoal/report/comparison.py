"""A comparison of releases: what each protects, risks and loses, as a table and as a drawing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

from shoal import markup
from shoal.counts import counted, some_of
from shoal.estimating.query_error import QUERIES
from shoal.models.evidence import Verdict
from shoal.percent import percent
from shoal.report.scatter import Point, scatter
from shoal.report.sections.promises import bounded, model_name

SEVERAL = "whoever has several releases of the same people learns more than each of them promises."
ONE_ONLY = f"Publish one of them only: {SEVERAL}"
ONE_OF_EACH = (
    f"Of releases of the same table, publish one only: {SEVERAL} If individuals are in several of the tables, "
    "`shoal risk OLD NEW` measures what two releases reveal together."
)
ANATOMY = (
    "An anatomy publishes exact quasi-identifiers: its risk is that of finding a row, whose sensitive value is hidden "
    "among those of its class."
)
QUERIED = (
    f"Query error: the mean relative error of {QUERIES:,} random COUNT queries about all rows. The steward's report of "
    "a release estimates it with fewer queries, in large tables on a sample of the rows, so its figure differs."
)


@dataclass(frozen=True)
class Compared:
    """One release.

    `problems`: what verification found wrong; a release with problems is never preferred. `highest_risk` and
    `average_risk`: the prosecutor risk of the released rows. `ncp`: the information loss, in which suppressed rows
    count as lost. `query_error`: the mean relative error of COUNT queries, if the input was given. `seconds`: the time
    that the release took, if its private folder is there. `quasi_identifiers`: those that it publishes. `columns`: all
    columns that it publishes.
    """

    name: str
    algorithm: str
    form: str
    models: tuple[Verdict, ...]
    rows_in: int
    rows_released: int
    classes: int
    highest_risk: float
    average_risk: float
    ncp: float
    discernibility_ratio: float
    query_error: float | None = None
    seconds: float | None = None
    problems: tuple[str, ...] = ()
    quasi_identifiers: tuple[str, ...] = ()
    counts_rows: bool = False
    """Whether its risk counts rows, although its plan counts individuals: the risk of an individual can be higher."""
    columns: tuple[str, ...] = ()

    @classmethod
    def unreadable(cls, name: str, problem: str) -> Compared:
        """A release whose folder cannot be read: nothing is known of it, so the worst is assumed."""
        return cls(name, "", "", (), 0, 0, 0, 1.0, 1.0, 1.0, 1.0, problems=(problem,))

    @property
    def is_readable(self) -> bool:
        """Whether anything is known of the release."""
        return self.rows_in > 0

    @property
    def holds(self) -> bool:
        """Whether the release is complete and keeps its promises."""
        return not self.problems

    @property
    def suppressed(self) -> float:
        """The share of the rows that were not released."""
        return 1 - self.rows_released / self.rows_in if self.rows_in else 0.0

    def is_alike(self, other: Compared) -> bool:
        """Whether both may be releases of the same table: of as many rows, and with a column in common."""
        return self.rows_in == other.rows_in and not self.is_unrelated(other)

    def is_unrelated(self, other: Compared) -> bool:
        """Whether they have no column in common."""
        return bool(self.columns and other.columns) and not set(self.columns) & set(other.columns)

    def beats(self, other: Compared) -> bool:
        """Whether it risks and loses no more than another release, and less of at least one of both.

        A release that lacks quasi-identifiers of the other, or seems to be of another table, is not better: a column
        that is not published costs nothing in the loss. Nor is one whose risk counts rows, if that of the other counts
        individuals.
        """
        if not self.is_alike(other) or not set(self.quasi_identifiers) >= set(other.quasi_identifiers):
            return False
        if self.counts_rows and not other.counts_rows:
            return False
        mine, theirs = (self.average_risk, self.ncp), (other.average_risk, other.ncp)
        return all(one <= two for one, two in zip(mine, theirs, strict=True)) and mine != theirs


@dataclass(frozen=True)
class Comparison:
    """Releases side by side. Average risk and information loss decide which ones are dominated."""

    releases: tuple[Compared, ...]

    def dominated_by(self, release: Compared) -> Compared | None:
        """A verified release that risks and loses no more, and less of one of both; None if there is none."""
        return next((each for each in self.releases if each.holds and each.beats(release)), None)

    @property
    def front(self) -> tuple[Compared, ...]:
        """The verified releases that no other dominates, the one with the least loss first."""
        kept = [each for each in self.releases if each.holds and self.dominated_by(each) is None]
        return tuple(sorted(kept, key=lambda each: (each.ncp, each.average_risk)))

    def to_json(self) -> dict[str, Any]:
        """The comparison as JSON values."""
        return {
            "releases": [self._as_dict(each) for each in self.releases],
            "front": [each.name for each in self.front],
        }

    def _as_dict(self, release: Compared) -> dict[str, Any]:
        dominating = self.dominated_by(release)
        return {
            **asdict(release),
            "models": [verdict.to_json() for verdict in release.models],
            "holds": release.holds,
            "suppressed": release.suppressed,
            "dominated_by": None if dominating is None else dominating.name,
        }

    @property
    def head(self) -> tuple[str, ...]:
        """The headers of the table."""
        errors = ("query error",) if self._has_errors else ()
        times = ("seconds",) if self._has_times else ()
        figures = ("highest risk", "average risk", "NCP", "suppressed", "classes", *errors, *times)
        return "release", "algorithm", "achieved", *figures, ""

    @property
    def _has_errors(self) -> bool:
        return any(each.query_error is not None for each in self.releases)

    @property
    def _has_times(self) -> bool:
        return any(each.seconds is not None for each in self.releases)

    def table(self) -> list[tuple[str, ...]]:
        """The rows of the table below `head`, one for every release."""
        return [self._row(each) for each in self.releases]

    def _row(self, release: Compared) -> tuple[str, ...]:
        errors = (_share(release.query_error),) if self._has_errors else ()
        times = ("–" if release.seconds is None else f"{release.seconds:.1f}",) if self._has_times else ()
        shares = (release.highest_risk, release.average_risk, release.ncp, release.suppressed)
        known = (*map(percent, shares), f"{release.classes:,}") if release.is_readable else ("–",) * 5
        figures = (*known, *errors, *times)
        return release.name, release.algorithm, _achieved(release.models), *figures, self._remark(release)

    def _remark(self, release: Compared) -> str:
        if not release.holds:
            return "does not verify"
        dominating = self.dominated_by(release)
        return "" if dominating is None else f"{dominating.name} is better"

    def sentences(self) -> list[str]:
        """What the table cannot show: which releases remain, which do not verify, and what comparing does not tell."""
        front = [each.name for each in self.front]
        wrong = [f"'{each.name}' does not verify: {each.problems[0]}" for each in self.releases if not each.holds]
        what = counted(len(self.releases), "release", "releases")
        kept = f"{what}. Not dominated: {some_of(front)}." if front else f"{what}. None of them verifies."
        exact = any(each.form == "anatomy" for each in self.releases)
        about = [*([ANATOMY] if exact else []), *([QUERIED] if self._has_errors else [])]
        others = self._other_tables()
        unlike = others or self._unlike()
        return [kept, *wrong, *unlike, *self._in_rows(), *about, ONE_OF_EACH if others else ONE_ONLY]

    def _other_tables(self) -> list[str]:
        """A warning if the releases seem to be of different tables."""
        rows = sorted({each.rows_in for each in self.releases if each.is_readable})
        pairs = combinations(self.releases, 2)
        unrelated = next(((one.name, other.name) for one, other in pairs if one.is_unrelated(other)), None)
        signs = [f"their inputs have {_listed(rows)} rows"] if len(rows) > 1 else []
        signs += [f"{some_of(unrelated)} have no column in common"] if unrelated else []
        if not signs:
            return []
        return [
            f"The releases seem to be of different tables: {', and '.join(signs)}. Only releases of one table can be "
            "compared: none is marked as better than one of another table."
        ]

    def _in_rows(self) -> list[str]:
        """A warning if a risk counts rows where individuals may have several."""
        names = [each.name for each in self.releases if each.counts_rows]
        if not names:
            return []
        return [
            f"The risk of {some_of(names)} counts rows. The plan counts individuals, who may have several: their risk "
            "can be higher. The private folder, if it is beside the release, tells it."
        ]

    def _unlike(self) -> list[str]:
        """A warning if the releases do not have the same quasi-identifiers."""
        readable = [each for each in self.releases if each.is_readable]
        columns = dict.fromkeys(name for each in readable for name in each.quasi_identifiers)
        lacking = [name for name in columns if not all(name in each.quasi_identifiers for each in readable)]
        if not lacking:
            return []
        return [
            f"Risk and {'errors' if self._has_errors else 'NCP'} do not compare like with like: not every release "
            f"publishes as quasi-identifiers {some_of(lacking)}. A column that a release does not publish costs "
            f"nothing in its NCP{', and no query asks about it' if self._has_errors else ''}."
        ]

    def svg(self) -> str:
        """A drawing of risk against information loss, in which dominated releases are grey."""
        front = {id(each) for each in self.front}
        points = [
            Point(each.name, each.ncp, each.average_risk, id(each) in front, self._tip(each))
            for each in self.releases
            if each.is_readable
        ]
        titles = ("information loss (NCP)", "average risk of re-identification")
        return scatter("Risk against information loss", points, *titles, label=" ".join(self.sentences()))

    def _tip(self, release: Compared) -> str:
        remark = self._remark(release)
        figures = f"{release.name}: risk {percent(release.average_risk)}, loss {percent(release.ncp)}"
        return f"{figures}; {remark}" if remark else figures

    def __str__(self) -> str:
        return as_text([self.head, *self.table()], self.sentences())

    def _repr_html_(self) -> str:
        figures = self.head[3:-1]
        table = markup.table(self.head, self.table(), numbers=figures)
        return markup.fragment(table, markup.paragraphs(self.sentences()), self.svg())


def as_text(rows: Sequence[Sequence[str]], sentences: Sequence[str]) -> str:
    """A table, its headers first, with aligned columns, and sentences below it."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return "\n".join([*lines, *sentences])


def _listed(rows: Sequence[int]) -> str:
    """Numbers of rows, in words."""
    *some, last = (f"{number:,}" for number in rows)
    return f"{', '.join(some)} and {last}"


def _share(value: float | None) -> str:
    return "–" if value is None else percent(value)


def _achieved(models: tuple[Verdict, ...]) -> str:
    """What every model achieved, with its column: `k-anonymity 5; lkc of ill support 10, confidence 0.375`."""
    return "; ".join(_finding(verdict) for verdict in models)


def _finding(verdict: Verdict) -> str:
    """A model with the figures that its parameters bound; a single one needs no name, if it has that of a parameter."""
    figures = bounded(verdict)
    shown = ", ".join(f"{name.replace('_', ' ')} {_figure(value)}" for name, value in figures.items())
    if len(figures) == 1:
        ((name, value),) = figures.items()
        shown = _figure(value) if name.split("_")[0] in verdict.parameters else shown
    return f"{model_name(verdict)} {shown}".rstrip()


def _figure(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:.3g}"
