"""Plan files: every one is a plan or one error, and what is written is read back."""

from __future__ import annotations

import datetime
import time
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal import hierarchies
from shoal.algorithms import Mondrian, Optimal
from shoal.errors import PlanError, ShoalError
from shoal.models import KAnonymity, LDiversity
from shoal.plan import Plan, read_plan, toml
from shoal.plan.toml import dumped, from_tables, read_plan_file, reading, relative_to, to_tables
from shoal.roles.columns import Column, Data
from tests.effort import examples
from tests.plan.tables import BASE, changed, model, named, refused

MISTAKES: list[tuple[str, Any, str]] = [
    # unknown keys
    ("colums", {}, "'colums' is not a part of a plan. .*did you mean 'columns'"),
    ("data.sorce", "x.csv", "'sorce' is not a key of 'data'. .*did you mean 'source'"),
    ("columns.age.rol", "x", "Column 'age': 'rol' is not a key of 'column'. .*did you mean 'role'"),
    ("columns.age.self", 1, "'self' is not a key"),
    ("data.self", 1, "'self' is not a key"),
    ("release.colour", "red", "'colour' is not a key of 'release'"),
    ("models", model(kind="k-anonymity", K=5), "'K' is not a parameter of model 'k-anonymity'"),
    ("columns.age.hierarchy", {"kind": "intervals", "width": [5]}, "did you mean 'widths'"),
    # wrong kinds of value
    ("columns", [], "'columns' must be a table"),
    ("columns.age", 5, "'columns.age' must be a table"),
    ("data", 5, "'data' must be a table"),
    ("release", [], "'release' must be a table"),
    ("algorithm", 5, "'algorithm' must be a table"),
    ("algorithm", "mondriaan", "did you mean 'mondrian'"),
    ("models", {"kind": "k-anonymity", "k": 5}, r"'models' must be a list .*\[\[models\]\]"),
    ("models", [5], "A model must be a table"),
    ("models", ["k-anonymity"], "The model 'k-anonymity' is given without its parameters. .*write KAnonymity"),
    ("models", ["k-anonimity"], "There is no model of kind 'k-anonimity'. .*did you mean 'k-anonymity'"),
    ("data.source", 5, "it should be text"),
    ("data.missing", "NA", "it should be a list"),
    ("data.missing", [1], "it should be text"),
    ("columns.age.top", "90", "it should be an integer or a number or a date"),
    ("columns.age.top", True, "it should be an integer"),
    ("columns.age.weight", "1", "it should be a number"),
    ("columns.age.weight", True, "it should be a number"),
    ("columns.dx.protected", "x", "it should be a list"),
    ("columns.dx.missing_counts", "no", "it should be true or false"),
    ("columns.age.hierarchy", "prefix", "must be a table with a 'kind'"),
    ("columns.age.hierarchy", [{"kind": "prefix"}], "must be a table with a 'kind'"),
    ("columns.age.hierarchy", {"kind": "intervals", "widths": "5"}, "it should be a list"),
    ("columns.age.hierarchy", {"kind": "intervals", "widths": ["5"]}, "it should be a number"),
    ("columns.age.hierarchy", {"kind": "file", "path": 5}, "it should be text"),
    ("models", model(kind="k-anonymity", k="5"), "The 'k' of model 'k-anonymity' is invalid: it should be an integer"),
    ("models", model(kind="k-anonymity", k=5.0), "it should be an integer"),
    ("models", model(kind="k-anonymity", k=True), "it should be an integer"),
    ("models", model(kind="l-diversity", column=["dx"], l=3), "it should be text"),
    ("models", model(kind="p-sensitive", p=2, k=2, columns="dx"), "it should be a list"),
    ("algorithm.seed", "x", "it should be an integer"),
    ("algorithm.seed", 1.5, "it should be an integer"),
    ("release.strict", 1, "it should be true or false"),
    ("release.suppression", "5%", "it should be a number"),
    # kinds
    ("models", [], "The plan has no model"),
    ("models", [{}], "A model needs a 'kind'"),
    ("models", model(kind="k-anonimity", k=5), "did you mean 'k-anonymity'"),
    ("models", model(kind="k-anonymity"), "The model 'k-anonymity' needs 'k'"),
    ("algorithm", {"kind": "mondriaan"}, "did you mean 'mondrian'"),
    ("algorithm", {"cut": "loss"}, "An algorithm needs a 'kind'"),
    ("columns.age.hierarchy", {}, "A hierarchy needs a 'kind'"),
    ("columns.age.hierarchy", {"kind": 5}, "There is no hierarchy of kind 5"),
    ("release.form", "tables", "There is no release form 'tables'"),
]


@pytest.mark.parametrize(("place", "value", "says"), MISTAKES, ids=named(MISTAKES))
def test_a_mistake_is_one_paragraph_with_a_hint(place: str, value: Any, says: str) -> None:
    refused(place, value, says)


@settings(max_examples=examples(150), deadline=None)
@given(
    st.recursive(
        st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5), st.dates()),
        lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=8), inner, max_size=3)),
        max_leaves=8,
    ),
    st.sampled_from(
        ["data", "columns", "columns.age", "columns.age.hierarchy", "columns.age.top", "models", "algorithm", "release"]
    ),
)
def test_no_value_whatever_raises_anything_else(value: Any, place: str) -> None:
    try:
        from_tables(changed(place, value), Path("/plans"))
    except ShoalError as error:
        assert error.exit_code == 2


@pytest.mark.parametrize(
    "text",
    [
        b"columns = [",
        b"\xff\xfe",
        b"x = " + b"9" * 5000,
        b"x = " + b"[" * 5000,
        b"[columns]\n[columns]\n",
        b"\x00",
    ],
)
def test_a_file_that_is_no_plan_is_one_error(text: bytes, tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_bytes(text)
    with pytest.raises(PlanError, match=r"plan\.toml"):
        read_plan(tmp_path / "plan.toml")


def test_a_plan_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match="does not exist"):
        read_plan(tmp_path / "plan.toml")
    with pytest.raises(PlanError, match="cannot be read"):
        read_plan(tmp_path)
    with pytest.raises(PlanError, match="cannot be read"):
        read_plan("plan\x00.toml")


def test_paths_are_relative_to_the_plan(tmp_path: Path) -> None:
    text = """
    [data]
    source = "data/patients.csv"
    [columns.job]
    role = "quasi-identifier"
    hierarchy = { kind = "file", path = "trees/job.csv" }
    [[models]]
    kind = "k-anonymity"
    k = 2
    """
    (tmp_path / "plan.toml").write_text(text)
    plan = read_plan(tmp_path / "plan.toml")
    assert plan.data.source == str(tmp_path.resolve() / "data/patients.csv")
    assert plan.columns["job"].hierarchy.path == str(tmp_path.resolve() / "trees/job.csv")


def test_a_database_url_is_not_a_path() -> None:
    tables = BASE | {"data": {"source": "postgresql://host/db", "query": "select 1"}}
    assert from_tables(tables, Path("/plans")).data.source == "postgresql://host/db"


def test_a_jdbc_url_without_slashes_is_not_a_path() -> None:
    tables = BASE | {"data": {"source": "jdbc:h2:mem:clinic", "query": "select 1"}}
    assert from_tables(tables, Path("/plans")).data.source == "jdbc:h2:mem:clinic"


def test_a_plan_can_be_written_with_a_byte_order_mark(tmp_path: Path) -> None:
    plan = from_tables(BASE, tmp_path)
    (tmp_path / "plan.toml").write_text("\ufeff" + plan.to_toml(), encoding="utf-8")
    assert read_plan(tmp_path / "plan.toml") == plan


HIERARCHIES = [
    None,
    hierarchies.Intervals(widths=(5, 10.0), origin=-2),
    hierarchies.Prefix(),
    hierarchies.Prefix(steps=(3, 1)),
    hierarchies.Dates(levels=("month", "year")),
    hierarchies.File(path="/trees/job.csv", separator=";"),
    hierarchies.Flat(),
    hierarchies.Icd9(),
    hierarchies.Learned(fanout=3),
]
NAMES = st.sampled_from(["age", "a.b", "a b", "ä/ö", "..", "", "quote'\"", "x" * 300, "[columns]", "\u2028", "#"])


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    """Plans of every kind of part."""
    names = draw(st.lists(NAMES, min_size=2, max_size=4, unique=True))
    bounds = draw(
        st.sampled_from(
            [
                {},
                {"top": 90},
                {"bottom": 0.5, "top": 9},
                {"top": datetime.date(2020, 1, 1)},
                {"top": datetime.datetime(2020, 1, 1, 12)},
            ]
        )
    )
    weight = draw(st.sampled_from([{}, {"weight": 0.1}]))
    columns = {
        names[0]: Column(role="quasi-identifier", hierarchy=draw(st.sampled_from(HIERARCHIES)), **bounds, **weight)
    }
    tree = draw(st.sampled_from(HIERARCHIES))
    has_nodes = (
        tree is not None and not isinstance(tree, hierarchies.Learned) and getattr(tree, "steps", ()) is not None
    )
    columns[names[1]] = Column(
        role="sensitive",
        type=draw(st.sampled_from([None, "text", "integer", "real", "date"])),
        hierarchy=tree,
        missing_counts=draw(st.booleans()),
        protected=draw(st.sampled_from([(), ("140-239", "x y")])) if has_nodes else (),
    )
    roles = st.sampled_from(["identifier", "target", "insensitive"])
    columns |= {name: Column(role=draw(roles)) for name in names[2:]}
    return Plan(
        data=Data(
            source=draw(st.sampled_from([None, "/data/x.csv"])),
            separator=draw(st.sampled_from([None, "\t"])),
            missing=draw(st.sampled_from([("", "?", "NA"), (), ("-",)])),
            missing_rows=draw(st.sampled_from(["keep", "drop"])),
            unlisted=draw(st.sampled_from(["error", "drop", "insensitive"])),
        ),
        columns=columns,
        models=(KAnonymity(k=draw(st.integers(2, 9))), *([LDiversity(names[1], l=2)] if names[1] else [])),
        algorithm=draw(st.sampled_from([Mondrian(), Mondrian(cut="median")])),
        seed=draw(st.integers(0, 2**40)),
    )


@given(plans())
@settings(max_examples=examples(60), deadline=None)
def test_what_is_written_is_read_back(plan: Plan) -> None:
    assert from_tables(tomllib.loads(plan.to_toml()), Path("/")) == plan
    assert from_tables(to_tables(plan), Path("/")) == plan


def test_a_plan_file_is_read_with_its_text(tmp_path: Path) -> None:
    text = "# a remark\n" + dumped(from_tables(BASE, tmp_path))
    (tmp_path / "plan.toml").write_bytes(b"\xef\xbb\xbf" + text.encode())
    plan, read = read_plan_file(tmp_path / "plan.toml")
    assert read == text and plan == from_tables(BASE, tmp_path) == read_plan(str(tmp_path / "plan.toml"))


def test_defaults_are_left_out_of_what_is_written() -> None:
    tables = to_tables(from_tables(BASE, Path("/")))
    assert set(tables) == {"columns", "models", "algorithm"}
    assert tables["columns"]["age"] == {"role": "quasi-identifier"}
    assert tables["algorithm"] == {"kind": "mondrian", "seed": 0}


def test_a_whole_number_is_a_fine_weight_and_share() -> None:
    tables = changed("columns.age.weight", 2) | {"release": {"suppression": 0}}
    plan = from_tables(tables, Path("/"))
    assert plan.columns["age"].weight == 2.0 and plan.release.suppression == 0.0


def test_the_kind_of_an_algorithm_suffices() -> None:
    plan = from_tables(BASE | {"algorithm": "optimal"}, Path("/"))
    assert (plan.seed, plan.algorithm) == (0, Optimal())
    assert from_tables(to_tables(plan), Path("/")) == plan


def test_the_seed_of_a_file_stands_with_the_algorithm() -> None:
    assert from_tables(BASE | {"algorithm": {"seed": 9}}, Path("/")).seed == 9
    plan = from_tables(BASE | {"algorithm": {"kind": "mondrian", "cut": "median", "seed": 9}}, Path("/"))
    assert (plan.seed, plan.algorithm) == (9, Mondrian(cut="median"))


HOSTILE = {
    "a long dotted key": "a" + ".a" * 30_000 + " = 1",
    "a long dotted header": "[" + "a." * 30_000 + "a]",
    "a long dotted key with blanks and quotes": "'a'" + ' . "a"' * 10_000 + " = 1",
    "in an inline table": "x = {a" + ".a" * 30_000 + " = 1}",
    "many long keys": "\n".join(f"b{i}" + ".a" * 2_000 + " = 1" for i in range(20)),
    "after a text": 'x = """\n"""\ny = "\\""\nz = \'\'\'\n\'\'\'\nw = \'"\' # "\na' + ".a" * 30_000 + " = 1",
    "after quotes at the end of a text": 'x = """a"""""\ny = """"""\na' + ".a" * 30_000 + " = 1",
    "a long word": "a" * 10**6,
    "unclosed texts": 'x = "' + '\\"""' * 20_000,
    "unclosed quotes": '"""' + '\\"""' * 20_000,
    "nested brackets": "x = " + "[" * 50_000,
    "nested tables": "x = " + "{a = " * 50_000,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_plan_is_refused_at_once(text: str, tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_text(text)
    began = time.process_time()
    with pytest.raises(PlanError) as caught:
        read_plan(tmp_path / "plan.toml")
    assert time.process_time() - began < 1
    assert len(str(caught.value)) < 500


def test_a_plan_of_any_size_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(toml, "LARGEST_PLAN", 100)
    (tmp_path / "plan.toml").write_text("#" * 101)
    with pytest.raises(PlanError, match="larger than"):
        read_plan(tmp_path / "plan.toml")


def test_dots_in_texts_are_no_keys(tmp_path: Path) -> None:
    dotted = ".".join("abcdefghijklmnopqrstuvwxyz")
    text = (
        f'[data]\nsource = "{dotted}" # {dotted}\nquery = """\n{dotted}"""\n'
        + "[columns.age]\nrole = 'quasi-identifier'\n"
    )
    (tmp_path / "plan.toml").write_text(text + '[[models]]\nkind = "k-anonymity"\nk = 2\n')
    assert dotted in str(read_plan(tmp_path / "plan.toml").data.source)


@pytest.mark.parametrize("key", ["columns.age.weight", "release.suppression"])
def test_a_number_too_large_for_a_double_is_one_error(key: str) -> None:
    with pytest.raises(PlanError):
        from_tables(changed(key, 10**400), Path())


def test_paths_may_be_relative_to_another_folder(tmp_path: Path) -> None:
    path = tmp_path / "private" / "plan.toml"
    path.parent.mkdir()
    data = {**BASE, "data": {"source": "table.csv"}}
    path.write_text(dumped(from_tables(data, Path())), encoding="utf-8")
    assert read_plan_file(path).plan.data.source == str(tmp_path / "private" / "table.csv")
    assert read_plan_file(path, tmp_path).plan.data.source == str(tmp_path / "table.csv")


def test_statistics_are_read_and_written(tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    path.write_text(
        """
[columns.age]
role = "quasi-identifier"
[columns.ill]
role = "sensitive"
[columns.name]
role = "identifier"
[[models]]
kind = "k-anonymity"
k = 5
[[statistics]]
kind = "prevalence"
of = "ill"
values = ["flu", 3]
by = ["age"]
bands = { age = [18, 65.5] }
"""
    )
    plan = read_plan(path)
    (statistic,) = plan.statistics
    assert statistic == shoal.Prevalence("ill", values=("flu", "3"), by=("age",), bands={"age": (18, 65.5)})
    (tmp_path / "again.toml").write_text(plan.to_toml())
    assert read_plan(tmp_path / "again.toml").statistics == plan.statistics


@pytest.mark.parametrize(
    ("statistics", "message"),
    [
        ([shoal.Correlation(("age", "agee"))], "names column 'agee', which is not in the plan"),
        ([shoal.Correlation(("age", "name"))], "names column 'name', whose role is 'identifier'"),
        ([{"kind": "corelation"}], "There is no statistic of kind 'corelation'"),
        ([{"kind": "correlation", "columns": 3}], "The 'columns' of statistic 'correlation' is invalid"),
        ("correlation", "The statistics must be a list"),
        ([3], "A statistic must be a table with a 'kind'"),
    ],
)
def test_wrong_statistics_are_refused(statistics: Any, message: str) -> None:
    columns = {"age": shoal.quasi(), "name": shoal.identifier()}
    with pytest.raises(PlanError, match=message):
        shoal.Plan(columns=columns, models=[shoal.KAnonymity(k=5)], statistics=statistics)


def test_paths_inside_the_folder_are_written_relative(tmp_path: Path) -> None:
    inside, outside = tmp_path / "here", tmp_path / "there"
    columns = {
        "city": Column(role="quasi-identifier", hierarchy=hierarchies.File(str(inside / "trees" / "city.csv"))),
        "job": Column(role="quasi-identifier", hierarchy=hierarchies.File(str(outside / "job.csv"))),
    }
    plan = Plan(columns=columns, models=[KAnonymity(k=2)])
    written = relative_to(reading(plan, str(inside / "data.csv")), inside)
    assert written.data.source == "data.csv"
    assert written.columns["city"].hierarchy.path == "trees/city.csv"
    assert written.columns["job"].hierarchy.path == str(outside / "job.csv")
    assert relative_to(plan, inside).data.source is None
    address = "postgresql://host/db"
    assert relative_to(reading(plan, address), inside).data.source == address
