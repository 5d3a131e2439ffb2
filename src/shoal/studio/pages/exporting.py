"""The last step: what to hand on, what to keep, and how to make the same release again."""

from __future__ import annotations

from shoal.errors import ShoalError
from shoal.plan import read_plan
from shoal.plan.python import as_python
from shoal.studio.pages import parts
from shoal.studio.pages.downloads import PRIVATE, PUBLIC, address
from shoal.studio.pages.inspecting import chooser
from shoal.studio.pages.parts import box, text
from shoal.studio.pages.toolkit import ui
from shoal.studio.runs import Run
from shoal.studio.workspace import Workspace

_HELP = (
    "Hand on the public folder and nothing else: it contains the release, its report, its codebook and the plan "
    "without your source, and recipients can verify it themselves. Tell them the digest in another way than the files, "
    "so that they notice if someone replaced them.",
    "Keep the private folder: it tells you about the input, and would help an intruder.",
)


def show(workspace: Workspace) -> None:
    """The page."""
    parts.head("Export", "Hand on the public part, keep the private part, and reproduce both from the plan.")
    parts.help_panel(_HELP)
    run = workspace.chosen
    if run is None:
        with parts.empty("download", "No release yet", "Run the plan first; then its files can be downloaded here."):
            parts.primary("Go to the run", lambda: parts.to_step("/run"))
        return
    chooser(workspace, run, "/export")
    _verdict(run)
    with box("two"):
        with parts.card("To hand on", public=True):
            for what, (title, words) in PUBLIC.items():
                _download(run, what, title, words)
        with parts.card("To keep", private=True):
            for what, (title, words) in PRIVATE.items():
                _download(run, what, title, words)
    _again(run)


def _verdict(run: Run) -> None:
    found = run.summary
    digest = str(found.get("digest", ""))
    parts.note("good", f"'{run.name}' is verified: all promises hold", f"Digest: {digest}" if digest else "")
    if found.get("serious_warnings"):
        parts.note("care", "Read the steward's report before you publish", "It has serious warnings.")


def _download(run: Run, what: str, title: str, words: str) -> None:
    with box("line"):
        with box("grow stack"):
            text(title, "name")
            text(words, "soft small")
        with box("download", "a") as link:
            link.props["href"] = address(run, what)
            link.props["download"] = True
            link.props["aria-label"] = f"Download: {title}"
            ui.icon("download").props("aria-hidden=true")
            text("Download")


def _again(run: Run) -> None:
    """The commands and the program that make the same release."""
    with parts.card("Make the same release again", note="The same plan, data and seed give the same digest."):
        text("On the command line", tag="h3")
        parts.code("shoal anonymize plan.toml --out release\nshoal verify release")
        try:
            program = as_python(read_plan(run.plan_path))
        except ShoalError as error:
            parts.error_box(error)
            return
        with parts.more("In Python"):
            parts.code(program)
        with parts.more("The plan"):
            parts.code(run.plan_path.read_text(encoding="utf-8"))
