"""All forms: each is found by its kind, and says what it publishes."""

from __future__ import annotations

import pytest

from shoal import forms


@pytest.mark.parametrize("form", forms.ALL)
def test_a_form_is_found_by_its_kind(form: type[forms.Form]) -> None:
    found = forms.by_kind(form.kind)
    assert type(found) is form
    assert len(set(found.tables(("ill", "drug")))) == len(found.tables(("ill", "drug"))) > 0


def test_every_form_says_what_it_is() -> None:
    assert len({form.kind for form in forms.ALL}) == len(forms.ALL)
    assert all((form.__doc__ or "").strip() for form in forms.ALL)


def test_the_public_names_are_there() -> None:
    assert all(hasattr(forms, name) for name in forms.__all__)
