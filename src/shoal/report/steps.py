"""The steps of a specialization in readable form: what each replaced, and the privacy and loss after it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise

from shoal import labels
from shoal.coded.record import Specialized
from shoal.manifest import Manifest

_SHOWN = 4
_MOST_POINTS = 400
_WIDTH, _HEIGHT, _LEFT, _TOP = 640, 300, 48, 24


@dataclass(frozen=True)
class Step:
    """One step: `parts` replaced `value` of `column`. The figures describe the table after the step."""

    number: int
    column: str
    value: str
    parts: tuple[str, ...]
    score: float
    classes: int
    smallest_class: int
    ncp: float
    discernibility_ratio: float
    support: int | None
    confidence: float | None


def steps_of(manifest: Manifest) -> list[Step]:
    """The steps that a manifest records; an empty list if its algorithm does not specialize.

    >>> step = Specialized("age", (0, 1, 3), 2.0, classes=2, smallest_class=3, discernibility_ratio=0.5, ncp=0.5)
    >>> manifest = Manifest(steps=(step,), step_values={"age": ("[1, 2]", "[3, 5]", "9")})
    >>> steps_of(manifest)[0].parts
    ('[1, 2]', '[3, 9]')
    """
    steps = manifest.steps or ()
    return [_step(number, step, manifest.step_values[step.column]) for number, step in enumerate(steps, 1)]


def _step(number: int, step: Specialized, values: Sequence[str]) -> Step:
    return Step(
        number=number,
        column=step.column,
        value=part_label(values[step.parts[0] : step.parts[-1]], values),
        parts=tuple(part_label(values[begin:end], values) for begin, end in pairwise(step.parts)),
        score=step.score,
        classes=step.classes,
        smallest_class=step.smallest_class,
        ncp=step.ncp,
        discernibility_ratio=step.discernibility_ratio,
        support=step.support,
        confidence=step.confidence,
    )


def part_label(part: Sequence[str], values: Sequence[str]) -> str:
    """One label for neighbouring released values: their range or their set."""
    if len(part) == 1:
        return part[0]
    if len(part) == len(values):
        return labels.ANY
    if all(_is_number(value) for value in part):
        return labels.span(*_ends(part))
    shown = ", ".join(part[:_SHOWN])
    return f"{{{shown}}}" if len(part) <= _SHOWN else f"{{{shown}, … {len(part)} values}}"


def _ends(part: Sequence[str]) -> tuple[str, str]:
    """The lowest and the highest number of some labels; siblings in a tree need not be in numeric order."""
    meanings = [labels.read(label) for label in part]
    lows = [each.low if isinstance(each, labels.Range) else label for each, label in zip(meanings, part, strict=True)]
    highs = [each.high if isinstance(each, labels.Range) else label for each, label in zip(meanings, part, strict=True)]
    return min(lows, key=float), max(highs, key=float)


def _is_number(label: str) -> bool:
    meaning = labels.read(label)
    ends = (meaning.low, meaning.high) if isinstance(meaning, labels.Range) else (label,)
    try:
        return all(float(end) == float(end) for end in ends)
    except ValueError:
        return False


def drawn_steps(steps: Sequence[Step]) -> Sequence[Step]:
    """The steps, or some of them at equal distances if there are very many; the first and the last always."""
    last = len(steps) - 1
    few = last < _MOST_POINTS
    return steps if few else [steps[at * last // (_MOST_POINTS - 1)] for at in range(_MOST_POINTS)]


def plot(steps: Sequence[Step]) -> str:
    """An SVG plot of NCP, the discernibility ratio and the largest confidence after each step."""
    last, steps = len(steps), drawn_steps(steps)
    lines = {
        "loss (NCP)": ("#3a93b5", [step.ncp for step in steps]),
        "discernibility ratio": ("#c96b3f", [step.discernibility_ratio for step in steps]),
        "largest confidence": ("#6f9a4a", [step.confidence for step in steps if step.confidence is not None]),
    }
    drawn = [_line(name, *line, place) for place, (name, line) in enumerate(lines.items()) if line[1]]
    axis = "".join(_tick(share) for share in (0.0, 0.25, 0.5, 0.75, 1.0))
    size = f'width="{_WIDTH}" height="{_HEIGHT + 40}" viewBox="0 0 {_WIDTH} {_HEIGHT + 40}"'
    caption = f'<text x="{_LEFT}" y="{_HEIGHT + 30}">steps 1 to {last}</text>'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="12" fill="currentColor" '
        'role="img">'
        f"<title>Steps of a specialization</title>{axis}{''.join(drawn)}{caption}</svg>\n"
    )


def _line(name: str, colour: str, values: Sequence[float], place: int) -> str:
    width = (_WIDTH - _LEFT - 12) / max(len(values) - 1, 1)
    points = " ".join(f"{_LEFT + at * width:.1f},{_y(value):.1f}" for at, value in enumerate(values))
    key = f'<text x="{_LEFT + 150 * place}" y="14" fill="{colour}">{escape(name)}</text>'
    dots = "".join(
        f'<circle cx="{_LEFT + at * width:.1f}" cy="{_y(value):.1f}" r="2.5" fill="{colour}"/>'
        for at, value in enumerate(values)
    )
    return f'<polyline fill="none" stroke="{colour}" stroke-width="2" points="{points}"/>{dots}{key}'


def _tick(share: float) -> str:
    y = _y(share)
    return (
        f'<line x1="{_LEFT}" x2="{_WIDTH - 12}" y1="{y:.1f}" y2="{y:.1f}" stroke="currentColor" opacity="0.2"/>'
        f'<text x="{_LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{share:g}</text>'
    )


def _y(share: float) -> float:
    return _TOP + (_HEIGHT - _TOP) * (1 - share)
