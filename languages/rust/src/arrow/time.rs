//! Times as columns have them: days, and microseconds, from 1970-01-01 on.

use super::number::Whole;
use crate::error::{Error, Result};
use crate::format::Format;
use crate::schema::*;

/// 1970-01-01, from 1858-11-17 on.
const EPOCH: i64 = 40_587;
const DAY: i128 = 86_400_000_000;

/// What a moment is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Made {
    /// A day, and picoseconds of it.
    OfDay,
    /// A day, an hour, a minute, and picoseconds of that.
    OfMinute,
    /// Seconds and nanoseconds.
    OfSeconds,
}

/// Moments of a format. What is finer than a microsecond is cut off, towards the past.
#[derive(Debug, Clone)]
pub(super) struct Moment {
    made: Made,
    parts: Vec<Whole>,
}

impl Moment {
    pub(super) fn of(format: &Format, native: &Shape) -> Option<Moment> {
        let made = match format {
            Format::Utc => Made::OfDay,
            Format::Local => Made::OfMinute,
            Format::SystemTime => Made::OfSeconds,
            _ => return None,
        };
        let mut parts = vec![];
        wholes(native, &mut parts)?;
        Some(Moment { made, parts })
    }

    /// Is it one of the whole world's?
    pub(super) fn is_universal(&self) -> bool {
        self.made != Made::OfMinute
    }

    pub(super) fn read(&self, input: &[u8], at: &mut usize) -> Result<i64> {
        let start = *at;
        let mut all = [0i128; 4];
        for (slot, part) in all.iter_mut().zip(&self.parts) {
            *slot = i128::from(part.read(input, at)?);
        }
        let day = |day: i128| (day - i128::from(EPOCH)) * DAY;
        let micros = match self.made {
            Made::OfDay => day(all[0]) + all[1] / 1_000_000,
            Made::OfMinute => day(all[0]) + (all[1] * 60 + all[2]) * 60_000_000 + all[3] / 1_000_000,
            Made::OfSeconds => all[0] * 1_000_000 + all[1] / 1000,
        };
        i64::try_from(micros).map_err(|_| Error::at(start, "the time is beyond what a timestamp holds"))
    }

    /// Puts a moment behind some bytes.
    pub(super) fn write(&self, out: &mut Vec<u8>, micros: i64) -> Result<()> {
        const OF_DAY: i64 = DAY as i64;
        let (day, of_day) = (micros.div_euclid(OF_DAY) + EPOCH, micros.rem_euclid(OF_DAY));
        let all = match self.made {
            Made::OfDay => vec![day, of_day * 1_000_000],
            Made::OfMinute => {
                vec![day, of_day / 3_600_000_000, of_day / 60_000_000 % 60, of_day % 60_000_000 * 1_000_000]
            }
            Made::OfSeconds => vec![micros.div_euclid(1_000_000), micros.rem_euclid(1_000_000) * 1000],
        };
        self.parts.iter().zip(all).try_for_each(|(part, number)| part.write(out, number))
    }
}

/// The integers that a shape of tuples is made of.
fn wholes(shape: &Shape, found: &mut Vec<Whole>) -> Option<()> {
    match shape {
        Shape::Tuple(all) => all.iter().try_for_each(|one| wholes(one, found)),
        Shape::Integer(low, high, size) => Some(found.push(Whole::of(low, high, *size)?)),
        _ => None,
    }
}

/// A date as days from 1970-01-01 on.
pub(super) fn day(whole: &Whole, input: &[u8], at: &mut usize) -> Result<i32> {
    let start = *at;
    let found = whole.read(input, at)? - EPOCH;
    i32::try_from(found).map_err(|_| Error::at(start, "the date is beyond what a column holds"))
}

/// Puts a date behind some bytes.
pub(super) fn put_day(whole: &Whole, out: &mut Vec<u8>, days: i32) -> Result<()> {
    whole.write(out, i64::from(days) + EPOCH)
}
