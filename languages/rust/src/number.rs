//! Numbers as the native format spells them: varints, zigzag, magnitudes.

use crate::error::{Error, Result};

/// The elements of a full chunk.
pub const CHUNK: usize = 4096;

pub(crate) fn cut_off(input: &[u8]) -> Error {
    Error::lost(input.len(), "the input ends here")
}

/// The next byte.
pub fn byte(input: &[u8], at: &mut usize) -> Result<u8> {
    let found = *input.get(*at).ok_or_else(|| cut_off(input))?;
    *at += 1;
    Ok(found)
}

/// The next bytes, as many as are asked for.
pub fn take<'a>(input: &'a [u8], at: &mut usize, size: usize) -> Result<&'a [u8]> {
    let end = at.checked_add(size).filter(|end| *end <= input.len()).ok_or_else(|| cut_off(input))?;
    let found = &input[*at..end];
    *at = end;
    Ok(found)
}

/// A varint, and whether it is as short as it could be.
fn any_varint(input: &[u8], at: &mut usize) -> Result<(u64, bool)> {
    let first = byte(input, at)?;
    if first < 0x80 {
        return Ok((u64::from(first), true));
    }
    let following = first.leading_ones() as usize;
    let rest = take(input, at, following)?;
    let mut number = if following >= 7 { 0 } else { u64::from(first) & (0x7f >> following) };
    for one in rest {
        number = number << 8 | u64::from(*one);
    }
    Ok((number, number >> (7 * following) != 0))
}

/// A varint.
pub fn varint(input: &[u8], at: &mut usize) -> Result<u64> {
    let start = *at;
    match any_varint(input, at)? {
        (number, true) => Ok(number),
        _ => Err(overlong(start)),
    }
}

fn overlong(at: usize) -> Error {
    Error::at(at, "the number is not written in as few bytes as it could be")
}

/// Steps over a varint, however it is spelled.
pub fn skip_varint(input: &[u8], at: &mut usize) -> Result<()> {
    any_varint(input, at).map(|_| ())
}

/// How many bytes follow: one that is wrong loses the place.
pub fn length(input: &[u8], at: &mut usize) -> Result<usize> {
    let start = *at;
    let number = varint(input, at).map_err(|error| Error { loses_place: true, ..error })?;
    let left = input.len() - *at;
    match usize::try_from(number) {
        Ok(size) if size <= left => Ok(size),
        _ => Err(Error::lost(start, format!("claims {number} bytes or values, but only {left} bytes are left"))),
    }
}

/// How many elements a chunk has.
pub fn count(input: &[u8], at: &mut usize) -> Result<usize> {
    let start = *at;
    let number = varint(input, at).map_err(|error| Error { loses_place: true, ..error })?;
    if number > CHUNK as u64 {
        return Err(Error::lost(start, format!("a chunk of {number} elements; a chunk has at most {CHUNK}")));
    }
    let left = input.len() - *at;
    if number as usize > left {
        return Err(Error::lost(start, format!("claims {number} bytes or values, but only {left} bytes are left")));
    }
    Ok(number as usize)
}

/// Four bytes, the lowest first.
pub fn four(input: &[u8], at: &mut usize) -> Result<u32> {
    let bytes = take(input, at, 4)?;
    Ok(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
}

/// Eight bytes, the lowest first.
pub fn eight(input: &[u8], at: &mut usize) -> Result<u64> {
    Ok(u64::from(four(input, at)?) | u64::from(four(input, at)?) << 32)
}

/// The number of a constructor.
pub fn tag(input: &[u8], at: &mut usize, constructors: usize) -> Result<usize> {
    let start = *at;
    let number = if constructors <= 256 {
        usize::from(byte(input, at)?)
    } else {
        let two = take(input, at, 2)?;
        usize::from(u16::from_le_bytes([two[0], two[1]]))
    };
    if number >= constructors {
        return Err(Error::lost(
            start,
            format!("the type has no constructor {number}, only 0 to {}", constructors.saturating_sub(1)),
        ));
    }
    Ok(number)
}

/// A natural number of any size: its bytes, the lowest first.
pub fn magnitude(input: &[u8], at: &mut usize) -> Result<Vec<u8>> {
    let start = *at;
    if input.get(start) != Some(&0xff) {
        return Ok(varint(input, at)?.to_le_bytes().to_vec());
    }
    *at += 1;
    let size = length(input, at)?;
    let found = take(input, at, size)?;
    if size < 8 || found[size - 1] == 0 {
        return Err(overlong(start));
    }
    Ok(found.to_vec())
}

/// Steps over a magnitude, however it is spelled.
pub fn skip_magnitude(input: &[u8], at: &mut usize) -> Result<()> {
    if input.get(*at) != Some(&0xff) {
        return skip_varint(input, at);
    }
    *at += 1;
    let size = length(input, at)?;
    take(input, at, size).map(|_| ())
}

/// 0, -1, 1, -2 as 0, 1, 2, 3.
pub fn zigzag(number: i64) -> u64 {
    (number << 1 ^ number >> 63) as u64
}

/// The other way.
pub fn unzigzag(number: u64) -> i64 {
    (number >> 1) as i64 ^ -((number & 1) as i64)
}

/// Puts a varint behind some bytes.
pub fn put_varint(out: &mut Vec<u8>, number: u64) {
    if number < 0x80 {
        return out.push(number as u8);
    }
    let bits = 64 - number.leading_zeros() as usize;
    let following = (bits - 1) / 7;
    if following >= 8 {
        out.push(0xff);
        return out.extend_from_slice(&number.to_be_bytes());
    }
    let ones = (0xff00u64 >> following & 0xff) << (8 * following);
    out.extend_from_slice(&(number | ones).to_be_bytes()[7 - following..]);
}

/// Puts a list behind some bytes: chunks, of which one that is not full is the last.
pub fn put_chunks<T>(out: &mut Vec<u8>, all: &[T], mut one: impl FnMut(&mut Vec<u8>, &T)) {
    for chunk in all.chunks(CHUNK) {
        put_varint(out, chunk.len() as u64);
        chunk.iter().for_each(|value| one(out, value));
    }
    if all.len() % CHUNK == 0 {
        put_varint(out, 0);
    }
}

/// Puts a magnitude, of its bytes with the lowest first, behind some bytes.
pub fn put_magnitude(out: &mut Vec<u8>, bytes: &[u8]) {
    let size = bytes.len() - bytes.iter().rev().take_while(|one| **one == 0).count();
    if size < 8 {
        let mut low = [0; 8];
        low[..size].copy_from_slice(&bytes[..size]);
        put_varint(out, u64::from_le_bytes(low));
    } else {
        out.push(0xff);
        put_varint(out, size as u64);
        out.extend_from_slice(&bytes[..size]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn varints_are_those_of_the_specification() {
        for (number, hex) in [
            (0, "00"),
            (127, "7f"),
            (128, "8080"),
            (16383, "bfff"),
            (16384, "c04000"),
            ((1 << 56) - 1, "feffffffffffffff"),
            (1 << 56, "ff0100000000000000"),
            (u64::MAX, "ffffffffffffffffff"),
        ] {
            let mut out = vec![];
            put_varint(&mut out, number);
            assert_eq!(out.iter().map(|b| format!("{b:02x}")).collect::<String>(), hex);
            let mut at = 0;
            assert_eq!(varint(&out, &mut at), Ok(number));
            assert_eq!(at, out.len());
        }
        for n in 0..64 {
            for number in [1u64 << n, (1 << n) - 1, (1 << n) + 1] {
                let mut out = vec![];
                put_varint(&mut out, number);
                assert_eq!(varint(&out, &mut 0), Ok(number));
            }
        }
        assert!(varint(&[0x80, 5], &mut 0).is_err());
        assert!(varint(&[0xff, 0, 255, 255, 255, 255, 255, 255, 255], &mut 0).is_err());
    }

    #[test]
    fn zigzag_goes_both_ways() {
        for number in [0, -1, 1, i64::MIN, i64::MAX] {
            assert_eq!(unzigzag(zigzag(number)), number);
        }
        assert_eq!([0, -1, 1, -2].map(zigzag), [0, 1, 2, 3]);
    }
}
