"""A searched lattice in sentences, tables and a drawing."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import product
from xml.etree import ElementTree

from shoal.report.lattice import HeightLine, NodeLine, SearchedLattice, best_rows, headline, height_rows, notes, svg
from shoal.search.explored import DRAWN_AT_MOST, FAILS, PASSES, PASSES_ABOVE, RULED_OUT, STATUSES, UNSEEN

NODES = (
    NodeLine((0, 0), RULED_OUT),
    NodeLine((1, 0), FAILS, classes=9, suppressed=700),
    NodeLine((0, 1), PASSES, classes=40, suppressed=50, cost=0.25),
    NodeLine((2, 0), PASSES, classes=30, suppressed=0, cost=0.5),
    NodeLine((1, 1), PASSES, classes=20, suppressed=0, cost=0.25),
    NodeLine((2, 1), PASSES_ABOVE),
)
BY_HEIGHT = (
    HeightLine(0, 1, {RULED_OUT: 1}),
    HeightLine(1, 2, {FAILS: 1, PASSES: 1}),
    HeightLine(2, 2, {PASSES: 2}),
    HeightLine(3, 1, {PASSES_ABOVE: 1}),
)
FOUND = SearchedLattice(
    columns=("age", "zip"),
    finest=(0, 0),
    heights=(2, 1),
    size=6,
    algorithm="optimal",
    measure="loss",
    rows=1000,
    limit=50,
    nodes=NODES,
    by_height=BY_HEIGHT,
    chosen=NODES[2],
    lower_bound=0.25,
    proven_optimal=True,
)


def test_the_best_come_first_and_only_those_that_pass() -> None:
    assert [node.levels for node in FOUND.best] == [(0, 1), (1, 1), (2, 0)]
    assert FOUND.looked_at == 4


def test_the_headline_says_what_was_searched_chosen_and_proven() -> None:
    searched, chosen, costs = headline(FOUND)
    assert searched == "6 recodings of 1,000 rows, 4 of them evaluated."
    assert chosen == "Chosen levels: age 0, zip 1."
    assert costs == "Its loss is 0.25 (proven optimal), with 40 classes and 50 suppressed rows (5 %)."


def test_what_is_not_proven_is_bounded_or_credited_to_the_algorithm() -> None:
    unproven = replace(FOUND, lower_bound=0.125, proven_optimal=False)
    assert "(not proven optimal, lower bound 0.125)" in headline(unproven)[2]
    assert "(chosen by 'optimal')" in headline(replace(FOUND, lower_bound=None, proven_optimal=False))[2]


def test_a_program_gets_all_nodes_of_a_small_lattice_and_the_best_of_a_large_one() -> None:
    told = json.loads(json.dumps(FOUND.as_dict()))
    assert [tuple(node["levels"]) for node in told["nodes"]] == [node.levels for node in NODES]
    assert told["looked_at"] == 4 and told["chosen"]["cost"] == 0.25
    large = replace(FOUND, size=DRAWN_AT_MOST + 1).as_dict(best=2)
    assert [node["levels"] for node in large["nodes"]] == [(0, 1), (1, 1)]


def test_heights_are_told_from_the_bottom_up() -> None:
    head, rows = height_rows(FOUND)
    assert list(head) == ["height", "recodings", *STATUSES]
    assert [row[0] for row in rows] == ["0", "1", "2", "3"]
    assert rows[1] == ("1", "2", *(str(BY_HEIGHT[1].counts.get(status, 0)) for status in STATUSES))


def test_heights_of_which_nothing_is_known_are_left_out() -> None:
    unknown = HeightLine(2, 2, {UNSEEN: 2})
    partly = HeightLine(3, 1, {UNSEEN: 0, PASSES: 1})
    _, rows = height_rows(replace(FOUND, by_height=(*BY_HEIGHT[:2], unknown, partly)))
    assert [row[0] for row in rows] == ["0", "1", "3"]


def test_one_class_and_one_row_are_singular() -> None:
    one = NodeLine((0, 1), PASSES, classes=1, suppressed=1, cost=0.25)
    single = replace(FOUND, nodes=(one,), chosen=one, size=1, rows=1)
    size, _, cost = headline(single)
    assert size == "1 recoding of 1 row, 1 of them evaluated."
    assert cost.endswith("with 1 class and 1 suppressed row (100 %).")
    assert "1 row would be suppressed, 1 class passes" in svg(FOUND.__class__(**{**vars(FOUND), "nodes": (one,)}))


def test_the_best_rows_mark_the_chosen_one() -> None:
    head, rows = best_rows(FOUND, most=2)
    assert list(head) == ["", "age", "zip", "loss", "classes", "suppressed"]
    assert rows == [("chosen", "0", "1", "0.25", "40", "50"), ("", "1", "1", "0.25", "20", "0")]


def _drawn(found: SearchedLattice) -> ElementTree.Element:
    return ElementTree.fromstring(svg(found))


def test_the_drawing_has_every_box_and_every_step_between_them() -> None:
    root = _drawn(FOUND)
    boxes = [group for group in root if group.tag.endswith("}g")]
    steps = [path for path in root if path.tag.endswith("}path")]
    assert len(boxes) == 6
    assert len(steps) == 7  # one step of zip at each of three levels of age, two of age at each of two of zip
    ways = [path for path in steps if "way" in (path.get("class") or "")]
    assert len(ways) == 2  # those of the chosen one
    told = {box.find("{*}title").text for box in boxes}  # type: ignore[union-attr]
    assert "age 0, zip 1: passes; 50 rows would be suppressed, 40 classes pass; loss 0.25" in told
    assert "age 0, zip 0: fails, inferred" in told


def test_boxes_do_not_overlap_and_stand_higher_the_more_is_generalized() -> None:
    corners = {}
    for group in (group for group in _drawn(FOUND) if group.tag.endswith("}g")):
        box, text = group.find("{*}rect"), group.find("{*}text")
        assert box is not None and text is not None and text.text is not None
        corners[tuple(map(int, text.text.split()))] = (float(box.get("x", "")), float(box.get("y", "")))
    for one, other in product(corners, repeat=2):
        if sum(one) == sum(other) and one != other:
            assert abs(corners[one][0] - corners[other][0]) >= 74
        if sum(one) < sum(other):
            assert corners[one][1] > corners[other][1]


def test_levels_below_the_finest_move_no_box() -> None:
    nodes = tuple(replace(node, levels=(node.levels[0], node.levels[1] + 1)) for node in NODES)
    raised = _drawn(replace(FOUND, finest=(0, 1), nodes=nodes, chosen=nodes[2]))
    places = [[box.attrib for box in root.iter() if box.tag.endswith("}rect")] for root in (raised, _drawn(FOUND))]
    assert places[0] == places[1] and "zip 2" in (raised.get("aria-label") or "")


def test_the_notes_say_what_levels_and_cost_mean() -> None:
    levels, cost = notes(FOUND)
    assert levels == "Levels are those of the hierarchies: 0 is the value itself."
    assert "The loss is the cost that the search minimizes" in cost and "with the weights" in cost and "NCP" in cost
    levels, cost = notes(replace(FOUND, finest=(0, 1), measure="discernibility"))
    assert levels.endswith("Heights count from the finest level that the plan allows.")
    assert "weights of the columns" not in cost


def test_names_of_columns_are_escaped() -> None:
    odd = replace(FOUND, columns=('<b>"&', "zip"))
    assert "<b>" not in svg(odd)
    assert len(_drawn(odd)) == len(_drawn(FOUND))
    assert '<b>"& 0, zip 1' in (_drawn(odd).get("aria-label") or "")
