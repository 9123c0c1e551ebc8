"""Plain values as JSON, by ``docs/spec/json-mapping.md``, and back.

What JSON cannot say is lost as that page has it: the sign of a NaN, an optional value within
an optional one, surrogates.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from .errors import EncodeError
from .formats import base64_bytes, base64_text
from .formats import digits as number_digits
from .formats import of as format_of
from .recursion import deep
from .scalars import to_single
from .schema import (
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
    Opaque,
    Optional,
    Schema,
    Set,
    Single,
    Tagged,
    Text,
    Tuple,
    TwoElements,
    Untagged,
    Unit,
    Value,
    Values,
)
from .values import Json, Orders, Some, Variant, from_native, has_known_order, hashable, may_be_none, plain, to_native, wrong
from .encoding import MAX_DEPTH

_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f"}
_ESCAPED = re.compile(r'["\\\x00-\x1f\ud800-\udfff]')


def string(text: str) -> str:
    """A string of JSON.

    >>> print(string('a"\\x01'))
    "a\\"\\u0001"
    """

    def escape(found: re.Match[str]) -> str:
        one = found[0]
        return "\ufffd" if one >= "\ud800" else _ESCAPES.get(one) or f"\\u{ord(one):04x}"

    return '"' + _ESCAPED.sub(escape, text) + '"'


def integer(number: int) -> str:
    """An integer of any size: Python itself refuses to write more than some thousand digits."""
    return ("-" if number < 0 else "") + number_digits(abs(number))


def real(number: float, bits: int) -> str:
    """The fewest digits that read back as the same number.

    >>> [real(n, 64) for n in (1.0, 1e16, 1.5e-7, 1e-5, -0.0, math.inf)]
    ['1.0', '1e16', '1.5e-7', '0.00001', '-0.0', '"+inf"']
    >>> real(to_single(0.1), 32)
    '0.1'
    """
    if math.isnan(number):
        return "null"
    if math.isinf(number):
        return '"+inf"' if number > 0 else '"-inf"'
    shown = repr(float(number)) if bits == 64 else _shortest_single(number)
    sign, digits, exponent = Decimal(shown).normalize().as_tuple()
    assert isinstance(exponent, int)
    text = "".join(map(str, digits))
    minus = "-" if sign else ""
    point = len(text) + exponent  # where the point stands, counted from the first digit
    if number == 0:
        return minus + "0.0"
    if -4 <= point <= 16:
        if point <= 0:
            return f"{minus}0.{'0' * -point}{text}"
        if point >= len(text):
            return f"{minus}{text}{'0' * (point - len(text))}.0"
        return f"{minus}{text[:point]}.{text[point:]}"
    rest = "." + text[1:] if len(text) > 1 else ""
    return f"{minus}{text[0]}{rest}e{point - 1}"


def _shortest_single(number: float) -> str:
    for digits in range(1, 9):
        shown = f"{number:.{digits}g}"
        if to_single(float(shown)) == number:
            return shown
    return f"{number:.9g}"


def to_json(schema: Schema, value: Any) -> str:
    """The JSON text of a plain value."""
    out: list[str] = []
    definitions = schema.definitions
    orders = Orders(schema, plain)

    def row(values: Any, shapes: Any) -> None:
        out.append("[")
        for index, (shape, one) in enumerate(zip(shapes, values)):
            if index:
                out.append(",")
            put(shape, one)
        out.append("]")

    def put(shape: Expression, value: Any) -> None:
        match shape:
            case Boolean():
                out.append("true" if value else "false")
            case Integer():
                out.append(integer(value))
            case Float(bits):
                out.append(real(value, bits))
            case Text() | Character():
                out.append(string(value))
            case Unit():
                out.append("[]")
            case Anything():
                out.append(value.text)
            case Bytes():
                out.append(string(base64_text(value)))
            case Formatted(notation, _, native):
                known = format_of(shape)
                if known is None:
                    put(native, value)
                else:
                    text = known.show(to_native(shape, value))
                    out.append(string(text) if notation == "text" else text)
            case Set(element):
                # A list whose order the schema does not say stays in the writer's.
                ordered = isinstance(value, (set, frozenset)) or has_known_order(element)
                members_of = sorted(value, key=orders.of(element)) if ordered else list(value)
                row(members_of, (element for _ in range(len(members_of))))
            case Opaque(name):
                raise EncodeError(f"only the codec of {name!r} knows what this is")
            case Optional(inside):
                if value is None:
                    out.append("null")
                else:
                    put(inside, value.value if isinstance(value, Some) else value)
            case List(element):
                row(value, (element for _ in range(len(value))))
            case Tuple(elements):
                row(value, elements)
            case Map(key, inside):
                pairs(key, inside, value)
            case Declared(number):
                declared(number, value)

    def pairs(key: Expression, inside: Expression, value: Any) -> None:
        named = is_key(schema, key)
        out.append("{" if named else "[")
        for index, (k, v) in enumerate(value.items() if isinstance(value, dict) else value):
            if index:
                out.append(",")
            if named:
                out.append(string(key_text(schema, key, k)) + ":")
                put(inside, v)
            else:
                row((k, v), (key, inside))
        out.append("}" if named else "]")

    def declared(number: int, value: Any) -> None:
        match definitions[number].form:
            case Single(one):
                body(one, value)
            case Names():
                out.append(string(value))
            case Alternatives(layout, alternatives):
                one = next(each.body for each in alternatives if each.name == value.name)
                match layout:
                    case Tagged(tag, contents):
                        out.append("{" + string(tag) + ":" + string(value.name))
                        if isinstance(one, Fields):
                            members(one, value.value, first=False)
                        elif not isinstance(one, Nothing):
                            out.append("," + string(contents) + ":")
                            body(one, value.value)
                        out.append("}")
                    case Untagged():
                        if isinstance(one, Nothing):
                            out.append(string(value.name))
                        else:
                            body(one, value.value)
                    case _:
                        two = isinstance(layout, TwoElements)
                        out.append("[" + string(value.name) + "," if two else "{" + string(value.name) + ":")
                        body(one, value.value)
                        out.append("]" if two else "}")

    def members(one: Fields, value: Mapping[str, Any], first: bool) -> None:
        for field in one.fields:
            out.append(("" if first else ",") + string(field.name) + ":")
            put(field.shape, value[field.name])
            first = False

    def body(one: Body, value: Any) -> None:
        match one:
            case Nothing():
                out.append("[]")
            case Value(shape):
                put(shape, value)
            case Values(shapes):
                row(value, shapes)
            case Fields():
                out.append("{")
                members(one, value, first=True)
                out.append("}")

    with deep(24 * MAX_DEPTH):
        put(schema.root, value)
    return "".join(out)


def is_key(schema: Schema, shape: Expression) -> bool:
    """Are maps by such keys objects? (JSON mapping, rule 18.)"""
    match shape:
        case Text() | Character() | Integer() | Boolean() | Bytes() | Float():
            return True
        case Formatted():
            return format_of(shape) is not None
        case Declared(number):
            match schema.definitions[number].form:
                case Names():
                    return True
                case Single(Value(inside)):
                    return is_key(schema, inside)
                case _:
                    return False
        case _:
            return False


def key_text(schema: Schema, shape: Expression, key: Any) -> str:
    """A key as the name of a member."""
    match shape:
        case Float(bits):
            return real(key, bits).strip('"')
        case Bytes():
            return base64_text(key)
        case Formatted():
            known = format_of(shape)
            assert known is not None
            return known.show(to_native(shape, key))
        case Declared(number):
            form = schema.definitions[number].form
            if isinstance(form, Single) and isinstance(form.body, Value):
                return key_text(schema, form.body.value, key)
            return str(key)
        case Boolean():
            return "true" if key else "false"
        case Integer():
            return integer(key)
        case _:
            return str(key)


def from_json(schema: Schema, value: Any) -> Any:
    """The plain value of parsed JSON, in which integers are ``int``, and reals ``float`` or, of more
    digits, ``Decimal``."""
    definitions = schema.definitions

    def get(shape: Expression, value: Any) -> Any:
        match shape:
            case Float(bits):
                if value is None:
                    return math.nan
                if value in ("+inf", "-inf"):
                    return math.copysign(math.inf, 1 if value == "+inf" else -1)
                if isinstance(value, bool) or not isinstance(value, (int, float, Decimal)):
                    raise wrong(value, "a number")
                return float(value) if bits == 64 else to_single(float(value))
            case Unit():
                return () if value == [] else value
            case Bytes():
                return text_of(base64_bytes, value)
            case Formatted(notation, _, native):
                known = format_of(shape)
                if known is None:
                    return get(native, value)
                if notation == "number":
                    if isinstance(value, bool) or not isinstance(value, (int, float, Decimal)):
                        raise wrong(value, "a number")
                    # The digits that Python shows of a real are the fewest that are it.
                    value = integer(value) if isinstance(value, int) else str(value)
                return from_native(shape, text_of(known.read, value))
            case Set(element):
                found_all = [get(element, one) for one in array(value)]
                return frozenset(found_all) if hashable(schema, plain, element) else found_all
            case Anything():
                return Json.dump(value)
            case Optional(inside):
                if value is None:
                    return None
                found = get(inside, value)
                return Some(found) if may_be_none(schema, inside) else found
            case List(element):
                return [get(element, one) for one in array(value)]
            case Tuple(elements):
                return row(elements, value)
            case Map(key, inside):
                if is_key(schema, key):
                    if not isinstance(value, dict):
                        raise wrong(value, "an object")
                    pairs_of = [(from_key(key, k), get(inside, v)) for k, v in value.items()]
                    return dict(pairs_of) if hashable(schema, plain, key) else pairs_of
                found_pairs = [row((key, inside), one) for one in array(value)]
                return dict(found_pairs) if hashable(schema, plain, key) else found_pairs
            case Declared(number):
                return declared(number, value)
            case _:
                return value

    def text_of(read: Any, value: Any) -> Any:
        if not isinstance(value, str):
            raise wrong(value, "a string")
        try:
            return read(value)
        except ValueError as error:
            raise EncodeError(str(error)) from None

    def array(value: Any) -> list[Any]:
        if not isinstance(value, list):
            raise wrong(value, "an array")
        return value

    def row(shapes: tuple[Expression, ...], value: Any) -> tuple[Any, ...]:
        if len(array(value)) != len(shapes):
            raise wrong(value, f"an array of {len(shapes)}")
        return tuple(get(shape, one) for shape, one in zip(shapes, value))

    def from_key(shape: Expression, text: str) -> Any:
        match shape:
            case Boolean():
                return {"true": True, "false": False}.get(text, text)
            case Integer():
                return int(text)
            case Float():
                return get(shape, text if text[1:] == "inf" else float(text))
            case Formatted("number"):
                return get(shape, Decimal(text))
            case Bytes() | Formatted():
                return get(shape, text)
            case Declared(number):
                form = definitions[number].form
                if isinstance(form, Single) and isinstance(form.body, Value):
                    return from_key(form.body.value, text)
                return text
            case _:
                return text

    def declared(number: int, value: Any) -> Any:
        rest: Any
        match definitions[number].form:
            case Single(one):
                return body(one, value)
            case Names():
                return value
            case Alternatives(layout, alternatives):
                match layout:
                    case Tagged(tag, contents):
                        if not isinstance(value, dict) or tag not in value:
                            raise wrong(value, f"an object with the tag {tag!r}")
                        name, rest = value[tag], value
                    case TwoElements():
                        name, rest = row_of_two(value)
                    case Untagged():
                        raise wrong(value, "a sum with tags: one without is written as JSON here, and not read")
                    case _:
                        if not isinstance(value, dict) or len(value) != 1:
                            raise wrong(value, "an object with one member")
                        name, rest = next(iter(value.items()))
                for each in alternatives:
                    if each.name == name:
                        if isinstance(layout, Tagged) and not isinstance(each.body, Fields):
                            rest = [] if isinstance(each.body, Nothing) else rest.get(layout.contents)
                        return Variant(name, body(each.body, rest))
                raise wrong(name, "the name of a constructor")

    def row_of_two(value: Any) -> tuple[Any, Any]:
        if not isinstance(value, list) or len(value) != 2:
            raise wrong(value, "an array of a name and what it holds")
        return value[0], value[1]

    def body(one: Body, value: Any) -> Any:
        match one:
            case Nothing():
                return ()
            case Value(shape):
                return get(shape, value)
            case Values(shapes):
                return row(shapes, value)
            case Fields(fields):
                if not isinstance(value, dict):
                    raise wrong(value, "an object")
                missing = [each.name for each in fields if each.name not in value and not each.may_be_absent]
                if missing:
                    raise EncodeError(f"the field {missing[0]!r} is missing")
                return {each.name: get(each.shape, value.get(each.name)) for each in fields}

    with deep(24 * MAX_DEPTH):
        return get(schema.root, value)


def loads(text: str) -> Any:
    """Parsed JSON for ``from_json``: no digit is lost."""
    return json.loads(text, parse_float=Decimal)
