"""The small design system of the studio: cards, marks, boxes, tables and buttons that all pages share.

Text that comes from data or files is shown by labels or escaped here; no page writes HTML of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.errors import ShoalError
from shoal.studio.pages.toolkit import ui
from shoal.studio.states import Failure
from shoal.studio.wording import in_words, plain

if TYPE_CHECKING:
    from nicegui.element import Element

PRIVATE = "private: never publish"
PUBLIC = "may be published"


def box(classes: str, tag: str = "div") -> Element:
    """An element with classes of the style sheet; used as a context."""
    return ui.element(tag).classes(classes)


def text(content: str, classes: str = "", tag: str = "div") -> ui.label:
    """A text in an element of its own; the browser shows it as it is, never as markup."""
    label = ui.label(content).classes(classes)
    label.tag = tag
    return label


def head(title: str, lead: str, *, private: bool = False) -> None:
    """The title of a page, what it is for in a sentence, and whether it shows private data."""
    with box("head"):
        with box("titled"):
            text(title, tag="h1")
            if private:
                private_mark()
        text(lead, "lead")


def private_mark() -> None:
    """Marks what comes from the input and must not be published."""
    mark(PRIVATE, "private", "lock")


def public_mark() -> None:
    """Marks what was made to be published."""
    mark(PUBLIC, "public", "public")


def mark(words: str, kind: str = "", icon: str = "") -> Element:
    """A small badge."""
    with box(f"mark {kind}", "span") as badge:
        if icon:
            ui.icon(icon).props("aria-hidden=true")
        text(words)
    return badge


@contextmanager
def card(title: str = "", *, private: bool = False, public: bool = False, note: str = "") -> Iterator[Element]:
    """A card with a title and the mark of what it contains."""
    with box("card", "section") as element:
        if title:
            with box("titled"):
                text(title, tag="h2")
                if private:
                    private_mark()
                if public:
                    public_mark()
        if note:
            text(note, "soft small")
        yield element


def help_panel(paragraphs: Sequence[str], terms: Mapping[str, str] | None = None) -> None:
    """The panel "What does this mean?": plain words, and the terms that the page uses."""
    with box("help", "details"):
        text("What does this mean?", tag="summary")
        with box("inside"):
            for paragraph in paragraphs:
                text(paragraph)
            if terms:
                with box("meaning", "dl"):
                    for term, meaning in terms.items():
                        text(term, tag="dt")
                        text(meaning, tag="dd")


@contextmanager
def more(title: str, *, is_open: bool = False) -> Iterator[Element]:
    """Content that is shown on demand."""
    with box("more", "details") as element:
        if is_open:
            element.props("open")
        text(title, tag="summary")
        with box("inside"):
            yield element


@contextmanager
def asked(style: str) -> Iterator[ui.dialog]:
    """A dialog that opens at once, and is removed when it is closed."""
    with ui.dialog(value=True) as dialog, ui.card().classes("card").style(style):
        yield dialog
    dialog.on("hide", dialog.delete)


def note(kind: str, title: str, *lines: str) -> Element:
    """A box in the colour of its kind: `good`, `care`, `bad` or `sea`."""
    with box(f"box {kind}").props("role=status") as element:
        text(title, "title")
        for line in filter(None, lines):
            text(line)
    return element


def error_box(error: ShoalError | Failure, title: str = "") -> Element:
    """An error of Shoal: the fact, what is allowed, and what to do."""
    failure = in_words(error)
    with box("box bad").props("role=alert") as element:
        text(title or failure.error, "title")
        if title:
            text(failure.error)
        if failure.allowed:
            text(failure.allowed)
        if failure.hint:
            text(f"What to do: {failure.hint}", "hint")
    return element


def warning(found: Mapping[str, Any] | str) -> None:
    """A warning of the library: what it says and what to do about it; a serious one stands out."""
    entry = {"text": found} if isinstance(found, str) else found
    fact, remedy = plain(str(entry.get("text", ""))), plain(str(entry.get("remedy") or ""))
    is_serious = bool(entry.get("serious"))
    with box("box care" if is_serious else "box").props("role=status"):
        if is_serious:
            text("Serious: read this before you publish", "title")
        text(fact.removesuffix(remedy).rstrip() if remedy else fact)
        if remedy:
            text(f"What to do: {remedy[:1].lower()}{remedy[1:]}", "hint")


def warnings(found: Iterable[Mapping[str, Any] | str]) -> None:
    """Warnings, the serious ones first."""
    for each in sorted(found, key=lambda entry: isinstance(entry, str) or not entry.get("serious")):
        warning(each)


def on_rejected(upload: ui.upload, kinds: Iterable[str], elsewhere: Mapping[str, str] | None = None) -> None:
    """Says why the browser does not upload a file: its type, or its size. `elsewhere`: ending → what to do instead."""
    reasons = "(entries) => emit(entries.map((entry) => [entry.failedPropValidation, entry.file.name]))"
    names = ", ".join(kinds)

    def said(event: Any) -> None:
        rejected = [(str(reason), str(name)) for reason, name in event.args or ()]
        ending = next((Path(name).suffix.lower() for reason, name in rejected if reason == "accept"), None)
        refused = (elsewhere or {}).get(ending or "", f"Files of this type cannot be used here. Accepted: {names}.")
        words = "The file is too large." if ending is None else refused
        ui.notify(words, type="negative", multi_line=True, timeout=8000)

    upload.on("rejected", said, js_handler=reasons)


@contextmanager
def empty(icon: str, title: str, words: str) -> Iterator[None]:
    """The state of a page that has nothing to show yet, and what to do next."""
    with box("empty"):
        ui.icon(icon).props("aria-hidden=true")
        text(title, tag="h2")
        text(words, "text")
        yield


def figures(entries: Iterable[tuple[str, str, str]]) -> None:
    """Large figures: what they are, the value, and a remark."""
    with box("figures"):
        for label, value, remark in entries:
            with box("one"):
                text(label, "label")
                text(value, "value")
                if remark:
                    text(remark, "remark")


def primary(label: str, on_click: Callable[..., Any], icon: str = "") -> ui.button:
    """The one main action of a page."""
    return _button(label, on_click, icon, "primary")


def second(label: str, on_click: Callable[..., Any], icon: str = "") -> ui.button:
    """Another action."""
    return _button(label, on_click, icon, "second")


def danger(label: str, on_click: Callable[..., Any], icon: str = "") -> ui.button:
    """An action that ends or deletes something."""
    return _button(label, on_click, icon, "danger")


def quiet(label: str, on_click: Callable[..., Any], icon: str = "") -> ui.button:
    """An action that looks like a link."""
    return _button(label, on_click, icon, "quiet")


def _button(label: str, on_click: Callable[..., Any], icon: str, kind: str) -> ui.button:
    button = ui.button(label, on_click=on_click, color=None, icon=icon or None)
    return button.props("unelevated no-caps").classes(kind)


def table_html(
    heads: Sequence[str], rows: Iterable[Sequence[Any]], *, numbers: Iterable[str] = (), classes: str = ""
) -> str:
    """A table with every text escaped; a cell that is None is shown as missing, a tuple as texts that do not break."""
    right = {place for place, name in enumerate(heads) if name in set(numbers)}

    def cell(tag: str, place: int, value: Any, scope: str = "") -> str:
        shown = '<span class="missing">missing</span>' if value is None else _cell(value)
        kind = ' class="right"' if place in right else ""
        return f"<{tag}{kind}{scope}>{shown}</{tag}>"

    top = "".join(cell("th", place, name, ' scope="col"') for place, name in enumerate(heads))
    body = "".join(
        "<tr>" + "".join(cell("td", place, value) for place, value in enumerate(row)) + "</tr>" for row in rows
    )
    return f'<table class="cells {classes}"><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>'


def _cell(value: Any) -> str:
    if isinstance(value, tuple):
        return ", ".join(f'<span class="whole">{escape(str(each))}</span>' for each in value)
    return escape(str(value))


def table(
    heads: Sequence[str],
    rows: Iterable[Sequence[Any]],
    *,
    numbers: Iterable[str] = (),
    classes: str = "",
    label: str = "Table",
) -> ui.html:
    """A table that scrolls sideways if it is too wide; it can be reached with the keyboard."""
    content = ui.html(table_html(heads, rows, numbers=numbers, classes=classes)).classes("scroll")
    content.props["tabindex"] = "0"
    content.props["aria-label"] = label
    return content


def code(content: str) -> Element:
    """A text in a fixed-width font, as it is."""
    return ui.html(f'<pre class="code" tabindex="0">{escape(content)}</pre>')


def drawing(svg: str) -> Element:
    """An SVG that Shoal drew; the browser removes everything that could act."""
    return ui.html(svg).classes("drawn")


def to_step(path: str) -> None:
    """Goes to another step, without loading the page anew."""
    ui.navigate.to(path)


def bars(entries: Iterable[tuple[str, float, str, str]], *, classes: str = "") -> ui.html:
    """Horizontal bars: a label, the length from 0 to 1, and two figures; every text is escaped."""
    rows = "".join(
        f'<tr><th scope="row" title="{escape(label)}">{escape(label)}</th>'
        f'<td class="track"><i style="width: {100 * min(max(length, 0.0), 1.0):.1f}%"></i></td>'
        f"<td>{escape(figure)}</td><td>{escape(remark)}</td></tr>"
        for label, length, figure, remark in entries
    )
    return ui.html(f'<table class="bars {classes}"><tbody>{rows}</tbody></table>').classes("scroll")
