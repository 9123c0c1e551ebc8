"""A container's blocks in order, and what is damaged or lost between them.

Bytes are looked through for blocks (``_find``), and these are put in order by what their
heads say (``_Shelf``). Rules 12 to 17 of ``docs/spec/container.md``. Memory is that of a block
and of what is kept back.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, BinaryIO

from .crc32c import crc32c
from .errors import ContainerError, SchemaError
from .heads import HEAD, HEADER, MAGIC, VERSION, Head, Header, Place, read_head
from .schema import Schema
from .schema_bytes import read as read_schema

MAX_BLOCK = 64 << 20
MAX_HELD = 16 << 20
MAX_SCHEMA = 16 << 20
MAX_RUNS = 32
_PIECE = 1 << 18


@dataclass(frozen=True, slots=True)
class Block:
    """The bytes of a block whose checksums are right."""

    head: Head
    at: int
    stored: bytes


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
class Loss:
    """What is missing: a range of bytes, and how many blocks and elements, where that is known."""

    start: int
    end: int
    blocks: int | None
    elements: int | None

    def __str__(self) -> str:
        said = f"lost: bytes {self.start} to {self.end}"
        if self.blocks is not None:
            said += f", {self.blocks} block{'' if self.blocks == 1 else 's'}"
        if self.elements is not None:
            said += f", {self.elements} element{'' if self.elements == 1 else 's'}"
        return said


@dataclass(frozen=True, slots=True)
class Ended:
    """The container ended as its writer meant it to."""

    head: Head


class Window:
    """The bytes of a stream from some offset on, as far as they are needed."""

    def __init__(self, source: BinaryIO | IO[bytes], base: int = 0) -> None:
        self._source = source
        self._base = base
        self._buffer = bytearray()
        self._over = False

    @property
    def end(self) -> int:
        """The offset behind the bytes that have come."""
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


def read_header(window: Window) -> tuple[Header | None, Schema | None, list[Fault]]:
    """The header as far as it is whole: its mark, and the schema that it has.

    Raises ``ContainerError`` for what is no container, or none of this version.
    """
    start = window.get(0, HEADER)
    if start[:8] != MAGIC:
        raise ContainerError("this is no container: it does not begin as one" if start else "this is no container: it is empty")
    if len(start) < HEADER:
        return None, None, [Fault(0, 0, len(start), "the file ends within its header")]
    version, zeros, size, mark, fingerprint, of_schema, own = struct.unpack("<B3sI8sQII", start[8:])
    whole = own == crc32c(start[:36])
    if whole and version != VERSION:
        raise ContainerError(f"this is a container of version {version}; version {VERSION} is understood")
    if whole and zeros != bytes(3):
        raise ContainerError("this is a container with a header that no writer writes")
    if whole and size > MAX_SCHEMA:
        raise ContainerError(f"the schema has {size} bytes, and {MAX_SCHEMA} are allowed")
    faults = [] if whole else [Fault(0, 0, 36, "the header's checksum does not fit it")]
    data = window.get(HEADER, size) if size <= MAX_SCHEMA else b""
    if len(data) != size or of_schema != crc32c(data):
        faults.append(Fault(0, 0, HEADER, "the checksum of the schema does not fit it"))
        return Header(mark, fingerprint, b""), None, faults
    try:
        schema = read_schema(data)
    except SchemaError as error:
        raise ContainerError(f"the schema in the header cannot be read: {error}") from None
    if whole and schema.fingerprint != fingerprint:
        raise ContainerError(
            f"the header's fingerprint is {fingerprint:016x}, and that of the schema in it {schema.fingerprint:016x}"
        )
    return Header(mark, fingerprint, data), schema, faults


def likely_mark(window: Window, said: bytes | None, max_block: int) -> bytes | None:
    """The mark of a file whose header is damaged: what the header says if a head has it, else
    that of which most bytes are found in the first 16 MiB."""
    data = window.get(0, MAX_HELD)
    found: dict[bytes, int] = {}
    for one in re.finditer(rb"(?=[\x00\x01\xff]\x00\x00\x00)", data):
        at = one.start() - 8
        if at >= 0:
            head = read_head(data[at : at + HEAD], None, max_block)
            if isinstance(head, Head):
                mark = data[at : at + 8]
                found[mark] = found.get(mark, 0) + HEAD + head.stored
    if said is not None and said in found:
        return said
    return max(found, key=lambda mark: found[mark], default=None)


# --- finding ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Trouble:
    at: int
    reason: str


def _find(
    window: Window, mark: bytes, at: int, max_block: int, searching: bool, until: int | None
) -> Iterator[Block | _Trouble]:
    """Each block whose checksums are right, wherever it stands, and each end; and where what
    should be one is none."""
    start = at
    looked = 0  # bytes of which a checksum was taken in vain
    resume = at
    while True:
        if searching:
            found = window.find(mark, resume)
            if found is None:
                return
            at = found
        elif window.over(at):
            return
        window.forget(at)
        if until is not None and at >= until:
            return
        head = read_head(window.get(at, HEAD), mark, max_block)
        reason = head if isinstance(head, str) else None
        past = at + 1
        if isinstance(head, Head):
            stored = window.get(at + HEAD, head.stored)
            if len(stored) < head.stored:
                reason = "the file ends within this block"
            elif crc32c(stored) != head.checksum:
                reason = "the block's checksum does not fit its bytes"
                looked += head.stored
                if looked > 4 * (window.end - start) + (64 << 10):
                    past = at + HEAD + head.stored
            else:
                yield Block(head, at, stored)
                resume = at = at + HEAD + head.stored
                searching = False
                if head.is_end and not window.over(at):
                    yield _Trouble(at, "something follows the end")
                    searching = True
                continue
        if not searching:
            yield _Trouble(at, str(reason))
            searching = True
        resume = past


# --- putting in order ------------------------------------------------------------


class _Shelf:
    """Blocks that came and are not handed over yet, in runs of such that follow each other."""

    def __init__(self, last: Place | None, in_place: bool, max_held: int) -> None:
        # Where the next block belongs. It is not known in a part of a file, which begins with
        # a block that stands ``in_place``, nor behind a header that is damaged.
        self.last = last
        self._in_place = in_place
        self.ended: Head | None = None
        self._max_held = max_held
        self._held = 0
        self._runs: list[list[Block]] = []
        self._known: set[tuple[Place, bool]] = set()

    def put(self, block: Block) -> Iterator[Block | Loss]:
        """One that came, and those that can be handed over by it."""
        place, which = block.head.place, (block.head.place, block.head.is_end)
        if self.last is None:
            due = self._in_place and place.offset == block.at
        elif not self.last.fits(place) or which in self._known or (self.ended and block.head.is_end):
            return
        else:
            due = place == self.last
        if due:
            yield from self._hand(self._before_others([block]))
            return
        self._known.add(which)
        self._held += HEAD + len(block.stored)
        run = self._before_others([block])
        before = next((one for one in self._runs if one[-1].head.next == place), None)
        if before is not None:
            before += run
        else:
            self._runs.append(run)
        if self._held > self._max_held or len(self._runs) > MAX_RUNS:
            yield from self.settle()

    def _before_others(self, run: list[Block]) -> list[Block]:
        """A run, with the one that follows it, if that is kept."""
        after = next((one for one in self._runs if one[0].head.place == run[-1].head.next), None)
        if after is None:
            return run
        self._runs.remove(after)
        return self._before_others(run + after)

    def _hand(self, run: list[Block]) -> Iterator[Block | Loss]:
        for block in run:
            self.last = block.head.next
            self.ended = block.head if block.head.is_end else None
            yield block
        last = self.last
        self._runs = [one for one in self._runs if last is not None and last.fits(one[0].head.place)]
        self._known = {(block.head.place, block.head.is_end) for one in self._runs for block in one}
        self._held = sum(HEAD + len(block.stored) for one in self._runs for block in one)

    def settle(self) -> Iterator[Block | Loss]:
        """The heaviest run is believed, and of each other one what fits those believed before."""

        def weigh(run: list[Block]) -> int:
            return sum(HEAD + len(block.stored) for block in run)

        believed: list[list[Block]] = []
        for run in sorted(self._runs, key=lambda run: (-weigh(run), run[0].head.number)):
            if self._in_place and self.last is None and not any(block.head.offset == block.at for block in run):
                continue
            if all(
                other[-1].head.next.fits(run[0].head.place) or run[-1].head.next.fits(other[0].head.place)
                for other in believed
            ):
                believed.append(run)
        self._runs = []
        self._known = set()
        for run in sorted(believed, key=lambda run: run[0].head.place.number):
            start = run[0].head.place
            last = self.last or (start if self._in_place or not start.number else Place(0, 0, HEADER))
            if last != start:
                yield Loss(last.offset, start.offset, start.number - last.number, start.first - last.first)
            yield from self._hand(run)


def read_frames(
    window: Window,
    mark: bytes,
    start: int,
    *,
    max_block: int = MAX_BLOCK,
    max_held: int = MAX_HELD,
    part: tuple[int, int] | None = None,
    whole_start: bool = True,
) -> Iterator[Block | Fault | Loss | Ended]:
    """The blocks of a container from its first head on, in order.

    With ``part`` those whose heads begin between two offsets. ``whole_start`` says that the
    first head stands at ``start``.
    """
    known = part is None and whole_start
    shelf = _Shelf(Place(0, 0, start) if known else None, part is not None, max_held)
    at = start if part is None else max(start, part[0])
    searching = at > start or not whole_start
    until = None if part is None else part[1]
    reached = at
    for found in _find(window, mark, at, max_block, searching, until):
        if isinstance(found, _Trouble):
            last = shelf.last or Place(0, 0, 0)
            yield Fault(last.first, last.number, found.at, found.reason)
            continue
        reached = found.at + HEAD + found.head.stored
        for one in shelf.put(found):
            yield Ended(one.head) if isinstance(one, Block) and one.head.is_end else one
    for one in shelf.settle():
        yield Ended(one.head) if isinstance(one, Block) and one.head.is_end else one
    if part is None and shelf.ended is None:
        last = shelf.last or Place(0, 0, start)
        if window.end > reached:
            yield Loss(max(reached, start), window.end, None, None)
        yield Fault(last.first, last.number, window.end, "the file ends without its end; it was cut off or not finished")
