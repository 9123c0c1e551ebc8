"""What can go wrong, as data.

Each class is one stage: a schema that cannot be read, a document that does not decode, a
value that does not fit its schema, two schemas that do not fit each other, a container
that is damaged. Words are made by ``str``.
"""

from __future__ import annotations

from dataclasses import dataclass

Step = str | int
"""A step of a path: the name of a field, or the index of an element."""


def render_path(path: tuple[Step, ...]) -> str:
    """``$.readings[0].hour``

    >>> render_path(("readings", 0, "hour"))
    '$.readings[0].hour'
    """
    return "$" + "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)


class TernError(Exception):
    """What every error of this package is."""


class SchemaError(TernError):
    """A schema that cannot be read. ``offset`` counts characters of a text, or bytes."""

    def __init__(self, offset: int, reason: str) -> None:
        super().__init__(f"schema, at {offset}: {reason}")
        self.offset = offset
        self.reason = reason


class DecodeError(TernError):
    """A document that does not decode.

    ``offset`` is that of the first byte of what is wrong, and of what is cut off the end of
    the input. ``loses_place`` says that nobody knows where the value ends: a length, a count
    or a constructor is one that no writer writes.
    """

    def __init__(self, offset: int, reason: str, *, loses_place: bool = False) -> None:
        super().__init__(reason)
        self.offset = offset
        self.reason = reason
        self.loses_place = loses_place
        self._steps: list[Step] = []

    def within(self, step: Step) -> DecodeError:
        """The same, seen from one level further up."""
        self._steps.append(step)
        return self

    @property
    def path(self) -> tuple[Step, ...]:
        """From the root to what is wrong."""
        return tuple(reversed(self._steps))

    def __str__(self) -> str:
        return f"byte {self.offset}, at {render_path(self.path)}: {self.reason}"


class EncodeError(TernError):
    """A value that its schema does not have."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self._steps: list[Step] = []

    def within(self, step: Step) -> EncodeError:
        """The same, seen from one level further up."""
        self._steps.append(step)
        return self

    @property
    def path(self) -> tuple[Step, ...]:
        """From the root to what is wrong."""
        return tuple(reversed(self._steps))

    def __str__(self) -> str:
        return f"at {render_path(self.path)}: {self.reason}"


@dataclass(frozen=True)
class Mismatch:
    """A place where a writer's schema cannot be read as the reader's."""

    writer: tuple[Step, ...]
    reader: tuple[Step, ...]
    reason: str

    def __str__(self) -> str:
        return f"writer's {render_path(self.writer)}, reader's {render_path(self.reader)}: {self.reason}"


class MismatchError(TernError):
    """Two schemas that do not fit each other, with all places where they do not."""

    def __init__(self, mismatches: list[Mismatch]) -> None:
        super().__init__("; ".join(str(one) for one in mismatches))
        self.mismatches = mismatches


class ContainerError(TernError):
    """What is no container, or one that this reader or writer cannot go on with."""
