"""Older and newer versions of a type: the rules of docs/spec/evolution.md by their numbers."""

import unittest

from tern import Changes, DecodeError, Decoder, Encoder, MismatchError, Some, Variant, parse


def crossed(old, new, value, **changes):
    """A value of the old schema as the new one reads it."""
    writer = parse(old)
    return Decoder(parse(new), writer=writer, changes=Changes(**changes)).decode(Encoder(writer).encode(value))


class Evolution(unittest.TestCase):
    def mismatch(self, old, new, reason="", **changes):
        with self.assertRaises(MismatchError) as caught:
            Decoder(parse(new), writer=parse(old), changes=Changes(**changes))
        self.assertIn(reason, str(caught.exception))
        return caught.exception.mismatches

    def test_4_the_same_kind(self) -> None:
        for one in ("boolean", "text", "character", "unit", "anything"):
            self.assertEqual(self.mismatch(one, "boolean" if one != "boolean" else "text")[0].writer, ())

    def test_5_integers(self) -> None:
        self.assertEqual(crossed("integer 0..255", "integer -32768..32767", 200), 200)
        self.assertEqual(crossed("integer 0..255", "integer", 200), 200)
        self.assertEqual(crossed("integer 0..65535", "integer 0..", 65535), 65535)
        self.mismatch("integer -1..5", "integer 0..", "does not hold")
        self.mismatch("integer 0..256", "integer 0..255")
        self.mismatch("integer", "integer 0..")
        self.assertIsInstance(crossed("integer 0..255", "float 64", 7), float)
        self.assertEqual(crossed("integer -16777216..16777216", "float 32", 16777216), 16777216.0)
        self.mismatch("integer 0..9007199254740993", "float 64")
        self.mismatch("integer 0..16777217", "float 32")
        self.assertEqual(crossed("float 32", "float 64", 0.5), 0.5)
        self.mismatch("float 64", "float 32")
        words = "integer 0..4294967295"
        for one in (words, f"{words} in 4 bytes", f"{words} in 8 bytes"):
            for other in (words, f"{words} in 4 bytes", f"{words} in 8 bytes", "integer", "float 64"):
                self.assertEqual(crossed(one, other, 4294967295), 4294967295)
        self.mismatch("integer -1..5 in 4 bytes", "integer 0..5 in 4 bytes", "does not hold")
        self.mismatch("integer 0..6 in 8 bytes", "integer 0..5", "integer 0..6 in 8 bytes")
        self.mismatch(f"{words} in 4 bytes", "float 32")

    def test_6_optional(self) -> None:
        self.assertEqual(crossed("text", "text?", "x"), "x")
        self.assertEqual(crossed("text", "text??", "x"), Some("x"))
        self.assertEqual(crossed("(integer 0..255)?", "integer?", 4), 4)
        self.mismatch("text?", "text")

    def test_7_lists(self) -> None:
        self.assertEqual(crossed("[integer 0..255]", "[integer]", [1, 2]), [1, 2])
        with self.assertRaises(DecodeError):
            crossed("[text]", "[text; 2 or more]", ["a"])

    def test_8_maps(self) -> None:
        self.assertEqual(crossed("map (integer 0..255) text", "map integer text?", {1: "a"}), {1: "a"})
        key = 'map K unit\nK = {"a": text, "b": text}'
        self.mismatch(key, 'map K unit\nK = {"b": text, "a": text}', "key")
        self.mismatch(key, 'map K unit\nK = {"a": text}', "key")
        self.mismatch('map K unit\nK = "A" | "B"', 'map K unit\nK = "B" | "A"', "key")

    def test_9_tuples(self) -> None:
        self.mismatch("(text, text)", "(text, text, text)")
        self.assertEqual(crossed("(text, integer 0..1)", "(text?, integer)", ("a", 1)), ("a", 1))

    def test_10_names(self) -> None:
        self.assertEqual(crossed("A Int\nA Int = (integer 0..9, text)", "A\nA = (integer, text)", (1, "x")), (1, "x"))
        self.mismatch("A\nA = (text, text)", "B\nB = (text, text)", "give the old name as an alias")
        self.assertEqual(
            crossed("A\nA = (text, text)", "B\nB = (text, text)", ("a", "b"), types={"B": ("A",)}), ("a", "b")
        )

    def test_11_a_type_around_another(self) -> None:
        self.assertEqual(crossed("text", "N\nN = text", "x"), "x")
        self.assertEqual(crossed("N\nN = text", "text", "x"), "x")
        self.assertEqual(crossed("text", 'N\nN = {"un": text}', "x"), {"un": "x"})
        self.assertEqual(crossed("N\nN = A\nA = (text, text)", "A\nA = (text, text)", ("a", "b")), ("a", "b"))
        self.assertEqual(crossed("A\nA = (text, text)", "N\nN = A\nA = (text, text)", ("a", "b")), ("a", "b"))
        self.assertEqual(crossed("N\nN = text?", "text?", None), None)
        self.assertEqual(crossed("N\nN = text", "text?", "x"), "x")

    def test_13_and_14_fields(self) -> None:
        old = 'R\nR = {"species": text, "number": integer 0..65535, "remark": [text]}'
        new = f'R\nR = {{"observer": text, "count": integer, "species": text, "ring"?: text?}}'
        value = {"species": "tern", "number": 2, "remark": ["a", "bc"]}
        self.assertEqual(
            crossed(old, new, value, fields={"R.count": ("number",)}, defaults={"R.observer": "unknown"}),
            {"observer": "unknown", "count": 2, "species": "tern", "ring": None},
        )
        self.mismatch(old, new, "no such field", fields={"R.count": ("number",)})
        # An alias that is another field's own name does not count.
        self.mismatch(
            'R\nR = {"a": text}', 'R\nR = {"a": text, "b": text}', "no such field", fields={"R.b": ("a",)}
        )
        self.assertEqual(crossed('R\nR = {"a": text, "b": unit}', "R\nR = (text, unit)", {"a": "x", "b": ()}), ("x", ()))
        self.mismatch('R\nR = {"a": text, "b": unit}', "R\nR = (text, unit, unit)")

    def test_15_constructors(self) -> None:
        old = 'E\nE = "A" | "B"'
        self.assertEqual(crossed(old, 'E\nE = "C" | "B" | "A"', "A"), "A")
        self.assertEqual(crossed(old, 'E\nE = "X" | "B"', "A", constructors={"E.X": ("A",)}), "X")
        self.mismatch("E\nE = (text, text)", 'E\nE = single field\n  | "A" (text, text)\n  | "B"', "sole")
        self.assertEqual(
            crossed(
                "E\nE = (text, text)",
                'E\nE = single field\n  | "B"\n  | "A" (text, text)',
                ("a", "b"),
                sole={"E": "A"},
            ),
            Variant("A", ("a", "b")),
        )

    def test_16_unknown_constructors(self) -> None:
        with self.assertRaises(DecodeError) as caught:
            crossed('E\nE = "A" | "B"', 'E\nE = "A" | "C"', "B")
        self.assertIn("'B'", str(caught.exception))
        self.assertFalse(caught.exception.loses_place)
        self.mismatch('E\nE = "A" | "B"', 'E\nE = "C" | "D"', "no constructor")

    def test_recursive_types(self) -> None:
        old = 'T\nT = tagged "tag" "contents"\n  | "Leaf"\n  | "Fork" (T, integer 0..255, T)'
        new = 'T\nT = tagged "tag" "contents"\n  | "Fork" (T, integer, T)\n  | "Leaf"'
        tree = Variant("Fork", (Variant("Leaf"), 3, Variant("Fork", (Variant("Leaf"), 4, Variant("Leaf")))))
        self.assertEqual(crossed(old, new, tree), tree)

    def test_all_mismatches_are_told(self) -> None:
        found = self.mismatch(
            'R\nR = {"a": text, "b": [integer], "c": unit}', 'R\nR = {"a": boolean, "b": [integer 0..1], "d": text}'
        )
        self.assertTrue(found)
        found = self.mismatch('R\nR = {"a": text, "b": [integer]}', 'R\nR = {"a": boolean, "b": [integer 0..1]}')
        self.assertEqual([one.writer for one in found], [("a",), ("b", 0)])
