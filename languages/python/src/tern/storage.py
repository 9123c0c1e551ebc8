"""Files wherever pyarrow's file systems are: this machine's disk, HDFS, S3 and others.

A place is a path or a URI, as ``/data/birds``, ``s3://birds/2026`` or ``hdfs:///birds/*.tern``.
"""

from __future__ import annotations

import os
import posixpath
import re
from dataclasses import dataclass
from typing import Any

from pyarrow import fs

from .errors import ContainerError


@dataclass(frozen=True)
class File:
    """A file, where it is, and how many bytes it has."""

    place: str
    size: int


def system(place: str) -> tuple[Any, str]:
    """The file system of a place, and its path there."""
    if "://" not in place and not place.startswith("file:"):
        return fs.LocalFileSystem(), os.path.abspath(place)
    found: tuple[Any, str] = fs.FileSystem.from_uri(place)
    return found


def is_local(system: Any) -> bool:
    """Is it this machine's own?"""
    return isinstance(system, fs.LocalFileSystem)


def listed(place: str) -> list[File]:
    """The files of a place in order: a file, a folder's, or those that a pattern fits.

    In a pattern ``*`` and ``?`` stand for what has no slash, ``**`` for anything, ``[…]`` for a
    character. Files and folders whose name begins with ``_`` or ``.`` are nobody's data, nor are
    those that end with ``.part``.
    """
    scheme = re.match(r"(?:[a-z0-9+.-]+://[^/]*|file:)", place)
    prefix = scheme.group() if scheme else ""
    rest = place[len(prefix) :] if scheme else os.path.abspath(place)
    steps = rest.split("/")
    plain = next((n for n, step in enumerate(steps) if re.search(r"[*?\[]", step)), None)
    base = rest if plain is None else "/".join(steps[:plain]) or "/"
    there, path = system(prefix + base)
    info = there.get_file_info(path)
    if info.type == fs.FileType.File:
        return [File(place, info.size)]
    if info.type == fs.FileType.NotFound:
        raise ContainerError(f"{place}: there is no such file or folder")
    fits = None if plain is None else re.compile(_pattern("/".join(steps[plain:])) + r"(?:/.*)?", re.DOTALL)
    found = []
    for one in there.get_file_info(fs.FileSelector(path, recursive=True)):
        inside = posixpath.relpath(one.path, path)
        if _is_data(one, path) and (fits is None or fits.fullmatch(inside)):
            found.append(File(f"{prefix}{base.rstrip('/')}/{inside}", one.size))
    if not found:
        raise ContainerError(f"{place}: there are no files")
    return sorted(found, key=lambda file: file.place)


def held(there: Any, path: str) -> list[str]:
    """The paths of the files that a folder has, and that readers see."""
    if there.get_file_info(path).type != fs.FileType.Directory:
        return []
    return [one.path for one in there.get_file_info(fs.FileSelector(path, recursive=True)) if _is_data(one, path)]


def forget(there: Any, path: str) -> None:
    """Take a folder away, if it is there."""
    if there.get_file_info(path).type != fs.FileType.NotFound:
        there.delete_dir(path)


def _is_data(one: Any, base: str) -> bool:
    inside = posixpath.relpath(one.path, base)
    hidden = any(step.startswith(("_", ".")) for step in inside.split("/")) or inside.endswith(".part")
    return one.type == fs.FileType.File and not hidden


def _pattern(glob: str) -> str:
    parts = re.findall(r"\*\*/?|\*|\?|\[[^\]]+\]|.", glob, re.DOTALL)
    said = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return "".join(
        said.get(part) or ("[" + part[1:-1].replace("!", "^", 1) + "]" if part[0] == "[" and len(part) > 1 else re.escape(part))
        for part in parts
    )


def opened(place: str) -> Any:
    """What a container can be read from: a path here, or an open file."""
    there, path = system(place)
    return path if is_local(there) else there.open_input_file(path)
