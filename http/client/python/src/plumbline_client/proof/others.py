"""Nobody is his own witness: who says something of a service has neither a key of it nor the name of its log."""

from __future__ import annotations

from dataclasses import dataclass

from .faults import demand
from .keys import KeyDocument


@dataclass(frozen=True)
class Own:
    """What is the service's own: the name of its log, and the kids of its keys of every purpose and time."""

    origin: str
    kids: frozenset[str]


def own_of(document: KeyDocument) -> Own:
    return Own(document.origin, frozenset(key.kid for key in (*document.answers, *document.log)))


def demand_other(what: str, name: str, kid: str, own: Own) -> None:
    """Raises `Malformed` if an observer, a witness or a notary, as `what` calls him, is the service under another title."""
    demand(kid not in own.kids, f"the {what} {name} has the key {kid} of the service itself", "key")
    demand(name.lower() != own.origin.lower(), f"the {what} {name} has the name of the service's own log", "origin")
