"""Pages for those who have no session: they load nothing, run nothing, and quote nothing as markup."""

from __future__ import annotations

from shoal.studio.plain_pages import go_on, missing, other_address, sign_in


def test_they_are_documents_that_load_nothing_and_are_readable_in_the_dark() -> None:
    for page in (sign_in("Enter it."), go_on(), other_address(), missing()):
        assert page.startswith("<!doctype html>") and page.endswith("</html>")
        assert "<script" not in page and "src=" not in page and "://" not in page
        assert "prefers-color-scheme:dark" in page


def test_signing_in_says_where_the_token_is() -> None:
    page = sign_in("<b>")
    assert "&lt;b&gt;" in page and ".scratch/token" in page and 'name="token"' in page
    assert 'action="/login"' in page and 'content="same-origin"' in page


def test_each_says_how_to_go_on() -> None:
    assert "shoal studio" in other_address() and 'href="/"' in missing() and 'href="/"' in go_on()
