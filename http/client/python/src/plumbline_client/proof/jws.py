"""Statements that are signed as they stand: compact JWS of canonical JSON, and documents with `kid` and `signature` beside them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from . import shape as s
from .answer import parse_signature
from .ed25519 import verify_ed25519
from .encodings import from_base64url, from_utf8, utf8
from .faults import Malformed
from .json_text import canonical, parse_canonical

_HEADER = {"alg": s.one_of("EdDSA"), "kid": s.NAME}
_KID = re.compile(r"did:web:([^#:/]+(?::[^#:/]+)*)#([A-Za-z0-9_-]{43})")


@dataclass(frozen=True)
class SignedStatement:
    """What somebody signed, by which key. `place`: of a JWS, the host of the key and the path below it."""

    document: Any
    kid: str
    signature: bytes
    message: bytes
    place: str = ""

    def is_signed_by(self, public_key: bytes) -> bool:
        return verify_ed25519(self.signature, self.message, public_key)


def read_jws(text: str) -> SignedStatement:
    """Takes a compact JWS apart (RFC 7515), whose `kid` is a `did:web` URL of a key."""
    parts = text.split(".")
    if len(parts) != 3 or parts[2] == "":
        raise Malformed("a JWS must have three parts, separated by dots")
    head, body, mark = parts
    header = s.read_shape("a JWS header", parse_canonical(from_utf8(from_base64url(head))), _HEADER)
    named = _KID.fullmatch(header["kid"])
    if named is None:
        raise Malformed("a JWS header's kid must be did:web:<host, or host:path>#<thumbprint of the key>")
    signature = from_base64url(mark, 64)
    payload = parse_canonical(from_utf8(from_base64url(body)))
    place = named[1].replace(":", "/").replace("%3A", ":", 1)
    return SignedStatement(payload, named[2], signature, utf8(f"{head}.{body}"), place)


def read_signed(what: str, value: Any, read: Callable[[Any], s.Document]) -> SignedStatement:
    """A served document with `kid` and `signature`, over the canonical JSON of its other members."""
    if not isinstance(value, dict):
        raise Malformed(f"{what} must be an object")
    kid, signature = value.get("kid"), value.get("signature")
    if not isinstance(kid, str) or not isinstance(signature, str):
        raise Malformed(f"{what} must have `kid` and `signature`")
    document = read({name: member for name, member in value.items() if name not in ("kid", "signature")})
    return SignedStatement(document, kid, parse_signature(signature), utf8(canonical(document)))
