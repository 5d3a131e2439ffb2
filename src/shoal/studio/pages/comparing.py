"""The step in which releases are compared: what each risks against what it loses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from shoal.errors import ShoalError
from shoal.percent import percent
from shoal.studio.origins import Origin
from shoal.studio.pages import parts
from shoal.studio.pages.parts import box, text
from shoal.studio.pages.toolkit import ui
from shoal.studio.runs import Run
from shoal.studio.workspace import Workspace

_HELP = (
    "Every release is a point: how likely an intruder finds a person in it, and how much information was lost. Good "
    "releases are near the lower left corner. A release is dominated if another risks and loses no more.",
    "Publish one of them only: whoever has several releases of the same people learns more than each of them promises.",
)
_INK = "#6b7f89"
"""Of texts in the drawing; the style sheet replaces it by one that can be read on the ground that is shown."""
_LINE = {"lineStyle": {"color": "#7b8f98"}}
_COLOURS = {"best": "#1884a3", "dominated": "#7b8f98"}
"""Of points: both stand out from the light and from the dark ground."""
_TOOLTIP = {"backgroundColor": "#14242b", "borderColor": "#7b8f98", "textStyle": {"color": "#ffffff"}}


def show(workspace: Workspace) -> None:
    """The page."""
    parts.head("Compare the releases", "Risk against information loss. Click a point to see that release.")
    parts.help_panel(_HELP)
    content = box("flow")

    def draw() -> None:
        content.clear()
        with content:
            _content(workspace, draw)

    draw()


def _content(workspace: Workspace, draw: Callable[[], None]) -> None:
    runs = workspace.comparable
    if len(runs) < 2:
        words = "Run the plan, change it (another k, another algorithm, a few suppressed rows), and run it again."
        with parts.empty("scatter_plot", "Two releases are needed", words):
            parts.primary("Go to the run", lambda: parts.to_step("/run"))
    else:
        _comparison(workspace, runs)
    _others(workspace, draw)


def _others(workspace: Workspace, draw: Callable[[], None]) -> None:
    """The releases of other tables: they are about other rows, so risk and loss say nothing about which is better."""
    shown = {run.id for run in workspace.comparable}
    others: dict[Origin, list[Run]] = {}
    for run in workspace.finished:
        if run.id not in shown:
            others.setdefault(workspace.origin(run), []).append(run)
    if not others:
        return

    def chosen(run: Run) -> None:
        workspace.choose(run.id)
        draw()

    note = "Releases can be compared if they are of the same table."
    with parts.card("Releases of other tables", note=note):
        for origin, runs in others.items():
            with box("line"):
                table = origin.name or "an unknown table"
                text(f"{table}: {', '.join(run.name for run in runs)}", "grow anywhere")
                parts.second("Compare these", lambda runs=runs: chosen(runs[0]), "scatter_plot")


def _comparison(workspace: Workspace, runs: list[Run]) -> None:
    place = box("flow")
    wanted = tuple(run.id for run in runs)
    if workspace.compared != wanted or workspace.job("compare") is None:
        try:
            workspace.compare(wanted)
        except ShoalError as error:
            parts.error_box(error)
            return
    shown: list[object] = []

    def look() -> None:
        job = workspace.job("compare")
        now = None if job is None else (job.id, job.state, job.stage)
        if shown == [now] or job is None:
            return
        shown[:] = [now]
        place.clear()
        with place:
            if not job.state.is_final:
                parts.note("sea", "Comparing the releases …", job.stage.words)
            elif job.failure is not None:
                parts.error_box(job.failure, "The releases cannot be compared")
            else:
                _compared(workspace, workspace.result("compare") or {})

    look()
    ui.timer(0.3, look)


def _compared(workspace: Workspace, found: dict[str, Any]) -> None:
    names = {run.id: run.name for run in workspace.comparable}
    releases = [each for each in found.get("releases", []) if each["name"] in names]

    def opened(run_id: str) -> None:
        workspace.choose(run_id)
        parts.to_step("/inspect")

    chosen = workspace.chosen
    table = "" if chosen is None else workspace.origin(chosen).name
    with parts.card(f"Risk and information loss{table and f' of releases of {table}'}", private=True):
        chart = ui.echart(
            _options(releases, names),
            on_point_click=lambda event: opened(releases[event.data_index]["name"]),
            renderer="svg",
        )
        chart.classes("scatter").style("height: 24rem; width: 100%").props(
            'role=img aria-label="Average risk against information loss"'
        )
    with parts.card("Side by side"):
        shares = ("highest risk", "average risk", "information loss", "suppressed")
        heads = ("release", "algorithm", *shares, "classes", "")
        rows = [
            (
                names[each["name"]],
                each["algorithm"],
                percent(each["highest_risk"]),
                percent(each["average_risk"]),
                percent(each["ncp"]),
                percent(each["suppressed"]),
                f"{each['classes']:,}",
                f"{names.get(each['dominated_by'], 'another')} is better" if each["dominated_by"] else "not dominated",
            )
            for each in releases
        ]
        parts.table(heads, rows, numbers=heads[2:7], label="Releases")
        with box("line"):
            for each in releases[:6]:
                parts.second(f"See {names[each['name']]}", lambda each=each: opened(each["name"]), "search")
    from shoal.report.comparison import ONE_ONLY

    parts.note("care", "Only one of them can be published", ONE_ONLY)


def _options(releases: list[dict[str, Any]], names: dict[str, str]) -> dict[str, Any]:
    """The scatter plot; labels are text, which the chart draws and never reads as markup."""
    points = [
        {
            "value": [round(100 * each["average_risk"], 3), round(100 * each["ncp"], 3)],
            "name": names[each["name"]],
            "tooltip": {"formatter": _tooltip(each, names[each["name"]])},
            "itemStyle": {"color": _COLOURS["dominated" if each["dominated_by"] else "best"], "opacity": 1},
        }
        for each in releases
    ]
    axis = {"nameLocation": "middle", "min": 0, "axisLabel": {"formatter": "{value} %", "color": _INK}}
    axis |= {"axisLine": _LINE, "axisTick": _LINE}
    axis |= {"splitLine": {"lineStyle": {"color": "rgba(127, 147, 156, .25)"}}, "nameTextStyle": {"color": _INK}}
    label = {"show": True, "position": "right", "formatter": "{b}", "color": _INK, "width": 140, "overflow": "truncate"}
    return {
        "animation": False,
        "grid": {"left": 70, "right": 150, "top": 20, "bottom": 60},
        "tooltip": {"trigger": "item", "renderMode": "richText", **_TOOLTIP},
        "xAxis": {**axis, "name": "average risk", "nameGap": 32},
        "yAxis": {**axis, "name": "information loss", "nameGap": 50},
        "series": [
            {"type": "scatter", "symbolSize": 16, "data": points, "label": label, "labelLayout": {"hideOverlap": True}}
        ],
    }


def _tooltip(release: Mapping[str, Any], name: str) -> str:
    """What is shown at a point; braces would be read as a pattern."""
    name = name.replace("{", "(").replace("}", ")")
    return f"{name}\naverage risk {percent(release['average_risk'])}\ninformation loss {percent(release['ncp'])}"
