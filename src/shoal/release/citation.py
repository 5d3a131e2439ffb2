"""Citation: a file in the Citation File Format (CFF 1.2.0) by which recipients cite a release."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from shoal.release.datapackage import is_day, is_link

_MESSAGE = "If you use this dataset, please cite it."
_LICENCES = (
    *("CC0-1.0", "CC-BY-4.0", "CC-BY-SA-4.0", "CC-BY-NC-4.0", "CC-BY-ND-4.0", "CC-BY-NC-SA-4.0", "CC-BY-NC-ND-4.0"),
    *("CC-BY-3.0", "CC-BY-SA-3.0", "ODbL-1.0", "ODC-By-1.0", "PDDL-1.0", "CDLA-Permissive-1.0", "CDLA-Sharing-1.0"),
    *("MIT", "Apache-2.0", "BSD-3-Clause"),
)
"""Licences of data that the format knows; it takes no other text for a licence."""
_UNPRINTABLE = re.compile(r"[\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff\ufffe\uffff]")


def citation(stated: Mapping[str, str]) -> str | None:
    """The text of CITATION.cff; None unless the plan states a title and a steward, which the format requires."""
    if not {"title", "steward"} <= stated.keys():
        return None
    lines = {"title": stated["title"], **_optional(stated)}
    return "".join(
        [
            'cff-version: "1.2.0"\n',
            f"message: {quoted(_message(stated))}\n",
            "type: dataset\n",
            f"authors:\n  - name: {quoted(stated['steward'])}\n",
            *(f"{key}: {quoted(text)}\n" for key, text in lines.items()),
        ]
    )


def _optional(stated: Mapping[str, str]) -> dict[str, str]:
    licence, released = stated.get("licence", ""), stated.get("date")
    return {
        **({"abstract": stated["purpose"]} if "purpose" in stated else {}),
        **({"date-released": released} if released is not None and is_day(released) else {}),
        **({"license": licence} if licence in _LICENCES else {"license-url": licence} if is_link(licence) else {}),
    }


def _message(stated: Mapping[str, str]) -> str:
    """What readers are asked to do, with what the format has no key for: a licence in words, and a date in words."""
    licence, released = stated.get("licence", ""), stated.get("date")
    words = [_MESSAGE]
    words += [f"Licence: {licence}"] if licence and licence not in _LICENCES and not is_link(licence) else []
    words += [f"Released: {released}"] if released is not None and not is_day(released) else []
    return " ".join(words)


def quoted(text: str) -> str:
    """A text as a scalar that YAML reads as the same text, whatever it contains.

    >>> quoted('yes: "no" # x')
    '"yes: \\\\"no\\\\" # x"'
    """
    return _UNPRINTABLE.sub(lambda found: f"\\u{ord(found.group()):04x}", json.dumps(text, ensure_ascii=False))
