"""Cosignatures of witnesses (C2SP `tlog-cosignature`), of the Ed25519 form. Lines of the ML-DSA-44 form are passed over."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .ed25519 import verify_ed25519
from .encodings import utf8
from .faults import Malformed, demand
from .note import NoteKey, NoteSignature, parse_note_key
from .numbers import GREATEST_INTEGER

COSIGNATURE_TYPE = 4
_ML_DSA_TYPE = 6
_ML_DSA_KEY_LENGTH = 1312


@dataclass(frozen=True)
class Cosignature:
    """A cosignature that holds; `timestamp` is POSIX time in seconds, by the witness's clock."""

    cosigner: NoteKey
    timestamp: int


@dataclass(frozen=True)
class Quorum:
    """One witness, or at least `least` of `members`."""

    witness: NoteKey | None = None
    least: int = 0
    members: tuple[Quorum, ...] = ()

    def is_met(self, is_satisfied: Callable[[NoteKey], bool]) -> bool:
        if self.witness is not None:
            return is_satisfied(self.witness)
        return sum(member.is_met(is_satisfied) for member in self.members) >= self.least


def quorum_of(witnesses: Sequence[NoteKey], least: int) -> Quorum:
    """At least `least` of these witnesses."""
    demand(len({key.public_key for key in witnesses}) == len(witnesses), "a witness is given twice")
    return Quorum(least=least, members=tuple(Quorum(witness=key) for key in witnesses))


def parse_cosigner(text: str) -> NoteKey:
    """Parses a witness's verifier key, of type 0x04 or 0x06."""
    key = parse_note_key(text)
    if (key.type, len(key.public_key)) not in ((COSIGNATURE_TYPE, 32), (_ML_DSA_TYPE, _ML_DSA_KEY_LENGTH)):
        raise Malformed("a witness's verifier key must be of type 0x04 (Ed25519) or 0x06 (ML-DSA-44)")
    return key


def cosignatures_of(text: str, lines: Sequence[NoteSignature], cosigners: Sequence[NoteKey]) -> list[Cosignature]:
    """The cosignatures of these cosigners on a checkpoint's text, earliest first.

    Raises `Malformed` if a line of a known cosigner does not hold, because the note is then worthless.
    """
    found: list[Cosignature] = []
    for line in lines:
        named = (line.name, line.key_id)
        cosigner = next(
            (one for one in cosigners if one.type == COSIGNATURE_TYPE and (one.name, one.key_id) == named),
            None,
        )
        if cosigner is not None:
            found.append(_read(text, line.signature, cosigner))
    return sorted(found, key=lambda one: one.timestamp)


def _read(text: str, signed: bytes, cosigner: NoteKey) -> Cosignature:
    if len(signed) != 72:
        raise Malformed(f"a cosignature must be 72 bytes, not {len(signed)}")
    timestamp = int.from_bytes(signed[:8], "big")
    if timestamp > GREATEST_INTEGER:
        raise Malformed(f"a cosignature cannot be of the time {timestamp}")
    message = utf8(f"cosignature/v1\ntime {timestamp}\n{text}")
    demand(
        verify_ed25519(signed[8:], message, cosigner.public_key),
        f"the cosignature of {cosigner.name} does not verify",
        "signature",
    )
    return Cosignature(cosigner, timestamp)
