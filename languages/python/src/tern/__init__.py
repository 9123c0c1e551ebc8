"""Documents and containers of Tern's native format, read and written by schema.

>>> from tern import parse, Encoder, Decoder
>>> schema = parse('Bird\\nBird = {"species": text, "seen": integer 0..255}')
>>> document = Encoder(schema).encode({"species": "auk", "seen": 2})
>>> document.hex(" ")
'03 61 75 6b 02'
>>> Decoder(schema).decode(document)
{'species': 'auk', 'seen': 2}

Start with ``tern.values`` for what values are in Python, ``tern.typed`` for classes of your
own, ``tern.container`` for files.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .container import DamageError, Elements, Finding, Reader, Writer, appending, parts, read, writing
    from .errors import (
        ContainerError,
        DecodeError,
        EncodeError,
        Mismatch,
        MismatchError,
        SchemaError,
        TernError,
    )
    from .formats import Native
    from .frames import Loss
    from .json_text import from_json, to_json
    from .reading import Changes, Decoder
    from .scan import Fault
    from .schema import Schema, parse
    from .typed import Sum, Typed, named, positional, was
    from .values import Json, Some, Variant
    from .encoding import Encoder

__all__ = [
    "Changes",
    "ContainerError",
    "DamageError",
    "DecodeError",
    "Decoder",
    "Elements",
    "EncodeError",
    "Encoder",
    "Fault",
    "Finding",
    "Json",
    "Loss",
    "Mismatch",
    "MismatchError",
    "Native",
    "Reader",
    "Schema",
    "SchemaError",
    "Some",
    "Sum",
    "TernError",
    "Typed",
    "Variant",
    "Writer",
    "appending",
    "from_json",
    "named",
    "parse",
    "parts",
    "positional",
    "read",
    "to_json",
    "was",
    "writing",
]

_HOMES = {
    "container": ("DamageError", "Elements", "Finding", "Reader", "Writer", "appending", "parts", "read", "writing"),
    "encoding": ("Encoder",),
    "errors": ("ContainerError", "DecodeError", "EncodeError", "Mismatch", "MismatchError", "SchemaError", "TernError"),
    "formats": ("Native",),
    "frames": ("Loss",),
    "json_text": ("from_json", "to_json"),
    "reading": ("Changes", "Decoder"),
    "scan": ("Fault",),
    "schema": ("Schema", "parse"),
    "typed": ("Sum", "Typed", "named", "positional", "was"),
    "values": ("Json", "Some", "Variant"),
}
"""The module of each name. None of them may be called as one of the names is."""


def __getattr__(name: str) -> Any:
    """What is asked for is imported then: a process that does one thing, as each of Spark's, loads no more."""
    for home, names in _HOMES.items():
        if name in names:
            found = getattr(importlib.import_module(f".{home}", __name__), name)
            globals()[name] = found
            return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
