"""Schemas as data: what the values of a type look like.

A schema is an expression and the declared types that it speaks of. The words are those of
``docs/spec/schema.md``. Text and bytes are made and read by the modules beside this one;
``parse`` and ``Schema.text`` are the way in.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True, slots=True)
class Boolean:
    """``boolean``"""


@dataclass(frozen=True, slots=True)
class Integer:
    """``integer``, from ``low`` to ``high``, where these are given; with both of them perhaps ``in 4
    bytes`` or ``in 8 bytes``, whichever number it is"""

    low: int | None = None
    high: int | None = None
    size: int | None = None


@dataclass(frozen=True, slots=True)
class Float:
    """``float 32`` or ``float 64``"""

    bits: int


@dataclass(frozen=True, slots=True)
class Text:
    """``text``"""


@dataclass(frozen=True, slots=True)
class Character:
    """``character``"""


@dataclass(frozen=True, slots=True)
class Unit:
    """``unit``"""


@dataclass(frozen=True, slots=True)
class Anything:
    """``anything``: a JSON text"""


@dataclass(frozen=True, slots=True)
class Bytes:
    """``bytes``, or ``bytes 16`` for just so many"""

    size: int | None = None


@dataclass(frozen=True, slots=True)
class Formatted:
    """``text "date" as …`` or ``number "decimal" as …``: a text or a number in JSON, which the
    name tells of, and in the native format a value of another expression"""

    notation: str
    name: str
    native: Expression


@dataclass(frozen=True, slots=True)
class Opaque:
    """``opaque "name"``: bytes that only the codec of that name knows"""

    name: str


@dataclass(frozen=True, slots=True)
class List:
    """``[element; least or more]``"""

    element: Expression
    least: int = 0


@dataclass(frozen=True, slots=True)
class Optional:
    """``value?``"""

    value: Expression


@dataclass(frozen=True, slots=True)
class Set:
    """``set element``"""

    element: Expression


@dataclass(frozen=True, slots=True)
class Map:
    """``map key value``"""

    key: Expression
    value: Expression


@dataclass(frozen=True, slots=True)
class Tuple:
    """``(a, b)``"""

    elements: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Declared:
    """A declared type, by the number of its definition"""

    number: int


Expression = (
    Boolean
    | Integer
    | Float
    | Text
    | Character
    | Unit
    | Anything
    | Bytes
    | Formatted
    | Opaque
    | List
    | Set
    | Optional
    | Map
    | Tuple
    | Declared
)


@dataclass(frozen=True, slots=True)
class Nothing:
    """No fields"""


@dataclass(frozen=True, slots=True)
class Value:
    """One field without a name"""

    value: Expression


@dataclass(frozen=True, slots=True)
class Values:
    """Several fields without names"""

    values: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Field:
    """A field with a name; JSON and MessagePack may leave one away that ``may_be_absent``"""

    name: str
    shape: Expression
    may_be_absent: bool = False


@dataclass(frozen=True, slots=True)
class Fields:
    """Fields with names"""

    fields: tuple[Field, ...]


Body = Nothing | Value | Values | Fields


@dataclass(frozen=True, slots=True)
class Single:
    """A type of one constructor, of which the schema does not say the name"""

    body: Body


@dataclass(frozen=True, slots=True)
class Names:
    """An enumeration"""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Tagged:
    """Constructors are told apart, in JSON, by a field"""

    tag: str
    contents: str


@dataclass(frozen=True, slots=True)
class SingleField:
    """Constructors are told apart, in JSON, by an object's only key"""


@dataclass(frozen=True, slots=True)
class TwoElements:
    """Constructors are told apart, in JSON, by an array's first element"""


@dataclass(frozen=True, slots=True)
class Untagged:
    """Constructors are told apart, in JSON, by what they hold"""


Layout = Tagged | SingleField | TwoElements | Untagged


@dataclass(frozen=True, slots=True)
class Alternative:
    """A constructor of several"""

    name: str
    body: Body


@dataclass(frozen=True, slots=True)
class Alternatives:
    """A type of named constructors, some with fields"""

    layout: Layout
    alternatives: tuple[Alternative, ...]


Form = Single | Names | Alternatives


@dataclass(frozen=True, slots=True)
class Definition:
    """A declared type: its label and what it is"""

    label: str
    form: Form


@dataclass(frozen=True)
class Schema:
    """An expression and the declared types that it speaks of, in the order in which they are met"""

    root: Expression
    definitions: tuple[Definition, ...] = ()

    @cached_property
    def text(self) -> str:
        """As text, for people and for the fingerprint"""
        from .schema_text import render

        return render(self)

    @cached_property
    def bytes(self) -> bytes:
        """As bytes, as a container's header has it"""
        from .schema_bytes import write

        return write(self)

    @cached_property
    def fingerprint(self) -> int:
        """FNV-1a, 64 bits, of the text

        >>> f"{Schema(Boolean()).fingerprint:016x}"
        'e975a4669c4ba17f'
        """
        found = 0xCBF29CE484222325
        for byte in self.text.encode():
            found = ((found ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
        return found

    @cached_property
    def nested(self) -> tuple[frozenset[int], ...]:
        """For each declared type, those that it is within and that are within it"""
        return _nests([list(_mentions(one.form)) for one in self.definitions])


    def is_level(self, owner: int | None, shape: Expression) -> bool:
        """Does a value of a shape, within a declared type, count as a level? It does where it
        may be within itself and is chosen or listed."""
        if isinstance(shape, Declared):
            several = not isinstance(self.definitions[shape.number].form, Single)
            return several and bool(self.nested[shape.number])
        if owner is None or not isinstance(shape, (Optional, List, Set, Map)):
            return False
        return any(number in self.nested[owner] for number in mentioned(shape))


def _mentions(form: Form) -> Iterator[int]:
    return (number for shape in shapes(form) for number in mentioned(shape))


def _nests(edges: list[list[int]]) -> tuple[frozenset[int], ...]:
    """The strongly connected component of each node, empty for one that no path leads back to.

    Tarjan's algorithm with a stack of its own: a schema may be a long chain.
    """
    order: dict[int, int] = {}
    lowest: dict[int, int] = {}
    open_: list[int] = []
    is_open: set[int] = set()
    found: list[frozenset[int]] = [frozenset()] * len(edges)
    for root in range(len(edges)):
        if root in order:
            continue
        work: list[tuple[int, Iterator[int]]] = []

        def enter(node: int) -> None:
            order[node] = lowest[node] = len(order)
            open_.append(node)
            is_open.add(node)
            work.append((node, iter(edges[node])))

        enter(root)
        while work:
            node, rest = work[-1]
            following = next(rest, None)
            if following is not None:
                if following not in order:
                    enter(following)
                elif following in is_open:
                    lowest[node] = min(lowest[node], order[following])
                continue
            work.pop()
            if work:
                lowest[work[-1][0]] = min(lowest[work[-1][0]], lowest[node])
            if lowest[node] == order[node]:
                members: list[int] = []
                while not members or members[-1] != node:
                    members.append(open_.pop())
                    is_open.discard(members[-1])
                if len(members) > 1 or node in edges[node]:
                    for one in members:
                        found[one] = frozenset(members)
    return tuple(found)


def shapes(form: Form) -> Iterator[Expression]:
    """The expressions of all fields of all constructors."""
    match form:
        case Single(body):
            yield from body_shapes(body)
        case Names():
            return
        case Alternatives(_, alternatives):
            for one in alternatives:
                yield from body_shapes(one.body)


def body_shapes(body: Body) -> tuple[Expression, ...]:
    """The expressions of a constructor's fields."""
    match body:
        case Nothing():
            return ()
        case Value(value):
            return (value,)
        case Values(values):
            return values
        case Fields(fields):
            return tuple(one.shape for one in fields)


def children(shape: Expression) -> tuple[Expression, ...]:
    """The expressions right within one."""
    match shape:
        case List(element) | Set(element) | Formatted(_, _, element):
            return (element,)
        case Optional(value):
            return (value,)
        case Map(key, value):
            return (key, value)
        case Tuple(elements):
            return elements
        case _:
            return ()


def mentioned(shape: Expression) -> Iterator[int]:
    """The numbers of the declared types in an expression, in order, with repetitions."""
    waiting = [shape]
    while waiting:
        one = waiting.pop()
        if isinstance(one, Declared):
            yield one.number
        waiting.extend(reversed(children(one)))


def parse(text: str) -> Schema:
    """A schema from its text.

    >>> parse("[integer 0..255]").root
    List(element=Integer(low=0, high=255, size=None), least=0)
    """
    from .schema_text import read

    return read(text)
