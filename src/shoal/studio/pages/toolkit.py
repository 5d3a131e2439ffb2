"""The parts of NiceGUI that pages use, imported when the first page is built: Shoal can be imported without them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nicegui import run, ui
else:

    class _Later:
        """A module of which the names are looked up when they are used."""

        def __init__(self, name: str) -> None:
            self._name = name

        def __getattr__(self, name: str) -> Any:
            import nicegui

            return getattr(getattr(nicegui, self._name), name)

    ui = _Later("ui")
    run = _Later("run")

__all__ = ["run", "ui"]
