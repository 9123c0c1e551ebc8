"""Documents: each value has one spelling, and hostile ones cost no more than their bytes."""

import importlib.util
import json
import pathlib
import random
import struct
import time
import tracemalloc
import unittest

import anyvalues
from tern import DecodeError, Decoder, EncodeError, Encoder, Json, Some, Variant, parse, to_json
from tern.schema import Schema

VECTORS = sorted((pathlib.Path(__file__).resolve().parents[3] / "docs/spec/vectors").glob("*.json"))
INT = "integer -9223372036854775808..9223372036854775807"
TREE = 'Tree\nTree = tagged "tag" "contents"\n  | "Leaf"\n  | "Fork" (Tree, integer 0..255, Tree)'


def schemas() -> list[Schema]:
    return [parse(json.loads(path.read_text())["schema"]) for path in VECTORS] + [
        parse(text)
        for text in [
            "text??",
            f"map (integer, text?) [({INT})?]",
            "map [text] unit",
            "[(character, float 32); 2 or more]",
            'map Key boolean\nKey = {"a": text, "b": integer}',
            'S\nS = single field\n  | "A" text\n  | "B" {"x"?: text?}',
            'S\nS = two elements\n  | "A" text\n  | "B"',
            "(map text anything)?",
            "set K\nK = {\"a\": integer 0..255}",
            "set (text \"made up\" as (integer 0..255))",
            "set (float 64)",
        ]
    ]


class Documents(unittest.TestCase):
    def test_random_values_come_back(self) -> None:
        rng = random.Random(7)
        for schema in schemas():
            encoder, decoder = Encoder(schema), Decoder(schema)
            for _ in range(150):
                value = anyvalues.value(schema, rng)
                document = encoder.encode(value)
                back = decoder.decode(document)
                self.assertEqual(encoder.encode(back), document)
                self.assertEqual(decoder.after(document, 0), len(document))
                shown = json.loads(to_json(schema, back))
                if "map" not in schema.text and "set (text" not in schema.text and "set K" not in schema.text:
                    self.assertEqual(back, value)
                    self.assertEqual(json.loads(to_json(schema, value)), shown)

    def test_what_is_read_is_what_would_be_written(self) -> None:
        """Random bytes: either refused, or the one spelling of what they are."""
        rng = random.Random(8)
        read = 0
        for schema in schemas():
            if "map Key" in schema.text or "set K" in schema.text or "made up" in schema.text:
                continue  # The order of a declared type is not said by its schema.
            encoder, decoder = Encoder(schema), Decoder(schema)
            for _ in range(400):
                noise = rng.randbytes(rng.randrange(1, 12))
                if rng.random() < 0.7:
                    whole = bytearray(encoder.encode(anyvalues.value(schema, rng, size=4)))
                    whole[rng.randrange(len(whole))] = rng.choice([0, 1, 0x80, 0xFF, rng.randrange(256)])
                    noise = bytes(whole)
                try:
                    value = decoder.decode(noise)
                except DecodeError as error:
                    self.assertLessEqual(error.offset, len(noise))
                    continue
                read += 1
                self.assertEqual(encoder.encode(value), noise, schema.text)
        self.assertGreater(read, 1000)

    def refused(self, schema: str, document: str, reason: str) -> DecodeError:
        with self.assertRaises(DecodeError) as caught:
            Decoder(parse(schema)).decode(bytes.fromhex(document))
        self.assertIn(reason, str(caught.exception))
        return caught.exception

    def test_the_specifications_own_complaints(self) -> None:
        self.refused(INT, "80 05", "byte 0, at $: the number is not written in as few bytes")
        self.refused("integer -2147483648..2147483647", "f1 00 00 00 00", "byte 0, at $: the number 2147483648 is not in")
        self.refused("text", "02 c3 28", "byte 1, at $: these bytes are not UTF-8")
        self.refused(f"({INT})?", "02", "byte 0, at $: the type has no constructor 2, only 0 to 1")
        self.refused("[integer 0..255]", "ff" * 9, "a chunk has at most 4096")
        self.refused("[integer 0..255]", "8f ff 01", "byte 0, at $: claims 4095 bytes or values, but only 1")
        self.refused("map character boolean", "02 62 00 61 01", "byte 3, at $[1]: the key is not above the one before it")
        self.refused(INT, "02 00", "byte 1, at $: something follows the value")

    def test_other_spellings_are_refused(self) -> None:
        self.refused("integer", "ff 08 00 00 00 00 00 00 00 00", "as few bytes")
        self.refused("integer", "ff 01 05", "as few bytes")
        self.refused("character", "e1 10 00 00", "code point")
        self.refused("unit", "01", "no constructor 1")
        self.refused("boolean", "02", "no constructor 2")
        self.refused("anything", "04 6e 75 6c 6b", "not a JSON text")
        self.refused("anything", "03 4e 61 4e", "not a JSON text")
        self.refused("[text; 2 or more]", "01 00", "expected 2 elements or more")
        self.refused("map (float 64) unit", "02" + "00" * 8 + "00" + "00" * 7 + "80" + "00", "not above")

    def test_integers_of_a_fixed_size(self) -> None:
        for text, number, spelled in [
            ("integer 0..4294967295 in 4 bytes", 258, "02 01 00 00"),
            ("integer -2147483648..2147483647 in 4 bytes", -2, "fe ff ff ff"),
            ("integer 0..18446744073709551615 in 8 bytes", (1 << 64) - 1, "ff" * 8),
            (f"{INT} in 8 bytes", -(1 << 63), "00" * 7 + "80"),
            ("integer 0..9 in 8 bytes", 9, "09" + "00" * 7),
        ]:
            schema = parse(text)
            self.assertEqual(Encoder(schema).encode(number), bytes.fromhex(spelled))
            self.assertEqual(Decoder(schema).decode(bytes.fromhex(spelled)), number)
            for cut in range(len(bytes.fromhex(spelled))):
                self.refused(text, bytes.fromhex(spelled)[:cut].hex(), f"byte {cut}, at $: the input ends here")
            for length in (0, 1, 4095, 4096, 4097):
                row = Encoder(parse(f"[{text}]")).encode([number] * length)
                self.assertEqual(Decoder(parse(f"[{text}]")).decode(row), [number] * length)
                self.assertEqual(Decoder(parse(f"[{text}]")).after(row, 0), len(row))
        self.refused("integer 0..9 in 4 bytes", "0a 00 00 00", "byte 0, at $: the number 10 is not in 0..9")
        self.refused("integer -5..9 in 8 bytes", "fa" + "ff" * 7, "the number -6 is not in -5..9")
        self.refused("[integer 0..9 in 4 bytes]", "02 09 00 00 00 0a 00 00 00", "byte 5, at $[1]")
        self.refused(f"[{INT} in 8 bytes]", "02" + "00" * 12, "the input ends here")
        self.refused(f"set ({INT} in 8 bytes)", "02" + "00" * 8 + "ff" * 8, "not above")
        for number in (-1, 1 << 32, 1 << 64):
            with self.assertRaises(EncodeError):
                Encoder(parse("integer 0..4294967295 in 4 bytes")).encode(number)
            with self.assertRaises(EncodeError):
                Encoder(parse("integer 0..99999999999999999999999999 in 4 bytes")).encode((1 << 64) + abs(number))

    def test_keys_whose_order_is_not_known(self) -> None:
        """A declared type may have an order of its own; no key is there twice all the same."""
        schema = 'map K unit\nK = {"a": integer 0..255}'
        found = Decoder(parse(schema)).decode(bytes.fromhex("03 03 00 02 00 01 00"))
        self.assertEqual([key["a"] for key, _ in found], [3, 2, 1])
        self.refused(schema, "03 03 00 02 00 03 00", "byte 5, at $[2]: the key was there before")
        self.refused("map K unit\nK = integer 0..255", "03 03 00 02 00 03 00", "the key was there before")

    def test_paths(self) -> None:
        error = self.refused('R\nR = {"a": [(text, E)]}\nE = "X" | "Y"', "02 00 00 00 07", "constructor 7")
        self.assertEqual((error.offset, error.path), (4, ("a", 1, 1)))

    def test_what_a_list_claims_is_not_allocated(self) -> None:
        deep = bytes.fromhex("8f ff") * 4
        for schema in ("[[[[integer]]]]", "[[[[text]]]]", "text", "map text [unit]", "integer"):
            for document in (deep, b"\xff\xf0" + b"\xff" * 7, b"\xff\xfe" + b"\xff" * 7):
                tracemalloc.start()
                with self.assertRaises(DecodeError):
                    Decoder(parse(schema)).decode(document)
                peak = tracemalloc.get_traced_memory()[1]
                tracemalloc.stop()
                self.assertLess(peak, 400_000, schema)

    def test_depth_is_bounded_and_reaches_its_bound(self) -> None:
        schema = parse(TREE)
        decoder = Decoder(schema)

        def nested(levels: int) -> bytes:
            return b"\1" * levels + b"\0" + b"\7\0" * levels

        value = decoder.decode(nested(511))
        self.assertEqual(Encoder(schema).encode(value), nested(511))
        self.assertTrue(to_json(schema, value).startswith('{"tag":"Fork"'))
        with self.assertRaises(DecodeError) as caught:
            decoder.decode(nested(512))
        self.assertEqual(caught.exception.offset, 512)
        self.assertFalse(caught.exception.loses_place)
        self.assertEqual(decoder.after(nested(100_000), 0), 300_001)
        with self.assertRaises(EncodeError):
            too_deep = Variant("Leaf")
            for _ in range(600):
                too_deep = Variant("Fork", (too_deep, 1, Variant("Leaf")))
            Encoder(schema).encode(too_deep)

    def test_deep_lists(self) -> None:
        schema = parse("Rose\nRose = [Rose]")
        self.assertEqual(Decoder(schema).decode(b"\1\1\0"), [[[]]])
        with self.assertRaises(DecodeError):
            Decoder(schema).decode(b"\1" * 5000 + b"\0")

    def test_values_that_do_not_fit(self) -> None:
        for text, value in [
            ("integer 0..255", 256),
            ("integer 0..255", True),
            ("integer 0..255", 1.0),
            ("boolean", 1),
            ("text", "\ud800"),
            ("text", b"x"),
            ("character", "ab"),
            ("float 32", 0.1),
            ("float 32", 1e300),
            ("(text, text)", ("a",)),
            ("[text]", "ab"),
            ("[text; 1 or more]", []),
            ('E\nE = "A" | "B"', "C"),
            ('R\nR = {"a": text}', {}),
            ('R\nR = {"a": text}', {"a": "", "b": ""}),
            ("map (float 64) unit", [(float("nan"), ()), (1.0, ())]),
            ("text??", "a"),
            (TREE, Variant("Bush")),
        ]:
            with self.subTest(text, value=value), self.assertRaises(EncodeError):
                Encoder(parse(text)).encode(value)

    def test_what_failed_leaves_nothing(self) -> None:
        out = bytearray(b"before")
        with self.assertRaises(EncodeError) as caught:
            Encoder(parse('[R]\nR = {"a": text, "b": boolean}')).encode_into(
                out, [{"a": "x", "b": True}, {"a": "y", "b": None}]
            )
        self.assertEqual(out, b"before")
        self.assertEqual(caught.exception.path, (1, "b"))

    def test_optional_values_within_optional_ones(self) -> None:
        schema = parse("text??")
        for value, document in [(None, "00"), (Some(None), "0100"), (Some("a"), "01010161")]:
            self.assertEqual(Encoder(schema).encode(value).hex(), document)
            self.assertEqual(Decoder(schema).decode(bytes.fromhex(document)), value)

    def test_every_nan_comes_back(self) -> None:
        for schema, bits in [("float 32", "0100807f"), ("float 32", "0000c0ff"), ("float 64", "010000000000f07f")]:
            document = bytes.fromhex(bits)
            self.assertEqual(Encoder(parse(schema)).encode(Decoder(parse(schema)).decode(document)), document)

    def test_halves_of_surrogate_pairs_are_no_characters(self) -> None:
        self.refused("character", "c0 d8 00", "code point")
        with self.assertRaises(EncodeError):
            Encoder(parse("character")).encode("\ud800")

    def test_json_texts_keep_their_spelling(self) -> None:
        text = '{"a": 1.50}'
        document = Encoder(parse("anything")).encode(Json(text))
        self.assertEqual(Decoder(parse("anything")).decode(document).text, text)
        self.assertEqual(Json(text).load(), {"a": 1.5})

    def test_large_integers_are_shown(self) -> None:
        number = 10**6000
        schema = parse("integer")
        self.assertEqual(Decoder(schema).decode(Encoder(schema).encode(number)), number)
        self.assertEqual(to_json(schema, number), "1" + "0" * 6000)

    def test_reals_are_shown_as_they_are_read(self) -> None:
        rng = random.Random(4)
        for _ in range(3000):
            raw = rng.randbytes(8)
            number = struct.unpack("<d", raw)[0]
            single = struct.unpack("<f", raw[:4])[0]
            if number == number and abs(number) != float("inf"):
                self.assertEqual(float(to_json(parse("float 64"), number)), number)
            if single == single and abs(single) != float("inf"):
                shown = to_json(parse("float 32"), single)
                self.assertEqual(struct.pack("<f", float(shown)), raw[:4])

    @unittest.skipUnless(importlib.util.find_spec("numpy"), "numpy is not installed")
    def test_lists_of_numbers_as_arrays(self) -> None:
        import numpy

        rng = random.Random(6)
        for text, name in [
            ("float 64", "float64"),
            ("float 32", "float32"),
            ("boolean", "bool"),
            ("integer 0..255", "uint8"),
            ("integer -32768..32767", "int16"),
            (INT, "int64"),
            (f"{INT} in 8 bytes", "int64"),
            ("integer 0..4294967295 in 4 bytes", "uint32"),
            ("integer 0..18446744073709551615", "uint64"),
        ]:
            schema = parse(f"[{text}]")
            values = [anyvalues.value(parse(text), rng) for _ in range(9000)]
            document = Encoder(schema).encode(values)
            found = Decoder(schema, arrays=True).decode(document)
            self.assertEqual(str(found.dtype), name)
            self.assertTrue(numpy.array_equal(found, numpy.array(values, dtype=name)))
            self.assertEqual(Encoder(schema).encode(found), document)
        self.assertEqual(Decoder(parse("[integer]"), arrays=True).decode(b"\x01\x02"), [1])

    def test_stepping_over_is_linear(self) -> None:
        schema = parse("[[text]]")
        document = Encoder(schema).encode([["x"] * 4095] * 400)
        start = time.process_time()
        self.assertEqual(Decoder(schema).after(document, 0), len(document))
        self.assertLess(time.process_time() - start, 60)
