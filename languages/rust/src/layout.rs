//! What is known of a schema's values before they are read: which types are within themselves,
//! where a value ends, and which of two keys is the lower one.

use crate::error::{Error, Result};
use crate::format::Format;
use crate::number::*;
use crate::number_text;
use crate::schema::*;
use crate::schema_bytes::unzigzag_big;
use num_bigint::BigInt;
use std::cmp::Ordering;
use std::collections::HashSet;

/// A schema, and what follows from it.
#[derive(Debug, Clone)]
pub struct Layout {
    schema: Schema,
    /// For each declared type that is within itself, a number that it shares with those that
    /// are within it and that it is within.
    nest: Vec<Option<usize>>,
    /// What each of some bytes is, where a type lists them.
    byte: Shape,
}

impl Layout {
    pub fn new(schema: Schema) -> Layout {
        let nest = nests(&schema);
        Layout { schema, nest, byte: Shape::Integer(Some(0.into()), Some(255.into()), Size::Least) }
    }

    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    pub(crate) fn byte(&self) -> &Shape {
        &self.byte
    }

    /// What a format, or a type of one field, is around.
    pub(crate) fn within<'a>(&'a self, shape: &'a Shape) -> Option<&'a Shape> {
        match shape {
            Shape::Formatted(_, _, native) => Some(native),
            Shape::Declared(number) => match &self.schema.definitions[*number].form {
                Form::Single(Body::Value(inside)) => Some(inside),
                _ => None,
            },
            _ => None,
        }
    }

    /// What all of those around a shape are around.
    pub(crate) fn bare<'a>(&'a self, mut shape: &'a Shape) -> &'a Shape {
        while let Some(inside) = self.within(shape) {
            shape = inside;
        }
        shape
    }

    pub(crate) fn is_within_itself(&self, number: usize) -> bool {
        self.nest[number].is_some()
    }

    /// Does a value within a declared type count as a level? It does where it may be within
    /// itself and is chosen or listed.
    pub(crate) fn is_level(&self, owner: Option<usize>, shape: &Shape) -> bool {
        match shape {
            Shape::Declared(number) => {
                self.is_within_itself(*number) && !matches!(self.schema.definitions[*number].form, Form::Single(_))
            }
            Shape::List(..) | Shape::Optional(_) | Shape::Set(_) | Shape::Map(..) => {
                let nest = owner.and_then(|number| self.nest[number]);
                nest.is_some() && mentioned(shape).iter().any(|number| self.nest[*number] == nest)
            }
            _ => false,
        }
    }

    /// Where the value at an offset ends, whatever it is. It takes no recursion, so that values of
    /// any depth can be stepped over.
    pub fn after(&self, input: &[u8], at: usize) -> Result<usize> {
        self.after_shape(&self.schema.root, input, at)
    }

    pub(crate) fn after_shape(&self, shape: &Shape, input: &[u8], mut at: usize) -> Result<usize> {
        enum Step<'a> {
            One(&'a Shape),
            /// So many elements of a chunk, each of one or two parts.
            Some(usize, [Option<&'a Shape>; 2]),
            Chunk([Option<&'a Shape>; 2]),
        }
        let at = &mut at;
        let mut waiting = vec![Step::One(shape)];
        while let Some(step) = waiting.pop() {
            match step {
                Step::Chunk(parts) => {
                    let n = count(input, at)?;
                    if n == CHUNK {
                        waiting.push(Step::Chunk(parts));
                    }
                    waiting.push(Step::Some(n, parts));
                }
                Step::Some(0, _) => {}
                Step::Some(n, parts) => {
                    waiting.push(Step::Some(n - 1, parts));
                    waiting.extend(parts.iter().rev().flatten().map(|one| Step::One(one)));
                }
                Step::One(shape) => match shape {
                    Shape::Boolean => {
                        tag(input, at, 2)?;
                    }
                    Shape::Unit => {
                        tag(input, at, 1)?;
                    }
                    Shape::Integer(low, high, size) => match width(low, high, *size) {
                        Width::One => take(input, at, 1).map(|_| ())?,
                        Width::Two => take(input, at, 2).map(|_| ())?,
                        Width::Four => take(input, at, 4).map(|_| ())?,
                        Width::Eight => take(input, at, 8).map(|_| ())?,
                        Width::Varint => skip_varint(input, at)?,
                        Width::Magnitude => skip_magnitude(input, at)?,
                    },
                    Shape::Float(bits) => {
                        take(input, at, usize::from(bits / 8))?;
                    }
                    Shape::Character => skip_varint(input, at)?,
                    Shape::Text | Shape::Anything | Shape::Bytes => {
                        let size = length(input, at)?;
                        take(input, at, size)?;
                    }
                    Shape::BytesOf(size) => {
                        just(input, at, *size)?;
                    }
                    Shape::Formatted(_, _, native) => waiting.push(Step::One(native)),
                    Shape::Opaque(name) => {
                        return Err(Error::lost(*at, format!("only the codec of {name:?} knows where this ends")))
                    }
                    Shape::List(_, one) | Shape::Set(one) => waiting.push(Step::Chunk([Some(one), None])),
                    Shape::Map(key, value) => waiting.push(Step::Chunk([Some(key), Some(value)])),
                    Shape::Optional(one) => {
                        if tag(input, at, 2)? == 1 {
                            waiting.push(Step::One(one));
                        }
                    }
                    Shape::Tuple(all) => {
                        if all.is_empty() {
                            tag(input, at, 1)?;
                        }
                        waiting.extend(all.iter().rev().map(Step::One));
                    }
                    Shape::Declared(number) => {
                        let constructors = self.schema.definitions[*number].constructors();
                        let index = if constructors.len() > 1 || constructors[0].1.shapes().is_empty() {
                            tag(input, at, constructors.len())?
                        } else {
                            0
                        };
                        waiting.extend(constructors[index].1.shapes().into_iter().rev().map(Step::One));
                    }
                },
            }
        }
        Ok(*at)
    }

    /// Which of two encoded keys is the lower one, by what they are made of.
    pub(crate) fn compare(&self, shape: &Shape, a: &[u8], b: &[u8]) -> Result<Option<Ordering>> {
        self.ordering(shape, a, &mut 0, b, &mut 0)
    }

    /// When this is equal, both offsets are at the ends of the values.
    fn ordering(&self, shape: &Shape, a: &[u8], i: &mut usize, b: &[u8], j: &mut usize) -> Result<Option<Ordering>> {
        let all = |shapes: Vec<&Shape>, i: &mut usize, j: &mut usize| {
            for one in shapes {
                let found = self.ordering(one, a, i, b, j)?;
                if found != Some(Ordering::Equal) {
                    return Ok(found);
                }
            }
            Ok(Some(Ordering::Equal))
        };
        Ok(match shape {
            Shape::Boolean | Shape::Unit => Some(byte(a, i)?.cmp(&byte(b, j)?)),
            Shape::Integer(low, high, size) => {
                Some(integer(low, high, *size, a, i)?.cmp(&integer(low, high, *size, b, j)?))
            }
            Shape::Float(32) => f32_at(a, i)?.partial_cmp(&f32_at(b, j)?),
            Shape::Float(_) => f64_at(a, i)?.partial_cmp(&f64_at(b, j)?),
            Shape::Character => Some(varint(a, i)?.cmp(&varint(b, j)?)),
            Shape::BytesOf(size) => Some(just(a, i, *size)?.cmp(just(b, j, *size)?)),
            Shape::Formatted(notation, name, native)
                if Format::of(*notation, name, native) == Some(Format::Decimal) =>
            {
                let (x, y) = (decimal(a, i)?, decimal(b, j)?);
                Some(number_text::compare((&x.0, x.1), (&y.0, y.1)))
            }
            Shape::Formatted(_, _, native) => return self.ordering(native, a, i, b, j),
            Shape::Text | Shape::Anything | Shape::Bytes => {
                let (n, m) = (length(a, i)?, length(b, j)?);
                Some(take(a, i, n)?.cmp(take(b, j, m)?))
            }
            Shape::Opaque(_) => None,
            Shape::Optional(one) => {
                let found = tag(a, i, 2)?.cmp(&tag(b, j, 2)?);
                if found != Ordering::Equal || a[*i - 1] == 0 {
                    return Ok(Some(found));
                }
                return self.ordering(one, a, i, b, j);
            }
            Shape::List(_, one) | Shape::Set(one) => return self.lists(&[one], a, i, b, j),
            Shape::Map(key, value) => return self.lists(&[key, value], a, i, b, j),
            Shape::Tuple(parts) => {
                if parts.is_empty() {
                    (*i, *j) = (*i + 1, *j + 1);
                }
                return all(parts.iter().collect(), i, j);
            }
            Shape::Declared(number) => {
                let constructors = self.schema.definitions[*number].constructors();
                let n = constructors.len();
                let mut index = 0;
                if n > 1 || constructors[0].1.shapes().is_empty() {
                    index = tag(a, i, n)?;
                    let found = index.cmp(&tag(b, j, n)?);
                    if found != Ordering::Equal {
                        return Ok(Some(found));
                    }
                }
                return all(constructors[index].1.shapes(), i, j);
            }
        })
    }

    /// Puts a set's elements, or a map's pairs, behind some bytes: in order, and each once. Of each
    /// are given the key's bytes, and all of it.
    pub(crate) fn put_ascending(&self, out: &mut Vec<u8>, key: &Shape, mut all: Vec<(&[u8], &[u8])>) -> Result<()> {
        let compare = |a: &[u8], b: &[u8]| self.compare(key, a, b).ok().flatten();
        all.sort_by(|(a, _), (b, _)| compare(a, b).unwrap_or(Ordering::Equal));
        if all.windows(2).any(|two| compare(two[0].0, two[1].0) != Some(Ordering::Less)) {
            return Err(Error::value("a key or an element is there twice, or is no number"));
        }
        put_chunks(out, &all, |out, (_, whole)| out.extend_from_slice(whole));
        Ok(())
    }

    fn lists(&self, parts: &[&Shape], a: &[u8], i: &mut usize, b: &[u8], j: &mut usize) -> Result<Option<Ordering>> {
        loop {
            let (n, m) = (count(a, i)?, count(b, j)?);
            for _ in 0..n.min(m) {
                for one in parts {
                    let found = self.ordering(one, a, i, b, j)?;
                    if found != Some(Ordering::Equal) {
                        return Ok(found);
                    }
                }
            }
            if n != m || n < CHUNK {
                return Ok(Some(n.cmp(&m)));
            }
        }
    }
}

/// Refuses a key, or a set's element, that is not above the one before it; where the schema does
/// not say their order, one that was there.
pub(crate) struct Ascending<'de> {
    what: &'static str,
    known: bool,
    before: Option<&'de [u8]>,
    seen: HashSet<&'de [u8]>,
}

impl<'de> Ascending<'de> {
    pub(crate) fn new(what: &'static str, shape: &Shape) -> Ascending<'de> {
        Ascending { what, known: has_known_order(shape), before: None, seen: HashSet::new() }
    }

    /// Takes the next one's bytes, and where they begin.
    pub(crate) fn follows(&mut self, layout: &Layout, shape: &Shape, spelled: &'de [u8], at: usize) -> Result<()> {
        if !self.known {
            let is_new = self.seen.insert(spelled);
            return if is_new { Ok(()) } else { Err(Error::at(at, format!("the {} was there before", self.what))) };
        }
        match self.before.replace(spelled) {
            Some(before) if layout.compare(shape, before, spelled)? != Some(Ordering::Less) => {
                Err(Error::at(at, format!("the {} is not above the one before it", self.what)))
            }
            _ => Ok(()),
        }
    }
}

/// Just so many bytes.
pub(crate) fn just<'a>(input: &'a [u8], at: &mut usize, size: u64) -> Result<&'a [u8]> {
    take(input, at, usize::try_from(size).map_err(|_| cut_off(input))?)
}

/// The digits and the power of ten of a decimal.
fn decimal(input: &[u8], at: &mut usize) -> Result<(BigInt, i64)> {
    Ok((unzigzag_big(&magnitude(input, at)?), unzigzag(varint(input, at)?)))
}

/// Does a schema say how keys of this shape are ordered? A declared type may have its own order.
pub(crate) fn has_known_order(shape: &Shape) -> bool {
    match shape {
        Shape::Boolean | Shape::Integer(..) | Shape::Float(_) | Shape::Text | Shape::Character | Shape::Unit => true,
        Shape::Bytes | Shape::BytesOf(_) => true,
        Shape::Formatted(notation, name, native) => Format::of(*notation, name, native).is_some(),
        Shape::Optional(one) | Shape::List(_, one) | Shape::Set(one) => has_known_order(one),
        Shape::Tuple(all) => all.iter().all(has_known_order),
        Shape::Anything | Shape::Opaque(_) | Shape::Map(..) | Shape::Declared(_) => false,
    }
}

/// The integer at an offset, within its bounds.
pub(crate) fn integer(
    low: &Option<BigInt>,
    high: &Option<BigInt>,
    size: Size,
    input: &[u8],
    at: &mut usize,
) -> Result<BigInt> {
    let start = *at;
    let signed = is_signed(low);
    let number = match width(low, high, size) {
        Width::One if signed => BigInt::from(byte(input, at)? as i8),
        Width::One => BigInt::from(byte(input, at)?),
        Width::Two => {
            let two = take(input, at, 2)?;
            let found = u16::from_le_bytes([two[0], two[1]]);
            if signed {
                BigInt::from(found as i16)
            } else {
                BigInt::from(found)
            }
        }
        Width::Four if signed => BigInt::from(four(input, at)? as i32),
        Width::Four => BigInt::from(four(input, at)?),
        Width::Eight if signed => BigInt::from(eight(input, at)? as i64),
        Width::Eight => BigInt::from(eight(input, at)?),
        Width::Varint if signed => BigInt::from(unzigzag(varint(input, at)?)),
        Width::Varint => BigInt::from(varint(input, at)?),
        Width::Magnitude if signed => unzigzag_big(&magnitude(input, at)?),
        Width::Magnitude => BigInt::from(num_bigint::BigUint::from_bytes_le(&magnitude(input, at)?)),
    };
    if low.as_ref().is_some_and(|low| number < *low) || high.as_ref().is_some_and(|high| number > *high) {
        return Err(Error::at(start, "the number is out of its bounds"));
    }
    Ok(number)
}

pub(crate) fn f32_at(input: &[u8], at: &mut usize) -> Result<f32> {
    let bytes = take(input, at, 4)?;
    Ok(f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
}

pub(crate) fn f64_at(input: &[u8], at: &mut usize) -> Result<f64> {
    let mut bytes = [0; 8];
    bytes.copy_from_slice(take(input, at, 8)?);
    Ok(f64::from_le_bytes(bytes))
}

fn mentioned(shape: &Shape) -> Vec<usize> {
    let mut found = vec![];
    let mut waiting = vec![shape];
    while let Some(one) = waiting.pop() {
        match one {
            Shape::Declared(number) => found.push(*number),
            Shape::List(_, inside) | Shape::Optional(inside) | Shape::Set(inside) | Shape::Formatted(_, _, inside) => {
                waiting.push(inside)
            }
            Shape::Map(key, value) => waiting.extend([&**key, &**value]),
            Shape::Tuple(all) => waiting.extend(all),
            _ => {}
        }
    }
    found
}

/// Tarjan's algorithm with a stack of its own: a schema may be a long chain.
fn nests(schema: &Schema) -> Vec<Option<usize>> {
    let edges: Vec<Vec<usize>> = schema
        .definitions
        .iter()
        .map(|one| one.constructors().iter().flat_map(|(_, body)| body.shapes()).flat_map(mentioned).collect())
        .collect();
    let size = edges.len();
    let (mut order, mut lowest) = (vec![usize::MAX; size], vec![0; size]);
    let (mut open, mut is_open) = (vec![], vec![false; size]);
    let mut found = vec![None; size];
    let mut met = 0;
    for root in 0..size {
        let mut work: Vec<(usize, usize)> = if order[root] == usize::MAX { vec![(root, 0)] } else { vec![] };
        while let Some((node, next)) = work.pop() {
            if next == 0 {
                order[node] = met;
                lowest[node] = met;
                met += 1;
                open.push(node);
                is_open[node] = true;
            }
            if let Some(following) = edges[node].get(next) {
                work.push((node, next + 1));
                if order[*following] == usize::MAX {
                    work.push((*following, 0));
                } else if is_open[*following] {
                    lowest[node] = lowest[node].min(order[*following]);
                }
                continue;
            }
            if let Some((parent, _)) = work.last() {
                lowest[*parent] = lowest[*parent].min(lowest[node]);
            }
            if lowest[node] == order[node] {
                let start = open.iter().rposition(|one| *one == node).unwrap_or(0);
                let members = open.split_off(start);
                for one in &members {
                    is_open[*one] = false;
                    if members.len() > 1 || edges[*one].contains(one) {
                        found[*one] = Some(node);
                    }
                }
            }
        }
    }
    found
}
