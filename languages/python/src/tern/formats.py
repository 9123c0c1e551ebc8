"""The formats of ``docs/spec/schema.md``, rule 13: what their values are in Python and in JSON.

A value of a format goes through its *native* form, the value of the expression that the schema
gives. From there two ways lead on: to a type of Python, where one holds it, and to JSON.
What Python's type does not hold (years beyond 9999, picoseconds, the 60th second, a time of day
from a leap second on) is ``Native``, so that nothing is rounded; writers take either.
"""

from __future__ import annotations

import base64
import binascii
import datetime
import re
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from decimal import MAX_EMAX, Decimal
from fractions import Fraction
from typing import Any

from .errors import EncodeError
from .schema import Bytes, Expression, Formatted, Integer, Tuple

FIRST_DAY, LAST_DAY = -365243178575, 365241821058
MOST_YEARS = 999_999_999
PICOS = 10**12
DAY = Integer(FIRST_DAY, LAST_DAY)
TIME = Tuple((Integer(0, 23), Integer(0, 59), Integer(0, 61 * PICOS - 1)))
LOCAL = Tuple((DAY, TIME))
UTC = Tuple((DAY, Integer(0, 86401 * PICOS - 1)))
OFFSET = Integer(-1439, 1439)
INT64 = Integer(-(2**63), 2**63 - 1)

_ORIGIN = datetime.date(1858, 11, 17).toordinal()
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
QUARTERS = ("q1", "q2", "q3", "q4")


@dataclass(frozen=True, slots=True)
class Native:
    """A value of a format that Python's own type does not hold, as the native format has it.

    >>> Native(3000000)
    Native(value=3000000)
    """

    value: Any


def _same(value: Any) -> Any:
    return value


@dataclass(frozen=True)
class Format:
    """What a format's values are. ``to_python`` gives None where Python has no such value;
    ``read`` raises ``ValueError`` where a text, or a number's text, is none of the format."""

    to_python: Callable[[Any], Any]
    to_native: Callable[[Any], Any]
    show: Callable[[Any], str]
    read: Callable[[str], Any]
    order: Callable[[Any], Any] = _same
    """What a native value is compared by."""
    check: Callable[[Any], str | None] = lambda native: None
    """Why a value of the expression is none of the format."""
    hashable: bool = True
    """Do values that Python takes for equal have the same bytes?"""


def of(shape: Formatted) -> Format | None:
    """The format that a name and an expression say together, where it is known."""
    found = _KNOWN.get((shape.notation, shape.name, shape.native))
    if found is None and shape.notation == "number" and shape.native == Integer():
        if units := re.fullmatch(r"fixed-([1-9]\d{0,400})", shape.name):
            return _fixed(int(units[1]))
    return found


def _wrong(value: Any, wanted: str) -> EncodeError:
    from .values import wrong

    return wrong(value, wanted)


# --- bytes -----------------------------------------------------------------------


def base64_text(data: bytes) -> str:
    """As JSON has bytes.

    >>> base64_text(b"tern")
    'dGVybg=='
    """
    return base64.b64encode(data).decode()


def base64_bytes(text: str, alphabet: bytes = b"+/") -> bytes:
    """The bytes of a text, with its padding or without."""
    bare = text.rstrip("=") if len(text) % 4 == 0 and not text.endswith("===") else text
    try:
        found = base64.b64decode(bare + "=" * (-len(bare) % 4), altchars=alphabet, validate=True)
    except (binascii.Error, ValueError):
        raise ValueError(f"not base64: {text!r}") from None
    if base64.b64encode(found, altchars=alphabet).decode().rstrip("=") != bare:
        raise ValueError(f"not base64: {text!r}")
    return found


def _bytes(value: Any) -> bytes:
    if not isinstance(value, (bytes, bytearray, memoryview)):
        raise _wrong(value, "bytes")
    return bytes(value)


def _unhex(text: str) -> bytes:
    if not re.fullmatch(r"(?:[0-9a-fA-F]{2})*", text):
        raise ValueError(f"not hexadecimal digits: {text!r}")
    return bytes.fromhex(text)


def _uuid_native(value: Any) -> bytes:
    if not isinstance(value, uuid.UUID):
        raise _wrong(value, "a uuid.UUID")
    return value.bytes


def _uuid_read(text: str) -> bytes:
    if not re.fullmatch(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}", text):
        raise ValueError(f"not a UUID: {text!r}")
    return bytes.fromhex(text.replace("-", ""))


# --- days and times --------------------------------------------------------------


def civil(day: int) -> tuple[int, int, int]:
    """Year, month and day of a number of days from 1858-11-17 on.

    >>> civil(0), civil(FIRST_DAY), civil(LAST_DAY)
    ((1858, 11, 17), (-999999999, 1, 1), (999999999, 12, 31))
    """
    # The same day of the years 1 to 400: the calendar comes again after 146,097 days.
    eras, rest = divmod(day + _ORIGIN - 1, 146097)
    found = datetime.date.fromordinal(rest + 1)
    return found.year + 400 * eras, found.month, found.day


def day_number(year: int, month: int, day: int) -> int:
    """The other way; ``ValueError`` where there is no such day."""
    eras, rest = divmod(year - 1, 400)
    if abs(year) > MOST_YEARS:
        raise ValueError("a year beyond 999999999")
    return datetime.date(rest + 1, month, day).toordinal() + 146097 * eras - _ORIGIN


def _year(year: int) -> str:
    return f"{'-' if year < 0 else ''}{abs(year):04}"


def _show_day(day: int) -> str:
    year, month, of_month = civil(day)
    return f"{_year(year)}-{month:02}-{of_month:02}"


def _show_time(time: tuple[int, int, int]) -> str:
    hour, minute, picos = time
    second, rest = divmod(picos, PICOS)
    return f"{hour:02}:{minute:02}:{second:02}" + (f".{rest:012}".rstrip("0") if rest else "")


def _show_local(local: Any) -> str:
    return f"{_show_day(local[0])}T{_show_time(local[1])}"


def _show_offset(offset: int) -> str:
    return "Z" if offset == 0 else f"{'-' if offset < 0 else '+'}{abs(offset) // 60:02}:{abs(offset) % 60:02}"


def _of_day(picos: int) -> tuple[int, int, int]:
    """A leap second belongs to the last minute."""
    minute = min(1439, picos // (60 * PICOS))
    return minute // 60, minute % 60, picos - minute * 60 * PICOS


_DATE = r"([+-]?)(\d{4,9})-(\d\d)-(\d\d)"
_TIME = r"(\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?"
_ZONE = r" ?(?:Z|([+-])(\d\d)(?::?(\d\d))?)"


def _matched(pattern: str, text: str, wanted: str) -> list[Any]:
    found = re.fullmatch(pattern, text, re.ASCII)
    if found is None:
        raise ValueError(f"not {wanted}: {text!r}")
    return list(found.groups())


def _signed(sign: str, digits: str) -> int:
    return -int(digits) if sign == "-" else int(digits)


def _time_of(hour: str, minute: str, second: str | None, fraction: str | None) -> tuple[int, int, int]:
    picos = int(second or 0) * PICOS + int((fraction or "")[:12].ljust(12, "0"))
    if int(hour) > 23 or int(minute) > 59 or picos >= 61 * PICOS:
        raise ValueError("not a time of a day")
    return int(hour), int(minute), picos


def _read_day(text: str) -> int:
    sign, year, month, day = _matched(_DATE, text, "a date")
    return day_number(_signed(sign, year), int(month), int(day))


def _read_time(text: str) -> tuple[int, int, int]:
    return _time_of(*_matched(_TIME, text, "a time"))


def _local_of(parts: list[Any]) -> tuple[int, tuple[int, int, int]]:
    sign, year, month, day, *time = parts
    return day_number(_signed(sign, year), int(month), int(day)), _time_of(*time)


def _read_local(text: str) -> tuple[int, tuple[int, int, int]]:
    return _local_of(_matched(f"{_DATE}[T ]{_TIME}", text, "a date and a time"))


def _read_zoned(text: str) -> Any:
    *local, sign, hours, minutes = _matched(f"{_DATE}[T ]{_TIME}{_ZONE}", text, "a time with an offset")
    offset = 0 if hours is None else _signed(sign, hours) * 60 + _signed(sign, minutes or "0")
    if int(hours or 0) > 23 or int(minutes or 0) > 59:
        raise ValueError(f"not an offset: {text!r}")
    return _local_of(local), offset


def _read_utc(text: str) -> tuple[int, int]:
    (day, (hour, minute, picos)), offset = _read_zoned(text)
    days, minutes = divmod(hour * 60 + minute - offset, 1440)
    if not FIRST_DAY <= day + days <= LAST_DAY:
        raise ValueError("a year beyond 999999999")
    return day + days, minutes * 60 * PICOS + picos


def _python_day(day: int) -> datetime.date | None:
    ordinal = day + _ORIGIN
    return datetime.date.fromordinal(ordinal) if 1 <= ordinal <= 3652059 else None


def _native_day(value: Any) -> int:
    if not isinstance(value, datetime.date) or isinstance(value, datetime.datetime):
        raise _wrong(value, "a datetime.date")
    return value.toordinal() - _ORIGIN


def _python_time(time: tuple[int, int, int]) -> datetime.time | None:
    hour, minute, picos = time
    if picos >= 60 * PICOS or picos % 10**6:
        return None
    return datetime.time(hour, minute, picos // PICOS, picos % PICOS // 10**6)


def _native_time(value: Any) -> tuple[int, int, int]:
    if not isinstance(value, datetime.time) or value.tzinfo is not None:
        raise _wrong(value, "a datetime.time without a zone")
    return _picos(value)


def _picos(value: datetime.time | datetime.datetime) -> tuple[int, int, int]:
    return value.hour, value.minute, value.second * PICOS + value.microsecond * 10**6


def _python_local(local: Any) -> datetime.datetime | None:
    day, time = _python_day(local[0]), _python_time(local[1])
    return None if day is None or time is None else datetime.datetime.combine(day, time)


def _moment(value: Any, aware: bool) -> datetime.datetime:
    if not isinstance(value, datetime.datetime) or (value.utcoffset() is not None) != aware:
        raise _wrong(value, f"a datetime.datetime {'with' if aware else 'without'} a zone")
    return value


def _local(value: datetime.datetime) -> Any:
    return value.toordinal() - _ORIGIN, _picos(value)


def _python_utc(utc: Any) -> datetime.datetime | None:
    found = _python_local((utc[0], _of_day(utc[1])))
    return None if found is None else found.replace(tzinfo=datetime.timezone.utc)


def _native_utc(value: Any) -> Any:
    value = _moment(value, aware=True)
    # Not astimezone: its result may be in a year that Python does not have.
    day, (hour, minute, picos) = _local(value)
    seconds, micros = divmod(value.utcoffset() // datetime.timedelta(microseconds=1), 10**6)
    days, rest = divmod((hour * 60 + minute) * 60 * PICOS + picos - seconds * PICOS - micros * 10**6, 86400 * PICOS)
    return day + days, rest


def _python_zoned(zoned: Any) -> datetime.datetime | None:
    found = _python_local(zoned[0])
    return None if found is None else found.replace(tzinfo=datetime.timezone(datetime.timedelta(minutes=zoned[1])))


def _native_zoned(value: Any) -> Any:
    value = _moment(value, aware=True)
    minutes, rest = divmod(value.utcoffset(), datetime.timedelta(minutes=1))
    if rest:
        raise EncodeError(f"the offset of {value!r} is not one of whole minutes")
    return _local(value), minutes


# --- names -----------------------------------------------------------------------


def _text_format(show: Callable[[int], str], read: Callable[[str], int]) -> Format:
    """A format that is a ``str`` in Python too."""

    def to_native(value: Any) -> int:
        if not isinstance(value, str):
            raise _wrong(value, "a str")
        try:
            return read(value)
        except ValueError as error:
            raise EncodeError(str(error)) from None

    return Format(show, to_native, show, read)


def _named(names: tuple[str, ...]) -> Format:
    def read(text: str) -> int:
        if text.lower() not in names:
            raise ValueError(f"expected one of {', '.join(names)}, found {text!r}")
        return names.index(text.lower())

    return _text_format(lambda index: names[index], read)


def _of_year(parts: int, pattern: str, show: Callable[[int], str]) -> Format:
    def read(text: str) -> int:
        sign, year, part = _matched(r"([+-]?)(\d{4,9})-" + pattern, text, "a part of a year")
        if not 1 <= int(part) <= parts:
            raise ValueError(f"not a part of a year: {text!r}")
        return _signed(sign, year) * parts + int(part) - 1

    return _text_format(lambda number: f"{_year(number // parts)}-{show(number % parts + 1)}", read)


def _years(parts: int) -> Integer:
    return Integer(-MOST_YEARS * parts, MOST_YEARS * parts + parts - 1)


# --- exact numbers ---------------------------------------------------------------


def digits(number: int) -> str:
    """The digits of a natural number of any size, of which Python itself refuses to write more
    than some thousand."""
    return str(number) if number.bit_length() < 8192 else format(Decimal(number), "f")


def number_text(number: int, power: int) -> str:
    """The text of ``number * 10 ** power`` (JSON mapping, rule 39).

    >>> [number_text(*one) for one in ((15, -1), (1, 7), (5, -3), (1, 400000), (123456789, -1), (1, -1))]
    ['1.5', '10000000', '5.0e-3', '1.0e400000', '1.23456789e7', '0.1']
    """
    minus, text = "-" if number < 0 else "", digits(abs(number))
    if 0 <= power <= 1024:
        return minus + text + ("0" * power if number else "")
    bare = text.rstrip("0") or "0"
    point = len(text) + power  # the number is 0.DIGITS * 10^point
    if point == 0:
        return f"{minus}0.{bare}"
    if 0 < point <= 7:
        return f"{minus}{bare[:point].ljust(point, '0')}.{bare[point:] or '0'}"
    return f"{minus}{bare[0]}.{bare[1:] or '0'}e{point - 1}"


def number_parts(text: str) -> tuple[int, int]:
    """The digits without zeros at their end, and the power of ten, of a number of JSON."""
    found = re.fullmatch(r"(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,30}))?", text, re.ASCII)
    if found is None:
        raise ValueError(f"not a number: {text!r}")
    whole = found[2] + (found[3] or "")
    bare = whole.rstrip("0")
    if not bare.strip("0"):
        return 0, 0
    power = int(found[4] or 0) - len(found[3] or "") + len(whole) - len(bare)
    value = int(Decimal(bare))
    return (-value if found[1] else value), power


def _order_decimal(native: tuple[int, int]) -> Any:
    number, power = native
    if number == 0:
        return (0,)
    text = digits(abs(number))
    if number > 0:
        return (1, len(text) + power, text)
    # The larger, the lower; and a digit more is lower.
    return (-1, -(len(text) + power), text.translate(_COMPLEMENT) + ":")


_COMPLEMENT = str.maketrans("0123456789", "9876543210")


def _python_decimal(native: tuple[int, int]) -> Decimal | None:
    number, power = native
    if abs(power) > MAX_EMAX // 2:
        return None
    return _decimal(number, power)


def _decimal(number: int, power: int) -> Decimal:
    sign, of, _ = Decimal(number).as_tuple()
    return Decimal((sign, of, power))


def _native_decimal(value: Any) -> tuple[int, int]:
    if isinstance(value, int) and not isinstance(value, bool):
        value = Decimal(value)
    if not isinstance(value, Decimal) or not value.is_finite():
        raise _wrong(value, "a Decimal, or an int")
    sign, of, power = value.as_tuple()
    assert isinstance(power, int)
    text = "".join(map(str, of)).lstrip("0")
    bare = text.rstrip("0")
    if not bare:
        return 0, 0
    number = int(Decimal(bare))
    return (-number if sign else number), power + len(text) - len(bare)


def _read_decimal(text: str) -> tuple[int, int]:
    number, power = number_parts(text)
    if not -(2**63) <= power < 2**63:
        raise ValueError(f"a power of ten that is no integer of 64 bits: {power}")
    return number, power


def _check_decimal(native: tuple[int, int]) -> str | None:
    number, power = native
    if number % 10 or (number, power) == (0, 0):
        return None
    return "expected a number without zeros at the end of its digits"


def units_text(number: int, units: int) -> str:
    """The text of so many parts of one, of which there are so many: exact, where tenths of
    tenths come to the part; else rounded up, at a place at which it is read as the same.

    >>> units_text(-105, 100), units_text(1, 60)
    ('-1.05', '1.67e-2')
    """
    places = len(str(2 * units - 1))
    for place in range(places + 1):
        if 10**place % units == 0:
            return _normal_text(number * (10**place // units), -place)
    return _normal_text(-(-number * 10 ** (places + 1) // units), -places - 1)


def _normal_text(number: int, power: int) -> str:
    if number == 0:
        return "0"
    text = digits(abs(number))
    zeros = len(text) - len(text.rstrip("0"))
    return number_text(number // 10**zeros, power + zeros)


def read_units(text: str, units: int) -> int:
    """How many parts of one a number is, rounded down."""
    number, power = number_parts(text)
    if power > 1024:
        raise ValueError("a number of more than 1024 digits")
    if power >= 0:
        return int(number * 10**power * units)
    if -power > len(digits(abs(number))) + len(str(units)):
        return -1 if number < 0 else 0
    return int(number * units // 10**-power)


def _fixed(units: int) -> Format:
    """A ``Decimal`` where parts are tenths of tenths, else a ``Fraction``."""
    power = len(str(units)) - 1
    tenths = units == 10**power

    def to_python(number: int) -> Any:
        return _decimal(number, -power) if tenths else Fraction(number, units)

    def to_native(value: Any) -> int:
        if not isinstance(value, (int, Decimal, Fraction)) or isinstance(value, bool):
            raise _wrong(value, "a Decimal, a Fraction or an int")
        if isinstance(value, Decimal) and (not value.is_finite() or abs(value.adjusted()) > 100_000):
            raise _wrong(value, "a number")
        found = Fraction(value) * units
        if found.denominator != 1:
            raise EncodeError(f"{value!r} is not a whole number of parts, of which {units} are one")
        return found.numerator

    return Format(to_python, to_native, lambda n: units_text(n, units), lambda text: read_units(text, units))


def _python_seconds(picos: int) -> datetime.timedelta | None:
    micros, rest = divmod(picos, 10**6)
    if rest or abs(micros) > 86399999999999999999:
        return None
    return datetime.timedelta(microseconds=micros)


def _native_seconds(value: Any) -> int:
    if not isinstance(value, datetime.timedelta):
        raise _wrong(value, "a datetime.timedelta")
    return (value // datetime.timedelta(microseconds=1)) * 10**6


def _native_system(value: Any) -> Any:
    if not isinstance(value, tuple):
        raise _wrong(value, "a tuple of seconds and nanoseconds")
    return value


def _read_system(text: str) -> tuple[int, int]:
    seconds, nanos = divmod(read_units(text, 10**9), 10**9)
    if not -(2**63) <= seconds < 2**63:
        raise ValueError("expected a number of seconds of 64 bits")
    return seconds, nanos


_KNOWN: dict[tuple[str, str, Expression], Format] = {
    ("text", "base16", Bytes()): Format(_same, _bytes, bytes.hex, _unhex),
    ("text", "base64url", Bytes()): Format(
        _same,
        _bytes,
        lambda data: base64.urlsafe_b64encode(data).decode().rstrip("="),
        lambda text: base64_bytes(text, b"-_"),
    ),
    ("text", "uuid", Bytes(16)): Format(
        lambda data: uuid.UUID(bytes=data), _uuid_native, lambda data: str(uuid.UUID(bytes=data)), _uuid_read
    ),
    ("text", "date", DAY): Format(_python_day, _native_day, _show_day, _read_day),
    ("text", "time-local", TIME): Format(_python_time, _native_time, _show_time, _read_time),
    ("text", "date-time-local", LOCAL): Format(
        _python_local, lambda value: _local(_moment(value, aware=False)), _show_local, _read_local
    ),
    ("text", "date-time", UTC): Format(
        _python_utc, _native_utc, lambda utc: _show_local((utc[0], _of_day(utc[1]))) + "Z", _read_utc
    ),
    # Python takes the same moment at two offsets for equal.
    ("text", "date-time", Tuple((LOCAL, OFFSET))): Format(
        _python_zoned, _native_zoned, lambda z: _show_local(z[0]) + _show_offset(z[1]), _read_zoned, hashable=False
    ),
    ("text", "month", _years(12)): _of_year(12, r"(\d\d)", lambda month: f"{month:02}"),
    ("text", "quarter", _years(4)): _of_year(4, r"[qQ](\d)", lambda quarter: f"q{quarter}"),
    ("text", "weekday", Integer(0, 6)): _named(WEEKDAYS),
    ("text", "quarter-of-year", Integer(0, 3)): _named(QUARTERS),
    ("number", "decimal", Tuple((Integer(), INT64))): Format(
        _python_decimal,
        _native_decimal,
        lambda native: number_text(*native),
        _read_decimal,
        order=_order_decimal,
        check=_check_decimal,
    ),
    ("number", "seconds", Integer()): Format(
        _python_seconds,
        _native_seconds,
        lambda picos: units_text(picos, PICOS),
        lambda text: read_units(text, PICOS),
    ),
    ("number", "system-time", Tuple((INT64, Integer(0, 2**32 - 1)))): Format(
        _same, _native_system, lambda time: units_text(time[0] * 10**9 + time[1], 10**9), _read_system
    ),
}
