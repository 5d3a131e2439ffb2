"""The Spark session that the tests of engines share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.spark import MISSING, running


@pytest.fixture(scope="package")
def session() -> Iterator[Any]:
    if MISSING is not None:
        pytest.skip(f"needs {MISSING}")
    yield from running()
