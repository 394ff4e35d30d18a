"""What a call can fail with, beside what the network fails with (OSError)."""

from __future__ import annotations

from typing import Any


class ForgedAnswer(Exception):
    """The service did not send this answer to this request, or not like this."""


class ServiceError(Exception):
    """A refusal of the service. `problem` is its problem document (RFC 9457)."""

    def __init__(self, status: int, problem: Any) -> None:
        message = problem.get("message", "") if isinstance(problem, dict) else ""
        super().__init__(f"{status}: {message}")
        self.status = status
        self.problem = problem
