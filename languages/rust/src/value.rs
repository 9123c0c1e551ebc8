//! Values of any schema, for those who know no type, and their JSON.

use crate::de::MAX_DEPTH;
use crate::error::{Error, Result};
use crate::format::{base64, Format};
use crate::layout::{f32_at, f64_at, integer, just, Ascending, Layout};
use crate::number::*;
use crate::schema::*;
use crate::ser::put_integer;
use num_bigint::BigInt;

/// A value of some schema. One of a format is the value that the native format has of it.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    Boolean(bool),
    Integer(BigInt),
    Real(f64),
    Single(f32),
    /// A text, or the text of a document of any shape.
    Text(String),
    Character(char),
    Unit,
    Bytes(Vec<u8>),
    Optional(Option<Box<Value>>),
    List(Vec<Value>),
    /// In ascending order.
    Set(Vec<Value>),
    Map(Vec<(Value, Value)>),
    Tuple(Vec<Value>),
    /// A declared type's: the number of the constructor, and its fields.
    Declared(usize, Vec<Value>),
}

/// Reads, writes and shows values of a layout's schema.
#[derive(Debug, Clone, Copy)]
pub struct Values<'a>(pub &'a Layout);

impl<'a> Values<'a> {
    /// The value that begins at an offset, and where it ends.
    pub fn decode_at(self, input: &[u8], at: usize) -> Result<(Value, usize)> {
        let mut end = at;
        let value = self.read(&self.0.schema().root, input, &mut end, 0, None)?;
        Ok((value, end))
    }

    pub(crate) fn read(
        self,
        shape: &Shape,
        input: &[u8],
        at: &mut usize,
        depth: usize,
        owner: Option<usize>,
    ) -> Result<Value> {
        let start = *at;
        let depth = depth + usize::from(self.0.is_level(owner, shape));
        if depth > MAX_DEPTH {
            return Err(Error::at(start, format!("more than {MAX_DEPTH} levels within each other")));
        }
        Ok(match shape {
            Shape::Boolean => Value::Boolean(tag(input, at, 2)? == 1),
            Shape::Integer(low, high, size) => Value::Integer(integer(low, high, *size, input, at)?),
            Shape::Float(32) => Value::Single(f32_at(input, at)?),
            Shape::Float(_) => Value::Real(f64_at(input, at)?),
            Shape::Text | Shape::Anything => {
                let size = length(input, at)?;
                let first = *at;
                let text = std::str::from_utf8(take(input, at, size)?)
                    .map_err(|error| Error::at(first + error.valid_up_to(), "these bytes are not UTF-8"))?;
                Value::Text(text.into())
            }
            Shape::Character => {
                let code = varint(input, at)?;
                let one = u32::try_from(code).ok().and_then(char::from_u32);
                Value::Character(one.ok_or_else(|| Error::at(start, format!("{code:#x} is no character")))?)
            }
            Shape::Unit => {
                tag(input, at, 1)?;
                Value::Unit
            }
            Shape::Opaque(name) => {
                return Err(Error::lost(start, format!("only the codec of {name:?} knows its bytes")))
            }
            Shape::Optional(one) => match tag(input, at, 2)? {
                0 => Value::Optional(None),
                _ => Value::Optional(Some(Box::new(self.read(one, input, at, depth, owner)?))),
            },
            Shape::List(least, one) => {
                let mut all = vec![];
                loop {
                    let n = count(input, at)?;
                    for _ in 0..n {
                        all.push(self.read(one, input, at, depth, owner)?);
                    }
                    if n < CHUNK {
                        break;
                    }
                }
                if (all.len() as u64) < *least {
                    return Err(Error::at(start, format!("expected {least} elements or more, found {}", all.len())));
                }
                Value::List(all)
            }
            Shape::Set(one) => {
                let (mut all, mut ascending) = (vec![], Ascending::new("element", one));
                loop {
                    let n = count(input, at)?;
                    for _ in 0..n {
                        let start = *at;
                        all.push(self.read(one, input, at, depth, owner)?);
                        ascending.follows(self.0, one, &input[start..*at], start)?;
                    }
                    if n < CHUNK {
                        break;
                    }
                }
                Value::Set(all)
            }
            Shape::Bytes => {
                let size = length(input, at)?;
                Value::Bytes(take(input, at, size)?.to_vec())
            }
            Shape::BytesOf(size) => Value::Bytes(just(input, at, *size)?.to_vec()),
            Shape::Formatted(notation, name, native) => {
                let value = self.read(native, input, at, depth, owner)?;
                let format = Format::of(*notation, name, native);
                if let Some(reason) = format.and_then(|format| format.refused(&value)) {
                    return Err(Error::at(start, reason));
                }
                value
            }
            Shape::Map(key, value) => self.read_map(key, value, input, at, depth, owner)?,
            Shape::Tuple(all) => {
                if all.is_empty() {
                    tag(input, at, 1)?;
                }
                Value::Tuple(all.iter().map(|one| self.read(one, input, at, depth, owner)).collect::<Result<_>>()?)
            }
            Shape::Declared(number) => {
                let constructors = self.0.schema().definitions[*number].constructors();
                let tagged = constructors.len() > 1 || constructors[0].1.shapes().is_empty();
                let index = if tagged { tag(input, at, constructors.len())? } else { 0 };
                let shapes = constructors[index].1.shapes();
                let fields = shapes.into_iter().map(|one| self.read(one, input, at, depth, Some(*number)));
                Value::Declared(index, fields.collect::<Result<_>>()?)
            }
        })
    }

    fn read_map(
        self,
        key: &Shape,
        value: &Shape,
        input: &[u8],
        at: &mut usize,
        depth: usize,
        owner: Option<usize>,
    ) -> Result<Value> {
        let (mut all, mut ascending) = (vec![], Ascending::new("key", key));
        loop {
            let n = count(input, at)?;
            for _ in 0..n {
                let start = *at;
                let found = self.read(key, input, at, depth, owner)?;
                ascending.follows(self.0, key, &input[start..*at], start)?;
                all.push((found, self.read(value, input, at, depth, owner)?));
            }
            if n < CHUNK {
                return Ok(Value::Map(all));
            }
        }
    }

    /// Puts a value's document behind some bytes. A map's pairs are put in order.
    pub fn encode_into(self, out: &mut Vec<u8>, value: &Value) -> Result<()> {
        let start = out.len();
        self.write(&self.0.schema().root, out, value).inspect_err(|_| out.truncate(start))
    }

    pub(crate) fn write(self, shape: &Shape, out: &mut Vec<u8>, value: &Value) -> Result<()> {
        match (shape, value) {
            (Shape::Boolean, Value::Boolean(one)) => out.push(u8::from(*one)),
            (Shape::Integer(low, high, size), Value::Integer(number)) => put_integer(out, low, high, *size, number)?,
            (Shape::Float(32), Value::Single(number)) => out.extend_from_slice(&number.to_le_bytes()),
            (Shape::Float(64), Value::Real(number)) => out.extend_from_slice(&number.to_le_bytes()),
            (Shape::Text | Shape::Anything, Value::Text(text)) => {
                put_varint(out, text.len() as u64);
                out.extend_from_slice(text.as_bytes());
            }
            (Shape::Character, Value::Character(one)) => put_varint(out, u64::from(*one)),
            (Shape::Unit, Value::Unit) => out.push(0),
            (Shape::Optional(_), Value::Optional(None)) => out.push(0),
            (Shape::Optional(one), Value::Optional(Some(inside))) => {
                out.push(1);
                self.write(one, out, inside)?;
            }
            (Shape::List(least, one), Value::List(all)) => {
                if (all.len() as u64) < *least {
                    return Err(Error::value(format!("expected {least} elements or more, found {}", all.len())));
                }
                let mut outcome = Ok(());
                put_chunks(out, all, |out, inside| {
                    if outcome.is_ok() {
                        outcome = self.write(one, out, inside);
                    }
                });
                outcome?;
            }
            (Shape::Set(one), Value::Set(all)) => {
                let mut spelled = vec![];
                for inside in all {
                    let mut bytes = vec![];
                    self.write(one, &mut bytes, inside)?;
                    spelled.push(bytes);
                }
                self.0.put_ascending(out, one, spelled.iter().map(|all| (all.as_slice(), all.as_slice())).collect())?;
            }
            (Shape::Map(key, inside), Value::Map(all)) => {
                let mut spelled = vec![];
                for (k, v) in all {
                    let mut bytes = vec![];
                    self.write(key, &mut bytes, k)?;
                    let size = bytes.len();
                    self.write(inside, &mut bytes, v)?;
                    spelled.push((size, bytes));
                }
                let pairs = spelled.iter().map(|(size, all)| (&all[..*size], all.as_slice())).collect();
                self.0.put_ascending(out, key, pairs)?;
            }
            (Shape::Bytes, Value::Bytes(bytes)) => {
                put_varint(out, bytes.len() as u64);
                out.extend_from_slice(bytes);
            }
            (Shape::BytesOf(size), Value::Bytes(bytes)) if *size == bytes.len() as u64 => out.extend_from_slice(bytes),
            (Shape::Formatted(notation, name, native), _) => {
                let format = Format::of(*notation, name, native);
                if let Some(reason) = format.and_then(|format| format.refused(value)) {
                    return Err(Error::value(reason));
                }
                self.write(native, out, value)?;
            }
            (Shape::Tuple(shapes), Value::Tuple(all)) if shapes.len() == all.len() => {
                if all.is_empty() {
                    out.push(0);
                }
                for (one, inside) in shapes.iter().zip(all) {
                    self.write(one, out, inside)?;
                }
            }
            (Shape::Declared(number), Value::Declared(index, fields)) => {
                let constructors = self.0.schema().definitions[*number].constructors();
                let shapes = constructors.get(*index).map(|(_, body)| body.shapes()).unwrap_or_default();
                if *index >= constructors.len() || shapes.len() != fields.len() {
                    return Err(Error::value(format!(
                        "the schema has no constructor {index} of {} fields",
                        fields.len()
                    )));
                }
                if constructors.len() > 1 || shapes.is_empty() {
                    let bytes = (*index as u16).to_le_bytes();
                    out.extend_from_slice(if constructors.len() <= 256 { &bytes[..1] } else { &bytes });
                }
                for (one, inside) in shapes.into_iter().zip(fields) {
                    self.write(one, out, inside)?;
                }
            }
            _ => return Err(Error::value(format!("the schema does not have {value:?} here"))),
        }
        Ok(())
    }

    // --- JSON ----------------------------------------------------------------------

    /// The JSON text of a value, by `docs/spec/json-mapping.md`.
    pub fn json(self, value: &Value) -> String {
        let mut out = String::new();
        self.show(&self.0.schema().root, value, &mut out);
        out
    }

    pub(crate) fn show(self, shape: &Shape, value: &Value, out: &mut String) {
        match (shape, value) {
            (Shape::Formatted(notation, name, native), _) => match Format::of(*notation, name, native) {
                None => self.show(native, value, out),
                Some(format) if *notation == Notation::Text => quote(out, &format.show(value)),
                Some(format) => out.push_str(&format.show(value)),
            },
            (_, Value::Bytes(bytes)) => quote(out, &base64(bytes)),
            (Shape::Set(one), Value::Set(all)) => {
                self.array(&all.iter().map(|inside| (&**one, inside)).collect::<Vec<_>>(), out)
            }
            (Shape::Anything, Value::Text(text)) => out.push_str(text),
            (_, Value::Text(text)) => quote(out, text),
            (_, Value::Boolean(one)) => out.push_str(if *one { "true" } else { "false" }),
            (_, Value::Integer(number)) => out.push_str(&number.to_string()),
            (_, Value::Real(number)) => real(out, *number, format!("{number:e}")),
            (_, Value::Single(number)) => real(out, f64::from(*number), format!("{number:e}")),
            (_, Value::Character(one)) => quote(out, &one.to_string()),
            (_, Value::Unit) => out.push_str("[]"),
            (Shape::Optional(one), Value::Optional(inside)) => match inside {
                None => out.push_str("null"),
                Some(inside) => self.show(one, inside, out),
            },
            (Shape::List(_, one), Value::List(all)) => {
                self.array(&all.iter().map(|inside| (&**one, inside)).collect::<Vec<_>>(), out)
            }
            (Shape::Tuple(shapes), Value::Tuple(all)) => self.array(&shapes.iter().zip(all).collect::<Vec<_>>(), out),
            (Shape::Map(key, inside), Value::Map(all)) => self.show_map(key, inside, all, out),
            (Shape::Declared(number), Value::Declared(index, fields)) => {
                self.show_declared(&self.0.schema().definitions[*number], *index, fields, out)
            }
            _ => out.push_str("null"),
        }
    }

    fn array(self, all: &[(&Shape, &Value)], out: &mut String) {
        out.push('[');
        for (index, (shape, value)) in all.iter().enumerate() {
            if index > 0 {
                out.push(',');
            }
            self.show(shape, value, out);
        }
        out.push(']');
    }

    /// Are maps by such keys objects? (JSON mapping, rule 18.)
    fn is_key(self, shape: &Shape) -> bool {
        match shape {
            Shape::Text | Shape::Character | Shape::Integer(..) | Shape::Boolean | Shape::Float(_) => true,
            Shape::Bytes | Shape::BytesOf(_) => true,
            Shape::Formatted(notation, name, native) => Format::of(*notation, name, native).is_some(),
            Shape::Declared(number) => match &self.0.schema().definitions[*number].form {
                Form::Names(_) => true,
                Form::Single(Body::Value(inside)) => self.is_key(inside),
                _ => false,
            },
            _ => false,
        }
    }

    fn show_map(self, key: &Shape, inside: &Shape, all: &[(Value, Value)], out: &mut String) {
        let named = self.is_key(key);
        out.push(if named { '{' } else { '[' });
        for (index, (k, v)) in all.iter().enumerate() {
            if index > 0 {
                out.push(',');
            }
            if named {
                let mut name = String::new();
                self.show(key, k, &mut name);
                if name.starts_with('"') {
                    out.push_str(&name);
                } else {
                    quote(out, &name);
                }
                out.push(':');
                self.show(inside, v, out);
            } else {
                self.array(&[(key, k), (inside, v)], out);
            }
        }
        out.push(if named { '}' } else { ']' });
    }

    fn show_declared(self, definition: &Definition, index: usize, fields: &[Value], out: &mut String) {
        match &definition.form {
            Form::Single(body) => self.show_body(body, fields, out),
            Form::Names(names) => quote(out, &names[index]),
            Form::Alternatives(layout, all) => {
                let (name, body) = &all[index];
                match layout {
                    Tagging::Tagged(tag, contents) => {
                        out.push('{');
                        quote(out, tag);
                        out.push(':');
                        quote(out, name);
                        match body {
                            Body::Nothing => {}
                            Body::Fields(named) => self.members(named, fields, out, false),
                            _ => {
                                out.push(',');
                                quote(out, contents);
                                out.push(':');
                                self.show_body(body, fields, out);
                            }
                        }
                        out.push('}');
                    }
                    Tagging::SingleField => {
                        out.push('{');
                        quote(out, name);
                        out.push(':');
                        self.show_body(body, fields, out);
                        out.push('}');
                    }
                    Tagging::Untagged => match body {
                        Body::Nothing => quote(out, name),
                        _ => self.show_body(body, fields, out),
                    },
                    Tagging::TwoElements => {
                        out.push('[');
                        quote(out, name);
                        out.push(',');
                        self.show_body(body, fields, out);
                        out.push(']');
                    }
                }
            }
        }
    }

    fn members(self, named: &[Field], fields: &[Value], out: &mut String, mut first: bool) {
        for (field, value) in named.iter().zip(fields) {
            if !first {
                out.push(',');
            }
            first = false;
            quote(out, &field.name);
            out.push(':');
            self.show(&field.shape, value, out);
        }
    }

    fn show_body(self, body: &Body, fields: &[Value], out: &mut String) {
        match body {
            Body::Nothing => out.push_str("[]"),
            Body::Value(shape) => self.show(shape, &fields[0], out),
            Body::Values(shapes) => self.array(&shapes.iter().zip(fields).collect::<Vec<_>>(), out),
            Body::Fields(named) => {
                out.push('{');
                self.members(named, fields, out, true);
                out.push('}');
            }
        }
    }
}

use crate::schema::Layout as Tagging;

fn quote(out: &mut String, text: &str) {
    out.push('"');
    for one in text.chars() {
        match one {
            '"' | '\\' => out.extend(['\\', one]),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            _ if (one as u32) < 32 => out.push_str(&format!("\\u{:04x}", one as u32)),
            _ => out.push(one),
        }
    }
    out.push('"');
}

/// The fewest digits that read back as the same number, of which `shown` is Rust's form with an
/// exponent.
fn real(out: &mut String, number: f64, shown: String) {
    if number.is_nan() {
        return out.push_str("null");
    }
    if number.is_infinite() {
        return out.push_str(if number > 0.0 { "\"+inf\"" } else { "\"-inf\"" });
    }
    let (mantissa, exponent) = shown.split_once('e').unwrap_or((&shown, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let (sign, mantissa) = mantissa.strip_prefix('-').map_or(("", mantissa), |rest| ("-", rest));
    let digits = mantissa.replace('.', "");
    out.push_str(sign);
    if number == 0.0 {
        return out.push_str("0.0");
    }
    let point = exponent + 1;
    let size = digits.len() as i32;
    if !(-4..=16).contains(&point) {
        out.push_str(mantissa);
        out.push_str(&format!("e{exponent}"));
    } else if point <= 0 {
        out.push_str("0.");
        out.push_str(&"0".repeat(-point as usize));
        out.push_str(&digits);
    } else if point >= size {
        out.push_str(&digits);
        out.push_str(&"0".repeat((point - size) as usize));
        out.push_str(".0");
    } else {
        out.push_str(&digits[..point as usize]);
        out.push('.');
        out.push_str(&digits[point as usize..]);
    }
}
