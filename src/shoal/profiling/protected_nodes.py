"""Protected nodes: the parts of each classification of diseases that a draft plan proposes to protect.

The list is fixed for each kind of tree. It does not depend on the codes that occur in the table, so a published plan
says nothing about them.

Sources: the categories of information for which the HL7 terminology provides a policy of heightened confidentiality
(value set ActInformationSensitivityPolicy: substance use, HIV, psychiatry, sexually transmitted diseases, sexuality and
reproductive health), and neoplasms, the example of Campan and Truta (2006). Substance use needs no node of its own: all
three classifications have it within the chapter of mental disorders, and a node within a protected node has no effect.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

_NEOPLASMS = "often kept private from employers, insurers and relatives"
_MENTAL = "stigma; includes alcohol and drug use, for which stricter laws often apply"
_HIV = "stigma and discrimination; stricter laws often apply"
_SEXUAL = "stigma; reveals sexual contacts"
_PREGNANCY = "may be unknown to employers and relatives; includes abortions, which are illegal in some places"
_REPRODUCTION = "contraception, pregnancy and abortion without a disease"


class ProtectedNode(NamedTuple):
    """A node of a tree by its label, and why it is usually protected."""

    label: str
    reason: str


PROTECTED: Mapping[str, tuple[ProtectedNode, ...]] = {
    "icd9": (
        ProtectedNode("042", _HIV),
        ProtectedNode("090-099", _SEXUAL),
        ProtectedNode("140-239", _NEOPLASMS),
        ProtectedNode("290-319", _MENTAL),
        ProtectedNode("630-679", _PREGNANCY),
        ProtectedNode("V08", _HIV),
        ProtectedNode("V20-V29", _REPRODUCTION),
    ),
    "icd10cm": (
        ProtectedNode("A50-A64", _SEXUAL),
        ProtectedNode("B20", _HIV),
        ProtectedNode("C00-D49", _NEOPLASMS),
        ProtectedNode("F01-F99", _MENTAL),
        ProtectedNode("O00-O9A", _PREGNANCY),
        ProtectedNode("Z21", _HIV),
        ProtectedNode("Z30-Z39", _REPRODUCTION),
    ),
    "icd10": (
        ProtectedNode("A50-A64", _SEXUAL),
        ProtectedNode("B20-B24", _HIV),
        ProtectedNode("C00-D48", _NEOPLASMS),
        ProtectedNode("F00-F99", _MENTAL),
        ProtectedNode("O00-O99", _PREGNANCY),
        ProtectedNode("Z21", _HIV),
        ProtectedNode("Z30-Z39", _REPRODUCTION),
    ),
}
"""The nodes of every kind of tree, in the order of the tree."""


def proposed(kind: str) -> tuple[str, ...]:
    """The labels of the nodes that a draft protects in a tree of this kind.

    >>> proposed("icd9")[:3]
    ('042', '090-099', '140-239')
    """
    return tuple(node.label for node in PROTECTED[kind])
