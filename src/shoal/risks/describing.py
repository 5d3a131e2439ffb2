"""A disclosure audit in readable form: sentences, and rows of tables. All of it comes from the audit's JSON values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from shoal.counts import counted
from shoal.percent import percent

LEVEL_HEADERS = ("column", "level", "p", "classes below p", "rows below p", "classes disclosing", "rows disclosing")
NODE_HEADERS = ("column", "protected node", "rows under it", "largest share", "classes disclosing", "rows disclosing")
_MEANING = (
    "A class discloses a node if all of its values lie under it and none is missing. A class is below p if its values "
    "have fewer than p different labels at the level, or fewer than p strong ancestors: the highest protected node "
    "above a value, or the value itself."
)
_MEANING_OF_NODES = (
    "The largest share is that of the rows under a protected node in any class: whoever is in this class lies under "
    "the node with this probability."
)

_COUNTS = ("failing_classes", "failing_rows", "disclosing_classes", "disclosing_rows")
EXTENDED = "strong ancestors"


def meaning(figures: Mapping[str, Any]) -> str:
    """What the tables of an audit show, in words."""
    has_nodes = any(column["nodes"] for column in figures.get("columns", ()))
    return f"{_MEANING} {_MEANING_OF_NODES}" if has_nodes else _MEANING


def sentences(figures: Mapping[str, Any]) -> list[str]:
    """What the classes disclose, in a sentence for every protected node, and for the widest groups of each column."""
    return [sentence for column in figures.get("columns", ()) for sentence in _of_column(column, figures["table"])]


def _of_column(column: Mapping[str, Any], table: Mapping[str, Any]) -> Iterator[str]:
    disclosed = [node for node in column["nodes"] if node["disclosing_classes"]]
    for node in disclosed:
        yield f"{_disclosing(node, table)} {node_name(node)} in column '{column['column']}'."
    if column["nodes"] and not disclosed:
        yield f"No class discloses a protected node of column '{column['column']}'."
    widest = column["levels"][-1]
    group = f"{_group(widest)} of column '{column['column']}'"
    if widest["disclosing_classes"]:
        yield f"{_disclosing(widest, table)} {group}."
    else:
        yield f"No class discloses {group}."


def _disclosing(counts: Mapping[str, Any], table: Mapping[str, Any]) -> str:
    """What is promised of every class, and how many classes disclose something nevertheless."""
    classes = counted(counts["disclosing_classes"], "class", "classes")
    nouns = ("individual", "individuals") if table["individuals"] else ("row", "rows")
    found = f"{classes} ({counted(counts['disclosing_rows'], *nouns)}) {_verb(counts['disclosing_classes'])}"
    smallest = table["smallest_class"]
    if smallest < 2:
        return found
    if table["anatomy"]:
        return f"Every class has at least {counted(smallest, *nouns)}, and still {found}"
    return f"The table is {smallest:,}-anonymous, and still {found}"


def _verb(classes: int) -> str:
    return "discloses" if classes == 1 else "disclose"


def node_name(node: Mapping[str, Any]) -> str:
    """A protected node with its name.

    >>> node_name({"node": "C00-D49", "name": "Neoplasms"}), node_name({"node": "cancer", "name": ""})
    ('C00-D49 (Neoplasms)', 'cancer')
    """
    return f"{node['node']} ({node['name']})" if node["name"] else str(node["node"])


def _group(level: Mapping[str, Any]) -> str:
    return f"a {level['name']}" if level["name"] else f"a node of level {level['level']}"


def level_name(level: Mapping[str, Any]) -> str:
    """A level for a table or a chart: its number, and its name if it has one."""
    return f"{level['level']} ({level['name']})" if level["name"] else str(level["level"])


def level_lines(figures: Mapping[str, Any]) -> list[tuple[str, ...]]:
    """A line for every level of every column, and one for its strong ancestors, in the order of LEVEL_HEADERS."""
    lines = []
    for column in figures.get("columns", ()):
        p = f"{column['p']} ({column['p_from']})"
        named = [(level_name(level), level) for level in column["levels"]]
        for name, level in (*named, (EXTENDED, column["extended"])):
            lines.append((column["column"], name, p, *(f"{level[count]:,}" for count in _COUNTS)))
    return lines


def node_lines(figures: Mapping[str, Any]) -> list[tuple[str, ...]]:
    """A line for every protected node, in the order of NODE_HEADERS."""
    return [
        (
            column["column"],
            node_name(node),
            f"{node['rows']:,}",
            percent(node["largest_share"]),
            *(f"{node[count]:,}" for count in _COUNTS[2:]),
        )
        for column in figures.get("columns", ())
        for node in column["nodes"]
    ]
