"""What a notary states of a session must be possible (`core/proof/formats/notary.md`)."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

from . import shape as s
from .encodings import sha256
from .faults import demand
from .times import epoch_ms

_LABEL = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
#: A name of two labels at least, in lower case, whose last one is no number.
_HOST = re.compile(rf"(?=.{{1,253}}\Z)(?:{_LABEL}\.)+[a-z](?:[a-z0-9-]{{0,61}}[a-z0-9])?")
_NOTHING = sha256(b"").hex()
#: Statuses of answers that never have a body (RFC 9110, 6.4.1).
_BARE = (204, 304)


def demand_possible(statement: s.Document) -> None:
    """Raises `Malformed` if a statement contradicts itself."""
    opened_at = statement["opened_at"]
    demand(
        _HOST.fullmatch(statement["host"]) is not None,
        f"{statement['host']} is not the name of a host in lower case, without a port",
    )
    demand(statement["day"] == opened_at[:10], "the session is not of the day on which it was opened", "time")
    times = list(_times(statement))
    demand(all(a <= b for a, b in itertools.pairwise(times)), "the times of a session are out of order", "time")
    demand(
        epoch_ms(statement["certificate"]["not_after"]) >= epoch_ms(opened_at),
        "the host's certificate had ended before the session was opened",
        "time",
    )
    for exchange in statement["exchanges"]:
        _demand_body(exchange["response"], exchange["request"]["method"] if "request" in exchange else None)


def _times(statement: s.Document) -> Iterator[int]:
    yield epoch_ms(statement["opened_at"])
    for exchange in statement["exchanges"]:
        if "asked_at" in exchange:
            yield epoch_ms(exchange["asked_at"])
        yield epoch_ms(exchange["answered_at"])
    yield epoch_ms(statement["closed_at"])
    yield epoch_ms(statement["stated_at"])


def _demand_body(response: s.Document, method: str | None) -> None:
    status, whole, size, encoded = (response[name] for name in ("status", "whole", "size", "encoded_size"))
    demand(200 <= status <= 599, f"an answer with the status {status} is none")
    demand(
        (size == 0) == (response["sha256"] == _NOTHING),
        f"an answer of {size} bytes cannot have its hash",
        "contradiction",
    )
    demand(
        (size == 0 or encoded > 0) and (whole != "none" or (size == 0 and encoded == 0)),
        f"an answer of {encoded} bytes, {size} when decoded, cannot have ended by {whole}",
        "contradiction",
    )
    # Where the request is hidden it may have been a HEAD.
    may_lack_body = status in _BARE or method in ("HEAD", None)
    demand(
        may_lack_body if whole == "none" else status not in _BARE,
        f"an answer with the status {status} cannot have ended by {whole}",
        "contradiction",
    )
