//! Values of a container, block by block, and what is wrong between them.

use super::frames::*;
use super::head::*;
use super::order::{Block, Next};
use super::scan::*;
use crate::error::{Error, Result as Decoded};
use crate::layout::Layout;
use crate::schema::Schema;
use crate::value::{Value, Values};
use serde::de::DeserializeOwned;
use std::io::{self, Read, Seek};
use std::sync::Arc;

/// What may be kept or allocated.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// The bytes of a block, both as they are stored and as they are decompressed.
    pub max_block: u64,
    /// The bytes that are kept back behind damage.
    pub max_held: usize,
    /// The bytes of a schema.
    pub max_schema: usize,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds { max_block: 64 << 20, max_held: 16 << 20, max_schema: 1 << 20 }
    }
}

/// What is found next.
#[derive(Debug, Clone, PartialEq)]
pub enum Finding<T> {
    /// Values that follow each other, and the number of the first.
    Elements(u64, Vec<T>),
    Fault(Fault),
    Loss(Loss),
}

pub type ValueFinding = Finding<Value>;

/// Reads a container from a stream of bytes.
pub struct Reader<R> {
    frames: Frames<R>,
    layout: Layout,
    mark: [u8; 8],
    faults: Vec<Fault>,
}

impl<R: Read> Reader<R> {
    /// The whole container.
    pub fn new(source: R) -> io::Result<Reader<R>> {
        Reader::with(source, None, None, Bounds::default())
    }

    /// With a schema for files whose own is damaged; of the whole, or of the blocks that begin
    /// between two offsets: the parts of a file have each of its elements once.
    pub fn with(source: R, schema: Option<Schema>, part: Option<(u64, u64)>, bounds: Bounds) -> io::Result<Reader<R>> {
        let none = |reason: String| io::Error::new(io::ErrorKind::InvalidData, reason);
        let mut window = Window::new(source, 0);
        let (mut own, mut faults, mut first) = (None, vec![], None);
        let mut known = match opened(&mut window, bounds.max_schema)? {
            Opening::Right(mark, fingerprint, bytes) => {
                let written =
                    Schema::from_bytes(&bytes).map_err(|error| none(format!("the schema in the header: {error}")))?;
                if written.fingerprint() != fingerprint {
                    return Err(none(format!(
                        "the header's fingerprint is {fingerprint:016x}, and that of the schema in it {:016x}",
                        written.fingerprint()
                    )));
                }
                first = Some((HEADER + bytes.len()) as u64);
                own = Some(written);
                Some(mark)
            }
            Opening::Wrong(fault, mark) => {
                faults.push(fault);
                mark
            }
        };
        let Some(schema) = own.or(schema) else {
            return Err(none(format!("{}; to read the blocks, say what their schema is", faults[0].reason)));
        };
        // Where heads are looked for from on, if the header does not say where the first one is.
        let mut start = 0;
        if known.is_none() {
            (known, start) = likely_mark(&mut window, bounds.max_held)?;
        }
        let mark = known.unwrap_or_default();
        let scan = match known {
            Some(_) => Scan::new(window, mark, first.unwrap_or(start), first.is_none(), part, bounds.max_block),
            None => Scan::nothing(window),
        };
        let frames = Frames::new(scan, Next { number: 0, first: 0, offset: first }, part, bounds.max_held);
        Ok(Reader { frames, layout: Layout::new(schema), mark, faults })
    }

    /// The blocks, undecoded, and what was wrong with the header.
    #[cfg(feature = "arrow")]
    pub(crate) fn into_frames(self) -> (Frames<R>, Layout, Vec<Fault>) {
        (self.frames, self.layout, self.faults)
    }

    /// What the values were written with.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    pub fn mark(&self) -> [u8; 8] {
        self.mark
    }

    /// All values of a type, and all that is wrong between them.
    pub fn findings<T: DeserializeOwned>(self) -> io::Result<Vec<Finding<T>>> {
        let mut all = vec![];
        self.each(|layout, input, at| layout.decode_at(input, at), |finding| all.push(finding))?;
        Ok(all)
    }

    /// All values, whose type is not known.
    pub fn values(self) -> io::Result<Vec<ValueFinding>> {
        let mut all = vec![];
        self.each(|layout, input, at| Values(layout).decode_at(input, at), |finding| all.push(finding))?;
        Ok(all)
    }

    /// Hands over each finding as it is made, in constant memory.
    pub fn each<T>(
        mut self,
        decode: impl Fn(&Layout, &[u8], usize) -> Decoded<(T, usize)>,
        mut found: impl FnMut(Finding<T>),
    ) -> io::Result<()> {
        for fault in std::mem::take(&mut self.faults) {
            found(Finding::Fault(fault));
        }
        while let Some(frame) = self.frames.next()? {
            match frame {
                Frame::Fault(fault) => found(Finding::Fault(fault)),
                Frame::Loss(loss) => found(Finding::Loss(loss)),
                Frame::Block(block) => elements(&self.layout, block, &decode, &mut found),
            }
        }
        Ok(())
    }
}

impl<R: Read + Seek> Reader<R> {
    /// The blocks that begin between two offsets of a file, of which what is before them is not
    /// read, but for the header.
    pub fn part(source: R, schema: Option<Schema>, part: (u64, u64), bounds: Bounds) -> io::Result<Reader<R>> {
        let mut reader = Reader::with(source, schema, Some(part), bounds)?;
        reader.frames.scan.window.jump(part.0)?;
        Ok(reader)
    }
}

/// A block's elements, decompressed, and the next one of them.
pub(crate) struct Opened {
    head: Head,
    at: u64,
    pub bytes: Vec<u8>,
    /// The number of the next element, and of the one behind the last.
    pub index: u64,
    pub last: u64,
    /// Where the next element begins.
    pub cursor: usize,
}

impl Opened {
    pub fn new(block: Block) -> Result<Opened, (Fault, Loss)> {
        let head = block.head;
        let mut opened = Opened {
            head,
            at: block.at,
            bytes: Arc::unwrap_or_clone(block.stored),
            index: head.place.first,
            last: head.next().first,
            cursor: 0,
        };
        if head.kind != PLAIN && head.kind != ZSTD {
            let fault = opened.fault(format!("it is compressed by way {}, which is not known here", head.kind));
            return Err((fault, opened.lost(1, u64::from(head.count))));
        }
        if head.kind == ZSTD {
            match decompress(&opened.bytes, head.raw as usize) {
                Ok(bytes) => opened.bytes = bytes,
                Err(reason) => {
                    let fault = opened.fault(format!("the block does not decompress: {reason}"));
                    return Err((fault, opened.lost(1, u64::from(head.count))));
                }
            }
        }
        Ok(opened)
    }

    fn fault(&self, reason: String) -> Fault {
        Fault { element: self.index, block: self.head.place.number, at: self.at, reason }
    }

    fn lost(&self, blocks: u64, elements: u64) -> Loss {
        Loss { from: self.at, to: self.at + HEAD as u64 + self.head.stored, missing: Some((blocks, elements)) }
    }

    /// Steps over an element that is refused; where nobody knows its end, over all that follow.
    pub fn refused(&mut self, layout: &Layout, error: Error) -> (Fault, Option<Loss>) {
        let fault = self.fault(format!("in the block's bytes, {error}"));
        self.index += 1;
        match layout.after(&self.bytes, self.cursor) {
            Ok(end) => {
                self.cursor = end;
                (fault, None)
            }
            Err(_) => {
                let rest = self.last - self.index;
                (self.index, self.cursor) = (self.last, self.bytes.len());
                (fault, (rest > 0).then(|| self.lost(0, rest)))
            }
        }
    }

    /// What is wrong behind the last element.
    pub fn rest(&self) -> Option<Fault> {
        let left = self.bytes.len() - self.cursor;
        (left > 0).then(|| self.fault(format!("the block has {left} bytes behind its last element")))
    }
}

fn elements<T>(
    layout: &Layout,
    block: Block,
    decode: &impl Fn(&Layout, &[u8], usize) -> Decoded<(T, usize)>,
    found: &mut impl FnMut(Finding<T>),
) {
    let mut opened = match Opened::new(block) {
        Ok(opened) => opened,
        Err((fault, loss)) => {
            found(Finding::Fault(fault));
            return found(Finding::Loss(loss));
        }
    };
    let (mut values, mut start) = (vec![], opened.index);
    while opened.index < opened.last {
        match decode(layout, &opened.bytes, opened.cursor) {
            Ok((value, end)) => {
                values.push(value);
                opened.index += 1;
                opened.cursor = end;
            }
            Err(error) => {
                if !values.is_empty() {
                    found(Finding::Elements(start, std::mem::take(&mut values)));
                }
                let (fault, loss) = opened.refused(layout, error);
                found(Finding::Fault(fault));
                loss.into_iter().for_each(|loss| found(Finding::Loss(loss)));
                start = opened.index;
            }
        }
    }
    if !values.is_empty() {
        found(Finding::Elements(start, values));
    }
    opened.rest().into_iter().for_each(|fault| found(Finding::Fault(fault)));
}

fn decompress(stored: &[u8], size: usize) -> Result<Vec<u8>, String> {
    // There is room for what the head says, and what the frame says of itself is not asked.
    let bytes = zstd::bulk::decompress(stored, size).map_err(|error| error.to_string())?;
    if bytes.len() != size {
        return Err(format!("it has {} bytes, and not {size}", bytes.len()));
    }
    Ok(bytes)
}
