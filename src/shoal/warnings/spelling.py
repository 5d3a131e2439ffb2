"""Sensitive values that differ only in how they are written, which models count as different values."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from shoal.warnings.base import Case, Warning

_SPACES = r"[\s\u2800]+"
_CODE = r"^[a-z]{1,3}[ .\-]?\d[\da-z]*([ .\-][\da-z]+)*$"
_CODE_PUNCTUATION = r"[ .\-]"
_INVISIBLE = r"[\p{Cf}\p{Cc}\u034F\u115F\u1160\u3164\uFE00-\uFE0F]"

# Lower-case Cyrillic, Greek and other letters of which one case looks like a Latin letter.
_CONFUSABLE = "авсԁегһіјкӏмнорѕтхуԝѵԛαβεζηικμνορτυχγօսɑɩⅼ"
_LATIN = "abcderhijklmhopstxywvqabezhikmnoptyxyouail"
_PUNCTUATION = {"‐": "-", "‑": "-", "‒": "-", "–": "-", "—": "-", "−": "-", "’": "'", "‘": "'", "´": "'", "`": "'"}
ALIKE = "Write them alike."
_LOOK_ALIKE = {**dict(zip(_CONFUSABLE, _LATIN, strict=True)), **_PUNCTUATION}


def spelling_variants(case: Case) -> Iterator[Warning]:
    """Warns of sensitive values that differ only in how they are written: in case, spaces, or dots of a code."""
    for name in case.plan.sensitive:
        if case.plan.columns[name].type not in (None, "text"):
            continue
        if name in case.coded.sensitive:
            values = pl.Series(case.coded.sensitive[name].labels, dtype=pl.String)
        else:
            values = case.engine.distinct(name).values
        variants = count_variants(values)
        if variants:
            yield Warning(variants_in(name, variants), serious=name in case.plan.reads, remedy=ALIKE)


def variants_in(name: str, variants: int) -> str:
    """The sentence about a column with this number of variants."""
    return (
        f"Sensitive column '{name}' has {variants:,} {'value that differs' if variants == 1 else 'values that differ'} "
        "from another only in case, spaces, invisible or look-alike characters, or in the dots and hyphens of a code. "
        f"Models count such values as different, although they mean the same. {ALIKE}"
    )


def count_variants(values: pl.Series) -> int:
    """The number of distinct values beyond the first of each that reads the same.

    >>> count_variants(pl.Series(["Flu", "flu ", "f\\u200blu", "cold"])), count_variants(pl.Series(["E11.9", "E119"]))
    (2, 1)
    """
    distinct = values.drop_nulls().unique() if values.dtype == pl.String else pl.Series(dtype=pl.String)
    return len(distinct) - _without_punctuation(folded(distinct)).n_unique()


def _without_punctuation(folded_texts: pl.Series) -> pl.Series:
    """The texts, those that look like codes without dots, hyphens and spaces; numbers and words keep theirs."""
    compact = folded_texts.str.replace_all(_CODE_PUNCTUATION, "")
    return folded_texts.zip_with(~folded_texts.str.contains(_CODE), compact)


def folded(texts: pl.Series) -> pl.Series:
    """What the texts look like: without case, repeated spaces and invisible characters."""
    spaced = texts.str.normalize("NFKC").str.replace_all(_SPACES, " ")
    visible = spaced.str.replace_all(_INVISIBLE, "").str.strip_chars().str.to_lowercase()
    return visible.str.replace_many(_LOOK_ALIKE)
