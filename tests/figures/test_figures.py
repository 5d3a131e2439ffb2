"""The figures of both reports, as a release computes them."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import shoal
from shoal.figures import Figures, PrivateFigures, PublicFigures
from shoal.release.saving import save
from tests.figures.releases import plan, released, table


def test_every_figure_may_be_absent() -> None:
    assert PublicFigures() == PublicFigures() and PrivateFigures() == PrivateFigures()


def test_the_figures_of_a_saved_release_are_those_in_memory(tmp_path: Path) -> None:
    release = released()
    written = save(release.draft, tmp_path / "out", timings={})
    assert isinstance(release.figures, Figures) and written.figures == release.figures


def test_figures_are_json() -> None:
    for figures in released(release=shoal.ReleaseSettings(title="Ages", approval={"number": "7"})).figures:
        assert json.loads(json.dumps(asdict(figures)))  # type: ignore[call-overload]


def test_figures_are_equal_on_local_and_stream_engines(tmp_path: Path) -> None:
    table().write_csv(tmp_path / "data.csv")
    given = plan(data=shoal.Data(source=str(tmp_path / "data.csv")))
    one, other = (shoal.anonymize_to(given, tmp_path / kind, engine=kind) for kind in ("local", "stream"))
    assert one.figures.public == other.figures.public and one.figures.private.columns == other.figures.private.columns
    assert one.figures.private.risk_before == other.figures.private.risk_before
