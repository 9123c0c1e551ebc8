"""Classes instead of plain values."""

from __future__ import annotations

import enum
import io
import unittest
from dataclasses import dataclass, field

from tern import EncodeError, Reader, SchemaError, Sum, Typed, Writer, named, parse, positional, was
from tern.typed import Char, FixedInt32, FixedInt64, FixedWord32, FixedWord64, Float32, Int64, Word8


class Colour(enum.Enum):
    Red = 1
    Green = 2
    Blue = 3


@dataclass
class Reading:
    hour: Word8
    celsius: float
    note: str | None
    colours: list[Colour]
    counts: dict[str, Int64] = field(default_factory=dict)


class Tree(Sum): ...


@dataclass(frozen=True)
class Leaf(Tree): ...


@positional
@dataclass(frozen=True)
class Fork(Tree):
    left: Tree
    value: Word8
    right: Tree


@was("Old")
@dataclass
class New:
    count: int = named(was=["number"])
    observer: str = named("watcher", absent="unknown")


class TypedValues(unittest.TestCase):
    def test_the_vectors_record(self) -> None:
        typed = Typed(Reading)
        self.assertEqual(f"{typed.schema.fingerprint:016x}", "cd12a2c0da8a2b41")
        reading = Reading(255, -0.25, "é", [Colour.Blue, Colour.Red], {"b": -1, "a": 1})
        document = typed.encode(reading)
        self.assertEqual(document.hex(), "ff000000000000d0bf0102c3a902020002016102016201")
        self.assertEqual(typed.decode(document), reading)

    def test_the_vectors_tree(self) -> None:
        typed = Typed(Tree)
        self.assertEqual(f"{typed.schema.fingerprint:016x}", "44196d7ad70cdad5")
        tree = Fork(Leaf(), 7, Leaf())
        self.assertEqual(typed.encode(tree), bytes.fromhex("01000700"))
        self.assertEqual(typed.decode(bytes.fromhex("01000700")), tree)

    def test_integers_of_a_fixed_size(self) -> None:
        typed = Typed[tuple[int, int, int, int]](tuple[FixedInt32, FixedWord32, FixedInt64, FixedWord64])
        value = (-2, 258, -1, 1 << 63)
        document = bytes.fromhex("feffffff" "02010000" + "ff" * 8 + "00" * 7 + "80")
        self.assertEqual(typed.encode(value), document)
        self.assertEqual(typed.decode(document), value)
        plain = Typed[tuple[int, int, int, int]](tuple[int, int, int, int])
        self.assertEqual(plain.decode(document, typed.schema), value)

    def test_an_older_version(self) -> None:
        writer = parse('Old\nOld = {"number": integer 0..255, "rest": text}')
        self.assertEqual(Typed(New).decode(bytes.fromhex("05 01 78"), writer), New(5, "unknown"))

    def test_containers(self) -> None:
        typed = Typed(Reading)
        out = io.BytesIO()
        writer = typed.writer(out)
        readings = [Reading(n, n / 2, None, []) for n in range(100)]
        writer.put_all(readings)
        writer.finish()
        out.seek(0)
        self.assertEqual(list(typed.reader(out)), readings)

    def test_what_has_no_schema(self) -> None:
        for annotation in (object, int | str, list, complex):
            with self.subTest(annotation), self.assertRaises(SchemaError):
                Typed(annotation)

    def test_another_class_is_refused(self) -> None:
        with self.assertRaises(EncodeError):
            Typed(Reading).encode(New(1, "me"))
        with self.assertRaises(EncodeError):
            Typed(list[Colour]).encode(["Red"])

    def test_scalars(self) -> None:
        self.assertEqual(Typed(tuple[Char, Float32, bool]).schema.text, "(character, float 32, boolean)")
