"""The rows of values in what was sold, wherever they are in it: what a warranty covers.

Products have them in three shapes: a row of one value, the daily history of a series in columns, and a row of figures that
are named after their metrics. A warranty covers those that have an `as_of` of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from . import shape as s
from .times import is_time

_INDEX = re.compile(r"0|[1-9][0-9]{0,9}")


def dated_rows(data: Any, symbol: str | None = None) -> Iterator[s.Document]:
    """The rows with an `as_of` of their own, in the order of the data: `symbol`, `metric`, `source`, `as_of`, `value`."""
    if isinstance(data, list):
        for one in data:
            yield from dated_rows(one, symbol)
    elif isinstance(data, dict):
        own = data.get("symbol")
        named = own if s.is_name(own) else symbol
        if named is not None:
            yield from _value_of(data, named)
            yield from _figures_of(data, named)
        for _, one in _in_order(data):
            yield from dated_rows(one, named)


def _in_order(members: dict[str, Any]) -> list[tuple[str, Any]]:
    """Members as ECMAScript orders them: names that are indices of arrays come first, as numbers."""
    items = list(members.items())
    indices = [item for item in items if _INDEX.fullmatch(item[0]) is not None and int(item[0]) < 2**32 - 1]
    if not indices:
        return items
    return sorted(indices, key=lambda item: int(item[0])) + [item for item in items if item not in indices]


def _origin_of(row: dict[str, Any]) -> dict[str, Any] | None:
    source, as_of = row.get("source"), row.get("as_of")
    return {"source": source, "as_of": as_of} if s.is_name(source) and is_time(as_of) else None


def _value_of(row: dict[str, Any], symbol: str) -> Iterator[s.Document]:
    """A row of one value; its network may be named by what it is in."""
    origin, metric, value = _origin_of(row), row.get("metric"), row.get("value")
    if origin is not None and s.is_name(metric) and s.is_number(value):
        yield {"symbol": symbol, "metric": metric, "value": value, **origin}


def _figures_of(row: dict[str, Any], symbol: str) -> Iterator[s.Document]:
    """Figures in US dollars that have an origin of their own. The row's is the oldest of theirs, so of none for certain."""
    own = row.get("field_sources")
    if _origin_of(row) is None or "metric" in row or not isinstance(own, dict):
        return
    for metric, value in _in_order(row):
        named = own.get(metric)
        origin = _origin_of(named) if isinstance(named, dict) else None
        if metric.endswith("_usd") and s.is_number(value) and origin is not None:
            yield {"symbol": symbol, "metric": metric, "value": value, **origin}
