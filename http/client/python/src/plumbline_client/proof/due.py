"""Whether the run of a value was due, after "The run of a value": by the schedule of its day, which the log had ahead of it."""

from __future__ import annotations

from . import shape as s
from .check import Check, not_checked, not_proved, refused
from .faults import Malformed, demand
from .first_entry import first_entry
from .log import demand_about, demand_under, is_simulated, parse_entry
from .note import Checkpoint
from .runs import LoggedRun
from .schedule import is_due, parse_schedule, scheduled_day
from .times import MINUTE, epoch_ms

_NAME = "schedule"
#: A service that comes back may run what is overdue before it enters the day's schedule.
_COMING_BACK = 15 * MINUTE


def check_schedule(evidence: s.Document, logged: LoggedRun, checkpoint: Checkpoint) -> Check:
    """Whether the run was due."""
    run = logged.run
    if is_simulated(run):
        return not_checked(_NAME, "a replay has none")
    if "rederives" in run:
        return not_checked(_NAME, f"run {run['run']} derived another again, which no schedule asks for")
    try:
        if "schedule" in evidence:
            return _by_schedule(evidence["schedule"], logged, checkpoint)
        return _without(evidence, logged, checkpoint)
    except Malformed as fault:
        return refused(_NAME, fault)


def _by_schedule(proof: s.Document, logged: LoggedRun, checkpoint: Checkpoint) -> Check:
    text, log, run = proof["document"], proof["log"], logged.run
    schedule = parse_schedule(text)
    demand_under(log, checkpoint, "the schedule")
    entry = parse_entry(log["entry"])
    demand_about(entry, schedule, "schedule", schedule["day"], text, "the schedule")
    day = scheduled_day(run)
    demand(
        schedule["day"] == day, f"the schedule is of {schedule['day']}, and the run of {day}", "contradiction"
    )
    after = epoch_ms(entry["recorded_at"]) - epoch_ms(run["began"])
    if after > 0:
        says = f"the schedule of {day} was entered at {entry['recorded_at']}, after the run had begun"
        if schedule["n"] == 1 or after <= _COMING_BACK:
            return not_checked(_NAME, says)
        return not_proved(_NAME, says, "time")
    if is_due(schedule, run):
        return Check(_NAME, True, f"run {run['run']} was due at {run['due']}, as the schedule of {day} said")
    return not_checked(_NAME, f"run {run['run']} is beside the schedule of {day}")


def _without(evidence: s.Document, logged: LoggedRun, checkpoint: Checkpoint) -> Check:
    first = first_entry("schedule", evidence["first_schedule"], checkpoint) if "first_schedule" in evidence else None
    hour = logged.hour
    if "schedule" not in hour:
        demand(
            first is None or first[1] > logged.index,
            f"the hour {hour['hour']} says that the log had no schedule, and it had one",
            "contradiction",
        )
        return not_checked(_NAME, f"the log had none by then, as its document of the hour {hour['hour']} says")
    if first is not None and epoch_ms(first[0]["recorded_at"]) > epoch_ms(logged.run["began"]):
        return not_checked(_NAME, f"the first schedule of this log was entered at {first[0]['recorded_at']}")
    return not_proved(_NAME, f"the schedule of {scheduled_day(logged.run)} is not here, and the log had schedules")
