"""The Merkle tree of RFC 9162, section 2.1, and its proofs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .encodings import from_hex, sha256, utf8
from .shape import COUNT, HASHES

#: `index`, `size` and `path` (siblings from the leaf upwards, in hex), as documents have them.
Proof = Mapping[str, Any]
PROOF_SHAPE = {"index": COUNT, "size": COUNT, "path": HASHES}


def leaf_hash(entry: bytes) -> bytes:
    return sha256(b"\x00" + entry)


def node_hash(left: bytes, right: bytes) -> bytes:
    return sha256(b"\x01" + left + right)


def root_of(entries: Sequence[bytes]) -> bytes:
    """The root over entries; that of none is the hash of nothing."""
    level = [leaf_hash(entry) for entry in entries]
    if not level:
        return sha256(b"")
    while len(level) > 1:
        pairs = [node_hash(*level[place : place + 2]) for place in range(0, len(level) - 1, 2)]
        # A lone last node moves up unchanged.
        level = pairs + level[len(pairs) * 2 :]
    return level[0]


def is_included(leaf: str, proof: Proof, root: bytes) -> bool:
    """True if the proof leads from the leaf's text to the root (RFC 9162, 2.1.3.2)."""
    path = [from_hex(one, 32) for one in proof["path"]]
    return leads(leaf_hash(utf8(leaf)), proof["index"], proof["size"], path, root)


def leads(leaf: bytes, index: int, size: int, path: Sequence[bytes], root: bytes) -> bool:
    if index >= size:
        return False
    at, last, node = index, size - 1, leaf
    for sibling in path:
        if last == 0:
            return False
        if at % 2 == 1 or at == last:
            node = node_hash(sibling, node)
            while at % 2 == 0 and at != 0:
                at, last = at // 2, last // 2
        else:
            node = node_hash(node, sibling)
        at, last = at // 2, last // 2
    return last == 0 and node == root


def extends(first_size: int, first_root: bytes, second_size: int, second_root: bytes, path: Sequence[bytes]) -> bool:
    """True if the second tree extends the first (RFC 9162, 2.1.4.2)."""
    if first_size > second_size:
        return False
    if first_size == second_size:
        return not path and first_root == second_root
    if first_size == 0:
        return not path and first_root == sha256(b"")
    at, last = first_size - 1, second_size - 1
    while at % 2 == 1:
        at, last = at // 2, last // 2
    # `at` is 0 exactly if the older size is a power of two; its root is then the first node.
    nodes = [first_root, *path] if at == 0 else list(path)
    if not nodes or (at == 0 and len(nodes) == 1):
        return False
    older = newer = nodes[0]
    for node in nodes[1:]:
        if last == 0:
            return False
        if at % 2 == 1 or at == last:
            older, newer = node_hash(node, older), node_hash(node, newer)
            while at % 2 == 0 and at != 0:
                at, last = at // 2, last // 2
        else:
            newer = node_hash(newer, node)
        at, last = at // 2, last // 2
    return last == 0 and older == first_root and newer == second_root
