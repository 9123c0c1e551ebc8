"""Schemas as text: the grammar of ``docs/spec/schema.md``, rules 1 to 5.

A text is taken only if it is what would be written of the schema that it gives, so that
equal schemas have equal texts.
"""

from __future__ import annotations

import re

from .errors import SchemaError
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
    body_shapes,
    children,
    mentioned,
    shapes,
)

MAX_DEPTH = 512
"""Levels of expressions within each other."""

MAX_LABELS = 1 << 24
"""Characters of all labels, each counted as often as it is spoken of."""

_LETTERS = {7: "a", 8: "b", 9: "t", 10: "n", 11: "v", 12: "f", 13: "r", 34: '"', 92: "\\"}
_CONTROLS = (
    "NUL SOH STX ETX EOT ENQ ACK a b t n v f r SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US"
).split()
_NAMED = {**{code: name for code, name in enumerate(_CONTROLS)}, **_LETTERS, 127: "DEL"}
_CODES = {name: code for code, name in _NAMED.items()}
_ESCAPE = re.compile(r"\\(?:&|(\d{1,7})|(" + "|".join(sorted(map(re.escape, _CODES), key=len, reverse=True)) + "))")


def quote(string: str) -> str:
    """A string in double quotes, as Haskell shows it.

    >>> print(quote("\\x0eH, \\u03bb1"))
    "\\SO\\&H, \\955\\&1"
    """
    out = ['"']
    before = ""
    for character in string:
        code = ord(character)
        name = _NAMED.get(code)
        if name is not None:
            shown = "\\" + name
        elif code < 128:
            parted = (before[:1] == "\\" and before[1:].isdigit() and character.isdigit()) or (
                before == "\\SO" and character == "H"
            )
            shown = ("\\&" if parted else "") + character
        else:
            shown = f"\\{code}"
        out.append(shown)
        before = shown
    out.append('"')
    return "".join(out)


# --- rendering -------------------------------------------------------------------


def render(schema: Schema) -> str:
    """The text of a schema; a schema whose labels are too much text is refused."""
    labels = [one.label for one in schema.definitions]
    spent = 0

    def label(number: int) -> str:
        nonlocal spent
        if not 0 <= number < len(labels):
            raise SchemaError(0, f"type {number} is spoken of, but {len(labels)} are defined")
        spent += len(labels[number])
        if spent > MAX_LABELS:
            raise SchemaError(0, f"the names of types have more than {MAX_LABELS} characters in all")
        return labels[number]

    def bound(number: int | None) -> str:
        return "" if number is None else str(number)

    def atom(shape: Expression) -> str:
        text = expression(shape)
        return f"({text})" if " " in text and text[0] not in "([{" else text

    def row(shapes: tuple[Expression, ...]) -> str:
        return "(" + ", ".join(map(expression, shapes)) + ")"

    def expression(shape: Expression) -> str:
        match shape:
            case Boolean():
                return "boolean"
            case Integer(None, None):
                return "integer"
            case Integer(low, high, size):
                return f"integer {bound(low)}..{bound(high)}" + ("" if size is None else f" in {size} bytes")
            case Float(bits):
                return f"float {bits}"
            case Text():
                return "text"
            case Character():
                return "character"
            case Unit():
                return "unit"
            case Anything():
                return "anything"
            case Bytes(size):
                return "bytes" if size is None else f"bytes {size}"
            case Formatted(notation, name, native):
                return f"{notation} {quote(name)} as {atom(native)}"
            case Set(element):
                return f"set {atom(element)}"
            case Opaque(name):
                return "opaque " + quote(name)
            case List(element, least):
                return f"[{expression(element)}" + (f"; {least} or more]" if least else "]")
            case Optional(value):
                return atom(value) + "?"
            case Map(key, value):
                return f"map {atom(key)} {atom(value)}"
            case Tuple(elements):
                return row(elements)
            case Declared(number):
                return label(number)

    def body(one: Body) -> str:
        match one:
            case Nothing():
                return "()"
            case Value(value):
                return expression(value)
            case Values(values):
                return row(values)
            case Fields(fields):
                return (
                    "{"
                    + ", ".join(
                        quote(field.name) + ("?: " if field.may_be_absent else ": ") + expression(field.shape)
                        for field in fields
                    )
                    + "}"
                )

    def alternative(one: Alternative) -> str:
        return "\n  | " + quote(one.name) + ("" if one.body == Nothing() else " " + body(one.body))

    def form(one: Form) -> str:
        match one:
            case Single(inside):
                return body(inside)
            case Names(names):
                return " | ".join(map(quote, names))
            case Alternatives(Tagged(tag, contents), alternatives):
                return f"tagged {quote(tag)} {quote(contents)}" + "".join(map(alternative, alternatives))
            case Alternatives(SingleField(), alternatives):
                return "single field" + "".join(map(alternative, alternatives))
            case Alternatives(Untagged(), alternatives):
                return "untagged" + "".join(map(alternative, alternatives))
            case Alternatives(_, alternatives):
                return "two elements" + "".join(map(alternative, alternatives))

    with deep(8 * MAX_DEPTH):
        return "\n".join(
            [expression(schema.root), *(f"{one.label} = {form(one.form)}" for one in schema.definitions)]
        )


# --- parsing ---------------------------------------------------------------------

_DEFINITION = re.compile(r"\n(?=[^ \n])")
_BOUNDS = re.compile(r"integer(?: (-?\d+)?\.\.(-?\d+)?)?(?![\w.-])")
_SIZED = re.compile(r" in (4|8) bytes(?![\w.-])")
_FLOAT = re.compile(r"float (32|64)(?!\d)")
_FORMAT = re.compile(r'(text|number) "')
_BYTES = re.compile(r"bytes(?: (\d+))?(?![\w.-])")
_LEAST = re.compile(r"; (\d+) or more\]")
_WORDS: dict[str, Expression] = {
    "boolean": Boolean(),
    "text": Text(),
    "character": Character(),
    "unit": Unit(),
    "anything": Anything(),
}
_WORD = re.compile("(" + "|".join(_WORDS) + r")(?!\w)")
MAX_DIGITS = 4096
"""Digits of a bound."""


def read(text: str) -> Schema:
    """The schema of a text."""
    starts = [0, *(found.end() for found in _DEFINITION.finditer(text))]
    ends = [*(start - 1 for start in starts[1:]), len(text)]
    labels: list[str] = []
    bodies: list[int] = []
    for start, end in list(zip(starts, ends))[1:]:
        middle = text.find(" = ", start, end)
        if middle < 0:
            raise SchemaError(start, "expected a definition, as: Name = ...")
        labels.append(text[start:middle])
        bodies.append(middle + 3)
    if len(set(labels)) != len(labels):
        raise SchemaError(0, "two definitions have the same name")
    parser = _Parser(text, labels)
    with deep(8 * MAX_DEPTH):
        root, at = parser.expression(0, 0)
        parser.ends(at, ends[0])
        definitions = []
        for name, start, end in zip(labels, bodies, ends[1:]):
            form, at = parser.form(start)
            parser.ends(at, end)
            definitions.append(Definition(name, form))
    schema = Schema(root, tuple(definitions))
    again = render(schema)
    if again != text:
        differs = next((i for i, (a, b) in enumerate(zip(text, again)) if a != b), min(len(text), len(again)))
        raise SchemaError(differs, "a schema is written in one way only, and this is not it")
    check(schema)
    return schema


class _Parser:
    def __init__(self, text: str, labels: list[str]) -> None:
        self.text = text
        by_length = sorted(range(len(labels)), key=lambda n: -len(labels[n]))
        self.numbers = {name: number for number, name in enumerate(labels)}
        self.label = re.compile("|".join(re.escape(labels[n]) for n in by_length) + r"(?=[\n ?,;)\]}]|$)") if labels else None

    def fail(self, at: int, wanted: str) -> SchemaError:
        found = self.text[at : at + 20]
        return SchemaError(at, f"expected {wanted}, found {quote(found) if found else 'the end'}")

    def ends(self, at: int, end: int) -> None:
        if at != end:
            raise self.fail(at, "the end of the line")

    def token(self, at: int, wanted: str) -> int:
        if not self.text.startswith(wanted, at):
            raise self.fail(at, quote(wanted))
        return at + len(wanted)

    def expression(self, at: int, depth: int, atom: bool = False) -> tuple[Expression, int]:
        """One expression; an atom may have been put in parentheses."""
        if depth > MAX_DEPTH:
            raise SchemaError(at, f"more than {MAX_DEPTH} levels within each other")
        shape, at, spaced = self.primary(at, depth, atom)
        while not spaced and self.text.startswith("?", at):
            shape, at = Optional(shape), at + 1
        return shape, at

    def primary(self, at: int, depth: int, atom: bool) -> tuple[Expression, int, bool]:
        """What stands before a question mark, where it ends, and whether none may follow."""
        text = self.text
        if text.startswith("(", at):
            elements, after = self.row(at, depth + 1)
            bracketed = len(elements) == 1 and (atom or text.startswith("?", after))
            return (elements[0] if bracketed else Tuple(elements)), after, False
        if text.startswith("[", at):
            element, at = self.expression(at + 1, depth + 1)
            if found := _LEAST.match(text, at):
                return List(element, self.number(found[1], at)), found.end(), False
            return List(element), self.token(at, "]"), False
        if found := self.label.match(text, at) if self.label else None:
            return Declared(self.numbers[found[0]]), found.end(), " " in found[0]
        if found := _FORMAT.match(text, at):
            name, at = self.string(found.end() - 1)
            native, at = self.expression(self.token(at, " as "), depth + 1, atom=True)
            return Formatted(found[1], name, native), at, True
        if found := _BYTES.match(text, at):
            size = None if found[1] is None else self.number(found[1], at)
            return Bytes(size), found.end(), size is not None
        if text.startswith("set ", at):
            element, at = self.expression(at + 4, depth + 1, atom=True)
            return Set(element), at, True
        if found := _WORD.match(text, at):
            return _WORDS[found[1]], found.end(), False
        if found := _BOUNDS.match(text, at):
            low, high = found[1], found[2]
            shape = Integer(
                None if low is None else self.number(low, at), None if high is None else self.number(high, at)
            )
            if low is not None and high is not None and (sized := _SIZED.match(text, found.end())):
                return Integer(shape.low, shape.high, int(sized[1])), sized.end(), True
            return shape, found.end(), " " in found[0]
        if found := _FLOAT.match(text, at):
            return Float(int(found[1])), found.end(), True
        if text.startswith("opaque ", at):
            name, at = self.string(at + 7)
            return Opaque(name), at, True
        if text.startswith("map ", at):
            key, at = self.expression(at + 4, depth + 1, atom=True)
            value, at = self.expression(self.token(at, " "), depth + 1, atom=True)
            return Map(key, value), at, True
        raise self.fail(at, "an expression or the name of a type that is defined")

    def number(self, digits: str, at: int) -> int:
        if len(digits) > MAX_DIGITS:
            raise SchemaError(at, f"a number of more than {MAX_DIGITS} digits")
        return int(digits)

    def row(self, at: int, depth: int) -> tuple[tuple[Expression, ...], int]:
        at = self.token(at, "(")
        elements: list[Expression] = []
        while not self.text.startswith(")", at):
            element, at = self.expression(self.token(at, ", ") if elements else at, depth)
            elements.append(element)
        return tuple(elements), at + 1

    def string(self, at: int) -> tuple[str, int]:
        text = self.text
        at = self.token(at, '"')
        out: list[str] = []
        while True:
            end = at
            while end < len(text) and text[end] not in '"\\\n':
                end += 1
            out.append(text[at:end])
            if end == len(text) or text[end] == "\n":
                raise self.fail(end, "the string's end")
            if text[end] == '"':
                return "".join(out), end + 1
            found = _ESCAPE.match(text, end)
            if found is None:
                raise self.fail(end, "an escape")
            if found[1]:
                if int(found[1]) > 0x10FFFF:
                    raise self.fail(end, "a code point")
                out.append(chr(int(found[1])))
            elif found[2]:
                out.append(chr(_CODES[found[2]]))
            at = found.end()

    def form(self, at: int) -> tuple[Form, int]:
        text = self.text
        if text.startswith('"', at):
            name, at = self.string(at)
            names = [name]
            while text.startswith(" | ", at):
                name, at = self.string(at + 3)
                names.append(name)
            return Names(tuple(names)), at
        layout: Layout
        if text.startswith("tagged ", at):
            tag, at = self.string(at + 7)
            contents, at = self.string(self.token(at, " "))
            layout = Tagged(tag, contents)
        elif text.startswith("single field", at):
            layout, at = SingleField(), at + 12
        elif text.startswith("two elements", at):
            layout, at = TwoElements(), at + 12
        elif text.startswith("untagged", at):
            layout, at = Untagged(), at + 8
        else:
            body, at = self.body(at, alone=True)
            return Single(body), at
        alternatives: list[Alternative] = []
        while text.startswith("\n  | ", at):
            name, at = self.string(at + 5)
            inside: Body = Nothing()
            if text.startswith(" ", at):
                inside, at = self.body(at + 1, alone=False)
            alternatives.append(Alternative(name, inside))
        return Alternatives(layout, tuple(alternatives)), at

    def body(self, at: int, alone: bool) -> tuple[Body, int]:
        text = self.text
        if alone and text.startswith("()", at) and text[at + 2 : at + 3] != "?":
            return Nothing(), at + 2
        if text.startswith("{", at):
            at += 1
            fields: list[Field] = []
            while not text.startswith("}", at):
                name, at = self.string(self.token(at, ", ") if fields else at)
                absent = text.startswith("?: ", at)
                shape, at = self.expression(self.token(at, "?: " if absent else ": "), 0)
                fields.append(Field(name, shape, absent))
            return Fields(tuple(fields)), at + 1
        shape, at = self.expression(at, 0)
        return (Values(shape.elements) if isinstance(shape, Tuple) else Value(shape)), at


# --- what text and bytes both have to keep ---------------------------------------


def check(schema: Schema) -> None:
    """Refuse types without values, names that nobody has, and definitions out of order."""
    met: list[int] = []
    seen: set[int] = set()

    def meet(shape: Expression) -> None:
        waiting = [mentioned(shape)]
        while waiting:
            number = next(waiting[-1], None)
            if number is None:
                waiting.pop()
            elif number not in seen:
                if number >= len(schema.definitions):
                    raise SchemaError(0, f"type {number} is spoken of, but {len(schema.definitions)} are defined")
                seen.add(number)
                met.append(number)
                waiting.append(n for one in shapes(schema.definitions[number].form) for n in mentioned(one))

    meet(schema.root)
    if met != list(range(len(schema.definitions))):
        raise SchemaError(0, "the definitions are not in the order in which they are met")
    for shape in [schema.root, *(shape for one in schema.definitions for shape in shapes(one.form))]:
        _sized(shape)
    for one in schema.definitions:
        if not one.label or not one.label.isprintable():
            raise SchemaError(0, f"no type is called {quote(one.label)}")
    _inhabited(schema)


def _sized(shape: Expression) -> None:
    waiting = [shape]
    while waiting:
        one = waiting.pop()
        if isinstance(one, Bytes) and one.size is not None and not 1 <= one.size < 1 << 63:
            raise SchemaError(0, f"bytes of a fixed size are one or more, not {one.size}")
        if isinstance(one, Integer) and one.size is not None:
            if one.size not in (4, 8):
                raise SchemaError(0, f"an integer of a fixed size has 4 or 8 bytes, not {one.size}")
            if one.low is None or one.high is None:
                raise SchemaError(0, "an integer of a fixed size has both bounds")
        waiting.extend(children(one))


def _inhabited(schema: Schema) -> None:
    finite: set[int] = set()

    def has(shape: Expression) -> bool:
        match shape:
            case Declared(number):
                return number in finite
            case Tuple(elements):
                return all(map(has, elements))
            case List(element, least):
                return least == 0 or has(element)
            case Formatted(_, _, native):
                return has(native)
            case _:
                return True

    def some(form: Form) -> bool:
        match form:
            case Single(body):
                return all(map(has, body_shapes(body)))
            case Names(names):
                return bool(names)
            case Alternatives(_, alternatives):
                return any(all(map(has, body_shapes(one.body))) for one in alternatives)

    with deep(8 * MAX_DEPTH):
        changed = True
        while changed:
            changed = False
            # Backwards: a type's parts come after it, as a rule.
            for number in reversed(range(len(schema.definitions))):
                if number not in finite and some(schema.definitions[number].form):
                    finite.add(number)
                    changed = True
    for number, one in enumerate(schema.definitions):
        if number not in finite:
            raise SchemaError(0, f"the type {quote(one.label)} has no values")
