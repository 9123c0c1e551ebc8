"""Blocks that are kept back until those before them have come.

What follows exactly is one run, whichever came first, so that blocks that came in any order take
as many runs as there are gaps between them. Runs are found by where they begin and by what comes
after them.
"""

from __future__ import annotations

import heapq
from collections import deque

from .heads import HEAD, Place
from .order import Block, Next, Run


class _Kept:
    """A run, and when its first block came."""

    def __init__(self, block: Block, born: int) -> None:
        self.blocks = deque([block])
        self.born = born
        self.stored = block.head.stored

    @property
    def begin(self) -> Place:
        return self.blocks[0].head.place

    @property
    def end(self) -> Place:
        return self.blocks[-1].head.next

    def linked(self, late: _Kept) -> _Kept:
        """This one, and one that begins where it ends. The shorter is put to the longer."""
        longer = self if len(self.blocks) >= len(late.blocks) else late
        if longer is self:
            self.blocks.extend(late.blocks)
        else:
            late.blocks.extendleft(reversed(self.blocks))
        longer.born = min(self.born, late.born)
        longer.stored = self.stored + late.stored
        return longer


class Shelf:
    """Some blocks, in runs."""

    def __init__(self) -> None:
        self.held = 0
        """Bytes of the blocks, with their heads."""
        self._clock = 0
        # By their places; what something came to last stands last.
        self._begins: dict[Place, list[_Kept]] = {}
        self._ends: dict[Place, list[_Kept]] = {}
        # Which numbers runs begin with, and have begun with.
        self._numbers: list[tuple[int, int, int]] = []

    def __bool__(self) -> bool:
        return bool(self._begins)

    def put(self, block: Block) -> None:
        """One block more: with the run that it follows and the one that follows it. Of several it is
        the one that something came to last."""
        self._clock += 1
        self.held += HEAD + block.head.stored
        run = _Kept(block, self._clock)
        early = self._ends.get(block.head.place)
        late = self._begins.get(block.head.next)
        before, after = early[-1] if early else None, late[-1] if late else None
        if before is not None:
            self._remove(before)
        if after is not None:
            self._remove(after)
        if before is not None:
            run = before.linked(run)
        if after is not None:
            run = run.linked(after)
        self._enter(run)

    def _enter(self, run: _Kept) -> None:
        place = run.begin
        self._begins.setdefault(place, []).append(run)
        self._ends.setdefault(run.end, []).append(run)
        heapq.heappush(self._numbers, (place.number, place.first, place.offset))

    def _remove(self, run: _Kept) -> None:
        for places, place in ((self._begins, run.begin), (self._ends, run.end)):
            runs = places[place]
            # Most often it is the last one.
            if runs[-1] is run:
                runs.pop()
            else:
                runs.remove(run)
            if not runs:
                del places[place]

    def due(self, after: Next) -> Block | None:
        """The block that comes next, if it is here: that of the heaviest run that begins with it, and of
        the one that came first of two that are as heavy. Nothing may be here that is before it."""
        if after.offset is not None:
            runs = self._begins.get(Place(after.number, after.first, after.offset), [])
        else:
            runs = [
                run
                for place, all_ in self._begins.items()
                if (place.number, place.first) == (after.number, after.first)
                for run in all_
            ]
        best = min(runs, key=lambda run: (-run.stored, run.born), default=None)
        return None if best is None else best.blocks[0]

    def without(self, number: int) -> list[Block]:
        """Drops the blocks before a number; these are they."""
        gone: list[Block] = []
        while self._numbers and self._numbers[0][0] < number:
            place = Place(*heapq.heappop(self._numbers))
            for run in list(self._begins.get(place, [])):
                self._remove(run)
                while run.blocks and run.blocks[0].head.number < number:
                    block = run.blocks.popleft()
                    run.stored -= block.head.stored
                    gone.append(block)
                if run.blocks:
                    self._enter(run)
        self.held -= sum(HEAD + block.head.stored for block in gone)
        return gone

    def runs(self) -> list[Run]:
        """All of them, the one whose first block came first before the others."""
        kept = [run for runs in self._begins.values() for run in runs]
        return [Run(list(run.blocks)) for run in sorted(kept, key=lambda run: run.born)]

    def clear(self) -> list[Block]:
        """Drops all of them; these are they."""
        gone = [block for run in self.runs() for block in run.blocks]
        self.held = 0
        self._begins, self._ends, self._numbers = {}, {}, []
        return gone
