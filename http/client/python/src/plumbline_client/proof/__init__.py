"""Verifies what a Plumbline service published, by the pages of its formats and without the first verifier's code."""

from .answer import asked_for, parse_saved, saved_url, verify_answer
from .bundle import About, Bundle, parse_bundle, verify_bundle
from .check import Check, exit_of
from .cosignature import parse_cosigner, quorum_of
from .evidence import parse_evidence
from .faults import CouldNotLook, Malformed, Newer, Reason
from .json_text import parse_json
from .note import parse_vkey
from .receipt import Expected, verify_payee, verify_receipt
from .trust import NotaryPolicy, Trust

__all__ = [
    "About",
    "Bundle",
    "Check",
    "CouldNotLook",
    "Expected",
    "Malformed",
    "Newer",
    "NotaryPolicy",
    "Reason",
    "Trust",
    "asked_for",
    "exit_of",
    "parse_bundle",
    "parse_cosigner",
    "parse_evidence",
    "parse_json",
    "parse_saved",
    "parse_vkey",
    "quorum_of",
    "saved_url",
    "verify_answer",
    "verify_bundle",
    "verify_payee",
    "verify_receipt",
]
