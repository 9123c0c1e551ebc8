"""Containers: files and streams of values of one type, with their schema.

``read`` gives values, or all findings where something is damaged; ``Writer`` writes blocks to
a stream; ``writing`` and ``appending`` keep files whole.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import IO, Any, BinaryIO

from . import compression, files
from .crc32c import crc32c
from .errors import ContainerError, DecodeError, SchemaError, TernError
from .frames import MAX_BLOCK, MAX_HELD, Frame, Frames, Loss
from .heads import END, HEAD, HEADER, PLAIN, ZSTD, Head, Header, Place, read_head
from .order import Block, Next
from .reading import MAX_DEPTH, Changes, Decoder
from .scan import Fault, Opening, Scan, Window, likely_mark, opened
from .schema import Schema
from .values import Shapings, plain
from .encoding import Encoder

MAX_SCHEMA = 1 << 20

BLOCK_BYTES = 16 << 10
"""The bytes of elements that make a block full."""


@dataclass(frozen=True, slots=True)
class Elements:
    """Values that follow each other, and the number of the first."""

    first: int
    values: list[Any]


Finding = Elements | Fault | Loss


class DamageError(TernError):
    """A container that is damaged, or has an element that its reader refuses."""

    def __init__(self, fault: Fault | Loss) -> None:
        super().__init__(str(fault))
        self.fault = fault


class Reader:
    """Reads a container from a stream of bytes, which need not be one that can be searched.

    ``schema`` is the reader's, by default the writer's own. ``part`` reads those blocks alone
    that begin between two offsets: the parts of a file have each of its elements once. With
    ``arrays`` lists of numbers are arrays of numpy.

    Raises ``ContainerError`` for what is no container and ``MismatchError`` where the writer's
    schema cannot be read as the reader's.
    """

    def __init__(
        self,
        source: BinaryIO | IO[bytes],
        schema: Schema | None = None,
        *,
        changes: Changes = Changes(),
        shapings: Shapings = plain,
        part: tuple[int, int] | None = None,
        max_block: int = MAX_BLOCK,
        max_held: int = MAX_HELD,
        max_depth: int = MAX_DEPTH,
        arrays: bool = False,
    ) -> None:
        window = Window(source)
        self._opening = _opened(window)
        fault = self._opening.fault
        writer = schema if fault is not None else self._opening.schema
        if writer is None:
            raise ContainerError(f"{fault}; to read the blocks, say what their schema is")
        self.writer = writer
        self.schema = writer if schema is None else schema
        # Where heads are looked for from on, if the header does not say where the first one is.
        self._start = 0
        self.mark = self._opening.mark
        if self.mark is None:
            self.mark, self._start = likely_mark(window, MAX_HELD)
        self.decoder = Decoder(
            self.schema, writer=writer, changes=changes, shapings=shapings, max_depth=max_depth, arrays=arrays
        )
        self._window = window
        if part is not None and part[0] > window.end:
            source.seek(part[0])
            self._window = Window(source, part[0])
        self._options = (max_block, max_held, part)

    @property
    def whole_header(self) -> bool:
        """Is the header what its writer wrote?"""
        return self._opening.fault is None

    @staticmethod
    def schema_of(source: BinaryIO | IO[bytes]) -> Schema:
        """The schema in a container's header."""
        opening = _opened(Window(source))
        if opening.schema is None:
            raise ContainerError(str(opening.fault))
        return opening.schema

    def frames(self) -> Iterator[Frame]:
        """The blocks, undecoded."""
        fault, header = self._opening.fault, self._opening.header
        if fault is not None:
            yield fault
        max_block, max_held, part = self._options
        if self.mark is None:
            # A header that is cut off has nothing in it.
            if self._window.end >= HEADER:
                yield Loss(0, self._window.end, None, None)
            return
        after = Next(0, 0, None if header is None else header.size)
        if part is None:
            start = self._start if header is None else header.size
            frames = Frames(after, max_held=max_held)
        else:
            start = part[0]
            frames = Frames(None, max_held=max_held, belongs=lambda at: part[0] <= at < part[1])
        scan = Scan(
            self._window,
            self.mark,
            start,
            Next(0, 0, None),
            max_block=max_block,
            searching=header is None,
            part=part,
        )
        yield from frames.ordered(scan.found())

    def findings(self) -> Iterator[Finding]:
        """All values, block by block, and all that is wrong between them."""
        for frame in self.frames():
            match frame:
                case Block():
                    yield from self._elements(frame)
                case Fault() | Loss():
                    yield frame

    def __iter__(self) -> Iterator[Any]:
        """All values, up to the first fault, which raises ``DamageError``."""
        for finding in self.findings():
            if not isinstance(finding, Elements):
                raise DamageError(finding)
            yield from finding.values

    def _elements(self, block: Block) -> Iterator[Finding]:
        head = block.head
        try:
            data = _raw(block)
        except ValueError as error:
            yield Fault(head.first, head.number, block.at, f"the block does not decompress: {error}")
            yield Loss(block.at, block.at + HEAD + head.stored, 1, head.count)
            return
        values: list[Any] = []
        first, at = head.first, 0
        for index in range(head.first, head.first + head.count):
            try:
                value, at = self.decoder.decode_at(data, at)
                values.append(value)
                continue
            except DecodeError as error:
                wrong = error
            if values:
                yield Elements(first, values)
            yield Fault(index, head.number, block.at, f"in the block's bytes, {wrong}")
            values, first = [], index + 1
            try:
                at = self.decoder.after(data, at)
            except DecodeError:
                missing = head.first + head.count - index
                if missing > 1:
                    yield Loss(block.at, block.at + HEAD + head.stored, 0, missing - 1)
                return
        if values:
            yield Elements(first, values)
        if at != len(data):
            end = head.first + head.count
            yield Fault(end, head.number, block.at, f"the block has {len(data) - at} bytes behind its last element")


def _opened(window: Window) -> Opening:
    try:
        return opened(window, MAX_SCHEMA)
    except SchemaError as error:
        raise ContainerError(f"the schema in the header cannot be read: {error}") from None


def _raw(block: Block) -> bytes:
    if block.head.kind == PLAIN:
        return block.stored
    if block.head.kind != ZSTD:
        raise ValueError(f"it is compressed by way {block.head.kind}, which is not known here")
    if compression.decompress is None:
        raise ValueError(f"Zstandard {compression.ADVICE}")
    return compression.decompress(block.stored, block.head.raw)


def read(path: str | os.PathLike[str], schema: Schema | None = None, **options: Any) -> Iterator[Any]:
    """The values of a file, up to the first fault. The options are those of ``Reader``."""
    with open(path, "rb") as file:
        yield from Reader(file, schema, **options)


def parts(size: int, count: int) -> list[tuple[int, int]]:
    """A file of so many bytes in parts, to be read beside each other.

    >>> parts(10, 3)
    [(0, 3), (3, 6), (6, 10)]
    """
    borders = [size * n // count for n in range(count + 1)]
    return list(zip(borders, borders[1:]))


# --- writing ---------------------------------------------------------------------


class Writer:
    """Writes a container to a stream.

    A block is written when its elements have ``block_bytes``, or by ``flush``. ``level`` says
    that blocks are compressed. ``finish`` writes the end; without it the container was cut off.
    """

    def __init__(
        self,
        target: BinaryIO | IO[bytes],
        schema: Schema,
        *,
        shapings: Shapings = plain,
        block_bytes: int = BLOCK_BYTES,
        level: int | None = None,
        mark: bytes | None = None,
        _from: Place | None = None,
    ) -> None:
        if level is not None and compression.compress is None:
            raise ContainerError(f"Zstandard {compression.ADVICE}")
        self.encoder = Encoder(schema, shapings)
        self.mark = os.urandom(8) if mark is None else mark
        if len(self.mark) != 8:
            raise ValueError("a mark has 8 bytes")
        self._target = target
        self._block_bytes = block_bytes
        self._level = level
        self._waiting = bytearray()
        self._count = 0
        if _from is None:
            header = Header(self.mark, schema.fingerprint, schema.bytes)
            target.write(header.write())
            self._place = Place(0, 0, header.size)
        else:
            self._place = _from

    @property
    def elements(self) -> int:
        """The elements before the next one."""
        return self._place.first + self._count

    def put(self, value: Any) -> None:
        """Add a value. One that does not fit the schema raises ``EncodeError``, and is not added."""
        self.encoder.encode_into(self._waiting, value)
        self._count += 1
        if len(self._waiting) >= self._block_bytes or self._count == 0xFFFFFFFF:
            self.flush()

    def put_all(self, values: Iterable[Any]) -> None:
        """Add some values."""
        for value in values:
            self.put(value)

    def flush(self) -> None:
        """Hand what waits to the stream, as a block."""
        if not self._count:
            return
        raw = bytes(self._waiting)
        stored, kind = raw, PLAIN
        if self._level is not None and compression.compress is not None:
            smaller = compression.compress(raw, self._level)
            if len(smaller) < len(raw):
                stored, kind = smaller, ZSTD
        place = self._place
        head = Head(kind, self._count, len(stored), len(raw), place.number, place.first, place.offset, crc32c(stored))
        self._target.write(head.write(self.mark) + stored)
        self._target.flush()
        self._place = head.next
        self._waiting = bytearray()
        self._count = 0

    def finish(self) -> None:
        """Write what waits, and the end."""
        self.flush()
        place = self._place
        self._target.write(Head(END, 0, 0, 0, place.number, place.first, place.offset, 0).write(self.mark))
        self._target.flush()


@contextlib.contextmanager
def writing(path: str | os.PathLike[str], schema: Schema, **options: Any) -> Iterator[Writer]:
    """Write a file, which is there when it is complete. Until then it is ``path.part``, and an
    exception removes it. A link stays, and what it leads to is replaced; what is no regular file
    is refused. The options are those of ``Writer``."""
    path = files.target(path)
    part = path + ".part"
    with _alone(part, os.O_CREAT | os.O_NOFOLLOW) as file:
        try:
            file.truncate(0)
            files.like(file.fileno(), path)
            writer = Writer(file, schema, **options)
            yield writer
            writer.finish()
            os.fsync(file.fileno())
            _rename(part, path)
        except BaseException:
            os.unlink(part)
            raise
    sync_folder(path)


@contextlib.contextmanager
def appending(
    path: str | os.PathLike[str], schema: Schema, *, repair: bool = False, **options: Any
) -> Iterator[Writer]:
    """Append to a file. An exception puts it back as it was.

    A file that was written by another schema is refused; so is one without an end, unless
    ``repair`` says that what is not whole behind its last block goes. What whole blocks follow
    is never taken away.
    """
    with _alone(os.fspath(path)) as file:
        opening = _opened(Window(file))
        header = opening.header
        if header is None:
            raise ContainerError(f"{path}: {opening.fault}")
        if header.schema != schema.bytes:
            raise ContainerError(
                f"{path} has the schema {header.fingerprint:016x}, and values of {schema.fingerprint:016x} are not put into it"
            )
        place, tail = _tail(file, header, repair)
        try:
            file.seek(place.offset)
            options.pop("mark", None)
            writer = Writer(file, schema, mark=header.mark, _from=place, **options)
            yield writer
            writer.finish()
            file.truncate()
            file.flush()
            os.fsync(file.fileno())
        except BaseException:
            file.seek(place.offset)
            file.write(tail)
            file.truncate()
            file.flush()
            raise


def _tail(file: IO[bytes], header: Header, repair: bool) -> tuple[Place, bytes]:
    """Where the next block belongs, and the bytes that stand there."""
    place = Place(0, 0, header.size)
    size = file.seek(0, os.SEEK_END)
    known: list[Head] = []
    while True:
        file.seek(place.offset)
        head = read_head(file.read(HEAD), header.mark)
        if isinstance(head, Head) and head.place == place:
            if head.is_end and place.offset + HEAD == size:
                break
            if not head.is_end and head.next.offset <= size:
                known.append(head)
                place = head.next
                continue
        # What was written last may have come to the disk in part, although its head did.
        while known and not _is_whole(file, known[-1]):
            place = known.pop().place
        if not repair:
            raise ContainerError(f"byte {place.offset}: the file has no end, or is damaged there")
        # What is whole further on would be lost.
        file.seek(place.offset)
        scan = Scan(
            Window(file, place.offset),
            header.mark,
            place.offset,
            Next(place.number, place.first, place.offset),
            max_block=MAX_BLOCK,
        )
        if any(isinstance(one, Block) and one.head.number >= place.number for one in scan.found()):
            raise ContainerError(f"byte {place.offset}: the file is damaged there, and whole blocks follow")
        break
    file.seek(place.offset)
    return place, file.read()


def _is_whole(file: IO[bytes], head: Head) -> bool:
    if head.stored > MAX_BLOCK:
        raise ContainerError(f"byte {head.offset}: the block has {head.stored} bytes, {MAX_BLOCK} are allowed, and it may be whole")
    file.seek(head.offset + HEAD)
    return crc32c(file.read(head.stored)) == head.checksum


@contextlib.contextmanager
def _alone(path: str, flags: int = 0) -> Iterator[IO[bytes]]:
    """A file that nobody else writes."""
    while True:
        with open(os.open(path, os.O_RDWR | flags, 0o666), "r+b") as file, _locked(file, path):
            # Whoever wrote it may have given it another name meanwhile, or replaced it.
            if os.path.exists(path) and os.path.samestat(os.fstat(file.fileno()), os.stat(path)):
                yield file
                return


def _rename(part: str, path: str) -> None:
    """Give a file another name, which nobody may be appending to."""
    with contextlib.ExitStack() as stack:
        # Whoever may not read it is not kept from replacing it.
        with contextlib.suppress(FileNotFoundError, PermissionError):
            before = stack.enter_context(open(path, "rb"))
            stack.enter_context(_locked(before, path))
        os.replace(part, path)


@contextlib.contextmanager
def _locked(file: IO[bytes], path: str) -> Iterator[None]:
    """Keep others from writing what is open, or refuse it where another one does.

    The lock is let go, not left to the file's closing: a program that is just being started has
    the file open too, and would keep it locked. What such a program itself does lets nothing go.
    """
    _lock(file, path)
    process = os.getpid()
    try:
        yield
    finally:
        try:
            file.flush()
        finally:
            if os.getpid() == process:
                # Where there was nothing to let go, there is no error either.
                with contextlib.suppress(OSError):
                    fcntl.flock(file.fileno(), fcntl.LOCK_UN)


def _lock(file: IO[bytes], path: str) -> None:
    try:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise ContainerError(f"{path} is being written by another one") from None
    except OSError as error:
        # Where a file system knows no locks nothing is kept.
        if error.errno not in (errno.ENOTSUP, errno.ENOSYS):
            raise


def sync_folder(path: str) -> None:
    """Have a file's name on the disk."""
    folder = os.open(os.path.dirname(os.path.abspath(path)), os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
