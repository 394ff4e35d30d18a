"""Ed25519 (RFC 8032), verified strictly by the cofactorless equation, which OpenSSL uses.

OpenSSL recomputes R and compares its bytes, and refuses an S that is not below the group's order. It accepts keys of small
order, under which anybody can sign, and other spellings of a key: both are refused here.
"""

from __future__ import annotations

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

_PRIME = 2**255 - 19

#: The y of each point whose order divides 8; its x may have either sign.
_SMALL_ORDER = frozenset(
    {
        0,
        1,
        _PRIME - 1,
        int.from_bytes(bytes.fromhex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"), "little"),
        int.from_bytes(bytes.fromhex("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a"), "little"),
    }
)


def is_acceptable(public_key: bytes) -> bool:
    """False for a key of small order, and for one whose y is not spelled below the prime."""
    y = int.from_bytes(public_key, "little") & (2**255 - 1)
    return y < _PRIME and y not in _SMALL_ORDER


def verify_ed25519(signature: bytes, message: bytes, public_key: bytes) -> bool:
    """True if `signature` (64 bytes) is a valid signature of `message` by `public_key` (32 bytes)."""
    if len(signature) != 64 or len(public_key) != 32 or not is_acceptable(public_key):
        return False
    try:
        Ed25519PublicKey.from_public_bytes(public_key).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True
