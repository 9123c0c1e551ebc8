"""The vectors of the specification."""

import io
import json
import pathlib
import unittest

from tern import DecodeError, Decoder, Encoder, Reader, Writer, from_json, parse, parts, to_json
from tern.json_text import loads
from tern.schema_bytes import read as read_schema

VECTORS = sorted((pathlib.Path(__file__).resolve().parents[3] / "docs/spec/vectors").glob("*.json"))


class Vectors(unittest.TestCase):
    def test_there_are_some(self) -> None:
        self.assertGreater(len(VECTORS), 60)

    def each(self):
        for path in VECTORS:
            with self.subTest(path.stem):
                vector = loads(path.read_text())
                schema = parse(vector["schema"])
                yield vector, schema, [from_json(schema, one["json"]) for one in vector["values"]]

    def test_schemas(self) -> None:
        for vector, schema, _ in self.each():
            self.assertEqual(schema.text, vector["schema"])
            self.assertEqual(f"{schema.fingerprint:016x}", vector["fingerprintOfSchema"])
            self.assertEqual(schema.bytes.hex(), vector["schemaAsBytes"])
            self.assertEqual(read_schema(schema.bytes), schema)

    def test_documents(self) -> None:
        for vector, schema, values in self.each():
            encoder, decoder = Encoder(schema), Decoder(schema)
            for one, value in zip(vector["values"], values):
                document = bytes.fromhex(one["bytes"])
                self.assertEqual(encoder.encode(value).hex(), one["bytes"])
                self.assertEqual(decoder.decode(document), value)
                self.assertEqual(decoder.after(document + b"\0", 0), len(document))
                self.assertEqual(loads(to_json(schema, value)), one["json"])

    def test_what_is_refused(self) -> None:
        refused = 0
        for vector, schema, _ in self.each():
            decoder = Decoder(schema)
            for one in vector.get("refused") or []:
                with self.assertRaises(DecodeError, msg=one):
                    decoder.decode(bytes.fromhex(one))
                refused += 1
        self.assertGreater(refused, 60)

    def test_documents_cut_off(self) -> None:
        for vector, schema, _ in self.each():
            decoder = Decoder(schema)
            for one in vector["values"]:
                document = bytes.fromhex(one["bytes"])
                for cut in range(0, len(document), 1 + len(document) // 50):
                    with self.assertRaises(Exception) as caught:
                        decoder.decode(document[:cut])
                    self.assertEqual(type(caught.exception).__name__, "DecodeError")

    def test_containers(self) -> None:
        for vector, schema, values in self.each():
            container = bytes.fromhex(vector["container"])
            self.assertEqual(list(Reader(io.BytesIO(container))), values)
            out = io.BytesIO()
            writer = Writer(out, schema, block_bytes=8, mark=bytes(range(1, 9)))
            writer.put_all(values)
            writer.finish()
            self.assertEqual(out.getvalue().hex(), vector["container"])

    def test_parts_have_each_element_once(self) -> None:
        for vector, schema, values in self.each():
            container = bytes.fromhex(vector["container"])
            for count in (1, 2, 5, 31):
                found = [
                    value
                    for part in parts(len(container), count)
                    for value in Reader(io.BytesIO(container), part=part)
                ]
                self.assertEqual(found, values)
