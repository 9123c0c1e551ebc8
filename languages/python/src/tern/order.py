"""Which of the blocks that were found are the file's, and in which order they were written.

Rule 14 of ``docs/spec/container.md``. What heads say is put in order, and where blocks stand is
not asked: damage moves blocks, and their checksums vouch for what they say. Blocks that follow
each other exactly are a run; of several runs the heaviest is believed, and of each other one
what fits. Start at ``Next.fits``, then ``chosen``.
"""

from __future__ import annotations

import bisect
from dataclasses import dataclass

from .heads import HEAD, Head


@dataclass(frozen=True, slots=True)
class Next:
    """What the head of the next block says, if none is missing before it. Its place may not be known."""

    number: int
    first: int
    offset: int | None

    def is_that_of(self, head: Head) -> bool:
        """Is it the very next one?"""
        return head.number == self.number and head.first == self.first and self.offset in (None, head.offset)

    def fits(self, head: Head) -> bool:
        """Is it the next one, or is there just room for those between? Each has an element and a
        byte besides its head."""
        missing = head.number - self.number
        if missing == 0:
            return self.is_that_of(head)
        return (
            missing > 0
            and head.first - self.first >= missing
            and (self.offset is None or (head.offset >= self.offset and (head.offset - self.offset) // (HEAD + 1) >= missing))
        )


def following(head: Head) -> Next:
    """What comes after a block. After an end nothing does, and it has no elements."""
    if head.is_end:
        return Next(head.number, head.first, head.offset)
    return Next(head.number + 1, head.first + head.count, head.offset + HEAD + head.stored)


@dataclass(frozen=True, slots=True)
class Block:
    """The bytes of a block whose checksums are right, and where it stands."""

    head: Head
    at: int
    stored: bytes


@dataclass(slots=True)
class Run:
    """Blocks that follow each other exactly, one at least."""

    blocks: list[Block]

    @property
    def first(self) -> Head:
        return self.blocks[0].head

    @property
    def last(self) -> Head:
        return self.blocks[-1].head

    @property
    def weight(self) -> int:
        """The bytes of its blocks as they are stored."""
        return self.last.offset + self.last.stored - self.first.offset - HEAD * (len(self.blocks) - 1)

    def lookup(self, number: int) -> Block | None:
        index = number - self.first.number
        return self.blocks[index] if 0 <= index < len(self.blocks) else None

    def since(self, number: int) -> list[Block]:
        """The blocks from a number on."""
        return self.blocks[max(0, number - self.first.number) :]

    def between(self, low: int, high: int) -> list[Run]:
        """The blocks from a number to another, if there are any."""
        start = max(0, low - self.first.number)
        blocks = self.blocks[start : max(start, high - self.first.number + 1)]
        return [Run(blocks)] if blocks else []


def chosen(after: Next | None, runs: list[Run]) -> list[Run]:
    """Of some runs what fits what comes next and each other, in the order of their numbers.

    The heaviest is believed first, the earlier one of two that are as heavy; of each other what is
    left where those before it have nothing. Where nothing is known of what comes next, the heaviest
    is believed whole.
    """
    numbers: list[int] = []
    believed: list[Run] = []  # in order, by their first numbers
    for run in sorted(runs, key=lambda one: -one.weight):
        rest = [run] if after is None else _after(after, run)
        index = bisect.bisect_right(numbers, run.first.number)
        # What fits its neighbours fits all that are believed: room adds up.
        pieces: list[Run] = []
        while True:
            if index:
                rest = [piece for one in rest for piece in _after(following(believed[index - 1].last), one)]
            if not rest:
                break
            if index == len(believed):
                pieces += rest
                break
            pieces += [piece for one in rest for piece in _before(believed[index].first, one)]
            index += 1
        for piece in pieces:
            at = bisect.bisect_right(numbers, piece.first.number)
            numbers.insert(at, piece.first.number)
            believed.insert(at, piece)
    return believed


def _after(next_: Next, run: Run) -> list[Run]:
    """The blocks that fit after something, from the first on that does: if one does, so do those
    after it, but for the very next one."""
    here = run.lookup(next_.number)
    if here is not None and not next_.is_that_of(here.head):
        low = next_.number + 1
    else:
        low = max(next_.number, run.first.number)
    high = run.last.number
    numbers = range(low, high + 1)
    least = low + bisect.bisect_left(numbers, True, key=lambda n: _fits(next_, run.lookup(n)))
    return run.between(least, high)


def _before(head: Head, run: Run) -> list[Run]:
    """The blocks that fit before a block, up to the last that does."""
    here = run.lookup(head.number - 1)
    if here is not None and not following(here.head).is_that_of(head):
        high = head.number - 2
    else:
        high = min(head.number - 1, run.last.number)
    low = run.first.number
    numbers = range(low, high + 1)
    # Those that fit come first.
    count = bisect.bisect_left(numbers, True, key=lambda n: not _leaves_room(run.lookup(n), head))
    return run.between(low, low + count - 1)


def _fits(next_: Next, block: Block | None) -> bool:
    return block is not None and next_.fits(block.head)


def _leaves_room(block: Block | None, head: Head) -> bool:
    return block is not None and following(block.head).fits(head)
