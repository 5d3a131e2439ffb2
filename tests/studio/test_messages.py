"""What programs send is checked: unknown keys and impossible values are errors."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from shoal.studio.messages import CompareAsked, ProfileAsked, RiskAsked, SampleAsked, SuggestAsked


def test_unknown_keys_are_errors() -> None:
    assert SampleAsked(source="a.csv").reading() == {"separator": None, "header": None, "sheet": None, "query": None}
    for wrong in ({"source": "a", "row": 5}, {"source": "a", "rows": -1}, {}):
        with pytest.raises(ValidationError):
            SampleAsked.model_validate(wrong)
    with pytest.raises(ValidationError):
        ProfileAsked(source="a", purpose="fun")  # type: ignore[arg-type]
    with pytest.raises(ValidationError):
        CompareAsked(releases=["one"])
    with pytest.raises(ValidationError):
        RiskAsked(data="a", sampling_fraction=2)


@pytest.mark.parametrize("seed", [-1, 2**32, 10**30])
def test_seeds_are_bounded(seed: int) -> None:
    assert RiskAsked(data="a").seed == 0 and RiskAsked(data="a", seed=2**32 - 1)
    with pytest.raises(ValidationError):
        RiskAsked(data="a", seed=seed)
    with pytest.raises(ValidationError):
        SuggestAsked(plan="", seed=seed)
