"""How hypothesis runs here: no example fails for being slow, for how long one takes depends on what else is running.
And what several rooms of tests use."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from tests import browser as browsers
from tests import postgresql as servers
from tests.effort import examples
from tests.pets import TREE
from tests.spark import IS_CI, MISSING, running

settings.register_profile("shoal", deadline=None, max_examples=examples(100))
settings.load_profile("shoal")


@pytest.fixture(scope="session")
def pets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("pets") / "pets.csv"
    path.write_text("".join(f"{leaf};{kind};*\n" for leaf, kind in TREE.items()), encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def session() -> Iterator[Any]:
    """The Spark session that all tests of a process share: Java takes seconds to start."""
    if MISSING is not None and IS_CI:
        pytest.fail(f"needs {MISSING}")
    if MISSING is not None:
        pytest.skip(f"needs {MISSING}")
    yield from running()


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """The Chromium that all browser tests of a process share."""
    if browsers.MISSING is not None and IS_CI:
        pytest.fail(f"needs {browsers.MISSING}")
    if browsers.MISSING is not None:
        pytest.skip(f"needs {browsers.MISSING}")
    yield from browsers.running()


@pytest.fixture(scope="session")
def postgresql() -> Iterator[str]:
    """The URL of an empty database on a PostgreSQL server of its own, which all tests of a process share."""
    yield from servers.running()
