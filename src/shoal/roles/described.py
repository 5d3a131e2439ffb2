"""Parameters of models, algorithms and hierarchies, as the text below each field of their classes describes them."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
import types
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import cache
from itertools import pairwise
from typing import Any, Union, cast, get_args, get_origin, get_type_hints

_LINK = re.compile(r"\[([^\]]+)\]\([^)]+\)")
_WORD = re.compile(r'`"([^"`]+)"`')
_BESIDE_A_LINK = re.compile(r"; see \[[^\]]+\]\([^)]+\)")


@dataclass(frozen=True)
class Parameter:
    """A parameter: its meaning and what is allowed, in words, its types, and its default unless it is required."""

    name: str
    meaning: str
    allowed: str
    types: tuple[Any, ...]
    required: bool
    default: Any = None

    @property
    def plain_meaning(self) -> str:
        """The meaning without links and marks, for places that show text only.

        >>> Parameter("k", "The size; see [classes](a.md). Of `k`.", "", (int,), True).plain_meaning
        'The size. Of k.'
        """
        return _plain(_BESIDE_A_LINK.sub("", self.meaning))

    @property
    def plain_allowed(self) -> str:
        """What is allowed, without links and marks."""
        return _plain(self.allowed)

    @property
    def words(self) -> tuple[str, ...]:
        """The words that are allowed; empty if the parameter is not one of a few words.

        >>> Parameter("cut", "", '`"loss"`, `"median"`', (str,), False, "loss").words
        ('loss', 'median')
        """
        return tuple(_WORD.findall(self.allowed)) if str in self.types else ()


@cache
def parameters(cls: Any) -> tuple[Parameter, ...]:
    """The parameters of a class, in the order of its fields.

    >>> from shoal.models import KAnonymity
    >>> [(each.name, each.required, each.allowed) for each in parameters(KAnonymity)]
    [('k', True, 'whole numbers from 2')]
    """
    below: dict[str, str] = {}
    for part in reversed(cls.__mro__):
        if is_dataclass(part):
            below |= _below_fields(cast(type, part))
    hints = get_type_hints(cls)
    found = []
    for item in (item for item in fields(cls) if item.init):
        text = below.get(item.name, "")
        assert " Allowed: " in text, f"below {item.name} of {cls.__name__}, write the meaning and 'Allowed: …'"
        meaning, _, allowed = text.partition(" Allowed: ")
        given = item.default_factory() if item.default_factory is not MISSING else item.default
        required = given is MISSING
        default = None if required else given
        found.append(
            Parameter(item.name, meaning, allowed.removesuffix("."), _types(hints[item.name]), required, default)
        )
    return tuple(found)


def _types(hint: Any) -> tuple[Any, ...]:
    """The types that a field may have; a list of texts is `tuple`, a table `dict`."""
    if get_origin(hint) in (Union, types.UnionType):
        return tuple(each for part in get_args(hint) for each in _types(part))
    origin = get_origin(hint) or hint
    return (origin if isinstance(origin, type) else object,)


def _below_fields(cls: type) -> dict[str, str]:
    (body,) = ast.parse(textwrap.dedent(inspect.getsource(cls))).body
    assert isinstance(body, ast.ClassDef)
    return {
        item.target.id: " ".join(str(text.value.value).split())
        for item, text in pairwise(body.body)
        if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name)
        if isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant)
    }


def _plain(text: str) -> str:
    return _LINK.sub(r"\1", text).replace("`", "")
