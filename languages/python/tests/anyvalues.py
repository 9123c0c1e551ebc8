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
    Character,
    Declared,
    Expression,
    Fields,
    Float,
    Integer,
    List,
    Map,
    Names,
    Nothing,
    Optional,
    Single,
    Text,
    Tuple,
    Unit,
    Value,
    Values,
)
from tern.values import hashable, may_be_none, plain

_TEXTS = ["", "a", "tern", "é", "\x00", "\"\\\n", "🐦", "\uffff", "x" * 70, "日本"]


def value(schema: Schema, rng: random.Random, *, surrogates: bool = True, size: int = 12) -> Any:
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
                return chr(rng.randrange(0xD800, 0xE000) if surrogates and rng.random() < 0.02 else code)
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
            case Map(key, inside):
                keys = [some(key, depth + 1) for _ in range(count(depth))]
                if hashable(schema, plain, key):
                    return {one: some(inside, depth + 1) for one in keys if one == one}
                distinct = [one for index, one in enumerate(keys) if one not in keys[:index]]
                return [(one, some(inside, depth + 1)) for one in distinct]
            case Tuple(elements):
                return tuple(some(one, depth + 1) for one in elements)
            case Declared(number):
                return declared(number, depth + 1)
        raise AssertionError(shape)

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
