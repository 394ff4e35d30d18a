"""OpenTimestamps proofs (`.ots`), read within the limits of the first verifier and checked against given block headers."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from .bitcoin import BlockHeader, lack_of_work, parse_header
from .encodings import from_utf8, sha256
from .faults import Malformed
from .numbers import GREATEST_INTEGER
from .old_hashes import keccak256, ripemd160

_MAGIC = bytes.fromhex("004f70656e54696d657374616d7073000050726f6f6600bf89e2e884e89294")
_FORK = 0xFF
_ATTESTATION = 0x00
_APPEND = 0xF0
_PREPEND = 0xF1
_URI = re.compile(r"[A-Za-z0-9\-._/:]*")

_LONGEST_FILE = 1 << 20
_LONGEST_MESSAGE = 4096
_LONGEST_PAYLOAD = 8192
_LONGEST_URI = 1000
_DEEPEST = 256
_MOST_ITEMS = 10_000

_UNARY: Mapping[int, Callable[[bytes], bytes]] = {
    0x02: lambda message: hashlib.sha1(message).digest(),
    0x03: ripemd160,
    0x08: sha256,
    0x67: keccak256,
    0xF2: lambda message: message[::-1],
    0xF3: lambda message: message.hex().encode(),
}
_DIGESTS = {0x02: 20, 0x03: 20, 0x08: 32, 0x67: 32}
SHA256 = 0x08

_TAGS = {
    bytes.fromhex("83dfe30d2ef90c8e"): "pending",
    bytes.fromhex("0588960d73d71901"): "bitcoin",
    bytes.fromhex("19c1320cb60a738a"): "bitcoin-regtest-fixture",
    bytes.fromhex("06869a0d73d71b45"): "litecoin",
}


@dataclass(frozen=True)
class Attestation:
    """`kind`: a network, `pending`, or `unknown`; of a network the height of the block."""

    kind: str
    height: int = 0
    uri: str = ""


@dataclass(frozen=True)
class Timestamp:
    """A message, what attests it, and the timestamps of what operations make of it, in file order."""

    message: bytes
    items: tuple[Attestation | Timestamp, ...]

    def attested(self) -> Iterator[tuple[Attestation, bytes]]:
        """Every attestation with its message."""
        for item in self.items:
            if isinstance(item, Attestation):
                yield item, self.message
            else:
                yield from item.attested()


@dataclass(frozen=True)
class Detached:
    """A standalone proof: the code of the file's hash, and the timestamp of its digest."""

    file_hash: int
    timestamp: Timestamp


@dataclass(frozen=True)
class Block:
    height: int
    header: BlockHeader


@dataclass(frozen=True)
class TimestampVerdict:
    """`unchecked`: it names blocks whose headers were not given. `unknown`: only notaries that nobody here knows attest it."""

    status: Literal["verified", "unchecked", "pending", "unknown", "failed"]
    detail: str
    block: Block | None = None


class _Reader:
    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0
        self.items = 0

    def byte(self) -> int:
        return self.take(1)[0]

    def take(self, length: int) -> bytes:
        if self.at + length > len(self.data):
            raise Malformed(f"cut off at byte {len(self.data)}")
        self.at += length
        return self.data[self.at - length : self.at]

    def varint(self) -> int:
        """Little-endian base 128. Each number has one spelling: no empty last group."""
        value, shift = 0, 0
        while True:
            byte = self.byte()
            value += (byte & 0x7F) << shift
            if value > GREATEST_INTEGER:
                raise Malformed(f"number too large at byte {self.at}")
            if byte < 0x80:
                if byte == 0 and shift > 0:
                    raise Malformed(f"number with an empty last group at byte {self.at}")
                return value
            shift += 7

    def varbytes(self, what: str, least: int, most: int) -> bytes:
        length = self.varint()
        if not least <= length <= most:
            raise Malformed(f"{what} has {length} bytes at byte {self.at} (expected {least} to {most})")
        return self.take(length)

    def end(self, what: str) -> None:
        if self.at < len(self.data):
            raise Malformed(f"{len(self.data) - self.at} bytes follow the end of {what}")


def parse_detached(data: bytes) -> Detached:
    """Parses a whole `.ots` file."""
    if len(data) > _LONGEST_FILE:
        raise Malformed(f"longer than {_LONGEST_FILE} bytes")
    if not data.startswith(_MAGIC):
        raise Malformed("not an OpenTimestamps proof: the first 31 bytes do not match")
    reader = _Reader(data)
    reader.take(len(_MAGIC))
    version = reader.varint()
    if version != 1:
        raise Malformed(f"unsupported format version {version} (expected 1)")
    file_hash = reader.byte()
    if file_hash not in _DIGESTS:
        raise Malformed(f"{file_hash:#x} is not a supported file hash")
    timestamp = _read_timestamp(reader, reader.take(_DIGESTS[file_hash]), 0)
    reader.end("the proof")
    return Detached(file_hash, timestamp)


def _read_timestamp(reader: _Reader, message: bytes, depth: int) -> Timestamp:
    if depth > _DEEPEST:
        raise Malformed(f"more than {_DEEPEST} operations in a row")
    items: list[Attestation | Timestamp] = []
    while True:
        code = reader.byte()
        more = code == _FORK
        items.append(_read_item(reader, message, depth, reader.byte() if more else code))
        if not more:
            return Timestamp(message, tuple(items))


def _read_item(reader: _Reader, message: bytes, depth: int, code: int) -> Attestation | Timestamp:
    reader.items += 1
    if reader.items > _MOST_ITEMS:
        raise Malformed(f"more than {_MOST_ITEMS} operations and attestations")
    if code == _ATTESTATION:
        return _read_attestation(reader)
    if code in (_APPEND, _PREPEND):
        argument = reader.varbytes("an argument", 1, _LONGEST_MESSAGE)
        result = message + argument if code == _APPEND else argument + message
    elif code in _UNARY:
        result = _UNARY[code](message)
    else:
        raise Malformed(f"unknown operation {code:#x} at byte {reader.at}")
    if not 1 <= len(result) <= _LONGEST_MESSAGE:
        raise Malformed(f"a message has {len(result)} bytes (expected 1 to {_LONGEST_MESSAGE})")
    return _read_timestamp(reader, result, depth + 1)


def _read_attestation(reader: _Reader) -> Attestation:
    kind = _TAGS.get(reader.take(8), "unknown")
    inner = _Reader(reader.varbytes("an attestation", 0, _LONGEST_PAYLOAD))
    if kind == "unknown":
        return Attestation(kind)
    if kind == "pending":
        uri = from_utf8(inner.varbytes("a calendar's URL", 0, _LONGEST_URI))
        inner.end("a pending attestation")
        if _URI.fullmatch(uri) is None:
            raise Malformed("a calendar's URL must use only A-Z a-z 0-9 - . _ / :")
        return Attestation(kind, uri=uri)
    height = inner.varint()
    inner.end(f"a {kind} attestation")
    return Attestation(kind, height)


def heights_of(timestamp: Timestamp, network: str) -> list[int]:
    """Heights of the network's blocks that a timestamp names."""
    return list(dict.fromkeys(one.height for one, _ in timestamp.attested() if one.kind == network))


def verify_timestamp(timestamp: Timestamp, headers: Mapping[int, str], network: str) -> TimestampVerdict:
    """Checks every attestation of the network whose block header is given (160 hex digits, by height).

    One valid attestation is enough, and the earliest block counts.
    """
    blocks: list[Block] = []
    broken: list[str] = []
    open_heights: list[int] = []
    uris: list[str] = []
    others = 0
    for attestation, message in timestamp.attested():
        if attestation.kind == "pending":
            uris.append(attestation.uri)
        elif attestation.kind != network:
            others += 1
        elif attestation.height not in headers:
            open_heights.append(attestation.height)
        else:
            found = _check_block(attestation.height, headers[attestation.height], message, network)
            if isinstance(found, Block):
                blocks.append(found)
            else:
                broken.append(found)
    if blocks:
        block = min(blocks, key=lambda one: one.height)
        detail = f"Merkle root of {network} block {block.height}, {block.header.hash}"
        return TimestampVerdict("verified", detail, block)
    if broken:
        return TimestampVerdict("failed", "; ".join(broken))
    if open_heights:
        return TimestampVerdict("unchecked", f"no header given for block {', '.join(map(str, open_heights))}")
    if uris:
        return TimestampVerdict("pending", f"still pending at {', '.join(dict.fromkeys(uris))}")
    if others > 0:
        return TimestampVerdict("unknown", f"only notaries that this verifier does not know attest it ({others})")
    return TimestampVerdict("failed", "the timestamp has no attestation")


def _check_block(height: int, text: str, message: bytes, network: str) -> Block | str:
    try:
        header = parse_header(text)
    except Malformed as fault:
        return f"the header of block {height} cannot be read: {fault}"
    lack = lack_of_work(header, height, network)
    if lack is not None:
        return f"the header of block {height} is not valid: {lack}"
    if header.merkle_root != message:
        return f"block {height} has another Merkle root than the one that the proof leads to"
    return Block(height, header)
