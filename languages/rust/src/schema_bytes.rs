//! Schemas as bytes, as a container's header has them: rules 19 to 22 of `docs/spec/container.md`.

use crate::error::{Error, Result};
use crate::number::*;
use crate::schema::*;
use crate::schema_text::MAX_DEPTH;
use num_bigint::{BigInt, BigUint};

pub fn write(schema: &Schema) -> Vec<u8> {
    let mut out = vec![];
    shape(&mut out, &schema.root);
    row(&mut out, &schema.definitions, |out, one| {
        string(out, &one.label);
        form(out, &one.form);
    });
    out
}

fn number(out: &mut Vec<u8>, value: i64) {
    put_varint(out, zigzag(value));
}

fn string(out: &mut Vec<u8>, value: &str) {
    put_varint(out, value.len() as u64);
    out.extend_from_slice(value.as_bytes());
}

fn row<T>(out: &mut Vec<u8>, values: &[T], one: impl FnMut(&mut Vec<u8>, &T)) {
    put_chunks(out, values, one);
}

fn bound(out: &mut Vec<u8>, value: &Option<BigInt>) {
    match value {
        None => out.push(0),
        Some(value) => {
            out.push(1);
            put_magnitude(out, &zigzag_big(value).to_bytes_le());
        }
    }
}

pub(crate) fn zigzag_big(value: &BigInt) -> BigUint {
    let twice: BigInt = value << 1;
    let coded: BigInt = if value.sign() == num_bigint::Sign::Minus { -twice - 1 } else { twice };
    coded.magnitude().clone()
}

pub(crate) fn unzigzag_big(bytes: &[u8]) -> BigInt {
    let coded = BigInt::from(BigUint::from_bytes_le(bytes));
    let half: BigInt = &coded >> 1;
    if coded.bit(0) {
        -half - 1
    } else {
        half
    }
}

fn shape(out: &mut Vec<u8>, one: &Shape) {
    match one {
        Shape::Boolean => out.push(0),
        Shape::Integer(Some(low), Some(high), size @ (Size::Four | Size::Eight)) => {
            out.push(18);
            number(out, if *size == Size::Four { 4 } else { 8 });
            put_magnitude(out, &zigzag_big(low).to_bytes_le());
            put_magnitude(out, &zigzag_big(high).to_bytes_le());
        }
        Shape::Integer(low, high, _) => {
            out.push(1);
            bound(out, low);
            bound(out, high);
        }
        Shape::Float(bits) => {
            out.push(2);
            number(out, i64::from(*bits));
        }
        Shape::Text => out.push(3),
        Shape::Character => out.push(4),
        Shape::Unit => out.push(5),
        Shape::Anything => out.push(6),
        Shape::Opaque(name) => {
            out.push(7);
            string(out, name);
        }
        Shape::List(least, element) => {
            out.push(8);
            number(out, *least as i64);
            shape(out, element);
        }
        Shape::Optional(value) => {
            out.push(9);
            shape(out, value);
        }
        Shape::Map(key, value) => {
            out.push(10);
            shape(out, key);
            shape(out, value);
        }
        Shape::Tuple(all) => {
            out.push(11);
            row(out, all, shape);
        }
        Shape::Declared(index) => {
            out.push(12);
            put_varint(out, *index as u64);
        }
        Shape::Bytes => out.push(13),
        Shape::BytesOf(size) => {
            out.push(14);
            number(out, *size as i64);
        }
        Shape::Formatted(notation, name, native) => {
            out.push(if *notation == Notation::Text { 15 } else { 16 });
            string(out, name);
            shape(out, native);
        }
        Shape::Set(one) => {
            out.push(17);
            shape(out, one);
        }
    }
}

fn body(out: &mut Vec<u8>, one: &Body) {
    match one {
        Body::Nothing => out.push(0),
        Body::Value(value) => {
            out.push(1);
            shape(out, value);
        }
        Body::Values(all) => {
            out.push(2);
            row(out, all, shape);
        }
        Body::Fields(fields) => {
            out.push(3);
            row(out, fields, |out, field| {
                string(out, &field.name);
                out.push(u8::from(field.may_be_absent));
                shape(out, &field.shape);
            });
        }
    }
}

fn form(out: &mut Vec<u8>, one: &Form) {
    match one {
        Form::Single(inside) => {
            out.push(0);
            body(out, inside);
        }
        Form::Names(names) => {
            out.push(1);
            row(out, names, |out, name| string(out, name));
        }
        Form::Alternatives(layout, all) => {
            out.push(2);
            match layout {
                Layout::Tagged(tag, contents) => {
                    out.push(0);
                    string(out, tag);
                    string(out, contents);
                }
                Layout::SingleField => out.push(1),
                Layout::TwoElements => out.push(2),
                Layout::Untagged => out.push(3),
            }
            row(out, all, |out, (name, inside)| {
                string(out, name);
                body(out, inside);
            });
        }
    }
}

// --- reading -----------------------------------------------------------------------

pub fn read(input: &[u8]) -> Result<Schema> {
    let mut reader = Reader { input, at: 0 };
    let root = reader.shape(0)?;
    let definitions = reader.row(Reader::definition)?;
    if reader.at != input.len() {
        return Err(Error::at(reader.at, "something follows the schema"));
    }
    Schema { root, definitions }.checked()
}

struct Reader<'a> {
    input: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn choice(&mut self, below: usize) -> Result<usize> {
        tag(self.input, &mut self.at, below)
    }

    fn string(&mut self) -> Result<String> {
        let size = length(self.input, &mut self.at)?;
        let start = self.at;
        let bytes = take(self.input, &mut self.at, size)?;
        std::str::from_utf8(bytes)
            .map(str::to_string)
            .map_err(|error| Error::at(start + error.valid_up_to(), "these bytes are not UTF-8"))
    }

    fn row<T>(&mut self, one: impl Fn(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        let mut out = vec![];
        loop {
            let n = count(self.input, &mut self.at)?;
            for _ in 0..n {
                out.push(one(self)?);
            }
            if n < CHUNK {
                return Ok(out);
            }
        }
    }

    fn bound(&mut self) -> Result<Option<BigInt>> {
        if self.choice(2)? == 0 {
            return Ok(None);
        }
        self.whole().map(Some)
    }

    fn whole(&mut self) -> Result<BigInt> {
        let bytes = magnitude(self.input, &mut self.at)?;
        if bytes.len() > 1024 {
            return Err(Error::at(self.at, "a bound of more than 8192 bits"));
        }
        Ok(unzigzag_big(&bytes))
    }

    fn shape(&mut self, depth: usize) -> Result<Shape> {
        if depth > MAX_DEPTH {
            return Err(Error::at(self.at, format!("more than {MAX_DEPTH} levels within each other")));
        }
        let start = self.at;
        let inside = |reader: &mut Self| reader.shape(depth + 1);
        Ok(match self.choice(19)? {
            0 => Shape::Boolean,
            1 => Shape::Integer(self.bound()?, self.bound()?, Size::Least),
            2 => match unzigzag(varint(self.input, &mut self.at)?) {
                32 => Shape::Float(32),
                64 => Shape::Float(64),
                bits => return Err(Error::at(start, format!("a float has 32 or 64 bits, not {bits}"))),
            },
            3 => Shape::Text,
            4 => Shape::Character,
            5 => Shape::Unit,
            6 => Shape::Anything,
            7 => Shape::Opaque(self.string()?),
            8 => {
                let least = unzigzag(varint(self.input, &mut self.at)?);
                let least = u64::try_from(least).map_err(|_| Error::at(start, "a list of less than no elements"))?;
                Shape::List(least, Box::new(inside(self)?))
            }
            9 => Shape::Optional(Box::new(inside(self)?)),
            10 => Shape::Map(Box::new(inside(self)?), Box::new(inside(self)?)),
            11 => Shape::Tuple(self.row(inside)?),
            13 => Shape::Bytes,
            14 => {
                let size = unzigzag(varint(self.input, &mut self.at)?);
                Shape::BytesOf(u64::try_from(size).map_err(|_| Error::at(start, "a size below 0"))?)
            }
            15 => Shape::Formatted(Notation::Text, self.string()?, Box::new(inside(self)?)),
            16 => Shape::Formatted(Notation::Number, self.string()?, Box::new(inside(self)?)),
            17 => Shape::Set(Box::new(inside(self)?)),
            18 => {
                let size = match unzigzag(varint(self.input, &mut self.at)?) {
                    4 => Size::Four,
                    8 => Size::Eight,
                    size => {
                        return Err(Error::at(
                            start,
                            format!("an integer of a fixed size has 4 or 8 bytes, not {size}"),
                        ))
                    }
                };
                Shape::Integer(Some(self.whole()?), Some(self.whole()?), size)
            }
            _ => Shape::Declared(usize::try_from(varint(self.input, &mut self.at)?).unwrap_or(usize::MAX)),
        })
    }

    fn body(&mut self) -> Result<Body> {
        Ok(match self.choice(4)? {
            0 => Body::Nothing,
            1 => Body::Value(self.shape(0)?),
            2 => Body::Values(self.row(|reader| reader.shape(0))?),
            _ => Body::Fields(self.row(|reader| {
                let name = reader.string()?;
                let may_be_absent = reader.choice(2)? == 1;
                Ok(Field { name, may_be_absent, shape: reader.shape(0)? })
            })?),
        })
    }

    fn definition(&mut self) -> Result<Definition> {
        let label = self.string()?;
        let form = match self.choice(3)? {
            0 => Form::Single(self.body()?),
            1 => Form::Names(self.row(Reader::string)?),
            _ => {
                let layout = match self.choice(4)? {
                    0 => Layout::Tagged(self.string()?, self.string()?),
                    1 => Layout::SingleField,
                    2 => Layout::TwoElements,
                    _ => Layout::Untagged,
                };
                Form::Alternatives(layout, self.row(|reader| Ok((reader.string()?, reader.body()?)))?)
            }
        };
        Ok(Definition { label, form })
    }
}
