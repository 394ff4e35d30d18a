"""The kinds of evidence of a bundle (`core/proof/formats/bundle.md`).

A kind that this verifier does not know is not checked, and no fault.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from . import shape as s
from .agreement import AGREED, check_agreed, later_head_of
from .body import BODY, said_in
from .check import Check, check, failed, not_checked, not_proved, reading, refused
from .encodings import sha256, utf8
from .faults import CouldNotLook, Malformed, demand
from .first_entry import first_entry, is_before_first
from .json_text import parse_json
from .keys import demand_known, demand_served, read_logged_keys
from .leaf import is_absence, reading_line, states_reading
from .log import ENTRY_SHAPE, is_simulated
from .merkle import PROOF_SHAPE
from .notaries import check_notaries
from .note import Checkpoint
from .numbers import is_number_text
from .run_of_value import RunContext, check_run, derives_the_day
from .runs import LOGGED, OBSERVED, RUN_PROOF, run_with_row
from .times import epoch_ms, is_time
from .trust import Signed, Trust

_EVIDENCE_TAG = "service-evidence-v1"
_MOST = 64
_KIND = re.compile(r"[a-z][a-z0-9-]{0,39}")


@dataclass(frozen=True)
class Spine:
    """What every bundle has, of whatever version. A part that could not be read, or does not hold, is None."""

    leaf: s.Document | None
    batch: s.Document | None
    batch_index: int
    checkpoint: Checkpoint | None
    signed: Signed | None
    trust: Trust
    #: What the bundle has of each kind: some evidence is about other evidence.
    beside: Mapping[str, Any] = field(default_factory=dict)


#: What a bundle has of each kind, by its name.
Members = Mapping[str, Any]


@dataclass(frozen=True)
class _Kind:
    v: int
    shape: s.Shape
    #: The checks of what the bundle has of the kind, None where it has nothing.
    verify: Callable[[Any, Spine], list[Check]]


ABSENCE = {"symbol": s.NAME, "metric": s.NAME, "source": s.NAME, "ended": s.TRUE_OR_ABSENT, "list": s.TEXT}
EXCLUDED = {"incident": s.ORDINAL, "reason": s.NON_EMPTY, "opened_at": s.TIME}
_LOGGED_KEYS = {**ENTRY_SHAPE, "document": s.TEXT}
_LATER_HEAD = {"checkpoint": s.TEXT, "consistency": s.HASHES}
_FIRST_KEYS = {**LOGGED, "head": s.nested("head", _LATER_HEAD)}
_RUN = {
    "head": s.optional(s.nested("head", _LATER_HEAD)),
    "observed": s.optional(s.nested("observed", OBSERVED)),
    "unstored": s.optional(s.nested("unstored", RUN_PROOF)),
    "first_runs": s.optional(s.nested("first_runs", LOGGED)),
    "schedule": s.optional(s.nested("schedule", LOGGED)),
    "first_schedule": s.optional(s.nested("first_schedule", LOGGED)),
}
_BESIDE = {
    **_RUN,
    "v": s.one_of(_EVIDENCE_TAG),
    "logged_keys": s.optional(s.nested("logged_keys", _LOGGED_KEYS)),
    "first_keys": s.optional(s.nested("first_keys", _FIRST_KEYS)),
    "agreement": s.optional(s.nested("agreement", AGREED)),
}


def _check_absence(member: Any, spine: Spine) -> list[Check]:
    """That the service listed it is proved; of the rows that its runs read without a leaf the log has hashes alone."""
    if member is None or spine.leaf is None or not is_absence(spine.leaf):
        return []
    return [not_checked("no run read it", derives_the_day(spine.leaf["day"]))]


def _check_excluded(member: Any, spine: Spine) -> list[Check]:
    """Only the number of an incident can be in the leaf, and only that of one that was open at the close."""
    if member is None:
        return []
    if spine.leaf is not None and is_absence(spine.leaf):
        return [failed("excluded", "an absence has no reading that an incident could exclude", "contradiction")]
    return [not_proved("excluded", f"nothing here proves what incident {member['incident']} says")]


def _check_readings(member: Any, spine: Spine) -> list[Check]:
    name, leaf = "readings", spine.leaf
    if leaf is None:
        return [] if member is None else [not_checked(name, "the leaf cannot be read", "unavailable")]
    if member is None:
        return (
            []
            if is_absence(leaf)
            else [not_checked(name, "the bundle does not have the readings of the day", "unavailable")]
        )
    lines = member["lines"]

    def work() -> str:
        demand(not is_absence(leaf), "the bundle has readings, but proves that there were none", "contradiction")
        demand(
            sha256(utf8("\n".join(lines))).hex() == leaf["readings_sha256"],
            "the readings do not match the leaf's readings_sha256",
            "hash",
        )
        demand(
            len(lines) == leaf["n_observations"],
            "the bundle has another number of readings than the leaf counts",
            "contradiction",
        )
        _demand_lines(lines, leaf)
        return f"{len(lines)} readings of the day"

    return [check(name, work)]


def _demand_lines(lines: list[str], leaf: s.Document) -> None:
    """The lines are of the leaf's day, in order, and the last one gives its value."""
    before = None
    for line in lines:
        as_of, *rest = line.split("|")
        demand(
            is_time(as_of) and len(rest) == 1 and is_number_text(rest[0]),
            f"{line} is not a reading `as_of|value`",
        )
        demand(
            as_of.startswith(f"{leaf['day']}T"),
            f"the reading of {as_of} is not of the leaf's day, {leaf['day']}",
            "contradiction",
        )
        at = epoch_ms(as_of)
        demand(before is None or at > before, f"the reading of {as_of} is out of order, or there twice")
        before = at
    demand(
        not lines or lines[-1] == reading_line(leaf),
        "the last reading is not what the leaf says",
        "contradiction",
    )


def _check_keys(member: Any, spine: Spine) -> list[Check]:
    name, checkpoint, signed = "keys in log", spine.checkpoint, spine.signed
    if checkpoint is None:
        return []
    if member is None:
        return [_without_keys(name, checkpoint, spine)]

    def work() -> str:
        logged = read_logged_keys(member, checkpoint)
        if signed is not None:
            demand_served(logged, signed.document)
            demand_known(logged, signed.signers)
        return f"document {logged.n}: {len(logged.keys)} keys and {len(logged.rotations)} rotations"

    return [check(name, work)]


def _without_keys(name: str, checkpoint: Checkpoint, spine: Spine) -> Check:
    """What is said of a head without its document of keys: it covers the batch, so it is not older."""
    first, signed, batch = spine.beside.get("first-keys"), spine.signed, spine.batch
    if first is None:
        if batch is None:
            return not_checked(name, "the batch entry does not hold", "unavailable")
        at = batch["closed_at"]
        if is_before_first(at, at[:10], is_simulated(batch), None):
            return not_checked(name, "made before keys were logged", "unavailable")
        return not_proved(name, "the keys that the log has are not beside the bundle")
    if signed is None:
        return not_proved(name, "the signature of the bundle's checkpoint does not hold", "signature")
    try:
        head = first["head"]
        later = later_head_of(head["checkpoint"], head["consistency"], checkpoint, signed, "the keys")
        _, index = first_entry("keys", first, later)
    except Malformed as fault:
        return refused(name, fault)
    if index >= checkpoint.size:
        return not_checked(name, "this head is older than the first document of keys in the log", "unavailable")
    return not_proved(name, "the log had keys already, and their document is not beside the bundle")


def _check_run(member: Any, spine: Spine) -> list[Check]:
    evidence = member or {}
    checkpoint = spine.checkpoint
    if checkpoint is None:
        return []
    later, read = reading("run", lambda: _head_of_run(evidence, checkpoint, spine), lambda _: "")
    if later is None:
        return [read]
    context = RunContext(
        later,
        spine.leaf,
        spine.batch,
        spine.batch_index,
        spine.trust.runs_from,
        spine.signed,
        has_body="body" in spine.beside,
    )
    return [
        *check_run(evidence, context),
        *check_notaries(evidence.get("observed"), later, spine.leaf, spine.trust.notaries, spine.signed),
    ]


def _head_of_run(evidence: Members, checkpoint: Checkpoint, spine: Spine) -> Checkpoint:
    """The head that a run is under: the bundle's, or one that extends it."""
    head = evidence.get("head")
    if head is None:
        return checkpoint
    if spine.signed is None:
        raise Malformed("the signature of the bundle's checkpoint does not hold", "signature")
    return later_head_of(head["checkpoint"], head["consistency"], checkpoint, spine.signed, "the run")


def _check_body(member: Any, spine: Spine) -> list[Check]:
    name, leaf = "body", spine.leaf
    if member is None:
        return []
    if leaf is None:
        return [not_checked(name, "the leaf cannot be read", "unavailable")]

    def work() -> str:
        demand(states_reading(leaf), "a leaf without a reading has no body that says it", "contradiction")
        return said_in(member, _run_of_body(spine, leaf), leaf)

    return [check(name, work)]


def _run_of_body(spine: Spine, leaf: s.Document) -> s.Document:
    """The run that a body is of, under its head, if it has the value's row."""
    evidence = spine.beside.get("run", {})
    if "observed" not in evidence or spine.checkpoint is None:
        raise CouldNotLook("the run that read the body is not beside it")
    try:
        later = _head_of_run(evidence, spine.checkpoint, spine)
    except Malformed as fault:
        raise CouldNotLook("the run that read the body does not hold") from fault
    return run_with_row(evidence["observed"], later, leaf).run


def _check_agreement(member: Any, spine: Spine) -> list[Check]:
    if member is None or spine.checkpoint is None:
        return []
    return [check_agreed(member, spine.checkpoint, spine.signed, spine.leaf)]


#: In the order of their checks.
_KINDS: Mapping[str, _Kind] = {
    "absence": _Kind(1, ABSENCE, _check_absence),
    "excluded": _Kind(1, EXCLUDED, _check_excluded),
    "readings": _Kind(1, {"lines": s.list_of(s.TEXT)}, _check_readings),
    "keys": _Kind(1, _LOGGED_KEYS, _check_keys),
    "first-keys": _Kind(1, _FIRST_KEYS, lambda _member, _spine: []),
    "run": _Kind(1, _RUN, _check_run),
    "body": _Kind(1, BODY, _check_body),
    "agreement": _Kind(1, AGREED, _check_agreement),
}


def read_evidence(items: Any) -> tuple[dict[str, Any], list[tuple[str, int]]]:
    """Reads the list of a bundle of version 4: what is known by its kind, and the name and version of what is not."""
    demand(isinstance(items, list) and len(items) <= _MOST, f"`evidence` must be a list of at most {_MOST}")
    for item in items:
        demand(
            isinstance(item, dict)
            and isinstance(item.get("kind"), str)
            and _KIND.fullmatch(item["kind"]) is not None
            and s.ORDINAL.holds(item.get("v")),
            "each of `evidence` must have a `kind` in lower case and a `v`",
        )
    names = [item["kind"] for item in items]
    demand(len(set(names)) == len(names), "a kind of evidence is there twice")
    members: dict[str, Any] = {}
    unknown: list[tuple[str, int]] = []
    for item in items:
        name, rest = item["kind"], {key: value for key, value in item.items() if key not in ("kind", "v")}
        if name in _KINDS and _KINDS[name].v == item["v"]:
            members[name] = s.read_shape(f"the evidence {name}", rest, _KINDS[name].shape)
        else:
            unknown.append((name, item["v"]))
    return members, unknown


def parse_evidence(text: str) -> dict[str, Any]:
    """Reads what a service answers of a bundle of version 2 (`format=evidence`), by kind."""
    document = s.read_shape("the evidence", parse_json(text), _BESIDE)
    run = {name: document[name] for name in _RUN if name in document}
    return {
        **({"keys": document["logged_keys"]} if "logged_keys" in document else {}),
        **({"first-keys": document["first_keys"]} if "first_keys" in document else {}),
        **({"run": run} if run else {}),
        **({"agreement": document["agreement"]} if "agreement" in document else {}),
    }


def check_evidence(members: Members, unknown: list[tuple[str, int]], spine: Spine) -> list[Check]:
    """Each kind's checks of what a bundle has of it, and of what it lacks."""
    spine = replace(spine, beside=members)
    known = [one for name, kind in _KINDS.items() for one in kind.verify(members.get(name), spine)]
    return [
        *known,
        *(not_checked(f"evidence {name}", "this verifier does not know it", "newer") for name, _ in unknown),
    ]
