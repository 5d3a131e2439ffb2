"""What is not protected."""

from __future__ import annotations

from shoal.models import KAnonymity
from shoal.report.document import Terms
from shoal.report.sections.unprotected import UNSTOPPED
from tests.report.manifests import manifest, section


def test_the_limits_of_each_model_and_of_all_models_are_named() -> None:
    own, general = (each for each in section(manifest(), "unprotected").blocks if isinstance(each, Terms))
    assert own.terms[0] == ("k-anonymity", KAnonymity.about.not_protected) and general.terms == UNSTOPPED
    assert [each for each in section({}, "unprotected").blocks if isinstance(each, Terms)] == [general]
