//! Blocks that are kept back until those before them have come.
//!
//! What follows exactly is one run, whichever came first, so that blocks that came in any order take as
//! many runs as there are gaps between them. Runs are found by where they begin and by what comes
//! after them.

use super::head::*;
use super::order::*;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// A run, and when its first block came.
struct Kept {
    blocks: VecDeque<Block>,
    born: u64,
    stored: u64,
}

impl Kept {
    fn begin(&self) -> Place {
        self.blocks[0].head.place
    }

    fn end(&self) -> Place {
        self.blocks[self.blocks.len() - 1].head.next()
    }

    /// This one, and one that begins where it ends. The shorter is put to the longer.
    fn linked(mut self, mut late: Kept) -> Kept {
        let (born, stored) = (self.born.min(late.born), self.stored + late.stored);
        let blocks = if self.blocks.len() >= late.blocks.len() {
            self.blocks.append(&mut late.blocks);
            self.blocks
        } else {
            while let Some(block) = self.blocks.pop_back() {
                late.blocks.push_front(block);
            }
            late.blocks
        };
        Kept { blocks, born, stored }
    }
}

/// Some blocks, in runs.
#[derive(Default)]
pub struct Shelf {
    /// Bytes of the blocks, with their heads.
    pub held: u64,
    /// By when something came to them last.
    runs: BTreeMap<u64, Kept>,
    begins: BTreeSet<(Place, u64)>,
    ends: BTreeSet<(Place, u64)>,
    clock: u64,
}

/// Of what stands at a place the one that something came to last.
fn latest(places: &BTreeSet<(Place, u64)>, place: Place) -> Option<u64> {
    places.range((place, 0)..=(place, u64::MAX)).next_back().map(|(_, key)| *key)
}

impl Shelf {
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// One block more: with the run that it follows and the one that follows it. Of several it is the
    /// one that something came to last.
    pub fn put(&mut self, block: Block) {
        self.clock += 1;
        self.held += HEAD as u64 + block.head.stored;
        let before = latest(&self.ends, block.head.place);
        let after = latest(&self.begins, block.head.next());
        let mut run = Kept { born: self.clock, stored: block.head.stored, blocks: VecDeque::from([block]) };
        if let Some(early) = before.and_then(|key| self.remove(key)) {
            run = early.linked(run);
        }
        if let Some(late) = after.and_then(|key| self.remove(key)) {
            run = run.linked(late);
        }
        self.enter(self.clock, run);
    }

    fn enter(&mut self, key: u64, run: Kept) {
        self.begins.insert((run.begin(), key));
        self.ends.insert((run.end(), key));
        self.runs.insert(key, run);
    }

    fn remove(&mut self, key: u64) -> Option<Kept> {
        let run = self.runs.remove(&key)?;
        self.begins.remove(&(run.begin(), key));
        self.ends.remove(&(run.end(), key));
        Some(run)
    }

    /// The block that comes next, if it is here: that of the heaviest run that begins with it, and of
    /// the one that came first of two that are as heavy. Nothing may be here that is before it.
    pub fn due(&self, after: Next) -> Option<Block> {
        let (low, high) = (after.offset.unwrap_or(0), after.offset.unwrap_or(u64::MAX));
        let place = |offset| Place { number: after.number, first: after.first, offset };
        self.begins
            .range((place(low), 0)..=(place(high), u64::MAX))
            .filter_map(|(_, key)| self.runs.get(key))
            .min_by_key(|run| (std::cmp::Reverse(run.stored), run.born))
            .map(|run| run.blocks[0].clone())
    }

    /// Drops the blocks before a number; these are they.
    pub fn without(&mut self, number: u64) -> Vec<Block> {
        let mut gone = vec![];
        while let Some((_, key)) = self.begins.first().filter(|(place, _)| place.number < number).copied() {
            let Some(mut run) = self.remove(key) else { break };
            while run.blocks.front().is_some_and(|block| block.head.place.number < number) {
                if let Some(block) = run.blocks.pop_front() {
                    self.held -= HEAD as u64 + block.head.stored;
                    run.stored -= block.head.stored;
                    gone.push(block);
                }
            }
            if !run.blocks.is_empty() {
                self.enter(key, run);
            }
        }
        gone
    }

    /// All of them, the one whose first block came first before the others.
    pub fn runs(&self) -> Vec<Run> {
        let mut kept: Vec<&Kept> = self.runs.values().collect();
        kept.sort_by_key(|run| run.born);
        kept.into_iter().map(|run| Run(run.blocks.iter().cloned().collect())).collect()
    }

    /// Drops all of them; these are they.
    pub fn clear(&mut self) -> Vec<Block> {
        let gone = self.runs().into_iter().flat_map(|run| run.0).collect();
        *self = Shelf { clock: self.clock, ..Shelf::default() };
        gone
    }
}
