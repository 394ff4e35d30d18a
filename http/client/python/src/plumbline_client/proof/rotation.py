"""The rotation of the log's key, after "The rotation of the log's key": one line of canonical JSON, signed by both keys."""

from __future__ import annotations

from dataclasses import dataclass

from . import shape as s
from .encodings import sha256, to_base64url
from .faults import Malformed
from .json_text import parse_canonical
from .note import NoteKey, parse_note, parse_vkey, verify_note
from .times import DAY, epoch_ms

_TAG = "service-rotation-v1"
_OVERLAP = 30 * DAY

_SHAPE = {
    "v": s.tag_of(_TAG),
    "origin": s.NAME,
    "old": s.NAME,
    "new": s.NAME,
    "not_before": s.TIME,
    "not_after": s.TIME,
    "simulated": s.TRUE_OR_ABSENT,
}


@dataclass(frozen=True)
class Rotation:
    """A rotation whose two signatures hold."""

    document: s.Document
    old: NoteKey
    new: NoteKey


def thumbprint(public_key: bytes) -> str:
    """The kid of an Ed25519 key: its RFC 7638 thumbprint."""
    return to_base64url(sha256(f'{{"crv":"Ed25519","kty":"OKP","x":"{to_base64url(public_key)}"}}'.encode()))


def parse_rotation(note: str) -> Rotation:
    """Parses the note and checks both signatures."""
    parsed = parse_note(note)
    lines = parsed.text.split("\n")
    if len(lines) != 2 or lines[1] != "":
        raise Malformed("a rotation's text must be one line")
    document = s.read_shape("a rotation", parse_canonical(lines[0]), _SHAPE)
    s.check_tag(document, _TAG)
    old, new = parse_vkey(document["old"]), parse_vkey(document["new"])
    if old.name != document["origin"] or new.name != document["origin"]:
        raise Malformed("a rotation's keys must be named after the log's origin")
    if document["old"] == document["new"]:
        raise Malformed("a rotation must name two different keys")
    if epoch_ms(document["not_after"]) - epoch_ms(document["not_before"]) != _OVERLAP:
        raise Malformed("a rotation's not_after must be 30 days after its not_before")
    signers = verify_note(parsed, [old, new])
    if len(parsed.signatures) != 2 or signers is None or len(signers) != 2:
        raise Malformed("a rotation must be signed by the old key and by the new key, and by no other", "signature")
    return Rotation(document, old, new)


def rotation_subject(rotation: Rotation) -> str:
    """Subject of the rotation's log entry: the new key's kid."""
    return thumbprint(rotation.new.public_key)
