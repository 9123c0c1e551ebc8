//! From values to documents: a serializer that a schema drives, so that what is written is what
//! the schema says, or an error.

use crate::de::{INTEGER, MAX_DEPTH};
use crate::error::{Error, Result};
use crate::format::Format;
use crate::layout::Layout;
use crate::number::*;
use crate::schema::*;
use crate::schema_bytes::zigzag_big;
use crate::value::Values;
use num_bigint::BigInt;
use serde::ser::{self, Serialize};

impl Layout {
    /// The document of a value.
    pub fn encode<T: Serialize + ?Sized>(&self, value: &T) -> Result<Vec<u8>> {
        let mut out = vec![];
        self.encode_into(&mut out, value)?;
        Ok(out)
    }

    /// Put a document behind some bytes; where it fails, these are as they were.
    pub fn encode_into<T: Serialize + ?Sized>(&self, out: &mut Vec<u8>, value: &T) -> Result<()> {
        let start = out.len();
        let writer = Ser { layout: self, shape: &self.schema().root, out, depth: 0, owner: None };
        value.serialize(writer).inspect_err(|_| out.truncate(start))
    }
}

/// Puts an integer within its bounds behind some bytes.
pub(crate) fn put_integer(
    out: &mut Vec<u8>,
    low: &Option<BigInt>,
    high: &Option<BigInt>,
    size: Size,
    number: &BigInt,
) -> Result<()> {
    if low.as_ref().is_some_and(|low| number < low) || high.as_ref().is_some_and(|high| number > high) {
        return Err(Error::value(format!("the number {number} is out of its bounds")));
    }
    let signed = is_signed(low);
    let outside = |_| Error::value("the bounds are wider than a varint");
    let longer = |_| Error::value("the bounds are wider than the bytes");
    match width(low, high, size) {
        // What is within the bounds fits; the lowest bytes of two's complement are its spelling.
        Width::One => out.push(lowest(number)[0]),
        Width::Two => out.extend_from_slice(&lowest(number)),
        Width::Four if signed => out.extend_from_slice(&i32::try_from(number).map_err(longer)?.to_le_bytes()),
        Width::Four => out.extend_from_slice(&u32::try_from(number).map_err(longer)?.to_le_bytes()),
        Width::Eight if signed => out.extend_from_slice(&i64::try_from(number).map_err(longer)?.to_le_bytes()),
        Width::Eight => out.extend_from_slice(&u64::try_from(number).map_err(longer)?.to_le_bytes()),
        Width::Varint if signed => put_varint(out, zigzag(i64::try_from(number).map_err(outside)?)),
        Width::Varint => put_varint(out, u64::try_from(number).map_err(outside)?),
        Width::Magnitude if signed => put_magnitude(out, &zigzag_big(number).to_bytes_le()),
        Width::Magnitude => put_magnitude(out, &number.magnitude().to_bytes_le()),
    }
    Ok(())
}

fn lowest(number: &BigInt) -> [u8; 2] {
    let small = i32::try_from(number).unwrap_or(0).to_le_bytes();
    [small[0], small[1]]
}

struct Ser<'a> {
    layout: &'a Layout,
    shape: &'a Shape,
    out: &'a mut Vec<u8>,
    depth: usize,
    owner: Option<usize>,
}

impl<'a> Ser<'a> {
    fn with<'b>(&'b mut self, shape: &'b Shape) -> Ser<'b> {
        Ser { layout: self.layout, shape, out: self.out, depth: self.depth, owner: self.owner }
    }

    fn levelled(mut self) -> Result<Self> {
        if self.layout.is_level(self.owner, self.shape) {
            self.depth += 1;
            if self.depth > MAX_DEPTH {
                return Err(Error::value(format!("more than {MAX_DEPTH} levels within each other")));
            }
        }
        if let Shape::Declared(number) = self.shape {
            self.owner = Some(*number);
        }
        Ok(self)
    }

    /// This value without formats, and types of one field, around it. A decimal is always a text.
    fn bare(mut self) -> Result<Self> {
        while let Some(inside) = self.layout.within(self.shape) {
            if self.format() == Some(Format::Decimal) {
                break;
            }
            self = self.levelled()?;
            self.shape = inside;
        }
        self.levelled()
    }

    fn format(&self) -> Option<Format> {
        match self.shape {
            Shape::Formatted(notation, name, native) => Format::of(*notation, name, native),
            _ => None,
        }
    }

    fn wrong<T>(&self, found: &str) -> Result<T> {
        Err(Error::value(format!("the schema does not have {found} here")))
    }

    fn integer(self, number: BigInt) -> Result<()> {
        let this = self.bare()?;
        let Shape::Integer(low, high, size) = this.shape else { return this.wrong("an integer") };
        put_integer(this.out, low, high, *size, &number)
    }

    /// A text, or the value of a format that one stands for.
    fn text(mut self, text: &str) -> Result<()> {
        loop {
            if let (Some(format), Shape::Formatted(_, name, native)) = (self.format(), self.shape) {
                let value = format.read(text).ok_or_else(|| Error::value(format!("{text:?} is no {name}")))?;
                return Values(self.layout).write(native, self.out, &value);
            }
            match self.layout.within(self.shape) {
                None => break,
                Some(inside) => {
                    self = self.levelled()?;
                    self.shape = inside;
                }
            }
        }
        match self.shape {
            Shape::Text | Shape::Anything => {
                put_varint(self.out, text.len() as u64);
                self.out.extend_from_slice(text.as_bytes());
                Ok(())
            }
            _ => self.wrong("a text"),
        }
    }

    /// Several fields or elements, as a tuple or a constructor has them.
    fn parts(self) -> Result<Parts<'a>> {
        let this = self.bare()?;
        let layout = this.layout;
        let shapes: Vec<&Shape> = match this.shape {
            Shape::Tuple(all) => all.iter().collect(),
            Shape::Declared(number) => match &layout.schema().definitions[*number].form {
                Form::Single(body @ (Body::Values(_) | Body::Fields(_) | Body::Nothing)) => body.shapes(),
                _ => return this.wrong("several fields"),
            },
            _ => return this.wrong("several fields"),
        };
        this.of_body(shapes, &[])
    }

    fn of_body(self, shapes: Vec<&'a Shape>, names: &'a [Field]) -> Result<Parts<'a>> {
        if shapes.is_empty() {
            self.out.push(0);
        }
        Ok(Parts { ser: self, shapes, names, next: 0 })
    }

    /// A constructor of several, whose number is written.
    fn variant(self, name: &str) -> Result<(Self, &'a Body)> {
        let this = self.bare()?;
        let layout = this.layout;
        if let Shape::Declared(number) = this.shape {
            let definition = &layout.schema().definitions[*number];
            let constructors = definition.constructors();
            if let Some(index) = constructors.iter().position(|(known, _)| *known == Some(name)) {
                let body = constructors[index].1;
                if constructors.len() > 1 || body.shapes().is_empty() {
                    let bytes = (index as u16).to_le_bytes();
                    this.out.extend_from_slice(if constructors.len() <= 256 { &bytes[..1] } else { &bytes });
                }
                return Ok((this, body));
            }
        }
        Err(Error::value(format!("the schema does not have the constructor {name:?} here")))
    }
}

impl<'a> ser::Serializer for Ser<'a> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Elements<'a>;
    type SerializeTuple = Parts<'a>;
    type SerializeTupleStruct = Parts<'a>;
    type SerializeTupleVariant = Parts<'a>;
    type SerializeMap = Pairs<'a>;
    type SerializeStruct = Parts<'a>;
    type SerializeStructVariant = Parts<'a>;

    fn serialize_bool(self, value: bool) -> Result<()> {
        let this = self.bare()?;
        match this.shape {
            Shape::Boolean => Ok(this.out.push(u8::from(value))),
            _ => this.wrong("a truth value"),
        }
    }

    fn serialize_i8(self, value: i8) -> Result<()> {
        self.integer(value.into())
    }

    fn serialize_i16(self, value: i16) -> Result<()> {
        self.integer(value.into())
    }

    fn serialize_i32(self, value: i32) -> Result<()> {
        self.integer(value.into())
    }

    fn serialize_i64(self, value: i64) -> Result<()> {
        self.integer(value.into())
    }

    fn serialize_i128(self, value: i128) -> Result<()> {
        self.integer(value.into())
    }

    fn serialize_u8(self, value: u8) -> Result<()> {
        self.integer(value.into())
    }

    fn serialize_u16(self, value: u16) -> Result<()> {
        self.integer(value.into())
    }

    fn serialize_u32(self, value: u32) -> Result<()> {
        self.integer(value.into())
    }

    fn serialize_u64(self, value: u64) -> Result<()> {
        self.integer(value.into())
    }

    fn serialize_u128(self, value: u128) -> Result<()> {
        self.integer(value.into())
    }

    fn serialize_f32(self, value: f32) -> Result<()> {
        let this = self.bare()?;
        match this.shape {
            Shape::Float(32) => Ok(this.out.extend_from_slice(&value.to_le_bytes())),
            Shape::Float(_) => Ok(this.out.extend_from_slice(&f64::from(value).to_le_bytes())),
            _ => this.wrong("a real"),
        }
    }

    fn serialize_f64(self, value: f64) -> Result<()> {
        let this = self.bare()?;
        match this.shape {
            Shape::Float(64) => Ok(this.out.extend_from_slice(&value.to_le_bytes())),
            _ => this.wrong("a real of 64 bits"),
        }
    }

    fn serialize_char(self, value: char) -> Result<()> {
        let this = self.bare()?;
        match this.shape {
            Shape::Character => Ok(put_varint(this.out, u64::from(value))),
            _ => this.wrong("a character"),
        }
    }

    fn serialize_str(self, value: &str) -> Result<()> {
        self.text(value)
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<()> {
        let this = self.bare()?;
        match this.shape {
            Shape::Bytes => put_varint(this.out, value.len() as u64),
            Shape::BytesOf(size) if *size == value.len() as u64 => {}
            _ => return this.wrong("as many bytes"),
        }
        this.out.extend_from_slice(value);
        Ok(())
    }

    fn serialize_none(self) -> Result<()> {
        let this = self.bare()?;
        match this.shape {
            Shape::Optional(_) => Ok(this.out.push(0)),
            _ => this.wrong("a value that may be absent"),
        }
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<()> {
        let mut this = self.bare()?;
        match this.shape {
            Shape::Optional(inside) => {
                this.out.push(1);
                value.serialize(this.with(inside))
            }
            _ => this.wrong("a value that may be absent"),
        }
    }

    fn serialize_unit(self) -> Result<()> {
        let this = self.bare()?;
        let layout = this.layout;
        match this.shape {
            Shape::Unit => Ok(this.out.push(0)),
            Shape::Declared(number) => match &layout.schema().definitions[*number].form {
                Form::Single(body) if body.shapes().is_empty() => Ok(this.out.push(0)),
                _ => this.wrong("a value without fields"),
            },
            _ => this.wrong("a value without fields"),
        }
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<()> {
        self.serialize_unit()
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, name: &'static str) -> Result<()> {
        match self.variant(name)? {
            (_, Body::Nothing) => Ok(()),
            (this, _) => this.wrong("a constructor without fields"),
        }
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, name: &'static str, value: &T) -> Result<()> {
        if name == INTEGER {
            let (mut document, mut at) = (vec![], 0);
            let bytes = Ser { layout: self.layout, shape: &Shape::Bytes, out: &mut document, depth: 0, owner: None };
            value.serialize(bytes)?;
            length(&document, &mut at)?;
            return self.integer(BigInt::from_signed_bytes_le(&document[at..]));
        }
        if let Shape::Declared(number) = self.shape {
            let layout = self.layout;
            if let Form::Single(Body::Value(inside)) = &layout.schema().definitions[*number].form {
                let mut this = self.levelled()?;
                return value.serialize(this.with(inside));
            }
        }
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        name: &'static str,
        value: &T,
    ) -> Result<()> {
        match self.variant(name)? {
            (mut this, Body::Value(inside)) => value.serialize(this.with(inside)),
            (this, _) => this.wrong("a constructor with one field alone"),
        }
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Elements<'a>> {
        let this = self.bare()?;
        let start = this.out.len();
        let layout = this.layout;
        let (kind, shape) = match this.shape {
            Shape::List(least, shape) => (Kind::List { least: *least, in_chunk: 0 }, &**shape),
            Shape::Set(shape) => (Kind::Set { starts: vec![] }, &**shape),
            Shape::Bytes => (Kind::Bytes, layout.byte()),
            Shape::BytesOf(size) => (Kind::BytesOf(*size), layout.byte()),
            _ => return this.wrong("a list"),
        };
        Ok(Elements { ser: this, shape, start, total: 0, kind })
    }

    fn serialize_tuple(self, size: usize) -> Result<Parts<'a>> {
        let layout = self.layout;
        match layout.bare(self.shape) {
            Shape::Bytes => put_varint(self.out, size as u64),
            Shape::BytesOf(wanted) if *wanted == size as u64 => {}
            _ => return self.parts(),
        }
        Ok(Parts { ser: self, shapes: vec![layout.byte(); size], names: &[], next: 0 })
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Parts<'a>> {
        self.parts()
    }

    fn serialize_tuple_variant(self, _: &'static str, _: u32, name: &'static str, _: usize) -> Result<Parts<'a>> {
        let (this, body) = self.variant(name)?;
        Ok(Parts { shapes: body.shapes(), ser: this, names: &[], next: 0 })
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Pairs<'a>> {
        let this = self.bare()?;
        match this.shape {
            Shape::Map(key, value) => {
                let start = this.out.len();
                Ok(Pairs { ser: this, key, value, start, starts: vec![], sizes: vec![] })
            }
            _ => this.wrong("a map"),
        }
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Parts<'a>> {
        if let Shape::Declared(number) = self.shape {
            let layout = self.layout;
            if let Form::Single(Body::Fields(fields)) = &layout.schema().definitions[*number].form {
                let shapes = fields.iter().map(|field| &field.shape).collect();
                return self.levelled()?.of_body(shapes, fields);
            }
        }
        self.parts()
    }

    fn serialize_struct_variant(self, _: &'static str, _: u32, name: &'static str, _: usize) -> Result<Parts<'a>> {
        match self.variant(name)? {
            (this, Body::Fields(fields)) => Ok(Parts {
                shapes: fields.iter().map(|field| &field.shape).collect(),
                ser: this,
                names: fields,
                next: 0,
            }),
            (this, _) => this.wrong("a constructor with named fields"),
        }
    }
}

/// Fields, in the schema's order.
pub struct Parts<'a> {
    ser: Ser<'a>,
    shapes: Vec<&'a Shape>,
    names: &'a [Field],
    next: usize,
}

impl Parts<'_> {
    fn part<T: Serialize + ?Sized>(&mut self, name: Option<&str>, value: &T) -> Result<()> {
        let Some(shape) = self.shapes.get(self.next) else {
            return Err(Error::value(format!("the schema has {} fields here, and no more", self.shapes.len())));
        };
        if let (Some(name), Some(field)) = (name, self.names.get(self.next)) {
            if field.name != name {
                return Err(Error::value(format!("the schema's next field is {:?}, and not {name:?}", field.name)));
            }
        }
        self.next += 1;
        value.serialize(self.ser.with(shape))
    }

    fn done(self) -> Result<()> {
        match self.next == self.shapes.len() {
            true => Ok(()),
            false => {
                Err(Error::value(format!("the schema has {} fields here, found {}", self.shapes.len(), self.next)))
            }
        }
    }
}

/// Serde has five names for what is done with the parts of a value: by position, or by name.
macro_rules! parts {
    ($($name:ident $put:ident $(($key:ident))?,)*) => {
        $(impl ser::$name for Parts<'_> {
            type Ok = ();
            type Error = Error;

            fn $put<T: Serialize + ?Sized>(&mut self, $($key: &'static str,)? value: &T) -> Result<()> {
                self.part([$($key)?].first().copied(), value)
            }

            fn end(self) -> Result<()> {
                self.done()
            }
        })*
    };
}

parts! {
    SerializeTuple serialize_element,
    SerializeTupleStruct serialize_field,
    SerializeTupleVariant serialize_field,
    SerializeStruct serialize_field (name),
    SerializeStructVariant serialize_field (name),
}

/// The elements of a list or a set, or bytes one by one.
pub struct Elements<'a> {
    ser: Ser<'a>,
    shape: &'a Shape,
    start: usize,
    total: u64,
    kind: Kind,
}

enum Kind {
    /// Whose last chunk, from `start` on, has so many elements.
    List {
        least: u64,
        in_chunk: usize,
    },
    /// Whose elements begin there. They are put in order when all are there.
    Set {
        starts: Vec<usize>,
    },
    Bytes,
    BytesOf(u64),
}

/// A number is put before what it counts when that is known.
fn put_before(out: &mut Vec<u8>, at: usize, number: u64) {
    let mut header = vec![];
    put_varint(&mut header, number);
    out.splice(at..at, header);
}

impl ser::SerializeSeq for Elements<'_> {
    type Ok = ();
    type Error = Error;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        if let Kind::Set { starts } = &mut self.kind {
            starts.push(self.ser.out.len());
        }
        value.serialize(self.ser.with(self.shape))?;
        self.total += 1;
        if let Kind::List { in_chunk, .. } = &mut self.kind {
            *in_chunk += 1;
            if *in_chunk == CHUNK {
                put_before(self.ser.out, self.start, CHUNK as u64);
                self.start = self.ser.out.len();
                *in_chunk = 0;
            }
        }
        Ok(())
    }

    fn end(self) -> Result<()> {
        match self.kind {
            Kind::List { least, .. } if self.total < least => {
                return Err(Error::value(format!("expected {least} elements or more, found {}", self.total)));
            }
            Kind::List { in_chunk, .. } => put_before(self.ser.out, self.start, in_chunk as u64),
            Kind::Bytes => put_before(self.ser.out, self.start, self.total),
            Kind::BytesOf(size) if self.total != size => {
                return Err(Error::value(format!("expected {size} bytes, found {}", self.total)));
            }
            Kind::BytesOf(_) => {}
            Kind::Set { starts } => {
                let written = self.ser.out.split_off(self.start);
                let all = apart(&written, self.start, &starts).map(|one| (one, one)).collect();
                self.ser.layout.put_ascending(self.ser.out, self.shape, all)?;
            }
        }
        Ok(())
    }
}

/// What was written from `base` on, in pieces that begin at some places.
fn apart<'a>(written: &'a [u8], base: usize, starts: &'a [usize]) -> impl Iterator<Item = &'a [u8]> {
    let ends = starts.iter().skip(1).map(move |start| start - base).chain([written.len()]);
    starts.iter().zip(ends).map(move |(start, end)| &written[start - base..end])
}

/// A map's pairs, put in order when all are there.
pub struct Pairs<'a> {
    ser: Ser<'a>,
    key: &'a Shape,
    value: &'a Shape,
    start: usize,
    /// Where keys begin, and how long they are.
    starts: Vec<usize>,
    sizes: Vec<usize>,
}

impl ser::SerializeMap for Pairs<'_> {
    type Ok = ();
    type Error = Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<()> {
        let start = self.ser.out.len();
        key.serialize(self.ser.with(self.key))?;
        self.starts.push(start);
        self.sizes.push(self.ser.out.len() - start);
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        value.serialize(self.ser.with(self.value))
    }

    fn end(self) -> Result<()> {
        let written = self.ser.out.split_off(self.start);
        let pairs = apart(&written, self.start, &self.starts).zip(&self.sizes);
        let pairs = pairs.map(|(pair, size)| (&pair[..*size], pair)).collect();
        self.ser.layout.put_ascending(self.ser.out, self.key, pairs)
    }
}
