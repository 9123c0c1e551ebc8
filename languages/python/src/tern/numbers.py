"""Numbers as the native format spells them: varints, zigzag, magnitudes.

Each has one spelling. Rules 4 to 10 of ``docs/spec/native-format.md``.
"""

from __future__ import annotations

from .errors import DecodeError

# How many bytes follow a first byte, and the least number that needs so many.
_FOLLOWING = bytes(
    next((n for n in range(8) if not first & (0x80 >> n)), 8) for first in range(256)
)
_LEAST = [0, *(1 << (7 * n) for n in range(1, 9))]


def cut_off(buffer: bytes) -> DecodeError:
    """The input ends within a value."""
    return DecodeError(len(buffer), "the input ends here", loses_place=True)


def after_varint(buffer: bytes, at: int) -> int:
    """Where the varint at ``at`` ends, however it is spelled."""
    if at >= len(buffer):
        raise cut_off(buffer)
    end = at + 1 + _FOLLOWING[buffer[at]]
    if end > len(buffer):
        raise cut_off(buffer)
    return end


def varint(buffer: bytes, at: int) -> tuple[int, int]:
    """The varint at ``at``, and where it ends."""
    if at >= len(buffer):
        raise cut_off(buffer)
    first = buffer[at]
    if first < 0x80:
        return first, at + 1
    following = _FOLLOWING[first]
    end = at + 1 + following
    if end > len(buffer):
        raise cut_off(buffer)
    number = int.from_bytes(buffer[at:end], "big") & ((1 << (7 * following + 7)) - 1 if following < 8 else (1 << 64) - 1)
    if number < _LEAST[following]:
        raise DecodeError(at, "the number is not written in as few bytes as it could be")
    return number, end


def length(buffer: bytes, at: int) -> tuple[int, int]:
    """A number of bytes or elements to come: one that is wrong loses the place."""
    try:
        number, end = varint(buffer, at)
    except DecodeError as error:
        error.loses_place = True
        raise
    left = len(buffer) - end
    if number > left:
        raise DecodeError(at, f"claims {number} bytes or values, but only {left} bytes are left", loses_place=True)
    return number, end


def magnitude(buffer: bytes, at: int) -> tuple[int, int]:
    """A natural number of any size, and where it ends."""
    if at >= len(buffer):
        raise cut_off(buffer)
    if buffer[at] < 0xFF:
        return varint(buffer, at)
    size, start = length(buffer, at + 1)
    end = start + size
    number = int.from_bytes(buffer[start:end], "little")
    if number < 1 << 56 or buffer[end - 1] == 0:
        raise DecodeError(at, "the number is not written in as few bytes as it could be")
    return number, end


def after_magnitude(buffer: bytes, at: int) -> int:
    """Where the magnitude at ``at`` ends, however it is spelled."""
    if at >= len(buffer):
        raise cut_off(buffer)
    if buffer[at] < 0xFF:
        return after_varint(buffer, at)
    size, start = length(buffer, at + 1)
    return start + size


def zigzag(number: int) -> int:
    """0, -1, 1, -2 as 0, 1, 2, 3.

    >>> [zigzag(n) for n in (0, -1, 1, -2)]
    [0, 1, 2, 3]
    """
    return number << 1 if number >= 0 else ~(number << 1)


def unzigzag(number: int) -> int:
    """The other way."""
    return ~(number >> 1) if number & 1 else number >> 1


def varint_bytes(number: int) -> bytes:
    """The spelling of a number from 0 to 2^64 - 1.

    >>> varint_bytes(128).hex(" ")
    '80 80'
    """
    if number < 0x80:
        return bytes((number,))
    for following in range(1, 8):
        if number < 1 << (7 * following + 7):
            ones = 0xFF00 >> following & 0xFF
            return (number | ones << (8 * following)).to_bytes(following + 1, "big")
    return b"\xff" + number.to_bytes(8, "big")


def magnitude_bytes(number: int) -> bytes:
    """The spelling of a number from 0 on.

    >>> magnitude_bytes(1 << 56).hex(" ")
    'ff 08 00 00 00 00 00 00 00 01'
    """
    if number < 1 << 56:
        return varint_bytes(number)
    size = (number.bit_length() + 7) // 8
    return b"\xff" + varint_bytes(size) + number.to_bytes(size, "little")
