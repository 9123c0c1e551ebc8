"""``python -m tern``: look at containers from a shell."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

from .container import Elements, Reader
from .errors import TernError
from .json_text import to_json

_ABOUT = """\
Show containers of Tern's native format.

Values are written as JSON, one a line, as the specification maps them. What is damaged is
reported on standard error, and what is whole is shown all the same.

exit codes: 0 all is whole, 1 something is damaged or cannot be read, 2 the command line
makes no sense"""


def main(arguments: list[str] | None = None) -> int:
    """Run a command, and give its exit code."""
    options = _parser().parse_args(arguments)
    try:
        with _opened(options.file) as file:
            code = int(options.run(options, file))
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        # Who reads has seen enough; Python would complain when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        return _complain(f"{options.file}: {error.strerror or error}")
    except TernError as error:
        return _complain(f"{options.file}: {error}")
    except KeyboardInterrupt:
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tern", description=_ABOUT, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    verbs = parser.add_subparsers(metavar="COMMAND", required=True)
    head = verbs.add_parser("head", help="the first values", description="Write the first values as lines of JSON.")
    head.add_argument("-n", type=_count, default=10, metavar="N", help="how many (10)")
    head.set_defaults(run=_head)
    cat = verbs.add_parser("cat", help="all values", description="Write all values as lines of JSON.")
    cat.add_argument(
        "--part",
        type=_part,
        metavar="FROM:TO",
        help="only the blocks that begin between two bytes; the parts of a file have each of its values once",
    )
    cat.set_defaults(run=_cat)
    schema = verbs.add_parser(
        "schema", help="what the values are", description="Write the schema that the values were written with."
    )
    schema.add_argument("--fingerprint", action="store_true", help="write its fingerprint alone")
    schema.set_defaults(run=_schema)
    for verb in (head, cat, schema):
        verb.add_argument("file", metavar="FILE", help="a container; - is standard input")
    return parser


def _count(text: str) -> int:
    if not re.fullmatch(r"\d{1,18}", text):
        raise argparse.ArgumentTypeError(f"expected a number of values, found {text!r}")
    return int(text)


def _part(text: str) -> tuple[int, int]:
    found = re.fullmatch(r"(\d{1,18}):(\d{1,18})", text)
    if found is None or int(found[1]) > int(found[2]):
        raise argparse.ArgumentTypeError(f"expected two bytes, as 0:65536, found {text!r}")
    return int(found[1]), int(found[2])


@contextmanager
def _opened(name: str) -> Iterator[IO[bytes]]:
    if name == "-":
        yield sys.stdin.buffer
    else:
        with open(name, "rb") as file:
            yield file


def _complain(what: str) -> int:
    print(f"tern: {what}", file=sys.stderr)
    return 1


def _head(options: argparse.Namespace, file: IO[bytes]) -> int:
    return _show(options.file, Reader(file, max_held=0), options.n)


def _cat(options: argparse.Namespace, file: IO[bytes]) -> int:
    if options.part is not None and not file.seekable():
        return _complain(f"{options.file}: only a file has parts, not a stream")
    return _show(options.file, Reader(file, part=options.part), None)


def _show(name: str, reader: Reader, most: int | None) -> int:
    code, left = 0, most
    if left == 0:
        return 0
    for finding in reader.findings():
        if not isinstance(finding, Elements):
            sys.stdout.flush()
            code = _complain(f"{name}: {finding}")
            continue
        values = finding.values if left is None else finding.values[:left]
        for value in values:
            sys.stdout.buffer.write(to_json(reader.schema, value).encode() + b"\n")
        if left is not None:
            left -= len(values)
            if left == 0:
                return code
    return code


def _schema(options: argparse.Namespace, file: IO[bytes]) -> int:
    schema = Reader.schema_of(file)
    shown = f"{schema.fingerprint:016x}" if options.fingerprint else schema.text
    sys.stdout.buffer.write(shown.encode() + b"\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
