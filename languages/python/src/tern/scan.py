"""What stands in a container's bytes: its header, blocks whose checksums are right, ends, and
what is none of these.

Rules 13 and 16 of ``docs/spec/container.md``. Checksums alone are believed here; whether a block
belongs where it stands is for ``order`` to say. Start at ``opened``, then ``Scan.found``.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, BinaryIO

from .crc32c import crc32c
from .errors import SchemaError
from .heads import HEAD, HEADER, MAGIC, VERSION, Head, Header, read_head
from .order import Block, Next, following
from .schema import Schema
from .schema_bytes import read as read_schema

_PIECE = 1 << 18


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong, with the number of the next element and block, and the byte."""

    element: int
    block: int
    at: int
    reason: str

    def __str__(self) -> str:
        return f"element {self.element}, block {self.block}, byte {self.at}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Finish:
    """An end, and where it stands."""

    head: Head
    at: int


@dataclass(frozen=True, slots=True)
class Rubbish:
    """What lies between two positions is no block that is right."""

    start: int
    end: int


class Window:
    """The bytes of a stream from some offset on, as far as they are needed."""

    def __init__(self, source: BinaryIO | IO[bytes], base: int = 0) -> None:
        self._source = source
        self._base = base
        self._buffer = bytearray()
        self._over = False

    @property
    def end(self) -> int:
        """The offset after the bytes that have come."""
        return self._base + len(self._buffer)

    def get(self, at: int, size: int) -> bytes:
        """Up to so many bytes from an offset, fewer where the input ends."""
        while not self._over and self.end < at + size:
            more = self._source.read(max(_PIECE, at + size - self.end))
            if not more:
                self._over = True
            self._buffer += more
        start = at - self._base
        return bytes(self._buffer[start : start + size])

    def find(self, what: bytes, at: int) -> int | None:
        """Where some bytes are next, from an offset on. Nothing before them is needed again."""
        while True:
            self.forget(at)
            found = self._buffer.find(what, at - self._base)
            if found >= 0:
                return self._base + found
            at = max(at, self.end - len(what) + 1)
            if not self.get(self.end, 1):
                return None

    def forget(self, before: int) -> None:
        """Nothing before an offset is needed again."""
        # Moved seldom: each move costs what is left.
        if before - self._base > max(_PIECE, len(self._buffer) // 2):
            del self._buffer[: before - self._base]
            self._base = before

    def over(self, at: int) -> bool:
        """Is there nothing from an offset on?"""
        return not self.get(at, 1)


# --- the header ------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Opening:
    """What a container's first bytes are: the header and its schema, if they are right; else what
    is wrong with them, and the mark, if that part is."""

    header: Header | None
    schema: Schema | None
    fault: Fault | None
    mark: bytes | None


def opened(window: Window, max_schema: int) -> Opening:
    """The header of a container. Raises ``SchemaError`` where a schema whose checksum is right
    cannot be read, or has not the fingerprint that the header says."""

    def wrong(at: int, reason: str, mark: bytes | None = None) -> Opening:
        return Opening(None, None, Fault(0, 0, at, reason), mark)

    start = window.get(0, HEADER)
    if start and len(start) < HEADER and MAGIC.startswith(start[:8]):
        return wrong(0, "the file ends within its header")
    if len(start) < HEADER or start[:8] != MAGIC:
        return wrong(0, "this is no container: it does not begin as one")
    if start[8] != VERSION:
        return wrong(8, f"this is a container of version {start[8]}; version {VERSION} is understood")
    found = _start_of(start)
    if found is None:
        return wrong(0, "the header's checksum does not fit it")
    size, mark, fingerprint, of_schema = found
    if size > max_schema:
        return wrong(12, f"the schema has {size} bytes, and {max_schema} are allowed", mark)
    data = window.get(HEADER, size)
    if len(data) < size:
        return wrong(HEADER + len(data), "the file ends within its header", mark)
    if crc32c(data) != of_schema:
        return wrong(HEADER, "the checksum of the schema does not fit it")
    schema = read_schema(data)
    if schema.fingerprint != fingerprint:
        raise SchemaError(
            0, f"the header's fingerprint is {fingerprint:016x}, and that of the schema in it {schema.fingerprint:016x}"
        )
    return Opening(Header(mark, fingerprint, data), schema, None, mark)


def _start_of(start: bytes) -> tuple[int, bytes, int, int] | None:
    """The schema's size, the mark, the fingerprint and the schema's checksum."""
    if len(start) < HEADER or start[:9] != MAGIC + bytes([VERSION]):
        return None
    zeros, size, mark, fingerprint, of_schema, own = struct.unpack("<3sI8sQII", start[9:])
    if own != crc32c(start[:36]) or zeros != bytes(3):
        return None
    return size, mark, fingerprint, of_schema


def likely_mark(window: Window, size: int) -> tuple[bytes | None, int]:
    """The mark of a file whose header is damaged, by its first bytes, and where heads may be
    looked for from on. Rule 16."""
    at = 0
    while True:
        data = window.get(at, max(size, HEAD))
        mark = _likeliest(data)
        if mark is not None or window.over(at + len(data)):
            return mark, at
        at += len(data) - (HEAD - 1)
        window.forget(at)


def _likeliest(data: bytes) -> bytes | None:
    found: dict[bytes, int] = {}
    looked = at = 0
    earliest: int | None = None
    while True:
        place = _next_head(data, at)
        if place is None:
            break
        if earliest is None:
            earliest = place
        head = read_head(data[place : place + HEAD], None)
        assert isinstance(head, Head)
        mark = data[place : place + 8]
        at, weight = place + HEAD, 1
        if head.stored <= len(data) - at and looked + head.stored <= 2 * len(data):
            looked += head.stored
            if crc32c(data[at : at + head.stored]) == head.checksum:
                at, weight = at + head.stored, HEAD + head.stored
        found[mark] = found.get(mark, 0) + weight
    if not found:
        return None
    early = data[:earliest]
    said = _header_within(early)
    # Of marks that say as much for themselves the one counts that is greater as a number.
    return max(found, key=lambda mark: (mark == said, mark in early, found[mark], mark[::-1]))


_HEAD_LIKE = re.compile(rb"(?=(?:\xff\0{7}|[^\xff]\0{3}(?!\0{4})))", re.DOTALL)
"""From a head's kind on: an end has no elements, and a block has some."""


def _next_head(data: bytes, at: int) -> int | None:
    """Where the next head of any file is."""
    for found in _HEAD_LIKE.finditer(data, at + 8):
        place = found.start() - 8
        if isinstance(read_head(data[place : place + HEAD], None), Head):
            return place
    return None


def _header_within(data: bytes) -> bytes | None:
    """The mark of the first header that is right."""
    looked = at = 0
    while True:
        at = data.find(MAGIC, at)
        if at < 0:
            return None
        found = _start_of(data[at : at + HEADER])
        if found is not None and looked + found[0] <= 2 * len(data):
            size, mark, _, of_schema = found
            looked += size
            if crc32c(data[at + HEADER : at + HEADER + size]) == of_schema:
                return mark
        at += 1


# --- blocks ----------------------------------------------------------------------


class Scan:
    """Goes through the bytes from an offset on.

    ``after`` says what a head would say there, ``searching`` that none may stand there. With ``part``
    the blocks are wanted that begin between two offsets.
    """

    def __init__(
        self,
        window: Window,
        mark: bytes,
        at: int,
        after: Next,
        *,
        max_block: int,
        searching: bool = False,
        part: tuple[int, int] | None = None,
    ) -> None:
        self._window = window
        self._mark = mark
        self._at = at
        self._next = after
        self._max_block = max_block
        self._joining = part is not None
        self._searching = searching or self._joining
        self._until = None if part is None else part[1]
        # How much farther on heads say that they are than they are.
        self._shift = 0
        # Bytes of damaged blocks that were looked through.
        self._again = 0

    def found(self) -> Iterator[Block | Finish | Fault | Rubbish]:
        """All that there is, each block wherever it stands."""
        window, at = self._window, self._at
        head: Head | None = None
        # Since where there has been nothing, and from where on heads are looked for.
        nothing, at_least = at, at
        while True:
            if self._searching:
                place = self._search(at_least)
                end = window.end if place is None else place[0]
                end = end if self._until is None else min(end, self._until)
                if not self._joining and nothing < end:
                    yield Rubbish(nothing, end)
                if place is None:
                    return
                at, head = place
                if self._joining and head.offset != at:
                    at, block = self._try(at, head)
                    if block is None:
                        at_least = at
                        continue
                    yield block
                    self._joining = self._searching = False
                    continue
                self._joining = self._searching = False
            else:
                window.forget(at)
                if self._until is not None and at >= self._until:
                    return
                if window.over(at):
                    yield self._fault(at, "the file ends without its end; it was cut off or not finished")
                    return
                bytes_ = window.get(at, HEAD)
                read = read_head(bytes_, self._mark)
                if not isinstance(read, Head):
                    cut = len(bytes_) < HEAD
                    yield self._fault(at + len(bytes_) if cut else at, read)
                    self._searching, nothing, at_least = True, at, at if cut else at + 1
                    continue
                head = read
                if not self._next.is_that_of(head) or head.offset != at + self._shift:
                    yield self._fault(at, "the block belongs to another place")
            # A head stands at this place.
            self._next, self._shift = following(head), head.offset - at
            begin, at = at, at + HEAD
            if head.is_end:
                yield Finish(head, begin)
                if self._until is not None and at >= self._until:
                    return
                if window.over(at):
                    return
                yield self._fault(at, "something follows the end")
                self._searching, nothing, at_least = True, at, at
                continue
            longest = max(head.stored, head.raw)
            if longest > self._max_block:
                yield _of(head, begin, f"the block has {longest} bytes, and {self._max_block} are allowed")
                self._searching, nothing, at_least = True, begin, at
                continue
            stored = window.get(at, head.stored)
            if len(stored) < head.stored:
                yield _of(head, at + len(stored), "the file ends within this block")
                self._searching, nothing, at_least = True, begin, at
            elif crc32c(stored) != head.checksum:
                yield _of(head, begin, "the block's checksum does not fit its bytes")
                self._searching, nothing, at_least = True, begin, self._into(at, head.stored)
            else:
                yield Block(head, begin, stored)
                at += head.stored

    def _fault(self, at: int, reason: str) -> Fault:
        return Fault(self._next.first, self._next.number, at, reason)

    def _search(self, at: int) -> tuple[int, Head] | None:
        """The next head from an offset on, before the part's end."""
        while True:
            if self._until is not None and at >= self._until:
                return None
            place = self._window.find(self._mark, at)
            if place is None or (self._until is not None and place >= self._until):
                return None
            head = read_head(self._window.get(place, HEAD), self._mark)
            if isinstance(head, Head):
                return place, head
            at = place + 1

    def _into(self, at: int, size: int) -> int:
        """Where heads are looked for on behind one whose block is damaged: also in the block, as
        long as that costs no more than four times what has come, and 64 KiB."""
        if self._again + size <= 4 * (at + size) + (64 << 10):
            self._again += size
            return at
        return at + size

    def _try(self, begin: int, head: Head) -> tuple[int, Block | None]:
        """A block that is elsewhere by its own word, where a part may begin within another one."""
        at = begin + HEAD
        if head.is_end or max(head.stored, head.raw) > self._max_block:
            return at, None
        stored = self._window.get(at, head.stored)
        if len(stored) < head.stored:
            return at, None
        if crc32c(stored) != head.checksum:
            return self._into(at, head.stored), None
        self._next, self._shift = following(head), head.offset - begin
        return at + head.stored, Block(head, begin, stored)


def _of(head: Head, at: int, reason: str) -> Fault:
    return Fault(head.first, head.number, at, reason)
