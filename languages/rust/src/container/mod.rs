//! Containers: files and streams of values of one type, with their schema. The pages are
//! `docs/spec/container.md`.

mod crc32c;
mod file;
mod frames;
mod head;
mod order;
mod reader;
mod scan;
mod shelf;
mod target;
mod writer;

pub use crc32c::crc32c;
pub use file::{Durability, FileWriter};
pub use frames::Loss;
#[cfg(feature = "arrow")]
pub(crate) use frames::{Frame, Frames};
#[cfg(feature = "arrow")]
pub(crate) use reader::Opened;
pub use reader::{Bounds, Finding, Reader, ValueFinding};
pub use scan::Fault;
pub use writer::Writer;
#[cfg(feature = "arrow")]
pub(crate) use writer::{Blocks, BLOCK_BYTES};
