"""The signatures of an answer, after "The signature of an answer": the service's own, RFC 9421's, and that of the log's head."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .check import Check, check, not_proved, reading
from .ed25519 import verify_ed25519
from .encodings import from_base64, from_hex, sha256, to_base64, utf8
from .faults import CouldNotLook, Malformed, Newer, demand
from .keys import KeyDocument, ServiceKey, is_pinned, is_retired, lack_of_use, parse_key_document
from .times import epoch_ms, is_time
from .trust import unvouched

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

_PROBLEMS = re.compile(
    rb"/problems/(address-too-long|bad-request|key-unknown|method-not-allowed|not-found|too-many-requests)\""
)
_PATH = re.compile(r"/[^|?#]*")
_ETAG = re.compile(r'(?:W/)?"([0-9a-f]{64})(?:-[a-z]+)?"')
_DIGEST = re.compile(r"sha-256=:([A-Za-z0-9+/]{43}=):")
_INPUT = re.compile(r'sig1=\([^)]*\);created=(0|[1-9][0-9]{0,11});keyid="([A-Za-z0-9_-]{1,100})";')
#: A `Signature-Input` of another shape, such as a second label, other components or a higher tag.
_OTHER_INPUT = re.compile(r'[a-z][a-z0-9*_.-]*=\(("[^"\\]+"(;[a-z]+)* ?)+\)(;[a-z]+=("[^"\\]*"|[0-9]+))+(, ?|\Z)')
_SIGNATURE = re.compile(r"sig1=:([A-Za-z0-9+/]{86}==):")
_HEAD = re.compile(r"(0|[1-9][0-9]{0,14}) ([0-9a-f]{64})")
_KEYS_ADDRESS = re.compile(r"(https?)://([^/?#@|]+)/", re.IGNORECASE)
_URL = re.compile(r"(https?)://([^/?#@]+)(/[^?#]*)?(\?[^#]*)?", re.IGNORECASE)

_NAME = "query and status (RFC 9421)"


@dataclass(frozen=True)
class Asked:
    """The parts of a request that signatures cover. `authority` and `query` are None where they are not known."""

    method: str
    authority: str | None
    path: str
    query: str | None


@dataclass(frozen=True)
class SavedAnswer:
    """An answer as it was received; names of headers in lower case, the body before content coding."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    request: Asked


def asked_for(method: str, url: str, authority: str | None = None) -> Asked:
    """The request of a URL. `authority` is the service's own, where it was reached under another name."""
    found = _URL.match(url)
    if found is None:
        raise CouldNotLook(f"{url} is not an http or https URL")
    own = ":443" if found[1].lower() == "https" else ":80"
    addressed = found[2].lower().removesuffix(own)
    return Asked(method, addressed if authority is None else authority.lower(), found[3] or "/", found[4] or "?")


def verify_answer(
    answer: SavedAnswer,
    keys: Any,
    *,
    pins: Sequence[str] = (),
    now: int | None = None,
    not_before: str | None = None,
    body_only: bool = False,
) -> list[Check]:
    """Makes every check of one answer. `keys` is the key document, as parsed JSON."""
    if _is_unsigned_refusal(answer):
        return [
            not_proved("statement", f"a refusal ({answer.status}) without data is unsigned: anyone may have sent it")
        ]
    signer, statement = reading("statement", lambda: _read_signer(answer, keys), lambda one: f"by key {one.key.kid}")
    if signer is None:
        return [statement, not_proved("key in use", "no key matches the signature", "unavailable")]
    return [
        statement,
        check_in_use(signer.key, signer.timestamp, now),
        check_vouched(signer.key, signer.document, pins),
        *([] if not_before is None else [_check_fresh(signer.timestamp, not_before)]),
        *([] if body_only else _checks_of_message(answer, signer)),
    ]


@dataclass(frozen=True)
class _Signer:
    key: ServiceKey
    document: KeyDocument
    timestamp: str
    body_hash: bytes


def _is_unsigned_refusal(answer: SavedAnswer) -> bool:
    """True for a refusal as the service sends it unsigned. Anyone could have sent it, so it proves nothing."""
    if any("timestamp" in name or "signature" in name for name in answer.headers):
        return False
    content_type = answer.headers.get("content-type", "")
    if answer.status == 308:
        return not answer.body
    if answer.status == 404 and "html" in content_type:
        return True
    is_problem = answer.status >= 400 and "problem+json" in content_type
    # A HEAD has no body to tell it by.
    return is_problem and (not answer.body or _PROBLEMS.search(answer.body) is not None)


def _read_signer(answer: SavedAnswer, keys: Any) -> _Signer:
    document = parse_key_document(keys)
    timestamp = answer.headers.get("x-service-timestamp")
    signature = answer.headers.get("x-service-signature")
    if timestamp is None or signature is None:
        raise Malformed("the answer has no X-Service-Timestamp or no X-Service-Signature", "missing")
    body_hash = _signed_body(answer)
    path = answer.request.path
    key = None
    # A `|` in the time or path could shift the payload's fields, so neither may contain one.
    if is_time(timestamp) and "." not in timestamp and _PATH.fullmatch(path) is not None:
        payload = f"service-v1|{body_hash.hex()}|{timestamp}|{path}"
        key = next((one for one in document.answers if _is_signed(one, signature, payload)), None)
    if key is None:
        raise Malformed("no key in the document signed this body, time and path", "signature")
    return _Signer(key, document, timestamp, body_hash)


def _signed_body(answer: SavedAnswer) -> bytes:
    """The hash of the body that the service signed."""
    if answer.status == 304:
        found = _ETAG.fullmatch(answer.headers.get("etag", ""))
        if found is None:
            raise Malformed("a 304 has no body, and its ETag does not have the body's hash", "missing")
        return bytes.fromhex(found[1])
    if answer.request.method == "HEAD":
        found = _DIGEST.fullmatch(answer.headers.get("unencoded-digest", ""))
        if found is None:
            raise Malformed("a HEAD has no body, and no Unencoded-Digest of the body of a GET", "missing")
        return from_base64(found[1], 32)
    return sha256(answer.body)


def parse_signature(header: str) -> bytes:
    """The 64 bytes of `ed25519:<hex>`."""
    if not header.startswith("ed25519:"):
        raise Malformed("a signature must start with `ed25519:`")
    return from_hex(header.removeprefix("ed25519:"), 64)


def _is_signed(key: ServiceKey, signature: str, text: str) -> bool:
    try:
        return verify_ed25519(parse_signature(signature), utf8(text), key.public_key)
    except Malformed:
        return False


def check_in_use(key: ServiceKey, time: str, now: int | None) -> Check:
    """Nobody but the key says when it signed an answer, so a retired key proves nothing."""
    name = "key in use"

    def work() -> str:
        lack = lack_of_use(key, epoch_ms(time), time)
        demand(lack is None, lack or "", "time")
        return f"key {key.kid} was in use at {time}, by the operator's word"

    used = check(name, work)
    if used.ok is True and is_retired(key, now):
        return not_proved(name, f"key {key.kid} was retired at {key.not_after}", "time")
    return used


def check_vouched(key: ServiceKey, document: KeyDocument, pins: Sequence[str]) -> Check:
    """Whether the reader was given this key, of those that sign answers."""
    name = "operator's key"
    if not pins:
        return unvouched(key.kid)

    def is_given(one: ServiceKey) -> bool:
        return is_pinned(one, pins, document.origin)

    if not is_given(key) and any(map(is_given, document.log)) and not any(map(is_given, document.answers)):
        return not_proved(name, f"the given key signs the log, and key {key.kid} signs answers", "key")

    def work() -> str:
        demand(is_given(key), f"signed with key {key.kid}, which is not one of the given keys", "key")
        return f"signed with the given key {key.kid}"

    return check(name, work)


def _check_fresh(timestamp: str, not_before: str) -> Check:
    def work() -> str:
        demand(
            epoch_ms(timestamp) >= epoch_ms(not_before),
            f"the answer was made at {timestamp}, before {not_before}",
            "time",
        )
        return f"made at {timestamp}"

    return check("answer not stale", work)


def _checks_of_message(answer: SavedAnswer, signer: _Signer) -> list[Check]:
    head = answer.headers.get("x-service-log-head")
    message = _check_message(answer, signer)
    return [message] if head is None else [message, _check_head(answer, signer.key, head)]


def _check_message(answer: SavedAnswer, signer: _Signer) -> Check:
    headers, request = answer.headers, answer.request
    given, signature = headers.get("signature-input"), headers.get("signature")
    if answer.status == 304:
        return not_proved(_NAME, "a 304 has no Signature headers: its query is not signed")
    if given is None or signature is None:
        return not_proved(_NAME, "the answer has no Signature headers, so it may be the answer to another query")
    if request.authority is None or request.query is None:
        return not_proved(_NAME, "the request's URL is unknown; pass --url", "unavailable")
    digest = f"sha-256=:{to_base64(signer.body_hash)}:"

    def form() -> str:
        demand(headers.get("unencoded-digest", "") == digest, "Unencoded-Digest does not match the body", "hash")
        keyid = _parse_input(given)[1]
        demand(keyid == signer.key.kid, "Signature-Input names a different key", "contradiction")
        return ""

    formed = check(_NAME, form)
    if formed.ok is not True:
        return formed
    return _check_of_authority(
        _NAME,
        answer,
        request.authority,
        lambda host: _is_message(answer, signer.key, host, given, signature),
        lambda: f"{request.method} {request.authority}{request.path}{request.query} returned {answer.status}",
    )


def _parse_input(header: str) -> tuple[int, str]:
    """`created` and `keyid` of a `Signature-Input` of exactly our shape, which no release changes."""
    found = _INPUT.match(header)
    if found is not None and header == f"sig1={_parameters(int(found[1]), found[2])}":
        return int(found[1]), found[2]
    if _OTHER_INPUT.match(header) is not None:
        raise Newer("Signature-Input covers other parts of the answer than this verifier knows")
    raise Malformed("Signature-Input does not have the form of the service")


def _parameters(created: int, keyid: str) -> str:
    return f'({" ".join(_COVERED)});created={created};keyid="{keyid}";alg="ed25519";tag="service-v1"'


def _is_message(answer: SavedAnswer, key: ServiceKey, authority: str, given: str, signature: str) -> bool:
    """True if the headers are this key's signature of the answer and its request, at this authority."""
    headers, request = answer.headers, answer.request
    created, keyid = _parse_input(given)
    timestamp = headers.get("x-service-timestamp", "")
    found = _SIGNATURE.fullmatch(signature)
    values = (
        str(answer.status),
        headers.get("content-type", ""),
        headers.get("unencoded-digest", ""),
        timestamp,
        request.method,
        authority,
        request.path,
        request.query or "",
    )
    if found is None or epoch_ms(timestamp) != created * 1000 or any(re.search(r"[\r\n]", one) for one in values):
        return False
    lines = [f"{name}: {value}" for name, value in zip(_COVERED, values)]
    base = "\n".join([*lines, f'"@signature-params": {_parameters(created, keyid)}'])
    try:
        return verify_ed25519(from_base64(found[1], 64), utf8(base), key.public_key)
    except Malformed:
        return False


def _check_of_authority(
    name: str, answer: SavedAnswer, authority: str, holds: Callable[[str], bool], says: Callable[[], str]
) -> Check:
    """A signature over the authority, which may hold for another one that the answer names: no alteration."""

    def work() -> str:
        if holds(authority):
            return says()
        named = _named_authority(answer)
        if named is not None and named != authority and holds(named):
            raise CouldNotLook(f"it is signed for {named}, and you asked {authority}")
        raise Malformed("the signature does not match what it is over", "signature")

    return check(name, work)


def _named_authority(answer: SavedAnswer) -> str | None:
    """The authority of the keys' address. No signature covers that header, so it only says which one to try."""
    found = _KEYS_ADDRESS.match(answer.headers.get("x-service-signing-key", ""))
    if found is None:
        return None
    return found[2].lower().removesuffix(":443" if found[1].lower() == "https" else ":80")


def _check_head(answer: SavedAnswer, key: ServiceKey, head: str) -> Check:
    """What the answer says of the log."""
    name = "head of the log"
    signature = answer.headers.get("x-service-log-head-signature")
    if signature is None:
        return not_proved(name, "it has no signature: anyone may have added it")
    authority, path = answer.request.authority, answer.request.path
    if authority is None:
        return not_proved(name, "the request's URL is unknown; pass --url", "unavailable")
    timestamp = answer.headers.get("x-service-timestamp", "")

    def holds(host: str) -> bool:
        texts = (f"service-head-v1|{timestamp}|{place}|{head}" for place in _places(host, path) if "|" not in place)
        return any(_is_signed(key, signature, text) for text in texts)

    def says() -> str:
        demand(_HEAD.fullmatch(head) is not None, "X-Service-Log-Head must be <size> <root, 64 hex digits>")
        return head

    return _check_of_authority(name, answer, authority, holds, says)


def _places(authority: str, path: str) -> list[str]:
    """The authority with each base path that the service may have: nothing, or the beginning of the path."""
    parts = path.split("/")[1:-1]
    return [authority, *(f"{authority}/{'/'.join(parts[: n + 1])}" for n in range(len(parts)))]


# Answers saved by curl.

_SPACE = "\t\n\x0b\x0c\r \xa0"
_SAVED = re.compile(
    r"(?:https?://[^\t-\r \xa0]+\r?\n)?(?:HTTP/[0-9.]+ [^\n]*\n(?:[^\r\n]+\r?\n)*\r?\n)*"
    r"HTTP/[0-9.]+ ([0-9]{3})[^\n]*\n((?:[^\r\n]+\r?\n)*)\r?\n"
)
_SAVED_URL = re.compile(r"(https?://[^\t-\r \xa0]+)\r?\n", re.IGNORECASE)


def saved_url(data: bytes) -> str | None:
    """The URL in the first line of a saved answer, None where it begins with the answer."""
    found = _SAVED_URL.match(data[:8192].decode("latin-1"))
    return None if found is None else found[1]


def parse_saved(data: bytes, request: Asked, body: bytes | None = None) -> SavedAnswer:
    """An answer as `curl -i` wrote it; with `-D`, `body` is what follows the headers."""
    found = _SAVED.match(data.decode("latin-1"))
    if found is None:
        raise Malformed("the saved headers must start with the status line, as curl -i or -D writes them")
    headers: dict[str, str] = {}
    for line in re.split(r"\r?\n", found[2]):
        name, colon, value = line.partition(":")
        if colon and name:
            headers[name.lower()] = value.strip(_SPACE)
    return SavedAnswer(int(found[1]), headers, data[found.end() :] if body is None else body, request)
