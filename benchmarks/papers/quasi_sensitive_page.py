"""Writes docs/evidence/quasi_sensitive.md and its figures from the results that quasi_sensitive.py stored."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.papers.pages import drawn_text, measured, plus_minus, table

METHODS = {"depth-first": "#bab0ac", "adaptive": "#f58518", "ours": "#4c78a8"}
COLORS = ("#4c78a8", "#f58518", "#e45756", "#439894", "#54843f")
Line = Mapping[str, Any]
Lines = Sequence[Line]


def write(results: Mapping[str, Any], folder: Path) -> None:
    """Writes the page, with a section and a figure for every stage that was measured."""
    lines = {stage: found["lines"] for stage, found in results.items()}
    parts = [INTRODUCTION]
    for stage, section in SECTIONS.items():
        if stage in lines:
            parts += section(lines[stage])
    for stage, (name, draw) in FIGURES.items():
        if stage in lines:
            (folder / name).write_text(draw(lines[stage]), "utf-8", newline="\n")
    parts += [LIMITS, measured(results)]
    text = "\n\n".join(part.strip() for part in parts) + "\n"
    (folder / "quasi_sensitive.md").write_text(text, "utf-8", newline="\n")


def percent(found: Mapping[str, float]) -> str:
    return plus_minus(found, 2, scale=100)


# -- Figure 5 -------------------------------------------------------------------------------------------------------


def searches(lines: Lines) -> list[str]:
    costs = [
        [
            *_setting(line),
            f"{plus_minus(line['failing'], 0)} of {plus_minus(line['classes'], 0)}",
            *(percent(line[method]["cost"]) for method in METHODS),
            percent(line["bound"]),
        ]
        for line in lines
    ]
    proofs = [
        [
            *_setting(line),
            *(_share(line[method]["proven"]["mean"], line["failing"]["mean"]) for method in METHODS),
            *(plus_minus(line[method]["seconds"]) for method in METHODS),
            f"{line['better']:,}",
            f"{line['worse']:,}",
        ]
        for line in lines
    ]
    names = [*METHODS]
    head = ["k", "c", "l", "failing classes", *(f"{name}, %" for name in names), "lower bound, %"]
    counted = [*(f"proven, {name}" for name in names), *(f"seconds, {name}" for name in names)]
    return [
        "## Figure 5: the cost of three searches",
        FIGURE_5,
        table(head, costs),
        "![Removal cost of three searches by k, c and l](quasi_sensitive_searches.svg)",
        PROOFS.format(**totals(lines)),
        table(["k", "c", "l", *counted, "ours better", "ours worse"], proofs),
    ]


def totals(lines: Lines) -> dict[str, str]:
    """What holds over all settings and seeds: classes, proven ones, and those in which one search is better."""
    failing = sum(line["compared"] for line in lines)
    proven = {name: sum(line[name]["proven"]["mean"] * line["seeds"] for line in lines) for name in METHODS}
    return {
        "failing": f"{failing:,}",
        "proven": _share(proven["ours"], failing),
        "adaptive": _share(proven["adaptive"], failing),
        "plain": _share(proven["depth-first"], failing),
        "better": f"{sum(line['better'] for line in lines):,}",
        "worse": f"{sum(line['worse'] for line in lines):,}",
    }


def _share(part: float, whole: float) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "–"


def _setting(line: Line) -> list[str]:
    return [str(line[key]) for key in ("k", "c", "l")]


def nodes(lines: Lines) -> list[str]:
    sums = {key: f"{sum(line[key] for line in lines):,}" for key in ("classes", "worse", "better")}
    rows = [[*_setting(line), *(f"{line[key]:,}" for key in ("classes", "better", "worse"))] for line in lines]
    return [NODES.format(**sums), table(["k", "c", "l", "classes", "ours better", "ours worse"], rows)]


# -- Figure 6 -------------------------------------------------------------------------------------------------------


def phases(lines: Lines) -> list[str]:
    rows = [[str(line["k"]), str(line["t"]), f"{line['t'] ** 2:.2f}", *_release(line)] for line in lines]
    return [
        "## Figure 6: generalization loss against removal cost",
        FIGURE_6,
        table(["k", "t", "t²", *RELEASE], rows),
        "![Removal cost by t and by the k of phase 1](quasi_sensitive_phases.svg)",
    ]


RELEASE = ("releases", "information loss (NCP), %", "removal cost, %", "failing classes", "proven", "seconds")


def _release(line: Line) -> list[str]:
    made = f"{line['releases']} of {line['seeds']}"
    if "removal" not in line:
        return [made, "–", "–", "–", "–", "–"]
    proven = _share(line["proven"]["mean"], line["failing"]["mean"])
    failing = f"{plus_minus(line['failing'], 0)} of {plus_minus(line['classes'], 0)}"
    return [made, percent(line["ncp"]), percent(line["removal"]), failing, proven, plus_minus(line["seconds"])]


# -- real knowledge -------------------------------------------------------------------------------------------------


def real(lines: Lines) -> list[str]:
    linked = {line["what"]: line["linked"] for line in lines}
    before = [
        [f"`{what}`", plus_minus(each["rows"], 0), plus_minus(each["labels"], 0)]
        + [percent(each[key]) for key in ("none", "one", "every")]
        for what, each in linked.items()
    ]
    rows = [[f"`{line['what']}`", str(line["k"]), f"`{line['model']}`", *_release(line)] for line in lines]
    head = ["rows of", "rows", "labels", "rows that link to no label, %", "to one label, %", "to all (no items), %"]
    return [
        "## Real knowledge: the Disease Ontology",
        REAL,
        table(head, before),
        table(["rows of", "k", "model", *RELEASE], rows),
    ]


# -- figures --------------------------------------------------------------------------------------------------------


def draw_searches(lines: Lines) -> str:
    """The cost of every search as bars, one group for each setting."""
    most = max(line[method]["cost"]["mean"] for line in lines for method in METHODS)
    drawn, y = [], 44
    for line in lines:
        drawn.append(drawn_text(160, y + 25, "k = {}, c = {}, l = {}".format(*_setting(line)), "text-anchor='end'"))
        for method, color in METHODS.items():
            cost = line[method]["cost"]
            width = 390 * cost["mean"] / most
            drawn.append(f"<rect x='170' y='{y}' width='{width:.1f}' height='12' fill='{color}'/>")
            drawn.append(drawn_text(round(width) + 176, y + 11, f"{method}: {percent(cost)} %", "font-size='11'"))
            y += 14
        y += 12
    return _svg("Removal cost within 10 s, % of removing everything", 760, y + 8, drawn)


def draw_phases(lines: Lines) -> str:
    """Removal cost over t², as in the paper: a line for each k, named with its information loss."""
    made = [line for line in lines if "removal" in line]
    top, right = (
        max(values) for values in ([line["removal"]["mean"] for line in made], [line["t"] ** 2 for line in made])
    )
    drawn = [drawn_text(380, 366, "t (placed by t²)", "text-anchor='middle'"), drawn_text(66, 48, "removal cost, %")]
    for step in range(5):
        y = round(320 - 250 * step / 4)
        drawn.append(f"<path d='M60 {y}H560' stroke='#ddd'/>")
        drawn.append(drawn_text(52, y + 4, f"{100 * top * step / 4:.1f}", "text-anchor='end' font-size='11'"))
    for t in dict.fromkeys(line["t"] for line in made):
        drawn.append(drawn_text(round(60 + 490 * t**2 / right), 340, f"{t}", "text-anchor='middle' font-size='11'"))
    for place, k in enumerate(dict.fromkeys(line["k"] for line in made)):
        color, own = COLORS[place], [line for line in made if line["k"] == k]
        points = [(60 + 490 * line["t"] ** 2 / right, 320 - 250 * line["removal"]["mean"] / top) for line in own]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        drawn.append(f"<polyline points='{path}' fill='none' stroke='{color}' stroke-width='2'/>")
        drawn += [f"<circle cx='{x:.1f}' cy='{y:.1f}' r='4' fill='{color}'/>" for x, y in points]
        loss = f"k = {k}: NCP {100 * own[0]['ncp']['mean']:.1f} %"
        drawn.append(drawn_text(600, 80 + 20 * place, loss, f"fill='{color}'"))
    return _svg("Removal cost by t and by the k of phase 1, with its information loss (NCP)", 760, 380, drawn)


def _svg(title: str, width: int, height: int, drawn: Sequence[str]) -> str:
    head = f"<svg xmlns='http://www.w3.org/2000/svg' width='{width}' height='{height}' viewBox='0 0 {width} {height}' "
    style = "font-family='sans-serif' font-size='13' fill='#333' role='img'>"
    frame = [
        f"<title>{title}</title>",
        f"<rect width='{width}' height='{height}' fill='#fff'/>",
        drawn_text(10, 22, title),
    ]
    return "\n".join([head + style, *frame, *drawn, "</svg>"]) + "\n"


SECTIONS: dict[str, Callable[[Lines], list[str]]] = {
    "searches": searches,
    "nodes": nodes,
    "phases": phases,
    "real": real,
}
FIGURES: dict[str, tuple[str, Callable[[Lines], str]]] = {
    "searches": ("quasi_sensitive_searches.svg", draw_searches),
    "phases": ("quasi_sensitive_phases.svg", draw_phases),
}

INTRODUCTION = """
# Evidence: quasi-sensitive items

This page repeats the experiments of P. Shi, L. Xiong and B. C. M. Fung, *Anonymizing data with quasi-sensitive
attribute values* (CIKM 2010), and adds a search that proves its answers, and real knowledge.
`python -m benchmarks.papers.quasi_sensitive` runs them. Figures are means over three seeds, with the half-width of a
95 % interval, which is wide with so few seeds. The paper prints its results as figures without numbers, so only what
its text claims can be compared.

As in the paper, 3,000 random rows of Adult have 8 quasi-identifiers and 9 items each, and a knowledge table has 3,000
labels. The number of items of a label follows a Poisson distribution with mean 100. The paper gives neither the size of
the vocabulary nor how the items of a row are drawn. We take 200 items, and draw the items of a row from those of a
random label, so that a row links to about eight labels, and to one at least. Phase 1 is Mondrian with the trees of
Adult. The removal cost is the paper's: removing an item from a row that has j items left costs 1/j, and the sum is
normalized by the cost of removing all items of the table.
"""

FIGURE_5 = """
Three searches get the same classes and the same 10 seconds for the whole table, on both cores: plain depth-first, the
paper's adaptive reordering of tail sets, and ours. Seconds are CPU time divided by the number of cores, so that other
programs on the machine do not change the results. The paper does not say how it divides the time over classes. Here,
all classes are searched with few nodes first, then those not yet proven with more, up to a million each; the searches
of the paper continue where they ended. A search stops as soon as every class is proven. The paper's text says that its
adaptive search “significantly outperforms” plain depth-first, for varying l and c around the default l = 30 and c = 1,
and does not give the k of phase 1. With our vocabulary, few classes of five rows fail the default, so the table also
has larger l and smaller c.
"""

PROOFS = """
Of {failing} failing classes in all settings and seeds together, ours proves the removal optimal in {proven}, adaptive
in {adaptive} and plain depth-first in {plain}. Ours is cheaper than adaptive in {better} classes, and more expensive in
{worse}. A search may exceed the 10 seconds a little, because every class gets an answer first.
"""

NODES = """
Time depends on the machine, but nodes, the removals that a search tries, do not. In every class, ours lets its own
search and the adaptive one take turns with as many nodes each. The adaptive search then skips what costs as much as the
best answer so far, and otherwise visits the same nodes in the same order. So ours can never be worse than adaptive with
as many nodes, though it uses more work for them. With 1,000 nodes for every class, ours is more expensive in {worse} of
{classes} classes of the first seed, and cheaper in {better}. Within the same time, ours must share the time between
both searches, but it stops in a class as soon as its own search proves the answer, which leaves more time for all
others.
"""

FIGURE_6 = """
Each cell is a verified release with `qs-closeness`: phase 1 with this k, and phase 2 with a budget of 10 seconds. With
k = 1 there is no generalization, and classes are rows with equal quasi-identifiers. The text of the paper claims that
the average removal cost usually decreases as k grows, from the largest cost without generalization to zero with
generalization only. Its text gives no k and no t but the default t = 0.4, so the grid is ours. Unlike the paper, a
release must be near its own distribution of labels as well as that of the input. Where no release was found for every
seed, the table has no figures: the search gave up, which proves nothing.
"""

REAL = """
The knowledge is that of the Disease Ontology (CC0): all diseases with at least three symptoms. The rows are synthetic
patients from `shoal.datasets.patients` (birth year, sex, race and ZIP code as quasi-identifiers), and the patients of
Synthea with one of their conditions, drawn at random, and its symptoms from Synthea's modules (birth year, sex, race
and city). Only symptoms that the ontology names in the same way are kept: 29 of the 82 of our patients, and 32 of the
114 of Synthea. Many rows link to no label, because no disease of the ontology has all their symptoms. The models do not
protect such rows.
"""

LIMITS = """
## What reproduces, and what does not

- **Reproduces:** the adaptive search is cheaper than plain depth-first wherever the classes are not trivial. Where
  all classes can be searched completely in 10 seconds, both find the optimum, and their costs are equal.
- **Reproduces:** removal cost decreases as the k of phase 1 grows, down to zero, while information loss increases.
- **Cannot be compared:** the numbers of Figures 5 and 6, which are drawn but not printed, and depend on a vocabulary
  that the paper does not give. With another vocabulary, rows link to more or fewer labels, and costs change.
- The time bound makes costs depend on the machine, except where ours proves them.
"""
