"""A container's blocks in the order in which they were written, and what is lost between them.

``scan`` says what stands in the bytes; here it is put in order, as a network's packets are: rules
12, 14 and 15 of ``docs/spec/container.md``. A block that comes next is handed over at once. One
that does not is kept back until those before it have come, or until as much is kept as is allowed, or
until the input has ended; then ``order`` says what is believed, and what is missing is lost.
Memory is that of a block and of what is kept back.
"""

from __future__ import annotations

import bisect
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from .heads import HEAD, Head
from .order import Block, Next, chosen, following
from .scan import Fault, Finish, Rubbish
from .shelf import Shelf

MAX_BLOCK = 64 << 20
MAX_HELD = 16 << 20

_Ranges = list[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Loss:
    """What is missing: a range of bytes, and how many blocks and elements, where that is known."""

    start: int
    end: int
    blocks: int | None
    elements: int | None

    def __str__(self) -> str:
        said = f"lost: bytes {self.start} to {self.end}"
        if self.blocks is not None:
            said += f", {self.blocks} block{'' if self.blocks == 1 else 's'}"
        if self.elements is not None:
            said += f", {self.elements} element{'' if self.elements == 1 else 's'}"
        return said


Frame = Block | Fault | Loss


class Frames:
    """Puts in order what is found.

    ``after`` says what the first block says, and is ``None`` in a part of a file; ``belongs`` says of
    an offset whether blocks of the part say that they begin there.
    """

    def __init__(
        self,
        after: Next | None,
        *,
        max_held: int = MAX_HELD,
        belongs: Callable[[int], bool] = lambda at: True,
    ) -> None:
        self._expected = after
        self._max_held = max_held
        self._belongs = belongs
        self._kept = Shelf()
        # From which positions to which there was nothing, in order. No two of these ranges touch.
        self._rubbish: _Ranges = []
        # The end that says most.
        self._ending: Finish | None = None
        self._said: deque[Frame] = deque()

    def ordered(self, found: Iterable[Block | Finish | Fault | Rubbish]) -> Iterator[Frame]:
        """All of it, in order."""
        last: Fault | None = None
        for one in found:
            if last is not None:
                yield last
                last = None
            if isinstance(one, Block):
                if not self._kept and not self._rubbish and self._comes_next(one):
                    self._expected = following(one.head)
                    yield one
                    continue
                self._arrived(one)
                self._within()
            elif isinstance(one, Finish):
                self._further(one)
            elif isinstance(one, Rubbish):
                self._nothing(one.start, one.end)
            else:
                # What is left is said before the last that is wrong.
                last = one
                continue
            yield from self._spoken()
        self._finished()
        yield from self._spoken()
        if last is not None:
            yield last

    def _spoken(self) -> Iterator[Frame]:
        while self._said:
            yield self._said.popleft()

    def _further(self, found: Finish) -> None:
        """Of two ends the one that says more, and of equal ones the one that stands where it says.
        The other is none."""

        def says(one: Finish) -> tuple[int, bool]:
            return one.head.number, one.head.offset == one.at

        known = self._ending
        none = None
        if known is None:
            self._ending = found
        elif says(known) >= says(found):
            none = found
        else:
            self._ending, none = found, known
        if none is not None:
            self._nothing(none.at, none.at + HEAD)

    def _nothing(self, start: int, end: int) -> None:
        ranges = self._rubbish
        low = bisect.bisect_left(ranges, start, key=lambda one: one[1])
        high = bisect.bisect_right(ranges, end, key=lambda one: one[0])
        touched = ranges[low:high]
        if touched:
            start, end = min(start, touched[0][0]), max(end, touched[-1][1])
        ranges[low:high] = [(start, end)]

    # --- in order ----------------------------------------------------------------

    def _comes_next(self, block: Block) -> bool:
        if self._expected is None:
            return block.head.offset == block.at
        return self._expected.is_that_of(block.head)

    def _arrived(self, block: Block) -> None:
        """A block that does not come next, or comes after something that is none."""
        if self._comes_next(block):
            self._hand(block)
            self._drain()
        elif self._expected is not None and block.head.number < self._expected.number:
            # It has come before, or is said to be lost already.
            self._wasted([block])
        else:
            self._kept.put(block)

    def _hand(self, block: Block) -> None:
        """Hand over a block, and let go what it leaves no room for."""
        self._drop(block.at, block.head.number + 1)
        at = block.at
        passed = bisect.bisect_left(self._rubbish, at, key=lambda one: one[0])
        next_ = self._expected
        missing = (0, 0) if next_ is None else (block.head.number - next_.number, block.head.first - next_.first)
        self._said.extend(_losses(at, self._rubbish[:passed], missing))
        self._said.append(block)
        self._expected = following(block.head)
        del self._rubbish[:passed]

    def _drop(self, wanted: int | None, number: int) -> None:
        """Let go the blocks before a number, which are no longer wanted, but for one that is: it
        stands at a position."""
        self._wasted([one for one in self._kept.without(number) if one.at != wanted])

    def _wasted(self, blocks: list[Block]) -> None:
        for one in blocks:
            self._nothing(one.at, one.at + HEAD + one.head.stored)

    def _drain(self) -> None:
        """Hand over what comes next of what is kept back, as far as it goes."""
        while (next_ := self._expected) is not None:
            block = self._kept.due(next_)
            if block is None:
                self._drop(None, next_.number)
                return
            self._hand(block)

    def _within(self) -> None:
        """If too much is kept back, go on without what is missing. A quarter of it has to go, so that
        this is seldom done."""
        while self._kept.held > self._max_held:
            self._settle(self._max_held - self._max_held // 4)

    def _settle(self, least: int) -> None:
        """Hand over the runs that are believed, the first ones first, as long as more than so many bytes
        are kept back, and say what is missing before them. Where none is believed, none of them will
        ever be."""
        candidates = [run for run in self._kept.runs() if any(self._belongs(block.head.offset) for block in run.blocks)]
        believed = chosen(self._expected, candidates)
        if not believed:
            self._wasted(self._kept.clear())
        for run in believed:
            if self._kept.held <= least:
                return
            next_ = self._expected
            # Some of it may have been handed over already.
            first = run.blocks[0] if next_ is None else next(iter(run.since(next_.number)), None)
            if first is not None and (next_ is None or next_.fits(first.head)):
                self._hand(first)
                self._drain()

    def _finished(self) -> None:
        """There is no more input: hand over all that is believed, and say what is missing at the end,
        as far as an end tells."""
        while self._kept:
            self._settle(0)
        end, missing = None, None
        next_, ending = self._expected, self._ending
        if next_ is not None and ending is not None:
            head: Head = ending.head
            if (head.number, head.first) == (next_.number, next_.first):
                end, missing = ending.at, (0, 0)
            elif next_.fits(head):
                end, missing = ending.at, (head.number - next_.number, head.first - next_.first)
        # What follows an end may have been anything.
        early = len(self._rubbish) if end is None else bisect.bisect_right(self._rubbish, end, key=lambda one: one[0])
        self._said.extend(_losses(0 if end is None else end, self._rubbish[:early], missing))
        self._said.extend(_losses(0, self._rubbish[early:], None))
        self._rubbish = []


def _losses(at: int, passed: _Ranges, missing: tuple[int, int] | None) -> list[Loss]:
    """Of what was passed over before a position, with blocks and elements that are missing."""
    if not passed:
        return [] if missing is None or missing[0] == 0 else [Loss(at, at, *missing)]
    blocks, elements = (None, None) if missing is None else missing
    return [Loss(*passed[0], blocks, elements)] + [Loss(start, end, 0, 0) for start, end in passed[1:]]

