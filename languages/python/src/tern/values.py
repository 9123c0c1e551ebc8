"""What values are in Python.

| schema | Python |
|---|---|
| ``boolean``, ``integer``, ``float``, ``text`` | ``bool``, ``int``, ``float``, ``str`` |
| ``character`` | ``str`` of one character |
| ``unit`` | ``()`` |
| ``anything`` | ``Json``, which keeps the text |
| ``e?`` | ``None`` or the value; ``Some(value)`` where the value itself may be ``None`` |
| ``[e]``, ``(a, b)`` | ``list``, ``tuple`` |
| ``bytes``, ``bytes n`` | ``bytes`` |
| ``set e`` | ``frozenset``, or a list where elements cannot be a set's; any set or list is written |
| ``text "base16" as …``, ``"base64url"`` | ``bytes`` |
| ``"uuid"`` | ``uuid.UUID`` |
| ``"date"``, ``"time-local"``, ``"date-time-local"`` | ``datetime.date``, ``time``, ``datetime`` |
| ``"date-time"`` | ``datetime.datetime`` with its offset, or at UTC |
| ``"month"``, ``"quarter"``, ``"weekday"``, ``"quarter-of-year"`` | ``str``, as in JSON |
| ``number "decimal" as …`` | ``decimal.Decimal`` |
| ``"fixed-n"`` | ``Decimal``, or ``fractions.Fraction`` where n is no power of ten |
| ``"seconds"`` | ``datetime.timedelta`` |
| ``"system-time"`` | a tuple of seconds and nanoseconds |
| these, where Python's type does not hold the value | ``Native``, of the native format's value |
| a format that is not known here | the value that the native format has |
| ``map k v`` | ``dict``, or a list of pairs where keys cannot be a dictionary's |
| one constructor | ``()``, the value, a ``tuple``, or a ``dict`` by the fields' names |
| names alone | the name |
| several constructors | ``Variant`` |

Python's years end with 9999 and begin with 1, its times have microseconds and no 60th second, its
differences of times end at 999,999,999 days: what is beyond is ``Native``, and nothing is rounded.

Declared types may be classes instead; see ``tern.typed``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from .errors import EncodeError
from .formats import Native
from .formats import of as format_of
from .schema import (
    Alternatives,
    Boolean,
    Body,
    Bytes,
    Character,
    Declared,
    Definition,
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
    Schema,
    Set,
    Single,
    Text,
    Tuple,
    Unit,
    Value,
    Values,
    body_shapes,
)


@dataclass(frozen=True, slots=True)
class Some:
    """A value that is there, where ``None`` would not tell."""

    value: Any


@dataclass(frozen=True, slots=True)
class Variant:
    """A constructor of several, and what it holds."""

    name: str
    value: Any = ()


@dataclass(frozen=True, slots=True)
class Json:
    """A document of any shape, as its JSON text.

    >>> Json('{"a":[1]}').load()
    {'a': [1]}
    """

    text: str

    def load(self) -> Any:
        """The document as Python's own values."""
        return json.loads(self.text)

    @staticmethod
    def dump(value: Any) -> Json:
        """A document of Python's own values."""
        return Json(json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False))


Bodies = tuple[Body, ...]
"""What the constructors of a type hold, in order."""


@dataclass(frozen=True)
class Shaping:
    """How values of a declared type are put together and taken apart.

    ``make`` has a function for each constructor, of its fields' values in order; ``take``
    gives the number of the constructor and those values.
    """

    make: tuple[Callable[[list[Any]], Any], ...]
    take: Callable[[Any], tuple[int, Sequence[Any]]]
    hashable: bool


Shapings = Callable[[Schema, int], Shaping]
"""The shaping of a schema's declared type, by its number."""


def constructors(definition: Definition) -> tuple[tuple[str | None, Body], ...]:
    """The constructors of a declared type: the name, where the schema says it, and the fields."""
    match definition.form:
        case Single(body):
            return ((None, body),)
        case Names(names):
            return tuple((name, Nothing()) for name in names)
        case Alternatives(_, alternatives):
            return tuple((one.name, one.body) for one in alternatives)


def wrong(value: Any, wanted: str) -> EncodeError:
    """A value of another kind than its schema says."""
    shown = repr(value)
    return EncodeError(f"expected {wanted}, found {shown if len(shown) <= 60 else shown[:57] + '...'}")


def to_native(shape: Formatted, value: Any) -> Any:
    """A value of a format as the native format has it."""
    known = format_of(shape)
    if known is None:
        return value
    return value.value if isinstance(value, Native) else known.to_native(value)


def from_native(shape: Formatted, value: Any) -> Any:
    """The other way."""
    known = format_of(shape)
    if known is None:
        return value
    found = known.to_python(value)
    return Native(value) if found is None else found


# --- plain values ----------------------------------------------------------------


def plain(schema: Schema, number: int) -> Shaping:
    """Declared types as tuples, dictionaries, names and variants."""
    definition = schema.definitions[number]
    match definition.form:
        case Single(body):
            put, get = _body(body)
            return Shaping((put,), lambda value: (0, get(value)), _body_hashable(schema, body))
        case Names(names):
            numbers = {name: index for index, name in enumerate(names)}

            def take_name(value: Any) -> tuple[int, Sequence[Any]]:
                index = numbers.get(value) if isinstance(value, str) else None
                if index is None:
                    raise wrong(value, f"one of {', '.join(names)}")
                return index, ()

            return Shaping(tuple(_constant(name) for name in names), take_name, True)
        case Alternatives(_, alternatives):
            bodies = [_body(one.body) for one in alternatives]
            indices = {one.name: index for index, one in enumerate(alternatives)}

            def take(value: Any) -> tuple[int, Sequence[Any]]:
                index = indices.get(value.name) if isinstance(value, Variant) else None
                if index is None:
                    raise wrong(value, f"a Variant of {', '.join(indices)}")
                try:
                    return index, bodies[index][1](value.value)
                except EncodeError as error:
                    raise error.within(value.name) from None

            return Shaping(
                tuple(_variant(one.name, put) for one, (put, _) in zip(alternatives, bodies)),
                take,
                all(_body_hashable(schema, one.body) for one in alternatives),
            )


def _constant(value: Any) -> Callable[[list[Any]], Any]:
    return lambda _: value


def _variant(name: str, put: Callable[[list[Any]], Any]) -> Callable[[list[Any]], Any]:
    return lambda values: Variant(name, put(values))


def _body(body: Body) -> tuple[Callable[[list[Any]], Any], Callable[[Any], Sequence[Any]]]:
    match body:
        case Nothing():

            def nothing(value: Any) -> Sequence[Any]:
                if value != ():
                    raise wrong(value, "(), as there are no fields")
                return ()

            return _constant(()), nothing
        case Value():
            return (lambda values: values[0]), (lambda value: (value,))
        case Values(shapes):
            count = len(shapes)

            def values_of(value: Any) -> Sequence[Any]:
                if not isinstance(value, (tuple, list)) or len(value) != count:
                    raise wrong(value, f"a tuple of {count}")
                return value

            return tuple, values_of
        case Fields(fields):
            names = [one.name for one in fields]
            known = set(names)

            def fields_of(value: Any) -> Sequence[Any]:
                if not isinstance(value, dict):
                    raise wrong(value, "a dict of fields")
                try:
                    found = [value[name] for name in names]
                except KeyError:
                    missing = [name for name in names if name not in value]
                    raise EncodeError(f"the field {missing[0]!r} is missing") from None
                if len(value) != len(known):
                    extra = [name for name in value if name not in known]
                    raise EncodeError(f"there is no field {extra[0]!r}")
                return found

            return (lambda values: dict(zip(names, values))), fields_of


def _body_hashable(schema: Schema, body: Body) -> bool:
    return not isinstance(body, Fields) and all(
        not isinstance(shape, Declared) and hashable(schema, plain, shape) for shape in body_shapes(body)
    )


def hashable(schema: Schema, shapings: Shapings, shape: Expression) -> bool:
    """Can the values of an expression be keys of a dictionary?"""
    match shape:
        case Declared(number):
            return shapings(schema, number).hashable
        case List() | Map():
            return False
        case Set(element):
            return hashable(schema, shapings, element)
        case Formatted(_, _, native):
            known = format_of(shape)
            return hashable(schema, shapings, native) if known is None else known.hashable
        case Optional(value):
            return hashable(schema, shapings, value)
        case Tuple(elements):
            return all(hashable(schema, shapings, one) for one in elements)
        case _:
            return True


def may_be_none(schema: Schema, shape: Expression) -> bool:
    """Is ``None`` a value of an expression, so that an optional one needs ``Some``?"""
    while isinstance(shape, Declared):
        form = schema.definitions[shape.number].form
        if not (isinstance(form, Single) and isinstance(form.body, Value)):
            return False
        shape = form.body.value
    return isinstance(shape, Optional)


# --- order -----------------------------------------------------------------------

Order = Callable[[Any], Any]
"""What a key is compared by."""


def has_known_order(shape: Expression) -> bool:
    """Does a schema say how keys of this expression are ordered? A declared type may have an
    order of its own."""
    match shape:
        case Boolean() | Integer() | Float() | Text() | Character() | Unit() | Bytes():
            return True
        case Formatted():
            return format_of(shape) is not None
        case Set(element):
            return has_known_order(element)
        case Optional(value):
            return has_known_order(value)
        case List(element):
            return has_known_order(element)
        case Tuple(elements):
            return all(map(has_known_order, elements))
        case _:
            return False


class Orders:
    """How keys are ordered, by what they are made of: constructors by number, then fields."""

    def __init__(self, schema: Schema, shapings: Shapings) -> None:
        self.schema = schema
        self.shapings = shapings
        self._declared: dict[int, Order] = {}

    def of(self, shape: Expression) -> Order:
        """The order of an expression's values."""
        match shape:
            case Optional(value):
                inner = self.of(value)

                def optional(key: Any) -> Any:
                    if key is None:
                        return (0,)
                    return (1, inner(key.value if isinstance(key, Some) else key))

                return optional
            case List(element):
                one = self.of(element)
                return lambda key: [one(value) for value in key]
            case Set(element):
                member = self.of(element)
                return lambda key: sorted(member(value) for value in key)
            case Formatted(_, _, native):
                known = format_of(shape)
                if known is None:
                    return self.of(native)
                order, to_native = known.order, known.to_native
                return lambda key: order(key.value if isinstance(key, Native) else to_native(key))
            case Tuple(elements):
                orders = [self.of(element) for element in elements]
                return lambda key: [order(value) for order, value in zip(orders, key)]
            case Map(key_shape, value_shape):
                key_order, value_order = self.of(key_shape), self.of(value_shape)

                def pairs(value: Any) -> Any:
                    found = [
                        (key_order(k), value_order(v)) for k, v in (value.items() if isinstance(value, dict) else value)
                    ]
                    return sorted(found)

                return pairs
            case Declared(number):
                return lambda key: self._of_declared(number)(key)
            case _:
                return lambda key: key.text if isinstance(key, Json) else key

    def _of_declared(self, number: int) -> Order:
        if number not in self._declared:
            shaping = self.shapings(self.schema, number)
            orders = [
                [self.of(shape) for shape in body_shapes(body)]
                for _, body in constructors(self.schema.definitions[number])
            ]

            def declared(key: Any) -> Any:
                index, values = shaping.take(key)
                return (index, [order(value) for order, value in zip(orders[index], values)])

            self._declared[number] = declared
        return self._declared[number]
