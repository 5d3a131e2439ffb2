"""What the documentation claims in words is true: each claim is quoted, and checked by running the code.

A quoted claim must still be in the documentation, so that a page and its check change together.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
import tomllib
from collections.abc import Callable
from dataclasses import MISSING, fields
from itertools import pairwise
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from shoal import algorithms, hierarchies
from shoal import models as all_models
from shoal.algorithms import optimal
from shoal.datasets import patients
from shoal.profiling.guards import LADDER, guarded, models, usual_k
from shoal.profiling.vocabulary import LANGUAGES
from shoal.search.listing import LISTED_AT_MOST

ROOT = Path(__file__).resolve().parents[1]

Check = Callable[[], None]
CLAIMS: dict[tuple[str, str], Check] = {}


def claim(page: str, words: str) -> Callable[[Check], Check]:
    """Registers a check of what the page claims in these words."""

    def register(check: Check) -> Check:
        CLAIMS[page, words] = check
        return check

    return register


def _plain(text: str) -> str:
    return re.sub(r"\s+", " ", text)


@pytest.mark.parametrize(("page", "words"), CLAIMS)
def test_claim(page: str, words: str) -> None:
    assert _plain(words) in _plain((ROOT / page).read_text(encoding="utf-8")), "the page no longer claims this"
    CLAIMS[page, words]()


# -- items ------------------------------------------------------------------------------------------------------------


def _items_released(k: int, m: int, column: shoal.Column | None = None) -> shoal.Release:
    """Eight rows of a set-valued column, released with km-anonymity alone."""
    frame = pl.DataFrame({"age": [1, 2] * 4, "s": ["a|b", "a|b", "a", "b|c", "c", "a|b|c", "", "c"]})
    columns = {"age": shoal.quasi(), "s": column or shoal.quasi_sensitive()}
    return shoal.anonymize(frame, shoal.Plan(columns=columns, models=[all_models.KmAnonymity("s", k=k, m=m)]))


@claim(
    "docs/guide/set-valued.md",
    "A k that no item reaches, such as one above the number of rows, leaves empty sets and an item loss of 100 %.",
)
def _() -> None:
    for k in (5, 9):  # a, b and c have four rows each
        release = _items_released(k, 1)
        assert release.verification.holds and release.frame["s"].null_count() == 8
        assert release.steward.measures["item_loss"] == 1.0
    assert _items_released(4, 1).frame["s"].null_count() == 1


@claim(
    "docs/guide/set-valued.md",
    "Verification counts all combinations of the released file again, from the definition, and shares no code with "
    "the two steps.",
)
def _() -> None:
    released = _items_released(2, 2).frame
    plan = shoal.Plan(
        columns={"age": shoal.quasi(), "s": shoal.quasi_sensitive()}, models=[all_models.KmAnonymity("s", k=2, m=2)]
    )
    hidden = dict.fromkeys([name for name in sys.modules if name.startswith("shoal.items")])
    with pytest.MonkeyPatch.context() as patch:
        for name in (*hidden, "shoal.items.anonymity", "shoal.items.combinations"):
            patch.setitem(sys.modules, name, None)
        assert shoal.verify(released, plan).holds


@claim("docs/reference/measures.md", "So an item at `*` loses as much as a removed one.")
def _() -> None:
    release = _items_released(7, 1, shoal.quasi_sensitive(hierarchies.Flat()))
    assert {cell for cell in release.frame["s"] if cell} == {"*"}
    assert release.steward.measures["item_loss"] == pytest.approx(1.0)


# -- LKC and recodings --------------------------------------------------------------------------------------------


def _recoding_losses() -> dict[str, dict[str, float]]:
    lines = json.loads((ROOT / "benchmarks" / "results" / "recoding.json").read_text(encoding="utf-8"))
    losses: dict[str, dict[str, float]] = {}
    for line in lines:
        losses.setdefault(line["table"], {})[line["setting"]] = line["ncp"]
    return losses


@claim(
    "docs/guide/wide-tables.md",
    "`lkc` by `pais` loses between half and two thirds of what a *global* recoding loses under k-anonymity, for a "
    "weaker promise. It loses about four times what `mondrian` loses under full k-anonymity.",
)
def _() -> None:
    for table in ("registry", "diabetes130"):
        losses = _recoding_losses()[table]
        for algorithm in ("optimal", "pais"):
            assert 0.5 <= losses["lkc, pais"] / losses[f"k-anonymity, {algorithm}"] <= 2 / 3
        assert 3.5 <= losses["lkc, pais"] / losses["k-anonymity, mondrian"] <= 4.5


@claim("docs/guide/wide-tables.md", "so its NCP is even higher")
def _() -> None:
    losses = _recoding_losses()["adult"]
    assert losses["lkc, pais"] > losses["k-anonymity, pais"] > losses["k-anonymity, optimal"]


@pytest.mark.parametrize("page", ["README.md", "docs/index.md", "docs/guide/choosing.md"])
def test_no_page_says_that_lkc_loses_less_without_saying_than_what(page: str) -> None:
    text = _plain((ROOT / page).read_text(encoding="utf-8"))
    assert not re.search(r"(far|much) less (generalization )?than k-anonymity", text)


# -- installation -------------------------------------------------------------------------------------------------


def _extras() -> set[str]:
    page = (ROOT / "docs" / "installation.md").read_text(encoding="utf-8")
    return set(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE))


def test_every_extra_that_the_code_asks_for_is_documented() -> None:
    sources = (path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py"))
    asked = {extra for text in sources for extra in re.findall(r"pip install 'shoal\[(\w+)\]'", text)}
    assert asked == _extras()


def test_every_documented_extra_exists() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert _extras() <= set(project["optional-dependencies"])


def test_no_page_installs_shoal_from_a_package_index() -> None:
    for page in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]:
        for command in re.findall(r"pip install [^`\n]*", page.read_text(encoding="utf-8")):
            assert "shoal" not in command or "git+https://" in command, page


# -- profiles and drafts ------------------------------------------------------------------------------------------

PROFILING = "docs/guide/profiling.md"


def _roles(**columns: list[object]) -> dict[str, str]:
    return {column.name: column.role for column in shoal.profile(pl.DataFrame(columns, strict=False)).columns}


@claim(PROFILING, "Names are split into words, which are looked up in thirteen")
@claim(
    PROFILING,
    "English, German, French, Spanish, Italian, Dutch and Portuguese, and with fewer words Danish, Norwegian,",
)
def _() -> None:
    assert LANGUAGES == ("en", "de", "fr", "es", "it", "nl", "pt", "da", "no", "sv", "fi", "pl", "cs")


@claim(PROFILING, "the confidence is then at most `medium`")
def _() -> None:
    names = ("hyperkalemia", "Total_Protiens", "craniectomy", "Leukozy")
    frame = pl.DataFrame(dict.fromkeys(names, [6.1, 7.2] * 20))
    assert {(column.role, column.confidence) for column in shoal.profile(frame).columns} == {("sensitive", "medium")}


@claim(PROFILING, "such as `sg` (specific gravity) or `num`, and a name may be known by a part of it")
def _() -> None:
    alone = pl.DataFrame({"sg": [1.01, 1.02] * 20, "num": [0, 1] * 20})
    among = alone.with_columns(glucose=pl.lit(5), diagnosis=pl.lit("I10"), smoker=pl.lit("no"))
    assert {column.role for column in shoal.profile(alone).columns} == {"drop"}
    found = {column.name: (column.role, column.confidence) for column in shoal.profile(among).columns}
    assert found["sg"] == found["num"] == ("sensitive", "low")


@claim(PROFILING, "two of the four suffice for yes and no, for measured numbers and for words of findings")
@claim(PROFILING, "three for 0 and 1, and all four are needed for other whole numbers")
@claim(PROFILING, "Other texts stay unknown, because names of carers stand there as well.")
def _() -> None:
    before: dict[str, list[object]] = {"glucose": [90 + n % 40 for n in range(60)], "asthma": ["yes", "no"] * 30}
    third: dict[str, list[object]] = {"creatinine": [80 + n % 30 for n in range(60)]}
    fourth: dict[str, list[object]] = {"gout": ["yes", "no"] * 30}
    sex: dict[str, list[object]] = {"sex": ["f", "m"] * 30}

    def needed(values: list[object]) -> int | None:
        column = {"blorp": values}
        beside_two, beside_three = third | before | column | sex, before | column | third | sex
        tables = {2: beside_two, 3: beside_three, 4: before | column | third | fourth}
        return next((n for n, table in tables.items() if _roles(**table)["blorp"] == "sensitive"), None)

    assert needed(["yes", "no", "no"] * 20) == needed(["mild", "left", "unchanged"] * 20) == 2
    assert needed([1.5 + n % 9 for n in range(60)]) == 2
    assert needed([0, 1, 0] * 20) == 3 and needed([3, 4, 5] * 20) == 4
    assert needed(["Weber", "Lang", "Beck"] * 20) is None


@claim(PROFILING, "A number with a unit, a duration or a period in its name (`x_ml`, `x_days`, `x12m`) is sensitive.")
def _() -> None:
    clinical: dict[str, list[object]] = {name: ["yes", "no"] * 30 for name in ("asthma", "gout", "hiv")}
    age: dict[str, list[object]] = {"age": [30, 40, 50] * 20}
    for name in ("zz_ml", "zz_days", "zz12m"):
        assert _roles(**clinical, **age, **{name: [1, 2, 3] * 20})[name] == "sensitive"


@claim(PROFILING, "Names and numbers of carers, and numbers of hospitals and practices, are identifiers")
@claim(PROFILING, "the kinds of carers, such as nurse, are not. Numbers of payers are identifiers if there are many.")
def _() -> None:
    found = _roles(surgeon=["RK", "AB"] * 30, hospital_id=[1, 2, 3] * 20, payer_no=[1, 2, 3] * 20)
    assert found == {"surgeon": "identifier", "hospital_id": "identifier", "payer_no": "quasi-identifier"}
    found = _roles(staff=["nurse", "surgeon"] * 30, payer_no=list(range(60)))
    assert found == {"staff": "quasi-identifier", "payer_no": "identifier"}


@claim(PROFILING, "the age at a diagnosis if the table has another age or a birth")
@claim(PROFILING, "ages and years of the onset of an illness, are dropped")
def _() -> None:
    assert _roles(age=[40, 50] * 30, age_at_dx=[30, 45] * 30)["age_at_dx"] == "drop"
    assert _roles(age_at_onset=[30, 45] * 30, year_of_onset=[1990, 2001] * 30) == dict.fromkeys(
        ("age_at_onset", "year_of_onset"), "drop"
    )


@claim(PROFILING, "The column `GebDatum` is a date if its values are dates.")
def _() -> None:
    dates = [f"{year}-03-04" for year in range(1950, 1990)]
    found = shoal.profile(pl.DataFrame({"GebDatum": dates})).columns[0]
    assert (found.role, found.confidence, found.hierarchy["kind"]) == ("quasi-identifier", "high", "date")


@claim(PROFILING, 'Such a column gets `role = "drop"`.')
def _() -> None:
    codes = [f"{letter}{number}" for letter in "qxz" for number in range(7)] * 4
    assert _roles(zzyx=codes, sex=["m", "f"] * 42) == {"zzyx": "drop", "sex": "quasi-identifier"}


@claim(PROFILING, "of individuals is an identifier, whatever its name means elsewhere")
def _() -> None:
    assert _roles(lab=list(range(1, 101)), diagnosis=["E11.9", "I10"] * 50)["lab"] == "identifier"


@claim(PROFILING, "dates that more than a fifth of the rows lack")
def _() -> None:
    days = [f"2020-01-{1 + number % 28:02}" for number in range(100)]
    sparse = [None if number % 4 == 0 else day for number, day in enumerate(days)]
    found = _roles(visit_date=days, date_of_death=days, last_visit_date=sparse)
    assert found == {"visit_date": "quasi-identifier", "date_of_death": "drop", "last_visit_date": "drop"}


@claim(PROFILING, "A place of care that is named by an illness, such as an HIV clinic, is sensitive.")
def _() -> None:
    assert _roles(clinic=["HIV clinic", "eye clinic"] * 40)["clinic"] == "sensitive"


@claim("docs/guide/files.md", "(`24,0` becomes `24`)")
def _() -> None:
    frame = pl.DataFrame({"age": [30, 40] * 10, "crp": ["24,0", "3,5"] * 10})
    columns = {"age": {"role": "quasi-identifier"}, "crp": {"role": "sensitive", "type": "real"}}
    models = [{"kind": "k-anonymity", "k": 5}, {"kind": "l-diversity", "column": "crp", "l": 2}]
    released = shoal.anonymize(frame, shoal.Plan(columns=columns, models=models)).frame
    assert set(released["crp"].cast(pl.String)) == {"24", "3.5"}


@claim(PROFILING, "prefixes of at most three characters")
def _() -> None:
    frame = pl.DataFrame({"zip": [f"{n:05}" for n in range(2_000, 2_100)], "diagnosis": ["I10", "J18"] * 50})
    assert all(len(label) <= 4 for label in shoal.anonymize(frame, shoal.profile(frame).plan()).frame["zip"])


@claim(PROFILING, "top-coded at 90 in every table")
def _() -> None:
    for oldest in (40, 99):
        column = shoal.profile(pl.DataFrame({"age": list(range(10, oldest)) * 3})).columns[0]
        assert (column.top, column.hierarchy["widths"]) == (90, [5, 10, 20])


@claim(PROFILING, "`k-anonymity` with k = 5 (k = 2 in a table of fewer than five individuals)")
def _() -> None:
    assert [usual_k(individuals) for individuals in (4, 5, 10**6)] == [2, 5, 5]


@claim(PROFILING, "| 1 | 3 | 0.2 |\n| 2 | 2 | 0.3 |\n| 3 | 2 | 0.5 |")
def _() -> None:
    assert [tuple(rung) for rung in LADDER] == [(3, 0.2), (2, 0.3), (2, 0.5)]


@claim(PROFILING, "numbers with more than 20 values, except codes | `t-closeness` with the distance `ordered`")
def _() -> None:
    assert guarded(pl.Series("cost", list(range(21)) * 5)).is_number
    assert not guarded(pl.Series("cost", list(range(20)) * 5)).is_number
    (_, model) = models([guarded(pl.Series("cost", list(range(21)) * 5))], 5, LADDER[0])
    assert (model.kind, model.distance) == ("t-closeness", "ordered")  # type: ignore[attr-defined]


@claim(
    PROFILING, "a value with a share above 80 %, or too few rows with other values | `t-closeness` with the distance"
)
def _() -> None:
    for frequent, diversity in ((81, 1), (80, 2)):
        assert guarded(pl.Series("stage", ["a"] * frequent + ["b"] * (100 - frequent))).diversity == diversity


@claim(PROFILING, "`multi-sensitive` (up to six columns, l = 3) or `p-sensitive`")
def _() -> None:
    for columns, step, kind in ((1, 0, "l-diversity"), (6, 0, "multi-sensitive"), (7, 0, "p-sensitive")):
        several = [guarded(pl.Series(f"c{number}", list("abc") * 40)) for number in range(columns)]
        assert [model.kind for model in models(several, 5, LADDER[step])] == ["k-anonymity", kind]
    two = [guarded(pl.Series(name, list("abc") * 40)) for name in "ab"]
    assert [model.kind for model in models(two, 5, LADDER[1])] == ["k-anonymity", "p-sensitive"]


@claim(PROFILING, 'Refined classes are not bounded by cuts, so `ranges = "tight"`')
def _() -> None:
    profile = shoal.profile(patients(300))
    wide = profile.plan("wide")
    assert (wide.algorithm, wide.release.ranges) == (shoal.Mondrian(refine=True), "tight")
    assert profile.plan().algorithm == shoal.Mondrian()
    assert profile.plan().release.ranges == "cut"


@claim(PROFILING, '`mondrian` with `cut = "target"` | keeps what predicts the target. The target is sensitive')
def _() -> None:
    plan = shoal.profile(patients(300)).plan("classification", target="transfused")
    assert plan.algorithm == shoal.Mondrian(cut="target")
    assert (plan.columns["transfused"].role, plan.columns["transfused"].target) == ("sensitive", True)
    assert "transfused" in plan.reads


# -- behaviour ----------------------------------------------------------------------------------------------------


def _plan(**parts: Any) -> shoal.Plan:
    start: dict[str, Any] = {
        "columns": {"sex": shoal.quasi(), "race": shoal.quasi(), "diagnosis": shoal.sensitive()},
        "models": [shoal.KAnonymity(k=5)],
        "data": shoal.Data(unlisted="drop"),
    }
    return shoal.Plan(**start | parts)


def _released(table: dict[str, list[Any]], model: Any, **parts: Any) -> shoal.Release:
    columns = {name: shoal.sensitive() if name == "ill" else shoal.quasi() for name in table}
    return shoal.anonymize(pl.DataFrame(table), shoal.Plan(columns=columns, models=[model], **parts))


@claim("docs/reference/plan.md", "A model with `columns` that names none guards all sensitive columns.")
def _() -> None:
    columns = {"sex": shoal.quasi(), "a": shoal.sensitive(), "b": shoal.sensitive()}
    for model in (shoal.PSensitive(p=2, k=2), shoal.MultiSensitive(l=2, k=2), shoal.ExponentialL(l=2)):
        assert shoal.Plan(columns=columns, models=[model]).reads == ("a", "b")


@claim(
    "docs/reference/plan.md",
    "A model with `column` must name one, and guards that column alone. `k-anonymity` guards no sensitive column.",
)
def _() -> None:
    columns = {"sex": shoal.quasi(), "a": shoal.sensitive(), "b": shoal.sensitive()}
    for cls in all_models.ALL:
        if "column" in {item.name for item in fields(cls)} and not cls.removes_items:
            model: Any = cls(**{**cls.about.sample, "column": "a"})
            assert model.resolved(("a", "b")).reads == ("a",)
            assert next(item for item in fields(cls) if item.name == "column").default is MISSING
    assert shoal.Plan(columns=columns, models=[shoal.KAnonymity(k=2)]).reads == ()


@claim("docs/guide/missing.md", "A class that mixes missing and present values is labelled `*`. The one exception is")
def _() -> None:
    table = {"age": [None, 30, 31], "job": [None, "nurse", "cook"], "ill": ["a", "b", "c"]}
    for categories, job in (("hierarchy", "*"), ("sets", "{, cook, nurse}")):
        release = _released(table, shoal.KAnonymity(k=3), release=shoal.ReleaseSettings(categories=categories))
        assert set(release.frame.select("age", "job").rows()) == {("*", job)}


@claim("docs/guide/missing.md", "“flu, flu, unknown” is one known value, not two")
def _() -> None:
    table = {"age": [1, 1, 1], "ill": ["flu", "flu", None]}
    with pytest.raises(shoal.ShoalError, match="cannot be met"):
        _released(table, shoal.LDiversity("ill", l=2))


@claim("docs/guide/missing.md", '(`""`, `"?"` and `"NA"` by default)')
def _() -> None:
    assert shoal.Data().missing == ("", "?", "NA")


@claim("docs/guide/missing.md", "five rows of one patient are one person, not five")
def _() -> None:
    rows = pl.DataFrame({"id": [1] * 5 + [2] * 5, "sex": ["f"] * 10, "ill": list("abcde") * 2})
    columns = {"id": shoal.identifier(), "sex": shoal.quasi(), "ill": shoal.sensitive()}
    plan = shoal.Plan(columns=columns, models=[shoal.KAnonymity(k=2)], data=shoal.Data(person="id"))
    release = shoal.anonymize(rows, plan)
    assert release.steward.models[0].achieved == {"k": 2}  # what is published counts rows
    assert release.manifest.models[0].achieved == {"k": 10}


@claim(
    "docs/guide/suppression.md",
    "full-domain [algorithms](algorithms.md) use it, `mondrian`, `k-member` and `pais` do not.",
)
def _() -> None:
    rare = {"zip": ["1"] * 50 + ["2"], "sex": ["f", "m"] * 25 + ["f"], "ill": list("abc") * 17}
    settings = shoal.ReleaseSettings(suppression=0.05)
    for algorithm, suppressed in ((shoal.Optimal(), 1), (shoal.Mondrian(), 0), (shoal.KMember(), 0), (shoal.Pais(), 0)):
        release = _released(rare, shoal.KAnonymity(k=5), algorithm=algorithm, release=settings)
        assert release.manifest.rows_suppressed == suppressed


@claim("docs/guide/wide-tables.md", "which is twice the number of pairs of rows that the step distinguishes")
def _() -> None:
    table = {"sex": ["m"] * 6 + ["f"] * 4, "ill": list("abcde") * 2}
    (step,) = _released(table, shoal.KAnonymity(k=2), algorithm=shoal.Pais(score="paper")).steps
    assert step.score == 2 * 6 * 4 == 10**2 - 6**2 - 4**2


@claim("docs/guide/wide-tables.md", "A plan that permits suppression is refused with `lkc`.")
def _() -> None:
    lkc = shoal.LKC(l=2, k=5, c=1, column="diagnosis")
    with pytest.raises(shoal.ShoalError, match="cannot be combined with suppression"):
        _plan(models=[lkc], algorithm=shoal.Pais(), release=shoal.ReleaseSettings(suppression=0.1))


@claim("docs/guide/wide-tables.md", "`local = true` is refused with `lkc`")
def _() -> None:
    with pytest.raises(shoal.ShoalError, match="local = true judges one class at a time"):
        _plan(models=[shoal.LKC(l=2, k=5, c=1, column="diagnosis")], algorithm=shoal.Optimal(local=True))


@claim("docs/guide/choosing.md", "If the plan names a person column, it can do so only with `c = 1`.")
def _() -> None:
    for algorithm in (shoal.Mondrian(), shoal.KMember()):
        asked, person = {"l": 2, "k": 5, "column": "diagnosis"}, shoal.Data(person="patient")
        _plan(models=[shoal.LKC(c=0.5, **asked)], algorithm=algorithm)
        _plan(models=[shoal.LKC(c=1, **asked)], algorithm=algorithm, data=person)
        with pytest.raises(shoal.ShoalError, match=f"'{algorithm.kind}' cannot enforce 'lkc'"):
            _plan(models=[shoal.LKC(c=0.5, **asked)], algorithm=algorithm, data=person)


@claim("docs/guide/algorithms.md", "a value has the same label in every row")
def _() -> None:
    table = {"age": [*range(20, 60)] * 3, "sex": list("fm") * 60, "ill": list("abcde") * 24}
    labels = {}
    for algorithm in (shoal.Pais(), shoal.Optimal(), shoal.Mondrian()):
        release = _released(table, shoal.KAnonymity(k=5), algorithm=algorithm)
        labels[algorithm.kind] = sorted(set(release.frame["age"].to_list()))
    ends = {kind: [_ends(label) for label in found] for kind, found in labels.items()}
    assert all(_apart(ends[kind]) for kind in ("pais", "optimal"))
    assert not _apart(ends["mondrian"])


def _ends(label: str) -> tuple[int, int]:
    numbers = [int(number) for number in re.findall(r"\d+", label)] or [0, 10**6]
    return numbers[0], numbers[-1]


def _apart(ends: list[tuple[int, int]]) -> bool:
    ordered = sorted(ends)
    return all(left[1] < right[0] for left, right in pairwise(ordered))


@claim("docs/guide/algorithms.md", "It does not depend on the order of the rows")
def _() -> None:
    table = patients(300)
    shuffled = table.sample(fraction=1, shuffle=True, seed=1)
    assert shoal.anonymize(table, _plan()).frame.equals(shoal.anonymize(shuffled, _plan()).frame)


@claim("docs/guide/algorithms.md", "the steward's record states how far from the optimum it could be")
@claim("docs/guide/algorithms.md", "The steward's record lists all minimal recodings.")
def _() -> None:
    for algorithm, key in ((shoal.Optimal(), "lower_bound"), (shoal.Incognito(), "minimal")):
        release = shoal.anonymize(patients(300), _plan(algorithm=algorithm))
        assert getattr(release.steward.search, key) is not None
        assert getattr(release.manifest.search, key) is None


@claim("docs/guide/full-domain.md", "until `budget` ends (a minute by default)")
@claim("docs/guide/full-domain.md", "A lattice of up to a million nodes is searched completely")
def _() -> None:
    assert (optimal._DEFAULT_BUDGET, LISTED_AT_MOST) == (60, 1_000_000)


@claim("docs/guide/anatomy.md", "Plain `k-anonymity` is therefore refused.")
def _() -> None:
    with pytest.raises(shoal.ShoalError, match="an anatomy publishes exact quasi-identifiers"):
        _plan(release=shoal.ReleaseSettings(form="anatomy"))


@claim("docs/guide/choosing.md", "A class exactly at a threshold passes, unless the definition itself is strict")
def _() -> None:
    table = {"age": [1] * 4, "ill": ["a", "a", "b", "c"]}
    assert _released(table, shoal.AlphaK("ill", alpha=0.5, k=4)).verification.holds
    with pytest.raises(shoal.ShoalError, match="cannot be met"):
        _released({"age": [1] * 2, "ill": ["a", "b"]}, shoal.LDiversity("ill", l=2, variant="recursive", c=1))


@claim("docs/guide/roles.md", "With `top = 90`, a patient aged 97 is treated as a patient aged 90.")
def _() -> None:
    columns = {"age": shoal.quasi(top=90), "ill": shoal.sensitive()}
    plan = shoal.Plan(columns=columns, models=[shoal.KAnonymity(k=3)])
    ages = shoal.anonymize(pl.DataFrame({"age": [97, 95, 90], "ill": list("abc")}), plan).frame["age"]
    assert set(ages.to_list()) == {"90"}


@claim("docs/guide/roles.md", "prefixes need `steps`, and learned bands cannot be limited")
def _() -> None:
    for tree in (shoal.prefixes(), hierarchies.Learned()):
        with pytest.raises(shoal.ShoalError, match="'finest' or 'coarsest'"):
            _plan(columns={"zip": shoal.quasi(tree, coarsest=1), "diagnosis": shoal.sensitive()})


@claim("docs/guide/roles.md", "A column without a role stops the release")
@claim("README.md", "by default, a column that the plan does not list is an error")
def _() -> None:
    with pytest.raises(shoal.ShoalError, match="Every column needs a role"):
        shoal.anonymize(patients(50), _plan(data=shoal.Data()))


@claim("docs/reference/output.md", "Only the owner can read this folder (mode 0700).")
@claim("docs/reference/output.md", "comma-separated UTF-8 without byte order mark, with LF line endings")
@claim("docs/reference/output.md", "Rows are sorted by all released columns.")
def _() -> None:
    with tempfile.TemporaryDirectory() as folder:
        release = shoal.anonymize(patients(300), _plan())
        release.save(f"{folder}/out")
        written = (Path(folder) / "out" / "release.csv").read_bytes()
        mode = (Path(folder) / "out.private").stat().st_mode
    assert mode & 0o777 == 0o700
    assert written.startswith(b"sex,race,diagnosis\n") and b"\r" not in written
    assert release.frame.equals(release.frame.sort(release.frame.columns))


@claim("docs/guide/databases.md", "A password in the URL is refused")
def _() -> None:
    with pytest.raises(shoal.ShoalError, match="password"):
        shoal.table.read("postgresql://steward:secret@localhost/registry", query="SELECT 1")


@claim("docs/guide/hierarchies.md", "so `week` can be combined with `hour` and `day` only")
def _() -> None:
    shoal.dates("hour", "day", "week")
    with pytest.raises(shoal.ShoalError, match="a week can span two months"):
        shoal.dates("week", "month")


# -- measures -----------------------------------------------------------------------------------------------------

MEASURES = "docs/reference/measures.md"


def _ncp(values: list[Any], tree: Any = None, **settings: Any) -> float:
    columns = {"column": shoal.quasi(tree), "ill": shoal.sensitive()}
    plan = shoal.Plan(columns=columns, models=[shoal.KAnonymity(k=2)], release=shoal.ReleaseSettings(**settings))
    return float(shoal.anonymize(pl.DataFrame({"column": values, "ill": list("abab")}), plan).measures["ncp"])


@claim(
    MEASURES, "the share of hidden characters for prefixes: out of the length of the longest released label, with its"
)
def _() -> None:
    zips = ["12345", "12346", "22345", "22346"]  # published as 1234* and 2234*
    assert _ncp(zips, shoal.prefixes()) == _ncp(zips, shoal.prefixes(4, 2)) == pytest.approx(1 / 5)
    assert _ncp(zips, shoal.prefixes(9, 4)) == pytest.approx(6 / 10)


@claim(MEASURES, "(hi − lo)/(max − min) for ranges")
@claim(MEASURES, "(values in the set − 1)/(values − 1) for sets")
def _() -> None:
    assert _ncp([10, 20, 40, 50]) == pytest.approx(10 / 40)
    assert _ncp(["a", "b", "c", "d"], categories="sets") == pytest.approx(1 / 3)


@claim(MEASURES, "**`discernibility`** is Σ|class|² + suppressed rows · input rows.")
@claim("docs/guide/suppression.md", "It counts 1 in `ncp` for every column")
@claim("docs/guide/suppression.md", "It counts 0 in `precision`, and all rows of the input in `discernibility`.")
def _() -> None:
    rare = {"zip": ["1"] * 50 + ["2"], "ill": list("abc") * 17}
    settings = shoal.ReleaseSettings(suppression=0.05)
    measures = _released(rare, shoal.KAnonymity(k=5), algorithm=shoal.Optimal(), release=settings).measures
    assert measures["discernibility"] == 50**2 + 1 * 51
    assert (measures["ncp"], measures["precision"]) == (pytest.approx(1 / 51), pytest.approx(50 / 51))


@claim("docs/guide/roles.md", 'It has no effect on `pais`, nor on Mondrian with `cut = "median"`')
def _() -> None:
    def released(algorithm: Any, weight: float) -> pl.DataFrame:
        columns = {"sex": shoal.quasi(), "race": shoal.quasi(), "job": shoal.quasi(weight=weight)}
        plan = _plan(columns=columns | {"diagnosis": shoal.sensitive()}, algorithm=algorithm)
        return shoal.anonymize(patients(400), plan).frame

    for algorithm, same in ((shoal.Pais(), True), (shoal.Mondrian(cut="median"), True), (shoal.Mondrian(), False)):
        assert released(algorithm, 1.0).equals(released(algorithm, 50.0)) is same


@claim("docs/guide/several-sensitive.md", "Here it is 2 (heart disease and IV).")
def _() -> None:
    table: dict[str, list[Any]] = {"age": [1] * 4, "disease": list("hhfs"), "treatment": list("msii")}
    columns = {"age": shoal.quasi(), "disease": shoal.sensitive(), "treatment": shoal.sensitive()}
    plan = shoal.Plan(columns=columns, models=[shoal.MultiSensitive(l=2, k=4)])
    assert shoal.anonymize(pl.DataFrame(table), plan).achieved["multi-sensitive"]["l"] == 2
    with pytest.raises(shoal.ShoalError, match="cannot be met"):
        shoal.anonymize(pl.DataFrame(table), plan.changed(models=[shoal.MultiSensitive(l=3, k=4)]))


# -- files --------------------------------------------------------------------------------------------------------

FILES = "docs/guide/files.md"


def _read(content: str | bytes) -> pl.DataFrame:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return shoal.table.read(str(path))


@claim(FILES, "if at least two names look like values, and so do half of all names")
@claim(FILES, "or if all names are numbers that do not ascend")
def _() -> None:
    for content in ("31,f,flu\n32,m,flu\n33,f,flu\n", "2020-01-02,2021-03-04\n2020-05-06,2021-07-08\n", "9,2\n3,4\n"):
        with pytest.raises(shoal.ShoalError, match="seems to have no header line"):
            _read(content)


@claim(FILES, "such as one of a few words, are not noticed")
def _() -> None:
    assert _read("flu,x\nburn,y\n").columns == ["flu", "x"]


@claim(FILES, "if a name is a date, an identifier or a long")
def _() -> None:
    with pytest.raises(shoal.ShoalError, match="no header line"):
        _read("2020-01-02,x\n2020-05-06,y\n")


@claim(FILES, "the separator (comma, semicolon, tab or bar) and the encoding (UTF-8, UTF-16 with a byte order mark, or")
def _() -> None:
    for separator in ",;\t|":
        assert _read(f"age{separator}city\n40{separator}Köln\n").rows() == [("40", "Köln")]
    for encoding in ("utf-16", "cp1252", "utf-8-sig"):
        assert _read("age,city\n40,Köln\n".encode(encoding)).rows() == [("40", "Köln")]


@claim(
    FILES, "All values of a column must be written in the same way. If every time is midnight, the column is of type"
)
@claim(FILES, "texts with an offset such as `+01:00`, are text")
@claim(FILES, "Otherwise the column stays text, and Shoal warns of it")
@claim(FILES, "`1,234` alone could mean 1234")
def _() -> None:
    types = {
        "integer": [["1", "22"]],
        "real": [["1.5", "2"], ["12,5", "3,25"]],
        "date": [["2021-03-04"], ["2021/03/04"], ["04.03.2021"], ["31/03/2021"], ["03/31/2021"], ["2021-03-04 00:00"]],
        "datetime": [["2021-03-04 10:15"], ["2021-03-04T10:15:30Z"], ["04.03.2021 10:15:30.500"]],
        "text": [
            ["01", "02"],
            ["+1"],
            ["1,234"],
            ["01/02/2020"],
            ["2021-03-04", "04.03.2021"],
            ["2021-03-04T10:15+01:00"],
        ],
    }
    for name, columns in types.items():
        for values in columns:
            assert shoal.profile(pl.DataFrame({"v": values * 2})).columns[0].type == name, values


# -- parameters ---------------------------------------------------------------------------------------------------

COLUMN = (["diagnosis"], ["", 3])
COLUMNS = ([None, ["a"], ["a", "b"]], [[], [""], ["a", "a"]])
VALUES = ([None, ["HIV"], [3]], [[], [None]])
MEASURE = (["loss", "precision", "entropy", "discernibility", "average-class-size"], ["ncp"])
ALLOWED: dict[str, dict[str, tuple[list[Any], list[Any]]]] = {
    "k-anonymity": {"k": ([2, 10**6], [1, 2.5, True])},
    "l-diversity": {
        "column": COLUMN,
        "l": ([2, 3], [1, 2.5]),
        "variant": (["distinct", "entropy"], ["other", "recursive"]),  # recursive needs c
        "c": ([None], [2]),
    },
    "t-closeness": {
        "column": COLUMN,
        "t": ([0, 0.2, 1], [-0.1, 1.1]),
        "distance": (["equal", "ordered", "hierarchical"], ["other"]),
        "reference": (["both", "released", "input"], ["other"]),
    },
    "alpha-k": {"column": COLUMN, "alpha": ([0.01, 1], [0, 1.1]), "k": ([1], [0]), "values": VALUES},
    "p-sensitive": {"p": ([2, 5], [1, 6]), "k": ([5], [1]), "columns": COLUMNS},
    "extended-p-sensitive": {"p": ([2, 5], [1, 6]), "k": ([5], [1]), "columns": COLUMNS},
    "beta-likeness": {"column": COLUMN, "beta": ([0.1, 9], [0]), "variant": (["basic", "enhanced"], ["other"])},
    "delta-disclosure": {"column": COLUMN, "delta": ([0.1, 9], [0])},
    "multi-sensitive": {
        "l": ([2], [1]),
        "k": ([1], [0]),
        "columns": COLUMNS,
        "limits": ([None, {"a": 0}], [{}, {"a": -1}]),
        "check": (["exact", "greedy"], ["other"]),
    },
    "exponential-l": {"l": ([2], [1]), "columns": COLUMNS},
    "lkc": {"l": ([1], [0]), "k": ([1], [0]), "c": ([0.01, 1], [0, 1.1]), "column": COLUMN, "values": VALUES},
    "km-anonymity": {"column": COLUMN, "k": ([2, 9], [1, 2.5]), "m": ([1, 50], [0, "2"])},
    "kpqr": {
        "column": COLUMN,
        "k": ([3, 5], [1, 2]),  # 2 is below the p of the sample
        "p": ([2, 5], [1, 6]),
        "q": ([0, 0.05, 1], [-0.1, 1.1]),
        "r": ([0, 0.5, 1], [-0.1, 1.1]),
        "reference": (["both", "released", "input"], ["other"]),
    },
    "mondrian": {"cut": (["loss", "median", "target"], ["other"]), "refine": ([True, False], [1, "yes"])},
    "k-member": {"bounded": ([True, False], [1]), "refine": ([True, False], [1])},
    "optimal": {"measure": MEASURE, "local": ([True, False], []), "budget": ([None, 0.5, float("inf")], [0])},
    "incognito": {"measure": MEASURE},
    "samarati": {"measure": MEASURE},
    "pais": {
        "goal": (["general", "classification"], ["other"]),
        "score": (["sparing", "weighted", "paper"], ["other"]),
        "stop_at": (
            [None, 0, 12, {"ncp": 0.3}, {"discernibility_ratio": 1}],
            [-1, {"ncp": 2}, {"precision": 0.3}, {"ncp": 0.1, "discernibility_ratio": 0.1}],
        ),
    },
    "intervals": {"widths": ([(5, 10, 20), (0.5,)], [(), (0,), (5, 12)]), "origin": ([0, -3, 0.25], ["1", 1e-13])},
    "prefix": {"steps": ([None, (3, 1)], [(), (1, 3), (0,), tuple(range(101, 0, -1))])},
    "date": {
        "levels": (
            [("month", "quarter", "year", "decade", "century"), ("hour", "day", "week")],
            [(), ("year", "month"), ("week", "month"), ("minute",)],
        )
    },
    "file": {"path": (["job.csv"], ["", 3]), "separator": ([None, ";"], [";;", ""])},
    "flat": {},
    "icd9": {},
    "icd10": {},
    "icd10cm": {},
    "learned": {"fanout": ([2, 4], [1, 2.5])},
}
LISTED = [cls for cls in (*all_models.ALL, *algorithms.ALL, *hierarchies.ALL) if cls.kind in ALLOWED]
"""A new member of a family checks its parameters in its own tests; it needs no entry here."""


@pytest.mark.parametrize("cls", LISTED, ids=lambda cls: cls.kind)
def test_what_is_documented_as_allowed_is_allowed(cls: Any) -> None:
    parameters = {item.name for item in fields(cls) if item.init}
    assert parameters == set(ALLOWED[cls.kind]), "list values that every parameter allows and refuses"
    sample = dict(cls.about.sample if hasattr(cls, "about") else getattr(cls, "sample", {}))
    for name, (good, bad) in ALLOWED[cls.kind].items():
        for value in good:
            cls(**sample | {name: value})
        for value in bad:
            with pytest.raises(shoal.ShoalError):
                cls(**sample | {name: value})
