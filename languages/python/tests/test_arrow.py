"""Tables against a slow model of them, by values of any schema; and tables into containers and back."""

import datetime
import decimal
import importlib.util
import pathlib
import random
import tempfile
import unittest
import uuid

import anyvalues
from test_peers import SCHEMAS
from tern import Json, Native, Some, Variant, parse, read, to_json, writing
from tern.errors import ContainerError
from tern.formats import of as format_of
from tern.schema import (
    Alternatives,
    Bytes,
    Declared,
    Expression,
    Fields,
    Formatted,
    Integer,
    List,
    Map,
    Nothing,
    Optional,
    Schema,
    Set,
    Single,
    Tuple,
    Unit,
    Value,
    Values,
    body_shapes,
)

ABSENT = [name for name in ("pyarrow", "tern_arrow") if importlib.util.find_spec(name) is None]
MORE = [
    "R\nR = {\"a\": integer 0..9, \"b\": text??, \"c\": set [text], \"d\": map text? (integer 0..300), \"e\": ()}",
    'R\nR = {"one": One, "two": (unit?, anything), "n": N}\nOne = single field\n  | "Alone" {"x": float 64}\nN = M\nM = text?',
    'E\nE = tagged "tag" "contents"\n  | "constructor" text\n  | "B" {}\n  | "C" E2?\nE2 = ()',
    'number "fixed-1" as integer',
]


def within_itself(schema: Schema, number: int) -> bool:
    seen: set[int] = set()
    waiting = [number]
    while waiting:
        for shape in inside(schema, Declared(waiting.pop())):
            if isinstance(shape, Declared):
                if shape.number == number:
                    return True
                if shape.number not in seen:
                    seen.add(shape.number)
                    waiting.append(shape.number)
    return False


def inside(schema: Schema, shape: Expression) -> list[Expression]:
    """All shapes that a shape is made of, down to declared types; of such a type, those of its bodies."""
    if isinstance(shape, Declared):
        match schema.definitions[shape.number].form:
            case Single(body):
                found = list(body_shapes(body))
            case Alternatives(_, all):
                found = [one for each in all for one in body_shapes(each.body)]
            case _:
                found = []
    else:
        found = [one for one in vars_of(shape) if not isinstance(one, (int, str, type(None)))]
    out = []
    for one in found:
        out.append(one)
        if not isinstance(one, Declared):
            out += inside(schema, one)
    return out


def vars_of(shape: Expression) -> list[object]:
    found: list[object] = []
    for name in shape.__slots__:
        one = getattr(shape, name)
        found += one if isinstance(one, (tuple, list)) else [one]
    return found


def seen(schema: Schema, shape: Expression) -> Expression:
    """What a column is of, through types of one field."""
    while True:
        match shape:
            case Declared(number) if not within_itself(schema, number):
                match schema.definitions[number].form:
                    case Single(Value(one)):
                        shape = one
                        continue
            case Formatted(_, _, native) if format_of(shape) is None:
                shape = native
                continue
        return shape


def is_beyond(value: object) -> bool:
    """Is there a value that Python's own types do not hold?"""
    match value:
        case Native():
            return True
        case Some(one) | Variant(_, one):
            return is_beyond(one)
        case dict():
            return any(is_beyond(one) for pair in value.items() for one in pair)
        case list() | tuple() | frozenset():
            return any(map(is_beyond, value))
    return False


class Model:
    """Is a cell what a value should become?"""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema

    def refuses(self, shape: Expression, value: object) -> bool:
        """Some integers have more digits than a column."""
        match seen(self.schema, shape):
            case Integer():
                return abs(value) >= 10**38
            case Formatted(_, name, _) if name.startswith("fixed-1") and set(name[7:]) <= {"0"}:
                return abs(value) * int(name[6:]) >= 10**38
            case Optional(one):
                return value is not None and self.refuses(one, value.value if isinstance(value, Some) else value)
            case List(one) | Set(one):
                return any(self.refuses(one, each) for each in value)
            case Map(key, one):
                pairs = value.items() if isinstance(value, dict) else value
                return any(self.refuses(key, k) or self.refuses(one, v) for k, v in pairs)
            case Tuple(all):
                return any(map(self.refuses, all, value))
            case Declared(number):
                return not within_itself(self.schema, number) and self.refuses_one(number, value)
        return False

    def refuses_one(self, number: int, value: object) -> bool:
        match self.schema.definitions[number].form:
            case Single(body):
                pass
            case Alternatives(_, all):
                body = next(one.body for one in all if one.name == value.name)
                value = value.value
            case _:
                return False
        match body:
            case Value(one):
                return self.refuses(one, value)
            case Values(shapes):
                return any(map(self.refuses, shapes, value))
            case Fields(fields):
                return any(self.refuses(one.shape, value[one.name]) for one in fields)
        return False

    def json(self, shape: Expression, value: object) -> str:
        return to_json(Schema(shape, self.schema.definitions), value)

    def body(self, body: object, value: object, cell: object) -> bool:
        match body:
            case Value(one):
                return self.same(one, value, cell)
            case Values(all):
                return self.record([(f"_{n + 1}", one, each) for n, (one, each) in enumerate(zip(all, value))], cell)
            case Fields(all):
                return self.record([(one.name, one.shape, value[one.name]) for one in all], cell)
        return cell is None

    def record(self, parts: list, cell: object) -> bool:
        cells = cell if isinstance(cell, dict) else {}
        good = [self.same(shape, value, cells.get(name)) for name, shape, value in parts]
        return all(good) and cells.keys() == {name for name, _, _ in parts}

    def every(self, shape: Expression, values: list, cell: object) -> bool:
        cells = cell if isinstance(cell, list) else [None] * len(values)
        good = [self.same(shape, value, one) for value, one in zip(values, cells)]
        return all(good) and len(values) == len(cells)

    def same(self, shape: Expression, value: object, cell: object) -> bool:
        shape = seen(self.schema, shape)
        match shape:
            case Integer():
                return cell == value
            case Unit():
                return cell is None
            case Optional(one):
                if value is None:
                    return cell is None
                value = value.value if isinstance(value, Some) else value
                within = seen(self.schema, one)
                nothing = isinstance(within, Declared) and self.nothing(within)
                if isinstance(within, (Optional, Unit)) or nothing:
                    return isinstance(cell, dict) and self.same(one, value, cell["value"])
                return self.same(one, value, cell)
            case List(one, _):
                return self.every(one, list(value), cell)
            case Set(one):
                # In which order is known of the cells alone.
                cells = list(cell) if isinstance(cell, list) else [None] * len(value)
                for each in value:
                    found = next((n for n, other in enumerate(cells) if self.same(one, each, other)), None)
                    if found is None:
                        return False
                    del cells[found]
                return not cells
            case Map(key, one):
                pairs = list(value.items()) if isinstance(value, dict) else value
                cells = [tuple(each.values()) if isinstance(each, dict) else each for each in cell or []]
                cells = cells or [(None, None)] * len(pairs)
                for k, v in pairs:
                    found = next((n for n, each in enumerate(cells) if self.same(key, k, each[0])), None)
                    if found is None or not self.same(one, v, cells.pop(found)[1]):
                        return False
                return not cells
            case Tuple(all):
                if not all:
                    return cell == {}
                return self.record([(f"_{n + 1}", one, each) for n, (one, each) in enumerate(zip(all, value))], cell)
            case Declared(number):
                if within_itself(self.schema, number):
                    return cell == self.json(shape, value)
                return self.declared(number, value, cell)
            case Formatted(notation, name, native):
                return self.formatted(shape, name, value, cell)
        return cell == (value.text if isinstance(value, Json) else value)

    def nothing(self, shape: Declared) -> bool:
        match self.schema.definitions[shape.number].form:
            case Single(body):
                return isinstance(body, Nothing) or not body_shapes(body)
        return False

    def declared(self, number: int, value: object, cell: object) -> bool:
        match self.schema.definitions[number].form:
            case Single(body):
                return self.body(body, value, cell)
            case Alternatives(_, all):
                cells = cell if isinstance(cell, dict) else {}
                tag = "constructor" if "constructor" not in [one.name for one in all] else "constructor_"
                good = cells.get(tag) == value.name
                for one in all:
                    if one.name == value.name:
                        good &= self.body(one.body, value.value, cells.get(one.name))
                    else:
                        good &= cells.get(one.name) is None
                return good
        return cell == value

    def formatted(self, shape: Expression, name: str, value: object, cell: object) -> bool:
        said = self.json(shape, value)
        match value:
            case bytes() | datetime.date() if name not in ("date-time",):
                return cell == value
            case uuid.UUID():
                return cell == str(value)
            case datetime.datetime() if value.utcoffset() == datetime.timedelta(0) and cell != parse_json(said):
                return cell == value
        if name == "system-time":
            seconds, nanos = value
            return cell == datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc) + datetime.timedelta(
                seconds=seconds, microseconds=nanos // 1000
            )
        if isinstance(cell, decimal.Decimal):
            return cell == decimal.Decimal(said)
        return cell == parse_json(said)


def parse_json(text: str) -> str:
    """A string of JSON, or the text of a number."""
    import json

    return str(json.loads(text)) if text.startswith('"') else text


@unittest.skipIf(ABSENT, f"without {' and '.join(ABSENT)}")
class Tables(unittest.TestCase):
    def each(self, check) -> None:
        for text in SCHEMAS + MORE:
            schema = parse(text.replace("number \"system-time\"", "number \"of a system\""))
            rng = random.Random(2)
            values = [anyvalues.value(schema, rng) for _ in range(900)]
            values = [one for one in values if not is_beyond(one)][:400]
            with self.subTest(text), tempfile.TemporaryDirectory() as folder:
                self.assertGreater(len(values), 20)
                check(schema, values, pathlib.Path(folder) / "it.tern")

    def test_columns_are_those_of_the_model(self) -> None:
        from tern.arrow import Batches

        def check(schema: Schema, values: list, path: pathlib.Path) -> None:
            with writing(path, schema, level=3) as writer:
                writer.put_all(values)
            batches = Batches(path, skip_damage=True, rows=37)
            cells = []
            for batch in batches:
                batch.validate(full=True)
                self.assertLessEqual(batch.num_rows, 37)
                cells += batch.to_pylist()
            model = Model(schema)
            kept = [one for one in values if not model.refuses(schema.root, one)]
            self.assertEqual(len(batches.wrong), len(values) - len(kept))
            self.assertEqual(len(cells), len(kept))
            for value, cell in zip(kept, cells):
                if batches.schema.names == ["value"]:
                    cell = cell["value"]
                self.assertTrue(model.same(schema.root, value, cell), f"{value!r} became {cell!r}")

        self.each(check)

    def test_tables_come_back(self) -> None:
        from tern.arrow import from_arrow, to_arrow

        def check(schema: Schema, values: list, path: pathlib.Path) -> None:
            with writing(path, schema) as writer:
                writer.put_all(values)
            table = to_arrow(path, skip_damage=True)
            again = path.with_name("again.tern")
            if "anything" in schema.text or any(map(lambda n: within_itself(schema, n), range(len(schema.definitions)))):
                with self.assertRaisesRegex(ContainerError, "read and not written"):
                    from_arrow(table, again, schema=schema)
                self.assertEqual(list(path.parent.iterdir()), [path])
                return
            from_arrow(table, again, schema=schema, level=3)
            self.assertTrue(to_arrow(again).equals(table))
            model = Model(schema)
            self.assertEqual(list(read(again)), [one for one in read(path) if not model.refuses(schema.root, one)])

        self.each(check)

    def test_fields_are_chosen_and_parts_read_once(self) -> None:
        import pyarrow as pa
        from tern import parts
        from tern.arrow import Batches, to_arrow

        def check(schema: Schema, values: list, path: pathlib.Path) -> None:
            with writing(path, schema, block_bytes=200) as writer:
                writer.put_all(values)
            table = to_arrow(path, skip_damage=True)
            for name in table.schema.names:
                chosen = to_arrow(path, columns=[name], skip_damage=True)
                if chosen.num_rows == table.num_rows:
                    self.assertTrue(chosen.equals(table.select([name])))
                else:
                    # What is refused in a field that nobody asked for is not looked at.
                    self.assertGreater(chosen.num_rows, table.num_rows)
            self.assertEqual(to_arrow(path, columns=[]).num_rows, len(values))
            found = [one for part in parts(path.stat().st_size, 5) for one in Batches(path, part=part, skip_damage=True)]
            self.assertTrue(pa.Table.from_batches(found, table.schema).equals(table))

        self.each(check)

    def test_what_is_wrong_is_said(self) -> None:
        from tern.arrow import to_arrow

        schema = parse('R\nR = {"n": integer, "s": text}')
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "it.tern"
            with writing(path, schema, block_bytes=100) as writer:
                writer.put_all({"n": 10**40 if n == 70 else n, "s": "x" * 8} for n in range(200))
            with self.assertRaisesRegex(ContainerError, "element 70, .* 38 digits"):
                to_arrow(path)
            self.assertEqual(to_arrow(path, skip_damage=True)["n"].to_pylist(), [*range(70), *range(71, 200)])
            data = bytearray(path.read_bytes())
            data[len(data) // 2] ^= 1
            path.write_bytes(data)
            with self.assertRaisesRegex(ContainerError, "it.tern: .*(element 70|checksum)"):
                to_arrow(path)
            self.assertLess(to_arrow(path, skip_damage=True).num_rows, 199)
            path.write_bytes(b"nothing")
            with self.assertRaisesRegex(ContainerError, "it.tern: this is no container"):
                to_arrow(path)
            with self.assertRaisesRegex(FileNotFoundError, "none: No such file"):
                to_arrow(path.with_name("none"))

    def test_open_files_and_own_schemas(self) -> None:
        import io

        import pyarrow as pa
        from tern.arrow import Sink, from_arrow, to_arrow

        table = pa.table(
            {
                "at": pa.array([0, None, -1], pa.timestamp("us", tz="UTC")),
                "price": pa.array([decimal.Decimal("1.05"), None, decimal.Decimal("-3.00")], pa.decimal128(10, 2)),
                "tags": pa.array([["a"], [], None], pa.list_(pa.string())),
                "more": pa.array([{"x": 1.5}, None, {"x": None}], pa.struct([("x", pa.float64())])),
                "by": pa.array([[("k", 1)], None, [("b", 2), ("a", 3)]], pa.map_(pa.string(), pa.int32())),
            }
        )
        file = io.BytesIO()
        sink = Sink(file, table.schema)
        sink.write(table)
        sink.finish()
        found = to_arrow(io.BytesIO(file.getvalue()))
        self.assertEqual(found["price"].cast(pa.decimal128(10, 2)), table["price"])
        for name in ("at", "tags", "more"):
            self.assertEqual(found[name].to_pylist(), table[name].to_pylist())
        # A map's pairs ascend.
        self.assertEqual(found["by"].to_pylist(), [[("k", 1)], None, [("a", 3), ("b", 2)]])
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "it.tern"
            wide = pa.table({"n": pa.array([1, 300], pa.int64())})
            with self.assertRaisesRegex(ContainerError, "n: the number 300 is out of its bounds"):
                from_arrow(wide, path, schema='R\nR = {"n": integer 0..255}')
            with self.assertRaisesRegex(ContainerError, "(?s)it.tern.*month_day_nano|Interval"):
                from_arrow(pa.table({"n": pa.array([None], pa.month_day_nano_interval())}), path)
            self.assertEqual(list(path.parent.iterdir()), [])


if __name__ == "__main__":
    unittest.main()
