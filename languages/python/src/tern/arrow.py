"""Containers as Arrow tables, for pandas, Polars, DuckDB and whatever else knows Arrow.

``to_arrow`` reads a whole container, ``batches`` one that need not fit into memory. Both ask for
``pyarrow`` and for ``tern_arrow``, the wheel of ``languages/arrow``: the loop over values is not
Python's. Which column a value becomes is a table in that folder's README.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from typing import IO, TYPE_CHECKING, Any

from . import files
from .container import sync_folder
from .errors import ContainerError
from .schema import Schema, parse

if TYPE_CHECKING:
    import pyarrow

ADVICE = "asks for the packages pyarrow and tern_arrow, which is made of languages/arrow"

Source = str | os.PathLike[str] | IO[bytes]


class Batches:
    """The batches of a container, once.

    ``columns`` are the fields that are wanted, ``part`` the blocks that begin between two offsets,
    ``rows`` the most of a batch. Values that are not within a column's type, and damage, raise
    ``ContainerError``; with ``skip_damage`` they are passed over, and ``wrong`` says what they were.
    """

    def __init__(
        self,
        source: Source,
        *,
        columns: Sequence[str] | None = None,
        part: tuple[int, int] | None = None,
        rows: int = 8192,
        skip_damage: bool = False,
        schema: Schema | None = None,
    ) -> None:
        pa, tern_arrow = _packages()
        given = None if schema is None else schema.text
        wanted = None if columns is None else list(columns)
        try:
            self._scan: Any = tern_arrow.Scan(source, wanted, part, rows, skip_damage, given)
        except ValueError as error:
            raise ContainerError(_said(source, error)) from None
        self._source = source
        self._reader: Any = pa.RecordBatchReader.from_stream(self._scan)
        self._wrong: type[Exception] = pa.ArrowException

    @property
    def schema(self) -> pyarrow.Schema:
        """The type of the batches."""
        return self._reader.schema

    @property
    def written(self) -> Schema:
        """The schema that the values were written with."""
        return parse(self._scan.written)

    @property
    def wrong(self) -> list[str]:
        """What was passed over, as far as was read."""
        found: list[str] = self._scan.wrong
        return found

    def __iter__(self) -> Batches:
        return self

    def __next__(self) -> pyarrow.RecordBatch:
        try:
            return self._reader.read_next_batch()
        except (self._wrong, OSError) as error:
            raise ContainerError(_said(self._source, error)) from None


def to_arrow(source: Source, **options: Any) -> pyarrow.Table:
    """A container, a path or an open file, as a table. The options are those of ``Batches``."""
    pa, _ = _packages()
    found = Batches(source, **options)
    return pa.Table.from_batches(list(found), found.schema)


def _packages() -> tuple[Any, Any]:
    try:
        import pyarrow
        import tern_arrow
    except ImportError as error:
        raise ImportError(f"Arrow {ADVICE}: {error}") from error
    return pyarrow, tern_arrow


def _said(source: Source, error: BaseException) -> str:
    name = source if isinstance(source, str | os.PathLike) else getattr(source, "name", "the file")
    said = str(error).removeprefix("External error: ")
    return f"{os.fspath(name) if isinstance(name, os.PathLike) else name}: {said}"


class Sink:
    """Writes batches as a container.

    ``schema`` is the text of a schema; else it is made of the columns' types. Columns are cast to what
    the schema asks for, where no value is lost by it. ``finish`` writes the end.
    """

    def __init__(
        self,
        target: Source,
        columns: pyarrow.Schema,
        *,
        schema: Schema | str | None = None,
        level: int | None = None,
        mark: bytes | None = None,
    ) -> None:
        self._pa, tern_arrow = _packages()
        try:
            if schema is None:
                schema = tern_arrow.schema_of(columns.empty_table())
            text = schema.text if isinstance(schema, Schema) else schema
            self._sink: Any = tern_arrow.Sink(target, text, os.urandom(8) if mark is None else mark, level)
        except ValueError as error:
            raise ContainerError(_said(target, error)) from None
        self._target = target
        self._type: Any = self._pa.schema(self._sink)

    def write(self, batch: pyarrow.RecordBatch | pyarrow.Table) -> None:
        """Add the rows of a batch or a table."""
        table = self._pa.Table.from_batches([batch]) if isinstance(batch, self._pa.RecordBatch) else batch
        try:
            table = table.select(self._type.names)
            self._sink.write(table if table.schema.equals(self._type) else table.cast(self._type))
        except (self._pa.ArrowException, KeyError, ValueError) as error:
            raise ContainerError(_said(self._target, error)) from None

    def finish(self) -> None:
        """Write what waits, and the end."""
        self._sink.finish()


def from_arrow(table: Any, path: str | os.PathLike[str], **options: Any) -> None:
    """Write a table, or what else gives batches as Arrow does, to a file, which is there when it is
    complete. The options are those of ``Sink``."""
    pa, _ = _packages()
    reader = pa.RecordBatchReader.from_stream(table)
    name = files.target(path)
    part = name + ".part"
    try:
        sink = Sink(part, reader.schema, **options)
        for batch in reader:
            sink.write(batch)
        sink.finish()
        with open(part, "r+b") as file:
            files.like(file.fileno(), name)
        os.replace(part, name)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(part)
        raise
    sync_folder(name)
