"""Damaged containers: what is whole comes back, what is lost is named, and no value is wrong."""

import io
import json
import os
import pathlib
import random
import unittest

from peer import said_of
from tern import Elements, Fault, Loss, Reader, Writer, parse, parts
from tern import compression
from tern.heads import HEAD, Head, read_head

SCHEMA = parse('Sighting\nSighting = {"species": text, "count": integer -100000..100000, "note"?: text?}')
VECTORS = sorted((pathlib.Path(__file__).resolve().parents[3] / "docs/spec/damaged").glob("*.json"))
VARIANTS = int(os.environ.get("TERN_DAMAGE", "25"))


def sightings(count, seed):
    rng = random.Random(seed)
    return [
        {"species": rng.choice(["tern", "auk", "gull"]), "count": n - 50, "note": rng.choice([None, "fog " * 9])}
        for n in range(count)
    ]


def container(values, level, mark=b"paradise"):
    out = io.BytesIO()
    writer = Writer(out, SCHEMA, block_bytes=300, level=level, mark=mark)
    writer.put_all(values)
    writer.finish()
    return out.getvalue()


def blocks(data, mark=b"paradise"):
    """Where blocks begin and end, and their heads."""
    at = data.find(mark, 40)
    while True:
        head = read_head(data[at : at + HEAD], mark)
        assert isinstance(head, Head)
        if head.is_end:
            return
        yield at, at + HEAD + head.stored, head
        at += HEAD + head.stored


def flip(data, rng, _):
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(120, len(data))
        data = data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1 :]
    return data


def cut_out(data, rng, _):
    at = rng.randrange(120, len(data))
    return data[:at] + data[at + rng.randint(1, 1500) :]


def insert_noise(data, rng, _):
    at = rng.randrange(120, len(data))
    return data[:at] + rng.randbytes(rng.randint(1, 900)) + data[at:]


def duplicate(data, rng, _):
    at, end = sorted(rng.randrange(120, len(data)) for _ in range(2))
    return data[:end] + data[at:end] + data[end:]


def duplicate_block_elsewhere(data, rng, found):
    start, end, _ = rng.choice(found)
    at = rng.choice(found)[0]
    return data[:at] + data[start:end] + data[at:]


def swap_blocks(data, rng, found):
    (a, b, _), (c, d, _) = sorted(rng.sample(found, 2), key=lambda one: one[0])
    return data[:a] + data[c:d] + data[b:c] + data[a:b] + data[d:]


def misdirect(data, rng, _):
    size = rng.choice([512, 1024])
    source = rng.randrange(120, len(data) - size)
    at = rng.randrange(120, len(data) - size)
    return data[:at] + data[source : source + size] + data[at + size :]


def zero_page(data, rng, _):
    at = rng.randrange(120, len(data))
    size = min(512, len(data) - at)
    return data[:at] + bytes(size) + data[at + size :]


def tear(data, rng, _):
    return data[: rng.randrange(120, len(data))]


def mix(data, rng, _):
    other = container(sightings(200, 5), None, mark=b"otherone")
    at = rng.randrange(120, len(data))
    start = rng.randrange(len(other) - 600)
    return data[:at] + other[start : start + 600] + data[at + 600 :]


def hurt_header(data, rng, _):
    at = rng.randrange(8, 117)
    return data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1 :]


def add_behind(data, rng, _):
    return data + rng.randbytes(rng.randint(1, 300))


KINDS = [
    flip,
    cut_out,
    insert_noise,
    duplicate,
    duplicate_block_elsewhere,
    swap_blocks,
    misdirect,
    zero_page,
    tear,
    mix,
    hurt_header,
    add_behind,
]
LEVELS = [None] if compression.compress is None else [None, 3]


class Damage(unittest.TestCase):
    def damaged(self, kind):
        values = sightings(400, 1)
        for level in LEVELS:
            data = container(values, level)
            found = list(blocks(data))
            self.assertGreater(len(found), 8)
            rng = random.Random(f"{kind.__name__} {level}")
            for _ in range(VARIANTS):
                yield values, data, found, kind(data, rng, found)

    def check(self, kind):
        for values, data, found, hurt in self.damaged(kind):
            findings = list(Reader(io.BytesIO(hurt), SCHEMA).findings())
            back = {}
            for finding in findings:
                if isinstance(finding, Elements):
                    for index, value in enumerate(finding.values, finding.first):
                        self.assertEqual(value, values[index], "a wrong value")
                        self.assertFalse(index in back, "an element twice")
                        back[index] = value
            self.assertEqual(list(back), sorted(back), "out of order")
            for start, end, head in found:
                if data[start:end] in hurt:
                    for index in range(head.first, head.first + head.count):
                        self.assertTrue(index in back, f"a whole block was lost: {head}")
            missing = len(values) - len(back)
            if missing:
                losses = [one for one in findings if isinstance(one, (Loss, Fault))]
                self.assertTrue(losses, "something was lost silently")
                named = [one.elements for one in losses if isinstance(one, Loss)]
                if None not in named and isinstance(findings[-1], Elements):
                    self.assertEqual(sum(named), missing)

    def test_a_block_refuses_what_is_behind_its_elements(self) -> None:
        out = io.BytesIO()
        writer = Writer(out, parse("integer 0..255"), mark=b"paradise")
        writer.put(1)
        writer._waiting += b"\2"
        writer.finish()
        findings = list(Reader(io.BytesIO(out.getvalue())).findings())
        self.assertEqual(findings[0], Elements(0, [1]))
        self.assertIsInstance(findings[1], Fault)

    def test_a_refused_element_is_lost_alone(self) -> None:
        wide, narrow = parse("(text, integer 0..70000)"), parse("(text, integer 0..70000)")
        out = io.BytesIO()
        writer = Writer(out, wide, mark=b"paradise")
        for n in range(100):
            writer.put((f"bird {n}", n))
        writer._waiting[1:2] = b"\xff"
        writer.finish()
        findings = list(Reader(io.BytesIO(out.getvalue()), narrow).findings())
        self.assertIsInstance(findings[0], Fault)
        self.assertIn("UTF-8", str(findings[0]))
        self.assertEqual(findings[1].first, 1)
        self.assertEqual(len(findings[1].values), 99)

    def test_an_unknown_constructor_is_lost_alone(self) -> None:
        old = parse('E\nE = tagged "tag" "contents"\n  | "A" text\n  | "B" (text, [text])\n  | "C"')
        new = parse('E\nE = tagged "tag" "contents"\n  | "A" text\n  | "C"')
        from tern import Variant

        out = io.BytesIO()
        writer = Writer(out, old)
        written = [Variant("B", ("x", ["y", "z"])) if n == 2 else Variant("A", str(n)) for n in range(100)]
        writer.put_all(written)
        writer.finish()
        findings = list(Reader(io.BytesIO(out.getvalue()), new).findings())
        self.assertEqual([type(one) for one in findings], [Elements, Fault, Elements])
        self.assertEqual(findings[1].element, 2)
        self.assertEqual(findings[0].values + findings[2].values, written[:2] + written[3:])

    def test_parts_of_a_damaged_file_are_those_of_the_whole(self) -> None:
        for values, _, _, hurt in self.damaged(flip):
            whole = [one for one in Reader(io.BytesIO(hurt), SCHEMA).findings() if isinstance(one, Elements)]
            for count in (2, 7):
                found = [
                    one
                    for part in parts(len(hurt), count)
                    for one in Reader(io.BytesIO(hurt), SCHEMA, part=part).findings()
                    if isinstance(one, Elements)
                ]
                self.assertEqual(found, whole)

    def test_the_vectors(self) -> None:
        """What every reader finds in the damaged containers of the specification."""
        self.assertGreater(len(VECTORS), 25)
        for path in VECTORS:
            with self.subTest(path.stem):
                vector = json.loads(path.read_text(encoding="utf-8"))
                if "by-Zstandard" in path.stem and compression.decompress is None:
                    continue
                schema = parse(vector["schema"])
                reader = Reader(io.BytesIO(bytes.fromhex(vector["container"])), schema)
                found = [said for one in reader.findings() for said in said_of(schema, one)]
                self.assertEqual(found, vector["found"])

    def test_blocks_in_any_order_are_all_there(self) -> None:
        values = sightings(400, 1)
        data = container(values, None)
        found = list(blocks(data))
        for seed in range(VARIANTS):
            rng = random.Random(seed)
            order = rng.sample(found, len(found)) if seed else found[::-1]
            pieces = [data[start:end] for start, end, _ in order]
            hurt = data[: found[0][0]] + b"".join(pieces) + data[found[-1][1] :]
            back = [one for one in Reader(io.BytesIO(hurt), SCHEMA).findings() if isinstance(one, Elements)]
            self.assertEqual([value for one in back for value in one.values], values)

    def test_a_header_that_is_gone_loses_nothing(self) -> None:
        values = sightings(100, 1)
        data = container(values, None)
        start = next(blocks(data))[0]
        for cut in (1, 8, 39, start):
            findings = list(Reader(io.BytesIO(data[cut:]), SCHEMA).findings())
            self.assertIsInstance(findings[0], Fault)
            back = [value for one in findings if isinstance(one, Elements) for value in one.values]
            self.assertEqual(back, values)

    def test_many_that_are_kept_back(self) -> None:
        """Blocks of a byte, none of which follows another one that came: their squares would take hours."""
        out = io.BytesIO()
        writer = Writer(out, parse("integer 0..255"), block_bytes=1, mark=b"paradise")
        writer.put_all([n % 256 for n in range(8000)])
        writer.finish()
        data = out.getvalue()
        start = data.find(b"paradise", 40)
        pieces = [data[at : at + 65] for at in range(start, len(data) - 64, 65)]
        hurt = data[:start] + b"".join(pieces[1::2] + pieces[::2]) + data[-64:]
        findings = Reader(io.BytesIO(hurt)).findings()
        self.assertEqual(sum(len(one.values) for one in findings if isinstance(one, Elements)), 8000)

    def test_memory_is_bounded_where_heads_claim_much(self) -> None:
        """Heads within each other, each of which is right and takes all the rest."""
        data = bytearray(container(sightings(4, 1), None))
        end = len(data)
        inner = b""
        for n in range(400):
            head = Head(0, 1, len(inner) + 1, len(inner) + 1, 9, 9, 9, 0)
            inner = head.write(b"paradise") + b"\1" + inner
        before = os.times().user
        findings = list(Reader(io.BytesIO(bytes(data[:end]) + inner), SCHEMA).findings())
        self.assertIsInstance(findings[0], Elements)
        self.assertLess(os.times().user - before, 20)


for _kind in KINDS:
    setattr(Damage, f"test_{_kind.__name__}", lambda self, kind=_kind: self.check(kind))
