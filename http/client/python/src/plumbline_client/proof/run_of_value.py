"""Whether the log knows the run that gave a value (`core/proof/formats/runs.md`, "The run of a value").

A hash or a document that contradicts itself fails; where a rule is not met, the value is not proved.
"""

from __future__ import annotations

from dataclasses import dataclass

from . import shape as s
from .check import Check, not_checked, not_proved, refused
from .due import check_schedule
from .encodings import sha256, utf8
from .faults import Malformed, demand
from .first_entry import LOGGED_FROM, first_entry, is_before_first
from .incidents import incidents_subject, parse_incidents
from .leaf import CLOCK_TOLERANCE, states_reading
from .log import demand_about, demand_under, is_simulated, parse_entry
from .note import Checkpoint, parse_checkpoint
from .runs import (
    LoggedRun,
    is_late_entry,
    notaries_drawn_from,
    other_run_of,
    run_under,
    run_with_row,
)
from .times import HOUR, epoch_ms, hour_begins
from .trust import Signed, signers_of

#: How far the clock of an exchange may be from that of its run.
_TOLERANCE = 2000
#: Longest time by which a value may be true after its run: of two clocks, each may be wrong by so much.
_AHEAD = 2 * CLOCK_TOLERANCE

_NAME = "run"


@dataclass(frozen=True)
class RunContext:
    """What a value's run is held to: the checkpoint that it is under, the leaf, and the entry of its batch."""

    checkpoint: Checkpoint
    leaf: s.Document | None
    batch: s.Document | None
    batch_index: int
    runs_from: str | None = None
    #: The keys of the bundle's checkpoint.
    signed: Signed | None = None
    #: A body in which the value stands is checked beside the run.
    has_body: bool = False


def check_run(evidence: s.Document, context: RunContext) -> list[Check]:
    """Whether a run that the log tells of gave the value, and what is not checked of it."""
    value = context.leaf
    if value is None:
        return [not_checked(_NAME, "the leaf cannot be read", "unavailable")]
    if not states_reading(value):
        return []
    try:
        if "observed" not in evidence:
            return [_without_run(evidence, context, value)]
        logged, doubt = _judge(evidence["observed"], context, value)
        if doubt is not None:
            return [not_proved(_NAME, f"run {logged.run['run']} does not prove this value: {doubt}", "contradiction")]
        says = f"run {logged.run['run']} gave this value; the log says so in entry {logged.index}"
        return [Check(_NAME, True, says), *_besides(evidence, value, logged, context)]
    except Malformed as fault:
        return [refused(_NAME, fault)]


def derives_the_day(day: str) -> str:
    """What checks that the batch of a day leaves out nothing that a run of it read."""
    return f"`plumbline verify derivations {day} --mirror <folder>` checks it, in a checkout"


def _besides(evidence: s.Document, value: s.Document, logged: LoggedRun, context: RunContext) -> list[Check]:
    """What follows from the run of a value and is checked by other means."""
    derived = not_checked(
        "the value follows from the body",
        f"`plumbline verify derivation {logged.run['run']}` checks it, in a checkout",
    )
    return [
        *([] if context.has_body else [derived]),
        not_checked("the last of its day", derives_the_day(value["day"])),
        check_schedule(evidence, logged, context.checkpoint),
        *_check_lot(logged, context),
    ]


def _check_lot(logged: LoggedRun, context: RunContext) -> list[Check]:
    """Whether the lot of a run's notary is there, and what is not checked of it."""
    name, run = "drawn", logged.run
    lot = run.get("lot")
    if lot is None:
        if "rederives" not in run and any(exchange["notes"] for exchange in run["exchanges"]):
            return [not_proved(name, f"notaries state answers of the run {run['run']}, and nothing says how they were drawn")]
        return []
    if notaries_drawn_from(logged.hour, run) is None:
        return [not_proved(name, f"the run {run['run']} does not say which notaries its own was drawn from")]
    note = next((one for one in logged.hour.get("drawn_by", []) if sha256(utf8(one)).hex() == lot["head"]), None)
    if note is None:
        return [not_proved(name, f"the hour {logged.hour['hour']} does not give the head {lot['head']}")]
    signed = context.signed
    if signed is None:
        return [not_checked(name, "the signature of the bundle's checkpoint does not hold", "unavailable")]
    try:
        head = parse_checkpoint(note)
        signers_of(note, signed.document)
        demand(head.size <= logged.index, f"a notary was drawn by a head of {head.size} entries, before there was one", "time")
    except Malformed as fault:
        return [refused(name, fault)]
    return [not_checked(name, f"by the signed head of {head.size} entries; that it is of this log is not checked here")]


def _judge(observed: s.Document, context: RunContext, value: s.Document) -> tuple[LoggedRun, str | None]:
    """The run, and why it does not prove the value."""
    logged = run_with_row(observed, context.checkpoint, value)
    _demand_lateness(logged)
    again = run_under(observed["rederived"], context.checkpoint).run if "rederived" in observed else None
    is_caused = "cause" in observed and _is_caused(observed["cause"], context, value, logged.run["plugin"])
    doubts = (
        _doubt_of_run(logged),
        _doubt_of_exchanges(logged.run, again),
        _doubt_of_order(logged, context),
        _doubt_of_as_of(value, logged),
        None if is_caused and _is_changed_later(value, logged) else _doubt_of_time(value, logged),
    )
    return logged, next((doubt for doubt in doubts if doubt is not None), None)


def _recorded(logged: LoggedRun) -> int:
    return epoch_ms(logged.entry["recorded_at"])


def _demand_lateness(logged: LoggedRun) -> None:
    """The document says of its own lateness what its entry says. A simulated one never is late."""
    hour = logged.hour
    demand(
        is_simulated(hour) or hour["late"] == is_late_entry(hour["hour"], _recorded(logged)),
        f"the hour {hour['hour']} was entered at another time than its document says",
        "time",
    )


def _is_late(logged: LoggedRun) -> bool:
    hour = logged.hour
    return "late" in logged.run or (not is_simulated(hour) and is_late_entry(hour["hour"], _recorded(logged)))


def _doubt_of_run(logged: LoggedRun) -> str | None:
    if logged.run["outcome"] != "stored":
        return f"its outcome is {logged.run['outcome']}: none of its rows was stored"
    end = hour_begins(logged.hour["hour"]) + HOUR
    if _recorded(logged) < end - (0 if is_simulated(logged.hour) else CLOCK_TOLERANCE):
        return f"its hour {logged.hour['hour']} was entered before it was over"
    return None


def _doubt_of_exchanges(run: s.Document, again: s.Document | None) -> str | None:
    """`again` is the run that it names as the one whose exchanges these are."""
    is_own = "rederives" not in run
    source = run if is_own else again
    if source is None:
        return f"it derives the run {run['rederives']} again, of which nothing is here"
    if not is_own and (source["run"] != run["rederives"] or source["plugin"] != run["plugin"]):
        return f"it derives the run {run['rederives']} again, and what is here is the run {source['run']}"
    first, last = epoch_ms(source["began"]) - _TOLERANCE, epoch_ms(source["ended"]) + _TOLERANCE
    if not all(first <= epoch_ms(exchange["at"]) <= last for exchange in run["exchanges"]):
        return f"an answer is of another time than the run {source['run']}"
    answers = {(exchange["at"], exchange["sha256"]) for exchange in source["exchanges"]}
    if not all((exchange["at"], exchange["sha256"]) in answers for exchange in run["exchanges"]):
        return f"the run {source['run']} lacks an answer"
    return None


def _doubt_of_order(logged: LoggedRun, context: RunContext) -> str | None:
    """The hour's entry is before the batch's, if the hour was over ten minutes before that was closed."""
    if context.batch is None or logged.index <= context.batch_index or is_simulated(logged.hour) or _is_late(logged):
        return None
    if is_late_entry(logged.hour["hour"], epoch_ms(context.batch["closed_at"])):
        return f"its hour {logged.hour['hour']} was over when the batch was closed, and was entered after it"
    return None


def _doubt_of_as_of(value: s.Document, logged: LoggedRun) -> str | None:
    if epoch_ms(value["as_of"]) > epoch_ms(logged.run["ended"]) + _AHEAD:
        return f"it ended at {logged.run['ended']}, before the value was true at {value['as_of']}"
    return None


def _is_changed_later(value: s.Document, logged: LoggedRun) -> bool:
    return epoch_ms(value["recorded_at"]) > _recorded(logged)


def _doubt_of_time(value: s.Document, logged: LoggedRun) -> str | None:
    if epoch_ms(logged.run["began"]) - _TOLERANCE > epoch_ms(value["recorded_at"]):
        return f"it began at {logged.run['began']}, after the value was recorded at {value['recorded_at']}"
    if _is_changed_later(value, logged):
        return f"the row was changed at {value['recorded_at']}, and nothing says by what"
    return None


def _is_caused(cause: s.Document, context: RunContext, value: s.Document, plugin: str) -> bool:
    """True if an incident or another run changed the row when the value was recorded."""
    if "incidents" in cause and _is_of_incident(cause["incidents"], context, value):
        return True
    if "run" not in cause:
        return False
    other = other_run_of(cause["run"], context.checkpoint, value)
    _demand_lateness(other)
    return (
        other.run["plugin"] == plugin
        and is_simulated(other.run) == is_simulated(value)
        and _doubt_of_run(other) is None
        and _doubt_of_time(value, other) is None
    )


def _is_of_incident(logged: s.Document, context: RunContext, value: s.Document) -> bool:
    text, log = logged["document"], logged["log"]
    read = parse_incidents(text)
    demand_under(log, context.checkpoint, "the incidents")
    entry = parse_entry(log["entry"])
    demand_about(entry, read, "incidents", incidents_subject(read), text, "the document of incidents")
    demand(
        is_simulated(read) == is_simulated(value),
        "the incidents and the value disagree on whether they are simulated",
        "contradiction",
    )
    return any(_changed(event, value) for event in read["events"])


def _changed(event: s.Document, value: s.Document) -> bool:
    return (
        epoch_ms(event["at"]) == epoch_ms(value["recorded_at"])
        and (event["symbol"], event["metric"]) == (value["symbol"], value["metric"])
        and event.get("source", value["source"]) == value["source"]
        and event["from"][:10] <= value["day"]
        and ("to" not in event or epoch_ms(event["to"]) >= epoch_ms(value["day"]))
    )


def first_hour_of(logged: s.Document, checkpoint: Checkpoint) -> str:
    """The hour of the first document of runs of the log."""
    return str(first_entry("runs", logged, checkpoint)[0]["subject"])


def _is_before_runs(value: s.Document, first: str | None) -> bool:
    begins = None if first is None else f"{first}:00:00Z"
    return is_before_first(value["recorded_at"], value["day"], is_simulated(value), begins)


def _is_unstored(unstored: s.Document, checkpoint: Checkpoint, value: s.Document) -> bool:
    """True for a run whose rows an earlier release removed. A demo has the rows of all its runs."""
    logged = run_under(unstored, checkpoint)
    _demand_lateness(logged)
    return (
        not is_simulated(value)
        and not is_simulated(logged.run)
        and logged.run["ended"][:10] < LOGGED_FROM
        and _doubt_of_run(logged) is None
        and _doubt_of_time(value, logged) is None
    )


def _without_run(evidence: s.Document, context: RunContext, value: s.Document) -> Check:
    first = context.runs_from
    if "first_runs" in evidence:
        first = first_hour_of(evidence["first_runs"], context.checkpoint)
    if _is_before_runs(value, first):
        return not_checked(_NAME, "made before runs were logged", "unavailable")
    if "unstored" in evidence and _is_unstored(evidence["unstored"], context.checkpoint, value):
        return not_checked(_NAME, "its rows are no longer stored", "unavailable")
    return not_proved(_NAME, "no run is known that gave this value")
