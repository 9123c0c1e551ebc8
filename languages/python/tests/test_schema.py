"""Schemas as text and as bytes."""

import json
import pathlib
import random
import unittest

from tern import Encoder, SchemaError, from_json, parse
from tern.schema import Boolean, Declared, Definition, Integer, Schema, Single, Tuple, Value
from tern.schema_bytes import read, write
from tern.schema_text import check, quote


ROOT = pathlib.Path(__file__).resolve().parents[3]


class Schemas(unittest.TestCase):
    def test_strings_are_as_haskell_shows_them(self) -> None:
        for string, shown in [
            ("a\"\\", r'"a\"\\"'),
            ("\a\b\t\n\v\f\r", r'"\a\b\t\n\v\f\r"'),
            ("\0\x1f\x7f", r'"\NUL\US\DEL"'),
            ("\x0eH", r'"\SO\&H"'),
            ("\x0eI", r'"\SOI"'),
            ("\x011", r'"\SOH1"'),
            ("é1", r'"\233\&1"'),
            ("éa", r'"\233a"'),
            ("\U0001f426", r'"\128038"'),
        ]:
            self.assertEqual(quote(string), shown)
            text = "opaque " + shown
            self.assertEqual(parse(text).root.name, string)

    def test_texts_come_back(self) -> None:
        for text in [
            "[integer]?",
            "(integer 0..255)?",
            "integer??",
            "map text [integer]",
            "map (integer 0..1) (map text boolean?)",
            "(text, ())",
            "[(text, [unit; 3 or more])?]",
            "integer 0..",
            "integer ..5",
            "integer -3..-1",
            "integer -3..-1 in 4 bytes",
            "[integer 0..18446744073709551615 in 8 bytes; 2 or more]",
            "map (integer 0..9 in 4 bytes) (integer 0..9 in 8 bytes)?",
            "(opaque \"x\")?",
            "Pair Text (List Int)\nPair Text (List Int) = (text, [integer])",
            "(A, A#2)\nA = text\nA#2 = {}",
            "(Wrapped Int)?\nWrapped Int = integer",
            'U\nU = untagged\n  | "A" {"x"?: text?, "y": U}\n  | "B"',
            'S\nS = single field\n  | "A" {"x"?: text?, "y": S}\n  | "B" ()?\n  | "C"',
        ]:
            with self.subTest(text):
                schema = parse(text)
                self.assertEqual(schema.text, text)
                self.assertEqual(read(schema.bytes), schema)
                self.assertEqual(write(read(schema.bytes)), schema.bytes)

    def test_texts_that_are_none(self) -> None:
        for text in [
            "",
            "integr",
            "integer 0...5",
            "integer 00..5",
            "integer in 4 bytes",
            "integer 0.. in 4 bytes",
            "integer ..0 in 8 bytes",
            "integer 0..9 in 2 bytes",
            "integer 0..9 in 4 byte",
            "integer 0..9  in 4 bytes",
            "integer 0..9 in 04 bytes",
            "integer 5..",
            "float 33",
            "[text",
            "[text; 0 or more]",
            "map text",
            "text ?",
            "Missing",
            "text\nUnused = text",
            "A\nA = A",
            "A\nA = [A; 1 or more]",
            "A\nA = text\nA = unit",
            'A\nA = "x',
            'A\nA = "\\q"',
            'A\nA = "\\1114112"',
            "text\n",
            "B\nB = (A, C)\nC = unit\nA = text",
            "[" * 2000 + "text" + "]" * 2000,
            "integer 0.." + "9" * 5000,
        ]:
            if text == "integer 5..":
                continue
            with self.subTest(text[:60]), self.assertRaises(SchemaError):
                parse(text)

    def test_bytes_that_are_none(self) -> None:
        rng = random.Random(3)
        whole = parse('R\nR = {"a": [integer 0..255], "b"?: E?}\nE = "X" | "Y"').bytes
        for cut in range(len(whole)):
            with self.assertRaises(SchemaError):
                read(whole[:cut])
        with self.assertRaises(SchemaError):
            read(b"\x08\x00" * 5000 + b"\x00\x00")
        with self.assertRaises(SchemaError):
            read(whole + b"\0")
        for size in (0, 1, 2, 3, 5, 6, 7, 9, 16):
            with self.assertRaises(SchemaError):
                read(b"\x12" + bytes([2 * size]) + b"\0\2")
        for wrong in (Integer(None, 1, 4), Integer(0, None, 8), Integer(0, 9, 2)):
            with self.assertRaises(SchemaError):
                check(Schema(wrong))
        for _ in range(3000):
            damaged = bytearray(whole)
            for _ in range(rng.randint(1, 3)):
                damaged[rng.randrange(len(damaged))] = rng.randrange(256)
            try:
                schema = read(bytes(damaged))
            except SchemaError:
                continue
            self.assertEqual(write(schema), bytes(damaged))

    def test_names_that_are_too_much_text(self) -> None:
        name = "A" * 70000
        schema = Schema(Tuple((Declared(0),) * 300), (Definition(name, Single(Value(Boolean()))),))
        with self.assertRaises(SchemaError):
            read(write(schema))

    def test_the_example_of_the_page(self) -> None:
        page = (ROOT / "docs/spec/schema.md").read_text(encoding="utf-8")
        example = page.partition("## An example\n")[2].partition("\n## ")[0]
        schema = parse("\n".join(line[4:] for line in example.splitlines() if line.startswith("    ")))
        rows = [row.split("|")[1:3] for row in example.splitlines() if row.startswith("| ") and row.count("`") > 1]
        said = [(about.strip(), bytes.fromhex(hexes.strip(" `"))) for about, hexes in rows]
        self.assertEqual(b"".join(found for _, found in said[:-3]), schema.bytes)
        about, header = said[-3]
        self.assertIn(f"{schema.fingerprint:016x}", about)
        self.assertEqual(header, schema.fingerprint.to_bytes(8, "little"))
        for value, document in said[-2:]:
            self.assertEqual(Encoder(schema).encode(from_json(schema, json.loads(value.strip("`")))), document)

    def test_types_within_themselves(self) -> None:
        schema = parse("(A, C)\nA = [B]\nB = (A, text)\nC = [text]")
        self.assertEqual(schema.nested, (frozenset({0, 1}), frozenset({0, 1}), frozenset()))
