"""Classes instead of plain values: a schema from annotations, and values of the classes.

>>> from dataclasses import dataclass
>>> @dataclass
... class Sighting:
...     species: str
...     count: Int64
...     ring: str | None = None
>>> sightings = Typed(Sighting)
>>> print(sightings.schema.text)
Sighting
Sighting = {"species": text, "count": integer -9223372036854775808..9223372036854775807, "ring"?: text?}
>>> sightings.decode(sightings.encode(Sighting("tern", 2)))
Sighting(species='tern', count=2, ring=None)

A sum is a class that derives from ``Sum``, and its constructors are the data classes that
derive from it:

>>> class Event(Sum): ...
>>> @dataclass
... class Quiet(Event): ...
>>> @dataclass
... class Moved(Event):
...     metres: float
>>> print(Typed(list[Event]).schema.text)
[Event]
Event = tagged "tag" "contents"
  | "Quiet"
  | "Moved" {"metres": float 64}
"""

from __future__ import annotations

import dataclasses
import datetime
import enum
import types
import typing
import uuid
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import IO, Annotated, Any, Generic, TypeVar

from .container import Reader, Writer
from .errors import SchemaError
from .formats import DAY, INT64, LOCAL, OFFSET, TIME, UTC
from .reading import Changes, Decoder
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
    List,
    Map,
    Names,
    Nothing,
    Optional,
    Schema,
    Set,
    Single,
    Tagged,
    Text,
    Tuple,
    Unit,
    Value,
    Values,
)
from .schema_text import check
from .values import Json, Shaping, wrong
from .encoding import Encoder

Word8 = Annotated[int, Integer(0, 2**8 - 1)]
Word16 = Annotated[int, Integer(0, 2**16 - 1)]
Word32 = Annotated[int, Integer(0, 2**32 - 1)]
Word64 = Annotated[int, Integer(0, 2**64 - 1)]
Int8 = Annotated[int, Integer(-(2**7), 2**7 - 1)]
Int16 = Annotated[int, Integer(-(2**15), 2**15 - 1)]
Int32 = Annotated[int, Integer(-(2**31), 2**31 - 1)]
Int64 = Annotated[int, Integer(-(2**63), 2**63 - 1)]
FixedWord32 = Annotated[int, Integer(0, 2**32 - 1, 4)]
FixedWord64 = Annotated[int, Integer(0, 2**64 - 1, 8)]
FixedInt32 = Annotated[int, Integer(-(2**31), 2**31 - 1, 4)]
FixedInt64 = Annotated[int, Integer(-(2**63), 2**63 - 1, 8)]
Natural = Annotated[int, Integer(0, None)]
Float32 = Annotated[float, Float(32)]
Char = Annotated[str, Character()]

Local = Annotated[datetime.datetime, Formatted("text", "date-time-local", LOCAL)]
"""A ``datetime`` without a zone; one that is not annotated is at UTC."""
Zoned = Annotated[datetime.datetime, Formatted("text", "date-time", Tuple((LOCAL, OFFSET)))]
"""A ``datetime`` that keeps its offset."""
Hex = Annotated[bytes, Formatted("text", "base16", Bytes())]

T = TypeVar("T")


class Sum:
    """What sums derive from; their own data classes are the constructors."""


def named(
    name: str | None = None, *, was: Sequence[str] = (), absent: Any = dataclasses.MISSING, **field: Any
) -> Any:
    """A field of a data class: its name in the schema, the names that it ``was`` called, and the
    value that it has in documents that are older than it (``absent``)."""
    return dataclasses.field(metadata={"tern": (name, tuple(was), absent)}, **field)


def positional(cls: type[T]) -> type[T]:
    """A data class whose fields have no names in the schema."""
    setattr(cls, "_tern_positional", True)
    return cls


def was(*names: str) -> Callable[[type[T]], type[T]]:
    """The names that a class had in older documents, as a type or as a constructor."""

    def note(cls: type[T]) -> type[T]:
        setattr(cls, "_tern_was", names)
        return cls

    return note


class Typed(Generic[T]):
    """The schema, the encoder and the decoder of a class or an annotation."""

    def __init__(self, annotation: Any) -> None:
        made = _Made()
        root = made.shape(annotation)
        self.schema = Schema(root, tuple(Definition(label, form) for label, form in made.definitions()))
        check(self.schema)
        self.changes = made.changes()
        self._shapings = made.shapings
        self.encoder = Encoder(self.schema, self.shaping)

    def shaping(self, schema: Schema, number: int) -> Shaping:
        """How values of a declared type are made."""
        return self._shapings[number]

    def encode(self, value: T) -> bytes:
        """The document of a value."""
        return self.encoder.encode(value)

    def decoder(self, writer: Schema | None = None) -> Decoder:
        """Reads what a writer wrote, by default one of this very type."""
        return Decoder(self.schema, writer=writer, changes=self.changes, shapings=self.shaping)

    def decode(self, document: bytes, writer: Schema | None = None) -> T:
        """The value of a document."""
        found: T = self.decoder(writer).decode(document)
        return found

    def reader(self, source: IO[bytes], **options: Any) -> Reader:
        """Reads a container of such values; the options are those of ``Reader``."""
        return Reader(source, self.schema, changes=self.changes, shapings=self.shaping, **options)

    def writer(self, target: IO[bytes], **options: Any) -> Writer:
        """Writes a container of such values; the options are those of ``Writer``."""
        return Writer(target, self.schema, shapings=self.shaping, **options)


class _Made:
    """Declared types as they are met."""

    def __init__(self) -> None:
        self._numbers: dict[type, int] = {}
        self._classes: list[type] = []
        self._forms: list[Form | None] = []
        self.shapings: list[Shaping] = []
        self._changes: dict[str, dict[str, Any]] = {"types": {}, "fields": {}, "constructors": {}, "defaults": {}}

    def definitions(self) -> list[tuple[str, Form]]:
        labels: list[str] = []
        found = []
        for cls, form in zip(self._classes, self._forms):
            assert form is not None
            same = labels.count(cls.__name__)
            labels.append(cls.__name__)
            found.append((cls.__name__ + (f"#{same + 1}" if same else ""), form))
        return found

    def changes(self) -> Changes:
        return Changes(**self._changes)

    def shape(self, annotation: Any) -> Expression:
        """The expression of an annotation."""
        origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
        if origin is Annotated:
            for extra in arguments[1:]:
                if isinstance(extra, typing.get_args(Expression)):
                    return typing.cast(Expression, extra)
            return self.shape(arguments[0])
        if origin in (typing.Union, types.UnionType):
            rest = [one for one in arguments if one is not type(None)]
            if len(rest) == 1 and len(arguments) == 2:
                return Optional(self.shape(rest[0]))
            raise SchemaError(0, f"{annotation} has no schema; a sum is a class that derives from tern.Sum")
        if origin in (list, Sequence):
            return List(self.shape(arguments[0]))
        if origin in (set, frozenset):
            return Set(self.shape(arguments[0]))
        if origin is dict:
            key = self.shape(arguments[0])
            return Map(key, self.shape(arguments[1]))
        if origin is tuple and arguments[-1:] != (...,):
            return Tuple(tuple(self.shape(one) for one in arguments)) if arguments else Unit()
        simple: dict[Any, Expression] = {
            bool: Boolean(),
            int: Integer(),
            float: Float(64),
            str: Text(),
            Json: Anything(),
            bytes: Bytes(),
            uuid.UUID: Formatted("text", "uuid", Bytes(16)),
            datetime.date: Formatted("text", "date", DAY),
            datetime.time: Formatted("text", "time-local", TIME),
            datetime.datetime: Formatted("text", "date-time", UTC),
            datetime.timedelta: Formatted("number", "seconds", Integer()),
            Decimal: Formatted("number", "decimal", Tuple((Integer(), INT64))),
        }
        if annotation in simple:
            return simple[annotation]
        if isinstance(annotation, type) and (
            issubclass(annotation, (enum.Enum, Sum)) or dataclasses.is_dataclass(annotation)
        ):
            return Declared(self._declared(annotation))
        raise SchemaError(0, f"{annotation!r} has no schema")

    def _declared(self, cls: type) -> int:
        if cls not in self._numbers:
            number = self._numbers[cls] = len(self._classes)
            self._classes.append(cls)
            self._forms.append(None)
            self.shapings.append(Shaping((), lambda value: (0, ()), False))
            self._changes["types"][cls.__name__] = getattr(cls, "_tern_was", ())
            self._forms[number], self.shapings[number] = self._form(cls)
        return self._numbers[cls]

    def _form(self, cls: type) -> tuple[Form, Shaping]:
        if issubclass(cls, enum.Enum):
            members = list(cls)
            numbers = {member: index for index, member in enumerate(members)}

            def take_member(value: Any) -> tuple[int, Sequence[Any]]:
                if not isinstance(value, cls):
                    raise wrong(value, f"a {cls.__name__}")
                return numbers[value], ()

            make = tuple(_constant(member) for member in members)
            return Names(tuple(member.name for member in members)), Shaping(make, take_member, True)
        if issubclass(cls, Sum) and Sum in cls.__bases__:
            cases = cls.__subclasses__()
            if len(cases) < 2:
                raise SchemaError(0, f"the sum {cls.__name__} needs two constructors or more")
            bodies = [self._body(case, cls.__name__) for case in cases]
            for case in cases:
                self._changes["constructors"][f"{cls.__name__}.{case.__name__}"] = getattr(case, "_tern_was", ())
            indices = {case: index for index, case in enumerate(cases)}
            gets = [_getter(case) for case in cases]

            def take(value: Any) -> tuple[int, Sequence[Any]]:
                index = indices.get(type(value))
                if index is None:
                    raise wrong(value, f"a {cls.__name__}")
                return index, gets[index](value)

            form: Form
            if all(body == Nothing() for body in bodies):
                form = Names(tuple(case.__name__ for case in cases))
            else:
                form = Alternatives(
                    Tagged("tag", "contents"),
                    tuple(Alternative(case.__name__, body) for case, body in zip(cases, bodies)),
                )
            return form, Shaping(tuple(map(_maker, cases)), take, all(map(_is_hashable, cases)))
        body = self._body(cls, cls.__name__)
        get = _getter(cls)

        def take_one(value: Any) -> tuple[int, Sequence[Any]]:
            if not isinstance(value, cls):
                raise wrong(value, f"a {cls.__name__}")
            return 0, get(value)

        return Single(body), Shaping((_maker(cls),), take_one, _is_hashable(cls))

    def _body(self, cls: type, owner: str) -> Body:
        if not dataclasses.is_dataclass(cls):
            raise SchemaError(0, f"{cls.__name__} is no data class")
        hints = typing.get_type_hints(cls, include_extras=True)
        fields: list[Field] = []
        for one in dataclasses.fields(cls):
            name, older, absent = one.metadata.get("tern", (None, (), dataclasses.MISSING))
            name = name or one.name
            shape = self.shape(hints[one.name])
            fields.append(Field(name, shape, isinstance(shape, Optional)))
            if older:
                self._changes["fields"][f"{owner}.{name}"] = older
            if absent is not dataclasses.MISSING:
                self._changes["defaults"][f"{owner}.{name}"] = absent
        if not fields:
            return Nothing()
        if getattr(cls, "_tern_positional", False):
            shapes = tuple(one.shape for one in fields)
            return Value(shapes[0]) if len(shapes) == 1 else Values(shapes)
        return Fields(tuple(fields))


def _constant(value: Any) -> Callable[[list[Any]], Any]:
    return lambda _: value


def _maker(cls: Any) -> Callable[[list[Any]], Any]:
    return lambda values: cls(*values)


def _getter(cls: Any) -> Callable[[Any], Sequence[Any]]:
    names = [one.name for one in dataclasses.fields(cls)] if dataclasses.is_dataclass(cls) else []
    return lambda value: [getattr(value, name) for name in names]


def _is_hashable(cls: type) -> bool:
    return cls.__hash__ is not None and dataclasses.is_dataclass(cls) and bool(getattr(cls, "__dataclass_params__").frozen)
