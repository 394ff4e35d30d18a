"""What an upstream answered, in which a value stands as such (`core/proof/formats/bundle.md`, "The body of a value").

Nothing signs the place in it: the reader has the body, whose hash the run's exchange has, and looks for himself.
"""

from __future__ import annotations

import json
import re
from typing import Any

from . import shape as s
from .encodings import sha256, utf8, utf16_length
from .faults import Malformed, demand
from .json_text import DEEPEST
from .numbers import number_of, number_text
from .runs import LONGEST_URL

BODY = {"exchange": s.COUNT, "text": s.TEXT, "pointer": s.TEXT}

#: Bytes of the largest body that a bundle carries.
_LARGEST = 16 * 1024
_POINTER = re.compile(r"(?:/(?:[^~/]|~[01])*)*")
_PLACE = re.compile(r"0|[1-9][0-9]*")
_DECIMAL = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")


def said_in(body: s.Document, run: s.Document, leaf: s.Document) -> str:
    """What an exchange of the run said. Raises `Malformed` unless it is the body's, and the value stands in it at the pointer."""
    place, text, pointer = body["exchange"], body["text"], body["pointer"]
    data = utf8(text)
    demand(len(data) <= _LARGEST, f"a body in a bundle must have at most {_LARGEST} bytes")
    demand(
        _POINTER.fullmatch(pointer) is not None and utf16_length(pointer) <= LONGEST_URL,
        "the place in the body is no JSON pointer (RFC 6901)",
    )
    exchanges = run["exchanges"]
    demand(place < len(exchanges), f"run {run['run']} has no exchange at place {place}", "contradiction")
    exchange = exchanges[place]
    demand(
        sha256(data).hex() == exchange["sha256"],
        f"the body is not what the exchange {place} of run {run['run']} read",
        "hash",
    )
    where = pointer or "its top"
    demand(
        _is_value(_member_at(_json_of(text), pointer), leaf),
        f"the body does not say at {where} what the leaf says",
        "contradiction",
    )
    says = leaf.get("value_text", number_text(leaf["value"]))
    return f"run {run['run']} read {says} at {where} in the answer of {exchange.get('url', exchange.get('url_sha256'))}"


def _json_of(text: str) -> Any:
    """An upstream spells JSON as it likes: of a member that is there twice the last one counts."""
    try:
        value = json.loads(text, parse_int=number_of, parse_float=number_of, parse_constant=_refuse_constant)
    except RecursionError:
        raise Malformed(_TOO_DEEP) from None
    except ValueError:
        raise Malformed("the body is not JSON") from None
    demand(not _is_deeper(value, DEEPEST), _TOO_DEEP)
    return value


_TOO_DEEP = f"the body is JSON nested deeper than {DEEPEST}"


def _refuse_constant(name: str) -> Any:
    raise ValueError(name)


def _is_deeper(value: Any, than: int) -> bool:
    if not isinstance(value, (dict, list)):
        return False
    inner = value.values() if isinstance(value, dict) else value
    return than == 0 or any(_is_deeper(one, than - 1) for one in inner)


#: What stands nowhere; JSON's null is something.
_NOTHING = object()


def _member_at(value: Any, pointer: str) -> Any:
    for step in pointer.split("/")[1:]:
        value = _member_of(value, step.replace("~1", "/").replace("~0", "~"))
    return value


def _member_of(value: Any, name: str) -> Any:
    if isinstance(value, dict):
        return value.get(name, _NOTHING)
    is_there = isinstance(value, list) and _PLACE.fullmatch(name) is not None and int(name) < len(value)
    return value[int(name)] if is_there else _NOTHING


def _is_value(member: Any, leaf: s.Document) -> bool:
    """The same double; and of a decimal text the same text, where the leaf has one."""
    if isinstance(member, str):
        if _DECIMAL.fullmatch(member) is None:
            return False
        return bool(member == leaf["value_text"] if "value_text" in leaf else float(member) == leaf["value"])
    return isinstance(member, (int, float)) and not isinstance(member, bool) and bool(member == leaf["value"])
