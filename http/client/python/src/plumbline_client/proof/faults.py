"""Why something does not hold, and the exceptions that say so. The reasons are the closed list of the formats."""

from __future__ import annotations

from typing import Literal

Reason = Literal[
    "form",
    "newer",
    "unavailable",
    "missing",
    "hash",
    "signature",
    "key",
    "origin",
    "time",
    "contradiction",
    "unasked",
]


class Malformed(Exception):
    """What was read does not have the form it must have, or does not fit the rest."""

    def __init__(self, message: str, reason: Reason = "form") -> None:
        super().__init__(message)
        self.reason: Reason = reason


class CouldNotLook(Malformed):
    """What is needed could not be had: that proves nothing, and refutes nothing."""

    def __init__(self, message: str) -> None:
        super().__init__(message, "unavailable")


class Newer(Malformed):
    """A later release made it: that proves nothing, and refutes nothing."""

    def __init__(self, message: str) -> None:
        super().__init__(message, "newer")


def demand(condition: bool, message: str, reason: Reason = "form") -> None:
    """Raises `Malformed` with `message` and `reason` unless `condition` is true."""
    if not condition:
        raise Malformed(message, reason)
