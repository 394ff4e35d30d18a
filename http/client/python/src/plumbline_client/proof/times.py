"""Times and days of the formats: ISO 8601 in UTC, in whole seconds or milliseconds, and existing."""

from __future__ import annotations

import re
from typing import Any

MINUTE = 60_000
HOUR = 3_600_000
DAY = 86_400_000

_DATE = r"([0-9]{4})-(0[1-9]|1[0-2])-([0-9]{2})"
_CLOCK = r"([01][0-9]|2[0-3])"
_DAY = re.compile(_DATE)
_HOUR = re.compile(f"{_DATE}T{_CLOCK}")
_TIME = re.compile(rf"{_DATE}T{_CLOCK}:([0-5][0-9]):([0-5][0-9])(?:\.([0-9]{{3}}))?Z")


def is_day(value: Any) -> bool:
    return isinstance(value, str) and _is_real(_DAY.fullmatch(value))


def is_hour(value: Any) -> bool:
    return isinstance(value, str) and _is_real(_HOUR.fullmatch(value))


def is_time(value: Any) -> bool:
    return isinstance(value, str) and _is_real(_TIME.fullmatch(value))


def _is_real(found: re.Match[str] | None) -> bool:
    return found is not None and 1 <= int(found[3]) <= _days_of(int(found[1]), int(found[2]))


def _days_of(year: int, month: int) -> int:
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return (31, 29 if leap else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)[month - 1]


def _day_number(year: int, month: int, day: int) -> int:
    """Days since 1970 of the Gregorian calendar, which counts a year 0."""
    shifted = year - (month <= 2)
    era, of_era = divmod(shifted, 400)
    of_year = (153 * ((month + 9) % 12) + 2) // 5 + day - 1
    return era * 146_097 + of_era * 365 + of_era // 4 - of_era // 100 + of_year - 719_468


def epoch_ms(time: str) -> int:
    """Milliseconds since 1970 of a time, or of the beginning of a day, that was read before."""
    found = _TIME.fullmatch(time)
    if found is not None:
        year, month, day, hour, minute, second = (int(found[place]) for place in range(1, 7))
        clock = hour * HOUR + minute * MINUTE + second * 1000 + int(found[7] or 0)
        return _day_number(year, month, day) * DAY + clock
    found = _DAY.fullmatch(time)
    if found is None:
        raise ValueError(f"{time} is not a time")
    return _day_number(int(found[1]), int(found[2]), int(found[3])) * DAY


def hour_begins(hour: str) -> int:
    """When an hour `YYYY-MM-DDTHH` begins."""
    return epoch_ms(f"{hour}:00:00Z")


def iso_ms(at: int) -> str:
    """A time with milliseconds, of epoch milliseconds."""
    days, clock = divmod(at, DAY)
    return f"{_date_of(days)}T{clock // HOUR:02}:{clock // MINUTE % 60:02}:{clock // 1000 % 60:02}.{clock % 1000:03}Z"


def iso_second(at: int) -> str:
    """The same in whole seconds."""
    return f"{iso_ms(at)[:19]}Z"


def _date_of(days: int) -> str:
    era, of_era = divmod(days + 719_468, 146_097)
    year = (of_era - of_era // 1460 + of_era // 36_524 - of_era // 146_096) // 365
    of_year = of_era - (365 * year + year // 4 - year // 100)
    shifted = (5 * of_year + 2) // 153
    month = shifted + 3 if shifted < 10 else shifted - 9
    return f"{year + era * 400 + (month <= 2):04}-{month:02}-{of_year - (153 * shifted + 2) // 5 + 1:02}"
