"""Entries of the log, after "The log": a closed batch, or the hash of another document; and what of a leaf its batch demands."""

from __future__ import annotations

import re

from . import shape as s
from .encodings import sha256, utf8
from .faults import Malformed, demand
from .json_text import parse_canonical
from .leaf import CLOCK_TOLERANCE, is_absence
from .merkle import PROOF_SHAPE, is_included
from .note import Checkpoint
from .times import DAY, HOUR, epoch_ms, is_day

_BATCH_TAG = "service-batch-v2"
_ENTRY_TAG = "service-entry-v2"

_BATCH = {
    "v": s.tag_of(_BATCH_TAG),
    "days": s.Member(
        lambda value: isinstance(value, list) and len(value) == 1 and is_day(value[0]),
        "a list of exactly one day YYYY-MM-DD",
    ),
    "cut_off": s.TIME,
    "closed_at": s.TIME,
    "late": s.FLAG,
    "root": s.HASH,
    "tree_size": s.COUNT,
    "n_readings": s.COUNT,
    "n_late": s.COUNT,
    "n_revisions": s.COUNT,
    "n_absent": s.COUNT,
    "absent_sha256": s.HASH,
    "simulated": s.TRUE_OR_ABSENT,
}

_DOCUMENT = {
    "v": s.tag_of(_ENTRY_TAG),
    "kind": s.NAME,
    "sha256": s.HASH,
    "subject": s.NAME,
    "recorded_at": s.TIME,
    "simulated": s.TRUE_OR_ABSENT,
}

#: An entry with its place in the log.
ENTRY_SHAPE = {**PROOF_SHAPE, "entry": s.TEXT}

_KIND = re.compile(r"[a-z][a-z0-9_-]*")


def parse_entry(text: str) -> s.Document:
    """Parses an entry of either form, which must be canonical JSON."""
    value = parse_canonical(text)
    tag = value.get("v") if isinstance(value, dict) else None
    if isinstance(tag, str) and tag.startswith("service-batch-v"):
        return _batch_entry(s.read_shape("a batch entry", value, _BATCH))
    entry = s.read_shape("a log entry", value, _DOCUMENT)
    s.check_tag(entry, _ENTRY_TAG)
    if _KIND.fullmatch(entry["kind"]) is None:
        raise Malformed("a log entry's kind must be lower case")
    return entry


def _batch_entry(entry: s.Document) -> s.Document:
    s.check_tag(entry, _BATCH_TAG)
    end = epoch_ms(entry["days"][0]) + DAY
    cut_off, closed = epoch_ms(entry["cut_off"]), epoch_ms(entry["closed_at"])
    if cut_off < end:
        raise Malformed("the cut-off is before the end of the day")
    if closed < cut_off:
        raise Malformed("the batch was closed before its cut-off")
    if entry["late"] != (closed > cut_off + HOUR):
        raise Malformed("a batch entry must have `late` exactly if it was closed more than an hour after its cut-off")
    if entry["n_readings"] + entry["n_late"] + entry["n_revisions"] + 1 != entry["tree_size"]:
        raise Malformed("a batch entry must count every leaf: its readings, late rows, revisions and one absence leaf")
    return entry


def is_batch(entry: s.Document) -> bool:
    return "tree_size" in entry


def is_simulated(document: s.Document) -> bool:
    return document.get("simulated") is True


def check_leaf_of(entry: s.Document, leaf: s.Document) -> None:
    """Raises `Malformed` if the leaf cannot be in the batch of this entry."""
    day = entry["days"][0]
    demand(
        is_simulated(leaf) == is_simulated(entry),
        "the leaf and its batch disagree on whether they are simulated",
        "contradiction",
    )
    if is_absence(leaf):
        demand(
            leaf["day"] == day,
            f"the absence leaf is of {leaf['day']}, but its batch closes {day}",
            "contradiction",
        )
        demand(
            leaf["cut_off"] == entry["cut_off"],
            "the absence leaf has another cut-off than its batch",
            "contradiction",
        )
        demand(
            leaf["n_series"] == entry["n_absent"] and leaf["series_sha256"] == entry["absent_sha256"],
            "the absence leaf and its batch entry name different lists of absences",
            "contradiction",
        )
        return
    counted = {"reading": "n_readings", "late": "n_late", "revision": "n_revisions"}[leaf["kind"]]
    recorded = epoch_ms(leaf["recorded_at"])
    demand(
        entry[counted] != 0,
        f"the leaf is of kind {leaf['kind']}, but its batch entry counts none of that kind",
        "contradiction",
    )
    demand(leaf["day"] <= day, f"the leaf is of {leaf['day']}, after the day {day} that its batch closes", "time")
    demand(
        recorded <= epoch_ms(entry["closed_at"]) + CLOCK_TOLERANCE,
        f"the leaf was recorded at {leaf['recorded_at']}, after its batch was closed",
        "time",
    )
    if leaf["kind"] == "reading":
        demand(
            leaf["day"] == day,
            f"a reading of {leaf['day']} cannot be in the batch of {day}: it would be late",
            "time",
        )
        demand(
            recorded <= epoch_ms(entry["cut_off"]),
            "a reading recorded after the batch's cut-off would be late",
            "time",
        )


def demand_about(entry: s.Document, document: s.Document, kind: str, subject: str, text: str, words: str) -> None:
    """Raises `Malformed` unless the entry is about the document: its kind, subject, demo and the hash of its text."""
    is_about = (
        not is_batch(entry)
        and entry["kind"] == kind
        and entry["subject"] == subject
        and is_simulated(entry) == is_simulated(document)
        and entry["sha256"] == sha256(utf8(text)).hex()
    )
    if not is_about:
        raise Malformed(f"the log entry is not about {words}", "contradiction")


def demand_under(log: s.Document, checkpoint: Checkpoint, what: str) -> None:
    """Raises `Malformed` unless the log has the entry under the checkpoint."""
    demand(
        log["size"] == checkpoint.size and is_included(log["entry"], log, checkpoint.root),
        f"the inclusion proof does not lead from the entry of {what} to the checkpoint's root",
        "hash",
    )
