"""The service's public-key document, after "The keys": a JWK set in which each key has one purpose; and the log's own of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cmp_to_key
from typing import Any

from . import shape as s
from .encodings import from_base64url, from_hex, to_base64url
from .faults import Malformed, demand
from .json_text import canonical, parse_canonical
from .log import demand_about, demand_under, parse_entry
from .merkle import PROOF_SHAPE
from .note import ED25519_TYPE, Checkpoint, NoteKey, note_key_of, parse_vkey
from .rotation import parse_rotation, thumbprint
from .times import epoch_ms, is_time

ANCHOR = s.nested(
    "anchor",
    {
        "network": s.one_of("bitcoin", "bitcoin-regtest-fixture"),
        "status": s.one_of("none", "pending", "confirmed", "final"),
        "reason": s.optional(s.TEXT),
        "ots": s.optional(s.TEXT),
        "header": s.optional(s.nested("header", {"height": s.COUNT, "hex": s.TEXT})),
    },
)

_ROTATIONS = s.list_of(
    s.nested(
        "a rotation",
        {
            **PROOF_SHAPE,
            "document": s.TEXT,
            "entry": s.TEXT,
            "checkpoint": s.TEXT,
            "cosignatures": s.optional(s.list_of(s.TEXT)),
            "anchor": ANCHOR,
        },
    )
)
_PROMISE = s.nested("promise", {"batch_within_hours": s.ORDINAL})

_LOGGED_TAG = "service-keys-v1"
_LOGGED = {
    "v": s.tag_of(_LOGGED_TAG),
    "n": s.ORDINAL,
    "checkpoint_origin": s.NAME,
    "keys": s.list_of(s.ANYTHING),
    "rotations": s.list_of(s.TEXT),
    "simulated": s.TRUE_OR_ABSENT,
}


@dataclass(frozen=True)
class ServiceKey:
    """A key of the service. `status` is None in the log's own document, since the clock alone changes it."""

    purpose: str
    kid: str
    public_key: bytes
    announced_at: str
    not_before: str
    not_after: str | None
    status: str | None = None
    #: As a verifier of checkpoints, of a key for the log.
    verifier: NoteKey | None = None

    @property
    def name(self) -> str:
        """One key may have both purposes."""
        return f"{self.purpose} {self.kid}"


@dataclass(frozen=True)
class KeyDocument:
    """`answers`: keys that sign answers, the current one first. `log`: keys that sign checkpoints."""

    answers: tuple[ServiceKey, ...]
    log: tuple[ServiceKey, ...]
    origin: str
    rotations: tuple[s.Document, ...]


@dataclass(frozen=True)
class LoggedKeys:
    """The document of keys that the log has."""

    n: int
    origin: str
    keys: tuple[ServiceKey, ...]
    rotations: tuple[str, ...]
    simulated: bool


def is_demo_log(origin: str) -> bool:
    """True for the log of a demo, which has simulated data and a clock of its own."""
    return origin.endswith("/demo")


def parse_key_document(value: Any) -> KeyDocument:
    """Parses a served key document, as parsed JSON. Raises `Malformed` if it contradicts itself."""
    members = value.get("keys") if isinstance(value, dict) else None
    if not isinstance(members, list) or not members:
        raise Malformed("a key document must be an object with a non-empty list `keys`")
    origin = value.get("checkpoint_origin")
    if not isinstance(origin, str):
        raise Malformed("a key document must have a `checkpoint_origin`")
    if not _ROTATIONS.holds(value.get("rotations")):
        raise Malformed("a key document must have a list `rotations`, which may be empty")
    if not _PROMISE.holds(value.get("promise")):
        raise Malformed("a key document must have a `promise`")
    keys = [_served_key(member, origin) for member in members]
    by_purpose = [tuple(key for key in keys if key.purpose == purpose) for purpose in ("answers", "log")]
    for of_purpose in by_purpose:
        if len({key.kid for key in of_purpose}) != len(of_purpose):
            raise Malformed("the key document lists a key twice for one purpose")
    answers, log = by_purpose
    return KeyDocument(answers, log, origin, tuple(value["rotations"]))


def _served_key(member: Any, origin: str) -> ServiceKey:
    key = _lasting_key(member)
    status = member["status"] if "status" in member else None
    if status not in ("announced", "current", "retired"):
        raise Malformed("a key's status must be one of announced, current, retired")
    if status == "retired" and key.not_after is None:
        raise Malformed("a retired key must have a not_after")
    verifier = None
    if key.purpose == "log":
        verifier = _verifier_in(member, key, origin)
    elif "vkey" in member:
        raise Malformed("a key that signs answers must not have a vkey")
    return ServiceKey(
        key.purpose,
        key.kid,
        key.public_key,
        key.announced_at,
        key.not_before,
        key.not_after,
        status,
        verifier,
    )


def _lasting_key(member: Any) -> ServiceKey:
    """What a key is at any time."""
    if not isinstance(member, dict):
        raise Malformed("a key must be an object")
    x, public_hex, purpose = member.get("x"), member.get("public_key_hex"), member.get("purpose")
    if member.get("kty") != "OKP" or member.get("crv") != "Ed25519":
        raise Malformed("a key must have kty OKP and crv Ed25519")
    if not isinstance(x, str) or not isinstance(public_hex, str):
        raise Malformed("a key must have x and public_key_hex")
    if purpose not in ("answers", "log"):
        raise Malformed("a key's purpose must be one of answers, log")
    announced_at: Any = member.get("announced_at")
    not_before: Any = member.get("not_before")
    # One that is missing is not null.
    not_after: Any = member.get("not_after", "")
    if not is_time(announced_at) or not is_time(not_before):
        raise Malformed("a key's announced_at and not_before must be ISO 8601 in UTC")
    if not_after is not None and not is_time(not_after):
        raise Malformed("a key's not_after must be ISO 8601 in UTC, or null while it is in use")
    if not_after is not None and epoch_ms(not_after) < epoch_ms(not_before):
        raise Malformed("a key's not_after must not be before its not_before")
    public_key = from_hex(public_hex, 32)
    if public_key != from_base64url(x, 32):
        raise Malformed("a key's x and public_key_hex must be the same key")
    kid = thumbprint(public_key)
    if member.get("kid") != kid:
        raise Malformed("a key's kid must be its RFC 7638 thumbprint")
    return ServiceKey(purpose, kid, public_key, announced_at, not_before, not_after)


def _verifier_in(member: dict[str, Any], key: ServiceKey, origin: str) -> NoteKey:
    text = member.get("vkey")
    if not isinstance(text, str):
        raise Malformed("a key of the log must have a vkey")
    verifier = parse_vkey(text)
    if verifier.public_key != key.public_key:
        raise Malformed("a key's vkey and public_key_hex must be the same key")
    if verifier.name != origin:
        raise Malformed("a key's vkey must be named after checkpoint_origin")
    return verifier


def lack_of_use(key: ServiceKey, at: int, says: str) -> str | None:
    """Why a key could not have signed at a time, None if it could: it is valid from `not_before` to `not_after`."""
    if at < epoch_ms(key.not_before):
        return f"key {key.kid} came into use at {key.not_before}, after the signing time {says}"
    if key.not_after is not None and at > epoch_ms(key.not_after):
        return f"key {key.kid} was retired at {key.not_after}, before the signing time {says}"
    return None


def is_retired(key: ServiceKey, now: int | None) -> bool:
    """True if the key has ended, by its document or by the clock (epoch milliseconds)."""
    ended = now is not None and key.not_after is not None and now > epoch_ms(key.not_after)
    return key.status == "retired" or ended


def is_pinned(key: ServiceKey, pins: Sequence[str], origin: str) -> bool:
    """True if one of the pins (kid, hex key, or verifier key of the log at `origin`) identifies this key."""
    return any(pin in (key.kid, key.public_key.hex(), _vkey_of(key, origin)) for pin in pins)


def _vkey_of(key: ServiceKey, origin: str) -> str:
    return note_key_of(origin, ED25519_TYPE, key.public_key).text


def parse_logged_keys(text: str) -> LoggedKeys:
    """Parses the log's document of keys: canonical JSON, its keys in order, with the members of a key and no other."""
    read = s.read_shape("a document of keys", parse_canonical(text), _LOGGED)
    s.check_tag(read, _LOGGED_TAG)
    origin, rotations = read["checkpoint_origin"], tuple(read["rotations"])
    keys = tuple(map(_lasting_key, read["keys"]))
    demand(len(keys) > 0, "a document of keys must not be empty")
    demand(len({key.name for key in keys}) == len(keys), "a document of keys lists a key twice for one purpose")
    signed = [parse_rotation(note).document for note in rotations]
    for rotation in signed:
        _demand_listed(origin, keys, rotation)
    demand(
        len({rotation["old"] for rotation in signed}) == len(signed),
        "a key names two successors: the first rotation is final",
    )
    in_order = sorted(keys, key=cmp_to_key(_by_age))
    written = canonical(
        {
            "v": f"{_LOGGED_TAG}-demo" if is_demo_log(origin) else _LOGGED_TAG,
            "n": read["n"],
            "checkpoint_origin": origin,
            "keys": [_lasting_member(key, origin) for key in in_order],
            "rotations": list(rotations),
            **({"simulated": True} if is_demo_log(origin) else {}),
        }
    )
    if written != text:
        raise Malformed("a document of keys must have its keys in order, with the members of a key and no other")
    return LoggedKeys(read["n"], origin, keys, rotations, is_demo_log(origin))


def _by_age(a: ServiceKey, b: ServiceKey) -> int:
    first = (epoch_ms(a.not_before), epoch_ms(a.announced_at), a.name)
    second = (epoch_ms(b.not_before), epoch_ms(b.announced_at), b.name)
    return -1 if first < second else 1


def _lasting_member(key: ServiceKey, origin: str) -> dict[str, Any]:
    return {
        "kty": "OKP",
        "crv": "Ed25519",
        "alg": "EdDSA",
        "use": "sig",
        "kid": key.kid,
        "x": to_base64url(key.public_key),
        "public_key_hex": key.public_key.hex(),
        "purpose": key.purpose,
        **({"vkey": _vkey_of(key, origin)} if key.purpose == "log" else {}),
        "announced_at": key.announced_at,
        "not_before": key.not_before,
        "not_after": key.not_after,
    }


def _demand_listed(origin: str, keys: Sequence[ServiceKey], rotation: s.Document) -> None:
    """A rotation's note names keys of the list, with their periods."""
    demand(
        rotation["origin"] == origin,
        f"a rotation is of the log {rotation['origin']}, the keys are of {origin}",
    )
    old, new = (_named(keys, rotation[member]) for member in ("old", "new"))
    demand(
        old.not_after == rotation["not_after"] and new.not_before == rotation["not_before"],
        "the list and a rotation disagree on when the keys are in use",
    )


def _named(keys: Sequence[ServiceKey], vkey: str) -> ServiceKey:
    name = f"log {thumbprint(parse_vkey(vkey).public_key)}"
    found = next((key for key in keys if key.name == name), None)
    if found is None:
        raise Malformed(f"a rotation names the key for {name}, which is not in the list")
    return found


def read_logged_keys(logged: s.Document, checkpoint: Checkpoint) -> LoggedKeys:
    """The document of keys beside a bundle, if the log has it under the checkpoint."""
    entry = parse_entry(logged["entry"])
    document = parse_logged_keys(logged["document"])
    said = {"simulated": True} if document.simulated else {}
    demand_about(entry, said, "keys", str(document.n), logged["document"], "the document of keys")
    demand(
        document.origin == checkpoint.origin,
        f"the document of keys is of the log {document.origin}, the checkpoint of {checkpoint.origin}",
        "origin",
    )
    demand_under(logged, checkpoint, "the keys")
    return document


def demand_served(logged: LoggedKeys, served: KeyDocument) -> None:
    """Raises `Malformed` unless what the log has of the keys is in the served document: keys, beginnings, ends, rotations."""
    demand(served.origin == logged.origin, f"it is of the log {served.origin}, not of {logged.origin}", "origin")
    for key in logged.keys:
        now = next((one for one in (*served.answers, *served.log) if one.name == key.name), None)
        if now is None:
            raise Malformed(f"the key for {key.name} is gone", "contradiction")
        demand(
            (now.announced_at, now.not_before) == (key.announced_at, key.not_before),
            f"the key for {key.name} began at {key.not_before}; now it says {now.not_before}",
            "contradiction",
        )
        demand(
            key.not_after is None or now.not_after == key.not_after,
            f"the key for {key.name} ends at {key.not_after}; now it says {now.not_after}",
            "contradiction",
        )
    documents = [rotation["document"] for rotation in served.rotations]
    for note in logged.rotations:
        demand(note in documents, "a rotation is gone", "contradiction")


def demand_known(logged: LoggedKeys, signers: Sequence[ServiceKey]) -> None:
    """Raises `Malformed` unless the logged document knows each key that signed the checkpoint."""
    kids = [key.kid for key in logged.keys if key.purpose == "log"]
    for signer in signers:
        demand(
            signer.kid in kids,
            f"key {signer.kid} signed the checkpoint, and the document of keys in the log lacks it",
            "key",
        )
