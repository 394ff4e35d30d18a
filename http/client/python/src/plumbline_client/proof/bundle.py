"""The bundle, after "The bundle": everything that proves a value, or an absence, in one file. Versions 2 and 4."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from . import shape as s
from .check import Check, check, not_checked, not_proved, reading
from .encodings import from_hex
from .evidence import ABSENCE, EXCLUDED, Members, Spine, check_evidence, read_evidence
from .faults import Malformed, demand
from .json_text import parse_json
from .keys import ANCHOR, parse_key_document
from .leaf import is_absence, parse_leaf, proven_absence
from .log import ENTRY_SHAPE, check_leaf_of, is_batch, is_simulated, parse_entry
from .merkle import PROOF_SHAPE, is_included
from .note import Checkpoint, parse_checkpoint
from .ots import TimestampVerdict
from .trust import Signed, Trust, check_fresh, check_kept, pins_of, signer_checks, signers_of, verify_anchor

_TAG_2 = "service-bundle-v2"
_TAG_4 = "service-bundle-v4"

_SHAPE_2 = {
    "v": s.one_of(_TAG_2),
    "row": s.optional(s.ANYTHING),
    "absent": s.optional(s.nested("absent", ABSENCE)),
    "leaf": s.TEXT,
    "readings": s.optional(s.list_of(s.TEXT)),
    "excluded": s.optional(s.nested("excluded", EXCLUDED)),
    "batch": s.nested("batch", ENTRY_SHAPE),
    "log": s.nested("log", {**PROOF_SHAPE, "checkpoint": s.TEXT, "cosignatures": s.optional(s.list_of(s.TEXT))}),
    "anchor": ANCHOR,
    "keys": s.ANYTHING,
}

_SHAPE_4 = {
    "v": s.one_of(_TAG_4),
    "leaf": s.TEXT,
    "batch": s.nested("batch", ENTRY_SHAPE),
    "log": s.nested("log", PROOF_SHAPE),
    "head": s.TEXT,
    "keys": s.ANYTHING,
    "cosignatures": s.list_of(s.TEXT),
    "block": ANCHOR,
    "evidence": s.ANYTHING,
}

#: All members that a row may have. One that is absent in the leaf is absent in the row.
_ROW = ("symbol", "metric", "value", "value_text", "unit", "source", "verify_url", "as_of", "simulated")


@dataclass(frozen=True)
class Bundle:
    """What of a bundle is checked, whatever its version. `has_row`: it is of version 2, which has a row beside the leaf."""

    leaf: str
    batch: s.Document
    log: s.Document
    head: str
    keys: Any
    cosignatures: Sequence[str]
    block: s.Document
    members: Members
    unknown: list[tuple[str, int]] = field(default_factory=list)
    has_row: bool = False
    #: None where there is none; JSON's null is no row either.
    row: Any = None
    is_row_there: bool = False


@dataclass(frozen=True)
class About:
    """What the bundle should be about; None does not matter."""

    symbol: str | None = None
    metric: str | None = None
    day: str | None = None
    source: str | None = None


def parse_bundle(text: str) -> Bundle:
    """Reads a bundle of version 2 or 4. Raises `Malformed` naming the wrong member, `Newer` for a later version."""
    value = parse_json(text)
    tag = value.get("v") if isinstance(value, dict) else None
    if not isinstance(tag, str) or not tag.startswith("service-bundle-v"):
        raise Malformed(f"no bundle: `v` must be {_TAG_2} or {_TAG_4}")
    s.refuse_newer("the bundle", tag, (_TAG_2, _TAG_4))
    return _of_4(value) if tag == _TAG_4 else _of_2(value)


def _of_4(value: Any) -> Bundle:
    read = s.read_shape("the bundle", value, _SHAPE_4)
    members, unknown = read_evidence(read["evidence"])
    return Bundle(
        read["leaf"],
        read["batch"],
        read["log"],
        read["head"],
        read["keys"],
        read["cosignatures"],
        read["block"],
        members,
        unknown,
    )


def _of_2(value: Any) -> Bundle:
    read = s.read_shape("the bundle", value, _SHAPE_2)
    log = read["log"]
    members = {
        **({"absence": read["absent"]} if "absent" in read else {}),
        **({"excluded": read["excluded"]} if "excluded" in read else {}),
        **({"readings": {"lines": read["readings"]}} if "readings" in read else {}),
    }
    return Bundle(
        read["leaf"],
        read["batch"],
        log,
        log["checkpoint"],
        read["keys"],
        log.get("cosignatures", []),
        read["anchor"],
        members,
        has_row=True,
        row=read.get("row"),
        is_row_there="row" in read,
    )


def verify_bundle(
    bundle: Bundle,
    trust: Trust = Trust(),
    *,
    beside: Members | None = None,
    about: About | None = None,
    kept: str | None = None,
    not_before: str | None = None,
    keys: Any = None,
) -> list[Check]:
    """Makes every check of a bundle, in the order of the chain.

    `beside`: what was gathered beside a bundle of version 2 (`parse_evidence`); what the bundle has itself comes first.
    `kept`: a checkpoint kept earlier, whose signers count where no key is given. `not_before`: a batch that was closed
    before this time is stale. `keys`: a key document, as parsed JSON, in place of the bundle's.
    """
    members = {**(beside or {}), **bundle.members}
    leaf, leaf_check = reading("leaf", lambda: parse_leaf(bundle.leaf), lambda read: f"{read['kind']} of {read['day']}")
    batch, batch_check = reading("batch entry", lambda: _read_batch(bundle, leaf), lambda one: f"{one['days'][0]}")
    checkpoint, form = reading(
        "checkpoint form",
        lambda: parse_checkpoint(bundle.head),
        lambda one: f"{one.origin}, {one.size} entries",
    )
    closed_at = None if batch is None else batch["closed_at"]
    # The checkpoint is not older than the batch that it contains.
    timestamp, outcome = verify_anchor(bundle.block, bundle.head, closed_at, trust)
    signed: Signed | None = None
    under_head = [not_checked("batch in log", "the checkpoint cannot be read", "unavailable")]
    if checkpoint is not None:
        signed, signature = _read_signed(bundle, bundle.keys if keys is None else keys, checkpoint, batch)
        under_head = [
            _check_in_log(bundle, checkpoint),
            signature,
            *_check_signer(bundle, signed, closed_at, outcome, trust, kept),
            *_unwitnessed(bundle, trust),
            *([] if not_before is None else [check_fresh(closed_at, not_before)]),
            *([] if kept is None else [check_kept(checkpoint, kept)]),
        ]
    return [
        leaf_check,
        not_checked("value", "the leaf cannot be read", "unavailable")
        if leaf is None
        else _check_value(bundle, members, leaf),
        *([] if about is None else [_check_about(members, leaf, about)]),
        batch_check,
        not_checked("leaf in batch", "the batch entry does not hold", "unavailable")
        if batch is None
        else _check_in_batch(bundle, batch),
        form,
        *under_head,
        *check_evidence(members, bundle.unknown, Spine(leaf, batch, bundle.log["index"], checkpoint, signed, trust)),
        timestamp,
    ]


def _read_batch(bundle: Bundle, leaf: s.Document | None) -> s.Document:
    entry = parse_entry(bundle.batch["entry"])
    demand(is_batch(entry), "the log entry is not a batch", "contradiction")
    demand(
        entry["tree_size"] == bundle.batch["size"],
        "the batch and the proof are of trees of another size",
        "contradiction",
    )
    if leaf is not None:
        check_leaf_of(entry, leaf)
        is_last = bundle.batch["index"] == entry["tree_size"] - 1
        demand(
            is_last == is_absence(leaf),
            "the absence leaf is the last of its batch, and no other",
            "contradiction",
        )
    return entry


def _check_value(bundle: Bundle, members: Members, leaf: s.Document) -> Check:
    absence, excluded = members.get("absence"), members.get("excluded")

    def work() -> str:
        if bundle.has_row:
            demand(bundle.is_row_there == (absence is None), "the bundle must have either a row or an absence")
        if is_absence(leaf):
            if absence is None:
                raise Malformed("an absence leaf cannot prove a value", "contradiction")
            listed = proven_absence(leaf, absence["list"], absence)
            demand(
                ("ended" in listed) == ("ended" in absence),
                "the bundle and the list of absences disagree on whether the series ended",
                "contradiction",
            )
            return f"{absence['symbol']} {absence['metric']} had no reading on {leaf['day']}"
        demand(absence is None, "the bundle has an absence, but its leaf is of a value", "contradiction")
        if bundle.has_row:
            _demand_row(bundle.row, leaf)
        demand(
            "excluded_by" not in leaf or (excluded or {}).get("incident") == leaf["excluded_by"],
            "the leaf is excluded by an incident, but the bundle does not say so",
            "contradiction",
        )
        return f"{leaf['symbol']} {leaf['metric']} at {leaf['as_of']}, version {leaf['version']}"

    return check("value", work)


def _demand_row(row: Any, leaf: s.Document) -> None:
    """Raises `Malformed` unless the row that version 2 has beside the leaf says the same."""
    if not isinstance(row, dict):
        raise Malformed("the bundle's row must be an object")
    demand(all(name in _ROW for name in row), "the row has a member which no leaf commits to")
    for name in _ROW:
        demand(_is_same(row, leaf, name), f"the row and the leaf disagree on {name}", "contradiction")


def _is_same(row: s.Document, leaf: s.Document, name: str) -> bool:
    if name not in row or name not in leaf:
        return (name in row) == (name in leaf)
    a, b = row[name], leaf[name]
    # True is 1 in Python, and not in JSON.
    return isinstance(a, bool) == isinstance(b, bool) and bool(a == b)


def _check_about(members: Members, leaf: s.Document | None, about: About) -> Check:
    if leaf is None:
        return not_checked("asked for", "the leaf cannot be read", "unavailable")

    def work() -> str:
        demand(
            about.day is None or leaf["day"] == about.day,
            f"the leaf is for {leaf['day']}, not {about.day}",
            "origin",
        )
        # An absence leaf commits to a list; the bundle says which series on it is meant.
        series = members.get("absence") if is_absence(leaf) else leaf
        if series is None:
            raise Malformed("the bundle does not say whose absence it proves", "missing")
        for name in ("symbol", "metric", "source"):
            asked = getattr(about, name)
            demand(
                asked is None or series[name] == asked,
                f"the bundle is for {series[name]}, not {asked}",
                "origin",
            )
        return "the bundle is about what was asked for"

    return check("asked for", work)


def _check_in_batch(bundle: Bundle, entry: s.Document) -> Check:
    def work() -> str:
        demand(
            is_included(bundle.leaf, bundle.batch, from_hex(entry["root"], 32)),
            "the inclusion proof does not lead from the leaf to the batch's root",
            "hash",
        )
        return f"leaf {bundle.batch['index']} of {bundle.batch['size']}"

    return check("leaf in batch", work)


def _check_in_log(bundle: Bundle, checkpoint: Checkpoint) -> Check:
    def work() -> str:
        demand(
            bundle.log["size"] == checkpoint.size,
            "the checkpoint and the proof are of logs of another size",
            "contradiction",
        )
        demand(
            is_included(bundle.batch["entry"], bundle.log, checkpoint.root),
            "the inclusion proof does not lead from the entry to the checkpoint's root",
            "hash",
        )
        return f"entry {bundle.log['index']} of {bundle.log['size']}"

    return check("batch in log", work)


def _read_signed(
    bundle: Bundle, keys: Any, checkpoint: Checkpoint, batch: s.Document | None
) -> tuple[Signed | None, Check]:
    def work() -> Signed:
        document = parse_key_document(keys)
        simulated = None if batch is None else is_simulated(batch)
        return Signed(document, signers_of(bundle.head, document, simulated))

    return reading(
        "checkpoint signature",
        work,
        lambda signed: f"signed by {checkpoint.origin} with key {' and '.join(key.kid for key in signed.signers)}",
    )


def _check_signer(
    bundle: Bundle,
    signed: Signed | None,
    closed_at: str | None,
    outcome: TimestampVerdict | None,
    trust: Trust,
    kept: str | None,
) -> list[Check]:
    if signed is None:
        return [not_proved("key in use", "the key that signed the checkpoint is unknown", "unavailable")]
    vouching = replace(trust, pins=pins_of(trust.pins, kept, signed.document))
    return signer_checks(bundle.head, bundle.cosignatures, outcome, closed_at, signed, vouching)


def _unwitnessed(bundle: Bundle, trust: Trust) -> list[Check]:
    """Nobody's cosignatures were looked at: said, since a log that only one reader sees has none that he trusts."""
    if trust.quorum is not None or trust.witnesses:
        return []
    return [
        not_checked("witnesses", f"{len(bundle.cosignatures)} cosignatures; give the key of a witness that you trust")
    ]
