//! Schemas as data: what the values of a type look like. The words are those of
//! `docs/spec/schema.md`.

use crate::error::{Error, Result};
use num_bigint::BigInt;

/// What a value is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shape {
    Boolean,
    /// From and to, where these are given, and in how many bytes.
    Integer(Option<BigInt>, Option<BigInt>, Size),
    /// 32 or 64 bits.
    Float(u8),
    Text,
    Character,
    Unit,
    /// A JSON text.
    Anything,
    Bytes,
    /// Just so many, one at least.
    BytesOf(u64),
    /// A text or a number in JSON, of a format by its name, and a value of the shape in the native
    /// format.
    Formatted(Notation, String, Box<Shape>),
    /// Bytes that only the codec of that name knows.
    Opaque(String),
    /// So many or more.
    List(u64, Box<Shape>),
    Set(Box<Shape>),
    Optional(Box<Shape>),
    Map(Box<Shape>, Box<Shape>),
    Tuple(Vec<Shape>),
    /// A declared type, by the number of its definition.
    Declared(usize),
}

/// How many bytes an integer has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Size {
    /// As few as the form has that its bounds say.
    Least,
    /// Always four; there are both bounds.
    Four,
    /// Always eight; there are both bounds.
    Eight,
}

/// What JSON has for a value of a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Notation {
    Text,
    Number,
}

/// A field with a name; JSON and MessagePack may leave one away that may be absent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    pub name: String,
    pub may_be_absent: bool,
    pub shape: Shape,
}

/// What a constructor holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Body {
    Nothing,
    Value(Shape),
    Values(Vec<Shape>),
    Fields(Vec<Field>),
}

/// How JSON tells constructors apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Layout {
    Tagged(String, String),
    SingleField,
    TwoElements,
    Untagged,
}

/// What a declared type is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Form {
    /// One constructor, of which the schema does not say the name.
    Single(Body),
    /// An enumeration.
    Names(Vec<String>),
    /// Several constructors.
    Alternatives(Layout, Vec<(String, Body)>),
}

/// A declared type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    pub label: String,
    pub form: Form,
}

/// An expression and the declared types that it speaks of, in the order in which they are met.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schema {
    pub root: Shape,
    pub definitions: Vec<Definition>,
}

/// How an integer is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Width {
    One,
    Two,
    Four,
    Eight,
    Varint,
    Magnitude,
}

pub(crate) fn width(low: &Option<BigInt>, high: &Option<BigInt>, size: Size) -> Width {
    match (size, low, high) {
        (Size::Four, ..) => Width::Four,
        (Size::Eight, ..) => Width::Eight,
        (Size::Least, Some(low), Some(high)) => {
            let span = high - low;
            if span < BigInt::from(1 << 8) {
                Width::One
            } else if span < BigInt::from(1 << 16) {
                Width::Two
            } else {
                Width::Varint
            }
        }
        (Size::Least, ..) => Width::Magnitude,
    }
}

pub(crate) fn is_signed(low: &Option<BigInt>) -> bool {
    low.as_ref().is_none_or(|low| low.sign() == num_bigint::Sign::Minus)
}

impl Body {
    pub fn shapes(&self) -> Vec<&Shape> {
        match self {
            Body::Nothing => vec![],
            Body::Value(one) => vec![one],
            Body::Values(all) => all.iter().collect(),
            Body::Fields(fields) => fields.iter().map(|field| &field.shape).collect(),
        }
    }
}

static NOTHING: Body = Body::Nothing;

impl Definition {
    /// The constructors: the name, where the schema says it, and what it holds.
    pub fn constructors(&self) -> Vec<(Option<&str>, &Body)> {
        match &self.form {
            Form::Single(body) => vec![(None, body)],
            Form::Names(names) => names.iter().map(|name| (Some(name.as_str()), &NOTHING)).collect(),
            Form::Alternatives(_, all) => all.iter().map(|(name, body)| (Some(name.as_str()), body)).collect(),
        }
    }
}

impl Schema {
    /// A schema from its text.
    pub fn parse(text: &str) -> Result<Schema> {
        crate::schema_text::parse(text)
    }

    /// A schema from its bytes, all of them.
    pub fn from_bytes(bytes: &[u8]) -> Result<Schema> {
        crate::schema_bytes::read(bytes)
    }

    /// The text, for people and for the fingerprint.
    pub fn text(&self) -> String {
        crate::schema_text::render(self)
    }

    /// The bytes, as a container's header has them.
    pub fn to_bytes(&self) -> Vec<u8> {
        crate::schema_bytes::write(self)
    }

    /// FNV-1a, 64 bits, of the text.
    pub fn fingerprint(&self) -> u64 {
        self.text()
            .bytes()
            .fold(0xcbf29ce484222325, |found, byte| (found ^ u64::from(byte)).wrapping_mul(0x100000001b3))
    }

    /// Refuses what no writer writes: definitions out of order, types without values, names that
    /// nobody has, and names that are too much text in all.
    pub(crate) fn checked(self) -> Result<Schema> {
        let mut spent = 0usize;
        let mut met = vec![];
        let mut seen = vec![false; self.definitions.len()];
        let mut waiting = vec![vec![&self.root]];
        // Each level holds what is still to be looked at, in reverse.
        while let Some(level) = waiting.last_mut() {
            let Some(shape) = level.pop() else {
                waiting.pop();
                continue;
            };
            match shape {
                Shape::List(_, one) | Shape::Optional(one) | Shape::Set(one) | Shape::Formatted(_, _, one) => {
                    level.push(one)
                }
                Shape::Integer(low, high, Size::Four | Size::Eight) if low.is_none() || high.is_none() => {
                    return Err(Error::at(0, "an integer of a fixed size has both bounds"))
                }
                Shape::BytesOf(0) => return Err(Error::at(0, "bytes of a fixed size are one or more")),
                Shape::Map(key, value) => {
                    level.push(value);
                    level.push(key);
                }
                Shape::Tuple(all) => level.extend(all.iter().rev()),
                Shape::Declared(number) => {
                    let Some(definition) = self.definitions.get(*number) else {
                        return Err(Error::at(
                            0,
                            format!("type {number} is spoken of, but {} are defined", self.definitions.len()),
                        ));
                    };
                    spent = spent.saturating_add(definition.label.chars().count());
                    if spent > 1 << 24 {
                        return Err(Error::at(0, "the names of types have more than 16777216 characters in all"));
                    }
                    if !seen[*number] {
                        seen[*number] = true;
                        met.push(*number);
                        let mut inside: Vec<&Shape> =
                            definition.constructors().into_iter().flat_map(|(_, body)| body.shapes()).collect();
                        inside.reverse();
                        waiting.push(inside);
                    }
                }
                _ => {}
            }
        }
        if met.iter().copied().ne(0..self.definitions.len()) {
            return Err(Error::at(0, "the definitions are not in the order in which they are met"));
        }
        if let Some(one) =
            self.definitions.iter().find(|one| one.label.is_empty() || one.label.chars().any(char::is_control))
        {
            return Err(Error::at(0, format!("no type is called {:?}", one.label)));
        }
        let mut finite = vec![false; self.definitions.len()];
        let mut changed = true;
        while changed {
            changed = false;
            for number in (0..finite.len()).rev() {
                let has_values = self.definitions[number]
                    .constructors()
                    .iter()
                    .any(|(_, body)| body.shapes().iter().all(|shape| has_values(shape, &finite)));
                if !finite[number] && has_values {
                    finite[number] = true;
                    changed = true;
                }
            }
        }
        match finite.iter().position(|one| !one) {
            Some(number) => Err(Error::at(0, format!("the type {:?} has no values", self.definitions[number].label))),
            None => Ok(self),
        }
    }
}

fn has_values(shape: &Shape, finite: &[bool]) -> bool {
    match shape {
        Shape::Declared(number) => finite[*number],
        Shape::Tuple(all) => all.iter().all(|one| has_values(one, finite)),
        Shape::List(least, one) => *least == 0 || has_values(one, finite),
        Shape::Formatted(_, _, native) => has_values(native, finite),
        _ => true,
    }
}
