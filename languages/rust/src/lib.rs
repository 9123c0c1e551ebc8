//! Documents and containers of Tern's native format, over serde's data model.
//!
//! A [`Schema`] says what bytes are; a [`Layout`] of it reads and writes any type that serde knows:
//!
//! ```
//! use serde::{Deserialize, Serialize};
//! use tern::{Layout, Schema};
//!
//! #[derive(Debug, PartialEq, Serialize, Deserialize)]
//! struct Bird {
//!     species: String,
//!     seen: u8,
//! }
//!
//! let schema = Schema::parse("Bird\nBird = {\"species\": text, \"seen\": integer 0..255}")?;
//! let birds = Layout::new(schema);
//! let auk = Bird { species: "auk".into(), seen: 2 };
//! let document = birds.encode(&auk)?;
//! assert_eq!(document, b"\x03auk\x02");
//! assert_eq!(birds.decode::<Bird>(&document)?, auk);
//! # Ok::<(), tern::Error>(())
//! ```
//!
//! [`container`] has files of many values, [`generate`] makes types of a schema, and [`Value`] is
//! for those who know no type.

#![forbid(unsafe_code)]

#[cfg(feature = "arrow")]
pub mod arrow;
pub mod container;
mod de;
mod error;
mod format;
pub mod generate;
mod integer;
mod layout;
mod number;
mod number_text;
mod schema;
mod schema_bytes;
mod schema_text;
mod ser;
mod value;

pub use de::MAX_DEPTH;
pub use error::{Error, Result};
pub use integer::Integer;
pub use layout::Layout;
pub use schema::{Body, Definition, Field, Form, Layout as Tagging, Notation, Schema, Shape, Size};
pub use value::{Value, Values};
