//! A container's blocks in the order in which they were written, and what is lost between them.
//!
//! `scan` says what stands in the bytes; here it is put in order, as a network's packets are: rules 12,
//! 14 and 15 of the container's page. A block that comes next is handed over at once. One that does not
//! is kept back until those before it have come, or until as much is kept as is allowed, or until the
//! input has ended; then `order` says what is believed, and what is missing is lost. Memory is that of
//! a block and of what is kept back.

use super::head::*;
use super::order::*;
use super::scan::*;
use super::shelf::Shelf;
use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::io::{self, Read};

/// What is missing: a range of bytes, and how many blocks and elements, where that is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loss {
    pub from: u64,
    pub to: u64,
    pub missing: Option<(u64, u64)>,
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "lost: bytes {} to {}", self.from, self.to)?;
        let s = |n: u64| if n == 1 { "" } else { "s" };
        match self.missing {
            Some((blocks, elements)) => write!(f, ", {blocks} block{}, {elements} element{}", s(blocks), s(elements)),
            None => Ok(()),
        }
    }
}

pub enum Frame {
    Block(Block),
    Fault(Fault),
    Loss(Loss),
}

/// Puts in order what is found.
pub struct Frames<R> {
    pub scan: Scan<R>,
    /// What the first block says; it is not known in a part of a file.
    expected: Option<Next>,
    /// Where the blocks of the part say that they begin.
    part: Option<(u64, u64)>,
    max_held: u64,
    kept: Shelf,
    /// From which positions to which there was nothing. No two of these ranges touch.
    rubbish: BTreeMap<u64, u64>,
    /// The end that says most, and where it stands.
    ending: Option<(Head, u64)>,
    said: VecDeque<Frame>,
    /// What is wrong is said once it is known that something follows.
    wrong: Option<Fault>,
    done: bool,
}

impl<R: Read> Frames<R> {
    pub fn new(scan: Scan<R>, after: Next, part: Option<(u64, u64)>, max_held: usize) -> Frames<R> {
        Frames {
            scan,
            expected: part.is_none().then_some(after),
            part,
            max_held: max_held as u64,
            kept: Shelf::default(),
            rubbish: BTreeMap::new(),
            ending: None,
            said: VecDeque::new(),
            wrong: None,
            done: false,
        }
    }

    pub fn next(&mut self) -> io::Result<Option<Frame>> {
        loop {
            if let Some(frame) = self.said.pop_front() {
                return Ok(Some(frame));
            }
            if self.done {
                return Ok(None);
            }
            let found = self.scan.next()?;
            // What is left is said before the last that is wrong.
            if found.is_some() {
                self.said.extend(self.wrong.take().map(Frame::Fault));
            }
            match found {
                Some(Found::Block(block)) => {
                    self.arrived(block);
                    while self.kept.held > self.max_held {
                        self.settle(self.max_held - self.max_held / 4);
                    }
                }
                Some(Found::Finish(head, at)) => self.further(head, at),
                Some(Found::Rubbish(from, to)) => self.nothing(from, to),
                Some(Found::Fault(fault)) => self.wrong = Some(fault),
                None => {
                    self.finish();
                    self.said.extend(self.wrong.take().map(Frame::Fault));
                    self.done = true;
                }
            }
        }
    }

    /// Of two ends the one that says more, and of equal ones the one that stands where it says. The other
    /// is none.
    fn further(&mut self, head: Head, at: u64) {
        let says = |(head, at): &(Head, u64)| (head.place.number, head.place.offset == *at);
        let found = (head, at);
        let none = match self.ending {
            None => {
                self.ending = Some(found);
                return;
            }
            Some(known) if says(&known) >= says(&found) => at,
            Some(known) => {
                self.ending = Some(found);
                known.1
            }
        };
        self.nothing(none, none + HEAD as u64);
    }

    fn nothing(&mut self, mut from: u64, mut to: u64) {
        while let Some((a, b)) =
            self.rubbish.range(..=to).next_back().map(|(a, b)| (*a, *b)).filter(|(_, b)| *b >= from)
        {
            self.rubbish.remove(&a);
            (from, to) = (from.min(a), to.max(b));
        }
        self.rubbish.insert(from, to);
    }

    fn comes_next(&self, block: &Block) -> bool {
        match self.expected {
            None => block.head.place.offset == block.at,
            Some(next) => next.is_that_of(block.head.place),
        }
    }

    fn arrived(&mut self, block: Block) {
        if self.comes_next(&block) {
            self.hand(block);
            self.drain();
        } else if self.expected.is_some_and(|next| block.head.place.number < next.number) {
            // It has come before, or is said to be lost already.
            self.wasted([&block]);
        } else {
            self.kept.put(block);
        }
    }

    /// Hand over a block, say what is missing before it, and let go what it leaves no room for.
    fn hand(&mut self, block: Block) {
        let (at, place) = (block.at, block.head.place);
        self.drop(Some(at), place.number + 1);
        let ahead = self.rubbish.split_off(&at);
        let passed: Vec<(u64, u64)> = std::mem::replace(&mut self.rubbish, ahead).into_iter().collect();
        let missing = self.expected.map_or((0, 0), |next| (place.number - next.number, place.first - next.first));
        self.losses(at, &passed, Some(missing));
        self.expected = Some(Next::of(block.head.next()));
        self.said.push_back(Frame::Block(block));
    }

    /// Let go the blocks before a number, which are no longer wanted, but for one that is: it stands at a
    /// position.
    fn drop(&mut self, wanted: Option<u64>, number: u64) {
        let gone = self.kept.without(number);
        self.wasted(gone.iter().filter(|block| Some(block.at) != wanted));
    }

    fn wasted<'a>(&mut self, blocks: impl IntoIterator<Item = &'a Block>) {
        for block in blocks {
            self.nothing(block.at, block.at + HEAD as u64 + block.head.stored);
        }
    }

    /// Hand over what comes next of what is kept back, as far as it goes.
    fn drain(&mut self) {
        while let Some(next) = self.expected {
            match self.kept.due(next) {
                Some(block) => self.hand(block),
                None => return self.drop(None, next.number),
            }
        }
    }

    /// Hand over the runs that are believed, the first ones first, as long as more than so many bytes are
    /// kept back, and say what is missing before them. Where none is believed, none of them will ever be.
    fn settle(&mut self, least: u64) {
        let mut runs = self.kept.runs();
        if let Some((from, to)) = self.part {
            runs.retain(|run| run.0.iter().any(|block| (from..to).contains(&block.head.place.offset)));
        }
        let believed = chosen(self.expected, runs);
        if believed.is_empty() {
            let gone = self.kept.clear();
            self.wasted(&gone);
        }
        for run in believed {
            if self.kept.held <= least {
                return;
            }
            // Some of it may have been handed over already.
            let first = run.since(self.expected.map_or(0, |next| next.number)).first().cloned();
            if let Some(first) = first.filter(|first| self.expected.is_none_or(|next| next.fits(first.head.place))) {
                drop(run);
                self.hand(first);
                self.drain();
            }
        }
    }

    /// There is no more input: hand over all that is believed, and say what is missing at the end, as far
    /// as an end tells.
    fn finish(&mut self) {
        while !self.kept.is_empty() {
            self.settle(0);
        }
        let (end, missing) = match (self.expected, self.ending) {
            (Some(next), Some((head, at))) if (head.place.number, head.place.first) == (next.number, next.first) => {
                (at, Some((0, 0)))
            }
            (Some(next), Some((head, at))) if next.fits(head.place) => {
                (at, Some((head.place.number - next.number, head.place.first - next.first)))
            }
            _ => (u64::MAX, None),
        };
        // What follows an end may have been anything.
        let (early, late): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.rubbish).into_iter().partition(|(from, _)| *from <= end);
        self.losses(end, &early, missing);
        self.losses(end, &late, None);
    }

    /// Of what was passed over before a position, with blocks and elements that are missing.
    fn losses(&mut self, at: u64, passed: &[(u64, u64)], missing: Option<(u64, u64)>) {
        let loss = |from, to, missing| Frame::Loss(Loss { from, to, missing });
        match passed {
            [] if missing.is_none_or(|(blocks, _)| blocks == 0) => {}
            [] => self.said.push_back(loss(at, at, missing)),
            [(from, to), more @ ..] => {
                self.said.push_back(loss(*from, *to, missing));
                self.said.extend(more.iter().map(|(from, to)| loss(*from, *to, Some((0, 0)))));
            }
        }
    }
}
