"""The steps of a specialization, replayed from the manifest."""

from __future__ import annotations

import polars as pl

import shoal
from shoal.studio.replaying import Replay


def test_the_last_step_shows_the_labels_of_the_release() -> None:
    frame = pl.DataFrame({"age": [20, 21, 40, 41, 60, 61] * 4, "sex": ["f", "m"] * 12})
    plan = shoal.Plan(
        columns={"age": shoal.quasi(), "sex": shoal.quasi()}, models=[shoal.KAnonymity(k=2)], algorithm=shoal.Pais()
    )
    release = shoal.anonymize(frame, plan)
    replay = Replay(release.manifest)
    assert len(replay) == len(release.steps) > 1
    first, last = replay.at(0), replay.at(len(replay))
    assert all([part.label for part in parts] == ["*"] for parts in first.values())
    for column, parts in last.items():
        assert [part.label for part in parts] == list(release.manifest.step_values[column])
        assert abs(sum(part.share for part in parts) - 1) < 1e-9
    step = release.steps[0]
    new = [part.label for part in replay.at(1)[step.column] if part.is_new]
    assert new == list(step.parts)


def test_a_release_without_steps_has_none() -> None:
    assert len(Replay(shoal.Manifest())) == 0
