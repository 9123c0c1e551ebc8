//! Values that nobody asked for: what is known of them before they come, to step over them.

use crate::error::Result;
use crate::layout::{just, Layout};
use crate::number::*;
use crate::schema::*;

/// How values of a shape are stepped over.
#[derive(Debug)]
pub(super) enum Skip {
    Fixed(u64),
    Varint,
    Magnitude,
    /// A length, and as many bytes.
    Sized,
    /// One of so many constructors, each of some parts.
    Chosen(Vec<Vec<Skip>>),
    /// A list's elements, of some parts.
    Chunks(Vec<Skip>),
    /// What is within itself.
    Deep(Shape),
}

/// The most levels that are known before; what is deeper is stepped over without recursion.
const LEVELS: usize = 32;

impl Skip {
    /// The parts of a shape, with those of a fixed size put together.
    pub(super) fn of(layout: &Layout, shape: &Shape) -> Vec<Skip> {
        let mut parts = vec![];
        add(layout, shape, 0, &mut parts);
        parts
    }
}

fn add(layout: &Layout, shape: &Shape, depth: usize, parts: &mut Vec<Skip>) {
    if depth > LEVELS {
        return parts.push(Skip::Deep(shape.clone()));
    }
    let within = |shapes: Vec<&Shape>| {
        let mut found = vec![];
        shapes.into_iter().for_each(|one| add(layout, one, depth + 1, &mut found));
        found
    };
    match shape {
        Shape::Boolean => parts.push(Skip::Chosen(vec![vec![], vec![]])),
        Shape::Unit => parts.push(Skip::Chosen(vec![vec![]])),
        Shape::Integer(low, high, size) => match width(low, high, *size) {
            Width::One => fixed(parts, 1),
            Width::Two => fixed(parts, 2),
            Width::Four => fixed(parts, 4),
            Width::Eight => fixed(parts, 8),
            Width::Varint => parts.push(Skip::Varint),
            Width::Magnitude => parts.push(Skip::Magnitude),
        },
        Shape::Float(bits) => fixed(parts, u64::from(bits / 8)),
        Shape::Character => parts.push(Skip::Varint),
        Shape::Text | Shape::Anything | Shape::Bytes => parts.push(Skip::Sized),
        Shape::BytesOf(size) => fixed(parts, *size),
        Shape::Formatted(_, _, native) => add(layout, native, depth + 1, parts),
        Shape::List(_, one) | Shape::Set(one) => parts.push(Skip::Chunks(within(vec![one]))),
        Shape::Map(key, value) => parts.push(Skip::Chunks(within(vec![key, value]))),
        Shape::Optional(one) => parts.push(Skip::Chosen(vec![vec![], within(vec![one])])),
        Shape::Tuple(all) if all.is_empty() => parts.push(Skip::Chosen(vec![vec![]])),
        Shape::Tuple(all) => all.iter().for_each(|one| add(layout, one, depth + 1, parts)),
        Shape::Opaque(_) => parts.push(Skip::Deep(shape.clone())),
        Shape::Declared(number) if layout.is_within_itself(*number) => parts.push(Skip::Deep(shape.clone())),
        Shape::Declared(number) => {
            let constructors = layout.schema().definitions[*number].constructors();
            let first = constructors[0].1.shapes();
            if constructors.len() > 1 || first.is_empty() {
                parts.push(Skip::Chosen(constructors.iter().map(|(_, body)| within(body.shapes())).collect()));
            } else {
                first.into_iter().for_each(|one| add(layout, one, depth + 1, parts));
            }
        }
    }
}

fn fixed(parts: &mut Vec<Skip>, size: u64) {
    match parts.last_mut() {
        Some(Skip::Fixed(before)) => *before = before.saturating_add(size),
        _ => parts.push(Skip::Fixed(size)),
    }
}

/// Steps over the values of some parts.
pub(super) fn step(parts: &[Skip], layout: &Layout, input: &[u8], at: &mut usize) -> Result<()> {
    for part in parts {
        match part {
            Skip::Fixed(size) => just(input, at, *size).map(|_| ())?,
            Skip::Varint => skip_varint(input, at)?,
            Skip::Magnitude => skip_magnitude(input, at)?,
            Skip::Sized => {
                let size = length(input, at)?;
                take(input, at, size)?;
            }
            Skip::Chosen(all) => {
                let chosen = tag(input, at, all.len())?;
                step(&all[chosen], layout, input, at)?;
            }
            Skip::Chunks(parts) => loop {
                let n = count(input, at)?;
                match parts.as_slice() {
                    [Skip::Fixed(size)] => just(input, at, size.saturating_mul(n as u64)).map(|_| ())?,
                    _ => (0..n).try_for_each(|_| step(parts, layout, input, at))?,
                }
                if n < CHUNK {
                    break;
                }
            },
            Skip::Deep(shape) => *at = layout.after_shape(shape, input, *at)?,
        }
    }
    Ok(())
}
