"""A real Spark of several workers, one of which is killed in the middle: what it finds is what one
machine finds."""

import functools
import importlib.util
import json
import os
import pathlib
import random
import shutil
import sys
import tempfile
import unittest

from tern import parse, read, writing

ABSENT = [name for name in ("pyspark", "pyarrow", "pandas", "tern_arrow") if importlib.util.find_spec(name) is None]
if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
    ABSENT.append("java")
SOURCE = str(pathlib.Path(__file__).resolve().parents[1] / "src")
BIRDS = parse(
    'Bird\nBird = {"species": text, "seen": integer 0..255, "celsius": float 64, "note"?: text?, '
    '"id": integer -9223372036854775808..9223372036854775807, "on": text "date" as (integer -365243178575..365241821058), '
    '"at": At}\nAt = tagged "tag" "contents"\n  | "Nowhere"\n  | "Place" {"x": integer 0..9}'
)
EACH = 4000


def birds(file: int) -> list[dict]:
    import datetime

    from tern import Variant

    rng = random.Random(file)
    reals = [0.0, -0.0, 1.5, -2.25, float("nan"), float("inf"), float("-inf")]
    return [
        {
            "species": rng.choice(["auk", "tern", "gull", "Ägypten", ""]),
            "seen": rng.randrange(256),
            "celsius": rng.choice(reals),
            "note": rng.choice([None, "fog", "é"]),
            "id": 10 * n + file,
            "on": datetime.date(2026, 1, 1) + datetime.timedelta(days=rng.randrange(365)),
            "at": Variant("Place", {"x": n % 10}) if n % 3 else Variant("Nowhere"),
        }
        for n in range(EACH)
    ]


def flat(row: object) -> str:
    """A row of Spark's as a text, whatever is in it."""
    return repr(row.asDict(recursive=True))


def cell(bird: dict) -> dict:
    """What Spark should show of a bird."""
    place = bird["at"].value if bird["at"].name == "Place" else None
    return {**bird, "at": {"constructor": bird["at"].name, "Place": place}}


def kills_a_worker(marker: str):
    """Hands batches on; the first worker that has one is killed."""

    def through(batches):
        for batch in batches:
            yield batch
            try:
                os.close(os.open(marker, os.O_CREAT | os.O_EXCL))
            except FileExistsError:
                continue
            # The worker is the process that Python's daemon was started by.
            with open(f"/proc/{os.getppid()}/stat", encoding="utf-8") as file:
                worker = int(file.read().rpartition(")")[2].split()[1])
            os.kill(worker, 9)

    return through


@unittest.skipIf(ABSENT, f"without {' and '.join(ABSENT)}")
class Workers(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        from pyspark.sql import SparkSession

        from tern.spark import register

        cls.before = {name: os.environ.get(name) for name in ("PYSPARK_PYTHON", "PYTHONPATH", "SPARK_LOCAL_IP")}
        os.environ.update(PYSPARK_PYTHON=sys.executable, PYTHONPATH=SOURCE, SPARK_LOCAL_IP="127.0.0.1")
        cls.folder = pathlib.Path(tempfile.mkdtemp())
        cls.spark = (
            SparkSession.builder.master("local-cluster[3,1,600]")
            .appName("tern")
            .config("spark.executor.memory", "500m")
            .config("spark.ui.enabled", "false")
            .config("spark.executorEnv.PYTHONPATH", SOURCE)
            .config("spark.local.dir", str(cls.folder / "scratch"))
            .config("spark.sql.warehouse.dir", str(cls.folder / "warehouse"))
            .config("spark.sql.shuffle.partitions", "3")
            .config("spark.python.worker.reuse", "true")
            .getOrCreate()
        )
        cls.spark.sparkContext.setLogLevel("OFF")
        register(cls.spark)
        cls.data = cls.folder / "data"
        for file in range(3):
            path = cls.data / ("deep" if file == 2 else "") / f"{file}.tern"
            path.parent.mkdir(parents=True, exist_ok=True)
            with writing(path, BIRDS, level=3 if file == 1 else None, block_bytes=2000) as writer:
                writer.put_all(birds(file))
        (cls.data / "_SUCCESS").write_bytes(b"")
        (cls.data / "9.tern.part").write_bytes(b"not yet")
        cls.all = [cell(one) for file in range(3) for one in birds(file)]

    @classmethod
    def tearDownClass(cls) -> None:
        cls.spark.stop()
        shutil.rmtree(cls.folder, ignore_errors=True)
        for name, value in cls.before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value

    def frame(self, **options: object):
        return self.spark.read.format("tern").options(**{"splitBytes": 40_000, **options}).load(str(self.data))

    def assertRows(self, frame, expected: list[dict]) -> None:
        self.assertEqual(sorted(map(flat, frame.collect())), sorted(map(repr, expected)))

    def test_rows_counts_and_sums_are_those_of_one_machine(self) -> None:
        frame = self.frame()
        self.assertGreater(frame.rdd.getNumPartitions(), 6)
        self.assertRows(frame, self.all)
        found = frame.selectExpr("count(*)", "sum(id)", "sum(seen)", "count(note)", "sum(at.Place.x)").first()
        places = [one["at"]["Place"]["x"] for one in self.all if one["at"]["Place"]]
        self.assertEqual(
            tuple(found),
            (
                len(self.all),
                sum(one["id"] for one in self.all),
                sum(one["seen"] for one in self.all),
                sum(one["note"] is not None for one in self.all),
                sum(places),
            ),
        )

    def test_a_worker_that_is_killed_loses_nothing(self) -> None:
        marker = str(self.folder / "read")
        frame = self.frame()
        self.assertRows(frame.mapInArrow(kills_a_worker(marker), frame.schema), self.all)
        self.assertTrue(os.path.exists(marker))

    def test_fields_that_are_not_asked_for_are_stepped_over(self) -> None:
        chosen = [{"id": one["id"], "species": one["species"]} for one in self.all]
        self.assertRows(self.frame(columns="id, species"), chosen)
        self.assertRows(self.spark.read.format("tern").schema("id long, species string").load(str(self.data)), chosen)
        wider = self.spark.read.format("tern").schema("seen long").load(str(self.data))
        self.assertRows(wider, [{"seen": one["seen"]} for one in self.all])
        with self.assertRaisesRegex(Exception, "no field is called"):
            self.frame(columns="colour").collect()

    def test_conditions_mean_what_they_mean_to_spark(self) -> None:
        both = {
            "seen > 100 and species = 'auk' and note is not null": [
                ["seen", ">", 100], ["species", "=", "auk"], ["note", "is not null"]
            ],
            "note is null and seen <= 3": [["note", "is null"], ["seen", "<=", 3]],
            "celsius > 1.0": [["celsius", ">", 1.0]],
            "celsius >= 1.5": [["celsius", ">=", 1.5]],
            "celsius < 0": [["celsius", "<", 0]],
            "celsius <> 1.5": [["celsius", "<>", 1.5]],
            "celsius = 0.0 and seen < 9": [["celsius", "=", 0.0], ["seen", "<", 9]],
            "celsius in (1.5, 0.0)": [["celsius", "in", [1.5, 0.0]]],
            "note <> 'fog'": [["note", "<>", "fog"]],
            "species in ('tern', 'Ägypten') and seen in (1, 2, 250)": [
                ["species", "in", ["tern", "Ägypten"]], ["seen", "in", [1, 2, 250]]
            ],
            "species > 'b' and species <= 'tern'": [["species", ">", "b"], ["species", "<=", "tern"]],
            "on >= date'2026-03-01' and on < date'2026-03-09'": [["on", ">=", "2026-03-01"], ["on", "<", "2026-03-09"]],
        }
        # Both in one job each, by the conditions' numbers; each condition is of one load's rows alone.
        plain = self.frame(splitBytes=1 << 30).localCheckpoint()

        def found(frames) -> list[list[str]]:
            each = [frame.selectExpr("*", f"{n} as n") for n, frame in enumerate(frames)]
            rows = functools.reduce(lambda a, b: a.union(b), each).collect()
            return [sorted(flat(row) for row in rows if row.n == n) for n in range(len(each))]

        expected = found([plain.where(one) for one in both])
        rows = found([self.frame(splitBytes=1 << 30, where=json.dumps(one)) for one in both.values()])
        for condition, one, other in zip(both, expected, rows):
            with self.subTest(condition):
                self.assertEqual(other, one)
                self.assertGreater(len(one), 0)
                self.assertLess(len(one), len(self.all))

    def test_queries_of_one_load_do_not_meet(self) -> None:
        frame = self.frame(splitBytes=1 << 30)
        many, few = frame.where("seen <= 250"), frame.where("seen > 250")
        self.assertEqual(few.count() + many.count(), frame.count())
        self.assertEqual(few.union(many).count(), len(self.all))
        self.assertEqual(frame.count(), len(self.all))

    def test_conditions_are_of_fields_that_are_not_shown(self) -> None:
        import pyarrow as pa

        from tern.errors import ContainerError
        from tern.spark import TernReader, conditions

        where = json.dumps([["seen", "=", 7]])
        frame = self.frame(columns="id", where=where)
        self.assertRows(frame, [{"id": one["id"]} for one in self.all if one["seen"] == 7])
        schema = pa.schema([("seen", pa.int16()), ("species", pa.string())])
        for said, reason in [
            ([["colour", "=", 1]], "no field is called 'colour'"),
            ([["seen", "=", 1.5]], "seen = 1.5: .*truncated"),
            ([["seen", "=", 70000]], "seen = 70000: "),
            ([["seen", "like", 1]], "no condition is"),
            ([["seen", "in", 1]], "no condition is"),
            ([["seen", "=", None]], "no condition is"),
        ]:
            with self.subTest(said), self.assertRaisesRegex(ContainerError, reason):
                conditions(said, schema)
        for text in ("{", "{}", "[1]", "[[1, 2]]"):
            with self.subTest(text), self.assertRaisesRegex(ContainerError, "the option where is"):
                TernReader(self.frame().schema, [str(self.data)], {"where": text})

    def test_patterns_and_single_files(self) -> None:
        def count(place: str) -> int:
            return self.spark.read.format("tern").load(str(self.data / place)).count()

        self.assertEqual([count("0.tern"), count("*.tern"), count("**/*.tern"), count("d*")], [EACH, 2 * EACH, 3 * EACH, EACH])
        self.assertEqual(self.spark.read.format("tern").load("file://" + str(self.data / "[01].tern")).count(), 2 * EACH)
        with self.assertRaisesRegex(Exception, "there are no files"):
            count("*.avro")

    def test_small_files_share_a_task_and_large_ones_are_divided(self) -> None:
        from tern.spark import packed

        mib = 1 << 20
        rng = random.Random(4)
        for _ in range(300):
            files = [(f"{n}.tern", rng.choice([0, 1, rng.randrange(mib), rng.randrange(200 * mib)])) for n in range(rng.randrange(40))]
            split, tasks = rng.choice([1000, mib, 64 * mib]), rng.randrange(1, 9)
            if split == 1000:
                files = [(name, size % 100_000) for name, size in files]
            parts = packed(files, split, tasks)
            spans = sorted((span.place, span.start, span.end) for part in parts for span in part.spans)
            # Each byte of each file is in one span.
            for place, size in files:
                borders = [(start, end) for name, start, end in spans if name == place]
                self.assertEqual([start for start, _ in borders], [0, *(end for _, end in borders[:-1])])
                self.assertEqual(borders[-1][1], size)
            self.assertTrue(all(sum(span.end - span.start for span in part.spans) <= split for part in parts))
        self.assertEqual(len(packed([(f"{n}", 3 * mib) for n in range(8)], 64 * mib, 1)), 1)
        self.assertEqual(len(packed([(f"{n}", 3 * mib) for n in range(8)], 64 * mib, 2)), 2)
        self.assertEqual(len(packed([("one", 640 * mib)], 64 * mib, 2)), 10)
        self.assertEqual(packed([], 64 * mib, 2), [])

    def test_damage_is_an_error_or_passed_over(self) -> None:
        data = bytearray((self.data / "0.tern").read_bytes())
        data[len(data) // 2] ^= 1
        path = self.folder / "damaged.tern"
        path.write_bytes(data)
        frame = self.spark.read.format("tern").option("splitBytes", 40_000)
        with self.assertRaisesRegex(Exception, "damaged.tern: element .*checksum"):
            frame.load(str(path)).collect()
        left = [row.id for row in frame.option("damage", "skip").load(str(path)).collect()]
        self.assertTrue(set(left) < {one["id"] for one in birds(0)})
        self.assertGreater(len(left), EACH * 9 // 10)

    def test_what_is_written_is_there_once_and_whole(self) -> None:
        marker, target = str(self.folder / "written"), self.folder / "out"
        frame = self.frame()
        through = frame.mapInArrow(kills_a_worker(marker), frame.schema)
        through.write.format("tern").option("level", 3).mode("append").save(str(target))
        self.assertTrue(os.path.exists(marker))
        # Nothing is left of what the killed worker wrote.
        self.assertTrue(all(one.suffix == ".tern" for one in target.iterdir()), list(target.iterdir()))
        self.assertRows(self.spark.read.format("tern").load(str(target)), self.all)
        # Any reader has them.
        self.assertEqual(sum(one["seen"] for path in target.iterdir() for one in read(path)), sum(one["seen"] for one in self.all))
        few = frame.where("id < 100")
        few.write.format("tern").mode("append").save(str(target))
        self.assertEqual(self.spark.read.format("tern").load(str(target)).count(), len(self.all) + 30)
        few.write.format("tern").option("schema", BIRDS.text).mode("overwrite").save(str(target))
        again = self.spark.read.format("tern").load(str(target))
        self.assertRows(again, [one for one in self.all if one["id"] < 100])
        path = next(iter(target.iterdir()))
        self.assertEqual({one["at"].name for one in read(path, BIRDS)} - {"Nowhere", "Place"}, set())
        few.where("id < 0").write.format("tern").mode("overwrite").save(str(target))
        self.assertEqual(self.spark.read.format("tern").load(str(target)).collect(), [])

    def test_a_job_that_fails_leaves_nothing(self) -> None:
        target = self.folder / "failed"
        failing = self.frame().selectExpr("id", "if(id = 20001, raise_error('no'), species) as species")
        with self.assertRaises(Exception):
            failing.write.format("tern").mode("append").save(str(target))
        self.assertEqual(list(target.iterdir()) if target.exists() else [], [])
        with self.assertRaisesRegex(Exception, "not in range|out of its bounds"):
            self.frame(columns="seen").write.format("tern").option("schema", 'R\nR = {"seen": integer 0..9}').mode(
                "append"
            ).save(str(target))
        self.assertEqual(list(target.iterdir()) if target.exists() else [], [])


if __name__ == "__main__":
    unittest.main()
