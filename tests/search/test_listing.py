from __future__ import annotations

import pytest

from shoal.errors import PlanError
from shoal.models import AlphaK, KAnonymity
from shoal.search import listing
from shoal.search.lattice import Lattice
from shoal.search.listing import require_listable
from tests.search.test_lattice import table_of


def test_searches_that_list_recodings_refuse_what_they_could_not_prune_or_end(monkeypatch: pytest.MonkeyPatch) -> None:
    table = table_of("af", "ah", "bh")
    require_listable("samarati", Lattice(table.coded, [KAnonymity(k=2)]))
    with pytest.raises(PlanError, match=r"'samarati' needs models .*merged.*'optimal'"):
        require_listable("samarati", Lattice(table.coded, [AlphaK("disease", alpha=0.5, k=1)], 0.5))
    monkeypatch.setattr(listing, "LISTED_AT_MOST", 1)
    with pytest.raises(PlanError, match=r"'samarati' .* 2 recodings"):
        require_listable("samarati", Lattice(table.coded, [KAnonymity(k=2)]))
