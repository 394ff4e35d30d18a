"""Whether a log had entries of a kind by a time: by its first one, which has the number 1, or by the release that began the kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from . import shape as s
from .faults import demand
from .keys import parse_logged_keys
from .log import demand_about, demand_under, is_simulated, parse_entry
from .note import Checkpoint
from .runs import parse_runs
from .schedule import parse_schedule
from .times import epoch_ms

#: The day of the first release that enters keys, runs, schedules and events.
LOGGED_FROM = "2026-11-29"


def is_before_first(at: str, day: str, simulated: bool, first: str | None) -> bool:
    """True if the log had no entry of the kind by then; `first` is the time of the first one, where that is known."""
    if first is None:
        return not simulated and day < LOGGED_FROM
    return epoch_ms(at) < epoch_ms(first)


def _keys(text: str) -> tuple[int, str, bool]:
    document = parse_logged_keys(text)
    return document.n, str(document.n), document.simulated


def _runs(text: str) -> tuple[int, str, bool]:
    document = parse_runs(text)
    return document["n"], document["hour"], is_simulated(document)


def _schedule(text: str) -> tuple[int, str, bool]:
    document = parse_schedule(text)
    return document["n"], document["day"], is_simulated(document)


#: Of a document its number, its subject, and whether it is simulated.
_COUNTED: Mapping[str, Callable[[str], tuple[int, str, bool]]] = {
    "keys": _keys,
    "runs": _runs,
    "schedule": _schedule,
}


def first_entry(kind: str, logged: s.Document, checkpoint: Checkpoint) -> tuple[s.Document, int]:
    """The first entry of a kind in the log, and its place."""
    text, log = logged["document"], logged["log"]
    n, subject, simulated = _COUNTED[kind](text)
    demand_under(log, checkpoint, f"the first document of kind {kind}")
    entry = parse_entry(log["entry"])
    said = {"simulated": True} if simulated else {}
    demand_about(entry, said, kind, subject, text, f"the first document of kind {kind}")
    demand(n == 1, f"the document {subject} of kind {kind} is number {n}, and not the first", "contradiction")
    return entry, log["index"]
