"""Numbers as ECMAScript prints them (Number::toString, ECMA-262), which canonical JSON (RFC 8785) asks for.

Python's own spelling has the same shortest digits and writes them otherwise: 1e-07 for 1e-7, 1e+16 for 10000000000000000.
"""

from __future__ import annotations

import math
import re

_DECIMAL = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")

#: The greatest integer that no other double is next to.
GREATEST_INTEGER = 2**53 - 1


def number_of(literal: str) -> int | float:
    """The double of a decimal literal; an integer that is exact is given as an int."""
    value = float(literal)
    return int(value) if abs(value) <= GREATEST_INTEGER and value.is_integer() else value


def number_text(value: int | float) -> str:
    """The spelling of a finite double."""
    if isinstance(value, int) and abs(value) <= GREATEST_INTEGER:
        return str(value)
    double = float(value)
    if double < 0:
        return f"-{number_text(-double)}"
    return "0" if double == 0 else _spelled(*_digits_of(double))


def _digits_of(double: float) -> tuple[str, int]:
    """The shortest digits that give the double, and where the point is in them."""
    mantissa, _, exponent = repr(double).partition("e")
    whole, _, fraction = mantissa.partition(".")
    written = whole + fraction
    digits = written.lstrip("0")
    point = len(whole) + int(exponent or 0) - (len(written) - len(digits))
    return digits.rstrip("0"), point


def _spelled(digits: str, point: int) -> str:
    count = len(digits)
    if count <= point <= 21:
        return digits + "0" * (point - count)
    if 0 < point <= 21:
        return f"{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return f"0.{'0' * -point}{digits}"
    exponent = point - 1
    head = digits if count == 1 else f"{digits[0]}.{digits[1:]}"
    return f"{head}e{'+' if exponent > 0 else '-'}{abs(exponent)}"


def is_number_text(text: str) -> bool:
    """True for a decimal number within the range of a double."""
    return _DECIMAL.fullmatch(text) is not None and math.isfinite(float(text))


def is_exact_text_of(text: str, value: int | float) -> bool:
    """True if the text is a decimal number and `value` is the double nearest to it."""
    return is_number_text(text) and float(text) == value
