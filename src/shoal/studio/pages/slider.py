"""The steps of a specialization with a slider: what every column shows after each, and the privacy and loss."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import Any

from shoal.manifest import Manifest
from shoal.percent import percent
from shoal.studio.pages import parts
from shoal.studio.pages.parts import box, text
from shoal.studio.pages.toolkit import ui
from shoal.studio.replaying import Replay, Shown

_LABELLED = 0.06
"""The share of a column from which a part has room for its label."""
_MOST = 120
"""Parts of a column that are drawn; of more, neighbours are drawn together."""


def show(manifest: Manifest) -> None:
    """The slider, the figures after the step, and one strip per column."""
    replay = Replay(manifest)
    last = len(replay)
    with parts.card("From nothing to the release, step by step", public=True):
        text(
            "At first, every column shows its most general label. Each step replaces one label by more precise ones, "
            "as long as all promises hold. Move the slider to see each step.",
            "soft",
        )
        with box("line"):
            _arrow("first_page", "Before the first step", lambda: slider.set_value(0))
            _arrow("chevron_left", "One step back", lambda: move(-1))
            slider = ui.slider(min=0, max=last, step=1, value=last).classes("grow")
            slider.props["aria-label"] = "Step"
            _arrow("chevron_right", "One step forward", lambda: move(1))
            _arrow("last_page", "The release", lambda: slider.set_value(last))
        title = text("", tag="h3")
        words = text("", "soft anywhere")
        figures = box("figures-live")
        strips = ui.html("").classes("strips")

    def move(by: int) -> None:
        slider.set_value(min(max(int(slider.value) + by, 0), last))

    def draw(number: int) -> None:
        step = replay.steps[number - 1] if number else None
        title.set_text(f"Step {number} of {last}" if step else f"Before the first of {last} steps")
        words.set_text(
            f"In '{step.column}', {step.value} became {', '.join(step.parts)}."
            if step
            else "Every column shows its most general label."
        )
        figures.clear()
        with figures:
            parts.figures(_figures(step))
        strips.set_content("".join(_strip(column, shown) for column, shown in replay.at(number).items()))

    slider.on_value_change(lambda event: draw(int(event.value)))
    draw(last)


def _arrow(icon: str, words: str, on_click: Callable[[], Any]) -> None:
    button = parts.second("", on_click, icon)
    button.props["aria-label"] = words
    button.tooltip(words)


def _figures(step: Any) -> list[tuple[str, str, str]]:
    if step is None:
        return [("Classes", "1", "all rows look alike"), ("Information loss", "100 %", "NCP")]
    found = [
        ("Classes", f"{step.classes:,}", "groups that look alike"),
        ("Smallest class", f"{step.smallest_class:,}", "rows"),
        ("Information loss", percent(step.ncp), "NCP"),
    ]
    if step.confidence is not None:
        found.append(("Largest confidence", percent(step.confidence), "in a sensitive value"))
    return found


def _strip(column: str, shown: list[Shown]) -> str:
    """A column as a strip of its parts, as wide as their share of the released values."""
    drawn = shown if len(shown) <= _MOST else shown[:: len(shown) // _MOST + 1]
    parts_ = "".join(
        f'<span class="{"new" if part.is_new else ""}" style="flex: {max(part.share, 0.001):.4f} 1 0" '
        f'title="{escape(part.label)}">{escape(part.label) if part.share >= _LABELLED else ""}</span>'
        for part in drawn
    )
    count = f"{len(shown):,} {'label' if len(shown) == 1 else 'labels'}"
    return (
        f'<div class="slots"><b title="{escape(column)}">{escape(column)}</b><div class="strip">{parts_}</div>'
        f'<span class="soft small">{count}</span></div>'
    )
