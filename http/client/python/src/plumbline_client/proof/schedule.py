"""The schedule of a day, after "The runs"."""

from __future__ import annotations

from . import shape as s
from .faults import Malformed
from .json_text import parse_canonical
from .times import epoch_ms, iso_ms

_TAG = "service-schedule-v1"
_FEED = {"plugin": s.NAME, "every": s.ORDINAL, "first": s.TIME}
_SCHEDULE = {
    "v": s.tag_of(_TAG),
    "n": s.ORDINAL,
    "day": s.DAY,
    "feeds": s.list_of(s.nested("a feed of a schedule", _FEED)),
    "simulated": s.TRUE_OR_ABSENT,
}


def parse_schedule(text: str) -> s.Document:
    """Parses the document, which must be canonical JSON."""
    document = s.read_shape("a schedule", parse_canonical(text), _SCHEDULE)
    s.check_tag(document, _TAG)
    before = None
    for feed in document["feeds"]:
        if before is not None and before.encode("utf-16-be") >= feed["plugin"].encode("utf-16-be"):
            raise Malformed("a schedule must name each feed once, in order")
        before = feed["plugin"]
        if iso_ms(epoch_ms(feed["first"]))[:10] != document["day"]:
            raise Malformed(f"the first run of {feed['plugin']} is due at {feed['first']}, not on {document['day']}")
    return document


def scheduled_day(run: s.Document) -> str:
    """The day whose schedule a run belongs to."""
    return str(run.get("due", run["began"]))[:10]


def is_due(schedule: s.Document, run: s.Document) -> bool:
    """True if the run was due at a time of the schedule."""
    feed = next((one for one in schedule["feeds"] if one["plugin"] == run["plugin"]), None)
    if feed is None or "due" not in run:
        return False
    since = epoch_ms(run["due"]) - epoch_ms(feed["first"])
    return since >= 0 and since % (feed["every"] * 1000) == 0
