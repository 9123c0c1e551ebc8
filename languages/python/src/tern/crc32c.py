"""CRC32C, of RFC 3720, appendix B.4.

In Python four bytes at a time; where the package ``google_crc32c`` is, by that.
"""

from __future__ import annotations

import sys
from array import array

try:
    from google_crc32c import value as _given
except ImportError:
    _given = None

_POLYNOMIAL = 0x82F63B78


def _table() -> list[int]:
    table = []
    for byte in range(256):
        rest = byte
        for _ in range(8):
            rest = rest >> 1 ^ (_POLYNOMIAL if rest & 1 else 0)
        table.append(rest)
    return table


_BYTE = _table()
_PAIRS: list[tuple[list[int], list[int]]] = []


def _pairs() -> tuple[list[int], list[int]]:
    """What two bytes leave after four, and after two: made when they are first needed."""
    if not _PAIRS:
        low = [_BYTE[_BYTE[word & 0xFF] & 0xFF ^ word >> 8] ^ _BYTE[word & 0xFF] >> 8 for word in range(1 << 16)]
        # ``low`` is a word after its own two bytes; two zeros more make it that of four.
        _PAIRS.append(([low[one & 0xFFFF] ^ one >> 16 for one in low], low))
    return _PAIRS[0]


def crc32c(data: bytes | memoryview) -> int:
    """The checksum of some bytes.

    >>> hex(crc32c(b"123456789"))
    '0xe3069283'
    """
    if _given is not None:
        found: int = _given(bytes(data))
        return found
    return of_python(data)


def of_python(data: bytes | memoryview) -> int:
    """The checksum by this module alone."""
    rest = 0xFFFFFFFF
    whole = len(data) & ~3 if len(data) >= 4096 else 0
    if whole:
        first, second = _pairs()
        words = array("I" if array("I").itemsize == 4 else "L")
        words.frombytes(data[:whole])
        if sys.byteorder == "big":
            words.byteswap()
        for word in words:
            rest ^= word
            rest = first[rest & 0xFFFF] ^ second[rest >> 16]
    table = _BYTE
    for byte in data[whole:]:
        rest = table[(rest ^ byte) & 0xFF] ^ rest >> 8
    return rest ^ 0xFFFFFFFF
