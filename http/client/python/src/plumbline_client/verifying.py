"""Verifies answers: the service's own signature, and the standard one (RFC 9421), which also covers query and status."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any
from urllib.parse import urlsplit

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from .errors import ForgedAnswer, UnprovedAnswer

KEYS_PATH = "/.well-known/service-signing-key.json"

#: Problems that state no data, by status. The service sends them unsigned, so they prove nothing.
_UNSIGNED = {
    400: "bad-request",
    401: "key-unknown",
    404: "not-found",
    405: "method-not-allowed",
    429: "too-many-requests",
}

_COVERED = (
    '"@status"',
    '"content-type"',
    '"unencoded-digest"',
    '"x-service-timestamp"',
    '"@method";req',
    '"@authority";req',
    '"@path";req',
    '"@query";req',
)

_TIMESTAMP = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z")


@dataclass(frozen=True)
class Request:
    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes | None = None


@dataclass(frozen=True)
class Answer:
    """An answer as it came; `body` is after content decoding, names of headers are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Key:
    kid: str
    public: bytes
    not_before: datetime
    not_after: datetime | None
    retired: bool


def _time(text: Any) -> datetime:
    if not isinstance(text, str) or not text.endswith("Z"):
        raise ForgedAnswer(f"{text!r} is not a time in UTC")
    try:
        return datetime.fromisoformat(f"{text[:-1]}+00:00")
    except ValueError as error:
        raise ForgedAnswer(f"{text!r} is not a time in UTC") from error


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ForgedAnswer("the key document has a member twice")
    return found


def _decode(text: str, length: int) -> bytes:
    try:
        found = base64.b64decode(text, validate=True)
    except binascii.Error as error:
        raise ForgedAnswer(f"{text!r} is not base64") from error
    if len(found) != length or base64.b64encode(found).decode() != text:
        raise ForgedAnswer(f"{text!r} is not base64 of {length} bytes")
    return found


def parse_keys(document: bytes) -> tuple[Key, ...]:
    """The keys for answers in a key document. Raises `ForgedAnswer` for one that is not well-formed."""
    try:
        members = json.loads(document, object_pairs_hook=_once)["keys"]
        return tuple(_key(member) for member in members if member["purpose"] == "answers")
    except (KeyError, TypeError, ValueError) as error:
        raise ForgedAnswer(f"the key document is malformed: {error}") from error


def _key(member: Mapping[str, Any]) -> Key:
    x: str = member["x"]
    public = _decode(x.replace("-", "+").replace("_", "/") + "=", 32)
    thumbprint = hashlib.sha256(f'{{"crv":"Ed25519","kty":"OKP","x":"{x}"}}'.encode()).digest()
    kid = base64.urlsafe_b64encode(thumbprint).decode().rstrip("=")
    if kid != member["kid"] or public.hex() != member["public_key_hex"]:
        raise ForgedAnswer("the key document contradicts itself")
    end = member["not_after"]
    return Key(
        kid,
        public,
        _time(member["not_before"]),
        None if end is None else _time(end),
        member["status"] == "retired",
    )


def _signed(key: Key, signature: bytes, text: str) -> bool:
    try:
        Ed25519PublicKey.from_public_bytes(key.public).verify(signature, text.encode())
    except (InvalidSignature, ValueError):
        return False
    return True


def hash_in_etag(etag: str) -> str | None:
    """The SHA-256 of the body that an ETag of the service names."""
    found = re.fullmatch(r'(?:W/)?"([0-9a-f]{64})(?:-[a-z]+)?"', etag)
    return None if found is None else found[1]


def is_unsigned_refusal(answer: Answer) -> bool:
    name = _UNSIGNED.get(answer.status)
    return (
        name is not None
        and answer.headers.get("content-type", "").startswith("application/problem+json")
        and not {"x-service-timestamp", "x-service-signature", "signature"} & answer.headers.keys()
        and (answer.body == b"" or f'/problems/{name}"'.encode() in answer.body)
    )


def verify(
    request: Request, answer: Answer, keys: Sequence[Key], pins: Sequence[str], public_url: str
) -> None:
    """Returns if all is proved that such an answer can prove. Raises `ForgedAnswer` otherwise."""
    if is_unsigned_refusal(answer):
        return
    address = urlsplit(public_url)
    target = urlsplit(request.url)
    headers = answer.headers
    timestamp = headers.get("x-service-timestamp", "")
    if _TIMESTAMP.fullmatch(timestamp) is None:
        raise ForgedAnswer(f"{request.url}: the answer has no X-Service-Timestamp")
    if answer.status == 304:
        body_hash = hash_in_etag(headers.get("etag", ""))
        if body_hash is None:
            raise ForgedAnswer(f"{request.url}: a 304 whose ETag does not have the body's hash")
    else:
        body_hash = hashlib.sha256(answer.body).hexdigest()
    path = target.path or "/"
    statement = f"service-v1|{body_hash}|{timestamp}|{path}"
    own = re.fullmatch(r"ed25519:([0-9a-f]{128})", headers.get("x-service-signature", ""))
    signature = b"" if own is None else bytes.fromhex(own[1])
    signer = next((key for key in keys if _signed(key, signature, statement)), None)
    if signer is None or "|" in path:
        raise ForgedAnswer(
            f"{request.url}: no key of the service signed this body, time and path: one of them was changed"
        )
    _check_key(signer, _time(timestamp), pins)
    # A 304 carries no second signature; the client holds it against the answer that it confirms.
    if answer.status != 304:
        query = f"?{target.query}"
        _check_message(
            request, answer, signer, {"digest": body_hash, "time": timestamp, "path": path, "query": query}, address.netloc
        )


def _check_key(key: Key, at: datetime, pins: Sequence[str]) -> None:
    ended = key.not_after is not None and key.not_after < datetime.now(timezone.utc)
    if at < key.not_before or (key.not_after is not None and at > key.not_after) or key.retired or ended:
        raise ForgedAnswer(f"key {key.kid} was not in use at {at.isoformat()}, or is retired by now")
    if pins and key.kid not in pins and key.public.hex() not in pins:
        raise ForgedAnswer(f"key {key.kid} is not one of the given keys")


def _check_message(
    request: Request, answer: Answer, key: Key, said: Mapping[str, str], authority: str
) -> None:
    headers = answer.headers
    digest = f"sha-256=:{base64.b64encode(bytes.fromhex(said['digest'])).decode()}:"
    created = int(_time(said["time"]).timestamp())
    parameters = (
        f"({' '.join(_COVERED)});created={created};keyid=\"{key.kid}\";alg=\"ed25519\";tag=\"service-v1\""
    )
    # Exactly this form, which no release changes, because another one might cover less.
    given = headers.get("signature-input")
    if given is None or "signature" not in headers:
        raise UnprovedAnswer(f"{request.url}: the answer has no signature of its query and status")
    if given != f"sig1={parameters}":
        raise UnprovedAnswer(
            f"{request.url}: Signature-Input covers other parts than this client knows: not proved, made by a newer release"
        )
    if headers.get("unencoded-digest") != digest:
        raise ForgedAnswer(f"{request.url}: Unencoded-Digest does not match the body")
    sent = re.fullmatch(r"sig1=:([A-Za-z0-9+/]{86}==):", headers["signature"])
    signature = b"" if sent is None else _decode(sent[1], 64)

    def is_of(host: str) -> bool:
        values = (
            str(answer.status),
            headers.get("content-type", ""),
            digest,
            said["time"],
            request.method,
            host,
            said["path"],
            said["query"],
        )
        lines = [f"{name}: {value}" for name, value in zip(_COVERED, values)]
        return _signed(key, signature, "\n".join([*lines, f'"@signature-params": {parameters}']))

    if not is_of(authority.lower()):
        # No signature covers the address of the keys, so it only says which host to try.
        named = urlsplit(headers.get("x-service-signing-key", "")).netloc.lower()
        if named not in ("", authority.lower()) and is_of(named):
            raise UnprovedAnswer(
                f"{request.url}: signed for {named}, and you asked {authority}; if that is the same service, give public_url"
            )
        raise ForgedAnswer(
            f"{request.url}: the signature does not match this status, type, time, method, host, path and query"
        )
