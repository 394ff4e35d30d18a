"""Bitcoin block headers: that a block has the work it claims, enough of it for its height, and a time that fits.

A header alone does not say which chain it belongs to: compare its hash with what others say.
"""

from __future__ import annotations

from dataclasses import dataclass

from .encodings import from_hex, sha256
from .faults import Malformed

_EASIEST = {"bitcoin": 0xFFFF << 208, "bitcoin-regtest-fixture": 0x7FFFFF << 232}

# The lowest difficulty of Bitcoin's epochs from each height up to the next one, rounded down to two digits. After the
# last, half of the lowest since 900,000. As the first verifier has them.
_FLOORS = (
    (955_584, 5.8e13),
    (900_000, 1.1e14),
    (850_000, 7.9e13),
    (800_000, 5.2e13),
    (750_000, 2.8e13),
    (700_000, 1.8e13),
    (650_000, 1.3e13),
    (600_000, 1.2e13),
    (550_000, 5.1e12),
    (500_000, 1.8e12),
    (450_000, 3.9e11),
    (400_000, 1.5e11),
    (350_000, 4.6e10),
    (300_000, 8e9),
    (250_000, 3.7e7),
    (200_000, 2.8e6),
    (150_000, 1e6),
    (100_000, 1.4e4),
    (50_000, 6.0),
)

# Blocks and their times (Unix seconds). Between them, height grows nearly evenly with time.
_REFERENCE = (
    (0, 1231006505),
    (100_000, 1293623863),
    (200_000, 1348310759),
    (300_000, 1399703554),
    (400_000, 1456417484),
    (500_000, 1513622125),
    (600_000, 1571443461),
    (700_000, 1631333672),
    (800_000, 1690168629),
    (840_000, 1713571767),
)
_HALF_YEAR = 183 * 86_400


@dataclass(frozen=True)
class BlockHeader:
    """`hash` as explorers print it; `merkle_root` in the order of the header; `time` in Unix seconds."""

    hash: str
    merkle_root: bytes
    time: int
    target: int

    @property
    def difficulty(self) -> float:
        return float(_EASIEST["bitcoin"]) / float(self.target)


def parse_header(text: str) -> BlockHeader:
    """Parses an 80-byte header from 160 hex digits."""
    data = from_hex(text.strip().lower(), 80)
    return BlockHeader(
        sha256(sha256(data))[::-1].hex(),
        data[36:68],
        int.from_bytes(data[68:72], "little"),
        _target_of(int.from_bytes(data[72:76], "little")),
    )


def _target_of(bits: int) -> int:
    exponent, mantissa = bits >> 24, bits & 0x7FFFFF
    if bits & 0x800000 or mantissa == 0 or not 3 <= exponent <= 32:
        raise Malformed(f"the header's difficulty bits {bits:#x} are not valid")
    return mantissa << (8 * (exponent - 3))


def lack_of_work(header: BlockHeader, height: int, network: str) -> str | None:
    """Why this header cannot be a block at this height of this network, None if it has enough work."""
    if header.target > _EASIEST[network]:
        return f"its target is easier than that of any {network} block"
    if int(header.hash, 16) > header.target:
        return "its hash does not meet its own target"
    if network != "bitcoin":
        return None
    if header.difficulty < next((floor for begin, floor in _FLOORS if height >= begin), 1.0):
        return f"its difficulty is below the minimum at height {height}"
    time, within = _expected_time(height)
    if abs(header.time - time) > within:
        return f"its time does not fit the height {height}"
    return None


def _expected_time(height: int) -> tuple[float, float]:
    """When Bitcoin had this height, and how far off a block's time may be."""
    for (low, begin), (high, end) in zip(_REFERENCE, _REFERENCE[1:]):
        if height < high:
            return begin + ((height - low) * (end - begin)) / (high - low), _HALF_YEAR
    last, end = _REFERENCE[-1]
    # Ten minutes for each block; how far the miners are ahead of that by now, nobody can say exactly.
    since = (height - last) * 600
    return end + since, _HALF_YEAR + since / 10
