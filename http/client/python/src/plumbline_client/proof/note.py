"""Signed notes (C2SP `signed-note`), verifier keys, and checkpoints (C2SP `tlog-checkpoint`), which commit to a whole log."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from .ed25519 import verify_ed25519
from .encodings import from_base64, sha256, to_base64, utf8
from .faults import Malformed
from .numbers import GREATEST_INTEGER

ED25519_TYPE = 1
_MOST_SIGNATURES = 100

# What ECMAScript calls white space, and control characters.
_KEY_NAME = re.compile("[^+\x00-\x20\x7f-\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]+")
_CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f]")
_SIZE = re.compile(r"0|[1-9][0-9]{0,15}")


@dataclass(frozen=True)
class NoteKey:
    """A verifier key: the name, the first 4 bytes of SHA-256(name, 0x0a, type, key), the signature type and the key."""

    name: str
    key_id: bytes
    type: int
    public_key: bytes

    @property
    def text(self) -> str:
        return f"{self.name}+{self.key_id.hex()}+{to_base64(bytes([self.type]) + self.public_key)}"


@dataclass(frozen=True)
class NoteSignature:
    name: str
    key_id: bytes
    signature: bytes


@dataclass(frozen=True)
class Note:
    """The signed text, ending in a newline, and its signature lines."""

    text: str
    signatures: tuple[NoteSignature, ...]


@dataclass(frozen=True)
class Checkpoint:
    origin: str
    size: int
    root: bytes


def note_key_of(name: str, key_type: int, public_key: bytes) -> NoteKey:
    key_id = sha256(utf8(f"{name}\n") + bytes([key_type]) + public_key)[:4]
    return NoteKey(name, key_id, key_type, public_key)


def parse_note_key(text: str) -> NoteKey:
    """Parses a verifier key of any type."""
    # Base64 may contain plus signs.
    name, _, rest = text.partition("+")
    key_id, _, encoded = rest.partition("+")
    typed = from_base64(encoded)
    if _KEY_NAME.fullmatch(name) is None or not typed:
        raise Malformed("a verifier key must be <name>+<key id>+<base64 of type and key>")
    key = note_key_of(name, typed[0], typed[1:])
    if key.key_id.hex() != key_id:
        raise Malformed("the verifier key's id does not match its name and key")
    return key


def parse_vkey(text: str) -> NoteKey:
    """Parses the verifier key of a log or notary, which signs with Ed25519 (type 0x01)."""
    key = parse_note_key(text)
    if key.type != ED25519_TYPE or len(key.public_key) != 32:
        raise Malformed("a log's verifier key must be <name>+<key id>+<Ed25519 key of type 0x01>")
    return key


def parse_note(note: str) -> Note:
    """Reads a note strictly: its text, an empty line, and one or more signature lines."""
    utf8(note)
    if _CONTROL.search(note) is not None:
        raise Malformed("a note must not contain control characters other than newline")
    split = note.rfind("\n\n")
    if split < 0 or not note.endswith("\n"):
        raise Malformed("a note must end in an empty line and signature lines")
    lines = note[split + 2 : -1].split("\n")
    if len(lines) > _MOST_SIGNATURES:
        raise Malformed(f"a note must have at most {_MOST_SIGNATURES} signatures, not {len(lines)}")
    return Note(note[: split + 1], tuple(map(parse_signature_line, lines)))


def parse_signature_line(line: str) -> NoteSignature:
    """Reads one signature line, without its newline."""
    parts = line.split(" ")
    if len(parts) != 3 or parts[0] != "\u2014" or _KEY_NAME.fullmatch(parts[1]) is None:
        raise Malformed("a signature line must be an em dash, a key name and base64")
    signed = from_base64(parts[2])
    if len(signed) < 5:
        raise Malformed("a note signature must be a 4-byte key id and a signature")
    return NoteSignature(parts[1], signed[:4], signed[4:])


def verify_note(note: Note, keys: Sequence[NoteKey]) -> list[NoteKey] | None:
    """The keys whose signature on the note is valid. Passes over lines of unknown keys.

    None if a line of a known key does not verify, because the note is then worthless.
    """
    text = utf8(note.text)
    signers: list[NoteKey] = []
    for line in note.signatures:
        key = next((one for one in keys if one.name == line.name and one.key_id == line.key_id), None)
        if key is None:
            continue
        if not verify_ed25519(line.signature, text, key.public_key):
            return None
        if key not in signers:
            signers.append(key)
    return signers


def parse_checkpoint_text(text: str) -> Checkpoint:
    """Parses the text of a checkpoint of ours: exactly three lines, because nobody can audit a further one."""
    lines = text.split("\n")
    if lines.pop() != "" or len(lines) < 3 or "" in lines:
        raise Malformed("a checkpoint must be at least three non-empty lines, each ending in a newline")
    origin, size, root, *more = lines
    if _SIZE.fullmatch(size) is None or int(size) > GREATEST_INTEGER:
        raise Malformed("a checkpoint's second line must be the tree size in decimal")
    checkpoint = Checkpoint(origin, int(size), from_base64(root, 32))
    if more:
        raise Malformed("a checkpoint must be exactly three lines")
    return checkpoint


def parse_checkpoint(note: str) -> Checkpoint:
    """The checkpoint of a signed note, whoever signed it."""
    return parse_checkpoint_text(parse_note(note).text)
