"""JSON as the formats read it: strictly (bundles, key documents, answers), or canonical to the byte (RFC 8785)."""

from __future__ import annotations

import json
import math
from typing import Any

from .encodings import utf16_length, utf16_order
from .faults import Malformed
from .numbers import number_of, number_text

#: UTF-16 code units of a text that is read strictly.
LONGEST = 16 * 1024 * 1024
#: Objects and arrays in one another, of a text that is read strictly.
DEEPEST = 64
#: The same of canonical JSON.
DEEPEST_CANONICAL = 128


def parse_json(text: str) -> Any:
    """The value of a JSON text that can be understood in one way only.

    Refuses a member that is there twice, a lone surrogate, a number that is not spelled as ECMAScript prints it, and a
    text that is too long or too deep.
    """
    if utf16_length(text) > LONGEST:
        raise Malformed(f"not JSON of ours: longer than {LONGEST} characters")
    value = _loads(text, object_pairs_hook=_once, parse_int=_spelled_number, parse_float=_spelled_number)
    _refuse_surrogates_and_depth(value)
    return value


def parse_canonical(text: str) -> Any:
    """The value of canonical JSON; any other spelling is refused."""
    value = _loads(text, parse_int=number_of, parse_float=number_of)
    if canonical(value) != text:
        raise Malformed("the JSON is not in canonical form (RFC 8785)")
    return value


def canonical(value: Any) -> str:
    """The canonical text of a JSON value: members sorted by UTF-16 code units, numbers as ECMAScript prints them."""
    return _write(value, 0)


def json_text(value: Any) -> str:
    """A text or a number as ECMAScript's JSON spells it, which RFC 8785 does too."""
    return canonical(value)


def _loads(text: str, **hooks: Any) -> Any:
    try:
        return json.loads(text, parse_constant=_refuse_constant, **hooks)
    except (ValueError, RecursionError) as error:
        raise Malformed(f"not JSON: {error}") from error


def _refuse_constant(name: str) -> Any:
    raise Malformed(f"{name} is not a JSON number")


def _spelled_number(literal: str) -> int | float:
    value = number_of(literal)
    if not math.isfinite(value) or number_text(value) != literal:
        raise Malformed(f"the number {literal[:40]} must be spelled as ECMAScript prints a double")
    return value


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise Malformed("a member is there twice")
    return members


def _refuse_surrogates_and_depth(value: Any) -> None:
    # Not by recursion: a hostile text may be deep.
    left: list[tuple[Any, int]] = [(value, 1)]
    while left:
        one, depth = left.pop()
        if isinstance(one, str):
            _well_formed(one)
        elif isinstance(one, (dict, list)):
            if depth > DEEPEST:
                raise Malformed(f"JSON nested deeper than {DEEPEST}")
            inner = one
            if isinstance(one, dict):
                for name in one:
                    _well_formed(name)
                inner = list(one.values())
            left.extend((member, depth + 1) for member in inner)


def _well_formed(text: str) -> str:
    if not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text):
        raise Malformed("a lone surrogate in the JSON")
    return text


def _write(value: Any, depth: int) -> str:
    if depth > DEEPEST_CANONICAL:
        raise Malformed(f"canonical JSON: nested deeper than {DEEPEST_CANONICAL}")
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        if not math.isfinite(value):
            raise Malformed(f"canonical JSON: {value} is not a JSON number")
        return number_text(value)
    if isinstance(value, str):
        return json.dumps(_well_formed(value), ensure_ascii=False)
    if isinstance(value, (list, tuple)):
        return f"[{','.join(_write(member, depth + 1) for member in value)}]"
    if isinstance(value, dict):
        names = sorted(value, key=utf16_order)
        members = (f"{_write(name, depth)}:{_write(value[name], depth + 1)}" for name in names)
        return f"{{{','.join(members)}}}"
    raise Malformed(f"canonical JSON: {type(value).__name__} is not a JSON value")
