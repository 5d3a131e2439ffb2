"""The files of a release in its report."""

from __future__ import annotations

from tests.report.manifests import manifest, report, table


def test_every_file_has_its_hash() -> None:
    assert table(manifest(files={"release.csv": "ab" * 32}), "files").rows == (("release.csv", "ab" * 32),)
    assert report(manifest()).document.section("files") is None
