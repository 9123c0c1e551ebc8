//! Values into a container.

use super::crc32c;
use super::head::*;
use crate::error::Result as Encoded;
use crate::layout::Layout;
use crate::value::{Value, Values};
use serde::Serialize;
use std::io::{self, Write};

/// The bytes of elements that make a block full.
pub const BLOCK_BYTES: usize = 16 << 10;

/// Writes a container to a stream. Without `finish` it is one that was cut off.
pub struct Writer<'a, W> {
    blocks: Blocks<W>,
    layout: &'a Layout,
}

impl<'a, W: Write> Writer<'a, W> {
    /// A mark is drawn by chance for each file; `level` says that blocks are compressed.
    pub fn new(target: W, layout: &'a Layout, mark: [u8; 8], level: Option<i32>) -> io::Result<Writer<'a, W>> {
        Writer::with(target, layout, mark, level, BLOCK_BYTES)
    }

    /// With blocks that are full when their elements have so many bytes.
    pub fn with(
        target: W,
        layout: &'a Layout,
        mark: [u8; 8],
        level: Option<i32>,
        block_bytes: usize,
    ) -> io::Result<Writer<'a, W>> {
        Ok(Writer { blocks: Blocks::new(target, layout, mark, level, block_bytes)?, layout })
    }

    /// Goes on where the next block belongs, in a container that has begun.
    pub(super) fn going_on(
        target: W,
        layout: &'a Layout,
        mark: [u8; 8],
        level: Option<i32>,
        block_bytes: usize,
        place: Place,
    ) -> Writer<'a, W> {
        let blocks = Blocks { target, mark, block_bytes, level, place, waiting: vec![], count: 0 };
        Writer { blocks, layout }
    }

    pub(super) fn target(&self) -> &W {
        &self.blocks.target
    }

    /// Add a value. One that does not fit the schema is an error, and is not added.
    pub fn put<T: Serialize + ?Sized>(&mut self, value: &T) -> io::Result<()> {
        self.blocks.put(|out| self.layout.encode_into(out, value))
    }

    /// Add a value whose type is not known.
    pub fn put_value(&mut self, value: &Value) -> io::Result<()> {
        self.blocks.put(|out| Values(self.layout).encode_into(out, value))
    }

    /// Hand what waits to the stream, as a block.
    pub fn flush(&mut self) -> io::Result<()> {
        self.blocks.flush()
    }

    /// Write what waits, and the end.
    pub fn finish(self) -> io::Result<W> {
        self.blocks.finish()
    }
}

/// Puts documents together to blocks.
pub(crate) struct Blocks<W> {
    target: W,
    mark: [u8; 8],
    block_bytes: usize,
    level: Option<i32>,
    place: Place,
    waiting: Vec<u8>,
    count: u32,
}

impl<W: Write> Blocks<W> {
    /// Writes the header of a container.
    pub fn new(
        mut target: W,
        layout: &Layout,
        mark: [u8; 8],
        level: Option<i32>,
        block_bytes: usize,
    ) -> io::Result<Blocks<W>> {
        let schema = layout.schema();
        let start = header(mark, schema.fingerprint(), &schema.to_bytes());
        target.write_all(&start)?;
        let place = Place { number: 0, first: 0, offset: start.len() as u64 };
        Ok(Blocks { target, mark, block_bytes, level, place, waiting: vec![], count: 0 })
    }

    /// Adds a document, which is put behind some bytes; where that fails, these are as they were.
    pub fn put(&mut self, encode: impl FnOnce(&mut Vec<u8>) -> Encoded<()>) -> io::Result<()> {
        encode(&mut self.waiting).map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))?;
        self.count += 1;
        if self.waiting.len() >= self.block_bytes || self.count == u32::MAX {
            self.flush()?;
        }
        Ok(())
    }

    pub fn flush(&mut self) -> io::Result<()> {
        if self.count == 0 {
            return Ok(());
        }
        let raw = std::mem::take(&mut self.waiting);
        let smaller = match self.level {
            Some(level) => Some(zstd::bulk::compress(&raw, level)?).filter(|bytes| bytes.len() < raw.len()),
            None => None,
        };
        let stored = smaller.as_ref().unwrap_or(&raw);
        let head = Head {
            kind: if smaller.is_some() { ZSTD } else { PLAIN },
            count: self.count,
            stored: stored.len() as u64,
            raw: raw.len() as u64,
            place: self.place,
            checksum: crc32c(stored),
        };
        self.target.write_all(&head.write(self.mark))?;
        self.target.write_all(stored)?;
        self.target.flush()?;
        self.place = head.next();
        self.count = 0;
        Ok(())
    }

    pub fn finish(mut self) -> io::Result<W> {
        self.flush()?;
        let end = Head { kind: END, count: 0, stored: 0, raw: 0, place: self.place, checksum: 0 };
        self.target.write_all(&end.write(self.mark))?;
        self.target.flush()?;
        Ok(self.target)
    }
}
