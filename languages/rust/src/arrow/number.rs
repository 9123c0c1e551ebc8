//! Integers as columns have them: of 64 bits, or decimals of 38 digits.

use crate::error::{Error, Result};
use crate::layout::integer;
use crate::number::*;
use crate::schema::*;
use num_bigint::BigInt;

/// An integer whose bounds 64 bits hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Whole {
    width: Width,
    signed: bool,
    pub low: i64,
    pub high: i64,
}

impl Whole {
    pub(super) fn of(low: &Option<BigInt>, high: &Option<BigInt>, size: Size) -> Option<Whole> {
        let bound = |one: &Option<BigInt>| one.as_ref().and_then(|one| i64::try_from(one).ok());
        let (low_bound, high_bound) = (bound(low)?, bound(high)?);
        Some(Whole { width: width(low, high, size), signed: is_signed(low), low: low_bound, high: high_bound })
    }

    #[inline]
    pub(super) fn read(&self, input: &[u8], at: &mut usize) -> Result<i64> {
        let start = *at;
        let found = match (self.width, self.signed) {
            (Width::One, true) => i64::from(byte(input, at)? as i8),
            (Width::One, false) => i64::from(byte(input, at)?),
            (Width::Two, signed) => {
                let two = take(input, at, 2)?;
                let bits = u16::from_le_bytes([two[0], two[1]]);
                if signed {
                    i64::from(bits as i16)
                } else {
                    i64::from(bits)
                }
            }
            (Width::Four, true) => i64::from(four(input, at)? as i32),
            (Width::Four, false) => i64::from(four(input, at)?),
            (Width::Eight, true) => eight(input, at)? as i64,
            (Width::Eight, false) => i64::try_from(eight(input, at)?).map_err(|_| outside(start))?,
            (Width::Varint | Width::Magnitude, true) => unzigzag(varint(input, at)?),
            (Width::Varint | Width::Magnitude, false) => {
                i64::try_from(varint(input, at)?).map_err(|_| outside(start))?
            }
        };
        if found < self.low || found > self.high {
            return Err(outside(start));
        }
        Ok(found)
    }

    pub(super) fn write(&self, out: &mut Vec<u8>, number: i64) -> Result<()> {
        if number < self.low || number > self.high {
            return Err(Error::value(format!("the number {number} is out of its bounds")));
        }
        match (self.width, self.signed) {
            (Width::One, _) => out.push(number as u8),
            (Width::Two, _) => out.extend_from_slice(&(number as u16).to_le_bytes()),
            (Width::Four, true) => out.extend_from_slice(&i32::try_from(number).map_err(longer)?.to_le_bytes()),
            (Width::Four, false) => out.extend_from_slice(&u32::try_from(number).map_err(longer)?.to_le_bytes()),
            (Width::Eight, _) => out.extend_from_slice(&number.to_le_bytes()),
            (Width::Varint | Width::Magnitude, true) => put_varint(out, zigzag(number)),
            (Width::Varint | Width::Magnitude, false) => put_varint(out, number as u64),
        }
        Ok(())
    }
}

fn longer(_: std::num::TryFromIntError) -> Error {
    Error::value("the bounds are wider than the bytes")
}

fn outside(at: usize) -> Error {
    Error::at(at, "the number is out of its bounds")
}

/// Any other integer, as a decimal of up to 38 digits.
#[derive(Debug, Clone)]
pub(super) struct Wide {
    pub low: Option<BigInt>,
    pub high: Option<BigInt>,
    pub size: Size,
    /// Most are short, and then these say what they are: is there a sign, and no bound that
    /// 56 bits could be beyond?
    short: Option<bool>,
}

/// The greatest number of 38 digits.
const MOST: i128 = 10i128.pow(38) - 1;

impl Wide {
    pub(super) fn of(low: &Option<BigInt>, high: &Option<BigInt>, size: Size) -> Wide {
        let short = match (low, high) {
            (None, None) => Some(true),
            (Some(low), None) if *low == BigInt::ZERO => Some(false),
            _ => None,
        };
        Wide { low: low.clone(), high: high.clone(), size, short }
    }

    /// How many digits a decimal has that holds all of them, or 38.
    pub(super) fn digits(&self) -> u8 {
        let size = |one: &BigInt| one.magnitude().to_string().len();
        match (&self.low, &self.high) {
            (Some(low), Some(high)) => size(low).max(size(high)).min(38) as u8,
            _ => 38,
        }
    }

    pub(super) fn read(&self, input: &[u8], at: &mut usize) -> Result<i128> {
        let start = *at;
        if let (Some(signed), true) = (self.short, input.get(start) != Some(&0xff)) {
            let found = varint(input, at)?;
            return Ok(if signed { i128::from(unzigzag(found)) } else { i128::from(found) });
        }
        let found = integer(&self.low, &self.high, self.size, input, at)?;
        match i128::try_from(&found) {
            Ok(small) if small.abs() <= MOST => Ok(small),
            _ => Err(Error::at(start, "a column has numbers of up to 38 digits")),
        }
    }
}
