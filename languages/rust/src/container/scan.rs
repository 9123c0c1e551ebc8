//! What stands in a container's bytes: its header, blocks whose checksums are right, ends, and what is
//! none of these. Rules 13 and 16 of the container's page.
//!
//! Checksums alone are believed here; whether a block belongs where it stands is for `order` to say.
//! Start at `opened`, then `Scan::next`.

use super::crc32c;
use super::head::*;
use super::order::*;
use std::fmt;
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::Arc;

const PIECE: usize = 1 << 18;

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

/// What is found next.
pub enum Found {
    Block(Block),
    /// An end, and where it stands.
    Finish(Head, u64),
    Fault(Fault),
    /// What lies between two positions is no block that is right.
    Rubbish(u64, u64),
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

    pub fn forget(&mut self, before: u64) {
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

// --- the header --------------------------------------------------------------------

/// What a container's first bytes are.
pub enum Opening {
    /// The mark, the fingerprint, and the schema.
    Right([u8; 8], u64, Vec<u8>),
    /// What is wrong with them, and the mark, where that part is right.
    Wrong(Fault, Option<[u8; 8]>),
}

pub fn opened<R: Read>(window: &mut Window<R>, max_schema: usize) -> io::Result<Opening> {
    let wrong = |at: usize, reason: String, mark| {
        Ok(Opening::Wrong(Fault { element: 0, block: 0, at: at as u64, reason }, mark))
    };
    let start = window.get(0, HEADER)?.to_vec();
    let begun = start.len().min(MAGIC.len());
    if start.len() < HEADER && begun > 0 && start[..begun] == MAGIC[..begun] {
        return wrong(0, "the file ends within its header".into(), None);
    }
    if start.len() < HEADER || start[..8] != *MAGIC {
        return wrong(0, "this is no container: it does not begin as one".into(), None);
    }
    if start[8] != VERSION {
        let reason = format!("this is a container of version {}; version {VERSION} is understood", start[8]);
        return wrong(8, reason, None);
    }
    let Some(begun) = Start::of(&start) else {
        return wrong(0, "the header's checksum does not fit it".into(), None);
    };
    if begun.size > max_schema {
        let reason = format!("the schema has {} bytes, and {max_schema} are allowed", begun.size);
        return wrong(12, reason, Some(begun.mark));
    }
    let schema = window.get(HEADER as u64, begun.size)?.to_vec();
    if schema.len() < begun.size {
        return wrong(HEADER + schema.len(), "the file ends within its header".into(), Some(begun.mark));
    }
    if crc32c(&schema) != begun.checksum {
        return wrong(HEADER, "the checksum of the schema does not fit it".into(), None);
    }
    Ok(Opening::Right(begun.mark, begun.fingerprint, schema))
}

/// A header before its schema.
struct Start {
    size: usize,
    mark: [u8; 8],
    fingerprint: u64,
    /// That of the schema.
    checksum: u32,
}

impl Start {
    fn of(bytes: &[u8]) -> Option<Start> {
        let fits = bytes.len() >= HEADER
            && bytes[..8] == *MAGIC
            && bytes[8..12] == [VERSION, 0, 0, 0]
            && u32_at(bytes, 36) == crc32c(&bytes[..36]);
        fits.then(|| Start {
            size: u32_at(bytes, 12) as usize,
            mark: mark_at(bytes, 16),
            fingerprint: u64_at(bytes, 24),
            checksum: u32_at(bytes, 32),
        })
    }
}

fn mark_at(bytes: &[u8], at: usize) -> [u8; 8] {
    let mut mark = [0; 8];
    mark.copy_from_slice(&bytes[at..at + 8]);
    mark
}

/// The mark of a file whose header is damaged, by its first bytes, and from where on heads are looked
/// for. Rule 16.
pub fn likely_mark<R: Read>(window: &mut Window<R>, size: usize) -> io::Result<(Option<[u8; 8]>, u64)> {
    let mut at = 0;
    loop {
        let bytes = window.get(at, size.max(HEAD))?;
        let (mark, end) = (likeliest(bytes), at + bytes.len() as u64);
        if mark.is_some() || window.is_over(end)? {
            return Ok((mark, at));
        }
        at = end - (HEAD as u64 - 1);
        window.forget(at);
    }
}

fn likeliest(bytes: &[u8]) -> Option<[u8; 8]> {
    let mut found: Vec<([u8; 8], u64)> = vec![];
    let (mut looked, mut at, mut earliest) = (0, 0, None);
    while let Some((place, head)) = next_head(bytes, at) {
        earliest.get_or_insert(place);
        at = place + HEAD;
        let mut weight = 1;
        let left = (bytes.len() - at) as u64;
        if head.stored <= left && looked + head.stored <= 2 * bytes.len() as u64 {
            looked += head.stored;
            if crc32c(&bytes[at..at + head.stored as usize]) == head.checksum {
                at += head.stored as usize;
                weight = HEAD as u64 + head.stored;
            }
        }
        let mark = mark_at(bytes, place);
        match found.iter_mut().find(|(one, _)| *one == mark) {
            Some((_, sum)) => *sum += weight,
            None => found.push((mark, weight)),
        }
    }
    let early = &bytes[..earliest?];
    let said = header_within(early);
    let is_early = |mark: &[u8; 8]| early.windows(8).any(|eight| eight == mark);
    // Of marks that say as much for themselves the one counts that is greater as a number.
    let best = found
        .into_iter()
        .max_by_key(|(mark, weight)| (Some(*mark) == said, is_early(mark), *weight, u64::from_le_bytes(*mark)));
    best.map(|(mark, _)| mark)
}

/// Where the next head of any file is, and what it says.
fn next_head(bytes: &[u8], from: usize) -> Option<(usize, Head)> {
    (from..(bytes.len() + 1).saturating_sub(HEAD)).find_map(|at| {
        let zeros = bytes[at + 9..at + 12] == [0; 3];
        // An end has no elements, and a block has some: checked before its sum is taken.
        let sensible = (bytes[at + 8] == END) == (bytes[at + 12..at + 16] == [0; 4]);
        let head = (zeros && sensible).then(|| Head::read(&bytes[at..at + HEAD], None).ok()).flatten();
        head.map(|head| (at, head))
    })
}

/// The mark of the first header that is right.
fn header_within(bytes: &[u8]) -> Option<[u8; 8]> {
    let mut looked = 0;
    for at in 0..bytes.len() {
        if !bytes[at..].starts_with(MAGIC) {
            continue;
        }
        let Some(start) = Start::of(&bytes[at..]) else { continue };
        if looked + start.size <= 2 * bytes.len() {
            looked += start.size;
            let schema = bytes.get(at + HEADER..at + HEADER + start.size);
            if schema.is_some_and(|schema| crc32c(schema) == start.checksum) {
                return Some(start.mark);
            }
        }
    }
    None
}

// --- blocks ------------------------------------------------------------------------

enum Stage {
    /// A head or the end of the input.
    AtHead,
    /// Behind a head that is right, which began at the position.
    Entering(u64, Head),
    /// Heads are looked for from the second position on; from the first on there was nothing.
    Searching(u64, u64),
    /// The same, for the first block of a part of a file.
    Joining(u64),
    /// Nothing, following an end.
    AtEnd,
    /// No block is right.
    Nothing,
    Over,
}

/// Goes through the bytes.
pub struct Scan<R> {
    pub window: Window<R>,
    mark: [u8; 8],
    stage: Stage,
    at: u64,
    next: Next,
    /// How much farther on heads say that they are than they are.
    shift: u64,
    /// Bytes of damaged blocks that were looked through.
    again: u64,
    until: u64,
    max_block: u64,
}

impl<R: Read> Scan<R> {
    /// From an offset on: a head stands there, or one is looked for; or the blocks that begin between two
    /// offsets.
    pub fn new(
        window: Window<R>,
        mark: [u8; 8],
        at: u64,
        searching: bool,
        part: Option<(u64, u64)>,
        max_block: u64,
    ) -> Scan<R> {
        let (at, stage) = match part {
            Some((from, _)) => (from, Stage::Joining(from)),
            None if searching => (at, Stage::Searching(at, at)),
            None => (at, Stage::AtHead),
        };
        Scan {
            window,
            mark,
            stage,
            at,
            next: Next { number: 0, first: 0, offset: None },
            shift: 0,
            again: 0,
            until: part.map_or(u64::MAX, |(_, to)| to),
            max_block,
        }
    }

    /// Of a file no block of which is right.
    pub fn nothing(window: Window<R>) -> Scan<R> {
        Scan { stage: Stage::Nothing, ..Scan::new(window, [0; 8], 0, false, None, 0) }
    }

    fn fault(&self, at: u64, reason: String) -> io::Result<Option<Found>> {
        Ok(Some(Found::Fault(Fault { element: self.next.first, block: self.next.number, at, reason })))
    }

    fn fault_of(head: &Head, at: u64, reason: String) -> io::Result<Option<Found>> {
        Ok(Some(Found::Fault(Fault { element: head.place.first, block: head.place.number, at, reason })))
    }

    pub fn next(&mut self) -> io::Result<Option<Found>> {
        loop {
            match std::mem::replace(&mut self.stage, Stage::Over) {
                Stage::Over => return Ok(None),
                Stage::Nothing => {
                    // A header that is cut off has nothing in it.
                    let end = Some(self.window.end()).filter(|end| *end >= HEADER as u64);
                    return Ok(end.map(|end| Found::Rubbish(0, end)));
                }
                Stage::AtHead => {
                    let at = self.at;
                    self.window.forget(at);
                    if at >= self.until {
                        return Ok(None);
                    }
                    let bytes = self.window.get(at, HEAD)?;
                    if bytes.is_empty() {
                        return self.fault(at, "the file ends without its end; it was cut off or not finished".into());
                    }
                    let (size, read) = (bytes.len(), Head::read(bytes, Some(self.mark)));
                    match read {
                        Err(reason) => {
                            let cut = size < HEAD;
                            self.stage = Stage::Searching(at, if cut { at } else { at + 1 });
                            return self.fault(if cut { at + size as u64 } else { at }, reason);
                        }
                        Ok(head) => {
                            self.stage = Stage::Entering(at, head);
                            let place = head.place;
                            if !self.next.is_that_of(place) || place.offset != at.wrapping_add(self.shift) {
                                return self.fault(at, "the block belongs to another place".into());
                            }
                        }
                    }
                }
                Stage::Entering(begin, head) => {
                    self.next = Next::of(head.next());
                    self.shift = head.place.offset.wrapping_sub(begin);
                    let at = begin + HEAD as u64;
                    if head.is_end() {
                        (self.at, self.stage) = (at, Stage::AtEnd);
                        return Ok(Some(Found::Finish(head, begin)));
                    }
                    let longest = head.stored.max(head.raw);
                    if longest > self.max_block {
                        self.stage = Stage::Searching(begin, at);
                        let reason = format!("the block has {longest} bytes, and {} are allowed", self.max_block);
                        return Self::fault_of(&head, begin, reason);
                    }
                    let stored = self.window.get(at, head.stored as usize)?;
                    if (stored.len() as u64) < head.stored {
                        let end = at + stored.len() as u64;
                        self.stage = Stage::Searching(begin, at);
                        return Self::fault_of(&head, end, "the file ends within this block".into());
                    }
                    if crc32c(stored) != head.checksum {
                        self.stage = Stage::Searching(begin, self.into(at, head.stored));
                        let reason = "the block's checksum does not fit its bytes".into();
                        return Self::fault_of(&head, begin, reason);
                    }
                    let stored = Arc::new(stored.to_vec());
                    (self.at, self.stage) = (at + head.stored, Stage::AtHead);
                    return Ok(Some(Found::Block(Block { head, at: begin, stored })));
                }
                Stage::Searching(nothing, from) => {
                    let found = self.search(from)?;
                    let end = found.map_or(self.window.end(), |(at, _)| at).min(self.until);
                    if let Some((at, head)) = found {
                        self.stage = Stage::Entering(at, head);
                    }
                    if nothing < end {
                        return Ok(Some(Found::Rubbish(nothing, end)));
                    }
                }
                Stage::Joining(from) => match self.search(from)? {
                    None => return Ok(None),
                    Some((at, head)) if head.place.offset == at => self.stage = Stage::Entering(at, head),
                    Some((at, head)) => {
                        if let Some(block) = self.tried(at, head)? {
                            return Ok(Some(Found::Block(block)));
                        }
                    }
                },
                Stage::AtEnd => {
                    let at = self.at;
                    if at < self.until && !self.window.is_over(at)? {
                        self.stage = Stage::Searching(at, at);
                        return self.fault(at, "something follows the end".into());
                    }
                    return Ok(None);
                }
            }
        }
    }

    /// The next head from an offset on, before the part's end.
    fn search(&mut self, mut at: u64) -> io::Result<Option<(u64, Head)>> {
        while at < self.until {
            match self.window.find(self.mark, at)? {
                Some(place) if place < self.until => {
                    if let Ok(head) = Head::read(self.window.get(place, HEAD)?, Some(self.mark)) {
                        return Ok(Some((place, head)));
                    }
                    at = place + 1;
                }
                _ => break,
            }
        }
        Ok(None)
    }

    /// Where heads are looked for on behind one whose block is damaged: also in the block, as long as
    /// that costs no more than four times what has come, and 64 KiB.
    fn into(&mut self, at: u64, size: u64) -> u64 {
        if self.again + size <= 4 * (at + size) + (64 << 10) {
            self.again += size;
            return at;
        }
        at + size
    }

    /// A block that is elsewhere by its own word, where a part may begin within another one.
    fn tried(&mut self, begin: u64, head: Head) -> io::Result<Option<Block>> {
        let at = begin + HEAD as u64;
        self.stage = Stage::Joining(at);
        if head.is_end() || head.stored.max(head.raw) > self.max_block {
            return Ok(None);
        }
        let stored = self.window.get(at, head.stored as usize)?;
        if (stored.len() as u64) < head.stored {
            return Ok(None);
        }
        if crc32c(stored) != head.checksum {
            self.stage = Stage::Joining(self.into(at, head.stored));
            return Ok(None);
        }
        let stored = Arc::new(stored.to_vec());
        self.next = Next::of(head.next());
        self.shift = head.place.offset.wrapping_sub(begin);
        (self.at, self.stage) = (at + head.stored, Stage::AtHead);
        Ok(Some(Block { head, at: begin, stored }))
    }
}
