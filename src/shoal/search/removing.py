"""Phase 2: removes items from the classes that fail a model of items, at a low cost and within a budget of seconds.

Every class gets an answer first. Then the classes that may lose most by a poor answer are searched again, with more and
more nodes, until all are proven, the largest number of nodes is reached, or the seconds are over. Without that last
case, the result does not depend on the speed of the machine.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import cast

import numpy as np

from shoal.arrays import Int32, Int64
from shoal.coded.counted import Coded
from shoal.coded.domains import ItemDomain
from shoal.coded.partition import Partition
from shoal.coded.record import ItemRemoval
from shoal.coded.stats import ValueCounts, whole_table
from shoal.counts import counted
from shoal.errors import CannotBeMet
from shoal.items.beliefs import Belief
from shoal.items.linking import LabelsOfItems, labels_of
from shoal.items.removal import ClassItems, Removal, first_answers, improved, solve
from shoal.items.removal.classes import Rows
from shoal.items.removal.deadline import Over, after, never
from shoal.items.rules import Rule, passing
from shoal.models.items import ItemModel, LinkingModel, known, links_of, reference_of
from shoal.progress import Progress, silent
from shoal.search.edits import edited
from shoal.search.rewriting import rewritten

NODES = (1_000, 10_000, 100_000)
"""The nodes of the searches of a class, one after the other."""
_PASSES = 24
"""How often classes that are too far from the released rows are moved nearer to the input."""
_SHARES = (Fraction(1, 8), Fraction(1, 4), Fraction(1, 2))
"""Of the distance that the model allows: how much nearer all classes must be to the input after that."""
_UNIT, _STEP = 10**6, 1e-6
_EQUAL = 1e-9


def without_items(coded: Coded, partition: Partition, models: Sequence[ItemModel], progress: Progress) -> Partition:
    """The partition with items removed until every class passes the models; raises CannotBeMet if that fails."""
    records = []
    for model in models:
        if (found := rewritten(coded, partition, model)) is not None:
            partition, record = found
            records.append(record)
            continue
        phase = _Phase.of(coded, partition, cast(LinkingModel, model), progress)
        partition = phase.met(partition)
        records.append(phase.record(partition.released(coded)))
    return replace(partition, record=replace(partition.record, item_removal=tuple(records))) if records else partition


@dataclass
class _Phase:
    """The removal for one model.

    By class: `removals`, what was removed from it; `bounds`, the least that must be; `slack`, how much nearer to the
    input it must be than required, and `moves`, how often it was moved there.
    """

    coded: Coded
    model: LinkingModel
    domain: ItemDomain
    items: LabelsOfItems
    counts: ValueCounts
    reference: Belief
    progress: Progress
    over: Over
    removals: dict[int, Removal]
    bounds: dict[int, float]
    slack: dict[int, float]
    moves: Counter[int]

    @classmethod
    def of(cls, coded: Coded, partition: Partition, model: LinkingModel, progress: Progress) -> _Phase:
        domain, counts = coded.items[model.column], partition.stats(coded).items(model.column)
        labels, reference = labels_of(domain.items, known(domain)), reference_of(whole_table(coded), model.column)
        return cls(coded, model, domain, labels, counts, reference, progress, never, {}, {}, {}, Counter())

    def met(self, partition: Partition) -> Partition:
        """The partition without the items that must be removed."""
        rule = self.model.rule(lambda: self.reference)
        failing = np.flatnonzero(~passing(rule, links_of(self.domain), self.counts))
        if len(failing):
            compile_kernels(self._class(int(failing[0])), rule)  # is no part of the budget
        self.over = after(self.model.budget)
        self._solve(failing.tolist(), rule)
        if not self.model.relative_to_released:
            return self._edited(partition)
        return self._near_released(partition)

    def _near_released(self, partition: Partition) -> Partition:
        """Removes more where a class is too far from the released rows, which every removal changes.

        First, only these classes are moved nearer to the input. Then all classes are: if each is within half the
        distance that the model allows, then so are the released rows, and no class is too far from them. If even that
        fails, all items are removed, which makes all classes equal.
        """
        for _ in range(_PASSES):
            found = self._edited(partition)
            failing = self._far(found)
            if not len(failing):
                return found
            if not self._nearer(found, failing):
                break
        for share in _SHARES:
            self._move(range(partition.classes), share * self.model.radius)
            found = self._edited(partition)
            if not len(self._far(found)):
                return found
        self.removals = {number: _emptied(self._class(number)) for number in range(partition.classes)}
        found = self._edited(partition)
        if not len(self._far(found)) and self.model.passes(found.stats(self.coded)).all():
            return found
        raise CannotBeMet(
            f"Model '{self.model.kind}' of column '{self.model.column}' cannot be met: no removal of items was found "
            "after which every class is near enough to the released rows as well as to the input.",
            allowed="It is not proven that there is none.",
            hint="raise t, or let the search form larger classes, such as with a larger k.",
        )

    def _far(self, partition: Partition) -> Int64:
        """The classes that are too far from the released rows."""
        return np.flatnonzero(~self.model.passes(partition.stats(self.coded).among_themselves()))

    def _nearer(self, partition: Partition, failing: Int64) -> bool:
        """Moves classes nearer to the input, by what they are too far, added up over all times that they were.

        Some are near enough to the input for that already, and wait, because every move changes the released rows. If
        all wait, all are moved, twice as far every next time. False if no removal moves any of them.
        """
        stats = partition.stats(self.coded)
        excess, room = self.model.excess(stats.among_themselves()), -self.model.excess(stats)
        for number in failing.tolist():
            self.slack[number] = self.slack.get(number, _STEP) + max(excess[number], _STEP)
        ready = [number for number in failing.tolist() if self.slack[number] > room[number]]
        moved = False
        for number in ready or failing.tolist():
            slack = max(self.slack[number], room[number] + _STEP * 2 ** self.moves[number])
            self.moves[number] += 1
            moved |= self._move([number], min(Fraction(slack).limit_denominator(_UNIT**2), self.model.radius))
        return moved

    def _move(self, classes: Sequence[int], slack: Fraction) -> bool:
        """Moves classes to where they are nearer to the input by so much than required; whether any can be."""
        found = self._found(classes, self.model.rule(lambda: self.reference, slack))
        moved = {number: each for number, each in found.items() if each.found}
        self.removals |= {number: each for number, each in moved.items() if each.cost > 0 or number in self.removals}
        return bool(moved)

    def _edited(self, partition: Partition) -> Partition:
        changed = {number: each for number, each in self.removals.items() if each.cost > 0}
        return edited(self.coded, partition, self.model.column, changed) if changed else partition

    def _solve(self, classes: Sequence[int], rule: Rule) -> None:
        """Removes items from classes until the rule allows what they reveal."""
        found = self._found(classes, rule)
        missed = [number for number, each in found.items() if not each.found]
        if missed:
            raise self._impossible(missed, all(found[number].proven for number in missed))
        self.removals |= found
        self.bounds |= {number: each.lower_bound for number, each in found.items()}

    def _found(self, classes: Sequence[int], rule: Rule) -> dict[int, Removal]:
        """What to remove from each class; equal classes are solved once."""
        keys = {number: self._key(number) for number in classes}
        distinct = {key: self._class(number) for number, key in keys.items()}
        of_key = dict(zip(distinct, solved(list(distinct.values()), rule, self.over, self.progress), strict=True))
        return {number: of_key[key] for number, key in keys.items()}

    def _entries(self, number: int) -> slice:
        return slice(int(self.counts.offsets[number]), int(self.counts.offsets[number + 1]))

    def _key(self, number: int) -> bytes:
        entries = self._entries(number)
        return self.counts.values[entries].tobytes() + b"," + self.counts.counts[entries].tobytes()

    def _class(self, number: int) -> ClassItems:
        entries = self._entries(number)
        sets, domain = self.counts.values[entries], self.domain
        lengths = domain.lengths[sets]
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        members = domain.members[_ranges(domain.offsets[sets], lengths)]
        return ClassItems(offsets, members, self.counts.counts[entries].astype(np.int64), self.items)

    def _impossible(self, missed: Sequence[int], proven: bool) -> CannotBeMet:
        few = counted(len(missed), "class", "classes")
        return CannotBeMet(
            f"Model '{self.model.kind}' of column '{self.model.column}' cannot be met: in {few} of "
            f"{len(self.counts.offsets) - 1:,}, "
            + ("no removal of items satisfies it." if proven else "no removal of items was found that satisfies it."),
            allowed="" if proven else "It is not proven that there is none.",
            hint="relax the model, or let the search form larger classes, such as with a larger k.",
        )

    def record(self, released: Int32) -> ItemRemoval:
        """What was removed, at which cost, and what is proven of it.

        released int32 [classes]: the class of the release that each class is, or is a part of.
        """
        found = list(self.removals.values())
        least = [self.bounds.get(number, 0.0) for number in self.removals]
        classes = {int(released[number]) for number in self.removals}
        unproven = {
            int(released[number])
            for (number, each), bound in zip(self.removals.items(), least, strict=True)
            if each.cost > bound + _EQUAL
        }
        return ItemRemoval(
            model=self.model.kind,
            column=self.model.column,
            classes=len(classes),
            proven=len(classes - unproven),
            cost=sum(each.cost for each in found),
            lower_bound=sum(least),
            whole=sum(each.whole for each in found),
            nodes=sum(each.nodes for each in found),
            in_time=not self.over(),
        )


def _emptied(sets: ClassItems) -> Removal:
    """The removal of everything from a class."""
    rows = Rows.of(sets)
    return Removal.of(rows, np.zeros(rows.terms, np.bool_), 0.0, 0)


def _ranges(starts: Int64, lengths: Int64) -> Int64:
    """The integers of all ranges, one range after the other."""
    before = np.cumsum(lengths) - lengths
    places: Int64 = np.arange(int(lengths.sum())) + np.repeat(starts - before, lengths)
    return places


def compile_kernels(sets: ClassItems, rule: Rule) -> None:
    """Compiles or loads what `solved` runs, with a failing class."""
    list(first_answers([sets], rule, 1))
    solve(sets, rule, 1)


def solved(
    classes: Sequence[ClassItems],
    rule: Rule,
    over: Over = never,
    progress: Progress = silent,
    rounds: Sequence[int] = NODES,
) -> list[Removal]:
    """What to remove from each class: an answer for all of them, then better ones where they may save most.

    An answer may be that nothing was found. Once the time is over, no answer is improved. `rounds`: the nodes of the
    searches of a class, one after the other.
    """
    found: list[Removal] = []
    for removal in first_answers(classes, rule, rounds[0], _threads()):
        found.append(removal)
        progress("items", 0.5 * len(found) / len(classes))
    for nodes in rounds:
        open_ = [place for place, each in enumerate(found) if not each.proven]
        open_.sort(key=lambda place: found[place].lower_bound - found[place].cost)
        if not open_ or over():
            break
        _improve(classes, found, open_, rule, nodes, over, progress)
    return found


def _improve(
    classes: Sequence[ClassItems],
    found: list[Removal],
    places: Sequence[int],
    rule: Rule,
    nodes: int,
    over: Over,
    progress: Progress,
) -> None:
    """Searches the classes at these places with so many nodes each, until the time is over."""

    def removal(place: int) -> Removal:
        return found[place] if over() else improved(classes[place], rule, found[place], nodes, over)

    pool = ThreadPoolExecutor(_threads())
    try:
        for done, (place, each) in enumerate(zip(places, pool.map(removal, places), strict=True)):
            found[place] = each
            progress("items", 0.5 + 0.5 * done / len(places))
    finally:
        pool.shutdown(cancel_futures=True)


def _threads() -> int:
    return os.cpu_count() or 1
