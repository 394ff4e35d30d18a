"""What other operators have of a value, after "The agreement with other operators": the comparison and its place in the log."""

from __future__ import annotations

from typing import Any

from . import shape as s
from .check import Check, check, not_checked
from .encodings import from_hex, utf8, utf16_length
from .faults import Malformed, demand
from .json_text import parse_canonical
from .leaf import is_absence, leaf_text
from .log import ENTRY_SHAPE, demand_about, is_simulated, parse_entry
from .merkle import PROOF_SHAPE, extends, is_included, leaf_hash
from .note import Checkpoint, parse_checkpoint
from .numbers import is_exact_text_of, number_text
from .times import HOUR, epoch_ms
from .trust import Signed, signers_of

_TAG = "service-agreement-v1"
_LEAF_TAG = "service-agreement-leaf-v1"
_MOST_OBSERVERS = 16
_LONGEST_WHY = 300
_COMPARABLE_WITHIN = 6 * HOUR
_NAME = "other operators"

_RELATIONS = ("equal", "close", "differs", "silent")

#: A comparison, as evidence has it.
AGREED = {
    **PROOF_SHAPE,
    "leaf": s.TEXT,
    "document": s.TEXT,
    "log": s.nested("the agreement's place in the log", {**ENTRY_SHAPE, "checkpoint": s.TEXT, "consistency": s.HASHES}),
}

_OBSERVER = {
    "origin": s.NAME,
    "key": s.NAME,
    "state": s.one_of("read", "silent", "invalid"),
    "size": s.optional(s.ORDINAL),
    "root": s.optional(s.HASH),
    "batch_root": s.optional(s.HASH),
    "why": s.optional(s.NAME),
}


def _is_observer(value: Any) -> bool:
    observer = s.read_shape("an observer", value, _OBSERVER)
    is_read = observer["state"] == "read"
    if any((name in observer) != is_read for name in ("size", "root", "batch_root")):
        raise Malformed("an observer must have `size`, `root` and `batch_root` exactly if its state is read")
    if ("why" in observer) == is_read:
        raise Malformed("an observer must have `why` exactly if its state is silent or invalid")
    if utf16_length(observer.get("why", "")) > _LONGEST_WHY:
        raise Malformed(f"`why` of an observer must have at most {_LONGEST_WHY} characters")
    return True


_DOCUMENT = {
    "v": s.tag_of(_TAG),
    "day": s.DAY,
    "observers": s.list_of(s.Member(_is_observer, "an observer")),
    "n_compared": s.COUNT,
    "n_equal": s.COUNT,
    "n_close": s.COUNT,
    "n_differs": s.COUNT,
    "n_silent": s.COUNT,
    "root": s.HASH,
    "tree_size": s.ORDINAL,
    "simulated": s.TRUE_OR_ABSENT,
}

_TOLERANCE = {"absolute": s.optional(s.NUMBER), "relative": s.optional(s.NUMBER)}


def _is_tolerance(value: Any) -> bool:
    amounts = list(s.read_shape("a tolerance", value, _TOLERANCE).values())
    if len(amounts) != 1 or amounts[0] < 0:
        raise Malformed("a tolerance must have either `relative` or `absolute`, 0 or more")
    return True


_SIGHTING = {
    "observer": s.COUNT,
    "relation": s.one_of(*_RELATIONS),
    "value": s.optional(s.NUMBER),
    "value_text": s.optional(s.NAME),
    "unit": s.optional(s.NAME),
    "as_of": s.optional(s.TIME),
    "leaf_hash": s.optional(s.HASH),
}

_LEAF = {
    "v": s.tag_of(_LEAF_TAG),
    "symbol": s.NAME,
    "metric": s.NAME,
    "source": s.NAME,
    "day": s.DAY,
    "leaf_hash": s.HASH,
    "tolerance": s.Member(_is_tolerance, "a tolerance"),
    "seen": s.list_of(s.nested("an observer's value", _SIGHTING)),
    "simulated": s.TRUE_OR_ABSENT,
}


def parse_agreement(text: str) -> s.Document:
    """Parses the document of a day, which must be canonical JSON."""
    document = s.read_shape("a document of agreement", parse_canonical(text), _DOCUMENT)
    s.check_tag(document, _TAG)
    observers = document["observers"]
    if not 1 <= len(observers) <= _MOST_OBSERVERS:
        raise Malformed(f"a document of agreement must have 1 to {_MOST_OBSERVERS} observers")
    if len({observer["key"] for observer in observers}) < len(observers):
        raise Malformed("a document of agreement must name each observer once")
    if document["n_equal"] + document["n_close"] + document["n_differs"] != document["n_compared"]:
        raise Malformed("`n_compared` must be `n_equal`, `n_close` and `n_differs` together")
    if document["n_compared"] + document["n_silent"] != document["tree_size"]:
        raise Malformed("`tree_size` must be `n_compared` and `n_silent` together")
    return document


def parse_comparison(text: str) -> s.Document:
    """Parses a comparison, which must be canonical JSON."""
    leaf = s.read_shape("a comparison", parse_canonical(text), _LEAF)
    s.check_tag(leaf, _LEAF_TAG)
    for place, sighting in enumerate(leaf["seen"]):
        _check_sighting(sighting, place)
    return leaf


def _check_sighting(sighting: s.Document, place: int) -> None:
    there = "value" in sighting
    if sighting["observer"] != place:
        raise Malformed(f"a comparison names observer {sighting['observer']} at place {place}: each once, in order")
    if any((name in sighting) != there for name in ("as_of", "leaf_hash")):
        raise Malformed("an observer's `value`, `as_of` and `leaf_hash` must be there together")
    if not there and ("unit" in sighting or "value_text" in sighting):
        raise Malformed("an observer without a value cannot have `unit` or `value_text`")
    if not there and sighting["relation"] != "silent":
        raise Malformed("an observer without a value is silent")
    if "value_text" in sighting and not is_exact_text_of(sighting["value_text"], sighting["value"]):
        raise Malformed("an observer's value_text must be the number whose nearest double is its value")


def _check_in_document(document: s.Document, leaf: s.Document) -> None:
    """Raises `Malformed` if the comparison cannot be in the document."""
    observers, seen = document["observers"], leaf["seen"]
    demand(
        is_simulated(leaf) == is_simulated(document),
        "the comparison and its document disagree on whether they are simulated",
        "contradiction",
    )
    demand(leaf["day"] == document["day"], "the comparison is of another day than its document", "contradiction")
    demand(
        len(seen) == len(observers),
        "a comparison names another number of observers than its document",
        "contradiction",
    )
    demand(
        all(observer["state"] == "read" for observer, one in zip(observers, seen) if "leaf_hash" in one),
        "an observer was not read, but a comparison has its leaf",
        "contradiction",
    )


def _check_of_value(leaf: s.Document, value: s.Document) -> None:
    """Raises `Malformed` unless the comparison is of this leaf, and says of each observer what their values say."""
    is_about = all(leaf[name] == value[name] for name in ("symbol", "metric", "source", "day"))
    demand(
        is_about and leaf["leaf_hash"] == leaf_hash(utf8(leaf_text(value))).hex(),
        "the comparison is not about the leaf",
        "contradiction",
    )
    for one in leaf["seen"]:
        demand(
            one.get("unit") != value["unit"],
            "an observer's `unit` must be there only if it is another",
            "contradiction",
        )
        expected = _relation_of(value, one, leaf["tolerance"])
        demand(
            one["relation"] == expected,
            f"observer {one['observer']} is called {one['relation']}, not {expected}",
            "contradiction",
        )


def _relation_of(own: s.Document, remote: s.Document, tolerance: s.Document) -> str:
    if "value" not in remote or abs(epoch_ms(own["as_of"]) - epoch_ms(remote["as_of"])) > _COMPARABLE_WITHIN:
        return "silent"
    if "unit" in remote:
        return "differs"
    if _exact_text(own) == _exact_text(remote):
        return "equal"
    # As doubles, which is what both sides compute with.
    a, b = float(own["value"]), float(remote["value"])
    within = float(tolerance["absolute"]) if "absolute" in tolerance else tolerance["relative"] * max(abs(a), abs(b))
    return "close" if abs(a - b) <= within else "differs"


def _exact_text(value: s.Document) -> str:
    return value.get("value_text") or number_text(value["value"])


def later_head_of(note: str, consistency: list[str], checkpoint: Checkpoint, signed: Signed, what: str) -> Checkpoint:
    """A head of `what` beside a bundle, signed as the bundle's is, that extends it."""
    head = parse_checkpoint(note)
    signers = signers_of(note, signed.document)
    demand(
        any(key in signers for key in signed.signers),
        f"no key that signed the bundle's checkpoint signed the head of {what}",
        "signature",
    )
    path = [from_hex(one, 32) for one in consistency]
    demand(
        extends(checkpoint.size, checkpoint.root, head.size, head.root, path),
        f"the head of {what} does not extend the bundle's checkpoint",
        "hash",
    )
    return head


def check_agreed(agreed: s.Document, checkpoint: Checkpoint, signed: Signed | None, value: s.Document | None) -> Check:
    """Checks how many other operators have the value, by what the log says."""
    if value is None:
        return not_checked(_NAME, "the leaf cannot be read", "unavailable")
    if signed is None:
        return not_checked(_NAME, "the signature of the bundle's checkpoint does not hold", "unavailable")

    def work() -> str:
        document = parse_agreement(agreed["document"])
        leaf = parse_comparison(agreed["leaf"])
        demand(not is_absence(value), "a day without a reading has no value to compare", "contradiction")
        _check_in_document(document, leaf)
        _check_of_value(leaf, value)
        demand(
            document["tree_size"] == agreed["size"]
            and is_included(agreed["leaf"], agreed, from_hex(document["root"], 32)),
            "the inclusion proof does not lead from the comparison to the day's root",
            "hash",
        )
        log = agreed["log"]
        entry = parse_entry(log["entry"])
        demand_about(entry, document, "agreement", document["day"], agreed["document"], "the document of agreement")
        head = later_head_of(log["checkpoint"], log["consistency"], checkpoint, signed, "the agreement")
        demand(
            log["size"] == head.size and is_included(log["entry"], log, head.root),
            "the inclusion proof does not lead from the agreement's entry to its checkpoint's root",
            "hash",
        )
        compared = [one for one in leaf["seen"] if one["relation"] != "silent"]
        agreeing = sum(one["relation"] != "differs" for one in compared)
        return f"{agreeing} of {len(compared)} other operators saw the same, as this log says in entry {log['index']}"

    return check(_NAME, work)
