"""How values without parts are read and written, each from a schema's expression."""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Callable
from typing import Any

from .errors import DecodeError, EncodeError
from .layout import integer_width, is_signed
from .numbers import (
    cut_off,
    length,
    magnitude,
    magnitude_bytes,
    unzigzag,
    varint,
    varint_bytes,
    zigzag,
)
from .recursion import deep
from .schema import Anything, Boolean, Bytes, Character, Expression, Float, Integer, Text, Unit
from .schema_text import quote
from .values import Json, wrong

Read = Callable[[bytes, int, int], tuple[Any, int]]
"""From some bytes, an offset and a depth: the value there, and where it ends."""

Write = Callable[[bytearray, Any], None]
"""Puts a value's bytes behind those that are there."""

# --- reading ---------------------------------------------------------------------


def read_boolean(buffer: bytes, at: int, depth: int) -> tuple[bool, int]:
    if at >= len(buffer):
        raise cut_off(buffer)
    found = buffer[at]
    if found > 1:
        raise DecodeError(at, f"the type has no constructor {found}, only 0 to 1", loses_place=True)
    return found == 1, at + 1


def read_unit(buffer: bytes, at: int, depth: int) -> tuple[tuple[()], int]:
    if at >= len(buffer):
        raise cut_off(buffer)
    if buffer[at]:
        raise DecodeError(at, f"the type has no constructor {buffer[at]}, only 0 to 0", loses_place=True)
    return (), at + 1


def read_text(buffer: bytes, at: int, depth: int) -> tuple[str, int]:
    size, start = length(buffer, at)
    end = start + size
    try:
        return buffer[start:end].decode(), end
    except UnicodeDecodeError as error:
        raise DecodeError(start + error.start, "these bytes are not UTF-8") from None


def read_character(buffer: bytes, at: int, depth: int) -> tuple[str, int]:
    code, end = varint(buffer, at)
    if code > 0x10FFFF or 0xD800 <= code < 0xE000:
        raise DecodeError(at, f"no character has the code point {code:#x}")
    return chr(code), end


def read_bytes(buffer: bytes, at: int, depth: int) -> tuple[bytes, int]:
    size, start = length(buffer, at)
    return bytes(buffer[start : start + size]), start + size


def read_just(size: int) -> Read:
    """A reader for just so many bytes."""

    def read(buffer: bytes, at: int, depth: int) -> tuple[bytes, int]:
        end = at + size
        if end > len(buffer):
            raise cut_off(buffer)
        return bytes(buffer[at:end]), end

    return read


def read_anything(buffer: bytes, at: int, depth: int) -> tuple[Json, int]:
    text, end = read_text(buffer, at, depth)
    reason = not_json(text)
    if reason is not None:
        raise DecodeError(end - len(text.encode()), f"this is not a JSON text: {reason}")
    return Json(text), end


def read_float64(buffer: bytes, at: int, depth: int) -> tuple[float, int]:
    end = at + 8
    if end > len(buffer):
        raise cut_off(buffer)
    found: float = struct.unpack_from("<d", buffer, at)[0]
    return found, end


class Single(float):
    """A NaN of single precision, with the bits that it had."""

    bits: int


def read_float32(buffer: bytes, at: int, depth: int) -> tuple[float, int]:
    end = at + 4
    if end > len(buffer):
        raise cut_off(buffer)
    found: float = struct.unpack_from("<f", buffer, at)[0]
    if found != found:
        # Converting a NaN may change its bits, and equal values have equal bytes.
        kept = Single(found)
        kept.bits = int.from_bytes(buffer[at:end], "little")
        return kept, end
    return found, end


def read_integer(shape: Integer) -> Read:
    """A reader for the integers between two bounds, or without some."""
    width, signed = integer_width(shape), is_signed(shape)
    low, high = shape.low, shape.high
    within = f"{'' if low is None else low}..{'' if high is None else high}"

    def check(number: int, at: int) -> None:
        if (low is not None and number < low) or (high is not None and number > high):
            raise DecodeError(at, f"the number {shortly(number)} is not in {within}")

    if width:

        def fixed(buffer: bytes, at: int, depth: int) -> tuple[int, int]:
            end = at + width
            if end > len(buffer):
                raise cut_off(buffer)
            number = int.from_bytes(buffer[at:end], "little", signed=signed)
            check(number, at)
            return number, end

        return fixed

    def variable(buffer: bytes, at: int, depth: int) -> tuple[int, int]:
        number, end = varint(buffer, at) if width == 0 else magnitude(buffer, at)
        if signed:
            number = unzigzag(number)
        check(number, at)
        return number, end

    return variable


def shortly(number: int) -> str:
    """A number for people, who do not read thousands of digits."""
    return str(number) if number.bit_length() <= 256 else f"of {number.bit_length()} bits"


def not_json(text: str) -> str | None:
    """Why a text is no JSON, if it is none."""

    def refuse(name: str) -> Any:
        raise ValueError(f"{name} is no number")

    try:
        # Digits are kept as they are: what is not asked for is not converted.
        with deep(2048):
            json.loads(text, parse_int=_as_it_is, parse_float=_as_it_is, parse_constant=refuse)
    except ValueError as error:
        return str(error)
    except RecursionError:
        return "it is nested too deep"
    return None


def _as_it_is(digits: str) -> str:
    return digits


# --- writing ---------------------------------------------------------------------


def write_boolean(out: bytearray, value: Any) -> None:
    if value is not True and value is not False:
        raise wrong(value, "True or False")
    out.append(value)


def write_unit(out: bytearray, value: Any) -> None:
    if value != ():
        raise wrong(value, "()")
    out.append(0)


def write_text(out: bytearray, value: Any) -> None:
    if not isinstance(value, str):
        raise wrong(value, "a str")
    try:
        encoded = value.encode()
    except UnicodeEncodeError as error:
        raise EncodeError(f"character {error.start} is a surrogate, which a text cannot hold") from None
    out += varint_bytes(len(encoded))
    out += encoded


def write_character(out: bytearray, value: Any) -> None:
    if not isinstance(value, str) or len(value) != 1:
        raise wrong(value, "a str of one character")
    if "\ud800" <= value <= "\udfff":
        raise EncodeError("half of a surrogate pair is no character")
    out += varint_bytes(ord(value))


def write_bytes(size: int | None) -> Write:
    """A writer for bytes, or for just so many of them."""

    def write(out: bytearray, value: Any) -> None:
        if not isinstance(value, (bytes, bytearray, memoryview)):
            raise wrong(value, "bytes")
        if size is None:
            out += varint_bytes(len(value))
        elif len(value) != size:
            raise EncodeError(f"expected {size} bytes, found {len(value)}")
        out += value

    return write


def write_anything(out: bytearray, value: Any) -> None:
    if not isinstance(value, Json):
        raise wrong(value, "a Json")
    reason = not_json(value.text)
    if reason is not None:
        raise EncodeError(f"this is not a JSON text: {reason}")
    write_text(out, value.text)


def write_float64(out: bytearray, value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, (float, int)):
        raise wrong(value, "a float")
    try:
        out += struct.pack("<d", value)
    except OverflowError:
        raise EncodeError("the number is too large for a float") from None


def write_float32(out: bytearray, value: Any) -> None:
    if isinstance(value, Single):
        out += value.bits.to_bytes(4, "little")
        return
    if isinstance(value, bool) or not isinstance(value, (float, int)):
        raise wrong(value, "a float")
    try:
        packed = struct.pack("<f", value)
    except OverflowError:
        raise EncodeError(f"the number {value!r} is too large for single precision") from None
    if not math.isnan(value) and struct.unpack("<f", packed)[0] != value:
        raise EncodeError(f"the number {value!r} has more digits than single precision holds; round it with to_single")
    out += packed


def to_single(value: float) -> float:
    """The nearest number of single precision, an infinity where there is none.

    >>> to_single(0.1)
    0.10000000149011612
    """
    try:
        found: float = struct.unpack("<f", struct.pack("<f", value))[0]
        return found
    except OverflowError:
        return math.copysign(math.inf, value)


def write_integer(shape: Integer) -> Write:
    """A writer for the integers between two bounds, or without some."""
    width, signed = integer_width(shape), is_signed(shape)
    low, high = shape.low, shape.high
    within = f"{'' if low is None else low}..{'' if high is None else high}"

    def write(out: bytearray, value: Any) -> None:
        if not isinstance(value, int) or isinstance(value, bool):
            raise wrong(value, "an int")
        if (low is not None and value < low) or (high is not None and value > high):
            raise EncodeError(f"the number {shortly(value)} is not in {within}")
        if width:
            try:
                out += value.to_bytes(width, "little", signed=signed)
            except OverflowError:
                # Bounds may be those of nobody's number.
                raise EncodeError(f"the number {shortly(value)} has more than {width} bytes") from None
            return
        if signed:
            value = zigzag(value)
        if width is None:
            out += magnitude_bytes(value)
        else:
            out += varint_bytes(value)

    return write


def reader(shape: Expression) -> Read | None:
    """The reader of a shape without parts."""
    match shape:
        case Boolean():
            return read_boolean
        case Integer():
            return read_integer(shape)
        case Float(bits):
            return read_float64 if bits == 64 else read_float32
        case Text():
            return read_text
        case Character():
            return read_character
        case Unit():
            return read_unit
        case Anything():
            return read_anything
        case Bytes(size):
            return read_bytes if size is None else read_just(size)
        case _:
            return None


def writer(shape: Expression) -> Write | None:
    """The writer of a shape without parts."""
    match shape:
        case Boolean():
            return write_boolean
        case Integer():
            return write_integer(shape)
        case Float(bits):
            return write_float64 if bits == 64 else write_float32
        case Text():
            return write_text
        case Character():
            return write_character
        case Unit():
            return write_unit
        case Anything():
            return write_anything
        case Bytes(size):
            return write_bytes(size)
        case _:
            return None
