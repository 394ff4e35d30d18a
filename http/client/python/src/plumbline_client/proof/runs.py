"""Runs of collectors: the leaf of a run, the document of its hour, and that both fit (`core/proof/formats/runs.md`)."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from . import shape as s
from .encodings import from_hex, sha256, utf8, utf16_length, utf16_order, whole_lines
from .faults import Malformed, demand
from .json_text import canonical, parse_canonical, parse_json
from .leaf import is_absence, series_order
from .log import ENTRY_SHAPE, demand_about, demand_under, is_simulated, parse_entry
from .merkle import PROOF_SHAPE, is_included, leads, leaf_hash, root_of
from .note import Checkpoint
from .times import HOUR, MINUTE, epoch_ms, hour_begins

_LEAF_TAG = "service-run-v1"
_HOUR_TAG = "service-runs-v1"
#: A longer address is in a leaf by its hash.
LONGEST_URL = 500
_NO_ROWS = sha256(b"").hex()
#: How long after an hour its document may be entered.
_WITHIN = 10 * MINUTE

_COMMON = {"v": s.tag_of(_LEAF_TAG), "plugin": s.NAME, "simulated": s.TRUE_OR_ABSENT}

_EXCHANGE = {
    "method": s.one_of("GET", "POST", "LISTEN"),
    "url": s.optional(s.NAME),
    "url_sha256": s.optional(s.HASH),
    "request_sha256": s.optional(s.HASH),
    "at": s.TIME,
    "status": s.COUNT,
    "headers_sha256": s.optional(s.HASH),
    "sha256": s.HASH,
    "confirmed": s.TRUE_OR_ABSENT,
    "notes": s.HASHES,
}

_RAN = {
    **_COMMON,
    "run": s.NAME,
    "due": s.optional(s.TIME),
    "began": s.TIME,
    "ended": s.TIME,
    "now": s.TIME,
    "late": s.TRUE_OR_ABSENT,
    "outcome": s.one_of("stored", "unchanged", "refused", "failed", "recheck"),
    "code_hash": s.HASH,
    "targets_sha256": s.HASH,
    "settings_sha256": s.HASH,
    "rows_root": s.HASH,
    "n_rows": s.COUNT,
    "n_refused": s.COUNT,
    "exchanges": s.list_of(s.nested("an exchange", _EXCHANGE)),
    "lot": s.optional(s.nested("the lot of a run", {"head": s.HASH, "notary": s.NAME, "from": s.optional(s.HASH)})),
    "rederives": s.optional(s.NAME),
}

_SKIPPED = {**_COMMON, "due": s.TIME, "until": s.TIME, "outcome": s.one_of("skipped"), "cause": s.NON_EMPTY}

_HOUR = {
    "v": s.tag_of(_HOUR_TAG),
    "n": s.ORDINAL,
    "hour": s.HOUR,
    "late": s.FLAG,
    "root": s.HASH,
    "tree_size": s.ORDINAL,
    "n_late": s.COUNT,
    "n_skipped": s.COUNT,
    "n_exchanges": s.COUNT,
    "n_notarised": s.COUNT,
    "notaries": s.list_of(s.NAME),
    "drawn_from": s.optional(s.list_of(s.list_of(s.NAME))),
    "n_draws": s.optional(s.ORDINAL),
    "drawn_by": s.optional(s.list_of(s.TEXT)),
    "schedule": s.optional(s.HASH),
    "simulated": s.TRUE_OR_ABSENT,
}

#: A document of the log, with its entry.
LOGGED = {"document": s.TEXT, "log": s.nested("the document's place in the log", ENTRY_SHAPE)}
#: A run: its leaf in the tree of its hour, the hour's document, and that document's entry.
RUN_PROOF = {**PROOF_SHAPE, **LOGGED, "leaf": s.TEXT}
_ROW_PLACE = {"index": s.COUNT, "path": s.HASHES}

#: The run that observed a value, as evidence has it.
OBSERVED = {
    **RUN_PROOF,
    "row": s.nested("the row of the value", _ROW_PLACE),
    "rederived": s.optional(s.nested("the run that was derived again", RUN_PROOF)),
    "cause": s.optional(
        s.nested(
            "what changed the row",
            {
                "incidents": s.optional(s.nested("a document of incidents", LOGGED)),
                "run": s.optional(
                    s.nested(
                        "another run of the day",
                        {**RUN_PROOF, "row": s.nested("its row", _ROW_PLACE), "text": s.TEXT},
                    )
                ),
            },
        )
    ),
    "again": s.optional(s.list_of(s.nested("a run that gave the same rows", RUN_PROOF))),
    "notes": s.optional(s.list_of(s.TEXT)),
}


def parse_run_leaf(text: str) -> s.Document:
    """Parses the leaf of a run, or of one that was skipped; it must be canonical JSON."""
    value = parse_canonical(text)
    if isinstance(value, dict) and value.get("outcome") == "skipped":
        leaf = s.read_shape("a skipped run", value, _SKIPPED)
        s.check_tag(leaf, _LEAF_TAG)
        if epoch_ms(leaf["until"]) <= epoch_ms(leaf["due"]):
            raise Malformed(f"a run due at {leaf['due']} cannot be skipped by {leaf['until']}")
        return leaf
    leaf = s.read_shape("a run", value, _RAN)
    s.check_tag(leaf, _LEAF_TAG)
    _check_ran(leaf)
    return leaf


def parse_run_leaves(text: str) -> list[s.Document]:
    """Parses the leaves of an hour, one a line."""
    return [parse_run_leaf(line) for line in whole_lines(text)]


def is_skipped(leaf: s.Document) -> bool:
    return bool(leaf["outcome"] == "skipped")


def _check_ran(leaf: s.Document) -> None:
    outcome, n_rows = leaf["outcome"], leaf["n_rows"]
    if epoch_ms(leaf["ended"]) < epoch_ms(leaf["began"]):
        raise Malformed(f"a run ended at {leaf['ended']}, before it began")
    if (n_rows == 0) != (leaf["rows_root"] == _NO_ROWS):
        raise Malformed("a run must have the root of nothing exactly if it has no rows")
    if outcome == "stored" and n_rows == 0:
        raise Malformed("a run without rows stored none")
    if outcome in ("failed", "refused") and n_rows > 0:
        raise Malformed(f"a run that was {outcome} has no rows")
    if outcome == "refused" and leaf["n_refused"] == 0:
        raise Malformed("a run of which nothing was refused")
    for exchange in leaf["exchanges"]:
        if ("url" in exchange) == ("url_sha256" in exchange):
            raise Malformed("an exchange must have either `url` or `url_sha256`")
        if utf16_length(exchange.get("url", "")) > LONGEST_URL:
            raise Malformed(f"an address of more than {LONGEST_URL} characters must be named by its hash")


def parse_runs(text: str) -> s.Document:
    """Parses the document of an hour, which must be canonical JSON."""
    document = s.read_shape("a document of runs", parse_canonical(text), _HOUR)
    s.check_tag(document, _HOUR_TAG)
    if max(document["n_late"], document["n_skipped"]) > document["tree_size"]:
        raise Malformed("a document of runs counts more late or skipped runs than it has leaves")
    if document["n_notarised"] > document["n_exchanges"]:
        raise Malformed("a document of runs counts more exchanges with a note than exchanges")
    if not _is_in_order(document["notaries"]):
        raise Malformed("a document of runs must name each notary once, in order")
    drawn_from = document.get("drawn_from")
    if drawn_from is not None and not (drawn_from and all(one and _is_in_order(one) for one in drawn_from)):
        raise Malformed("a document of runs must list what notaries were drawn from, each once and in order")
    return document


def _is_in_order(names: Sequence[str]) -> bool:
    return all(utf16_order(a) < utf16_order(b) for a, b in itertools.pairwise(names))


def is_late_entry(hour: str, at: int) -> bool:
    """True if a document of the hour that is entered at `at` is late."""
    return at > hour_begins(hour) + HOUR + _WITHIN


def notaries_drawn_from(document: s.Document, leaf: s.Document) -> list[str] | None:
    """The notaries that a run drew from, None where nobody wrote them down. Draws again."""
    lot = leaf.get("lot")
    if lot is None or "from" not in lot:
        return None
    listed: list[str] | None = next(
        (one for one in document.get("drawn_from", []) if notary_list_hash(one) == lot["from"]), None
    )
    if listed is None:
        raise Malformed(f"the document does not list the notaries that run {leaf['run']} drew from", "contradiction")
    subject = leaf.get("due", leaf["run"])
    digest = sha256(utf8(f"{lot['head']}\n{leaf['plugin']}\n{subject}\n"))
    drawn = listed[int.from_bytes(digest[:6], "big") % len(listed)]
    if drawn != lot["notary"]:
        raise Malformed(
            f"run {leaf['run']} used the notary {lot['notary']}, but the lot fell on {drawn}", "contradiction"
        )
    return listed


def notary_list_hash(keys: Sequence[str]) -> str:
    """Names the notaries that a run draws from: over their verifier keys in order, each with a newline."""
    return sha256(utf8("".join(f"{key}\n" for key in keys))).hex()


def check_run_of(document: s.Document, leaf: s.Document) -> None:
    """Raises `Malformed` if the leaf cannot be in the document."""
    demand(
        is_simulated(leaf) == is_simulated(document),
        "the run and its document disagree on whether they are simulated",
        "contradiction",
    )
    begins = hour_begins(document["hour"])
    if is_skipped(leaf):
        demand(
            epoch_ms(leaf["until"]) <= begins,
            "a run that could still begin cannot have been skipped in this hour",
            "time",
        )
        return
    notaries_drawn_from(document, leaf)
    ended = epoch_ms(leaf["ended"])
    demand(ended < begins + HOUR, "a run that ended after the hour cannot be in its document", "time")
    demand(
        (ended < begins) == ("late" in leaf),
        "a run must be `late` exactly if it ended before the hour of its document",
        "time",
    )


def check_runs_of(document: s.Document, leaves: Sequence[s.Document]) -> None:
    """Raises `Malformed` unless these are the leaves of the document: all of them, in order, as it counts them."""
    for leaf in leaves:
        check_run_of(document, leaf)
    keys = [_order_of(leaf) for leaf in leaves]
    demand(all(a < b for a, b in itertools.pairwise(keys)), "a run of the hour is out of order, or there twice")
    demand(
        len(leaves) == document["tree_size"],
        "the hour has another number of runs than its document says",
        "contradiction",
    )
    exchanges = [exchange for leaf in leaves for exchange in leaf.get("exchanges", [])]
    counts = {
        "n_exchanges": len(exchanges),
        "n_late": sum("late" in leaf for leaf in leaves),
        "n_notarised": sum(len(exchange["notes"]) > 0 for exchange in exchanges),
        "n_skipped": sum(map(is_skipped, leaves)),
    }
    for name, counted in counts.items():
        demand(
            document[name] == counted,
            f"`{name}` of the leaves is {counted}, but the document says otherwise",
            "contradiction",
        )
    root = root_of([utf8(canonical(leaf)) for leaf in leaves])
    demand(root == from_hex(document["root"], 32), "the leaves do not hash to the root of the hour", "hash")


def _order_of(leaf: s.Document) -> tuple[int, bytes, int]:
    """Runs by their id; then those that did not take place, by plugin and time."""
    if is_skipped(leaf):
        return 1, utf16_order(leaf["plugin"]), epoch_ms(leaf["due"])
    return 0, utf16_order(leaf["run"]), 0


def row_text(value: s.Document) -> str:
    """The row of a value's leaf as a run's `rows_root` has it: a JSON array without white space."""
    return canonical(
        [
            value["symbol"],
            value["metric"],
            value["source"],
            value["as_of"],
            value["value"],
            value.get("value_text"),
            value["unit"],
            value["verify_url"],
        ]
    )


@dataclass(frozen=True)
class LoggedRun:
    """A run with the hour that tells of it, and the entry, at `index` in the log, by which the log does."""

    run: s.Document
    hour: s.Document
    entry: s.Document
    index: int


def run_under(proof: s.Document, checkpoint: Checkpoint) -> LoggedRun:
    """A run that took place, whose hour is in the log under the checkpoint."""
    text, leaf = proof["document"], proof["leaf"]
    hour = parse_runs(text)
    demand(
        hour["tree_size"] == proof["size"] and is_included(leaf, proof, from_hex(hour["root"], 32)),
        "the inclusion proof does not lead from the run's leaf to the hour's root",
        "hash",
    )
    entry = parse_entry(proof["log"]["entry"])
    demand_about(entry, hour, "runs", hour["hour"], text, "the hour's document")
    run = parse_run_leaf(leaf)
    demand(not is_skipped(run), "the leaf is of a run that did not take place", "contradiction")
    check_run_of(hour, run)
    demand_under(proof["log"], checkpoint, "the hour")
    return LoggedRun(run, hour, entry, proof["log"]["index"])


def run_with_row(observed: s.Document, checkpoint: Checkpoint, value: s.Document) -> LoggedRun:
    """The run in whose rows the value's row is."""
    logged = run_under(observed, checkpoint)
    demand(
        is_simulated(value) == is_simulated(logged.run),
        "the run and the value disagree on whether they are simulated",
        "contradiction",
    )
    _demand_row(row_text(value), logged.run, observed["row"])
    return logged


def _demand_row(text: str, run: s.Document, place: s.Document) -> None:
    path = [from_hex(one, 32) for one in place["path"]]
    root = from_hex(run["rows_root"], 32)
    demand(
        leads(leaf_hash(utf8(text)), place["index"], run["n_rows"], path, root),
        f"the path does not lead from the value's row to the rows of the run {run['run']}",
        "hash",
    )


def other_run_of(proof: s.Document, checkpoint: Checkpoint, value: s.Document) -> LoggedRun:
    """The run that a row of another reading of the value's series and day is of."""
    logged = run_under(proof, checkpoint)
    _demand_row(proof["text"], logged.run, proof["row"])
    read = parse_json(proof["text"])
    named = read[:4] if isinstance(read, list) else []
    of_series = len(named) == 4 and all(isinstance(one, str) for one in named)
    demand(
        of_series
        and series_order(dict(zip(("symbol", "metric", "source"), named))) == series_order(value)
        and named[3].startswith(f"{value['day']}T"),
        "the other run's row is not a reading of the same series and day",
        "contradiction",
    )
    return logged


def runs_of(observed: s.Document, checkpoint: Checkpoint, value: s.Document) -> list[s.Document]:
    """The runs that gave the value: the one that observed it, and others with the very same rows."""
    demand(not is_absence(value), "a day without a reading has no run that gave it", "contradiction")
    first = run_with_row(observed, checkpoint, value).run
    others = [run_under(proof, checkpoint).run for proof in observed.get("again", [])]
    for other in others:
        same = (other["plugin"], other["rows_root"]) == (first["plugin"], first["rows_root"])
        demand(
            same and other["run"] != first["run"] and other["outcome"] != "recheck",
            f"run {other['run']} is not another one that gave the rows of run {first['run']}",
            "contradiction",
        )
    return [first, *others]
