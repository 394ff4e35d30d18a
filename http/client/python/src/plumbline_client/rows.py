"""Answers as flat rows."""

from __future__ import annotations

from typing import Any


def rows_of(answer: Any) -> list[dict[str, Any]]:
    """The rows of an answer: a list is its rows, a history has one per day, any other answer those of its first list."""
    if isinstance(answer, list):
        return answer
    if "window_days" in answer:
        return _days(answer)
    supply = answer.get("supply")
    if isinstance(supply, dict):
        return [{"symbol": answer["network"], "metric": metric, **member} for metric, member in supply.items()]
    lists = (value for value in answer.values() if isinstance(value, list))
    return next((rows for rows in lists if all(isinstance(row, dict) for row in rows)), [])


def _days(answer: dict[str, Any]) -> list[dict[str, Any]]:
    kept = ("tier", "source", "unit", "verify_url")
    return [
        {"symbol": symbol, "metric": metric, **{name: series[name] for name in kept}, **point}
        for symbol, metrics in answer["data"].items()
        for metric, series in metrics.items()
        for point in series["points"]
    ]
