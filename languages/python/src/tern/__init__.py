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
from .writing import Encoder

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
