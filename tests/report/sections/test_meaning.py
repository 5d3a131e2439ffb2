"""What models promise, in words."""

from __future__ import annotations

import pytest

from shoal import models
from tests.report.manifests import manifest, table


@pytest.mark.parametrize("cls", models.ALL, ids=lambda cls: cls.kind)
def test_every_model_is_explained_once(cls: type[models.ClassModel]) -> None:
    model = {"kind": cls.kind, "achieved": {}, "holds": True}
    shown = table(manifest(models=[model, model]), "meaning")
    assert shown.rows == ((cls.kind, cls.about.promise, cls.about.paper),)
