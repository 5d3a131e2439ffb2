"""Forms made from the fields of a model, an algorithm or a hierarchy, each with its meaning and what is allowed."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from shoal.roles.described import Parameter, parameters
from shoal.studio.pages.parts import box, more, text
from shoal.studio.pages.toolkit import ui
from shoal.studio.wording import label_of
from shoal.studio.working_plan import role_asked

if TYPE_CHECKING:
    from nicegui.element import Element

_LISTED = ("widths", "steps")
"""Parameters that are lists of numbers."""


@dataclass(frozen=True)
class Choices:
    """What a form offers: the columns by role, and the values of a column."""

    columns: Callable[[str], Sequence[str]] = lambda _role: ()
    values: Callable[[str], Sequence[str]] = lambda _column: ()
    lists: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Parameter → what a list of texts may contain."""


class Form:
    """The fields of a class; `on_change` is called with the table of the plan after each change."""

    def __init__(
        self, cls: Any, given: Mapping[str, Any], choices: Choices, on_change: Callable[[dict[str, Any]], None]
    ) -> None:
        self._cls = cls
        self._values = {name: value for name, value in given.items() if name != "kind"}
        self._choices = choices
        self._on_change = on_change
        needed = [each for each in parameters(cls) if each.required]
        optional = [each for each in parameters(cls) if not each.required]
        if needed:
            with box("fields"):
                for parameter in needed:
                    self._field(parameter)
        if optional:
            is_open = not needed or any(each.name in self._values for each in optional)
            with more("More settings", is_open=is_open) as panel:
                place = box("fields")
            if is_open:
                self._fill(place, optional)
            else:  # most are never opened, and each field takes the browser some milliseconds
                panel.on("toggle", lambda: self._fill(place, optional))

    @property
    def table(self) -> dict[str, Any]:
        """What is set so far, as in a plan."""
        return {"kind": self._cls.kind, **self._values}

    def _fill(self, place: Element, fields: Sequence[Parameter]) -> None:
        """Shows fields in their place, once."""
        if not place.default_slot.children:
            with place:
                for parameter in fields:
                    self._field(parameter)

    def _set(self, parameter: Parameter, value: Any) -> None:
        name = parameter.name
        is_default = not parameter.required and value == parameter.default
        if value in (None, "", []) or is_default:
            self._values.pop(name, None)
        else:
            self._values[name] = value
        self._on_change(self.table)

    def _field(self, parameter: Parameter) -> None:
        current = self._values.get(parameter.name, parameter.default)
        with box("stack-field"):
            if bool in parameter.types:
                switch = ui.switch(label_of(parameter.name), value=bool(current))
                switch.on_value_change(lambda event: self._set(parameter, bool(event.value)))
                text(parameter.plain_meaning, "field-hint")
            else:
                self._made(parameter, current).props("outlined dense")
                text(f"{parameter.plain_meaning} Allowed: {parameter.plain_allowed}.", "field-hint")

    def _made(self, parameter: Parameter, current: Any) -> Any:
        label = label_of(parameter.name)
        if parameter.words:
            return ui.select(list(parameter.words), value=current, label=label, on_change=self._taken(parameter))
        if parameter.name == "column":
            options = offered(self._choices.columns(role_asked(parameter)), [current] if current else [])
            return ui.select(options, value=current or None, label=label, on_change=self._taken(parameter))
        if parameter.name == "columns":
            chosen = list(current or ())
            options = offered(self._choices.columns(role_asked(parameter)), chosen)
            return ui.select(options, value=chosen, label=label, multiple=True, on_change=self._taken(parameter))
        if tuple in parameter.types and parameter.name not in _LISTED:
            return self._list(parameter, current, label)
        if tuple in parameter.types:
            return self._text(parameter, ", ".join(f"{each:g}" for each in current or ()), label, _numbers)
        if any(kind not in (int, float, str, type(None)) for kind in parameter.types):
            return self._text(parameter, _written(current), label, _inline)
        if str in parameter.types:
            return ui.input(label, value=current or "", on_change=self._taken(parameter))
        return self._number(parameter, current, label)

    def _number(self, parameter: Parameter, current: Any, label: str) -> Any:
        whole = float not in parameter.types

        def changed(event: Any) -> None:
            value = event.value
            is_whole = value is not None and float(value).is_integer()
            self._set(parameter, int(value) if is_whole else value)

        number = ui.number(label, value=current, step=1 if whole else 0.05, on_change=changed)
        return number.props("debounce=150")

    def _list(self, parameter: Parameter, current: Any, label: str) -> Any:
        """A list of texts: values of the column, or words that are allowed."""
        options = [*self._choices.lists.get(parameter.name, ())] or [
            *self._choices.values(str(self._values.get("column")))
        ]
        chosen = [str(value) for value in current or ()]
        options = list(dict.fromkeys([*options, *chosen]))
        select = ui.select(
            options,
            value=chosen,
            label=label,
            multiple=True,
            new_value_mode="add-unique",
            on_change=self._taken(parameter),
        )
        return select.props("use-chips")

    def _text(self, parameter: Parameter, current: str, label: str, read: Callable[[str], Any]) -> Any:
        def problem(value: str | None) -> str | None:
            try:
                read(value or "")
            except ValueError:
                return "This is not allowed, so it is not used."
            return None

        def changed(event: Any) -> None:
            if problem(event.value) is None:
                self._set(parameter, read(event.value or ""))

        made = ui.input(label, value=current, on_change=changed, validation=problem)
        return made.props("debounce=250 hide-bottom-space")

    def _taken(self, parameter: Parameter) -> Callable[[Any], None]:
        return lambda event: self._set(parameter, event.value)


def offered(columns: Sequence[str], chosen: Sequence[str]) -> dict[str, str]:
    """The columns that a field offers, and those chosen before their role changed, marked as such.

    >>> offered(["ill"], ["cost"])
    {'ill': 'ill', 'cost': 'cost (has another role now)'}
    """
    stale = {name: f"{name} (has another role now)" for name in chosen if name not in columns}
    return {**{name: name for name in columns}, **stale}


def _numbers(text: str) -> list[int | float]:
    """Numbers between commas or spaces.

    >>> _numbers("5, 10 20.5")
    [5, 10, 20.5]
    """
    found = [float(part) for part in text.replace(",", " ").split()]
    return [int(each) if each.is_integer() else each for each in found]


def _inline(text: str) -> Any:
    """A number, or the entries of a table as TOML writes them.

    >>> _inline("12"), _inline("ncp = 0.2")
    (12, {'ncp': 0.2})
    """
    text = text.strip().removeprefix("{").removesuffix("}").strip()
    if not text:
        return None
    source = f"x = {text}" if "=" not in text else f"x = {{ {text} }}"
    try:
        return tomllib.loads(source)["x"]
    except tomllib.TOMLDecodeError:
        raise ValueError("not TOML") from None


def _written(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} = {each}" for name, each in value.items())
    return "" if value is None else str(value)
