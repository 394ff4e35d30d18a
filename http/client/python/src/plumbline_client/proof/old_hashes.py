"""Two hashes that OpenTimestamps has and the standard library lacks: RIPEMD-160 and Keccak-256 (not SHA3-256)."""

from __future__ import annotations

_MASK32 = 0xFFFFFFFF
_MASK64 = 0xFFFFFFFFFFFFFFFF

# RIPEMD-160 (Dobbertin, Bosselaers, Preneel 1996): order of words, shifts and constants of both lines.
_LEFT_WORDS = (
    (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
    (7, 4, 13, 1, 10, 6, 15, 3, 12, 0, 9, 5, 2, 14, 11, 8),
    (3, 10, 14, 4, 9, 15, 8, 1, 2, 7, 0, 6, 13, 11, 5, 12),
    (1, 9, 11, 10, 0, 8, 12, 4, 13, 3, 7, 15, 14, 5, 6, 2),
    (4, 0, 5, 9, 7, 12, 2, 10, 14, 1, 3, 8, 11, 6, 15, 13),
)
_RIGHT_WORDS = (
    (5, 14, 7, 0, 9, 2, 11, 4, 13, 6, 15, 8, 1, 10, 3, 12),
    (6, 11, 3, 7, 0, 13, 5, 10, 14, 15, 8, 12, 4, 9, 1, 2),
    (15, 5, 1, 3, 7, 14, 6, 9, 11, 8, 12, 2, 10, 0, 4, 13),
    (8, 6, 4, 1, 3, 11, 15, 0, 5, 12, 2, 13, 9, 7, 10, 14),
    (12, 15, 10, 4, 1, 5, 8, 7, 6, 2, 13, 14, 0, 3, 9, 11),
)
_LEFT_SHIFTS = (
    (11, 14, 15, 12, 5, 8, 7, 9, 11, 13, 14, 15, 6, 7, 9, 8),
    (7, 6, 8, 13, 11, 9, 7, 15, 7, 12, 15, 9, 11, 7, 13, 12),
    (11, 13, 6, 7, 14, 9, 13, 15, 14, 8, 13, 6, 5, 12, 7, 5),
    (11, 12, 14, 15, 14, 15, 9, 8, 9, 14, 5, 6, 8, 6, 5, 12),
    (9, 15, 5, 11, 6, 8, 13, 12, 5, 12, 13, 14, 11, 8, 5, 6),
)
_RIGHT_SHIFTS = (
    (8, 9, 9, 11, 13, 15, 15, 5, 7, 7, 8, 11, 14, 14, 12, 6),
    (9, 13, 15, 7, 12, 8, 9, 11, 7, 7, 12, 7, 6, 15, 13, 11),
    (9, 7, 15, 11, 8, 6, 6, 14, 12, 13, 5, 14, 13, 13, 7, 5),
    (15, 5, 8, 11, 14, 14, 6, 14, 6, 9, 12, 9, 12, 5, 15, 8),
    (8, 5, 12, 9, 12, 5, 14, 6, 8, 13, 6, 5, 15, 13, 11, 11),
)
_LEFT_CONSTANTS = (0x00000000, 0x5A827999, 0x6ED9EBA1, 0x8F1BBCDC, 0xA953FD4E)
_RIGHT_CONSTANTS = (0x50A28BE6, 0x5C4DD124, 0x6D703EF3, 0x7A6D76E9, 0x00000000)
_START = (0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0)

# Keccak-f[1600]: constants of the rounds, and rotations of the lanes by x + 5 y.
_ROUNDS = (
    0x0000000000000001,
    0x0000000000008082,
    0x800000000000808A,
    0x8000000080008000,
    0x000000000000808B,
    0x0000000080000001,
    0x8000000080008081,
    0x8000000000008009,
    0x000000000000008A,
    0x0000000000000088,
    0x0000000080008009,
    0x000000008000000A,
    0x000000008000808B,
    0x800000000000008B,
    0x8000000000008089,
    0x8000000000008003,
    0x8000000000008002,
    0x8000000000000080,
    0x000000000000800A,
    0x800000008000000A,
    0x8000000080008081,
    0x8000000000008080,
    0x0000000080000001,
    0x8000000080008008,
)
_TURNS = (0, 1, 62, 28, 27, 36, 44, 6, 55, 20, 3, 10, 43, 25, 39, 41, 45, 15, 21, 8, 18, 2, 61, 56, 14)
_RATE = 136


def ripemd160(message: bytes) -> bytes:
    padded = message + b"\x80" + b"\x00" * ((55 - len(message)) % 64) + (len(message) * 8).to_bytes(8, "little")
    state = list(_START)
    for place in range(0, len(padded), 64):
        block = padded[place : place + 64]
        words = [int.from_bytes(block[at : at + 4], "little") for at in range(0, 64, 4)]
        left = _line(state, words, _LEFT_WORDS, _LEFT_SHIFTS, _LEFT_CONSTANTS, range(5))
        right = _line(state, words, _RIGHT_WORDS, _RIGHT_SHIFTS, _RIGHT_CONSTANTS, range(4, -1, -1))
        # Each word is the sum of three, one place further in each.
        state = [(state[(n + 1) % 5] + left[(n + 2) % 5] + right[(n + 3) % 5]) & _MASK32 for n in range(5)]
    return b"".join(word.to_bytes(4, "little") for word in state)


def _line(
    state: list[int],
    words: list[int],
    orders: tuple[tuple[int, ...], ...],
    shifts: tuple[tuple[int, ...], ...],
    constants: tuple[int, ...],
    functions: range,
) -> list[int]:
    a, b, c, d, e = state
    for order, shift, constant, function in zip(orders, shifts, constants, functions):
        for word, by in zip(order, shift):
            mixed = _turned32((a + _mixed(function, b, c, d) + words[word] + constant) & _MASK32, by)
            a, b, c, d, e = e, (mixed + e) & _MASK32, b, _turned32(c, 10), d
    return [a, b, c, d, e]


def _mixed(function: int, x: int, y: int, z: int) -> int:
    if function == 0:
        return x ^ y ^ z
    if function == 1:
        return (x & y) | (~x & z)
    if function == 2:
        return (x | ~y & _MASK32) ^ z
    if function == 3:
        return (x & z) | (y & ~z)
    return x ^ (y | ~z & _MASK32)


def _turned32(word: int, by: int) -> int:
    return ((word << by) | (word >> (32 - by))) & _MASK32


def keccak256(message: bytes) -> bytes:
    padded = bytearray(message + b"\x01" + b"\x00" * (-(len(message) + 1) % _RATE))
    padded[-1] |= 0x80
    lanes = [0] * 25
    for place in range(0, len(padded), _RATE):
        for n in range(_RATE // 8):
            lanes[n] ^= int.from_bytes(padded[place + 8 * n : place + 8 * n + 8], "little")
        for constant in _ROUNDS:
            lanes = _round(lanes, constant)
    return b"".join(lane.to_bytes(8, "little") for lane in lanes[:4])


def _round(lanes: list[int], constant: int) -> list[int]:
    columns = [lanes[x] ^ lanes[x + 5] ^ lanes[x + 10] ^ lanes[x + 15] ^ lanes[x + 20] for x in range(5)]
    mixed = [columns[(x - 1) % 5] ^ _turned64(columns[(x + 1) % 5], 1) for x in range(5)]
    moved = [0] * 25
    for x in range(5):
        for y in range(5):
            place = x + 5 * y
            moved[y + 5 * ((2 * x + 3 * y) % 5)] = _turned64(lanes[place] ^ mixed[x], _TURNS[place])
    found = [
        moved[x + 5 * y] ^ (~moved[(x + 1) % 5 + 5 * y] & moved[(x + 2) % 5 + 5 * y] & _MASK64)
        for y in range(5)
        for x in range(5)
    ]
    found[0] ^= constant
    return found


def _turned64(lane: int, by: int) -> int:
    return ((lane << by) | (lane >> (64 - by))) & _MASK64
