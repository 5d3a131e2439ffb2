"""The documentation says what is: generated parts are current, and every block that claims to run does, as printed."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"


def _generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("docs_generate", DOCS / "generate.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


generate = _generator()
PAGES = {path.relative_to(ROOT).as_posix(): path for path in generate.pages()}
EVERY_PAGE = {**PAGES, **{path.relative_to(ROOT).as_posix(): path for path in generate.model_pages()}}


@pytest.mark.parametrize("name", PAGES)
def test_page_is_current(name: str) -> None:
    """Tables follow the code; commands and scripts print what the page shows. `make generate` brings it up to date."""
    for path, text in generate.updated(PAGES[name]).items():
        assert path.read_text(encoding="utf-8") == text


def test_every_model_has_its_page() -> None:
    wanted = generate.model_pages()
    assert {path: path.read_text(encoding="utf-8") for path in generate.MODEL_PAGES.glob("*.md")} == wanted


def test_a_changed_page_is_noticed(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "<!-- generated: role-table -->\nold\n<!-- end -->\n\n```console\n$ echo new\nold\n```\n\n"
        "```python\nprint(6 * 7)\n```\n\n```text\nold\n```\n",
        encoding="utf-8",
    )
    text = generate.rendered(page)
    assert "old" not in text
    assert "| `identifier` |" in text
    assert "$ echo new\nnew\n```" in text
    assert "```text\n42\n```" in text


def test_a_drawing_of_a_page_is_updated_with_it(tmp_path: Path) -> None:
    page, block = tmp_path / "page.md", "```python\nopen('{}', 'w').write('<svg/>')\n```\n\n```text\n\n```\n\n"
    page.write_text(block.format("shown.svg") + block.format("other.svg") + "![A drawing](shown.svg)\n", "utf-8")
    wanted = generate.updated(page)
    assert {path.name for path in wanted} == {"page.md", "shown.svg"}
    assert wanted[tmp_path / "shown.svg"] == "<svg/>"
    assert not generate.is_current(wanted)
    (tmp_path / "shown.svg").write_text("<svg/>", encoding="utf-8")
    page.write_text(wanted[page], encoding="utf-8")
    assert generate.is_current(wanted)


def test_every_command_is_documented() -> None:
    import typer

    from shoal.cli.app import app

    page = (DOCS / "reference" / "command-line.md").read_text(encoding="utf-8")
    command = typer.main.get_command(app)
    for name, sub in command.commands.items():  # type: ignore[attr-defined]
        for inner in getattr(sub, "commands", {"": None}):
            assert f"$ shoal {name} {inner}".rstrip() + " --help\n" in page


@pytest.mark.parametrize("name", EVERY_PAGE)
def test_plans_and_links_are_sound(name: str) -> None:
    page = EVERY_PAGE[name]
    text = page.read_text(encoding="utf-8")
    for block in re.findall(r"^```toml[^\n]*\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
        assert tomllib.loads(block)
    prose = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", prose):
        assert target.startswith("https://") or (page.parent / target).exists(), f"{name} links to {target}"


NAMES = """
import operator
import sys
for name in sys.argv[1:]:
    for module in [module for module in sys.modules if module.partition(".")[0] == "shoal"]:
        if not module.startswith("shoal.kernels"):
            del sys.modules[module]
    import shoal
    try:
        operator.attrgetter(name.removeprefix("shoal."))(shoal)
    except AttributeError as error:
        print(name, error)
"""


def test_every_documented_name_is_found_after_import_shoal() -> None:
    """Each dotted name works as written, without importing its module first."""
    pages = [page for page in EVERY_PAGE.values() if DOCS / "developing" not in page.parents]
    texts = [page.read_text(encoding="utf-8") for page in pages]
    found = {name for text in texts for name in re.findall(r"(?<![\w/.-])shoal(?:\.[A-Za-z_]\w*)+", text)}
    assert {"shoal.table.read", "shoal.hierarchies", "shoal.datasets", "shoal.anonymize"} <= found
    done = subprocess.run([sys.executable, "-c", NAMES, *sorted(found)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr[-500:]


@pytest.mark.parametrize("table", ["data", "column", "release", "model", "algorithm", "hierarchy"])
def test_every_parameter_has_a_meaning_what_is_allowed_and_a_default(table: str) -> None:
    part = "keys" if table in ("data", "column", "release") else "parameters"
    _, _, *rows = generate.PARTS[f"{table}-{part}"]().splitlines()
    for row in rows:
        *_, name, meaning, allowed, default = (cell.strip() for cell in re.split(r"(?<!\\)\|", row)[1:-1])
        if name != "–":  # a kind without parameters
            assert len(meaning) > 15 and meaning.endswith(".") and allowed and default, row


def test_the_glossary_is_in_order() -> None:
    words = re.findall(r"^\*\*(.+)\*\*$", (DOCS / "glossary.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert words == sorted(set(words))


def test_the_site_builds_and_loads_nothing_from_elsewhere(tmp_path: Path) -> None:
    pytest.importorskip("mkdocs")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path / "site")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=180,
        env={"PATH": "/usr/bin:/bin", "NO_MKDOCS_2_WARNING": "1"},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    pages = list((tmp_path / "site").rglob("*.html"))
    assert len(pages) > len(PAGES)
    assert (tmp_path / "site" / "stylesheets" / "wide.css").is_file()  # tables fit, or scroll
    for page in pages:
        loaded = re.findall(r"<(?:script|img|link)\b[^>]*(?:src|href)=\"(https?:)?//[^\"]*\"", page.read_text("utf-8"))
        assert not loaded, page
