"""Schemas as bytes, as a container's header has them: rules 19 to 22 of
``docs/spec/container.md``."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from .errors import DecodeError, SchemaError
from .numbers import length, magnitude, magnitude_bytes, unzigzag, varint, varint_bytes, zigzag
from .recursion import deep
from .schema import (
    Alternative,
    Alternatives,
    Anything,
    Body,
    Boolean,
    Bytes,
    Character,
    Declared,
    Definition,
    Expression,
    Field,
    Fields,
    Float,
    Form,
    Formatted,
    Integer,
    Layout,
    List,
    Map,
    Names,
    Nothing,
    Opaque,
    Optional,
    Schema,
    Set,
    Single,
    SingleField,
    Tagged,
    Text,
    Tuple,
    TwoElements,
    Untagged,
    Unit,
    Value,
    Values,
)
from .schema_text import MAX_DEPTH, check, render

CHUNK = 4096
"""The elements of a full chunk."""

T = TypeVar("T")


def write(schema: Schema) -> bytes:
    """The bytes of a schema."""
    out = bytearray()

    def number(value: int) -> None:
        out.extend(varint_bytes(zigzag(value)))

    def string(value: str) -> None:
        encoded = value.encode()
        out.extend(varint_bytes(len(encoded)))
        out.extend(encoded)

    def row(write_one: Callable[[T], None], values: tuple[T, ...]) -> None:
        for start in range(0, len(values) + 1, CHUNK):
            chunk = values[start : start + CHUNK]
            out.extend(varint_bytes(len(chunk)))
            for one in chunk:
                write_one(one)

    def bound(value: int | None) -> None:
        if value is None:
            out.append(0)
        else:
            out.append(1)
            out.extend(magnitude_bytes(zigzag(value)))

    def expression(shape: Expression) -> None:
        match shape:
            case Boolean():
                out.append(0)
            case Integer(int(low), int(high), int(size)):
                out.append(18)
                number(size)
                out.extend(magnitude_bytes(zigzag(low)))
                out.extend(magnitude_bytes(zigzag(high)))
            case Integer(low, high):
                out.append(1)
                bound(low)
                bound(high)
            case Float(bits):
                out.append(2)
                number(bits)
            case Text():
                out.append(3)
            case Character():
                out.append(4)
            case Unit():
                out.append(5)
            case Anything():
                out.append(6)
            case Opaque(name):
                out.append(7)
                string(name)
            case List(element, least):
                out.append(8)
                number(least)
                expression(element)
            case Optional(value):
                out.append(9)
                expression(value)
            case Map(key, value):
                out.append(10)
                expression(key)
                expression(value)
            case Tuple(elements):
                out.append(11)
                row(expression, elements)
            case Declared(index):
                out.append(12)
                out.extend(varint_bytes(index))
            case Bytes(None):
                out.append(13)
            case Bytes(int(size)):
                out.append(14)
                number(size)
            case Formatted(notation, name, native):
                out.append(15 if notation == "text" else 16)
                string(name)
                expression(native)
            case Set(element):
                out.append(17)
                expression(element)

    def field(one: Field) -> None:
        string(one.name)
        out.append(one.may_be_absent)
        expression(one.shape)

    def body(one: Body) -> None:
        match one:
            case Nothing():
                out.append(0)
            case Value(value):
                out.append(1)
                expression(value)
            case Values(values):
                out.append(2)
                row(expression, values)
            case Fields(fields):
                out.append(3)
                row(field, fields)

    def alternative(one: Alternative) -> None:
        string(one.name)
        body(one.body)

    def layout(one: Layout) -> None:
        match one:
            case Tagged(tag, contents):
                out.append(0)
                string(tag)
                string(contents)
            case SingleField():
                out.append(1)
            case TwoElements():
                out.append(2)
            case Untagged():
                out.append(3)

    def definition(one: Definition) -> None:
        string(one.label)
        match one.form:
            case Single(inside):
                out.append(0)
                body(inside)
            case Names(names):
                out.append(1)
                row(string, names)
            case Alternatives(how, alternatives):
                out.append(2)
                layout(how)
                row(alternative, alternatives)

    with deep(8 * MAX_DEPTH):
        expression(schema.root)
        row(definition, schema.definitions)
    return bytes(out)


def read(buffer: bytes) -> Schema:
    """The schema of some bytes, all of them."""
    reader = _Reader(buffer)
    try:
        with deep(8 * MAX_DEPTH):
            root = reader.expression(0)
            definitions = reader.row(reader.definition)
    except DecodeError as error:
        raise SchemaError(error.offset, error.reason) from None
    if reader.at != len(buffer):
        raise SchemaError(reader.at, "something follows the schema")
    schema = Schema(root, definitions)
    check(schema)
    render(schema)
    return schema


class _Reader:
    def __init__(self, buffer: bytes) -> None:
        self.buffer = buffer
        self.at = 0

    def byte(self, below: int, what: str) -> int:
        if self.at >= len(self.buffer):
            raise SchemaError(self.at, "the schema ends here")
        found = self.buffer[self.at]
        if found >= below:
            raise SchemaError(self.at, f"{what} is a number below {below}, found {found}")
        self.at += 1
        return found

    def number(self, least: int) -> int:
        start = self.at
        coded, self.at = varint(self.buffer, self.at)
        found = unzigzag(coded)
        if found < least:
            raise SchemaError(start, f"expected a number from {least} on, found {found}")
        return found

    def string(self) -> str:
        size, start = length(self.buffer, self.at)
        self.at = start + size
        try:
            return self.buffer[start : self.at].decode()
        except UnicodeDecodeError as error:
            raise SchemaError(start + error.start, "these bytes are not UTF-8") from None

    def row(self, read_one: Callable[[], T]) -> tuple[T, ...]:
        out: list[T] = []
        while True:
            count, self.at = length(self.buffer, self.at)
            if count > CHUNK:
                raise SchemaError(self.at, f"a chunk of {count} elements; a chunk has at most {CHUNK}")
            for _ in range(count):
                out.append(read_one())
            if count < CHUNK:
                return tuple(out)

    def bound(self) -> int | None:
        if not self.byte(2, "whether there is a bound"):
            return None
        return self.whole()

    def whole(self) -> int:
        coded, self.at = magnitude(self.buffer, self.at)
        if coded.bit_length() > 8192:
            raise SchemaError(self.at, "a bound of more than 8192 bits")
        return unzigzag(coded)

    def expression(self, depth: int) -> Expression:
        if depth > MAX_DEPTH:
            raise SchemaError(self.at, f"more than {MAX_DEPTH} levels within each other")
        start = self.at
        match self.byte(19, "an expression"):
            case 0:
                return Boolean()
            case 1:
                return Integer(self.bound(), self.bound())
            case 2:
                bits = self.number(0)
                if bits not in (32, 64):
                    raise SchemaError(start, f"a float has 32 or 64 bits, not {bits}")
                return Float(bits)
            case 3:
                return Text()
            case 4:
                return Character()
            case 5:
                return Unit()
            case 6:
                return Anything()
            case 7:
                return Opaque(self.string())
            case 8:
                least = self.number(0)
                return List(self.expression(depth + 1), least)
            case 9:
                return Optional(self.expression(depth + 1))
            case 10:
                key = self.expression(depth + 1)
                return Map(key, self.expression(depth + 1))
            case 11:
                return Tuple(self.row(lambda: self.expression(depth + 1)))
            case 12:
                index, self.at = varint(self.buffer, self.at)
                return Declared(index)
            case 13:
                return Bytes()
            case 14:
                return Bytes(self.number(1))
            case 15 | 16 as kind:
                name = self.string()
                return Formatted("text" if kind == 15 else "number", name, self.expression(depth + 1))
            case 17:
                return Set(self.expression(depth + 1))
            case _:
                size = self.number(0)
                if size not in (4, 8):
                    raise SchemaError(start, f"an integer of a fixed size has 4 or 8 bytes, not {size}")
                return Integer(self.whole(), self.whole(), size)

    def field(self) -> Field:
        name = self.string()
        may_be_absent = bool(self.byte(2, "whether a field may be absent"))
        return Field(name, self.expression(0), may_be_absent)

    def body(self) -> Body:
        match self.byte(4, "a body"):
            case 0:
                return Nothing()
            case 1:
                return Value(self.expression(0))
            case 2:
                return Values(self.row(lambda: self.expression(0)))
            case _:
                return Fields(self.row(self.field))

    def alternative(self) -> Alternative:
        name = self.string()
        return Alternative(name, self.body())

    def definition(self) -> Definition:
        label = self.string()
        form: Form
        match self.byte(3, "a definition"):
            case 0:
                form = Single(self.body())
            case 1:
                form = Names(self.row(self.string))
            case _:
                layout: Layout
                match self.byte(4, "a layout"):
                    case 0:
                        tag = self.string()
                        layout = Tagged(tag, self.string())
                    case 1:
                        layout = SingleField()
                    case 2:
                        layout = TwoElements()
                    case _:
                        layout = Untagged()
                form = Alternatives(layout, self.row(self.alternative))
        return Definition(label, form)
