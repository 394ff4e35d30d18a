"""What notaries state, after "The notaries": the statement of a session, and which of a run's exchanges it is about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from . import shape as s
from .addresses import Address, parse_address
from .check import Check, not_checked, not_proved, refused
from .encodings import sha256, utf8, utf16_order
from .faults import Malformed, demand
from .json_text import parse_canonical
from .leaf import is_absence
from .note import Checkpoint, NoteKey, parse_note, verify_note
from .runs import runs_of
from .times import MINUTE, epoch_ms
from .trust import NotaryPolicy

_TAG = "service-notarisation-v1"
_MOST_EXCHANGES = 1000
_MOST_HOPS = 10
_CLOCK_TOLERANCE = 2 * MINUTE
_REDIRECTS = (301, 302, 303, 307, 308)
_KEPT_METHOD = (307, 308)
_NAME = "notaries"

_HEADER = s.optional(s.NAME)

_REQUEST = {
    "method": s.one_of("GET", "HEAD", "POST"),
    "target": s.NAME,
    "body_sha256": s.optional(s.HASH),
    "accept": _HEADER,
    "if_none_match": _HEADER,
    "if_modified_since": _HEADER,
}

_RESPONSE = {
    "status": s.COUNT,
    "whole": s.one_of("length", "chunked", "close_notify", "none"),
    "sha256": s.HASH,
    "size": s.COUNT,
    "encoded_size": s.COUNT,
    "date": _HEADER,
    "age": _HEADER,
    "etag": _HEADER,
    "last_modified": _HEADER,
    "location": _HEADER,
    "content_type": _HEADER,
}

_EXCHANGE = {
    "asked_at": s.optional(s.TIME),
    "answered_at": s.TIME,
    "request": s.optional(s.nested("a request", _REQUEST)),
    "response": s.nested("an answer", _RESPONSE),
}

_SHAPE = {
    "v": s.tag_of(_TAG),
    "notary": s.NAME,
    "collector": s.NAME,
    "day": s.DAY,
    "n": s.ORDINAL,
    "host": s.NAME,
    "address": s.NAME,
    "session": s.HASH,
    "cipher": s.NAME,
    "signature": s.NAME,
    "certificate": s.nested("the certificate", {"sha256": s.HASH, "root_sha256": s.HASH, "not_after": s.TIME}),
    "roots_sha256": s.HASH,
    "opened_at": s.TIME,
    "closed_at": s.TIME,
    "stated_at": s.TIME,
    "cut": s.FLAG,
    "exchanges": s.list_of(s.nested("an exchange", _EXCHANGE)),
    "log": s.nested("the notary's log", {"size": s.COUNT, "root": s.HASH}),
    "simulated": s.TRUE_OR_ABSENT,
}


@dataclass(frozen=True)
class Statement:
    """A statement of a notary that the reader named. `hash` is that of its note, by which the leaf of a run names it."""

    hash: str
    notary: NoteKey
    document: s.Document


def note_hash(note: str) -> str:
    """SHA-256 of a whole note, by which the leaf of a run names it."""
    return sha256(utf8(note)).hex()


def parse_notarisation(note: str) -> s.Document:
    """Parses the statement of a note, whoever signed it."""
    text = parse_note(note).text
    statement = s.read_shape("a notary's statement", parse_canonical(text[:-1]), _SHAPE)
    s.check_tag(statement, _TAG)
    exchanges = statement["exchanges"]
    demand(
        1 <= len(exchanges) <= _MOST_EXCHANGES,
        f"a notary's statement must be of 1 to {_MOST_EXCHANGES} exchanges",
    )
    hidden = sum("request" not in exchange for exchange in exchanges)
    demand(hidden == 0 or len(exchanges) == 1, "a statement with hidden requests must be of one exchange")
    demand(
        all(("asked_at" in exchange) == ("request" in exchange) for exchange in exchanges),
        "an exchange must have `asked_at` exactly if it has its request",
    )
    return statement


def read_notarisation(note: str, notaries: Sequence[NoteKey]) -> Statement | None:
    """The statement of a note that one of these notaries signed, None where none did."""
    signers = verify_note(parse_note(note), notaries)
    if signers is None:
        raise Malformed("the signature on a notary's statement does not verify", "signature")
    if not signers:
        return None
    statement = parse_notarisation(note)
    demand(
        statement["notary"] == signers[0].name,
        "the statement names another notary than the one that signed it",
        "contradiction",
    )
    return Statement(note_hash(note), signers[0], statement)


# Which exchange of a run a statement is about.


@dataclass(frozen=True)
class _Hop:
    """One request to one host; `target` is None where only the hash of the address is known."""

    method: str
    host: str
    target: str | None
    body: str | None


@dataclass(frozen=True)
class _Place:
    """A statement and the one of its exchanges that is meant."""

    statement: Statement
    exchange: s.Document


def coverage_of(exchange: s.Document, statements: Sequence[Statement]) -> list[Statement] | None:
    """The statements that are about an exchange of a run, in the order of its hops; None where they are not, or in part.

    The last one is over the answer itself, and after it comes the earlier one that a 304 confirms.
    """
    places = [_Place(one, part) for one in statements for part in one.document["exchanges"]]
    at = epoch_ms(exchange["at"])
    path: list[_Place] = []
    hop = _first_hop(exchange, places)
    while hop is not None and len(path) <= _MOST_HOPS:
        asked = [place for place in places if _is_asked(place, hop) and _distance(place, at) <= _CLOCK_TOLERANCE]
        asked.sort(key=lambda place: _distance(place, at))
        answer = next((place for place in asked if _is_answer(place, exchange)), None)
        if answer is not None:
            return _whole([*path, answer], answer, hop, exchange, places)
        redirect = next((place for place in asked if _followed(place, hop) is not None), None)
        if redirect is None:
            return None
        path.append(redirect)
        hop = _followed(redirect, hop)
    return None


def _whole(
    path: Sequence[_Place], answer: _Place, hop: _Hop, exchange: s.Document, places: Sequence[_Place]
) -> list[Statement] | None:
    whole = list(path)
    if "confirmed" in exchange:
        earlier = next((place for place in places if _is_confirmed(place, answer, hop, exchange)), None)
        if earlier is None:
            return None
        whole.append(earlier)
    by_hash = {place.statement.hash: place.statement for place in whole}
    return list(by_hash.values())


def _hop_to(address: Address, method: str, body: str | None) -> _Hop:
    return _Hop(method, address.host, address.target, body)


def _first_hop(exchange: s.Document, places: Sequence[_Place]) -> _Hop | None:
    """The request as it was sent; None for a window of listening, which no notary carries."""
    if exchange["method"] == "LISTEN":
        return None
    url = exchange.get("url")
    if url is None:
        # A long address is in the leaf by its hash alone.
        stated = [place for place in places if "request" in place.exchange]
        addresses = (f"https://{one.statement.document['host']}{one.exchange['request']['target']}" for one in stated)
        url = next((one for one in addresses if sha256(utf8(one)).hex() == exchange["url_sha256"]), None)
    address = None if url is None else parse_address(url)
    return None if address is None else _hop_to(address, exchange["method"], exchange.get("request_sha256"))


def _is_asked(place: _Place, hop: _Hop) -> bool:
    request = place.exchange.get("request")
    if place.statement.document["host"] != hop.host:
        return False
    return request is None or (request["method"], request["target"], request.get("body_sha256")) == (
        hop.method,
        hop.target,
        hop.body,
    )


def _distance(place: _Place, at: int) -> int:
    """Milliseconds between when the notary saw an answer whole and when the collector did."""
    return abs(epoch_ms(place.exchange["answered_at"]) - at)


def _is_answer(place: _Place, exchange: s.Document) -> bool:
    response = place.exchange["response"]
    if "confirmed" in exchange:
        return bool(response["status"] == 304)
    return bool((response["status"], response["sha256"]) == (exchange["status"], exchange["sha256"]))


def _is_confirmed(earlier: _Place, answer: _Place, hop: _Hop, exchange: s.Document) -> bool:
    """The answer that a 304 confirms: the same body under the same validator."""
    response = earlier.exchange["response"]
    request = answer.exchange.get("request", {})
    if not _is_asked(earlier, hop) or (response["status"], response["sha256"]) != (200, exchange["sha256"]):
        return False
    if "etag" in response:
        return bool(request.get("if_none_match") == response["etag"])
    return "last_modified" in response and request.get("if_modified_since") == response["last_modified"]


def _followed(place: _Place, hop: _Hop) -> _Hop | None:
    """Where a redirect leads, as a collector follows it (RFC 9110, 15.4)."""
    response = place.exchange["response"]
    if "location" not in response or response["status"] not in _REDIRECTS:
        return None
    address = parse_address(response["location"], f"https://{hop.host}{hop.target or '/'}")
    if address is None:
        return None
    if response["status"] in _KEPT_METHOD:
        return _hop_to(address, hop.method, hop.body)
    return _hop_to(address, "GET", None)


# How many notaries carried what a value was read from.


@dataclass(frozen=True)
class _Coverage:
    exchanges: int
    covered: tuple[list[Statement], ...]

    @property
    def is_whole(self) -> bool:
        return self.exchanges > 0 and len(self.covered) == self.exchanges

    @property
    def sessions(self) -> set[str]:
        return {one.document["session"] for statements in self.covered for one in statements}


def _run_coverage(run: s.Document, statements: Mapping[str, Statement]) -> _Coverage:
    covered: list[list[Statement]] = []
    for exchange in run["exchanges"]:
        named = [statements[one] for one in exchange["notes"] if one in statements]
        coverage = coverage_of(exchange, named)
        if coverage is not None:
            _demand_drawn(run, exchange, coverage)
            covered.append(coverage)
    return _Coverage(len(run["exchanges"]), tuple(covered))


def _demand_drawn(run: s.Document, exchange: s.Document, coverage: Sequence[Statement]) -> None:
    """Raises `Malformed` if another notary than the run's own carried it. What a 304 confirms is of an earlier run."""
    if "lot" not in run:
        return
    own = coverage[:-1] if "confirmed" in exchange else coverage
    for statement in own:
        demand(
            statement.notary.text == run["lot"]["notary"],
            f"run {run['run']} was carried by another notary than was drawn for it",
            "contradiction",
        )


def _carriers(runs: Sequence[s.Document], statements: Mapping[str, Statement]) -> list[str]:
    """The notaries each of which alone states every exchange of one of these runs. A session counts once."""
    seen: set[str] = set()
    found: list[str] = []
    for key in sorted({one.notary.text for one in statements.values()}, key=utf16_order):
        own = {name: one for name, one in statements.items() if one.notary.text == key}
        carried = [one for one in (_run_coverage(run, own) for run in runs) if one.is_whole]
        run = next((one for one in carried if not one.sessions & seen), None)
        if run is not None:
            seen |= run.sessions
            found.append(key)
    return found


def check_notaries(
    observed: s.Document | None, checkpoint: Checkpoint, value: s.Document | None, policy: NotaryPolicy | None
) -> list[Check]:
    """The statements of notaries about the runs that gave a value."""
    notes = [] if observed is None else observed.get("notes", [])
    if policy is None:
        if value is None or is_absence(value):
            return []
        return [not_checked(_NAME, f"{len(notes)} statements of notaries; give the keys of those that count for you")]
    if observed is None or value is None:
        return [
            not_proved(
                _NAME,
                "the run that gave the value is not beside the bundle, so nobody can say who carried it",
            )
        ]
    try:
        read = [read_notarisation(note, policy.notaries) for note in notes]
        statements = {one.hash: one for one in read if one is not None}
        runs = runs_of(observed, checkpoint, value)
        carriers = _carriers(runs, statements)
        if len(carriers) >= policy.least:
            return [Check(_NAME, True, f"carried by {', '.join(carriers)}")]
        _run_coverage(runs[0], statements)
        return [not_proved(_NAME, f"{len(carriers)} notaries of {policy.least} carried what the value was read from")]
    except Malformed as fault:
        return [refused(_NAME, fault)]
