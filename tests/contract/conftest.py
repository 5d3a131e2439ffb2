"""Hierarchy files, written once."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.contract.tables import write_trees


@pytest.fixture(scope="session")
def trees(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("trees")
    write_trees(folder)
    return folder
