"""Containers in Spark, from 4.1 on.

    from tern.spark import register

    register(spark)
    spark.read.format("tern").load("/data/birds").groupBy("species").count()
    birds.write.format("tern").option("level", 3).mode("append").save("/data/more")

Each file is read in parts, which any worker finds by the blocks' marks. Python only hands batches
on: records are read by the wheel ``tern_arrow``. Where a place is may be anything that
``tern.storage`` knows, and all workers see. Options of reading:

| option | |
|---|---|
| ``columns`` | the fields that are wanted, by commas; others are stepped over. So it is with a ``schema`` that has only some |
| ``where`` | what rows have to be, as JSON: ``[["seen", ">", 3], ["note", "is not null"]]``; see ``conditions`` |
| ``splitBytes`` | the bytes that a task reads at most, 64 MiB |
| ``tasks`` | how many tasks there should be at least, if there are as many times 4 MiB; as many as cores are known |
| ``batchRows`` | the rows of a batch, 8192 |
| ``damage`` | ``fail``, or ``skip``: what is wrong is said in the workers' logs and passed over |

and of writing: ``level``, of Zstandard, and ``schema``, the text of one; else it is made of the columns' types.

Spark plans each query in a process of its own, which begins with the import of this module. So what
only reads, writes or compares is imported where it does.
"""

from __future__ import annotations

import functools
import inspect
import json
import sys
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql.datasource import DataSource, DataSourceArrowWriter, DataSourceReader
from pyspark.sql.datasource import InputPartition, WriterCommitMessage
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema
from pyspark.sql.types import StructType

from . import storage
from .errors import ContainerError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SPLIT_BYTES = 64 << 20
OPENING = 4 << 20
"""What it costs to open a file, as bytes that are read in that time."""


def register(session: SparkSession) -> None:
    """Make the format ``tern`` known to a session."""
    session.dataSource.register(type("TernSource", (TernSource,), {"cores": _cores(session)}))


def _cores(session: SparkSession) -> int:
    """How many tasks the session runs at once, and 1 where it is on another machine and does not say."""
    try:
        return max(1, int(session.sparkContext.defaultParallelism))
    except Exception:
        return 1


class TernSource(DataSource):
    """The format ``tern``."""

    cores = 1

    @classmethod
    def name(cls) -> str:
        return "tern"

    def _places(self) -> list[str]:
        if "paths" in self.options:
            found: list[str] = json.loads(self.options["paths"])
            return found
        if "path" not in self.options:
            raise ContainerError("say where the containers are, by load(path)")
        return [self.options["path"]]

    def _columns(self) -> list[str] | None:
        given = self.options.get("columns")
        return None if given is None else [one.strip() for one in given.split(",")]

    def schema(self) -> StructType:
        from .arrow import Batches

        first = next(iter(storage.listed(self._places()[0])))
        return from_arrow_schema(Batches(storage.opened(first.place), columns=self._columns()).schema)

    def reader(self, schema: StructType) -> TernReader:
        return TernReader(schema, self._places(), dict(self.options), self.cores)

    def writer(self, schema: StructType, overwrite: bool) -> TernWriter:
        return TernWriter(schema, self._places()[0], dict(self.options), overwrite)


def _arrow_type(schema: StructType) -> pa.Schema:
    """What Spark takes batches of a schema to be; later ones than 4.1 ask for the zone of times."""
    asked = "timezone" in inspect.signature(to_arrow_schema).parameters
    return to_arrow_schema(schema, timezone="UTC") if asked else to_arrow_schema(schema)


# --- reading ----------------------------------------------------------------------


@dataclass(frozen=True)
class Span:
    """The blocks of a file that begin between two offsets."""

    place: str
    start: int
    end: int


@dataclass
class Part(InputPartition):
    """What one task reads."""

    spans: list[Span]


def packed(files: Sequence[tuple[str, int]], split: int, tasks: int) -> list[Part]:
    """Files by their sizes, as tasks of at most ``split`` bytes, by the rule of Spark's own readers.

    A task costs about 70 ms, whatever it reads, so that small files share one, and a large one is divided.
    """
    total = sum(size + OPENING for _, size in files)
    most = min(split, max(OPENING, total // tasks))
    spans = []
    for place, size in files:
        count = max(1, -(-size // most))
        borders = [size * n // count for n in range(count + 1)]
        spans += [Span(place, start, end) for start, end in zip(borders, borders[1:])]
    parts: list[Part] = []
    room = 0
    for span in sorted(spans, key=lambda span: span.start - span.end):
        if not parts or span.end - span.start > room:
            parts.append(Part([]))
            room = most
        parts[-1].spans.append(span)
        room -= span.end - span.start + OPENING
    return parts


def _number(options: dict[str, str], name: str, default: int) -> int:
    given = {key.lower(): value for key, value in options.items()}.get(name.lower())
    if given is None:
        return default
    if not given.isascii() or not given.isdigit() or int(given) == 0:
        raise ContainerError(f"the option {name} is a number from 1 on, not {given!r}")
    return int(given)


class TernReader(DataSourceReader):
    """Reads parts of files, each on some worker."""

    def __init__(self, schema: StructType, places: list[str], options: dict[str, str], cores: int = 1) -> None:
        self._schema = schema
        self._places = places
        self._split = _number(options, "splitBytes", SPLIT_BYTES)
        self._tasks = _number(options, "tasks", cores)
        self._rows = _number(options, "batchRows", 8192)
        damage = options.get("damage", "fail")
        if damage not in ("fail", "skip"):
            raise ContainerError(f"the option damage is fail or skip, not {damage!r}")
        self._skip = damage == "skip"
        self._where = _said(options.get("where", "[]"))

    def partitions(self) -> Sequence[Part]:
        files = [(file.place, file.size) for place in self._places for file in storage.listed(place)]
        return packed(files, self._split, self._tasks)

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        assert isinstance(partition, Part)
        type_ = _arrow_type(self._schema)
        for span in partition.spans:
            yield from self._read(span, type_)

    def _read(self, span: Span, type_: pa.Schema) -> Iterator[pa.RecordBatch]:
        from .arrow import Batches

        batches = Batches(
            storage.opened(span.place),
            columns=[*type_.names, *sorted({one[0] for one in self._where} - set(type_.names))],
            part=(span.start, span.end),
            rows=self._rows,
            skip_damage=self._skip,
        )
        where = conditions(self._where, batches.schema)
        for batch in batches:
            if where is None and _is(batch, type_):
                yield pa.RecordBatch.from_arrays(batch.columns, schema=type_)
                continue
            table = pa.Table.from_batches([batch])
            if where is not None:
                table = table.filter(where)
            if table.num_rows:
                yield from _as(table.select(type_.names), type_, span.place).to_batches()
        for wrong in batches.wrong:
            print(f"tern: {span.place}: {wrong}", file=sys.stderr)


def _is(batch: pa.RecordBatch, type_: pa.Schema) -> bool:
    """Whether a batch's columns are those of a schema already, in their order."""
    return len(batch.columns) == len(type_) and all(
        column.type == field.type and name == field.name and (field.nullable or column.null_count == 0)
        for column, name, field in zip(batch.columns, batch.schema.names, type_)
    )


def _as(table: pa.Table, type_: pa.Schema, place: str) -> pa.Table:
    try:
        return table.cast(type_)
    except pa.ArrowException as error:
        raise ContainerError(f"{place}: {error}") from None


Condition = list[Any]
"""The name of a field, what it has to be, and a value or, with ``in``, a list of values."""

_COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "=": lambda field, value: field == value,
    "<>": lambda field, value: field != value,
    "<": lambda field, value: field < value,
    "<=": lambda field, value: field <= value,
    ">": lambda field, value: field > value,
    ">=": lambda field, value: field >= value,
}
_ABOVE = ("<>", ">", ">=")


def _said(text: str) -> list[Condition]:
    try:
        found = json.loads(text)
    except ValueError as error:
        raise ContainerError(f"the option where is no JSON: {error}") from None
    good = isinstance(found, list) and all(isinstance(one, list) and len(one) in (2, 3) for one in found)
    if not good or not all(isinstance(step, str) for one in found for step in one[:2]):
        raise ContainerError('the option where is a list of conditions, as [["seen", ">", 3], ["note", "is null"]]')
    return list(found)


def conditions(all: list[Condition], schema: pa.Schema) -> Any | None:
    """What rows have to be, for ``Table.filter``; nothing where nothing is asked.

    ``=``, ``<>``, ``<``, ``<=``, ``>``, ``>=``, ``in`` with a list, ``is null`` and ``is not null`` are
    what they are to Spark: NaN is above all numbers, and what is missing is neither. Dates and
    times are texts, as ``2026-03-01``.
    """
    found = None
    for one in all:
        condition = _condition(one, schema)
        found = condition if found is None else found & condition
    return found


def _condition(one: Condition, schema: pa.Schema) -> Any:
    import pyarrow.compute as pc

    name, how, *values = one
    if name not in schema.names:
        raise ContainerError(f"no field is called {name!r}; there are {', '.join(schema.names)}")
    field, type_ = pc.field(name), schema.field(name).type

    def scalar(value: Any) -> Any:
        try:
            return pa.scalar(value).cast(type_)
        except pa.ArrowException as error:
            raise ContainerError(f"{name} {how} {value!r}: {error}") from None

    if how == "is null" and not values:
        return field.is_null()
    if how == "is not null" and not values:
        return field.is_valid()
    if how == "in" and values and isinstance(values[0], list) and None not in values[0]:
        # Not by `isin`, to which the zeros differ.
        return functools.reduce(lambda found, value: found | (field == scalar(value)), values[0], pc.scalar(False))
    if how in _COMPARISONS and values and not isinstance(values[0], (list, dict, type(None))):
        compared = _COMPARISONS[how](field, scalar(values[0]))
        return compared | pc.is_nan(field) if pa.types.is_floating(type_) and how in _ABOVE else compared
    raise ContainerError(f"no condition is {one!r}")


# --- writing ----------------------------------------------------------------------


@dataclass
class Written(WriterCommitMessage):
    """The file of a task, which nobody else sees yet."""

    name: str | None


class TernWriter(DataSourceArrowWriter):
    """Writes a file for each task, out of sight, and moves all of them when the job is done.

    What an attempt wrote that was killed or is not needed stays out of sight, in a folder of the
    job, which goes with the job's end. Readers pass such folders over.
    """

    def __init__(self, schema: StructType, place: str, options: dict[str, str], overwrite: bool) -> None:
        self._type = _arrow_type(schema)
        self._place = place.rstrip("/")
        self._overwrite = overwrite
        self._text = options.get("schema")
        self._level = _number(options, "level", 0) or None
        self._job = uuid.uuid4().hex
        self._hidden = f"_temporary-{self._job}"
        # Here and not by each task: one that goes on after the job has failed finds no folder.
        there, path = storage.system(f"{self._place}/{self._hidden}")
        there.create_dir(path, recursive=True)

    def write(self, iterator: Iterator[pa.RecordBatch]) -> Written:
        from .arrow import Sink

        there, path = storage.system(f"{self._place}/{self._hidden}")
        name = f"part-{self._job[:8]}-{uuid.uuid4().hex}.tern"
        target = f"{path}/{name}"
        # The schema is kept even where nothing else is.
        context = TaskContext.get()
        first = next(iterator, None)
        if first is None and context is not None and context.partitionId() > 0:
            return Written(None)
        opened = target if storage.is_local(there) else there.open_output_stream(target)
        sink = Sink(opened, self._type, schema=self._text, level=self._level)
        if first is not None:
            sink.write(first)
        for batch in iterator:
            sink.write(batch)
        sink.finish()
        return Written(name)

    def commit(self, messages: list[WriterCommitMessage | None]) -> None:
        there, path = storage.system(self._place)
        there.create_dir(path, recursive=True)
        before = storage.held(there, path) if self._overwrite else []
        for one in messages:
            if isinstance(one, Written) and one.name is not None:
                there.move(f"{path}/{self._hidden}/{one.name}", f"{path}/{one.name}")
        for old in before:
            there.delete_file(old)
        self._forget(there, path)

    def abort(self, messages: list[WriterCommitMessage | None]) -> None:
        self._forget(*storage.system(self._place))

    def _forget(self, there: Any, path: str) -> None:
        storage.forget(there, f"{path}/{self._hidden}")
