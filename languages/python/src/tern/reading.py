"""From documents to values: two schemas become functions that read what the one wrote as
the other says.

The writer's schema says what the bytes are, and the reader's what the values are; where
there is only one, it is both. They are held against each other once, by the rules of
``docs/spec/evolution.md``. What comes of it is a function or all mismatches.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from . import vectors
from .errors import DecodeError, Mismatch, MismatchError, Step
from .layout import CHUNK, Layout, count, integer_width, is_signed, tag
from .numbers import varint
from .recursion import deep
from .scalars import Read, read_integer, read_unit, reader
from .schema import (
    Body,
    Declared,
    Definition,
    Expression,
    Fields,
    Float,
    Formatted,
    Integer,
    List,
    Map,
    Nothing,
    Opaque,
    Optional,
    Schema,
    Set,
    Single,
    Tuple,
    Value,
    body_shapes,
)
from .formats import Native
from .formats import of as format_of
from .values import Orders, Shapings, Some, constructors, has_known_order, hashable, may_be_none, plain

MAX_DEPTH = 512
"""Levels of values within each other that are read by default."""


@dataclass(frozen=True)
class Changes:
    """What a schema does not say of a type's older versions. Types are called by their names as
    they are now; fields and constructors, ``Type.name``.

    ``types``, ``fields`` and ``constructors`` have the names that each had before; ``defaults``
    the values of fields that were not there; ``sole`` the name of the constructor that was a
    type's only one.
    """

    types: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    fields: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    constructors: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    defaults: Mapping[str, Any] = field(default_factory=dict)
    sole: Mapping[str, str] = field(default_factory=dict)


class Decoder:
    """Reads values of ``writer`` as those of ``reader``. With ``arrays`` lists of numbers are
    arrays of numpy, which has to be there.

    Raises ``MismatchError`` with all places where that cannot be.

    >>> from tern.schema import parse
    >>> old, new = parse("(integer 0..255, text)"), parse("(integer, text?)")
    >>> Decoder(new, writer=old).decode(bytes.fromhex("07 02 68 69"))
    (7, 'hi')
    """

    def __init__(
        self,
        schema: Schema,
        *,
        writer: Schema | None = None,
        changes: Changes = Changes(),
        shapings: Shapings = plain,
        max_depth: int = MAX_DEPTH,
        arrays: bool = False,
    ) -> None:
        self.schema = schema
        self.writer = schema if writer is None else writer
        self.layout = Layout(self.writer)
        self._max_depth = max_depth
        with deep(32 * MAX_DEPTH):
            resolver = _Resolver(self.writer, schema, changes, shapings, self.layout, max_depth, arrays)
            self._read = resolver.between(self.writer.root, schema.root, (), ())
        if resolver.mismatches:
            raise MismatchError(resolver.mismatches)

    def decode(self, buffer: bytes) -> Any:
        """The value of a document, which is all of the bytes."""
        value, end = self.decode_at(buffer, 0)
        if end != len(buffer):
            raise DecodeError(end, "something follows the value")
        return value

    def decode_at(self, buffer: bytes, at: int) -> tuple[Any, int]:
        """The value that begins at an offset, and where it ends."""
        with deep(16 * self._max_depth):
            return self._read(buffer, at, 0)

    def after(self, buffer: bytes, at: int) -> int:
        """Where the value that begins at an offset ends; what it is does not matter."""
        return self.layout.after(buffer, at, self.writer.root)


Path = tuple[Step, ...]
Follows = Callable[[Any, bytes, int, int], None]
"""Takes the next key and where its bytes are."""


class _Resolver:
    def __init__(
        self,
        writer: Schema,
        reader: Schema,
        changes: Changes,
        shapings: Shapings,
        layout: Layout,
        max_depth: int,
        arrays: bool,
    ) -> None:
        self.arrays = arrays
        self.writer = writer
        self.reader = reader
        self.changes = changes
        self.shapings = shapings
        self.layout = layout
        self.max_depth = max_depth
        self.orders = Orders(reader, shapings)
        self.mismatches: list[Mismatch] = []
        self._made: dict[tuple[int, int, bool], Read] = {}
        self._owner: int | None = None
        self._in_key = False

    # --- expressions -------------------------------------------------------------

    def between(self, w: Expression, r: Expression, wp: Path, rp: Path) -> Read:
        """Reads what ``w`` wrote as ``r``."""
        read = self._unlevelled(w, r, wp, rp)
        if isinstance(w, Declared) or not self.writer.is_level(self._owner, w):
            return read
        return self._level(read)

    def _level(self, read: Read) -> Read:
        most = self.max_depth

        def level(buffer: bytes, at: int, depth: int) -> tuple[Any, int]:
            if depth >= most:
                raise DecodeError(at, f"more than {most} levels within each other")
            return read(buffer, at, depth + 1)

        return level

    def _unlevelled(self, w: Expression, r: Expression, wp: Path, rp: Path) -> Read:
        match w, r:
            case Declared(mine), Declared(yours):
                return self._declared(mine, yours, wp, rp)
            case Declared(mine), Optional() if not self._is_wrapped_optional(mine):
                return self._present(w, r, wp, rp)
            case Declared(mine), _:
                inner = self._only_field(self.writer.definitions[mine])
                if inner is None:
                    return self._mismatch(wp, rp, f"{self._name(self.writer, mine)} is not {_kind(r)}")
                return self.between(inner, r, wp, rp)
            case _, Declared(yours):
                return self._put_around(w, yours, wp, rp)
            case Optional(a), Optional(b):
                return self._optional(self.between(a, b, wp, rp), b)
            case _, Optional():
                return self._present(w, r, wp, rp)
            case Integer(), Integer():
                if not _holds(r, w):
                    return self._mismatch(wp, rp, f"{_kind(r)} does not hold all of {_kind(w)}")
                return read_integer(w)
            case Integer(), Float(bits):
                most = 1 << (53 if bits == 64 else 24)
                if not _holds(Integer(-most, most), w):
                    return self._mismatch(wp, rp, f"{_kind(r)} does not hold all of {_kind(w)}")
                return _as_float(read_integer(w))
            case Float(32), Float(64):
                return _as_float(_scalar(w))
            case List(a), List(b, least):
                return self._list(a, b, least, wp, rp)
            case Set(a), Set(b):
                return self._set(a, b, wp, rp)
            case Set(a), List(b, least):
                return self._list(a, b, least, wp, rp)
            case Formatted(notation, name, a), Formatted(same, called, b) if (notation, name) == (same, called):
                return self._formatted(r, self.between(a, b, wp, rp))
            case Map(), Map():
                return self._map(w, r, wp, rp)
            case Tuple(these), Tuple(those):
                if len(these) != len(those):
                    return self._mismatch(wp, rp, f"a tuple of {len(these)} is not one of {len(those)}")
                if not these:
                    return read_unit
                parts = [self.between(a, b, (*wp, i), (*rp, i)) for i, (a, b) in enumerate(zip(these, those))]
                return _tuple(parts)
            case Opaque(name), Opaque():
                return self._mismatch(wp, rp, f"only the codec of {name!r} knows its bytes")
            case _:
                scalar = reader(w) if w == r else None
                return scalar or self._mismatch(wp, rp, f"{_kind(w)} is not {_kind(r)}")

    def _mismatch(self, wp: Path, rp: Path, reason: str) -> Read:
        self.mismatches.append(Mismatch(wp, rp, reason))
        return read_unit

    def _present(self, w: Expression, r: Optional, wp: Path, rp: Path) -> Read:
        """What always was there, as what may be."""
        read = self.between(w, r.value, wp, rp)
        if not may_be_none(self.reader, r.value):
            return read

        def some(buffer: bytes, at: int, depth: int) -> tuple[Any, int]:
            value, at = read(buffer, at, depth)
            return Some(value), at

        return some

    def _optional(self, read: Read, r: Expression) -> Read:
        wrap = may_be_none(self.reader, r)

        def optional(buffer: bytes, at: int, depth: int) -> tuple[Any, int]:
            there, at = tag(buffer, at, 2)
            if not there:
                return None, at
            value, at = read(buffer, at, depth)
            return (Some(value) if wrap else value), at

        return optional

    def _list(self, a: Expression, b: Expression, least: int, wp: Path, rp: Path) -> Read:
        many = _bulk(a) if a == b else None
        read = self.between(a, b, (*wp, 0), (*rp, 0))
        finish = vectors.finisher(b) if self.arrays else None

        def elements(buffer: bytes, at: int, depth: int) -> tuple[Any, int]:
            start = at
            out: list[Any] = []
            while True:
                n, at = count(buffer, at)
                found = None if many is None else many(buffer, at, n)
                if found is not None:
                    out += found[0]
                    at = found[1]
                else:
                    try:
                        for _ in range(n):
                            value, at = read(buffer, at, depth)
                            out.append(value)
                    except DecodeError as error:
                        raise error.within(len(out)) from None
                if n < CHUNK:
                    break
            if len(out) < least:
                raise DecodeError(start, f"expected {least} elements or more, found {len(out)}")
            return (out if finish is None else finish(out)), at

        return elements

    def _formatted(self, r: Formatted, read: Read) -> Read:
        known = format_of(r)
        if known is None:
            return read
        to_python, check = known.to_python, known.check

        def formatted(buffer: bytes, at: int, depth: int) -> tuple[Any, int]:
            native, end = read(buffer, at, depth)
            reason = check(native)
            if reason is not None:
                raise DecodeError(at, reason)
            found = to_python(native)
            return (Native(native) if found is None else found), end

        return formatted

    def _set(self, a: Expression, b: Expression, wp: Path, rp: Path) -> Read:
        outer, self._in_key = self._in_key, True
        read = self.between(a, b, (*wp, 0), (*rp, 0))
        self._in_key = outer
        may_be_set = hashable(self.reader, self.shapings, b)
        ascends = self._ascending(a, b, "element")

        def elements(buffer: bytes, at: int, depth: int) -> tuple[Any, int]:
            out: list[Any] = []
            follows = ascends()
            while True:
                n, at = count(buffer, at)
                for _ in range(n):
                    start = at
                    try:
                        value, at = read(buffer, at, depth)
                        follows(value, buffer, start, at)
                    except DecodeError as error:
                        raise error.within(len(out)) from None
                    out.append(value)
                if n < CHUNK:
                    break
            if not may_be_set:
                return out, at
            # Values of one's own classes may be equal and have other bytes.
            found = frozenset(out)
            return (found if len(found) == len(out) else out), at

        return elements

    def _ascending(self, w: Expression, r: Expression, what: str) -> Callable[[], Follows]:
        """Refuses a key, or an element of a set, that is not above the one before it; where its
        order is not known, one that was there."""
        order = self.orders.of(r)
        known = has_known_order(r) and has_known_order(w)

        def begin() -> Follows:
            before: list[Any] = []
            spelled: set[bytes] = set()

            def by_order(value: Any, buffer: bytes, start: int, end: int) -> None:
                place = order(value)
                if before and not before[0] < place:
                    raise DecodeError(start, f"the {what} is not above the one before it")
                before[:] = [place]

            def by_bytes(value: Any, buffer: bytes, start: int, end: int) -> None:
                # Equal values have equal bytes, whatever their order is.
                if buffer[start:end] in spelled:
                    raise DecodeError(start, f"the {what} was there before")
                spelled.add(buffer[start:end])

            return by_order if known else by_bytes

        return begin

    def _map(self, w: Map, r: Map, wp: Path, rp: Path) -> Read:
        outer, self._in_key = self._in_key, True
        read_key = self.between(w.key, r.key, (*wp, 0), (*rp, 0))
        self._in_key = outer
        read_value = self.between(w.value, r.value, (*wp, 1), (*rp, 1))
        as_dict = hashable(self.reader, self.shapings, r.key)
        ascends = self._ascending(w.key, r.key, "key")

        def pairs(buffer: bytes, at: int, depth: int) -> tuple[Any, int]:
            out: list[tuple[Any, Any]] = []
            follows = ascends()
            while True:
                n, at = count(buffer, at)
                for _ in range(n):
                    start = at
                    try:
                        key, at = read_key(buffer, at, depth)
                        follows(key, buffer, start, at)
                        value, at = read_value(buffer, at, depth)
                    except DecodeError as error:
                        raise error.within(len(out)) from None
                    out.append((key, value))
                if n < CHUNK:
                    return (dict(out) if as_dict else out), at

        return pairs

    # --- declared types ----------------------------------------------------------

    def _name(self, schema: Schema, number: int) -> str:
        return re.sub(r"#\d+$", "", schema.definitions[number].label.split(" ")[0])

    def _same_name(self, mine: int, yours: int) -> bool:
        name = self._name(self.reader, yours)
        return self._name(self.writer, mine) in (name, *self.changes.types.get(name, ()))

    def _only_field(self, definition: Definition) -> Expression | None:
        """What a type of one constructor with one field is around."""
        match definition.form:
            case Single(body) if len(body_shapes(body)) == 1:
                return body_shapes(body)[0]
            case _:
                return None

    def _is_wrapped_optional(self, number: int) -> bool:
        inner = self._only_field(self.writer.definitions[number])
        return isinstance(inner, Optional) or (isinstance(inner, Declared) and self._is_wrapped_optional(inner.number))

    def _put_around(self, w: Expression, yours: int, wp: Path, rp: Path) -> Read:
        inner = self._only_field(self.reader.definitions[yours])
        if inner is None:
            return self._mismatch(wp, rp, f"{_kind(w)} is not {self._name(self.reader, yours)}")
        read = self.between(w, inner, wp, rp)
        make = self.shapings(self.reader, yours).make[0]

        def around(buffer: bytes, at: int, depth: int) -> tuple[Any, int]:
            value, at = read(buffer, at, depth)
            return make([value]), at

        return around

    def _within(self, schema: Schema, number: int, found: Callable[[int], bool]) -> bool:
        inner = self._only_field(schema.definitions[number])
        return isinstance(inner, Declared) and (found(inner.number) or self._within(schema, inner.number, found))

    def _declared(self, mine: int, yours: int, wp: Path, rp: Path) -> Read:
        if not self._same_name(mine, yours):
            inner = self._only_field(self.writer.definitions[mine])
            if inner is not None and self._within(self.writer, mine, lambda n: self._same_name(n, yours)):
                return self.between(inner, Declared(yours), wp, rp)
            if self._within(self.reader, yours, lambda n: self._same_name(mine, n)):
                return self._put_around(Declared(mine), yours, wp, rp)
            return self._mismatch(
                wp,
                rp,
                f'the type "{self._name(self.writer, mine)}" is not "{self._name(self.reader, yours)}"; '
                "if it was renamed, give the old name as an alias",
            )
        key = (mine, yours, self._in_key)
        if key not in self._made:
            self._made[key] = lambda buffer, at, depth: self._made[key](buffer, at, depth)
            owner, self._owner = self._owner, mine
            read = self._constructors(mine, yours, wp, rp)
            self._owner = owner
            self._made[key] = self._level(read) if self.writer.is_level(None, Declared(mine)) else read
        return self._made[key]

    def _constructors(self, mine: int, yours: int, wp: Path, rp: Path) -> Read:
        type_name = self._name(self.reader, yours)
        theirs = constructors(self.writer.definitions[mine])
        ours = constructors(self.reader.definitions[yours])
        make = self.shapings(self.reader, yours).make
        matched = self._matched(type_name, theirs, ours)
        if isinstance(matched, str):
            return self._mismatch(wp, rp, matched)
        order = [to for to in matched if to is not None]
        if self._in_key and order != sorted(order):
            return self._mismatch(wp, rp, "constructors of a key have changed places")
        cases: list[Read | None] = []
        for (name, body), to in zip(theirs, matched):
            if to is None:
                cases.append(None)
                continue
            steps = () if name is None else (name,)
            cases.append(self._body(type_name, body, ours[to][1], make[to], (*wp, *steps), (*rp, *steps)))
        if len(cases) == 1 and body_shapes(theirs[0][1]):
            only = cases[0]
            assert only is not None
            return only
        names = [name for name, _ in theirs]
        total = len(cases)

        def tagged(buffer: bytes, at: int, depth: int) -> tuple[Any, int]:
            start = at
            index, at = tag(buffer, at, total)
            case = cases[index]
            if case is None:
                raise DecodeError(start, f"the reader's type has no constructor {names[index]!r}")
            return case(buffer, at, depth)

        return tagged

    def _matched(
        self,
        type_name: str,
        theirs: tuple[tuple[str | None, Body], ...],
        ours: tuple[tuple[str | None, Body], ...],
    ) -> list[int | None] | str:
        """For each of the writer's constructors the reader's, by number."""
        if len(theirs) == 1 and len(ours) == 1:
            return [0]
        named = [name if name is not None else self.changes.sole.get(type_name) for name, _ in theirs]
        mine = [name if name is not None else self.changes.sole.get(type_name) for name, _ in ours]
        if None in named or None in mine:
            return "a type of one constructor became one of several; say what the one was called (sole)"
        found = _by_name(
            [str(name) for name in mine],
            [str(name) for name in named],
            lambda name: self.changes.constructors.get(f"{type_name}.{name}", ()),
        )
        matched: list[int | None] = [None] * len(theirs)
        for to, index in enumerate(found):
            if index is not None:
                matched[index] = to
        if all(to is None for to in matched):
            return "no constructor is on both sides"
        return matched

    def _body(
        self, type_name: str, w: Body, r: Body, make: Callable[[list[Any]], Any], wp: Path, rp: Path
    ) -> Read:
        these, those = body_shapes(w), body_shapes(r)
        if not (isinstance(w, Fields) and isinstance(r, Fields)):
            if len(these) != len(those):
                return self._mismatch(wp, rp, f"{len(these)} fields are not {len(those)}, and have no names to go by")
            if not these:
                return lambda buffer, at, depth: (make([]), at)
            steps = _steps(w)
            reads = [
                self.between(a, b, (*wp, *steps[i]), (*rp, *_steps(r)[i])) for i, (a, b) in enumerate(zip(these, those))
            ]
            return _fields(list(zip(steps, reads)), make)
        names = [one.name for one in w.fields]
        found = _by_name(
            [one.name for one in r.fields], names, lambda name: self.changes.fields.get(f"{type_name}.{name}", ())
        )
        places = {index: to for to, index in enumerate(found) if index is not None}
        if self._in_key and (list(places.values()) != [places[i] for i in sorted(places)] or len(places) < len(names)):
            return self._mismatch(wp, rp, "fields of a key were left away or have changed places")
        given: list[Any] = [None] * len(r.fields)
        for to, (one, index) in enumerate(zip(r.fields, found)):
            if index is not None:
                continue
            if f"{type_name}.{one.name}" in self.changes.defaults:
                given[to] = self.changes.defaults[f"{type_name}.{one.name}"]
            elif not isinstance(one.shape, Optional):
                return self._mismatch(wp, (*rp, one.name), "the writer has no such field, and there is no default")
        plan: list[tuple[tuple[Step, ...], int | None, Read]] = []
        for index, one in enumerate(w.fields):
            target = places.get(index)
            read = (
                self._over(one.shape)
                if target is None
                else self.between(one.shape, r.fields[target].shape, (*wp, one.name), (*rp, r.fields[target].name))
            )
            plan.append(((one.name,), target, read))
        if not plan:
            return lambda buffer, at, depth: (make(list(given)), at)
        if [target for _, target, _ in plan] == list(range(len(given))):
            return _fields([(steps, read) for steps, _, read in plan], make)

        def moved(buffer: bytes, at: int, depth: int) -> tuple[Any, int]:
            values = list(given)
            for steps, target, read in plan:
                try:
                    value, at = read(buffer, at, depth)
                except DecodeError as error:
                    raise error.within(steps[0]) from None
                if target is not None:
                    values[target] = value
            return make(values), at

        return moved

    def _over(self, shape: Expression) -> Read:
        after = self.layout.after
        return lambda buffer, at, depth: (None, after(buffer, at, shape))


# --- what needs no schema --------------------------------------------------------


def _by_name(
    wanted: list[str], there: list[str], aliases: Callable[[str], tuple[str, ...]]
) -> list[int | None]:
    """For each wanted name where it is: under its own name first, then under its aliases, of
    which those do not count that are another one's own name. None is found twice."""
    free = {name: index for index, name in reversed(list(enumerate(there)))}
    own = set(wanted)
    found = [free.pop(name, None) for name in wanted]
    for to, name in enumerate(wanted):
        if found[to] is None:
            for alias in aliases(name):
                if alias not in own and alias in free:
                    found[to] = free.pop(alias)
                    break
    return found


def _steps(body: Body) -> list[tuple[Step, ...]]:
    """What a constructor's fields are called in a path."""
    match body:
        case Nothing():
            return []
        case Value():
            return [()]
        case Fields(fields):
            return [(one.name,) for one in fields]
        case _:
            return [(index,) for index in range(len(body_shapes(body)))]


def _fields(reads: list[tuple[tuple[Step, ...], Read]], make: Callable[[list[Any]], Any]) -> Read:
    def fields(buffer: bytes, at: int, depth: int) -> tuple[Any, int]:
        values: list[Any] = []
        for steps, read in reads:
            try:
                value, at = read(buffer, at, depth)
            except DecodeError as error:
                raise (error.within(steps[0]) if steps else error) from None
            values.append(value)
        return make(values), at

    return fields


def _tuple(reads: list[Read]) -> Read:
    def row(buffer: bytes, at: int, depth: int) -> tuple[Any, int]:
        values: list[Any] = []
        for read in reads:
            try:
                value, at = read(buffer, at, depth)
            except DecodeError as error:
                raise error.within(len(values)) from None
            values.append(value)
        return tuple(values), at

    return row


def _as_float(read: Read) -> Read:
    def number(buffer: bytes, at: int, depth: int) -> tuple[Any, int]:
        value, at = read(buffer, at, depth)
        return float(value), at

    return number


def _scalar(shape: Expression) -> Read:
    found = reader(shape)
    assert found is not None
    return found


def _holds(outer: Integer, inner: Integer) -> bool:
    return (outer.low is None or (inner.low is not None and inner.low >= outer.low)) and (
        outer.high is None or (inner.high is not None and inner.high <= outer.high)
    )


def _kind(shape: Expression) -> str:
    match shape:
        case Integer(None, None):
            return "integer"
        case Integer(low, high, size):
            bounds = f"integer {'' if low is None else low}..{'' if high is None else high}"
            return bounds if size is None else f"{bounds} in {size} bytes"
        case Float(bits):
            return f"float {bits}"
        case List():
            return "a list"
        case Optional():
            return "an optional value"
        case Map():
            return "a map"
        case Set():
            return "a set"
        case Formatted(_, name, _):
            return name
        case Tuple(elements):
            return f"a tuple of {len(elements)}"
        case Opaque(name):
            return f"opaque {name!r}"
        case Declared():
            return "a declared type"
        case _:
            return type(shape).__name__.lower()


Bulk = Callable[[bytes, int, int], tuple[list[Any], int] | None]


def _bulk(shape: Expression) -> Bulk | None:
    """Reads many numbers at a time. None says that the reader of one will find what is wrong."""
    match shape:
        case Float(64):
            return _packed("d", 8)
        case Integer():
            width, signed = integer_width(shape), is_signed(shape)
            if width == 0:
                return _varints(shape, signed)
            if width and _is_all_of(shape, width):
                code = {1: "b", 2: "h", 4: "i", 8: "q"}[width]
                return _packed(code if signed else code.upper(), width)
            return None
        case _:
            return None


def _is_all_of(shape: Integer, width: int) -> bool:
    bits = 8 * width
    return (shape.low, shape.high) in ((0, (1 << bits) - 1), (-(1 << (bits - 1)), (1 << (bits - 1)) - 1))


def _packed(code: str, width: int) -> Bulk:
    def packed(buffer: bytes, at: int, n: int) -> tuple[list[Any], int] | None:
        end = at + n * width
        if end > len(buffer):
            return None
        return list(struct.unpack_from(f"<{n}{code}", buffer, at)), end

    return packed


def _varints(shape: Integer, signed: bool) -> Bulk:
    low, high = shape.low, shape.high
    assert low is not None and high is not None

    def varints(buffer: bytes, at: int, n: int) -> tuple[list[Any], int] | None:
        out = []
        try:
            for _ in range(n):
                number = buffer[at]
                if number < 0x80:
                    at += 1
                else:
                    number, at = varint(buffer, at)
                out.append(number)
        except (DecodeError, IndexError):
            return None
        if signed:
            out = [~(number >> 1) if number & 1 else number >> 1 for number in out]
        if out and not (low <= min(out) and max(out) <= high):
            return None
        return out, at

    return varints
