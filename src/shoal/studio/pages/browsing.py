"""The table files in the folders that the studio may read, and in the folders inside of them, to choose from."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from shoal.errors import ShoalError
from shoal.studio.pages import parts
from shoal.studio.pages.parts import box, text
from shoal.studio.pages.toolkit import ui
from shoal.studio.workspace import Workspace

if TYPE_CHECKING:
    from nicegui.element import Element

_LISTED = 200
_NOTE = "The folders that this studio was started with, and what was uploaded. The file stays there."
_NOTHING = (
    "There is no table here. The studio reads tables where they are in the folders of --allow: "
    "shoal studio PROJECT --allow FOLDER."
)


class Files:
    """The card with the files; `opened` is called with the path of the chosen one."""

    def __init__(self, workspace: Workspace, kinds: tuple[str, ...], opened: Callable[[str], None]) -> None:
        self._workspace = workspace
        self._kinds = kinds
        self._opened = opened
        with parts.card("Or open a file where it is", note=_NOTE) as self._card:
            self._place = box("stack")
        self._enter(None)

    def _enter(self, folder: Path | None) -> None:
        """Shows a folder; None: all folders that the studio may read, and the uploads."""
        self._place.clear()
        with self._place:
            try:
                listed = top(self._workspace) if folder is None else inside(self._workspace, folder)
            except ShoalError as error:
                parts.error_box(error)
                listed = []
            folders = [path for path in listed if path.is_dir()]
            files = [path for path in listed if path.suffix.lower() in self._kinds and path.is_file()]
            if folder is not None:
                with box("line"):
                    parts.quiet("Up", lambda: self._enter(above(self._workspace, folder)), "arrow_upward")
                    text(str(folder), "soft small anywhere")
            if not folders and not files:
                text(_NOTHING if folder is None else "There is no table in this folder.", "soft")
            with box("list"):
                for path in folders[:_LISTED]:
                    self._folder(path)
                for path in files[:_LISTED]:
                    self._file(path)
            if max(len(folders), len(files)) > _LISTED:
                text(f"Of files and of folders, the first {_LISTED} are listed.", "soft small")

    def _folder(self, path: Path) -> None:
        with box("entry", "button").on("click", lambda: self._enter(path)), box("line"):
            ui.icon("folder").props("aria-hidden=true")
            text(path.name, "name")

    def _file(self, path: Path) -> None:
        workspace = self._workspace
        is_upload = path.parent == workspace.project.uploads_folder
        with box("with-action"):
            with box("entry grow", "button").on("click", lambda: self._opened(str(path))):
                text(path.name, "name")
                text(f"{_size(path)} · {'uploaded' if is_upload else path.parent}", "text")
            if is_upload:
                _deleting(workspace, path, self._card)


def other_uploads(workspace: Workspace, kinds: tuple[str, ...]) -> None:
    """What else was uploaded, and can be deleted: a hierarchy may be a table that was uploaded by mistake."""
    tables = {path for path in workspace.uploaded_tables() if path.suffix.lower() in kinds}
    others = [path for path in workspace.project.uploads() if path not in tables]
    if not others:
        return
    with parts.card("Other uploaded files") as card, box("list"):
        for path in others:
            with box("with-action"):
                with box("entry grow").style("cursor: default"):
                    text(path.name, "name")
                    kind = "uploaded as a hierarchy" if workspace.is_hierarchy(path) else "uploaded"
                    text(f"{_size(path)} · {kind}", "text")
                _deleting(workspace, path, card)


def _deleting(workspace: Workspace, path: Path, card: Element) -> None:
    """The button that deletes an uploaded file."""
    if workspace.studio.limits.read_only_inputs:
        return
    button = parts.quiet("", lambda: _delete(workspace, path, card), "delete")
    button.props["aria-label"] = f"Delete {path.name}"


def _delete(workspace: Workspace, path: Path, card: Element) -> None:
    """Asks whether an uploaded file is deleted."""
    kind = "hierarchy" if workspace.is_hierarchy(path) else "file"
    with card, parts.asked("width: 32rem") as dialog:
        text(f"Delete '{path.name}'?", "anywhere", tag="h2")
        text(f"The uploaded copy is deleted. Plans and runs stay, but plans that read this {kind} cannot be run again.")

        async def delete() -> None:
            dialog.close()
            try:
                workspace.studio.delete_upload(path.name)
            except ShoalError as error:
                ui.notify(error.fact, type="negative")
                return
            await ui.context.client.sub_pages_router.refresh()

        with box("line end"):
            parts.second("Keep it", dialog.close)
            parts.danger("Delete", delete)


def top(workspace: Workspace) -> list[Path]:
    """The uploads, and what is in the folders that the studio may read; a folder that cannot be read has nothing."""
    found: list[Path] = []
    for root in workspace.studio.places.roots:
        is_home = root == workspace.studio.places.home
        try:
            listed = inside(workspace, root)
        except ShoalError:
            continue
        found += [*workspace.uploaded_tables(), *_files(listed)] if is_home else listed
    return found


def inside(workspace: Workspace, folder: Path) -> list[Path]:
    """What is in a folder, without the folder of the project itself; raises if it may not be read."""
    home = workspace.studio.places.home
    return [path for path in workspace.studio.places.listed(folder) if path.resolve() != home]


def above(workspace: Workspace, folder: Path) -> Path | None:
    """The folder that contains a folder; None if that one is not in the folders that the studio may read, or is one."""
    roots = workspace.studio.places.roots
    is_inner = any(folder.parent.is_relative_to(root) and folder.parent != root for root in roots)
    return folder.parent if is_inner else None


def _files(listed: Iterable[Path]) -> list[Path]:
    return [path for path in listed if path.is_file()]


def _size(path: Path) -> str:
    size = float(path.stat().st_size)
    for unit in ("B", "kB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"
