//! What a container's bytes are before its elements are read: the header, and the heads of blocks.

use super::crc32c;

pub const MAGIC: &[u8; 8] = b"\x89Tern\r\n\x1a";
pub const VERSION: u8 = 1;
pub const HEADER: usize = 40;
pub const HEAD: usize = 64;
pub const PLAIN: u8 = 0;
pub const ZSTD: u8 = 1;
pub const END: u8 = 0xff;

/// How many blocks and elements are before a block, and where its head begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    pub number: u64,
    pub first: u64,
    pub offset: u64,
}

/// What stands before a block, and says where it belongs. The end is one of kind ff.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    pub kind: u8,
    pub count: u32,
    pub stored: u64,
    pub raw: u64,
    pub place: Place,
    pub checksum: u32,
}

impl Head {
    pub fn is_end(&self) -> bool {
        self.kind == END
    }

    /// Where the next block belongs; one takes the end's place.
    pub fn next(&self) -> Place {
        if self.is_end() {
            return self.place;
        }
        Place {
            number: self.place.number + 1,
            first: self.place.first + u64::from(self.count),
            offset: self.place.offset + HEAD as u64 + self.stored,
        }
    }

    pub fn write(&self, mark: [u8; 8]) -> [u8; HEAD] {
        let mut out = [0; HEAD];
        out[..8].copy_from_slice(&mark);
        out[8] = self.kind;
        out[12..16].copy_from_slice(&self.count.to_le_bytes());
        out[16..24].copy_from_slice(&self.stored.to_le_bytes());
        out[24..32].copy_from_slice(&self.raw.to_le_bytes());
        out[32..40].copy_from_slice(&self.place.number.to_le_bytes());
        out[40..48].copy_from_slice(&self.place.first.to_le_bytes());
        out[48..56].copy_from_slice(&self.place.offset.to_le_bytes());
        out[56..60].copy_from_slice(&self.checksum.to_le_bytes());
        let own = crc32c(&out[..60]);
        out[60..].copy_from_slice(&own.to_le_bytes());
        out
    }

    /// The head that 64 bytes are, or why they are none.
    pub fn read(bytes: &[u8], mark: Option<[u8; 8]>) -> Result<Head, String> {
        if bytes.len() < HEAD {
            return Err("the file ends here".into());
        }
        if mark.is_some_and(|mark| bytes[..8] != mark) {
            return Err("no block begins here".into());
        }
        if u32_at(bytes, 60) != crc32c(&bytes[..60]) {
            return Err("the checksum of the block's head does not fit it".into());
        }
        let place = Place { number: u64_at(bytes, 32), first: u64_at(bytes, 40), offset: u64_at(bytes, 48) };
        let head = Head {
            kind: bytes[8],
            count: u32_at(bytes, 12),
            stored: u64_at(bytes, 16),
            raw: u64_at(bytes, 24),
            place,
            checksum: u32_at(bytes, 56),
        };
        let numbers = [head.stored, head.raw, place.number, place.first, place.offset];
        let strange = bytes[9..12] != [0; 3] || numbers.iter().any(|number| *number >= 1 << 62);
        let sensible = match head.kind {
            END => (head.count, head.stored, head.raw, head.checksum) == (0, 0, 0, 0),
            // Each element has a byte at least.
            kind => {
                head.count > 0
                    && u64::from(head.count) <= head.raw
                    && head.stored > 0
                    && (kind != PLAIN || head.stored == head.raw)
            }
        };
        if strange || !sensible {
            return Err("the block's head is one that no writer writes".into());
        }
        Ok(head)
    }
}

pub fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

pub fn u64_at(bytes: &[u8], at: usize) -> u64 {
    let mut eight = [0; 8];
    eight.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(eight)
}

/// The header of a schema's container.
pub fn header(mark: [u8; 8], fingerprint: u64, schema: &[u8]) -> Vec<u8> {
    let mut out = MAGIC.to_vec();
    out.extend_from_slice(&[VERSION, 0, 0, 0]);
    out.extend_from_slice(&(schema.len() as u32).to_le_bytes());
    out.extend_from_slice(&mark);
    out.extend_from_slice(&fingerprint.to_le_bytes());
    out.extend_from_slice(&crc32c(schema).to_le_bytes());
    let own = crc32c(&out);
    out.extend_from_slice(&own.to_le_bytes());
    out.extend_from_slice(schema);
    out
}
