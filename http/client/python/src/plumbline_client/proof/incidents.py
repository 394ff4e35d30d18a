"""The document of incidents, after the table of kinds in "The log": what was opened and closed since the last one."""

from __future__ import annotations

from . import shape as s
from .faults import Malformed
from .json_text import parse_canonical
from .times import epoch_ms

_TAG = "service-incidents-v1"

_EVENT = {
    "n": s.ORDINAL,
    "event": s.one_of("opened", "closed"),
    "incident": s.ORDINAL,
    "kind": s.one_of("automatic", "manual"),
    "symbol": s.NAME,
    "metric": s.NAME,
    "source": s.optional(s.NAME),
    "from": s.TIME,
    "to": s.optional(s.TIME),
    "reason": s.NON_EMPTY,
    "at": s.TIME,
    "note": s.optional(s.NON_EMPTY),
}

_SHAPE = {
    "v": s.tag_of(_TAG),
    "events": s.list_of(s.nested("an event of an incident", _EVENT)),
    "simulated": s.TRUE_OR_ABSENT,
}


def parse_incidents(text: str) -> s.Document:
    """Parses the document, which must be canonical JSON."""
    document = s.read_shape("a document of incidents", parse_canonical(text), _SHAPE)
    s.check_tag(document, _TAG)
    events = document["events"]
    if not events:
        raise Malformed("a document of incidents must not be empty")
    for before, one in zip(events, events[1:]):
        if one["n"] != before["n"] + 1:
            raise Malformed(f"event {one['n']} follows event {before['n']}: events are missing or out of order")
    for one in events:
        if "to" not in one and one["event"] == "closed":
            raise Malformed(f"event {one['n']}: `to` may be absent only while the incident is open")
        if "to" in one and epoch_ms(one["to"]) < epoch_ms(one["from"]):
            raise Malformed(f"event {one['n']}: the incident ends before it begins")
    return document


def incidents_subject(document: s.Document) -> str:
    """Subject of the document's log entry: `<first n>-<last n>`."""
    return f"{document['events'][0]['n']}-{document['events'][-1]['n']}"
