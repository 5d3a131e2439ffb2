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

SEPARATORS = (",", ";", "\t")
"""What may separate the label from its items in a text file."""
LABEL_NAMES = ("label", "labels", "disease", "diseases", "diagnosis", "condition", "name")
ITEM_NAMES = ("item", "items", "symptom", "symptoms", "term", "terms", "finding", "findings")
"""The names of columns by which the first line of a text file is known to be a header."""

_TEXT = (".csv", ".tsv", ".tab", ".txt", ".gz", ".zip")
_TABBED = (".tsv", ".tab")
_SPELLING = r"[\s_\-‐‑‒–—]+"
_FORM = "A knowledge table has two columns: the label, and an item or several items"


@dataclass(frozen=True)
class Knowledge:
    """The items of each label: label i has the items `members[offsets[i]:offsets[i+1]]`.

    `labels` and `items` are distinct and sorted. offsets int64 [labels+1]; members int32, ascending within a label.
    `repeated`: how many pairs of a label and an item the table lists again.
    """

    labels: tuple[str, ...]
    items: tuple[str, ...]
    offsets: Int64
    members: Int32
    repeated: int = 0

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


@dataclass(frozen=True)
class KnowledgeCheck:
    """How well a knowledge table fits the items of a column, in counts alone.

    `unknown`: items of the column that no label has; a row with one of them links to nothing. `respelled`: those of
    them that differ from an item of the table only in case, spaces or hyphens. `unused`: items of the table that the
    column lacks. `without_items`: labels without items, to which only rows without items link. `repeated`: pairs that
    the table lists again. `variants`: labels and items of the table that differ from another one only in spelling.
    """

    labels: int
    items: int
    unknown: int
    respelled: int
    unused: int
    without_items: int
    repeated: int
    variants: int


def read_knowledge(
    path: str | Path,
    separator: str = "|",
    *,
    header: bool | None = None,
    missing: Sequence[str] = MISSING_TEXTS,
) -> Knowledge:
    """Reads a knowledge table from a file, or raises a `TableError` that contains no value of it.

    The file is text or Parquet, in the long form with one item per row, or in the wide form with items joined by
    `separator`, which may also be lists in a Parquet file. `header`: whether a text file has a header line; by default,
    its first line is one if both of its fields are among the usual names (`LABEL_NAMES`, `ITEM_NAMES`), and none if it
    has several items, or its label or item occurs again. Otherwise the file is refused. A text of `missing` is no item,
    as in the cells of a column, and no label.
    """
    frame = _two_columns(Path(path), header)
    undecided = _is_text(Path(path)) and header is None
    if undecided and _is_header(frame):
        frame, undecided = frame.slice(1), False
    frame = _without_missing(_as_lists(frame, separator, str(path)), missing)
    _check(frame, separator, str(path))
    if undecided and not _is_data(frame):
        raise TableError(
            f"The first line of the knowledge table {path} may be a header or a label with its items.",
            allowed="A header taken for a label would make every promise about labels wrong.",
            hint="begin the file with the line label,item.",
        )
    return _known(frame)


def load_knowledge(name: str, column: Column, missing: Sequence[str] = MISSING_TEXTS) -> Knowledge | None:
    """The knowledge table of a column of a plan; None if the plan names no file.

    `missing`: the texts that mean missing in this plan. Raises if the plan has the hash of another table.
    """
    if column.knowledge is None:
        return None
    knowledge = read_knowledge(column.knowledge, column.separator, missing=missing)
    if column.knowledge_sha256 not in (None, knowledge.sha256):
        raise other_table(name)
    return knowledge


def other_table(name: str) -> TableError:
    """The error about a knowledge table of a column that is not the one whose hash the plan has."""
    return TableError(
        f"The knowledge table given for column '{name}' is another one than that of the plan: its hash differs.",
        allowed="Its labels and items must be those whose hash the plan has as knowledge_sha256.",
        hint="name the table with which the release was made.",
    )


def checked(knowledge: Knowledge, items: Sequence[str]) -> KnowledgeCheck:
    """Counts what may be wrong with a knowledge table for a column with these items.

    >>> checked(Knowledge.of({"flu": ["sore throat"], "cold": []}), ["Sore-Throat", "fever"]).respelled
    1
    """
    known = set(knowledge.items)
    unknown = sorted(set(items) - known)
    plain = set(_plain(knowledge.items))
    return KnowledgeCheck(
        labels=knowledge.size,
        items=len(knowledge.items),
        unknown=len(unknown),
        respelled=sum(text in plain for text in _plain(unknown)),
        unused=len(known - set(items)),
        without_items=int((np.diff(knowledge.offsets) == 0).sum()),
        repeated=knowledge.repeated,
        variants=len(knowledge.items) - len(plain) + knowledge.size - len(set(_plain(knowledge.labels))),
    )


def _plain(texts: Sequence[str]) -> list[str]:
    """The texts without what spelling variants differ in: case, spaces and hyphens."""
    series = pl.Series(texts, dtype=pl.String).str.normalize("NFKC").str.to_lowercase()
    return series.str.replace_all(_SPELLING, "").to_list()


def _is_text(path: Path) -> bool:
    return path.suffix.lower() in _TEXT


def _two_columns(path: Path, header: bool | None) -> pl.DataFrame:
    """The two columns of a file as `label` and `item`. A first line that may be a header is still a row."""
    frames = _readings(path, header or False) if _is_text(path) else [read(path)]
    fitting = [frame for frame in frames if frame.width == 2]
    if not fitting:
        width = max(frame.width for frame in frames)
        raise TableError(
            f"The knowledge table {path} has {counted(width, 'column', 'columns')}.",
            allowed=f"{_FORM} joined by the item separator.",
            hint="keep the label and the item, and quote fields that contain the separator of the file.",
        )
    return fitting[0].rename(dict(zip(fitting[0].columns, ("label", "item"), strict=True)))


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


def _as_lists(frame: pl.DataFrame, separator: str, path: str) -> pl.DataFrame:
    """`label` String and `item` List(String), with texts split at the separator and all parts stripped."""
    items = frame["item"]
    if isinstance(items.dtype, pl.List | pl.Array):
        if items.dtype.inner != pl.String:
            raise TableError(f"The items of the knowledge table {path} are not text.", allowed="Items must be text.")
        lists = items.cast(pl.List(pl.String))
        _refuse_separators(lists, separator, path)
    else:
        lists = as_text(items).str.split(separator)
        _refuse_mixed_forms(as_text(frame["label"]), lists, separator, path)
    stripped = lists.list.eval(pl.element().str.strip_chars())
    return pl.DataFrame({"label": as_text(frame["label"]).str.strip_chars(), "item": stripped})


def _refuse_separators(lists: pl.Series, separator: str, path: str) -> None:
    inside = int(lists.explode(empty_as_null=True).str.contains(separator, literal=True).sum())
    if inside:
        raise TableError(
            f"{separator!r} is inside {counted(inside, 'item', 'items')} of the knowledge table {path}.",
            allowed="The item separator must not occur inside an item.",
            hint="set another separator as items of the column.",
        )


def _refuse_mixed_forms(labels: pl.Series, lists: pl.Series, separator: str, path: str) -> None:
    """Raises if some label has several rows with one item each, and other cells would be split into several items.

    In the long form, the separator can only be a part of the item, which would then be read as two others.
    """
    parts = lists.list.eval(pl.element().str.strip_chars().replace("", None)).list.drop_nulls()
    divided = int((parts.list.len() > 1).sum())
    single = pl.DataFrame({"label": labels, "item": parts}).filter(pl.col("item").list.len() == 1).unique()
    if divided and single["label"].is_duplicated().any():
        raise TableError(
            f"The knowledge table {path} has labels with one item in each of several rows, and {divided:,} of its "
            f"cells contain {separator!r}: whether these are one item or several is not clear.",
            allowed="In the long form, no item contains the separator; in the wide form, a label has one row.",
            hint="set another separator as items of the column, or write all items of a label into one row.",
        )


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
    """The knowledge in `label`, `item`: lists of stripped items, in which empty ones count as none."""
    pairs = frame.explode("item", empty_as_null=True).filter(pl.col("item").fill_null("") != "")
    distinct = pairs.unique()
    labels = sorted(set(frame["label"].to_list()))
    items = sorted(set(distinct["item"].to_list()))
    place_of_label = {label: place for place, label in enumerate(labels)}
    place_of_item = {item: place for place, item in enumerate(items)}
    of_pair = np.array([place_of_label[label] for label in distinct["label"]], np.int64)
    members = np.array([place_of_item[item] for item in distinct["item"]], np.int32)
    order = np.lexsort((members, of_pair))
    ends = np.cumsum(np.bincount(of_pair, minlength=len(labels)))
    offsets = np.concatenate([[0], ends]).astype(np.int64)
    return Knowledge(tuple(labels), tuple(items), offsets, members[order], len(pairs) - len(distinct))
