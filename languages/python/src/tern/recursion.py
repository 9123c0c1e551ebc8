"""Room for recursion.

Python ends a recursion at a limit that counts its own frames, not memory. Since 3.11 calls
from Python to Python take no stack of C, so that the limit may be raised for as long as
something whose depth is bounded goes on.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_lock = threading.Lock()
_within = 0
_before = 0


@contextmanager
def deep(frames: int) -> Iterator[None]:
    """Let what is done within take so many frames more than the limit as it was."""
    global _within, _before
    with _lock:
        if _within == 0:
            _before = sys.getrecursionlimit()
        _within += 1
        sys.setrecursionlimit(max(sys.getrecursionlimit(), _before + frames))
    try:
        yield
    finally:
        with _lock:
            _within -= 1
            if _within == 0:
                sys.setrecursionlimit(_before)
