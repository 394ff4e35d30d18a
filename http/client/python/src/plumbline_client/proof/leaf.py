"""The leaves of a day's batch, after "The leaf" and "The absence leaf": one for each series and day, and one for the absences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from . import shape as s
from .encodings import sha256, utf8
from .faults import Malformed
from .json_text import canonical, parse_canonical
from .numbers import is_exact_text_of, number_text
from .times import DAY, HOUR, MINUTE, epoch_ms

_TAG = "service-leaf-v2"

_ROW = {
    "v": s.tag_of(_TAG),
    "kind": s.one_of("reading", "late", "revision"),
    "symbol": s.NAME,
    "metric": s.NAME,
    "source": s.NAME,
    "unit": s.NAME,
    "day": s.DAY,
    "as_of": s.TIME,
    "value": s.NUMBER,
    "value_text": s.optional(s.NAME),
    "n_observations": s.COUNT,
    "readings_sha256": s.HASH,
    "verify_url": s.NAME,
    "version": s.ORDINAL,
    "follows": s.optional(s.HASH),
    "excluded_by": s.optional(s.ORDINAL),
    "recorded_at": s.TIME,
    "simulated": s.TRUE_OR_ABSENT,
}

_ABSENCE = {
    "v": s.tag_of(_TAG),
    "kind": s.one_of("absent"),
    "day": s.DAY,
    "cut_off": s.TIME,
    "n_series": s.COUNT,
    "series_sha256": s.HASH,
    "simulated": s.TRUE_OR_ABSENT,
}

_LISTED = {"symbol": s.NAME, "metric": s.NAME, "source": s.NAME, "ended": s.TRUE_OR_ABSENT}

#: How far another clock may be ahead of the one that is compared with it, in milliseconds.
CLOCK_TOLERANCE = 5 * MINUTE

_NOTHING = sha256(b"").hex()


def parse_leaf(text: str) -> s.Document:
    """Parses a leaf of either form, which must be canonical JSON."""
    value = parse_canonical(text)
    if isinstance(value, dict) and value.get("kind") == "absent":
        leaf = s.read_shape("an absence leaf", value, _ABSENCE)
        s.check_tag(leaf, _TAG)
        return leaf
    leaf = s.read_shape("a leaf", value, _ROW)
    s.check_tag(leaf, _TAG)
    _check_times(leaf)
    _check_versions(leaf)
    return leaf


def _check_times(leaf: s.Document) -> None:
    recorded = epoch_ms(leaf["recorded_at"])
    if not leaf["as_of"].startswith(f"{leaf['day']}T"):
        raise Malformed("a leaf's day must be the UTC day of its as_of")
    if recorded < epoch_ms(leaf["as_of"]) - CLOCK_TOLERANCE:
        raise Malformed("a leaf must not be recorded more than 5 minutes before its as_of")
    # The batch of a day closes at 08:00 UTC of the next one.
    if leaf["kind"] == "late" and recorded <= epoch_ms(leaf["day"]) + DAY + 8 * HOUR:
        raise Malformed("a late leaf must be recorded after the cut-off of its day")


def _check_versions(leaf: s.Document) -> None:
    version, kind = leaf["version"], leaf["kind"]
    if "value_text" in leaf and not is_exact_text_of(leaf["value_text"], leaf["value"]):
        raise Malformed("a leaf's value_text must be the number whose nearest double is its value")
    if leaf["n_observations"] == 0 and leaf["readings_sha256"] != _NOTHING:
        raise Malformed("a leaf without observations must have the readings_sha256 of no reading")
    if leaf["n_observations"] == 0 and version == 1:
        raise Malformed("version 1 of a leaf must have observations")
    if (version > 1) != ("follows" in leaf):
        raise Malformed("a leaf must have `follows` exactly if its version is above 1")
    if (kind == "reading" and version > 1) or (kind == "revision" and version == 1):
        raise Malformed("a reading must be version 1, and a revision must not be")


def is_absence(leaf: s.Document) -> bool:
    return bool(leaf["kind"] == "absent")


def states_reading(leaf: s.Document) -> bool:
    """True for a leaf that states a reading: what an absence or a withdrawn day says, no run gave."""
    return not is_absence(leaf) and leaf["n_observations"] > 0


def leaf_text(leaf: s.Document) -> str:
    """The leaf's canonical JSON."""
    return canonical(leaf)


def reading_line(leaf: s.Document) -> str:
    """The line `as_of|value` of the leaf's last reading."""
    return f"{leaf['as_of']}|{leaf.get('value_text') or number_text(leaf['value'])}"


def series_order(series: Mapping[str, Any]) -> tuple[bytes, bytes, bytes]:
    """Key of the order of series: by symbol, metric and source as UTF-8 bytes."""
    return utf8(series["symbol"]), utf8(series["metric"]), utf8(series["source"])


def parse_absence_list(text: str) -> list[s.Document]:
    """Parses the list that an absence leaf commits to: canonical JSON, in the order of leaves, no series twice."""
    value = parse_canonical(text)
    if not isinstance(value, list):
        raise Malformed("a list of absences must be an array")
    listed = [s.read_shape("an absent series", one, _LISTED) for one in value]
    for before, one in zip(listed, listed[1:]):
        if series_order(before) >= series_order(one):
            raise Malformed("a list of absences must be sorted by symbol, metric and source, and name a series once")
    return listed


def proven_absence(leaf: s.Document, text: str, series: s.Document) -> s.Document:
    """The series on the list that the leaf commits to. Raises `Malformed` if it is another list or lacks the series."""
    if sha256(utf8(text)).hex() != leaf["series_sha256"]:
        raise Malformed("the list of absences does not match the leaf's series_sha256", "hash")
    listed = parse_absence_list(text)
    if len(listed) != leaf["n_series"]:
        raise Malformed(
            f"the leaf counts {leaf['n_series']} absent series, but the list has {len(listed)}",
            "contradiction",
        )
    found = next((one for one in listed if series_order(one) == series_order(series)), None)
    if found is None:
        raise Malformed(f"{series['metric']} of {series['symbol']} is not on the list of absences", "missing")
    return found
