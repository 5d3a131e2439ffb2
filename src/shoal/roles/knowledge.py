"""Knowledge tables: which items each sensitive label has, such as the symptoms of diseases."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import polars as pl

from shoal.arrays import Int32, Int64
from shoal.counts import counted
from shoal.errors import TableError
from shoal.roles.columns import MISSING_TEXTS, Column
from shoal.table import as_text, read
from shoal.table.sets import DEFAULT_SEPARATOR

SEPARATORS = (",", ";", "\t")
"""What may separate the label from its items in a text file."""
LABEL_NAMES = ("label", "labels", "disease", "diseases", "diagnosis", "condition", "name")
ITEM_NAMES = ("item", "items", "symptom", "symptoms", "term", "terms", "finding", "findings")
"""The names of columns by which the first line of a text file is known to be a header."""

_PLAIN = (".csv", ".tsv", ".tab", ".txt")
_TEXT = (*_PLAIN, ".gz", ".zip")
_TABBED = (".tsv", ".tab")
_FORM = "A knowledge table has two columns: the label, and an item or several items"


@dataclass(frozen=True)
class Knowledge:
    """The items of each label: label i has the items `members[offsets[i]:offsets[i+1]]`.

    `labels` and `items` are distinct and sorted. offsets int64 [labels+1]; members int32, ascending within a label.
    `repeated`: how many pairs of a label and an item the table lists again. `label_lines` and `item_lines`: the line of
    the file that has each label and item first; empty if the table was not read from a file.
    """

    labels: tuple[str, ...]
    items: tuple[str, ...]
    offsets: Int64
    members: Int32
    repeated: int = 0
    label_lines: tuple[int, ...] = ()
    item_lines: tuple[int, ...] = ()

    @classmethod
    def of(cls, items_of: Mapping[str, Iterable[str]]) -> Knowledge:
        """The table with these items for each label.

        >>> Knowledge.of({"flu": ["fever", "cough"], "cold": ["cough"]}).labels
        ('cold', 'flu')
        """
        pairs = [(label, list(items)) for label, items in items_of.items()]
        frame = pl.DataFrame(
            {"label": [label for label, _ in pairs], "item": [items for _, items in pairs]},
            schema={"label": pl.String, "item": pl.List(pl.String)},
        )
        return _known(frame)

    @property
    def size(self) -> int:
        """The number of labels."""
        return len(self.labels)

    @cached_property
    def index(self) -> Mapping[str, int]:
        """Item → its place in `items`."""
        return {item: place for place, item in enumerate(self.items)}

    @cached_property
    def pairs(self) -> pl.DataFrame:
        """`label`, `item`: the number of each label and its items, the number 0 to size - 1."""
        of_pair = np.repeat(np.arange(self.size, dtype=np.uint32), np.diff(self.offsets))
        return pl.DataFrame({"label": of_pair, "item": pl.Series(self.items, dtype=pl.String).gather(self.members)})

    @cached_property
    def text(self) -> str:
        """The table as CSV, in the long form and sorted: the same text for the same labels and items.

        >>> Knowledge.of({"flu": ["fever", "cough"], "cold": []}).text
        'label,item\\ncold,\\nflu,cough\\nflu,fever\\n'
        """
        labels = pl.DataFrame({"label": np.arange(self.size, dtype=np.uint32), "name": self.labels})
        lines = labels.join(self.pairs, on="label", how="left").sort("label", "item")
        return lines.select(label="name", item="item").write_csv(line_terminator="\n")

    @cached_property
    def sha256(self) -> str:
        """The hash of `text`, by which a table is known however its file is written."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    def of_label(self, label: int) -> tuple[str, ...]:
        """The items of a label."""
        return tuple(self.items[item] for item in self.members[self.offsets[label] : self.offsets[label + 1]].tolist())


def read_knowledge(
    path: str | Path,
    separator: str = "|",
    *,
    header: bool | None = None,
    missing: Sequence[str] = MISSING_TEXTS,
    sha256: str | None = None,
) -> Knowledge:
    """Reads a knowledge table from a file, or raises a `TableError` that contains no value of it.

    The file is text or Parquet, in the long form with one item per row, or in the wide form with items joined by
    `separator` or, if no cell contains it, by `|`. The items may also be lists in a Parquet file. `header`: whether a
    text file has a header line; by default, its first line is one if both of its fields are among the usual names
    (`LABEL_NAMES`, `ITEM_NAMES`), and none if it has several items, or its label or item occurs again. Otherwise the
    file is refused. A text of `missing` is no item, as in the cells of a column, and no label. `sha256`: the hash that
    decides where `|` may join items or be part of one.
    """
    found = _read(Path(path), (separator, DEFAULT_SEPARATOR), header, missing)
    if sha256 in (None, found.sha256) or separator == DEFAULT_SEPARATOR:
        return found
    try:
        undivided = _read(Path(path), (separator,), header, missing)
    except TableError:
        return found
    return undivided if undivided.sha256 == sha256 else found


def load_knowledge(name: str, column: Column, missing: Sequence[str] = MISSING_TEXTS) -> Knowledge | None:
    """The knowledge table of a column of a plan; None if the plan names no file.

    `missing`: the texts that mean missing in this plan. Raises if the plan has the hash of another table.
    """
    if column.knowledge is None:
        return None
    sha256 = column.knowledge_sha256
    knowledge = read_knowledge(column.knowledge, column.separator, missing=missing, sha256=sha256)
    if sha256 not in (None, knowledge.sha256):
        raise other_table(name)
    return knowledge


def other_table(name: str) -> TableError:
    """The error about a knowledge table of a column that is not the one whose hash the plan has."""
    return TableError(
        f"The knowledge table given for column '{name}' is another one than that of the plan: its hash differs.",
        allowed="Its labels and items must be those whose hash the plan has as knowledge_sha256.",
        hint="name the table with which the release was made.",
    )


def _read(path: Path, separators: Sequence[str], header: bool | None, missing: Sequence[str]) -> Knowledge:
    """The knowledge of a file whose items are joined by the first of the separators that it uses."""
    frame = _two_columns(path, header)
    undecided = _is_text(path) and header is None
    if undecided and _is_header(frame):
        frame, undecided = frame.slice(1), False
    frame = _without_missing(_as_lists(frame, separators, str(path)), missing)
    _check(frame, separators[0], str(path))
    if undecided and not _is_data(frame):
        raise TableError(
            f"The first line of the knowledge table {path} may be a header or a label with its items.",
            allowed="A header taken for a label would make every promise about labels wrong.",
            hint="begin the file with the line label,item.",
        )
    return _known(frame)


def _is_text(path: Path) -> bool:
    return path.suffix.lower() in _TEXT


def _two_columns(path: Path, header: bool | None) -> pl.DataFrame:
    """The columns of a file as `label` and `item`, and their `line`. A first line that may be a header is a row."""
    frames = _readings(path, header or False) if _is_text(path) else [read(path)]
    fitting = [frame for frame in frames if frame.width == 2]
    if not fitting:
        width = max(frame.width for frame in frames)
        raise TableError(
            f"The knowledge table {path} has {counted(width, 'column', 'columns')}.",
            allowed=f"{_FORM} joined by the item separator.",
            hint="keep the label and the item, and quote fields that contain the separator of the file.",
        )
    frame = fitting[0].rename(dict(zip(fitting[0].columns, ("label", "item"), strict=True)))
    return frame.with_columns(_lines(path, frame.height, 1 if header else 0))


def _lines(path: Path, rows: int, before: int) -> pl.Series:
    """The line of each row of a file, of which `before` precede the rows; its place where rows are not lines."""
    numbers = list(range(before + 1, before + rows + 1))
    if path.suffix.lower() in _PLAIN:
        filled = [number for number, line in enumerate(path.read_bytes().splitlines(), 1) if line.strip()]
        numbers = filled[before:] if len(filled) == before + rows else numbers
    return pl.Series("line", numbers, dtype=pl.Int64)


def _readings(path: Path, header: bool) -> list[pl.DataFrame]:
    """The table read with each separator that fits the file; the item separator is never taken for one of them."""
    frames, problem = [], None
    for separator in ("\t",) if path.suffix.lower() in _TABBED else SEPARATORS:
        try:
            frames.append(read(path, separator=separator, header=header))
        except TableError as error:
            problem = problem or error
    if not frames and problem is not None:
        raise problem
    return frames


def _is_header(frame: pl.DataFrame) -> bool:
    first = [str(cell or "").strip().lower() for cell in (frame.row(0) if frame.height else ())]
    return bool(first) and first[0] in LABEL_NAMES and first[1] in ITEM_NAMES


def _is_data(frame: pl.DataFrame) -> bool:
    """Whether the first row of `label`, `item` is surely none of a header: it has several items, or occurs again."""
    others = frame.slice(1)
    items = frame["item"][:1].explode(empty_as_null=True).drop_nulls()
    if len(items) != 1:
        return True
    again = others["item"].explode(empty_as_null=True).is_in(items.implode()).any()
    return bool(again or others["label"].is_in(frame["label"][:1].implode()).any())


def _as_lists(frame: pl.DataFrame, separators: Sequence[str], path: str) -> pl.DataFrame:
    """`label` String, `item` List(String) and `line`, with texts split at a separator and all parts stripped."""
    items, labels = frame["item"], as_text(frame["label"]).str.strip_chars()
    if isinstance(items.dtype, pl.List | pl.Array):
        if items.dtype.inner != pl.String:
            raise TableError(f"The items of the knowledge table {path} are not text.", allowed="Items must be text.")
        lists = items.cast(pl.List(pl.String))
        _refuse_separators(lists, separators[0], path)
    else:
        lists = _divided(labels, as_text(items), separators, path)
    stripped = lists.list.eval(pl.element().str.strip_chars())
    return pl.DataFrame({"label": labels, "item": stripped, "line": frame["line"]})


def _divided(labels: pl.Series, texts: pl.Series, separators: Sequence[str], path: str) -> pl.Series:
    """The items of each cell, split at the first separator that a cell contains.

    The first one is that of the column. In the long form, another one is a part of the items.
    """
    own, *others = separators
    if not texts.str.contains(own, literal=True).any():
        for other in others:
            lists = texts.str.split(other)
            if not _mixed_forms(labels, lists):
                return lists
    lists = texts.str.split(own)
    if divided := _mixed_forms(labels, lists):
        raise TableError(
            f"The knowledge table {path} has labels with one item in each of several rows, and {divided:,} of its "
            f"cells contain {own!r}: whether these are one item or several is not clear.",
            allowed="In the long form, no item contains the separator; in the wide form, a label has one row.",
            hint="set another separator as items of the column, or write all items of a label into one row.",
        )
    return lists


def _refuse_separators(lists: pl.Series, separator: str, path: str) -> None:
    inside = int(lists.explode(empty_as_null=True).str.contains(separator, literal=True).sum())
    if inside:
        raise TableError(
            f"{separator!r} is inside {counted(inside, 'item', 'items')} of the knowledge table {path}.",
            allowed="The item separator must not occur inside an item.",
            hint="set another separator as items of the column.",
        )


def _mixed_forms(labels: pl.Series, lists: pl.Series) -> int:
    """The cells with several items, if some label has several rows with one item each; 0 if the forms are not mixed.

    In the long form, the separator can only be a part of the item, which would then be read as two others.
    """
    parts = lists.list.eval(pl.element().str.strip_chars().replace("", None)).list.drop_nulls()
    divided = int((parts.list.len() > 1).sum())
    single = pl.DataFrame({"label": labels, "item": parts}).filter(pl.col("item").list.len() == 1).unique()
    return divided if single["label"].is_duplicated().any() else 0


def _without_missing(frame: pl.DataFrame, missing: Sequence[str]) -> pl.DataFrame:
    """`label` and `item` without the texts that mean missing: such a label is null, and such an item is left out."""
    absent = pl.element().is_in(list(missing))
    items = pl.col("item").list.eval(pl.element().filter(~absent))
    label = pl.when(~pl.col("label").is_in(list(missing))).then(pl.col("label"))
    return frame.with_columns(label.alias("label"), items.alias("item"))


def _check(frame: pl.DataFrame, separator: str, path: str) -> None:
    if not frame.height:
        raise TableError(
            f"The knowledge table {path} has no rows, so nothing could be linked to a label.",
            allowed=f"{_FORM} joined by {separator!r}.",
            hint="name the table that lists the items of each label.",
        )
    nameless = int((frame["label"].fill_null("") == "").sum())
    if nameless:
        raise TableError(
            f"The knowledge table {path} has no label in {nameless:,} of its {counted(frame.height, 'row', 'rows')}.",
            allowed=f"{_FORM} joined by {separator!r}.",
            hint="repeat the label in every row of the long form. Texts that mean missing in the plan are no labels.",
        )


def _known(frame: pl.DataFrame) -> Knowledge:
    """The knowledge in `label`, `item`: lists of stripped items, in which empty ones count as none; and in `line`."""
    pairs = frame.explode("item", empty_as_null=True).filter(pl.col("item").fill_null("") != "")
    distinct = pairs.select("label", "item").unique()
    labels = sorted(set(frame["label"].to_list()))
    items = sorted(set(distinct["item"].to_list()))
    place_of_label = {label: place for place, label in enumerate(labels)}
    place_of_item = {item: place for place, item in enumerate(items)}
    of_pair = np.array([place_of_label[label] for label in distinct["label"]], np.int64)
    members = np.array([place_of_item[item] for item in distinct["item"]], np.int32)
    order = np.lexsort((members, of_pair))
    ends = np.cumsum(np.bincount(of_pair, minlength=len(labels)))
    offsets = np.concatenate([[0], ends]).astype(np.int64)
    return Knowledge(
        tuple(labels),
        tuple(items),
        offsets,
        members[order],
        len(pairs) - len(distinct),
        _first_lines(frame, "label"),
        _first_lines(pairs, "item"),
    )


def _first_lines(frame: pl.DataFrame, name: str) -> tuple[int, ...]:
    """The first line of every distinct value of a column, in the order of the values; empty if lines are not known."""
    if "line" not in frame.columns:
        return ()
    lines = dict(frame.group_by(name).agg(pl.col("line").min()).rows())
    return tuple(lines[value] for value in sorted(lines))
