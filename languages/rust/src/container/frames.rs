//! A container's blocks in order, and what is damaged or lost between them: rules 12 to 17 of the
//! container's page. Bytes are looked through for blocks (`Finder`), and these are put in order
//! by what their heads say (`Shelf`).

use super::crc32c;
use super::head::*;
use std::collections::{HashSet, VecDeque};
use std::fmt;
use std::io::{self, Read, Seek, SeekFrom};

const PIECE: usize = 1 << 18;
const MAX_RUNS: usize = 32;

/// What is wrong, with the number of the next element and block, and the byte.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    pub element: u64,
    pub block: u64,
    pub at: u64,
    pub reason: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "element {}, block {}, byte {}: {}", self.element, self.block, self.at, self.reason)
    }
}

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

#[derive(Debug, Clone)]
pub struct Block {
    pub head: Head,
    pub at: u64,
    pub stored: Vec<u8>,
}

pub enum Frame {
    Block(Block),
    Fault(Fault),
    Loss(Loss),
}

/// The bytes of a stream from some offset on, as far as they are needed.
pub struct Window<R> {
    source: R,
    base: u64,
    buffer: Vec<u8>,
    over: bool,
}

impl<R: Read> Window<R> {
    pub fn new(source: R, base: u64) -> Window<R> {
        Window { source, base, buffer: vec![], over: false }
    }

    pub fn end(&self) -> u64 {
        self.base + self.buffer.len() as u64
    }

    /// Up to so many bytes from an offset, fewer where the input ends.
    pub fn get(&mut self, at: u64, size: usize) -> io::Result<&[u8]> {
        let start = (at - self.base) as usize;
        while !self.over && self.buffer.len() < start + size {
            let have = self.buffer.len();
            let wanted = PIECE.max(start + size - have);
            // No more room than what has come asks for: a claim is no reason to allocate.
            let found = self.source.by_ref().take(wanted as u64).read_to_end(&mut self.buffer)?;
            self.over = found < wanted;
        }
        let end = self.buffer.len().min(start + size);
        Ok(&self.buffer[start.min(end)..end])
    }

    pub fn is_over(&mut self, at: u64) -> io::Result<bool> {
        Ok(self.get(at, 1)?.is_empty())
    }

    fn forget(&mut self, before: u64) {
        let size = (before - self.base) as usize;
        if size > PIECE.max(self.buffer.len() / 2) && size <= self.buffer.len() {
            self.buffer.drain(..size);
            self.base = before;
        }
    }

    fn find(&mut self, what: [u8; 8], mut at: u64) -> io::Result<Option<u64>> {
        loop {
            self.forget(at);
            let start = ((at - self.base) as usize).min(self.buffer.len());
            if let Some(found) = self.buffer[start..].windows(8).position(|eight| eight == what) {
                return Ok(Some(at + found as u64));
            }
            at = at.max(self.end().saturating_sub(7));
            let end = self.end();
            if self.get(end, 1)?.is_empty() {
                return Ok(None);
            }
        }
    }
}

impl<R: Read + Seek> Window<R> {
    /// Goes on from an offset without the bytes before it, if they have not come.
    pub fn jump(&mut self, to: u64) -> io::Result<()> {
        if to > self.end() {
            self.source.seek(SeekFrom::Start(to))?;
            (self.base, self.over) = (to, false);
            self.buffer.clear();
        }
        Ok(())
    }
}

/// Where the blocks of a container are read from, and what of it.
pub struct Frames<R> {
    pub window: Window<R>,
    mark: [u8; 8],
    start: u64,
    at: u64,
    resume: u64,
    searching: bool,
    until: Option<u64>,
    max_block: u64,
    looked: u64,
    shelf: Shelf,
    ready: VecDeque<Frame>,
    reached: u64,
    done: bool,
}

impl<R: Read> Frames<R> {
    /// From the first head on, or those that begin between two offsets.
    pub fn new(
        window: Window<R>,
        mark: [u8; 8],
        start: u64,
        whole_start: bool,
        part: Option<(u64, u64)>,
        max_block: u64,
        max_held: usize,
    ) -> Frames<R> {
        let at = part.map_or(start, |(from, _)| from.max(start));
        let last = (part.is_none() && whole_start).then_some(Place { number: 0, first: 0, offset: start });
        Frames {
            window,
            mark,
            start,
            at,
            resume: at,
            searching: at > start || !whole_start,
            until: part.map(|(_, to)| to),
            max_block,
            looked: 0,
            shelf: Shelf {
                last,
                in_place: part.is_some(),
                ended: false,
                max_held,
                held: 0,
                runs: vec![],
                known: HashSet::new(),
            },
            ready: VecDeque::new(),
            reached: at,
            done: false,
        }
    }

    pub fn next(&mut self) -> io::Result<Option<Frame>> {
        loop {
            if let Some(frame) = self.ready.pop_front() {
                return Ok(Some(frame));
            }
            if self.done {
                return Ok(None);
            }
            if !self.find()? {
                self.finish();
            }
        }
    }

    fn fault(&mut self, at: u64, reason: String) {
        let last = self.shelf.last.unwrap_or(Place { number: 0, first: 0, offset: 0 });
        self.ready.push_back(Frame::Fault(Fault { element: last.first, block: last.number, at, reason }));
    }

    /// Looks at one place; false at the end.
    fn find(&mut self) -> io::Result<bool> {
        if self.searching {
            match self.window.find(self.mark, self.resume)? {
                Some(found) => self.at = found,
                None => return Ok(false),
            }
        } else if self.window.is_over(self.at)? {
            return Ok(false);
        }
        let at = self.at;
        self.window.forget(at);
        if self.until.is_some_and(|until| at >= until) {
            return Ok(false);
        }
        let mut past = at + 1;
        let reason = match Head::read(self.window.get(at, HEAD)?, Some(self.mark), self.max_block) {
            Err(reason) => reason,
            Ok(head) => {
                let stored = self.window.get(at + HEAD as u64, head.stored as usize)?;
                if (stored.len() as u64) < head.stored {
                    "the file ends within this block".into()
                } else if crc32c(stored) != head.checksum {
                    self.looked += head.stored;
                    if self.looked > 4 * (self.window.end() - self.start.min(self.window.end())) + (64 << 10) {
                        past = at + HEAD as u64 + head.stored;
                    }
                    "the block's checksum does not fit its bytes".into()
                } else {
                    let stored = stored.to_vec();
                    self.at = at + HEAD as u64 + head.stored;
                    (self.resume, self.reached, self.searching) = (self.at, self.at, false);
                    self.shelf.put(Block { head, at, stored }, &mut self.ready);
                    if head.is_end() && !self.window.is_over(self.at)? {
                        self.fault(self.at, "something follows the end".into());
                        self.searching = true;
                    }
                    return Ok(true);
                }
            }
        };
        if !self.searching {
            self.fault(at, reason);
            self.searching = true;
        }
        self.resume = past;
        Ok(true)
    }

    fn finish(&mut self) {
        self.done = true;
        self.shelf.settle(&mut self.ready);
        if !self.shelf.in_place && !self.shelf.ended {
            let end = self.window.end();
            if end > self.reached {
                self.ready.push_back(Frame::Loss(Loss { from: self.reached, to: end, missing: None }));
            }
            self.fault(end, "the file ends without its end; it was cut off or not finished".into());
        }
    }
}

/// Blocks that came and are not handed over yet, in runs of such that follow each other.
struct Shelf {
    /// Where the next block belongs. It is not known in a part of a file, which begins with a block
    /// that stands in its place, nor behind a header that is damaged.
    last: Option<Place>,
    in_place: bool,
    ended: bool,
    max_held: usize,
    held: usize,
    runs: Vec<Vec<Block>>,
    known: HashSet<(Place, bool)>,
}

fn weight(run: &[Block]) -> usize {
    run.iter().map(|block| HEAD + block.stored.len()).sum()
}

fn end_of(run: &[Block]) -> Option<Place> {
    run.last().map(|block| block.head.next())
}

impl Shelf {
    fn put(&mut self, block: Block, ready: &mut VecDeque<Frame>) {
        let place = block.head.place;
        let which = (place, block.head.is_end());
        let due = match self.last {
            None => self.in_place && place.offset == block.at,
            Some(last) if !last.fits(place) || self.known.contains(&which) || (self.ended && block.head.is_end()) => {
                return
            }
            Some(last) => last == place,
        };
        if due {
            let run = self.before_others(vec![block]);
            return self.hand(run, ready);
        }
        if !self.known.insert(which) {
            return;
        }
        self.held += HEAD + block.stored.len();
        let run = self.before_others(vec![block]);
        match self.runs.iter_mut().find(|one| end_of(one) == Some(place)) {
            Some(before) => before.extend(run),
            None => self.runs.push(run),
        }
        if self.held > self.max_held || self.runs.len() > MAX_RUNS {
            self.settle(ready);
        }
    }

    /// A run, with those that follow it, if they are kept.
    fn before_others(&mut self, mut run: Vec<Block>) -> Vec<Block> {
        while let Some(index) = self.runs.iter().position(|one| end_of(&run) == Some(one[0].head.place)) {
            run.extend(self.runs.swap_remove(index));
        }
        run
    }

    fn hand(&mut self, run: Vec<Block>, ready: &mut VecDeque<Frame>) {
        for block in run {
            self.last = Some(block.head.next());
            self.ended = block.head.is_end();
            if !self.ended {
                ready.push_back(Frame::Block(block));
            }
        }
        let last = self.last;
        self.runs.retain(|one| last.is_some_and(|last| last.fits(one[0].head.place)));
        self.known = self.runs.iter().flatten().map(|block| (block.head.place, block.head.is_end())).collect();
        self.held = self.runs.iter().map(|run| weight(run)).sum();
    }

    /// The heaviest run is believed, and of each other one what fits those believed before.
    fn settle(&mut self, ready: &mut VecDeque<Frame>) {
        let mut runs = std::mem::take(&mut self.runs);
        runs.sort_by_key(|run| (std::cmp::Reverse(weight(run)), run[0].head.place.number));
        let mut believed: Vec<Vec<Block>> = vec![];
        for run in runs {
            let placed = run.iter().any(|block| block.head.place.offset == block.at);
            if self.in_place && self.last.is_none() && !placed {
                continue;
            }
            let fits = believed.iter().all(|other| {
                end_of(other).is_some_and(|end| end.fits(run[0].head.place))
                    || end_of(&run).is_some_and(|end| end.fits(other[0].head.place))
            });
            if fits {
                believed.push(run);
            }
        }
        believed.sort_by_key(|run| run[0].head.place.number);
        for run in believed {
            let place = run[0].head.place;
            let start = Place { number: 0, first: 0, offset: HEADER as u64 };
            let last = self.last.unwrap_or(if self.in_place || place.number == 0 { place } else { start });
            if last != place {
                let missing = Some((place.number - last.number, place.first - last.first));
                ready.push_back(Frame::Loss(Loss { from: last.offset, to: place.offset, missing }));
            }
            self.hand(run, ready);
        }
    }
}

/// The mark of a file whose header is damaged: what the header says if a head has it, else that of
/// which most bytes are found in the first 16 MiB.
pub fn likely_mark(bytes: &[u8], said: Option<[u8; 8]>, max_block: u64) -> Option<[u8; 8]> {
    let mut found: Vec<([u8; 8], u64)> = vec![];
    for at in 0..bytes.len().saturating_sub(HEAD - 1) {
        if bytes[at + 9..at + 12] != [0; 3] || !matches!(bytes[at + 8], PLAIN | ZSTD | END) {
            continue;
        }
        if let Ok(head) = Head::read(&bytes[at..at + HEAD], None, max_block) {
            let mut mark = [0; 8];
            mark.copy_from_slice(&bytes[at..at + 8]);
            let size = HEAD as u64 + head.stored;
            match found.iter_mut().find(|(one, _)| *one == mark) {
                Some((_, sum)) => *sum += size,
                None => found.push((mark, size)),
            }
        }
    }
    let said = said.filter(|said| found.iter().any(|(mark, _)| mark == said));
    said.or_else(|| found.iter().max_by_key(|(_, size)| *size).map(|(mark, _)| *mark))
}
