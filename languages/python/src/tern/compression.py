"""Zstandard, by the standard library (from 3.14 on) or the package ``zstandard``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Compress = Callable[[bytes, int], bytes]
"""A frame of some bytes, at a level."""

Decompress = Callable[[bytes, int], bytes]
"""The bytes of a frame, which are as many as is said. Raises ``ValueError`` where they are not."""

ADVICE = "needs Python 3.14 or the package zstandard"

_MOST_WINDOW = 27  # 128 MiB, what the format's own tools take without being told


def _standard() -> tuple[Compress, Decompress] | None:
    try:
        from compression import zstd  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        return None

    def compress(data: bytes, level: int) -> bytes:
        found: bytes = zstd.compress(data, level)
        return found

    def decompress(data: bytes, size: int) -> bytes:
        options = {zstd.DecompressionParameter.window_log_max: _MOST_WINDOW}
        return _whole(zstd.ZstdDecompressor(options=options), zstd.ZstdError, data, size)

    return compress, decompress


def _whole(decompressor: Any, error: type[Exception], data: bytes, size: int) -> bytes:
    out: list[bytes] = []
    have = 0
    try:
        # One byte more than there should be, to see that there is none.
        while not decompressor.eof and have <= size:
            more = decompressor.decompress(data, max_length=size + 1 - have)
            data = b""
            out.append(more)
            have += len(more)
            if not more and decompressor.needs_input:
                break
    except error as problem:
        raise ValueError(str(problem)) from None
    return _checked(b"".join(out), size, decompressor.eof and not decompressor.unused_data)


def _checked(found: bytes, size: int, whole: bool) -> bytes:
    if len(found) != size or not whole:
        raise ValueError(f"it is not one frame of {size} bytes")
    return found


def _package() -> tuple[Compress, Decompress] | None:
    try:
        import zstandard
    except ImportError:
        return None

    def compress(data: bytes, level: int) -> bytes:
        found: bytes = zstandard.ZstdCompressor(level=level).compress(data)
        return found

    def decompress(data: bytes, size: int) -> bytes:
        try:
            said = zstandard.get_frame_parameters(data).content_size
            if said not in (zstandard.CONTENTSIZE_UNKNOWN, size):
                raise ValueError(f"it is a frame of {said} bytes, not {size}")
            decompressor = zstandard.ZstdDecompressor(max_window_size=1 << _MOST_WINDOW)
            if said == zstandard.CONTENTSIZE_UNKNOWN:
                # Looked at first by an interface that gives no more than it is asked for.
                with decompressor.stream_reader(data, read_across_frames=False) as stream:
                    if len(stream.read(size + 1)) != size:
                        raise ValueError(f"it is not one frame of {size} bytes")
            one = decompressor.decompressobj()
            found: bytes = one.decompress(data)
            return _checked(found, size, bool(one.eof) and not one.unused_data)
        except zstandard.ZstdError as problem:
            raise ValueError(str(problem)) from None

    return compress, decompress


_found = _standard() or _package()
compress: Compress | None = _found[0] if _found else None
decompress: Decompress | None = _found[1] if _found else None
