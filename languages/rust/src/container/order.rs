//! Which of the blocks that were found are the file's, and in which order they were written: rule 14
//! of the container's page.
//!
//! What heads say is put in order, and where blocks stand is not asked: damage moves blocks, and
//! their checksums vouch for what they say. Blocks that follow each other exactly are a run; of
//! several runs the heaviest is believed, and of each other one what fits. Start at `Next::fits`, then
//! `chosen`.

use super::head::*;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What the head of the next block says, if none is missing before it. Its place may not be known.
#[derive(Debug, Clone, Copy)]
pub struct Next {
    pub number: u64,
    pub first: u64,
    pub offset: Option<u64>,
}

impl Next {
    pub fn of(place: Place) -> Next {
        Next { number: place.number, first: place.first, offset: Some(place.offset) }
    }

    /// Is it the very next one?
    pub fn is_that_of(&self, place: Place) -> bool {
        (place.number, place.first) == (self.number, self.first)
            && self.offset.is_none_or(|offset| offset == place.offset)
    }

    /// Is it the next one, or is there just room for those between? Each has an element and a byte
    /// besides its head.
    pub fn fits(&self, place: Place) -> bool {
        let gap = |from: u64, to: u64| to.checked_sub(from);
        match gap(self.number, place.number) {
            None => false,
            Some(0) => self.is_that_of(place),
            Some(missing) => {
                gap(self.first, place.first).is_some_and(|elements| elements >= missing)
                    && self.offset.is_none_or(|offset| {
                        gap(offset, place.offset).is_some_and(|size| size / (HEAD as u64 + 1) >= missing)
                    })
            }
        }
    }
}

/// The bytes of a block whose checksums are right, and where it stands.
#[derive(Debug, Clone)]
pub struct Block {
    pub head: Head,
    pub at: u64,
    pub stored: Arc<Vec<u8>>,
}

/// Blocks that follow each other exactly, one at least.
#[derive(Debug, Clone)]
pub struct Run(pub Vec<Block>);

impl Run {
    fn first(&self) -> Place {
        self.0[0].head.place
    }

    /// What comes after its last block.
    fn next(&self) -> Next {
        Next::of(self.0[self.0.len() - 1].head.next())
    }

    fn last(&self) -> u64 {
        self.first().number + self.0.len() as u64 - 1
    }

    fn weight(&self) -> u64 {
        self.0.iter().map(|block| block.head.stored).sum()
    }

    fn lookup(&self, number: u64) -> Option<&Block> {
        self.0.get(usize::try_from(number.checked_sub(self.first().number)?).ok()?)
    }

    /// The blocks from a number on.
    pub fn since(&self, number: u64) -> &[Block] {
        let from = number.saturating_sub(self.first().number).min(self.0.len() as u64);
        &self.0[from as usize..]
    }

    /// The blocks from a number to before another, if there are any.
    fn between(&self, from: u64, to: u64) -> Option<Run> {
        let start = self.first().number;
        let index = |number: u64| number.saturating_sub(start).min(self.0.len() as u64) as usize;
        (index(from) < index(to)).then(|| Run(self.0[index(from)..index(to)].to_vec()))
    }

    /// The blocks that fit after something, from the first on that does: if one does, so do those after
    /// it, but for the very next one.
    fn after(&self, next: Next) -> Option<Run> {
        let low = match self.lookup(next.number) {
            Some(block) if !next.is_that_of(block.head.place) => next.number + 1,
            _ => next.number.max(self.first().number),
        };
        let end = self.last() + 1;
        let fits = |number| self.lookup(number).is_some_and(|block| next.fits(block.head.place));
        self.between(least(low, end, fits), end)
    }

    /// The blocks that fit before another one, up to the last that does.
    fn before(&self, place: Place) -> Option<Run> {
        let start = self.first().number;
        let end = match place.number.checked_sub(1).and_then(|number| self.lookup(number)) {
            Some(block) if block.head.next() != place => place.number - 1,
            _ => place.number.min(self.last() + 1),
        };
        let leaves_no_room = |number| !self.lookup(number).is_some_and(|block| Next::of(block.head.next()).fits(place));
        self.between(start, least(start, end.max(start), leaves_no_room))
    }
}

/// The least number between two for which something holds that holds for all after it; the second, if
/// it does for none.
fn least(mut from: u64, mut to: u64, holds: impl Fn(u64) -> bool) -> u64 {
    while from < to {
        let middle = from + (to - from) / 2;
        if holds(middle) {
            to = middle;
        } else {
            from = middle + 1;
        }
    }
    from
}

/// Of some runs what fits what comes next and each other, in the order of their numbers.
///
/// The heaviest is believed first, the earlier one of two that are as heavy; of each other what is left
/// where those before it have nothing. Where nothing is known of what comes next, the heaviest is
/// believed whole.
pub fn chosen(after: Option<Next>, mut runs: Vec<Run>) -> Vec<Run> {
    runs.sort_by_key(|run| Reverse(run.weight()));
    let mut believed: BTreeMap<u64, Run> = BTreeMap::new();
    for run in runs {
        let mut here = believed.range(..=run.first().number).next_back().map(|(number, _)| *number);
        let mut rest = match after {
            None => Some(run),
            Some(next) => run.after(next),
        };
        let mut pieces = vec![];
        // What fits its neighbours fits all that are believed: room adds up.
        loop {
            if let Some(number) = here {
                rest = rest.and_then(|rest| rest.after(believed[&number].next()));
            }
            let Some(some) = &rest else { break };
            let there = match here {
                None => believed.iter().next(),
                Some(number) => believed.range(number + 1..).next(),
            };
            match there {
                None => {
                    pieces.extend(rest);
                    break;
                }
                Some((number, other)) => {
                    pieces.extend(some.before(other.first()));
                    here = Some(*number);
                }
            }
        }
        believed.extend(pieces.into_iter().map(|piece| (piece.first().number, piece)));
    }
    believed.into_values().collect()
}
