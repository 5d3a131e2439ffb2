"""Generates the parts of the documentation that come from the code: tables, model pages, and command output.

    python docs/generate.py            rewrite the pages
    python docs/generate.py --check    only list the pages that are out of date
    python docs/generate.py --figures  copy the figures of the last benchmark into the README

The script fills in three kinds of content. Between `<!-- generated: NAME -->` and `<!-- end -->` it inserts the result
of the part NAME. Below every `$ command` of a console block it inserts the output of the command. If a text block
follows a python block, the script replaces it with the output of the python block. The blocks of a page run in order in
one temporary folder, which is empty at first. A block with a title is written to that folder as a file. An SVG file
that a block writes there, and that the page shows, is copied next to the page.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import shoal
from shoal import algorithms, datasets, errors, forms, hierarchies, measures, models, risks, statistics
from shoal.attacks.demonstration import demonstrated
from shoal.coded.record import SearchRecord
from shoal.errors import PlanError
from shoal.manifest import Manifest, described
from shoal.percent import percent
from shoal.plan import EngineSettings, Plan, ReleaseSettings, RiskSettings
from shoal.profiling.protected_nodes import PROTECTED
from shoal.roles import columns
from shoal.roles.columns import Column, Data, Role
from shoal.roles.described import parameters

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
MODEL_PAGES = DOCS / "guide" / "models"

KEYS = {
    Data: {
        "source": "The table: the path of a file or of a folder of files, relative to the plan, or a database URL. The "
        "command line requires it. Allowed: text.",
        "query": "The SQL query, if the source is a database. Allowed: text.",
        "separator": "The separator of a text file. Detected automatically by default. Allowed: a single character.",
        "header": "Whether the first line of a text file has the names of the columns. `false` names them `column_1`, "
        "`column_2` and so on. By default, it must have them and must not look like a row of data.",
        "sheet": "The sheet of an Excel workbook. Required if several sheets have content. "
        "Allowed: the name of a sheet.",
        "decimal": "The decimal separator of numbers in text. Detected by default, if it is unambiguous.",
        "dates": "Whether `01/02/2020` is in February (`day-first`) or in January (`month-first`). Detected by "
        "default, if a date of the column shows it.",
        "missing": "Cell contents that mean “no value”. All of them are treated as one separate value. "
        "Empty cells are always missing. Allowed: a list of texts.",
        "missing_rows": "`drop` suppresses rows in which a quasi-identifier, a sensitive value or the person is "
        "missing.",
        "unlisted": "How to treat a column without a role: report an error, remove it, or release it unchanged.",
        "person": "The column that identifies individuals. If set, class sizes count individuals instead of rows. "
        "Allowed: the name of a column.",
    },
    Column: {
        "role": "See [roles](../guide/roles.md).",
        "type": "The data type. Detected by default; sensitive columns are text by default.",
        "top": "Top-coding: larger values become this one, before all other steps. Quasi-identifiers only. Allowed: a "
        "number or a date, of the type of the column.",
        "bottom": "Bottom-coding: smaller values become this one, before all other steps. Quasi-identifiers only. "
        "Allowed: a number or a date, of the type of the column.",
        "hierarchy": "See [hierarchies](../guide/hierarchies.md). Quasi-identifiers, sensitive and quasi-sensitive "
        "columns only. "
        "Allowed: a table with a kind, as below.",
        "weight": "The weight of this column's information loss in the search. Ignored by `pais` and by Mondrian with "
        '`cut = "median"`. Quasi-identifiers only. Allowed: numbers from 0.000001 to 1,000,000.',
        "finest": "The lowest level of the hierarchy that may be published; 0 are the values. Quasi-identifiers only. "
        "Allowed: whole numbers from 0.",
        "coarsest": "The highest level of the hierarchy that may be published. No limit by default. "
        "Quasi-identifiers only. Allowed: whole numbers from `finest` on.",
        "protected": "Inner nodes of the hierarchy whose subtrees are protected. Sensitive columns only. "
        "Allowed: a list of labels.",
        "missing_counts": "Whether a missing sensitive value counts towards l and p. Sensitive columns only.",
        "target": "Whether the column is also the variable to be predicted. Sensitive columns only.",
        "items": "The separator between the items of a set, by default `|`. It also divides a wide knowledge table, "
        "unless only `|` does. Quasi-sensitive columns only. Allowed: one character.",
        "knowledge": "A table of labels and items. Quasi-sensitive columns only. "
        "Allowed: a path, relative to the plan.",
        "knowledge_sha256": "The hash that the labels and items of `knowledge` must have. Published plans have it. "
        "Quasi-sensitive columns only. Allowed: a SHA-256 in hexadecimal digits.",
        "publish_knowledge": "Whether the knowledge table is published; if not, only its hash is. Quasi-sensitive "
        "columns only.",
    },
    EngineSettings: {
        "distinct_limit": "The most distinct rows that are searched at a time. Tables with more are searched [in "
        "blocks](../guide/large-tables.md#more-distinct-rows-than-are-searched-at-a-time). Allowed: whole numbers from "
        "1,000.",
    },
    ReleaseSettings: {
        "form": "The release form. See [release forms](../guide/forms.md). Allowed: "
        + ", ".join(f'`"{form.kind}"`' for form in forms.ALL)
        + ".",
        "categories": "How text is published: as the lowest node of its hierarchy that covers the values, or as a set "
        "of values. Ignored by algorithms that recode by level, and for columns with `finest` or `coarsest`.",
        "ranges": "`tight` publishes the smallest and largest value of the class; `cut` publishes the cut boundaries.",
        "suppression": "The largest share of rows that may be suppressed. Allowed: numbers from 0 to 1.",
        "format": "The file format of the released table; `dta` is that of Stata, `sav` that of SPSS. See "
        "[files](../guide/files.md).",
        "strict": "Whether a warning stops the release (exit code 2).",
        "escape_formulas": "Whether an apostrophe is written in front of CSV cells that a spreadsheet would run as "
        "formulas. See [warnings](../guide/warnings.md#formulas-in-spreadsheets).",
        "title": "The name of the release, by which it is cited. Published. Allowed: text.",
        "purpose": "What the data is released for. Published. Allowed: text.",
        "steward": "The person or institution that answers for the release. Published. Allowed: text.",
        "date": "The date of the release. Shoal never inserts the date of a run. Published. Allowed: a date or text.",
        "licence": "The licence or the terms of use. Published. Allowed: text.",
        "approval": "The approval of the release, such as the ethics committee, its number and its date. **Not** "
        "published. Allowed: a table of texts, dates and whole numbers under names of your own.",
    },
    RiskSettings: {
        "highest": "The largest prosecutor risk of a row. Allowed: numbers from 0 to 1.",
        "average": "The largest mean prosecutor risk. Allowed: numbers from 0 to 1.",
        "journalist": "The largest journalist risk of a row. Allowed: numbers from 0 to 1.",
        "marketer": "The largest expected share of rows that are linked correctly. Allowed: numbers from 0 to 1.",
        "uniques": "The largest share of rows that are unique. Allowed: numbers from 0 to 1.",
        "population_uniques": "The largest estimated share of the population that is unique. "
        "Allowed: numbers from 0 to 1.",
        "k_map": "The fewest individuals of the reference table whom a row may describe. "
        "Allowed: whole numbers from 1.",
        "presence": "The largest probability that an individual of the reference table is in the table. "
        "Allowed: numbers from 0 to 1.",
        "individual": "The largest expected risk of a row in the population. Allowed: numbers from 0 to 1.",
        "disclosing": "The largest share of rows in classes that disclose a protected node, or a value outside of all "
        "protected nodes, of a sensitive column with a hierarchy. Allowed: numbers from 0 to 1.",
        "weight": "The column of the table with sampling weights: how many individuals of the population a row stands "
        "for. Allowed: the name of a column.",
    },
}

ROLES: dict[str, str] = {
    "identifier": "Directly identifies an individual: name, record number, e-mail address. Removed.",
    "quasi-identifier": "May be known to others and identifies individuals in combination. Generalized.",
    "sensitive": "Must not be linkable to an individual. Released unchanged and protected by the models.",
    "quasi-sensitive": "A set of items that may reveal a sensitive value or an individual. Items are removed or "
    "generalized; a model must read the column.",
    "target": "The variable to be predicted from the release. Released unchanged.",
    "insensitive": "Neither identifying nor harmful if disclosed. Released unchanged.",
    "drop": "Not needed in the release. Removed, without a statement about whom it identifies.",
}


# -- the generated parts ------------------------------------------------------------------------------------------


def support_matrix() -> str:
    """The combinations of model, algorithm and form that a plan accepts, by ways that it accepts with some model."""
    ways = [(algorithm, form) for algorithm in algorithms.ALL for form in forms.ALL if form.kind in algorithm.forms]
    head = ["model", *(f"`{algorithm.kind}`, {form.kind}" for algorithm, form in ways)]
    rows = [[_link(model), *(_supported(model, *way) for way in ways)] for model in models.ALL]
    unused = [row[0] for row in rows if set(row[1:]) == {"–"}]
    assert not unused, f"no plan accepts the sample parameters of {', '.join(unused)}"
    return _table(head, rows)


def model_list() -> str:
    """The promise of each model, one line per model."""
    return _table(["model", "promise"], [[_link(model), model.about.promise] for model in models.ALL])


def monotone_table() -> str:
    """The properties that each model declares to the search, for the sample parameters and two sensitive columns."""
    resolved = [(model, _made(model).resolved(("diagnosis", "treatment"))) for model in models.ALL]
    rows = [[_link(cls), f"`{_toml(cls)}`", model.monotone.name, str(model.floor)] for cls, model in resolved]
    return _table(["model", "for example", "monotone", "floor"], rows)


def role_table() -> str:
    assert set(ROLES) == set(get_args(Role)), "a role has no description"
    return _table(["role", "meaning and treatment"], [[f"`{name}`", text] for name, text in ROLES.items()])


def data_keys() -> str:
    return _keys(Data)


def column_keys() -> str:
    return _keys(Column)


def engine_keys() -> str:
    return _keys(EngineSettings)


def release_keys() -> str:
    return _keys(ReleaseSettings)


def risk_keys() -> str:
    return _keys(RiskSettings)


def risk_measures() -> str:
    """Every measure of risk: what it measures, how rows are compared, and the thresholds that bound it."""
    rows = [
        [
            f"`{cls.name}`",
            cls.about,
            cls.compares,
            ", ".join(f"`{key}`" for key in cls.limits) or "none",
        ]
        for cls in risks.ALL
    ]
    return _table(["measure", "what it measures", "compares by", "thresholds"], rows)


def model_parameters() -> str:
    return _parameters(models.ALL)


def algorithm_parameters() -> str:
    return _parameters(algorithms.ALL)


def statistic_parameters() -> str:
    return _parameters(statistics.ALL)


def algorithm_sections() -> str:
    """The description of each algorithm, from its docstring."""
    sections = []
    for cls in algorithms.ALL:
        paper = re.search(r"Paper: (.*)", inspect.cleandoc(cls.__doc__ or ""))
        source = f"\n\nSource: {paper.group(1)}" if paper else ""
        sections.append(f"## {_title(cls)}\n\n{_docstring(cls)}{source}")
    return "\n\n".join(sections)


def hierarchy_parameters() -> str:
    return _parameters(hierarchies.ALL)


def protected_nodes() -> str:
    """One row per reason, with the nodes of every kind of tree."""
    names = hierarchies.Icd10Cm().names()
    reasons = list(dict.fromkeys(node.reason for node in PROTECTED["icd10cm"]))
    kinds = ("icd10cm", "icd10", "icd9")
    labels = {
        (kind, reason): [node.label for node in PROTECTED[kind] if node.reason == reason]
        for kind in kinds
        for reason in reasons
    }
    rows = [
        [
            "; ".join(names[label] for label in labels["icd10cm", reason]),
            *(", ".join(f"`{label}`" for label in labels[kind, reason]) for kind in kinds),
            reason,
        ]
        for reason in reasons
    ]
    return _table(["protected", *(f"`{kind}`" for kind in kinds), "why"], rows)


def measure_table() -> str:
    rows = [[f"`{cls.name}`", cls.goal, cls.about, _first_line(cls)] for cls in measures.ALL]
    return _table(["measure", "better", "what it measures", "definition"], rows)


def recoding_figures() -> str:
    """The information loss of global and multidimensional recoding, from the results of `benchmarks.recoding`."""
    results = json.loads((ROOT / "benchmarks" / "results" / "recoding.json").read_text(encoding="utf-8"))
    settings = list(dict.fromkeys(line["setting"] for line in results))
    head = ["table", "rows", "quasi-identifiers", *(_recoding_head(setting) for setting in settings)]
    by_table: dict[str, list[str]] = {}
    for line in results:
        start = [line["table"], f"{line['rows']:,}", str(line["quasi-identifiers"])]
        by_table.setdefault(line["table"], start).append(percent(line["ncp"]))
    return _table(head, list(by_table.values()))


def _recoding_head(setting: str) -> str:
    model, _, algorithm = setting.partition(", ")
    kind = next(cls for cls in algorithms.ALL if cls.kind == algorithm)
    return f"{model} by `{algorithm}`" + (" (multidimensional)" if kind is algorithms.Mondrian else " (global)")


def distortion_figures() -> str:
    """Loss, added error and time of every algorithm, from the results of `benchmarks.distortion`."""
    results = json.loads((ROOT / "benchmarks" / "results" / "distortion.json").read_text(encoding="utf-8"))
    parts = []
    for k in dict.fromkeys(line["k"] for line in results):
        for diverse in (False, True):
            models = f"k = {k}" + (", with l-diversity" if diverse else "")
            lines = [line for line in results if line["k"] == k and (line["l"] is not None) == diverse]
            parts.append(f"{models}:\n\n{_distortion(lines).strip()}\n")
    return "\n".join(parts)


def _distortion(lines: Sequence[dict[str, Any]]) -> str:
    """One row for each table and width; each cell has the loss, the added error and the seconds of the search."""
    names = list(dict.fromkeys(line["algorithm"] for line in lines))
    by_table: dict[tuple[str, int], list[str]] = {}
    for line in lines:
        cells = by_table.setdefault((line["table"], line["quasi-identifiers"]), [])
        added = 100 * (line["error"] - line["error_raw"])
        cells.append(f"{100 * line['ncp']:.1f} / {added:+.1f} / {line['search_seconds']:.1f}")
    rows = [[f"{table}, {width}", *cells] for (table, width), cells in by_table.items()]
    return _table(["table, columns", *names], rows)


PRIVATE_KEYS = ("timings", "search", "risk", "items_removed", "statistics")


def manifest_keys() -> str:
    """Every key of the published manifest, from its fields."""
    keys = described(Manifest).items()
    return _table(["key", "meaning"], [[f"`{name}`", text] for name, text in keys if name not in PRIVATE_KEYS])


def steward_keys() -> str:
    """Every key that only the steward's file adds, from its fields; the record of a search has keys of its own."""
    own = {name: described(Manifest)[name] for name in PRIVATE_KEYS if name != "search"} | described(SearchRecord)
    return _table(["key", "meaning"], [[f"`{name}`", text] for name, text in own.items() if name != "steps"])


def error_table() -> str:
    raised = [cls for cls in errors.ShoalError.__subclasses__() if cls.__module__ == errors.__name__]  # no others
    found = [errors.ShoalError, *sorted(raised, key=lambda cls: cls.__name__)]
    rows = [[f"`{cls.__name__}`", str(cls.exit_code), _first_line(cls)] for cls in found]
    return _table(["error", "exit code", "meaning"], rows)


def python_names() -> str:
    """Every public name with its signature and the first paragraph of its docstring, in groups."""
    # From the stub as it will be: the package that is loaded has read the stub as it was.
    members = [getattr(shoal, name) for name in sorted(re.findall(r" as (\w+)$", stub(), re.MULTILINE))]
    ours = [member for member in members if getattr(member, "__module__", "").startswith("shoal.")]
    groups: dict[str, list[str]] = {"Functions": [], "Models and algorithms": [], "Plans, results, errors": []}
    for member in ours:
        described = f"**`{member.__name__}`** {_first_line(member)}\n\n```text\n{_wrapped(_signature(member))}\n```\n"
        groups[_group(member)].append(described)
    return "\n".join(f"### {title}\n\n" + "\n".join(entries) for title, entries in groups.items())


def _wrapped(signature: str) -> str:
    """The signature in lines that fit beside the sidebars of the site, broken between parameters only."""
    whole = re.sub(r"(?<!,) | (?=\.\.\.)", "\N{NO-BREAK SPACE}", signature)
    lines = textwrap.wrap(whole, 80, subsequent_indent=" " * 4, break_long_words=False, break_on_hyphens=False)
    return "\n".join(lines).replace("\N{NO-BREAK SPACE}", " ")


def _group(member: Any) -> str:
    if inspect.isfunction(member):
        return "Functions"
    return "Models and algorithms" if hasattr(member, "kind") else "Plans, results, errors"


def demo_plan() -> str:
    return f"```toml\n{datasets.patients_plan_toml()}```"


PARTS: dict[str, Callable[[], str]] = {
    part.__name__.replace("_", "-"): part
    for part in (
        support_matrix,
        model_list,
        monotone_table,
        role_table,
        data_keys,
        column_keys,
        engine_keys,
        release_keys,
        risk_keys,
        risk_measures,
        model_parameters,
        algorithm_parameters,
        statistic_parameters,
        algorithm_sections,
        hierarchy_parameters,
        protected_nodes,
        measure_table,
        recoding_figures,
        distortion_figures,
        manifest_keys,
        steward_keys,
        error_table,
        python_names,
        demo_plan,
    )
}


def model_page(model: type) -> str:
    """The page of one model, from its own description."""
    cls: Any = model
    about, title = cls.about, _title(cls)
    return f"""# {title}

**Promise.** {about.promise}

**Not protected.** {about.not_protected}

**Example.** {about.example}

{_demonstration(cls)}## In a plan

```toml
[[models]]
kind = "{cls.kind}"
{_toml_lines(cls)}
```

{_parameters((cls,))}

## Definition

{_docstring(cls)}

Source: {about.paper}
"""


def _demonstration(cls: Any) -> str:
    """What the model does not protect, on a small table: the table, and what an attack on it finds."""
    shown = demonstrated(cls)
    if shown is None:
        return ""
    cells = [[cell.replace("*", "\\*") for cell in row] for row in shown.table.rows()]
    parameters = ", ".join(f"`{name} = {json.dumps(value)}`" for name, value in shown.verdict.parameters.items())
    return f"""## Shown on a small table

This table satisfies the model with {parameters}. `shoal explain {cls.kind}` attacks it and prints the same.

{_table(shown.table.columns, cells)}

{" ".join(shown.sentences())}

"""


def _title(cls: Any) -> str:
    module = inspect.getmodule(cls)
    first = (module.__doc__ or cls.kind).strip().splitlines()[0] if module else cls.kind
    return first.partition(":")[0]


def _docstring(cls: Any) -> str:
    """The class docstring without its doctest, as Markdown."""
    text = inspect.cleandoc(cls.__doc__).partition(">>>")[0].strip()
    text = re.sub(r"\n(?=(Monotone|Floor|Paper|[a-z]+): )", "\n\n", text)
    text = re.sub(r"\n{3,}", "\n\n", text)
    return re.sub(r"\n\nPaper: .*", "", text)


def _link(cls: Any) -> str:
    return f"[`{cls.kind}`](@guide/models/{cls.kind}.md)"


def _sample(cls: Any) -> Mapping[str, Any]:
    """The parameters that a member of a family shows itself with; none where it has a default for each."""
    found: Mapping[str, Any] = cls.about.sample if hasattr(cls, "about") else getattr(cls, "sample", {})
    return found


def _made(cls: Any) -> Any:
    return cls(**_sample(cls))


def _supported(model: Any, algorithm: Any, form: Any) -> str:
    if not _accepted(model, algorithm, form, suppression=0.0):
        return "–"
    return "yes" if _accepted(model, algorithm, form, suppression=0.05) else "without suppression"


def _accepted(model: Any, algorithm: Any, form: Any, suppression: float) -> bool:
    """Whether a plan accepts this combination. Only the plan may refuse: whatever else fails, fails the build."""
    ages = hierarchies.Intervals((5, 10, 20))
    sets = {"symptoms": shoal.quasi_sensitive(knowledge="diseases.csv")} if model.removes_items else {}
    columns = {"age": shoal.quasi(ages, type="integer"), "diagnosis": shoal.sensitive(hierarchies.Icd10Cm()), **sets}
    parts = {
        "columns": columns,
        "models": (_made(model),),
        "algorithm": _made(algorithm),
        "release": ReleaseSettings(form=form.kind, suppression=suppression),
    }
    try:
        Plan(**parts)
    except PlanError:
        return False
    return True


def _toml(cls: Any) -> str:
    return ", ".join(_toml_lines(cls).splitlines())


def _toml_lines(cls: Any) -> str:
    return "\n".join(f"{name} = {_toml_value(value)}" for name, value in _sample(cls).items())


def _toml_value(value: Any) -> str:
    if isinstance(value, tuple):
        return "[" + ", ".join(_toml_value(item) for item in value) + "]"
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else str(value)


def _parameters(family: tuple[Any, ...]) -> str:
    rows = []
    for cls in family:
        for number, item in enumerate(parameters(cls)):
            default = "required" if item.required else _default(item.default)
            rows.append([f"`{cls.kind}`" if number == 0 else "", f"`{item.name}`", item.meaning, item.allowed, default])
        if not parameters(cls):
            rows.append([f"`{cls.kind}`", "–", "", "", ""])
    head = ["kind", "parameter", "meaning", "allowed", "default"]
    return _table(head, rows) if len(family) > 1 else _table(head[1:], [row[1:] for row in rows])


def _split(text: str) -> tuple[str, str]:
    """The meaning, and what is allowed, as a sentence without its full stop."""
    meaning, _, allowed = text.partition(" Allowed: ")
    return meaning, allowed.removesuffix(".")


def _default(value: Any) -> str:
    return "none" if value is None else f"`{_toml_value(value)}`"


def _keys(part: Any) -> str:
    described = KEYS[part]
    assert set(described) == set(part.model_fields), f"describe every key of {part.__name__} in docs/generate.py"
    rows = []
    for name, item in part.model_fields.items():
        default = "required" if item.is_required() else _default(item.default)
        meaning, allowed = _split(described[name])
        words = ", ".join(f'`"{word}"`' for word in _words(item.annotation))
        allowed = (
            allowed or words or ("`true`, `false`" if bool in (item.annotation, *get_args(item.annotation)) else "")
        )
        assert allowed, f"say what is allowed for {name}"
        rows.append([f"`{name}`", meaning, allowed, default.replace("`()`", "none").replace("`{}`", "none")])
    return _table(["key", "meaning", "allowed", "default"], rows)


def _words(annotation: Any) -> list[str]:
    """The words that a type allows."""
    if get_origin(annotation) is Literal:
        return list(get_args(annotation))
    return [word for part in get_args(annotation) for word in _words(part)]


def _signature(member: Any) -> str:
    """The call of a function, the constructor of a value, or the attributes of a result."""
    name = member.__name__
    if hasattr(member, "model_fields"):
        return f"{name}({', '.join(f'{key}=…' for key in member.model_fields)})"
    if is_dataclass(member) and not hasattr(member, "kind"):
        shown = [key for key, value in vars(member).items() if isinstance(value, property | cached_property)]
        public = [key for key in [*(item.name for item in fields(member)), *shown] if not key.startswith("_")]
        return f"{name}: {', '.join(public)}"
    call = inspect.signature(member)
    parameters = [_parameter(each) for each in call.parameters.values()]
    kinds = [each.kind for each in call.parameters.values()]
    if inspect.Parameter.KEYWORD_ONLY in kinds and inspect.Parameter.VAR_POSITIONAL not in kinds:
        parameters.insert(kinds.index(inspect.Parameter.KEYWORD_ONLY), "*")
    returned = "" if inspect.isclass(member) else f" -> {call.return_annotation}"
    return f"{name}({', '.join(parameters)}){returned}"


def _parameter(each: inspect.Parameter) -> str:
    stars = {inspect.Parameter.VAR_KEYWORD: "**", inspect.Parameter.VAR_POSITIONAL: "*"}
    star = stars.get(each.kind, "")
    if star == "**" and str(each.annotation).startswith("Unpack["):
        return ", ".join(f"{key}=…" for key in _options(str(each.annotation)))
    kind = "" if each.annotation is inspect.Parameter.empty or star == "**" else f": {each.annotation}"
    if each.default is inspect.Parameter.empty:
        return f"{star}{each.name}{kind}"
    default = each.default.__name__ if inspect.isfunction(each.default) else repr(each.default)
    return f"{each.name}{kind} = {default}"


def _options(annotation: str) -> list[str]:
    """The keywords of `**options: Unpack[…]`."""
    return list(getattr(columns, annotation.removeprefix("Unpack[").removesuffix("]")).__annotations__)


def _first_line(member: Any) -> str:
    return inspect.cleandoc(member.__doc__ or "").partition("\n\n")[0].replace("\n", " ")


def _table(head: list[str], rows: list[list[str]]) -> str:
    escaped = [[cell.replace("|", "\\|") for cell in row] for row in rows]
    lines = [head, ["---"] * len(head), *escaped]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


# -- the public interface -----------------------------------------------------------------------------------------

STUB = ROOT / "src" / "shoal" / "__init__.pyi"
_FAMILIES: dict[str, Any] = {"algorithms": algorithms, "models": models, "statistics": statistics}
PUBLIC = {
    "applying.apply": ("apply", "apply_to"),
    "errors": ("ShoalError",),
    "evaluate.choosing_k": ("choose_k",),
    "evaluate.classification_error": ("ClassificationError", "classification_error"),
    "evaluate.comparing": ("compare",),
    "evaluate.frontier": ("frontier",),
    "estimating.query_error": ("QueryError", "query_error"),
    "evaluate.suggesting": ("suggest",),
    "manifest": ("Manifest",),
    "pipeline": ("anonymize", "anonymize_to"),
    "plan": ("EngineSettings", "Plan", "ReleaseSettings", "RiskSettings", "read_plan"),
    "profiling.profile": ("Profile", "profile"),
    "reading.release": ("Published", "read_release"),
    "release": ("Release",),
    "report.comparison": ("Compared", "Comparison"),
    "report.base": ("Report",),
    "report.frontier": ("Frontier",),
    "report.k_choice": ("KChoice",),
    "report.reading": ("read_report", "report_schema"),
    "report.suggestion": ("Suggestion",),
    "risks.measuring": ("Risk", "risk"),
    "roles.columns": (
        "Column",
        "Data",
        "dates",
        "drop",
        "identifier",
        "insensitive",
        "intervals",
        "prefixes",
        "quasi",
        "quasi_sensitive",
        "sensitive",
        "target",
        "tree",
    ),
    "verification.tables": ("verify",),
    "verification.verdicts": ("Verification",),
    "verifying": ("verify_folder",),
}
"""Module → public names, besides the models, algorithms and statistics, which are all public."""
PACKAGES = ("attacks", "datasets", "hierarchies", "regulation", "table")
"""The public packages."""


def stub() -> str:
    """The stub of the package: its public names, for editors, type checkers and the lazy import."""
    families = {name: tuple(cls.__name__ for cls in family.ALL) for name, family in _FAMILIES.items()}
    lines = ['"""Shoal: release patient tables safely."""', ""]
    lines += [f"from . import {name} as {name}" for name in PACKAGES]
    for module, names in sorted({**PUBLIC, **families}.items()):
        in_order = sorted(names, key=lambda name: (not name.isupper(), name))
        lines += [f"from .{module} import {name} as {name}" for name in in_order]
    return "\n".join([*lines, "", "__version__: str"]) + "\n"


REPORT_SCHEMA = DOCS / "reference" / "report.schema.json"


def report_schema() -> str:
    """The JSON schema of reports."""
    return json.dumps(shoal.report_schema(), indent=1, ensure_ascii=False) + "\n"


# -- pages --------------------------------------------------------------------------------------------------------

_PART = re.compile(r"(<!-- generated: ([\w-]+) -->\n).*?(<!-- end -->)", re.DOTALL)
_FENCE = re.compile(
    r"""^```(?:(?P<run>console|python)|\w+\ title="(?P<file>[^"]+)")\n
    (?P<body>.*?)^```\n
    (?:(?P<gap>\n?)```text\n.*?^```\n)?""",
    re.DOTALL | re.MULTILINE | re.VERBOSE,
)


DIGEST = "9f2c…"
"""How the documentation abbreviates every digest."""


def pages() -> list[Path]:
    """Every page written by hand, including the README."""
    written = [path for path in DOCS.rglob("*.md") if path.parent != MODEL_PAGES]
    return [ROOT / "README.md", *sorted(written)]


def model_pages() -> dict[Path, str]:
    """The expected content of each model page, by path."""
    return {MODEL_PAGES / f"{model.kind}.md": model_page(model) for model in models.ALL}


def rendered(page: Path) -> str:
    """The page with its generated parts and command outputs brought up to date."""
    return updated(page)[page]


def updated(page: Path) -> dict[Path, str]:
    """The page brought up to date, and the drawings beside it that its blocks write, by path."""
    text = _PART.sub(lambda found: _filled(found, page), page.read_text(encoding="utf-8"))
    if not _FENCE.search(text):
        return {page: text}
    with tempfile.TemporaryDirectory(prefix="shoal-docs-") as folder, _inside(folder):
        names: dict[str, Any] = {"__name__": "__docs__"}
        text = _FENCE.sub(lambda found: _shown(found, names, Path(folder)), text)
        drawings = [path for path in sorted(Path(folder).glob("*.svg")) if f"]({path.name})" in text]
        return {page: text, **{page.with_name(path.name): path.read_text(encoding="utf-8") for path in drawings}}


def _filled(found: re.Match[str], page: Path) -> str:
    guide = os.path.relpath(DOCS / "guide", page.parent).replace(os.sep, "/")
    if page == ROOT / "README.md":
        guide = "docs/guide"
    return found.group(1) + PARTS[found.group(2)]().strip().replace("@guide", guide) + "\n" + found.group(3)


@contextlib.contextmanager
def _inside(folder: str) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def _shown(found: re.Match[str], names: dict[str, Any], folder: Path) -> str:
    body, gap = found["body"], found["gap"]
    if found["file"]:
        (folder / found["file"]).write_text(body, encoding="utf-8")
        return found[0]
    if found["run"] == "console":
        return "```console\n" + _session(body, folder) + "```\n"
    printed = _printed(body, names, folder)
    block = f"```python\n{body}```\n"
    return block if gap is None else f"{block}{gap}```text\n{printed}```\n"


def _session(body: str, folder: Path) -> str:
    """The commands of a console block, each followed by its current output."""
    lines = [line for line in body.splitlines() if line.startswith("$ ")]
    return "".join(f"{line}\n{_output(line.removeprefix('$ '), folder)}" for line in lines)


def _output(command: str, folder: Path) -> str:
    """What the command prints; a digest that the page abbreviates is the one that the release was given."""
    command = re.sub(rf"(?<=verify )(\S+) --digest {DIGEST}", lambda found: _with_digest(found[1], folder), command)
    programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    quiet = {"PATH": programs, "COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb", "LC_ALL": "C.UTF-8"}
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env={**os.environ, **quiet},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        text=True,
        timeout=120,
    )
    return _steady(done.stdout, folder)


def _with_digest(release: str, folder: Path) -> str:
    record = json.loads((folder / f"{release}.private" / "steward.json").read_text(encoding="utf-8"))
    return f"{release} --digest {record['digest']}"


def _printed(code: str, names: dict[str, Any], folder: Path) -> str:
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(code, "<documentation>", "exec"), names)
    return _steady(out.getvalue(), folder)


def _steady(output: str, folder: Path) -> str:
    """The output with everything that varies between runs normalized: seconds, digests, the temporary folder."""
    text = output.replace(str(folder), "…")
    text = re.sub(r"\b[0-9a-f]{64}\b", DIGEST, text)
    text = re.sub(r"\b\d+\.\d+(?= s\b| seconds\b)", "0.9", text)
    lines = [line.rstrip() for line in text.splitlines() if not re.match(r"\d+ s: ", line)]  # progress
    return "\n".join(lines).strip("\n") + "\n" if text.strip() else ""


def stale() -> list[Path]:
    """The pages that are out of date."""
    found = [page for page in pages() if not is_current(updated(page))]
    wanted = {**model_pages(), STUB: stub(), REPORT_SCHEMA: report_schema()}
    listed = (*MODEL_PAGES.glob("*.md"), STUB, REPORT_SCHEMA)
    present = {path: path.read_text(encoding="utf-8") for path in listed if path.exists()}
    return found + sorted(path for path in {*wanted, *present} if wanted.get(path) != present.get(path))


def is_current(wanted: Mapping[Path, str]) -> bool:
    """Whether all files have the content that they should have."""
    return all(path.exists() and path.read_text(encoding="utf-8") == text for path, text in wanted.items())


def write() -> None:
    """Rewrites every page that is out of date, and deletes the pages of models that no longer exist."""
    STUB.write_text(stub(), encoding="utf-8", newline="\n")
    REPORT_SCHEMA.write_text(report_schema(), encoding="utf-8", newline="\n")
    MODEL_PAGES.mkdir(exist_ok=True)
    for page in pages():
        for path, text in updated(page).items():
            path.write_text(text, encoding="utf-8", newline="\n")
    wanted = model_pages()
    for path in set(MODEL_PAGES.glob("*.md")) - set(wanted):
        path.unlink()
    for path, text in wanted.items():
        path.write_text(text, encoding="utf-8", newline="\n")


# -- benchmark figures --------------------------------------------------------------------------------------------

_FIGURES = re.compile(r"(<!-- recorded: benchmarks -->\n).*?(<!-- end -->)", re.DOTALL)


def record_figures() -> None:
    """Copies the results of `make bench` into the README. This happens on request only, not whenever they change."""
    found = json.loads((ROOT / "benchmarks" / "results" / "mondrian.json").read_text(encoding="utf-8"))
    rows = [
        [
            f"{row['rows']:,}",
            f"{row['command_seconds']:.1f} s",
            f"{row['command_over_floor']:.1f} ×",
            f"{row['search_seconds']:.2f} s",
            f"{row['peer_over_search']:.0f} ×",
            f"{row['ncp']:.4f}",
            f"{row['peer_ncp']:.4f}",
        ]
        for row in found.values()
    ]
    head = ["rows", "command", "polars reads and writes", "search", "faster than", "NCP", "best other NCP"]
    readme = ROOT / "README.md"
    text = readme.read_text(encoding="utf-8")
    readme.write_text(_FIGURES.sub(lambda m: m[1] + _table(head, rows) + "\n" + m[2], text), encoding="utf-8")


def main() -> int:
    if sys.argv[1:] == ["--figures"]:
        record_figures()
        return 0
    if sys.argv[1:] == ["--check"]:
        old = stale()
        for page in old:
            print(f"out of date: {page.relative_to(ROOT)}; run `make generate`", file=sys.stderr)
        return 1 if old else 0
    write()
    return 0


if __name__ == "__main__":
    sys.exit(main())
