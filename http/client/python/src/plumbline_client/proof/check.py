"""The result of a verification: one check for each thing that was looked at, as the first verifier names them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeVar

from .faults import CouldNotLook, Malformed, Newer, Reason

#: `not proved`: it neither holds nor fails. `not checked`: nobody asked, or nothing depends on it.
Outcome = Literal[True, False, "not proved", "not checked"]

A = TypeVar("A")


@dataclass(frozen=True)
class Check:
    """`reason` says for programs why it does not hold, and is None where it does."""

    name: str
    ok: Outcome
    detail: str
    reason: Reason | None = None

    def as_json(self) -> dict[str, Any]:
        """Its members as the command prints them."""
        members: dict[str, Any] = {"name": self.name, "ok": self.ok, "detail": self.detail}
        return members if self.reason is None else {**members, "reason": self.reason}


def refused(name: str, fault: Malformed) -> Check:
    """A check that raised: it fails, unless a newer release made its input, or it could not be looked at."""
    ok: Outcome = "not proved" if isinstance(fault, (Newer, CouldNotLook)) else False
    return Check(name, ok, str(fault), fault.reason)


def check(name: str, work: Callable[[], str]) -> Check:
    """Holds with the text that `work` returns; is `refused` if it raises `Malformed`."""
    try:
        return Check(name, True, work())
    except Malformed as fault:
        return refused(name, fault)


def reading(name: str, work: Callable[[], A], says: Callable[[Any], str]) -> tuple[A | None, Check]:
    """Like `check`, but also gives what `work` read, None if it failed."""
    try:
        value = work()
    except Malformed as fault:
        return None, refused(name, fault)
    return value, Check(name, True, says(value))


def failed(name: str, detail: str, reason: Reason) -> Check:
    return Check(name, False, detail, reason)


def not_proved(name: str, detail: str, reason: Reason = "missing") -> Check:
    return Check(name, "not proved", detail, reason)


def not_checked(name: str, detail: str, reason: Reason = "unasked") -> Check:
    return Check(name, "not checked", detail, reason)


def of_part(part: str, checks: Sequence[Check]) -> list[Check]:
    """The checks of a part of what is verified: `payee: key in use`."""
    return [replace(one, name=f"{part}: {one.name}") for one in checks]


def exit_of(checks: Sequence[Check]) -> int:
    """0 if everything holds, 1 if something does not, 2 if something is not proved, or nothing was checked."""
    if any(one.ok is False for one in checks):
        return 1
    if any(one.ok == "not proved" for one in checks):
        return 2
    return 0 if any(one.ok is True for one in checks) else 2
