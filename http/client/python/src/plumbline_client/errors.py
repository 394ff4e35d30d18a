"""What a call can fail with, beside what the network fails with (OSError)."""

from __future__ import annotations

from typing import Any


class ForgedAnswer(Exception):
    """The service did not send this answer to this request, or not like this."""


class UnprovedAnswer(ForgedAnswer):
    """Nothing shows that this answer was changed, and nothing proves it: it lacks a signature, has a form of a newer release,
    or is signed for another host than the one that was asked. Whoever catches `ForgedAnswer` refuses it too.
    """


class ServiceError(Exception):
    """A refusal of the service. `problem` is its problem document (RFC 9457)."""

    def __init__(self, status: int, problem: Any) -> None:
        message = problem.get("message", "") if isinstance(problem, dict) else ""
        super().__init__(f"{status}: {message}")
        self.status = status
        self.problem = problem
