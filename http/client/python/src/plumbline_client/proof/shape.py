"""Documents with an exact set of members: what is missing, unknown or of another type is refused."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from .faults import Malformed, Newer
from .numbers import GREATEST_INTEGER
from .times import is_day, is_hour, is_time

#: A document that a shape was read of.
Document = Mapping[str, Any]


@dataclass(frozen=True)
class Member:
    holds: Callable[[Any], bool]
    says: str
    is_optional: bool = False
    #: All that it may be, of a member that is one of a few texts.
    values: tuple[str, ...] = ()


Shape = Mapping[str, Member]

_TAG = re.compile(r"([a-z-]+)-v([1-9][0-9]{0,5})(?:-demo)?")
_NAME = re.compile(r"[^\x00-\x1f\x7f-\x9f]+")
_HASH = re.compile(r"[0-9a-f]{64}")


def refuse_newer(what: str, tag: Any, tags: Sequence[str]) -> None:
    """Raises `Newer` if `tag` is one of `tags` in a higher version: its members are then not for this code to judge."""
    found = _TAG.fullmatch(tag) if isinstance(tag, str) else None
    if found is None or tag in tags:
        return
    read = [known for known in map(_TAG.fullmatch, tags) if known is not None]
    versions = [int(known[2]) for known in read if known[1] == found[1]]
    if versions and int(found[2]) > max(versions):
        raise Newer(f"{what} is {tag}, made by a newer release")


def read_shape(what: str, value: Any, shape: Shape) -> Document:
    """The document, if it has exactly the members of `shape`. Raises `Malformed` naming the wrong member."""
    if not isinstance(value, dict):
        raise Malformed(f"{what} must be an object")
    if "v" in shape:
        refuse_newer(what, value.get("v"), shape["v"].values)
    for name in value:
        if name not in shape:
            raise Malformed(f"{what}: unknown member `{name}`")
    for name, member in shape.items():
        if name not in value:
            if not member.is_optional:
                raise Malformed(f"{what}: `{name}` is missing")
        elif not member.holds(value[name]):
            raise Malformed(f"{what}: `{name}` must be {member.says}")
    return value


def optional(member: Member) -> Member:
    return replace(member, is_optional=True)


def _is_integer(value: Any, least: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= GREATEST_INTEGER


def is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def is_name(value: Any) -> bool:
    """A name identifies something, so nothing in it may be invisible."""
    return isinstance(value, str) and _NAME.fullmatch(value) is not None


def is_hash(value: Any) -> bool:
    return isinstance(value, str) and _HASH.fullmatch(value) is not None


TEXT = Member(lambda value: isinstance(value, str), "a string")
NON_EMPTY = Member(lambda value: isinstance(value, str) and value != "", "a non-empty string")
NAME = Member(is_name, "a non-empty string without control characters")
NUMBER = Member(is_number, "a number")
COUNT = Member(lambda value: _is_integer(value, 0), "an integer, 0 or more")
ORDINAL = Member(lambda value: _is_integer(value, 1), "an integer, 1 or more")
FLAG = Member(lambda value: isinstance(value, bool), "true or false")
TRUE_OR_ABSENT = optional(Member(lambda value: value is True, "true or absent"))
HASH = Member(is_hash, "64 lower-case hex digits")
HASHES = Member(
    lambda value: isinstance(value, list) and len(value) <= 64 and all(is_hash(one) for one in value),
    "a list of at most 64 hashes in lower-case hex",
)
DAY = Member(is_day, "a day YYYY-MM-DD")
HOUR = Member(is_hour, "an hour of UTC YYYY-MM-DDTHH")
TIME = Member(is_time, "an ISO 8601 time in UTC, in whole seconds or milliseconds")
ANYTHING = Member(lambda _: True, "anything")


def one_of(*values: str) -> Member:
    return Member(
        lambda value: isinstance(value, str) and value in values, f"one of {', '.join(values)}", values=values
    )


def tag_of(name: str) -> Member:
    """The tag of a document, with the form that only demos have."""
    return one_of(name, f"{name}-demo")


def list_of(member: Member) -> Member:
    return Member(
        lambda value: isinstance(value, list) and all(member.holds(one) for one in value),
        f"a list, each member {member.says}",
    )


def nested(what: str, shape: Shape) -> Member:
    """A document inside another, which is refused by its own name."""
    return Member(lambda value: read_shape(what, value, shape) is value, what)


def check_tag(document: Document, name: str) -> None:
    """Raises `Malformed` unless the tag and `simulated` agree."""
    simulated = document.get("simulated") is True
    if document["v"] != (f"{name}-demo" if simulated else name):
        raise Malformed(f"the tag {document['v']} and `simulated` contradict each other")
