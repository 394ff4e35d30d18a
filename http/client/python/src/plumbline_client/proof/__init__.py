"""Verifies what a Plumbline service published, by the pages of its formats and without the first verifier's code."""

from .bundle import About, Bundle, parse_bundle, verify_bundle
from .check import Check, exit_of
from .cosignature import parse_cosigner, quorum_of
from .evidence import parse_evidence
from .faults import CouldNotLook, Malformed, Newer, Reason
from .json_text import parse_json
from .note import parse_vkey
from .trust import NotaryPolicy, Trust

__all__ = [
    "About",
    "Bundle",
    "Check",
    "CouldNotLook",
    "Malformed",
    "Newer",
    "NotaryPolicy",
    "Reason",
    "Trust",
    "exit_of",
    "parse_bundle",
    "parse_cosigner",
    "parse_evidence",
    "parse_json",
    "parse_vkey",
    "quorum_of",
    "verify_bundle",
]
