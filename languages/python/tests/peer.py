"""What another language's tests ask of this one.

    peer.py cat CONTAINER LINES              the values as lines of JSON
    peer.py copy CONTAINER OUT [LEVEL]       read and write again, with the same mark
    peer.py damaged LIST SCHEMA OUT          what is found in each file of a list, line by line
    peer.py make SCHEMA N SEED CONTAINER LINES [LEVEL]    random values of a schema's file
"""

from __future__ import annotations

import pathlib
import random
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "src"), str(HERE)]

import anyvalues  # noqa: E402
from tern import Elements, Fault, Reader, Schema, Writer, parse, to_json  # noqa: E402
from tern.container import Finding  # noqa: E402

MARK = b"paradise"


def lines(path: str, schema: Schema, values: list[object]) -> None:
    with open(path, "w", encoding="utf-8", newline="\n") as out:
        for value in values:
            out.write(to_json(schema, value) + "\n")


def write(path: str, schema: Schema, mark: bytes, values: list[object], level: list[str]) -> None:
    with open(path, "wb") as out:
        writer = Writer(out, schema, mark=mark, level=int(level[0]) if level else None)
        writer.put_all(values)
        writer.finish()


def damaged(listed: str, text: str, target: str) -> None:
    """A line of the list is a path, how many bytes are kept back, and perhaps a part's two offsets."""
    with open(text, encoding="utf-8", newline="") as file:
        schema = parse(file.read())
    with open(listed, encoding="utf-8") as file, open(target, "w", encoding="utf-8", newline="\n") as out:
        for line in file:
            path, held, *ends = line.split()
            out.write(f"file {line}")
            part = (int(ends[0]), int(ends[1])) if ends else None
            with open(path, "rb") as container:
                for found in Reader(container, schema, max_held=int(held), part=part).findings():
                    for said in said_of(schema, found):
                        out.write(said + "\n")


def said_of(schema: Schema, found: Finding) -> list[str]:
    if isinstance(found, Elements):
        return [f"element {number} {to_json(schema, value)}" for number, value in enumerate(found.values, found.first)]
    if isinstance(found, Fault):
        return [f"fault {found.element} {found.block} {found.at}"]
    known = "" if found.blocks is None else f" {found.blocks} {found.elements}"
    return [f"loss {found.start} {found.end}{known}"]


def main(verb: str, *arguments: str) -> None:
    if verb == "damaged":
        damaged(*arguments)
        return
    if verb == "make":
        text, count, seed, container, json_lines, *level = arguments
        with open(text, encoding="utf-8", newline="") as file:
            schema = parse(file.read())
        rng = random.Random(int(seed))
        values = [anyvalues.value(schema, rng) for _ in range(int(count))]
        write(container, schema, MARK, values, level)
        lines(json_lines, schema, values)
        return
    with open(arguments[0], "rb") as file:
        reader = Reader(file)
        values = list(reader)
        assert reader.mark is not None
        if verb == "cat":
            lines(arguments[1], reader.schema, values)
        else:
            write(arguments[1], reader.schema, reader.mark, values, list(arguments[2:]))


if __name__ == "__main__":
    main(*sys.argv[1:])
