"""Bytes and their texts, read strictly: a second spelling of the same bytes would be a second text for one signature."""

from __future__ import annotations

import base64
import hashlib
import re

from .faults import Malformed

_HEX = re.compile(r"(?:[0-9a-f]{2})*")
_BASE64URL = re.compile(r"[A-Za-z0-9_-]*")


def sha256(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


def from_hex(text: str, length: int | None = None) -> bytes:
    """Bytes of lower-case hex, `length` of them when given."""
    if _HEX.fullmatch(text) is None:
        raise Malformed("hex must be pairs of 0-9 and a-f in lower case")
    return _of_length(bytes.fromhex(text), length, "hex")


def from_base64(text: str, length: int | None = None) -> bytes:
    """Bytes of standard base64 with its padding (RFC 4648, section 4), without leftover bits."""
    try:
        found = base64.b64decode(text, validate=True)
    except ValueError as error:
        raise Malformed("expected base64 of the standard alphabet, padded") from error
    if base64.b64encode(found).decode() != text:
        raise Malformed("expected base64 without leftover bits")
    return _of_length(found, length, "base64")


def from_base64url(text: str, length: int | None = None) -> bytes:
    """Bytes of base64url without padding (RFC 4648, section 5), without leftover bits."""
    if _BASE64URL.fullmatch(text) is None or len(text) % 4 == 1:
        raise Malformed("expected base64url of A-Z a-z 0-9 - _ without padding")
    found = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    if to_base64url(found) != text:
        raise Malformed("expected base64url without leftover bits")
    return _of_length(found, length, "base64url")


def _of_length(data: bytes, length: int | None, what: str) -> bytes:
    if length is not None and len(data) != length:
        raise Malformed(f"expected {length} bytes of {what}, found {len(data)}")
    return data


def to_base64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def to_base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def utf8(text: str) -> bytes:
    """UTF-8 of a text; a lone surrogate has none."""
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise Malformed("a lone surrogate cannot be written in UTF-8") from error


def from_utf8(data: bytes) -> str:
    """The text of UTF-8 bytes. A byte order mark is a character like any other."""
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise Malformed("not UTF-8") from error


def utf16_order(text: str) -> bytes:
    """Key to sort texts by UTF-16 code units, as RFC 8785 sorts members."""
    return text.encode("utf-16-be", "surrogatepass")


def utf16_length(text: str) -> int:
    """How many UTF-16 code units a text has: the formats count characters like this."""
    return len(utf16_order(text)) // 2
