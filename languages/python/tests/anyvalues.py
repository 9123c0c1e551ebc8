"""Random values of any schema, and the schemas that values cross between languages by."""

from __future__ import annotations

import random
import struct
from typing import Any

from tern import Json, Schema, Some, Variant
from tern.schema import (
    Alternatives,
    Anything,
    Body,
    Boolean,
    Bytes,
    Character,
    Declared,
    Expression,
    Fields,
    Float,
    Formatted,
    Integer,
    List,
    Map,
    Names,
    Nothing,
    Optional,
    Set,
    Single,
    Text,
    Tuple,
    Unit,
    Value,
    Values,
)
from tern.formats import of as format_of
from tern.values import from_native, hashable, may_be_none, plain

_TEXTS = ["", "a", "tern", "é", "\x00", "\"\\\n", "🐦", "\uffff", "x" * 70, "日本"]


def value(schema: Schema, rng: random.Random, *, size: int = 12) -> Any:
    """A value, of some parts at most."""
    left = [size]

    def some(shape: Expression, depth: int) -> Any:
        match shape:
            case Boolean():
                return rng.random() < 0.5
            case Integer(low, high):
                return integer(low, high)
            case Float(bits):
                return real(bits)
            case Text():
                return rng.choice(_TEXTS) + "".join(chr(rng.randrange(32, 127)) for _ in range(rng.randrange(4)))
            case Character():
                code = rng.choice([rng.randrange(128), rng.randrange(0xD800), rng.randrange(0xE000, 0x110000)])
                return chr(code)
            case Unit():
                return ()
            case Anything():
                return Json(rng.choice(["null", "1", "[1.50,{}]", '{"a":[true,"é"]}', "-0.0", "1e400"]))
            case Optional(inside):
                if rng.random() < 0.4 or depth > 6:
                    return None
                found = some(inside, depth + 1)
                return Some(found) if may_be_none(schema, inside) else found
            case List(element, least):
                return [some(element, depth + 1) for _ in range(least + count(depth))]
            case Bytes(length):
                return rng.randbytes(rng.choice([0, 1, 2, 3, 5, 20]) if length is None else length)
            case Formatted(_, name, native):
                found = formatted(name, some(native, depth))
                return found if format_of(shape) is None else from_native(shape, found)
            case Set(element):
                members = distinct([some(element, depth + 1) for _ in range(count(depth))])
                return frozenset(members) if hashable(schema, plain, element) else members
            case Map(key, inside):
                keys = [some(key, depth + 1) for _ in range(count(depth))]
                if hashable(schema, plain, key):
                    return {one: some(inside, depth + 1) for one in keys if one == one}
                return [(one, some(inside, depth + 1)) for one in distinct(keys)]
            case Tuple(elements):
                return tuple(some(one, depth + 1) for one in elements)
            case Declared(number):
                return declared(number, depth + 1)
        raise AssertionError(shape)

    def distinct(found: list[Any]) -> list[Any]:
        return [one for index, one in enumerate(found) if one == one and one not in found[:index]]

    def formatted(name: str, native: Any) -> Any:
        """A value of the expression as one of the format, and more often one that Python has."""
        often = rng.random() < 0.6
        match name:
            case "date":
                return rng.randrange(-678575, 2973484) if often else native
            case "date-time":
                if isinstance(native[0], int):
                    return (rng.randrange(-678575, 2973484), rng.randrange(86400 * 10**6) * 10**6) if often else native
                return native
            case "decimal":
                number, power = native[0], rng.randrange(-300, 300)
                while number and number % 10 == 0:
                    number //= 10
                return (number, power if number else 0)
            case "seconds":
                return rng.randrange(-(10**12), 10**12) * 10**6 if often else native
            case "system-time":
                return (native[0], native[1] % 10**9)
            case _:
                return native

    def count(depth: int) -> int:
        most = max(0, min(left[0], 5 - depth))
        found = rng.randint(0, most)
        left[0] -= found
        return found

    def integer(low: int | None, high: int | None) -> int:
        width = rng.choice([1, 6, 7, 8, 14, 15, 31, 55, 56, 57, 63, 64, 200])
        found = rng.getrandbits(width) * rng.choice([1, -1])
        ends = [end for end in (low, high) if end is not None]
        if (low is not None and found < low) or (high is not None and found > high) or rng.random() < 0.1:
            if low is not None and high is not None:
                return rng.choice([low, high, rng.randint(low, high)])
            return rng.choice(ends) if ends else found
        return found

    def real(bits: int) -> float:
        raw = struct.pack("<Q", rng.getrandbits(64))
        plainly = rng.choice([0.0, -0.0, 1.5, -2.25, float("inf"), float("-inf"), 3.0])
        found: float = struct.unpack("<d" if bits == 64 else "<f", raw[: bits // 8])[0]
        return plainly if rng.random() < 0.5 or found != found else found

    def declared(number: int, depth: int) -> Any:
        match schema.definitions[number].form:
            case Single(one):
                return body(one, depth)
            case Names(names):
                return rng.choice(names)
            case Alternatives(_, alternatives):
                if depth > 6:
                    alternatives = alternatives[:1]
                one = rng.choice(alternatives)
                return Variant(one.name, body(one.body, depth))

    def body(one: Body, depth: int) -> Any:
        match one:
            case Nothing():
                return ()
            case Value(shape):
                return some(shape, depth)
            case Values(shapes):
                return tuple(some(shape, depth) for shape in shapes)
            case Fields(fields):
                return {each.name: some(each.shape, depth) for each in fields}

    return some(schema.root, 0)
