"""What the documentation claims in words is true: each claim is quoted, and checked by running the code.

A quoted claim must still be in the documentation, so that a page and its check change together.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

Check = Callable[[], None]
CLAIMS: dict[tuple[str, str], Check] = {}


def claim(page: str, words: str) -> Callable[[Check], Check]:
    """Registers a check of what the page claims in these words."""

    def register(check: Check) -> Check:
        CLAIMS[page, words] = check
        return check

    return register


def _plain(text: str) -> str:
    return re.sub(r"\s+", " ", text)


@pytest.mark.parametrize(("page", "words"), CLAIMS)
def test_claim(page: str, words: str) -> None:
    assert _plain(words) in _plain((ROOT / page).read_text(encoding="utf-8")), "the page no longer claims this"
    CLAIMS[page, words]()


# -- LKC and recodings --------------------------------------------------------------------------------------------


def _recoding_losses() -> dict[str, dict[str, float]]:
    lines = json.loads((ROOT / "benchmarks" / "results" / "recoding.json").read_text(encoding="utf-8"))
    losses: dict[str, dict[str, float]] = {}
    for line in lines:
        losses.setdefault(line["table"], {})[line["setting"]] = line["ncp"]
    return losses


@claim(
    "docs/guide/wide-tables.md",
    "`lkc` by `pais` loses between half and two thirds of what a *global* recoding loses under k-anonymity, for a "
    "weaker promise. It loses about four times what `mondrian` loses under full k-anonymity.",
)
def _() -> None:
    for table in ("registry", "diabetes130"):
        losses = _recoding_losses()[table]
        for algorithm in ("optimal", "pais"):
            assert 0.5 <= losses["lkc, pais"] / losses[f"k-anonymity, {algorithm}"] <= 2 / 3
        assert 3.5 <= losses["lkc, pais"] / losses["k-anonymity, mondrian"] <= 4.5


@claim("docs/guide/wide-tables.md", "so its NCP is even higher")
def _() -> None:
    losses = _recoding_losses()["adult"]
    assert losses["lkc, pais"] > losses["k-anonymity, pais"] > losses["k-anonymity, optimal"]


@pytest.mark.parametrize("page", ["README.md", "docs/index.md", "docs/guide/choosing.md"])
def test_no_page_says_that_lkc_loses_less_without_saying_than_what(page: str) -> None:
    text = _plain((ROOT / page).read_text(encoding="utf-8"))
    assert not re.search(r"(far|much) less (generalization )?than k-anonymity", text)


# -- installation -------------------------------------------------------------------------------------------------


def _extras() -> set[str]:
    page = (ROOT / "docs" / "installation.md").read_text(encoding="utf-8")
    return set(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE))


def test_every_extra_that_the_code_asks_for_is_documented() -> None:
    sources = (path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py"))
    asked = {extra for text in sources for extra in re.findall(r"pip install 'shoal\[(\w+)\]'", text)}
    assert asked == _extras()


def test_every_documented_extra_exists() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert _extras() <= set(project["optional-dependencies"])


def test_no_page_installs_shoal_from_a_package_index() -> None:
    for page in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]:
        for command in re.findall(r"pip install [^`\n]*", page.read_text(encoding="utf-8")):
            assert "shoal" not in command or "git+https://" in command, page
