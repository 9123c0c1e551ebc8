"""How fast Spark reads containers, beside its own reader of Avro and beside pure Python.

    measure_spark.py [--records N] [--rounds N] [--avro JAR] [--page PAGE]

Each reader sums a column of the same records, on one core and on all of them, in turn, some rounds;
the least time of each counts. With ``--page`` the table takes the place of the one that stands
between the page's two comments. Spark's Avro package is the jar that is given; without one its row says so.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import platform
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from typing import Any

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = str(HERE.parent / "src")
sys.path[:0] = [SOURCE, str(HERE)]

from tern import parse, read, writing  # noqa: E402

SCHEMA = parse(
    'Bird\nBird = {"species": text, "seen": integer 0..255, "celsius": float 64, "note"?: text?, '
    '"id": integer -9223372036854775808..9223372036854775807}'
)
FILES = 8
MARKS = ("<!-- results -->", "<!-- /results -->")


def birds(first: int, count: int) -> Iterator[dict[str, Any]]:
    rng = random.Random(first)
    for n in range(first, first + count):
        yield {
            "species": rng.choice(["auk", "tern", "gull", "great black-backed gull"]),
            "seen": rng.randrange(256),
            "celsius": rng.gauss(10, 5),
            "note": rng.choice([None, None, "fog", "in the lee of the rock"]),
            "id": n,
        }


def session(cores: int, jar: str | None) -> Any:
    from pyspark.sql import SparkSession

    from tern.spark import register

    builder = SparkSession.builder.master(f"local[{cores}]").config("spark.ui.enabled", "false")
    if jar is not None:
        builder = builder.config("spark.jars", jar)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    register(spark)
    return spark


def least(rounds: int, runs: dict[str, Callable[[], int]], expected: int) -> dict[str, float | None]:
    """The least time of each run. One that fails has none; one that is wrong is an error."""
    times: dict[str, float | None] = {}
    for turn in range(rounds + 1):
        for name, run in runs.items():
            if turn and times.get(name) is None:
                continue
            start = time.perf_counter()
            try:
                found = run()
            except Exception as error:
                print(f"{name}: {str(error).splitlines()[0]}", file=sys.stderr)
                times[name] = None
                continue
            spent = time.perf_counter() - start
            if found != expected:
                raise SystemExit(f"{name} found {found}, and there is {expected}")
            # The first turn starts workers and fills caches.
            before = times.get(name)
            times[name] = spent if turn < 2 or before is None else min(before, spent)
    return times


def measured(records: int, rounds: int, jar: str | None) -> str:
    with tempfile.TemporaryDirectory() as folder:
        places = {level: pathlib.Path(folder) / ("plain" if level is None else "zstd") for level in (None, 3)}
        each = records // FILES
        for level, place in places.items():
            place.mkdir()
            for file in range(FILES):
                with writing(place / f"{file}.tern", SCHEMA, level=level) as writer:
                    writer.put_all(birds(file * each, each))
        total = sum(bird["seen"] for file in range(FILES) for bird in birds(file * each, each))
        avro = f"{folder}/avro"
        rows = []

        def row(name: str, cores: int, spent: float | None) -> None:
            rate = "not to be had" if spent is None else f"{FILES * each / spent / 1e6:.2f}"
            rows.append(f"| {name} | {cores} | {'' if spent is None else f'{spent:.2f} s'} | {rate} |")

        python = least(rounds, {"": lambda: sum(bird["seen"] for path in sorted(places[None].iterdir()) for bird in read(path))}, total)
        cores = os.cpu_count() or 1
        for n in sorted({1, cores}):
            spark = session(n, jar)

            def of(form: str, place: object, **options: str) -> Callable[[], int]:
                frame = spark.read.format(form).options(**options).load(str(place))
                return lambda: int(frame.selectExpr("sum(seen)", "count(species)", "count(note)", "sum(celsius)", "sum(id)").first()[0])

            try:
                spark.read.format("tern").load(str(places[None])).write.format("avro").mode("overwrite").save(avro)
            except Exception as error:
                print(f"avro: {str(error).splitlines()[0]}", file=sys.stderr)

            def of_avro() -> int:
                return of("avro", avro)()

            found = least(
                rounds,
                {
                    "this package": of("tern", places[None]),
                    "this package, Zstandard": of("tern", places[3]),
                    "this package, one field": lambda: int(
                        spark.read.format("tern").option("columns", "seen").load(str(places[None])).selectExpr("sum(seen)").first()[0]
                    ),
                    "Spark's Avro": of_avro,
                },
                total,
            )
            for name, spent in found.items():
                row(name, n, spent)
            spark.stop()
        row("pure Python, without Spark", 1, python[""])
    import pyspark

    head = ["| reader | cores | time | million records a second |", "| --- | ---: | ---: | ---: |"]
    said = (
        f"{FILES * each:,} records of five fields; least of {rounds} rounds. "
        f"Spark {pyspark.__version__}, Python {platform.python_version()}, {platform.system()} {platform.machine()}, {cores} cores."
    )
    return "\n".join([*head, *rows, "", said])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--avro", metavar="JAR")
    parser.add_argument("--page", type=pathlib.Path)
    options = parser.parse_args()
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["PYTHONPATH"] = SOURCE
    table = measured(options.records, options.rounds, options.avro)
    print(table)
    if options.page is not None:
        text = options.page.read_text(encoding="utf-8")
        before, found, rest = text.partition(MARKS[0])
        _, end, after = rest.partition(MARKS[1])
        if not found or not end:
            raise SystemExit(f"{options.page}: expected {MARKS[0]} and {MARKS[1]}")
        part = options.page.with_suffix(".part")
        part.write_text(f"{before}{MARKS[0]}\n{table}\n{MARKS[1]}{after}", encoding="utf-8")
        part.replace(options.page)
    return 0


if __name__ == "__main__":
    sys.exit(main())
