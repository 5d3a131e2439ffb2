"""Disclosure: the classes whose sensitive values all lie in one group, and so reveal it without a link to a row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, cast

from shoal.counts import some_of
from shoal.progress import Progress
from shoal.risks.base import Comparison, Figures, Limit, Sample


class Disclosure:
    """The classes and rows that disclose a protected node or a value of a sensitive column, by level of its hierarchy.

    A class discloses a node if all of its values lie under it and none is missing. `classes`, `rows` and their `share`
    count classes that disclose a strong ancestor: the highest protected node above their values, or a value outside of
    all protected nodes. `columns` has, for every level and for the strong ancestors, also the classes with fewer than p
    different groups.
    Paper: Campan, Truta, Extended p-sensitive k-anonymity, Studia Univ. Babeș-Bolyai Informatica 51(2), 2006.
    """

    name: ClassVar[str] = "disclosure"
    about: ClassVar[str] = "rows in classes that disclose a protected node or a value of a sensitive column"
    compares: ClassVar[Comparison] = "equality"
    limits: ClassVar[Mapping[str, Limit]] = {"disclosing": Limit("share")}

    def lacks(self, sample: Sample) -> str:
        if sample.audit is None:
            return "No sensitive column of the plan has a hierarchy."
        unread = cast(Sequence[str], sample.audit.get("unread", ()))
        if not unread:
            return ""
        return (
            f"The hierarchy file of column {some_of(unread)} is not at hand. Hint: use the plan of the "
            "release, next to its hierarchies."
        )

    def of(self, sample: Sample, _progress: Progress) -> Figures:
        assert sample.audit is not None, "the measure lacks an audit"
        return sample.audit
