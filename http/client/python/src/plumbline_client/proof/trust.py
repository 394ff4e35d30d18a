"""Whom the reader trusts, and what follows: when a checkpoint was signed, who vouches for its key.

After "The keys", "The rotation of the log's key", "The cosignatures" and "The anchor".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from . import shape as s
from .check import Check, check, failed, not_checked, not_proved, reading
from .cosignature import COSIGNATURE_TYPE, Cosignature, Quorum, cosignatures_of
from .encodings import from_base64, sha256, utf8
from .faults import Malformed, demand
from .keys import KeyDocument, ServiceKey, is_demo_log, is_pinned, is_retired
from .leaf import CLOCK_TOLERANCE
from .log import demand_about, parse_entry
from .merkle import is_included
from .note import (
    Checkpoint,
    NoteKey,
    parse_checkpoint,
    parse_checkpoint_text,
    parse_note,
    parse_signature_line,
    verify_note,
)
from .ots import SHA256, Timestamp, TimestampVerdict, heights_of, parse_detached, verify_timestamp
from .rotation import Rotation, parse_rotation, rotation_subject
from .times import HOUR, epoch_ms

_TWO_HOURS = 2 * HOUR


@dataclass(frozen=True)
class NotaryPolicy:
    """Whose statements about upstreams count, and how many notaries must have carried what a value was read from."""

    notaries: tuple[NoteKey, ...]
    least: int = 1


@dataclass(frozen=True)
class Trust:
    """What a reader brings. `pins`: keys that the operator published elsewhere. `now`: epoch milliseconds."""

    pins: tuple[str, ...] = ()
    witnesses: tuple[NoteKey, ...] = ()
    quorum: Quorum | None = None
    notaries: NotaryPolicy | None = None
    #: The hour of the log's first document of runs, as the reader remembers it.
    runs_from: str | None = None
    #: Block headers that the reader trusts, by height.
    headers: Mapping[int, str] = field(default_factory=dict)
    network: str = "bitcoin"
    #: A block is required, by a header that the reader trusts.
    anchored: bool = False
    now: int | None = None


@dataclass(frozen=True)
class _Dated:
    """A time by which a note existed (epoch milliseconds), from somebody other than its signer."""

    by: int
    says: str


@dataclass(frozen=True)
class Signed:
    """The keys of a checkpoint, and the document that has them."""

    document: KeyDocument
    signers: tuple[ServiceKey, ...]


# The anchor.


def verify_anchor(
    anchor: s.Document, note: str, not_older_than: str | None, trust: Trust
) -> tuple[Check, TimestampVerdict | None]:
    """Checks that the anchor is of this note, and that no block is older than `not_older_than`."""
    name = "timestamp"
    still_open = not_proved if trust.anchored else not_checked
    status = anchor["status"]
    if "ots" not in anchor:
        if status == "none":
            return still_open(name, f"not anchored: {anchor.get('reason', 'no reason given')}"), None
        return failed(name, f"the bundle claims the anchor is {status}, but contains no proof", "missing"), None
    outcome, read = reading(name, lambda: _outcome_of(anchor, note, not_older_than, trust), lambda one: one.detail)
    if outcome is None:
        return read, None
    if outcome.block is not None:
        own = outcome.block.height not in trust.headers
        return (not_proved(name, read.detail) if own and trust.anchored else read), outcome
    if status not in ("confirmed", "final"):
        return still_open(name, outcome.detail), outcome
    detail = f"the bundle claims {status}, but {outcome.detail}"
    if outcome.status == "unchecked":
        return not_proved(name, detail, "unavailable"), outcome
    return failed(name, detail, "contradiction"), outcome


def _outcome_of(anchor: s.Document, note: str, not_older_than: str | None, trust: Trust) -> TimestampVerdict:
    demand(
        anchor["network"] == trust.network,
        f"the anchor is on {anchor['network']}, not {trust.network}; a test network proves no time",
        "origin",
    )
    detached = parse_detached(from_base64(anchor["ots"]))
    timestamp = detached.timestamp
    demand(
        detached.file_hash == SHA256 and timestamp.message == sha256(utf8(note)),
        "the timestamp does not cover the checkpoint's hash",
        "hash",
    )
    outcome = _by_headers(timestamp, anchor, trust)
    demand(outcome.status != "failed", outcome.detail, "hash")
    if outcome.block is not None:
        at = outcome.block.header.time * 1000
        demand(
            not_older_than is None or at >= epoch_ms(not_older_than) - _TWO_HOURS,
            "the block is older than the checkpoint it should contain",
            "time",
        )
        demand(
            trust.now is None or at <= trust.now + _TWO_HOURS,
            "the block is of a time that has not come yet",
            "time",
        )
    heights = heights_of(timestamp, trust.network)
    demand(
        "header" not in anchor or not heights or anchor["header"]["height"] in heights,
        "the bundle has the header of a block that its proof does not name",
        "contradiction",
    )
    return outcome


def _by_headers(timestamp: Timestamp, anchor: s.Document, trust: Trust) -> TimestampVerdict:
    """By the headers that the reader trusts, whatever block the anchor's own names; else by the anchor's own too."""
    outcome = verify_timestamp(timestamp, trust.headers, trust.network)
    if outcome.status != "unchecked" or "header" not in anchor:
        return outcome
    own = anchor["header"]
    return verify_timestamp(timestamp, {own["height"]: own["hex"], **trust.headers}, trust.network)


# Who signed a checkpoint.


def signers_of(note: str, document: KeyDocument, simulated: bool | None = None) -> tuple[ServiceKey, ...]:
    """The log keys in the document that signed the checkpoint; the log is the demo's exactly if `simulated`."""
    parsed = parse_note(note)
    origin = parse_checkpoint_text(parsed.text).origin
    demand(
        origin == document.origin,
        f"the checkpoint belongs to {origin}, but the keys belong to {document.origin}",
        "origin",
    )
    demand(
        simulated is None or simulated == is_demo_log(origin),
        "the batch and its log disagree on whether they are simulated",
        "contradiction",
    )
    signed = verify_note(parsed, [key.verifier for key in document.log if key.verifier is not None])
    if signed is None:
        raise Malformed("a service signature on the checkpoint does not verify", "signature")
    keys = tuple(key for key in document.log if key.verifier in signed)
    demand(len(keys) > 0, "no log key in the document signed the checkpoint", "signature")
    return keys


def pins_of(pins: Sequence[str], kept: str | None, document: KeyDocument) -> tuple[str, ...]:
    """The keys that the reader trusts: those given, else those that signed a checkpoint that he kept."""
    if kept is None or pins:
        return tuple(pins)
    try:
        return tuple(key.kid for key in signers_of(kept, document))
    except Malformed:
        return ()


def check_fresh(time: str | None, not_before: str) -> Check:
    """Checks that a checkpoint is at least as new as a time; `time` is one that it cannot be older than."""
    name = "checkpoint not stale"
    if time is None:
        return not_checked(name, "nothing says how old the checkpoint is", "unavailable")

    def work() -> str:
        demand(epoch_ms(time) >= epoch_ms(not_before), f"stale: of {time}, not at or after {not_before}", "time")
        return f"not older than {time}"

    return check(name, work)


def check_kept(checkpoint: Checkpoint, kept: str) -> Check:
    """Checks a checkpoint against a kept one of the same size. Comparing different sizes takes the log."""
    name = "kept checkpoint"

    def work() -> Checkpoint:
        earlier = parse_checkpoint(kept)
        demand(
            earlier.origin == checkpoint.origin,
            f"the kept checkpoint belongs to another log, {earlier.origin}",
            "origin",
        )
        demand(
            earlier.size != checkpoint.size or earlier.root == checkpoint.root,
            f"two different roots for {earlier.size} entries: the log shows different histories",
            "contradiction",
        )
        return earlier

    earlier, read = reading(name, work, lambda one: f"the same root for {one.size} entries")
    if earlier is None or earlier.size == checkpoint.size:
        return read
    return not_checked(name, f"it covers {earlier.size} entries, the bundle's {checkpoint.size}")


# Whether its key was in use, and who vouches for it.


def signer_checks(
    note: str,
    cosignatures: Sequence[str],
    outcome: TimestampVerdict | None,
    not_older_than: str | None,
    signed: Signed,
    trust: Trust,
) -> list[Check]:
    """The checks of a key that signed a checkpoint, and of the witnesses that the reader named."""
    document = signed.document
    # During a rotation two keys sign: the one that the reader gave decides, else the newer.
    given = (key for key in signed.signers if is_pinned(key, trust.pins, document.origin))
    newest = sorted(signed.signers, key=lambda key: -epoch_ms(key.not_before))
    key = next(given, newest[0])

    def work() -> list[Cosignature]:
        found = _cosigned(note, cosignatures, trust)
        if not is_demo_log(document.origin):
            for one in found:
                _demand_possible(one, not_older_than, trust.now)
        return found

    found, read = reading("witnesses", work, lambda _: "")
    dated = _date_of(document.origin, outcome, found or [])
    return [
        _in_use(key, document.origin, dated, trust),
        _vouched(key, document, trust),
        *([read] if found is None else _quorum_checks(found, trust)),
    ]


def _cosigned(note: str, cosignatures: Sequence[str], trust: Trust) -> list[Cosignature]:
    """The cosignatures of trusted witnesses, in the note or beside it, earliest first."""
    parsed = parse_note(note)
    lines = [*parsed.signatures, *map(parse_signature_line, cosignatures)]
    return cosignatures_of(parsed.text, lines, trust.witnesses)


def _demand_possible(one: Cosignature, not_older_than: str | None, now: int | None) -> None:
    at = one.timestamp * 1000
    demand(
        not_older_than is None or at >= epoch_ms(not_older_than) - CLOCK_TOLERANCE,
        f"{one.cosigner.name} cosigned before the batch in it was closed",
        "time",
    )
    demand(
        now is None or at <= now + CLOCK_TOLERANCE,
        f"{one.cosigner.name} cosigned at a time that has not come yet",
        "time",
    )


def _date_of(origin: str, outcome: TimestampVerdict | None, cosignatures: Sequence[Cosignature]) -> _Dated | None:
    """By which time a note existed: the block over it, else the earliest cosignature, which has no clock of a demo."""
    if outcome is not None and outcome.block is not None:
        return _Dated(outcome.block.header.time * 1000, f"block {outcome.block.height}")
    if not cosignatures or is_demo_log(origin):
        return None
    return _Dated(cosignatures[0].timestamp * 1000, f"the cosignature of {cosignatures[0].cosigner.name}")


def _in_use(key: ServiceKey, origin: str, dated: _Dated | None, trust: Trust) -> Check:
    name = "key in use"
    if dated is None:
        return _in_use_undated(key, origin, trust)
    if key.not_after is not None and dated.by > epoch_ms(key.not_after):
        return not_proved(name, f"key {key.kid} was retired at {key.not_after}, before {dated.says}", "time")

    def work() -> str:
        demand(
            dated.by >= epoch_ms(key.not_before) - _TWO_HOURS,
            f"key {key.kid} came into use at {key.not_before}, after {dated.says}",
            "time",
        )
        return f"key {key.kid} was in use by {dated.says}"

    return check(name, work)


def _in_use_undated(key: ServiceKey, origin: str, trust: Trust) -> Check:
    name = "key in use"
    # The reader's clock does not end a key of a demo: its own document does.
    now = None if is_demo_log(origin) else trust.now
    if is_retired(key, now):
        return not_proved(
            name, f"key {key.kid} was retired at {key.not_after}, and nothing dates the checkpoint", "time"
        )

    def work() -> str:
        begun = now is None or epoch_ms(key.not_before) <= now + CLOCK_TOLERANCE
        demand(
            key.status != "announced" and begun,
            f"key {key.kid} is announced, but not in use before {key.not_before}",
            "time",
        )
        return f"key {key.kid} is in use since {key.not_before}, by the operator's word"

    return check(name, work)


def _quorum_checks(cosignatures: Sequence[Cosignature], trust: Trust) -> list[Check]:
    """Whether the witnesses of the reader's quorum cosigned; nothing if he named no witness."""
    if trust.quorum is None and not trust.witnesses:
        return []
    cosigners = [one.cosigner for one in cosignatures]
    text = f"cosigned by {', '.join(one.name for one in cosigners) or 'none of the given witnesses'}"
    is_met = trust.quorum is None or trust.quorum.is_met(lambda witness: witness in cosigners)
    unread = [witness.name for witness in trust.witnesses if witness.type != COSIGNATURE_TYPE]
    met = (
        Check("witnesses", True, text)
        if is_met
        else not_proved("witnesses", f"{text}: too few for the quorum")
    )
    if not unread:
        return [met]
    detail = f"those of {', '.join(unread)}: this verifier does not know the algorithm, and counts none"
    return [met, not_checked("ML-DSA-44 cosignatures", detail, "newer")]


def unvouched(kid: str) -> Check:
    """What a key needs if the reader gave none."""
    return not_proved(
        "operator's key",
        f"nobody vouches for key {kid}: it comes from the same source as the data; get the operator's key elsewhere",
        "key",
    )


def _vouched(key: ServiceKey, document: KeyDocument, trust: Trust) -> Check:
    """Checks that the reader gave the key, or that a rotation leads to it from one that he gave."""
    name = "operator's key"

    def is_given(one: ServiceKey) -> bool:
        return is_pinned(one, trust.pins, document.origin)

    if any(map(is_given, document.answers)) and not any(map(is_given, document.log)):
        return not_proved(name, f"the given key signs answers, and key {key.kid} signs the log", "key")
    lacks: list[str] = []

    def work() -> str:
        rotations = _successions(document)
        if not trust.pins:
            return ""
        if is_given(key):
            return f"signed with the given key {key.kid}"
        at, steps = key, 0
        while not is_given(at):
            at = _predecessor(at, document, rotations, trust, lacks, steps)
            steps += 1
        return f"signed with key {key.kid}, the successor of the given key {at.kid}"

    vouching = check(name, work)
    if vouching.ok is True and not trust.pins:
        return unvouched(key.kid)
    if vouching.ok is True and lacks:
        return not_proved(name, f"{vouching.detail}: {lacks[0]}", "key")
    return vouching


def _predecessor(
    at: ServiceKey,
    document: KeyDocument,
    rotations: Sequence[tuple[s.Document, Rotation]],
    trust: Trust,
    lacks: list[str],
    steps: int,
) -> ServiceKey:
    """The key whose rotation leads to this one. What nothing dates is added to `lacks`."""
    found = next((one for one in rotations if one[1].new == at.verifier), None)
    before = None if found is None else next((key for key in document.log if key.verifier == found[1].old), None)
    if found is None or before is None or steps >= len(rotations):
        raise Malformed(
            f"signed with key {at.kid}, which is not one of the given keys, and no rotation leads to it from one",
            "key",
        )
    proof, rotation = found
    demand(
        before.not_after is not None
        and epoch_ms(before.not_after) == epoch_ms(rotation.document["not_after"])
        and epoch_ms(at.not_before) == epoch_ms(rotation.document["not_before"]),
        "the key document and the rotation disagree on when the keys were in use",
        "contradiction",
    )
    _demand_logged(proof, rotation)
    lack = _undated(proof, rotation, trust)
    if lack is not None:
        lacks.append(lack)
    return before


def _successions(document: KeyDocument) -> list[tuple[s.Document, Rotation]]:
    """The rotations of the document, with their verified notes. No key has two successors."""
    found = [(proof, parse_rotation(proof["document"])) for proof in document.rotations]
    successors: dict[str, str] = {}
    for _, rotation in found:
        old, new = rotation.document["old"], rotation.document["new"]
        demand(successors.get(old, new) == new, f"the key {old} names two successors", "key")
        successors[old] = new
    return found


def _demand_logged(proof: s.Document, rotation: Rotation) -> None:
    """Raises `Malformed` unless the log holds the rotation, under a checkpoint that the old key signed."""
    entry = parse_entry(proof["entry"])
    demand_about(
        entry,
        rotation.document,
        "rotation",
        rotation_subject(rotation),
        proof["document"],
        "the rotation's note",
    )
    note = parse_note(proof["checkpoint"])
    checkpoint = parse_checkpoint_text(note.text)
    demand(
        checkpoint.origin == rotation.document["origin"] and checkpoint.size == proof["size"],
        "the rotation's checkpoint is of another log, or of another size than its proof",
        "contradiction",
    )
    demand(
        verify_note(note, [rotation.old]) == [rotation.old],
        "the rotation's checkpoint is not signed by the old key",
        "signature",
    )
    demand(
        is_included(proof["entry"], proof, checkpoint.root),
        "the inclusion proof does not lead from the rotation's entry to its checkpoint",
        "hash",
    )


def _undated(proof: s.Document, rotation: Rotation, trust: Trust) -> str | None:
    """Why a rotation that is in the log is not proved, None if it is."""
    anchored, outcome = verify_anchor(proof["anchor"], proof["checkpoint"], None, trust)
    demand(
        anchored.ok is not False,
        f"the anchor of the rotation's checkpoint: {anchored.detail}",
        anchored.reason or "form",
    )
    cosigned = _cosigned(proof["checkpoint"], proof.get("cosignatures", []), trust)
    dated = _date_of(rotation.document["origin"], outcome, cosigned)
    if dated is None:
        return "neither a block nor a given witness says that the rotation was made before the old key's end"
    demand(
        dated.by <= epoch_ms(rotation.document["not_after"]),
        f"the rotation is dated by {dated.says}, after the old key's end",
        "time",
    )
    return None
