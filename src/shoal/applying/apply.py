"""Makes releases of new rows with the recoding of an earlier release; every promise is checked anew."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from shoal.applying.earlier import Earlier, read_earlier
from shoal.applying.labelling import labels_of
from shoal.coded.counted import Coded
from shoal.coded.partition import Partition
from shoal.coded.record import SearchRecord
from shoal.errors import OutputError, TableError
from shoal.manifest import MANIFEST
from shoal.pipeline import Search, Source, release_to, released_frame
from shoal.plan import Plan, ReleaseSettings
from shoal.progress import Progress, silent
from shoal.release.release import Release
from shoal.roles.columns import Data
from shoal.search.applying import applied
from shoal.table import is_url
from shoal.verification.folder import own_plan
from shoal.warnings import Warning


def apply(
    folder: str | Path,
    frame: Any,
    *,
    plan: Plan | None = None,
    suppression: float | None = None,
    title: str | None = None,
    progress: Progress = silent,
) -> Release:
    """Anonymizes a pandas, polars or pyarrow table with the recoding of the release in `folder`, without a search.

    A value gets the label that it would have in that release. Every promise of its plan is then checked on the new
    rows. Rows of classes that break one are suppressed, and so are rows with a value for which the recoding has no
    label, up to the limit of the plan or `suppression`; beyond it, CannotBeMet is raised. The private folder must lie
    beside `folder`; `plan` is the steward's plan, by default the one in it. `title`: that of the new
    release, by default the one of the plan. Only global recodings can be applied.
    """
    earlier = read_earlier(folder, plan)
    return released_frame(frame, _plan(earlier, suppression, title), progress, _search(earlier))


def apply_to(
    folder: str | Path,
    new: str | Path,
    out: str | Path,
    *,
    plan: Plan | None = None,
    suppression: float | None = None,
    title: str | None = None,
    new_persons: bool = False,
    force: bool = False,
    progress: Progress = silent,
) -> Release:
    """Anonymizes the table file `new` with the recoding of the release in `folder`, and saves it to `out`; see `apply`.

    The steward is warned that individuals may be in both tables, unless `new_persons` says that none is. With `force`,
    it replaces an earlier release in `out`, but no other file.
    """
    if Path(out).resolve() == Path(folder).resolve():
        raise OutputError(
            f"The release would replace '{out}', whose recoding it applies.", hint="name a separate folder for it."
        )
    if not is_url(new) and (Path(new) / MANIFEST).is_file():
        raise TableError(f"'{new}' is the folder of a release; name a table.")
    earlier = read_earlier(folder, plan)
    used = _plan(earlier, suppression, title).changed(data=_data(earlier, str(new)))
    warnings = () if new_persons else tuple(_overlap(earlier, Path(folder), Path(out)))
    return release_to(used, out, Source(), force=force, progress=progress, search=_search(earlier), warnings=warnings)


def keeps_title(folder: str | Path, release: Release) -> bool:
    """Whether a release has the title of the release in `folder`, which may say what is not true of its rows."""
    title = release.plan.release.title
    return title is not None and title == own_plan(Path(folder)).release.title


def _plan(earlier: Earlier, suppression: float | None, title: str | None) -> Plan:
    """The plan of the new release, with another limit on suppression or title if given; it is checked again."""
    given = {"suppression": suppression, "title": title}
    changes = {name: value for name, value in given.items() if value is not None}
    return earlier.plan.changed(release=ReleaseSettings(**{**earlier.plan.release.model_dump(), **changes}))


def _data(earlier: Earlier, new: str) -> Data:
    """How the new table is read: like that of the earlier release."""
    in_database = is_url(new)
    where = {"source": new} if in_database else {"source": str(Path(new).resolve()), "query": None}
    return earlier.plan.data.model_copy(update=where)


def _search(earlier: Earlier) -> Search:
    """The classes of a table that the labels of an earlier release give; it is read as the earlier one was."""

    def classes(coded: Coded, plan: Plan, progress: Progress) -> Partition:
        progress("search", 0.0)
        record = SearchRecord(recoding_of=earlier.digest)
        return applied(coded, plan.searched, plan.release.suppression, labels_of(coded, earlier), record)

    return Search(classes, earlier.notation)


def _overlap(earlier: Earlier, folder: Path, out: Path) -> Iterator[Warning]:
    remedy = (
        f"Hint: `shoal risk {folder} {out}` measures it; with --new-persons (new_persons=True) you state that no "
        "individual is in both."
    )
    yield Warning(
        f"Individuals of the release in '{earlier.name}' may be in the new table too. Whoever has both releases learns "
        "more about such an individual than each of them promises, because each is checked alone. "
        f"{remedy}",
        remedy=remedy,
    )
