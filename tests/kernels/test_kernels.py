"""Where compiled code is kept: only in a folder that nobody else can write."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import shoal.kernels

CODE = """
import os, sys
from pathlib import Path
import numpy as np
import shoal.kernels
{work}
folder = Path(os.environ["NUMBA_CACHE_DIR"])
sys.stdout.write(f"{{folder}} {{any(folder.rglob('*.nbi'))}}")
"""


COMPILE = """
from shoal.kernels.distinct import first_places
first_places(np.zeros(3, np.uint32), 2)
"""


def cache_of(code: str = CODE.format(work=""), **environment: str) -> tuple[Path, bool]:
    """The cache of a process with this environment, and whether it contained compiled code."""
    usual = {name: value for name, value in os.environ.items() if not name.startswith(("NUMBA_", "XDG_"))}
    done = subprocess.run(
        [sys.executable, "-c", code], env={**usual, **environment}, capture_output=True, text=True, check=True
    )
    folder, _, filled = done.stdout.partition(" ")
    return Path(folder), filled == "True"


def test_the_usual_cache_is_private_and_stays(tmp_path: Path) -> None:
    folder, filled = cache_of(CODE.format(work=COMPILE), XDG_CACHE_HOME=str(tmp_path))
    assert folder.is_relative_to(tmp_path / "shoal") and filled
    assert folder.stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "shoal").stat().st_mode & 0o777 == 0o700
    assert cache_of(XDG_CACHE_HOME=str(tmp_path)) == (folder, True)


def others_may_write(folder: Path) -> None:
    folder.chmod(0o777)


def group_may_write(folder: Path) -> None:
    folder.chmod(0o770)


def is_someone_elses(folder: Path) -> None:
    os.chown(folder, 4711, 4711)


def is_below_someone_elses(folder: Path) -> None:
    os.chown(folder.parent, 4711, 4711)


def holds_someone_elses_file(folder: Path) -> None:
    os.chown(next(folder.rglob("*.nbi")), 4711, 4711)


def is_a_link(folder: Path) -> None:
    folder.rename(folder.with_name("real"))
    folder.symlink_to(folder.with_name("real"))


CHANGES: list[Callable[[Path], None]] = [
    others_may_write,
    group_may_write,
    is_someone_elses,
    is_below_someone_elses,
    holds_someone_elses_file,
    is_a_link,
]


@pytest.mark.parametrize("change", CHANGES)
def test_a_cache_that_others_can_write_is_not_used(tmp_path: Path, change: Callable[[Path], None]) -> None:
    usual, _ = cache_of(XDG_CACHE_HOME=str(tmp_path))
    (usual / "planted.nbi").write_text("")
    try:
        change(usual)
    except PermissionError:
        pytest.skip("only root may give a file to someone else")
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    folder, filled = cache_of(XDG_CACHE_HOME=str(tmp_path))
    assert not folder.is_relative_to(tmp_path) and not filled
    assert not folder.exists()  # it is removed at the end
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before


def test_a_chosen_cache_is_held_to_the_same(tmp_path: Path) -> None:
    assert cache_of(NUMBA_CACHE_DIR=str(tmp_path / "chosen")) == (tmp_path / "chosen", False)
    (tmp_path / "chosen").chmod(0o777)
    folder, _ = cache_of(NUMBA_CACHE_DIR=str(tmp_path / "chosen"))
    assert folder != tmp_path / "chosen" and not folder.exists()


def test_without_a_home_the_cache_is_temporary(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    folder, filled = cache_of(CODE.format(work=COMPILE), XDG_CACHE_HOME=str(tmp_path / "file"))
    assert filled and not folder.exists()


def test_the_command_line_removes_a_temporary_cache_too(tmp_path: Path) -> None:
    """It ends without the usual functions at the end of a process."""
    (tmp_path / "file").write_text("")
    (tmp_path / "tmp").mkdir()
    code = "import sys, shoal.kernels\nfrom shoal.cli import main\nsys.argv[1:] = ['--version']\nmain()"
    cache_of(code, XDG_CACHE_HOME=str(tmp_path / "file"), TMPDIR=str(tmp_path / "tmp"))
    assert not list((tmp_path / "tmp").iterdir())


def test_changed_kernels_have_another_cache(tmp_path: Path) -> None:
    """A kernel contains the parts that it calls from other modules."""
    from shoal.kernels import _usual_cache

    copy = tmp_path / "kernels"
    shutil.copytree(Path(shoal.kernels.__file__).parent, copy, ignore=shutil.ignore_patterns("__pycache__"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shoal.kernels, "__file__", str(copy / "__init__.py"))
        before = _usual_cache()
        (copy / "gain.py").write_text((copy / "gain.py").read_text() + "\n")
        assert _usual_cache() != before
