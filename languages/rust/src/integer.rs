//! Integers of any size, for schemas that have no bounds.

use crate::de::INTEGER;
use num_bigint::BigInt;
use serde::de::{Deserialize, Deserializer, Visitor};
use serde::ser::{Serialize, Serializer};

/// An integer of any size. Only this crate's formats know it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Integer(pub BigInt);

struct Bytes(Vec<u8>);

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

impl Serialize for Integer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_newtype_struct(INTEGER, &Bytes(self.0.to_signed_bytes_le()))
    }
}

impl<'de> Deserialize<'de> for Integer {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Integer, D::Error> {
        struct Taken;

        impl Visitor<'_> for Taken {
            type Value = Integer;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an integer")
            }

            fn visit_byte_buf<E>(self, bytes: Vec<u8>) -> Result<Integer, E> {
                Ok(Integer(BigInt::from_signed_bytes_le(&bytes)))
            }
        }

        deserializer.deserialize_newtype_struct(INTEGER, Taken)
    }
}
