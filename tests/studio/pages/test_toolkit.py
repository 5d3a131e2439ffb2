"""NiceGUI is imported when it is used."""

from __future__ import annotations

import subprocess
import sys


def test_pages_are_imported_without_nicegui() -> None:
    code = "import sys, shoal.studio.pages.frame; sys.stdout.write(str('nicegui' in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False"


def test_names_are_those_of_nicegui() -> None:
    import nicegui

    from shoal.studio.pages.toolkit import run, ui

    assert ui.label is nicegui.ui.label and run.io_bound is nicegui.run.io_bound
