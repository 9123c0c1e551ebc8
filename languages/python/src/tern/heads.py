"""What a container's bytes are before its elements are read: the header, and the heads of
blocks. The tables of ``docs/spec/container.md``."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from .crc32c import crc32c

MAGIC = b"\x89Tern\r\n\x1a"
VERSION = 1
HEADER = 40
HEAD = 64
PLAIN, ZSTD, END = 0x00, 0x01, 0xFF
_BELOW = 1 << 62


@dataclass(frozen=True, slots=True)
class Head:
    """What stands before a block, and says where it belongs. The end is one of kind ff."""

    kind: int
    count: int
    stored: int
    raw: int
    number: int
    first: int
    offset: int
    checksum: int

    @property
    def is_end(self) -> bool:
        return self.kind == END

    @property
    def next(self) -> Place:
        """Where the next block belongs; one takes the end's place."""
        if self.is_end:
            return Place(self.number, self.first, self.offset)
        return Place(self.number + 1, self.first + self.count, self.offset + HEAD + self.stored)

    @property
    def place(self) -> Place:
        """Where this one belongs."""
        return Place(self.number, self.first, self.offset)

    def write(self, mark: bytes) -> bytes:
        """Its 64 bytes."""
        start = mark + struct.pack(
            "<B3xIQQQQQI",
            self.kind,
            self.count,
            self.stored,
            self.raw,
            self.number,
            self.first,
            self.offset,
            self.checksum,
        )
        return start + struct.pack("<I", crc32c(start))


@dataclass(frozen=True, slots=True)
class Place:
    """How many blocks and elements are before a block, and where its head begins."""

    number: int
    first: int
    offset: int


def read_head(data: bytes, mark: bytes | None) -> Head | str:
    """The head that 64 bytes are, or why they are none."""
    if len(data) < HEAD:
        return "the file ends here"
    if mark is not None and data[:8] != mark:
        return "no block begins here"
    kind, zero, count, stored, raw, number, first, offset, checksum, own = struct.unpack_from(
        "<B3sIQQQQQII", data, 8
    )
    if own != crc32c(data[:60]):
        return "the checksum of the block's head does not fit it"
    head = Head(kind, count, stored, raw, number, first, offset, checksum)
    sensible = (
        (count, stored, raw, checksum) == (0, 0, 0, 0)
        if head.is_end
        # Each element has a byte at least.
        else 0 < count <= raw and stored > 0 and (kind != PLAIN or stored == raw)
    )
    if zero != bytes(3) or max(stored, raw, number, first, offset) >= _BELOW or not sensible:
        return "the block's head is one that no writer writes"
    return head


@dataclass(frozen=True, slots=True)
class Header:
    """What a container begins with."""

    mark: bytes
    fingerprint: int
    schema: bytes

    @property
    def size(self) -> int:
        return HEADER + len(self.schema)

    def write(self) -> bytes:
        """Its bytes."""
        start = MAGIC + struct.pack("<B3xI", VERSION, len(self.schema)) + self.mark
        start += struct.pack("<QI", self.fingerprint, crc32c(self.schema))
        return start + struct.pack("<I", crc32c(start)) + self.schema
