from __future__ import annotations

from shoal.regulation.base import NOT_A_JUDGEMENT, Line, Section, View


def test_a_view_is_text_and_json() -> None:
    line = Line("Rows", "two.", "found", {"rows": 2})
    view = View("gdpr", "Title", (Section("One", "About.", (line,)),), ("A source.",))
    assert view.text() == f"Title\n\nOne\nAbout.\n- Rows: two.\n\nSources: A source.\n\n{NOT_A_JUDGEMENT}"
    (section,) = view.to_json()["sections"]
    assert section == {
        "title": "One",
        "about": "About.",
        "lines": [{"what": "Rows", "result": "two.", "status": "found", "rows": 2}],
    }
