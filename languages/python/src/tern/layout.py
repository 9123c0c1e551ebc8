"""How many bytes the values of an expression take, and where one ends.

``Layout.after`` steps over a value without making it, and without looking at more than
lengths, counts and constructors. It needs no recursion, so that values of any depth can be
stepped over.
"""

from __future__ import annotations

from .errors import DecodeError
from .numbers import after_magnitude, after_varint, cut_off, length, varint
from .schema import (
    Anything,
    Boolean,
    Bytes,
    Character,
    Declared,
    Expression,
    Float,
    Formatted,
    Integer,
    List,
    Map,
    Opaque,
    Optional,
    Schema,
    Set,
    Text,
    Tuple,
    Unit,
    body_shapes,
)
from .values import constructors

CHUNK = 4096
"""The elements of a full chunk."""


def integer_width(shape: Integer) -> int | None:
    """1, 2, 4 or 8 bytes, 0 for a varint, None for a magnitude."""
    if shape.size is not None:
        return shape.size
    if shape.low is None or shape.high is None:
        return None
    span = shape.high - shape.low
    return 1 if span < 1 << 8 else 2 if span < 1 << 16 else 0


def is_signed(shape: Integer) -> bool:
    """Are there numbers below 0?"""
    return shape.low is None or shape.low < 0


def count(buffer: bytes, at: int) -> tuple[int, int]:
    """The number of elements of a chunk, and where they begin."""
    try:
        number, end = varint(buffer, at)
    except DecodeError as error:
        error.loses_place = True
        raise
    if number > CHUNK:
        raise DecodeError(at, f"a chunk of {number} elements; a chunk has at most {CHUNK}", loses_place=True)
    left = len(buffer) - end
    if number > left:
        raise DecodeError(at, f"claims {number} bytes or values, but only {left} bytes are left", loses_place=True)
    return number, end


def tag(buffer: bytes, at: int, constructors: int) -> tuple[int, int]:
    """The number of a constructor, and where its fields begin."""
    width = 1 if constructors <= 256 else 2
    if at + width > len(buffer):
        raise cut_off(buffer)
    number = buffer[at] if width == 1 else buffer[at] | buffer[at + 1] << 8
    if number >= constructors:
        raise DecodeError(
            at, f"the type has no constructor {number}, only 0 to {constructors - 1}", loses_place=True
        )
    return number, at + width


class Layout:
    """The layout of a schema's values."""

    def __init__(self, schema: Schema) -> None:
        self.constructors = tuple(
            tuple(body_shapes(body) for _, body in constructors(one)) for one in schema.definitions
        )

    def width(self, shape: Expression) -> int | None:
        """The bytes of each value, where all have the same number of them."""
        match shape:
            case Boolean() | Unit():
                return 1
            case Float(bits):
                return bits // 8
            case Integer():
                return integer_width(shape) or None
            case Bytes(size):
                return size
            case Formatted(_, _, native):
                return self.width(native)
            case _:
                return None

    def after(self, buffer: bytes, at: int, shape: Expression) -> int:
        """Where the value at ``at`` ends. Linear in the bytes."""
        # What is still to be stepped over: a shape, or that a list's next chunk comes, or a
        # number of elements of a chunk.
        waiting: list[tuple[Expression | None, tuple[Expression, ...], int]] = [(shape, (), 0)]
        while waiting:
            one, elements, left = waiting.pop()
            if one is None:
                if left < 0:
                    found, at = count(buffer, at)
                    if found == CHUNK:
                        waiting.append((None, elements, -1))
                    left = found
                width = self.width(elements[0]) if len(elements) == 1 else None
                if width is not None:
                    at += left * width
                    if at > len(buffer):
                        raise cut_off(buffer)
                elif left:
                    if left > 1:
                        waiting.append((None, elements, left - 1))
                    waiting.extend((element, (), 0) for element in reversed(elements))
                continue
            match one:
                case Boolean() | Optional():
                    found, at = tag(buffer, at, 2)
                    if found and isinstance(one, Optional):
                        waiting.append((one.value, (), 0))
                case Unit():
                    _, at = tag(buffer, at, 1)
                case Integer():
                    width = integer_width(one)
                    if width is None:
                        at = after_magnitude(buffer, at)
                    elif width == 0:
                        at = after_varint(buffer, at)
                    else:
                        at += width
                case Float(bits):
                    at += bits // 8
                case Character():
                    at = after_varint(buffer, at)
                case Text() | Anything() | Bytes(None):
                    size, at = length(buffer, at)
                    at += size
                case Bytes(int(size)):
                    at += size
                case Formatted(_, _, native):
                    waiting.append((native, (), 0))
                case Opaque(name):
                    raise DecodeError(at, f"only the codec of {name!r} knows where this ends", loses_place=True)
                case List(element) | Set(element):
                    waiting.append((None, (element,), -1))
                case Map(key, value):
                    waiting.append((None, (key, value), -1))
                case Tuple(parts):
                    waiting.extend((part, (), 0) for part in reversed(parts))
                    if not parts:
                        _, at = tag(buffer, at, 1)
                case Declared(number):
                    bodies = self.constructors[number]
                    index = 0
                    if len(bodies) > 1 or not bodies[0]:
                        index, at = tag(buffer, at, len(bodies))
                    waiting.extend((part, (), 0) for part in reversed(bodies[index]))
            if at > len(buffer):
                raise cut_off(buffer)
        return at


