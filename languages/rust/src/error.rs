//! What can go wrong, as data: an offset and a reason.

use std::fmt;

/// A document that does not decode, a value that its schema does not have, or a schema that
/// cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// The byte of what is wrong; in a schema's text the character; nothing for a value.
    pub offset: Option<usize>,
    /// What is wrong there.
    pub reason: String,
    /// Nobody knows where the value ends: a length, a count or a constructor is none that a
    /// writer writes.
    pub loses_place: bool,
}

pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    pub(crate) fn at(offset: usize, reason: impl Into<String>) -> Error {
        Error { offset: Some(offset), reason: reason.into(), loses_place: false }
    }

    pub(crate) fn lost(offset: usize, reason: impl Into<String>) -> Error {
        Error { offset: Some(offset), reason: reason.into(), loses_place: true }
    }

    pub(crate) fn value(reason: impl Into<String>) -> Error {
        Error { offset: None, reason: reason.into(), loses_place: false }
    }

    /// One that serde's own code raised gets the place where it was met.
    pub(crate) fn placed(mut self, offset: usize) -> Error {
        self.offset.get_or_insert(offset);
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.offset {
            Some(offset) => write!(f, "byte {}: {}", offset, self.reason),
            None => f.write_str(&self.reason),
        }
    }
}

impl std::error::Error for Error {}

impl serde::de::Error for Error {
    fn custom<T: fmt::Display>(reason: T) -> Error {
        Error::value(reason.to_string())
    }
}

impl serde::ser::Error for Error {
    fn custom<T: fmt::Display>(reason: T) -> Error {
        Error::value(reason.to_string())
    }
}
