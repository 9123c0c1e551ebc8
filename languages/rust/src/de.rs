//! From documents to values: a deserializer that the writer's schema drives.
//!
//! The schema says what the bytes are, and serde's visitors what the values become. So a type may
//! differ from the schema as serde allows: fields are found by name, those that are not there may
//! have defaults, and others are stepped over.

use crate::error::{Error, Result};
use crate::format::Format;
use crate::layout::{f32_at, f64_at, integer, just, Ascending, Layout};
use crate::number::*;
use crate::schema::*;
use crate::value::Values;
use num_bigint::BigInt;
use serde::de::{self, Deserialize, DeserializeSeed, Deserializer as _, IntoDeserializer, Visitor};

/// Levels of values within each other that are read.
pub const MAX_DEPTH: usize = 512;

/// The name by which an integer of any size asks for its bytes.
pub(crate) const INTEGER: &str = "$tern::Integer";

impl Layout {
    /// The value of a document, which is all of the bytes.
    pub fn decode<'de, T: Deserialize<'de>>(&self, input: &'de [u8]) -> Result<T> {
        let (value, end) = self.decode_at(input, 0)?;
        if end != input.len() {
            return Err(Error::at(end, "something follows the value"));
        }
        Ok(value)
    }

    /// The value that begins at an offset, and where it ends.
    pub fn decode_at<'de, T: Deserialize<'de>>(&self, input: &'de [u8], at: usize) -> Result<(T, usize)> {
        let mut end = at;
        let reader = De { layout: self, shape: &self.schema().root, input, at: &mut end, depth: 0, owner: None };
        match T::deserialize(reader) {
            Ok(value) => Ok((value, end)),
            Err(error) => Err(error.placed(end)),
        }
    }
}

struct De<'a, 'de> {
    layout: &'a Layout,
    shape: &'a Shape,
    input: &'de [u8],
    at: &'a mut usize,
    depth: usize,
    owner: Option<usize>,
}

impl<'a, 'de> De<'a, 'de> {
    fn with<'b>(&'b mut self, shape: &'b Shape) -> De<'b, 'de> {
        De { layout: self.layout, shape, input: self.input, at: self.at, depth: self.depth, owner: self.owner }
    }

    /// One level further down, where this value is one.
    fn levelled(mut self) -> Result<Self> {
        if self.layout.is_level(self.owner, self.shape) {
            if self.depth >= MAX_DEPTH {
                return Err(Error::at(*self.at, format!("more than {MAX_DEPTH} levels within each other")));
            }
            self.depth += 1;
        }
        if let Shape::Declared(number) = self.shape {
            self.owner = Some(*number);
        }
        Ok(self)
    }

    fn text(&mut self) -> Result<&'de str> {
        let size = length(self.input, self.at)?;
        let start = *self.at;
        let bytes = take(self.input, self.at, size)?;
        std::str::from_utf8(bytes).map_err(|error| Error::at(start + error.valid_up_to(), "these bytes are not UTF-8"))
    }

    fn bytes(&mut self) -> Result<&'de [u8]> {
        match self.shape {
            Shape::BytesOf(size) => just(self.input, self.at, *size),
            _ => {
                let size = length(self.input, self.at)?;
                take(self.input, self.at, size)
            }
        }
    }

    /// The text of a value of a format.
    fn shown(&mut self, format: Format, native: &Shape) -> Result<String> {
        let start = *self.at;
        let value = Values(self.layout).read(native, self.input, self.at, self.depth, self.owner)?;
        match format.refused(&value) {
            Some(reason) => Err(Error::at(start, reason)),
            None => Ok(format.show(&value)),
        }
    }

    fn integer<V: Visitor<'de>>(
        &mut self,
        low: &Option<BigInt>,
        high: &Option<BigInt>,
        size: Size,
        visitor: V,
    ) -> Result<V::Value> {
        let start = *self.at;
        let found = integer(low, high, size, self.input, self.at)?;
        let outcome = if let Ok(small) = u64::try_from(&found) {
            visitor.visit_u64(small)
        } else if let Ok(small) = i64::try_from(&found) {
            visitor.visit_i64(small)
        } else if let Ok(large) = i128::try_from(&found) {
            visitor.visit_i128(large)
        } else {
            Err(Error::at(start, "the number is too large for this type; tern::Integer holds it"))
        };
        outcome.map_err(|error| error.placed(start))
    }

    fn constructor(&mut self, constructors: &[(Option<&str>, &Body)]) -> Result<usize> {
        if constructors.len() > 1 || constructors[0].1.shapes().is_empty() {
            tag(self.input, self.at, constructors.len())
        } else {
            Ok(0)
        }
    }

    /// What a constructor holds, as serde calls it.
    fn body<V: Visitor<'de>>(&mut self, body: &Body, fields: &'static [&'static str], visitor: V) -> Result<V::Value> {
        match body {
            Body::Nothing => visitor.visit_unit(),
            Body::Value(shape) => self.with(shape).deserialize_any(visitor),
            Body::Values(shapes) => {
                let shapes = shapes.iter().rev().collect();
                Parts { de: self.with(&Shape::Unit), shapes }.visited(visitor)
            }
            Body::Fields(all) => {
                let same = fields.len() == all.len() && fields.iter().zip(all).all(|(name, field)| *name == field.name);
                let de = self.with(&Shape::Unit);
                if same {
                    let shapes = all.iter().rev().map(|field| &field.shape).collect();
                    Parts { de, shapes }.visited(visitor)
                } else {
                    let mut named = Named { de, fields: all.iter(), next: None };
                    let value = visitor.visit_map(&mut named)?;
                    if named.fields.len() > 0 || named.next.is_some() {
                        return Err(named.de.unread());
                    }
                    Ok(value)
                }
            }
        }
    }
}

impl<'de> de::Deserializer<'de> for De<'_, 'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let mut this = self.levelled()?;
        let layout = this.layout;
        let start = *this.at;
        match this.shape {
            Shape::Boolean => visitor.visit_bool(tag(this.input, this.at, 2)? == 1),
            Shape::Integer(low, high, size) => this.integer(low, high, *size, visitor),
            Shape::Float(32) => visitor.visit_f32(f32_at(this.input, this.at)?),
            Shape::Float(_) => visitor.visit_f64(f64_at(this.input, this.at)?),
            Shape::Text | Shape::Anything => visitor.visit_borrowed_str(this.text()?),
            Shape::Character => {
                let code = varint(this.input, this.at)?;
                match u32::try_from(code).ok().and_then(char::from_u32) {
                    Some(one) => visitor.visit_char(one),
                    None => Err(Error::at(start, format!("{code:#x} is no character"))),
                }
            }
            Shape::Unit => {
                tag(this.input, this.at, 1)?;
                visitor.visit_unit()
            }
            Shape::Bytes | Shape::BytesOf(_) => visitor.visit_borrowed_bytes(this.bytes()?),
            // What a tuple of digits and a power of ten is, nobody else would know.
            Shape::Formatted(notation, name, native) => match Format::of(*notation, name, native) {
                Some(Format::Decimal) => visitor.visit_string(this.shown(Format::Decimal, native)?),
                _ => this.with(native).deserialize_any(visitor),
            },
            Shape::Opaque(name) => Err(Error::lost(start, format!("only the codec of {name:?} knows its bytes"))),
            Shape::List(_, one) | Shape::Set(one) => {
                let least = if let Shape::List(least, _) = this.shape { *least } else { 0 };
                let ascending = matches!(this.shape, Shape::Set(_)).then(|| Ascending::new("element", one));
                let de = this.with(&Shape::Unit);
                let mut chunks = Chunks { de, shape: one, left: 0, last: false, seen: 0, ascending };
                let value = visitor.visit_seq(&mut chunks)?;
                if next_chunk(&mut chunks.de, &mut chunks.left, &mut chunks.last)? {
                    return Err(chunks.de.unread());
                }
                if chunks.seen < least {
                    return Err(Error::at(start, format!("expected {least} elements or more, found {}", chunks.seen)));
                }
                Ok(value)
            }
            Shape::Optional(one) => match tag(this.input, this.at, 2)? {
                0 => visitor.visit_none(),
                _ => visitor.visit_some(this.with(one)),
            },
            Shape::Map(key, value) => {
                let mut pairs = Pairs {
                    ascending: Ascending::new("key", key),
                    de: this.with(&Shape::Unit),
                    key,
                    value,
                    left: 0,
                    last: false,
                };
                let found = visitor.visit_map(&mut pairs)?;
                if next_chunk(&mut pairs.de, &mut pairs.left, &mut pairs.last)? {
                    return Err(pairs.de.unread());
                }
                Ok(found)
            }
            Shape::Tuple(all) => {
                if all.is_empty() {
                    tag(this.input, this.at, 1)?;
                }
                Parts { de: this.with(&Shape::Unit), shapes: all.iter().rev().collect() }.visited(visitor)
            }
            Shape::Declared(number) => match &layout.schema().definitions[*number].form {
                Form::Single(body) => {
                    this.constructor(&[(None, body)])?;
                    this.body(body, &[], visitor)
                }
                _ => visitor.visit_enum(Chosen { de: this, number: *number }),
            },
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.shape {
            Shape::Optional(_) => self.deserialize_any(visitor),
            // A type around an optional value.
            Shape::Declared(number) => match &self.layout.schema().definitions[*number].form {
                Form::Single(Body::Value(Shape::Optional(_))) => self.deserialize_any(visitor),
                _ => visitor.visit_some(self),
            },
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value> {
        let this = self;
        if name == INTEGER {
            let shape = this.layout.bare(this.shape);
            if let Shape::Integer(low, high, size) = shape {
                let found = integer(low, high, *size, this.input, this.at)?;
                return visitor.visit_byte_buf(found.to_signed_bytes_le());
            }
            return Err(Error::at(*this.at, "expected an integer"));
        }
        if let Shape::Declared(number) = this.shape {
            if let Form::Single(Body::Value(shape)) = &this.layout.schema().definitions[*number].form {
                let mut this = this.levelled()?;
                return visitor.visit_newtype_struct(this.with(shape));
            }
        }
        visitor.visit_newtype_struct(this)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        let mut this = self;
        if let Shape::Declared(number) = this.shape {
            if let Form::Single(body @ (Body::Fields(_) | Body::Nothing)) =
                &this.layout.schema().definitions[*number].form
            {
                this = this.levelled()?;
                this.constructor(&[(None, body)])?;
                return this.body(body, fields, visitor);
            }
        }
        this.deserialize_any(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        let this = self.levelled()?;
        match this.shape {
            Shape::Declared(number) => {
                if let Form::Single(_) = this.layout.schema().definitions[*number].form {
                    return Err(Error::at(*this.at, "the writer's type has one constructor, whose name is not known"));
                }
                visitor.visit_enum(Chosen { de: this, number: *number })
            }
            _ => Err(Error::at(*this.at, "expected a type of several constructors")),
        }
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value> {
        self.deserialize_any(visitor)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        *self.at = self.layout.after_shape(self.shape, self.input, *self.at)?;
        visitor.visit_unit()
    }

    /// A value of a format as its text.
    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let mut this = self;
        while let Some(shape) = this.layout.within(this.shape) {
            if let Shape::Formatted(notation, name, native) = this.shape {
                if let Some(format) = Format::of(*notation, name, native) {
                    return visitor.visit_string(this.shown(format, native)?);
                }
            }
            this = this.levelled()?;
            this.shape = shape;
        }
        this.deserialize_any(visitor)
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_string(visitor)
    }

    /// Bytes are a list of them too.
    fn deserialize_seq<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value> {
        let shape = self.layout.bare(self.shape);
        if !matches!(shape, Shape::Bytes | Shape::BytesOf(_)) {
            return self.deserialize_any(visitor);
        }
        self.shape = shape;
        let mut all = de::value::SeqDeserializer::<_, Error>::new(self.bytes()?.iter().copied());
        let value = visitor.visit_seq(&mut all)?;
        all.end().map_err(|_| self.unread())?;
        Ok(value)
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value> {
        self.deserialize_seq(visitor)
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char
        bytes byte_buf unit tuple_struct map identifier
    }
}

impl De<'_, '_> {
    /// A type that holds less than what is there would lose the rest.
    fn unread(&self) -> Error {
        Error::at(*self.at, "there is more here than the type holds")
    }
}

/// Fields and elements whose number is known. The shapes are in reverse.
struct Parts<'a, 'de> {
    de: De<'a, 'de>,
    shapes: Vec<&'a Shape>,
}

impl<'de> Parts<'_, 'de> {
    fn visited<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value> {
        let value = visitor.visit_seq(&mut self)?;
        if !self.shapes.is_empty() {
            return Err(self.de.unread());
        }
        Ok(value)
    }
}

impl<'de> de::SeqAccess<'de> for Parts<'_, 'de> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>> {
        let Some(shape) = self.shapes.pop() else { return Ok(None) };
        seed.deserialize(self.de.with(shape)).map(Some)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.shapes.len())
    }
}

struct Named<'a, 'de> {
    de: De<'a, 'de>,
    fields: std::slice::Iter<'a, Field>,
    next: Option<&'a Shape>,
}

impl<'de> de::MapAccess<'de> for Named<'_, 'de> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>> {
        let Some(field) = self.fields.next() else { return Ok(None) };
        self.next = Some(&field.shape);
        seed.deserialize(field.name.as_str().into_deserializer()).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value> {
        let shape = self.next.take().ok_or_else(|| Error::value("a value is asked for before its key"))?;
        seed.deserialize(self.de.with(shape))
    }
}

struct Chunks<'a, 'de> {
    de: De<'a, 'de>,
    shape: &'a Shape,
    left: usize,
    last: bool,
    seen: u64,
    /// Of a set.
    ascending: Option<Ascending<'de>>,
}

/// The next chunk, where the one before it is used up and was full.
fn next_chunk(de: &mut De<'_, '_>, left: &mut usize, last: &mut bool) -> Result<bool> {
    if *left == 0 && !*last {
        *left = count(de.input, de.at)?;
        *last = *left < CHUNK;
    }
    Ok(*left > 0)
}

impl<'de> de::SeqAccess<'de> for Chunks<'_, 'de> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>> {
        if !next_chunk(&mut self.de, &mut self.left, &mut self.last)? {
            return Ok(None);
        }
        self.left -= 1;
        self.seen += 1;
        let start = *self.de.at;
        let found = seed.deserialize(self.de.with(self.shape))?;
        if let Some(ascending) = &mut self.ascending {
            let spelled = &self.de.input[start..*self.de.at];
            ascending.follows(self.de.layout, self.shape, spelled, start)?;
        }
        Ok(Some(found))
    }
}

struct Pairs<'a, 'de> {
    de: De<'a, 'de>,
    key: &'a Shape,
    value: &'a Shape,
    left: usize,
    last: bool,
    ascending: Ascending<'de>,
}

impl<'de> de::MapAccess<'de> for Pairs<'_, 'de> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>> {
        if !next_chunk(&mut self.de, &mut self.left, &mut self.last)? {
            return Ok(None);
        }
        self.left -= 1;
        let start = *self.de.at;
        let key = seed.deserialize(self.de.with(self.key))?;
        let spelled = &self.de.input[start..*self.de.at];
        self.ascending.follows(self.de.layout, self.key, spelled, start)?;
        Ok(Some(key))
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value> {
        seed.deserialize(self.de.with(self.value))
    }
}

/// A constructor of several, by its name.
struct Chosen<'a, 'de> {
    de: De<'a, 'de>,
    number: usize,
}

struct Inside<'a, 'de> {
    de: De<'a, 'de>,
    body: &'a Body,
}

impl<'a, 'de> de::EnumAccess<'de> for Chosen<'a, 'de> {
    type Error = Error;
    type Variant = Inside<'a, 'de>;

    fn variant_seed<V: DeserializeSeed<'de>>(mut self, seed: V) -> Result<(V::Value, Inside<'a, 'de>)> {
        let layout = self.de.layout;
        let start = *self.de.at;
        let constructors = layout.schema().definitions[self.number].constructors();
        let (name, body) = constructors[self.de.constructor(&constructors)?];
        let name: de::value::StrDeserializer<'_, Error> = name.unwrap_or_default().into_deserializer();
        let found = seed.deserialize(name).map_err(|error| error.placed(start))?;
        Ok((found, Inside { de: self.de, body }))
    }
}

impl<'de> de::VariantAccess<'de> for Inside<'_, 'de> {
    type Error = Error;

    fn unit_variant(self) -> Result<()> {
        match self.body {
            Body::Nothing => Ok(()),
            _ => Err(Error::at(*self.de.at, "the constructor has fields")),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(mut self, seed: T) -> Result<T::Value> {
        match self.body {
            Body::Value(shape) => seed.deserialize(self.de.with(shape)),
            _ => Err(Error::at(*self.de.at, "the constructor has not one field alone")),
        }
    }

    fn tuple_variant<V: Visitor<'de>>(mut self, _: usize, visitor: V) -> Result<V::Value> {
        self.de.body(self.body, &[], visitor)
    }

    fn struct_variant<V: Visitor<'de>>(mut self, fields: &'static [&'static str], visitor: V) -> Result<V::Value> {
        self.de.body(self.body, fields, visitor)
    }
}
