"""From values to documents: a schema becomes functions that put bytes behind bytes."""

from __future__ import annotations

from typing import Any

from .errors import EncodeError
from .layout import CHUNK
from .numbers import varint_bytes
from .recursion import deep
from .scalars import Write, writer
from .schema import (
    Body,
    Declared,
    Expression,
    Fields,
    Formatted,
    List,
    Map,
    Opaque,
    Optional,
    Schema,
    Set,
    Tuple,
    Unit,
    Value,
    body_shapes,
)
from .formats import of as format_of
from .values import Orders, Shapings, Some, constructors, may_be_none, plain, to_native, wrong

MAX_DEPTH = 512
"""Levels of values within each other, as readers allow them by default."""


class Encoder:
    """Writes values of a schema.

    >>> from tern.schema import parse
    >>> Encoder(parse("[boolean]")).encode([True, False]).hex(" ")
    '02 01 00'
    """

    def __init__(self, schema: Schema, shapings: Shapings = plain) -> None:
        self.schema = schema
        self._shapings = shapings
        self._orders = Orders(schema, shapings)
        self._declared: dict[int, Write] = {}
        self._depth = 0
        self._owner: int | None = None
        with deep(16 * MAX_DEPTH):
            self._write = self._of(schema.root)

    def encode(self, value: Any) -> bytes:
        """The document of a value."""
        out = bytearray()
        self.encode_into(out, value)
        return bytes(out)

    def encode_into(self, out: bytearray, value: Any) -> None:
        """Put a document behind some bytes; where it fails, these are as they were."""
        start = len(out)
        self._depth = 0
        try:
            with deep(16 * MAX_DEPTH):
                self._write(out, value)
        except BaseException:
            del out[start:]
            raise

    def _of(self, shape: Expression) -> Write:
        scalar = writer(shape)
        if scalar is not None:
            return scalar
        match shape:
            case Optional(inside):
                return self._level(shape, self._optional(inside))
            case List(element, least):
                return self._level(shape, self._list(element, least))
            case Set(element):
                return self._level(shape, self._set(element))
            case Map(key, value):
                return self._level(shape, self._map(key, value))
            case Formatted():
                return self._formatted(shape)
            case Tuple(elements):
                return self._tuple(elements)
            case Declared(number):
                return self._reference(number)
            case Opaque(name):
                raise EncodeError(f"only the codec of {name!r} knows how it is written")
            case _:
                raise AssertionError(shape)

    def _level(self, shape: Expression, write: Write) -> Write:
        if not self.schema.is_level(self._owner, shape):
            return write

        def level(out: bytearray, value: Any) -> None:
            self._depth += 1
            if self._depth > MAX_DEPTH:
                raise EncodeError(f"more than {MAX_DEPTH} levels within each other")
            write(out, value)
            self._depth -= 1

        return level

    def _optional(self, inside: Expression) -> Write:
        write = self._of(inside)
        some = may_be_none(self.schema, inside)

        def optional(out: bytearray, value: Any) -> None:
            if value is None:
                out.append(0)
                return
            if isinstance(value, Some):
                value = value.value
            elif some:
                raise wrong(value, "None or Some(...)")
            out.append(1)
            write(out, value)

        return optional

    def _list(self, element: Expression, least: int) -> Write:
        write = self._of(element)

        def elements(out: bytearray, values: Any) -> None:
            if hasattr(values, "tolist"):
                values = values.tolist()  # an array of numpy, or of Python's own
            if isinstance(values, (str, bytes, dict)) or not hasattr(values, "__len__"):
                raise wrong(values, "a list")
            if len(values) < least:
                raise EncodeError(f"expected {least} elements or more, found {len(values)}")
            for start in range(0, len(values) + 1, CHUNK):
                chunk = values[start : start + CHUNK]
                out += varint_bytes(len(chunk))
                index = start
                try:
                    for value in chunk:
                        write(out, value)
                        index += 1
                except EncodeError as error:
                    raise error.within(index) from None

        return elements

    def _formatted(self, shape: Formatted) -> Write:
        write, known = self._of(shape.native), format_of(shape)

        def formatted(out: bytearray, value: Any) -> None:
            native = to_native(shape, value)
            start = len(out)
            write(out, native)
            reason = None if known is None else known.check(native)
            if reason is not None:
                del out[start:]
                raise EncodeError(reason)

        return formatted

    def _set(self, element: Expression) -> Write:
        write, order = self._of(element), self._orders.of(element)

        def elements(out: bytearray, values: Any) -> None:
            if not isinstance(values, (set, frozenset, list, tuple)):
                raise wrong(values, "a set")
            spelled = []
            for index, value in enumerate(values):
                one = bytearray()
                try:
                    write(one, value)
                except EncodeError as error:
                    raise error.within(index) from None
                spelled.append((order(value), one))
            _ascending(spelled, "an element")
            for start in range(0, len(spelled) + 1, CHUNK):
                chunk = spelled[start : start + CHUNK]
                out += varint_bytes(len(chunk))
                for _, one in chunk:
                    out += one

        return elements

    def _map(self, key: Expression, value: Expression) -> Write:
        write_key, write_value, order = self._of(key), self._of(value), self._orders.of(key)

        def pairs(out: bytearray, found: Any) -> None:
            items = list(found.items() if isinstance(found, dict) else found)
            keyed = []
            for index, item in enumerate(items):
                if not isinstance(item, (tuple, list)) or len(item) != 2:
                    raise wrong(found, "a dict, or a list of pairs").within(index)
                # Written first: what a key is compared by is known of keys that fit alone.
                spelled = bytearray()
                try:
                    write_key(spelled, item[0])
                except EncodeError as error:
                    raise error.within(index) from None
                keyed.append((order(item[0]), spelled, item[1]))
            _ascending(keyed, "a key")
            for start in range(0, len(keyed) + 1, CHUNK):
                chunk = keyed[start : start + CHUNK]
                out += varint_bytes(len(chunk))
                for index, (_, spelled, one) in enumerate(chunk):
                    out += spelled
                    try:
                        write_value(out, one)
                    except EncodeError as error:
                        raise error.within(start + index) from None

        return pairs

    def _tuple(self, elements: tuple[Expression, ...]) -> Write:
        writers = [self._of(element) for element in elements] or [self._of(Unit())]

        def row(out: bytearray, values: Any) -> None:
            if not isinstance(values, (tuple, list)) or len(values) != len(elements):
                raise wrong(values, f"a tuple of {len(elements)}")
            if not elements:
                out.append(0)
            for index, (write, value) in enumerate(zip(writers, values)):
                try:
                    write(out, value)
                except EncodeError as error:
                    raise error.within(index) from None

        return row

    def _reference(self, number: int) -> Write:
        """A declared type, which may be within itself and is made once."""
        if number not in self._declared:
            self._declared[number] = lambda out, value: self._declared[number](out, value)
            owner, self._owner = self._owner, number
            self._declared[number] = self._level(Declared(number), self._definition(number))
            self._owner = owner
        return self._declared[number]

    def _definition(self, number: int) -> Write:
        definition = self.schema.definitions[number]
        take = self._shapings(self.schema, number).take
        bodies = [(_steps(body), [self._of(shape) for shape in body_shapes(body)]) for _, body in constructors(definition)]
        count = len(bodies)
        tagged = count > 1 or not bodies[0][1]
        width = 1 if count <= 256 else 2

        def declared(out: bytearray, value: Any) -> None:
            index, values = take(value)
            if tagged:
                out += index.to_bytes(width, "little")
            steps, writers = bodies[index]
            for step, write, one in zip(steps, writers, values):
                try:
                    write(out, one)
                except EncodeError as error:
                    raise (error if step is None else error.within(step)) from None

        return declared


def _ascending(found: list[Any], what: str) -> None:
    """Put what begins with its place in order."""
    found.sort(key=lambda one: one[0])
    for index, (before, after) in enumerate(zip(found, found[1:])):
        if not before[0] < after[0]:
            raise EncodeError(f"{what} is there twice, or is no number").within(index + 1)


def _steps(body: Body) -> list[str | int | None]:
    """What the fields of a constructor are called in a path."""
    if isinstance(body, Fields):
        return [field.name for field in body.fields]
    if isinstance(body, Value):
        return [None]
    return list(range(len(body_shapes(body))))
