"""What the release does not protect against: the limits of its models, and those of all models."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.report.document import Block, Heading, Terms
from shoal.report.sections.base import Facts, ReportSection
from shoal.report.sections.promises import model_of

UNSTOPPED = (
    (
        "Minimality attack",
        "The algorithm and the plan are public. An intruder who knows that the algorithm generalizes no more than "
        "necessary can sometimes infer which rows made the generalization necessary.",
    ),
    (
        "Other releases",
        "Each release is verified separately. An intruder who intersects two releases of the same individuals can "
        "obtain classes that are smaller than either release promises.",
    ),
    (
        "Additional knowledge",
        "Every model makes an assumption about what an intruder knows. An intruder who knows more, such as a symptom, "
        "a date or a relative's illness, may learn more.",
    ),
)
"""The risks that no class model covers, whatever its parameters: a name and a short description."""


class Unprotected(ReportSection):
    """The limits of the plan's models, then those that no model removes."""

    key = "unprotected"
    title = "What is not protected"

    @classmethod
    def of(cls, facts: Facts) -> Sequence[Block]:
        kinds = dict.fromkeys(each.kind for each in facts.manifest.models)
        own = tuple((kind, model.about.not_protected) for kind in kinds if (model := model_of(kind)) is not None)
        general = (Heading("By any privacy model"), Terms(UNSTOPPED))
        return (Heading("By the models of this release"), Terms(own), *general) if own else general
