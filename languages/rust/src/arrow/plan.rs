//! Which column the values of a shape become.
//!
//! | schema | Arrow |
//! |---|---|
//! | `boolean` | `bool` |
//! | `integer a..b` | the shortest of `int8` to `int64` that holds both |
//! | other integers | `decimal128`, of up to 38 digits |
//! | `float 32`, `float 64` | `float`, `double` |
//! | `text`, `character`, `anything`, names alone | `string` |
//! | `unit`, a type of nothing | `null` |
//! | `bytes`, `"base16"`, `"base64url"` | `binary` |
//! | `"date"` | `date32` |
//! | `"date-time"` at UTC, `"system-time"` | `timestamp[us, UTC]` |
//! | `"date-time-local"` | `timestamp[us]` |
//! | `"seconds"`, `"fixed-n"` where n is a power of ten up to 38 | `decimal128(38, …)` |
//! | other formats that are known | `string`, as in JSON |
//! | `[e]`, `set e` | `list` |
//! | `map k v` | `map`; a list of `key` and `value` where keys are optional |
//! | `e?` | the column of e with nulls; `struct<value>` where e may itself be null |
//! | tuples, fields without names | `struct` of `_1`, `_2` and so on |
//! | fields | `struct` |
//! | several constructors | `struct` of `constructor`, a `string`, and of a column with nulls for each that holds something |
//! | what is within itself, or 32 levels deep | `string`, as JSON |

use super::column::*;
use super::number::{Whole, Wide};
use super::skip::Skip;
use super::time::Moment;
use crate::error::{Error, Result};
use crate::format::Format;
use crate::layout::Layout;
use crate::schema::*;
use arrow_buffer::BooleanBufferBuilder;
use arrow_schema::{DataType, Field, Fields};
use num_bigint::BigInt;
use std::sync::Arc;

const LEVELS: usize = 32;

/// The column of all rows: a record of those that are asked for, in that order. What is no record
/// is one of a column that is called `value`.
pub(super) fn rows(layout: &Layout, wanted: Option<&[String]>) -> Result<Record> {
    let root = &layout.schema().root;
    if let Some(name) = opaque(layout) {
        return Err(Error::value(format!("only the codec of {name:?} knows its bytes")));
    }
    let mut around = root;
    let (names, shapes) = loop {
        match around {
            Shape::Declared(number) if !layout.is_within_itself(*number) => {
                match &layout.schema().definitions[*number].form {
                    Form::Single(Body::Fields(fields)) if !fields.is_empty() => {
                        break (
                            fields.iter().map(|one| one.name.clone()).collect(),
                            fields.iter().map(|one| &one.shape).collect(),
                        )
                    }
                    Form::Single(Body::Value(inside)) => around = inside,
                    _ => break (vec!["value".to_string()], vec![root]),
                }
            }
            _ => break (vec!["value".to_string()], vec![root]),
        }
    };
    let wanted: Vec<usize> = match wanted {
        None => (0..names.len()).collect(),
        Some(wanted) => wanted
            .iter()
            .map(|one| {
                let known = || format!("no field is called {one:?}; there are {}", names.join(", "));
                names.iter().position(|name| name == one).ok_or_else(|| Error::value(known()))
            })
            .collect::<Result<_>>()?,
    };
    if let Some(twice) = (1..wanted.len()).find(|index| wanted[..*index].contains(&wanted[*index])) {
        return Err(Error::value(format!("the field {:?} is asked for twice", names[wanted[twice]])));
    }
    let columns: Vec<Column> = wanted.iter().map(|index| column(layout, shapes[*index], 1)).collect::<Result<_>>()?;
    let fields = wanted.iter().zip(&columns).map(|(index, column)| field(&names[*index], column)).collect();
    let mut parts = vec![];
    for (index, shape) in shapes.into_iter().enumerate() {
        parts.push(match wanted.iter().position(|one| *one == index) {
            Some(kept) => Part::Kept(kept),
            None => Part::Skipped(Skip::of(layout, shape)),
        });
    }
    Ok(Record { rows: 0, parts, is_empty: false, columns, fields })
}

/// The name of a codec whose values nobody else knows.
fn opaque(layout: &Layout) -> Option<&str> {
    let schema = layout.schema();
    let mut waiting = vec![&schema.root];
    waiting.extend(schema.definitions.iter().flat_map(|one| one.constructors()).flat_map(|(_, body)| body.shapes()));
    while let Some(shape) = waiting.pop() {
        match shape {
            Shape::Opaque(name) => return Some(name),
            Shape::List(_, one) | Shape::Set(one) | Shape::Optional(one) | Shape::Formatted(_, _, one) => {
                waiting.push(one)
            }
            Shape::Map(key, value) => waiting.extend([&**key, &**value]),
            Shape::Tuple(all) => waiting.extend(all),
            Shape::Boolean | Shape::Integer(..) | Shape::Float(_) | Shape::Text | Shape::Character | Shape::Unit => {}
            Shape::Anything | Shape::Bytes | Shape::BytesOf(_) | Shape::Declared(_) => {}
        }
    }
    None
}

pub(super) fn field(name: &str, column: &Column) -> Field {
    let nullable = column.present.is_some() || matches!(column.cells, Cells::Nothing(_));
    Field::new(name, column.cells.data_type(), nullable)
}

fn present() -> Option<BooleanBufferBuilder> {
    Some(BooleanBufferBuilder::new(0))
}

fn column(layout: &Layout, shape: &Shape, depth: usize) -> Result<Column> {
    let shape = seen(layout, shape);
    if let (Shape::Optional(inside), true) = (shape, depth <= LEVELS) {
        let mut one = column(layout, inside, depth + 1)?;
        if one.optional || matches!(one.cells, Cells::Nothing(_)) {
            let fields = Fields::from(vec![field("value", &one)]);
            let parts = vec![Part::Kept(0)];
            one = always(Cells::Record(Record { rows: 0, parts, is_empty: false, columns: vec![one], fields }));
        }
        return Ok(Column { optional: true, present: present(), ..one });
    }
    Ok(always(cells(layout, shape, depth)?))
}

fn always(cells: Cells) -> Column {
    Column { cells, optional: false, present: None }
}

/// What types of one field, and formats that nobody knows, are around.
fn seen<'a>(layout: &'a Layout, mut shape: &'a Shape) -> &'a Shape {
    loop {
        let known = match shape {
            Shape::Formatted(notation, name, native) => Format::of(*notation, name, native).is_some(),
            Shape::Declared(number) => layout.is_within_itself(*number),
            _ => return shape,
        };
        match layout.within(shape) {
            Some(inside) if !known => shape = inside,
            _ => return shape,
        }
    }
}

fn cells(layout: &Layout, shape: &Shape, depth: usize) -> Result<Cells> {
    let json = || Cells::Text(Words::Json(shape.clone()), Runs::new());
    if depth > LEVELS {
        return Ok(json());
    }
    Ok(match shape {
        Shape::Boolean => Cells::Boolean(BooleanBufferBuilder::new(0)),
        Shape::Integer(low, high, size) => match Whole::of(low, high, *size) {
            None => {
                let wide = Wide::of(low, high, *size);
                let digits = wide.digits();
                Cells::Decimal(wide, digits, 0, vec![])
            }
            Some(whole) => match (i32::try_from(whole.low), i32::try_from(whole.high)) {
                (Ok(low), Ok(high)) if low >= -128 && high <= 127 => Cells::Byte(whole, vec![]),
                (Ok(low), Ok(high)) if low >= -32768 && high <= 32767 => Cells::Short(whole, vec![]),
                (Ok(_), Ok(_)) => Cells::Int(whole, vec![]),
                _ => Cells::Long(whole, vec![]),
            },
        },
        Shape::Float(32) => Cells::Single(vec![]),
        Shape::Float(_) => Cells::Real(vec![]),
        Shape::Text => Cells::Text(Words::Plain, Runs::new()),
        Shape::Anything => Cells::Text(Words::Document, Runs::new()),
        Shape::Character => Cells::Text(Words::Character, Runs::new()),
        Shape::Unit => Cells::Nothing(0),
        Shape::Bytes => Cells::Bytes(None, Runs::new()),
        Shape::BytesOf(size) => Cells::Bytes(Some(*size), Runs::new()),
        Shape::Formatted(notation, name, native) => match Format::of(*notation, name, native) {
            None => return cells(layout, native, depth + 1),
            Some(format) => formatted(layout, format, native, depth)?,
        },
        Shape::Opaque(name) => return Err(Error::value(format!("only the codec of {name:?} knows its bytes"))),
        Shape::List(least, one) => Cells::List(*least, None, vec![0], Box::new(column(layout, one, depth + 1)?)),
        Shape::Set(one) => Cells::List(0, Some((**one).clone()), vec![0], Box::new(column(layout, one, depth + 1)?)),
        Shape::Map(key, value) => {
            let columns = [column(layout, key, depth + 1)?, column(layout, value, depth + 1)?];
            let parts = [field("key", &columns[0]), field("value", &columns[1])];
            let has_all = !parts[0].is_nullable();
            let entries = |name| Arc::new(Field::new(name, DataType::Struct(parts.to_vec().into()), false));
            let data_type =
                if has_all { DataType::Map(entries("entries"), false) } else { DataType::List(entries("item")) };
            Cells::Map((**key).clone(), vec![0], Box::new(columns), data_type)
        }
        // `column` takes these, but for such that are too deep.
        Shape::Optional(_) => json(),
        Shape::Tuple(all) => Cells::Record(record(layout, numbered(all), depth)?),
        Shape::Declared(number) if layout.is_within_itself(*number) => json(),
        Shape::Declared(number) => match &layout.schema().definitions[*number].form {
            Form::Single(body) => match held(layout, body, depth)? {
                Some(column) => column.cells,
                None => Cells::Nothing(0),
            },
            Form::Names(names) => Cells::Text(Words::Named(names.clone()), Runs::new()),
            Form::Alternatives(_, all) => Cells::Sum(sum(layout, all, depth)?),
        },
    })
}

/// What a constructor holds.
fn held(layout: &Layout, body: &Body, depth: usize) -> Result<Option<Column>> {
    Ok(match body {
        Body::Nothing => None,
        Body::Value(one) => Some(column(layout, one, depth + 1)?),
        Body::Values(all) if all.is_empty() => None,
        Body::Values(all) => Some(always(Cells::Record(record(layout, numbered(all), depth)?))),
        Body::Fields(all) if all.is_empty() => None,
        Body::Fields(all) => {
            let named = all.iter().map(|one| (one.name.clone(), &one.shape)).collect();
            Some(always(Cells::Record(record(layout, named, depth)?)))
        }
    })
}

fn numbered(all: &[Shape]) -> Vec<(String, &Shape)> {
    all.iter().enumerate().map(|(index, one)| (format!("_{}", index + 1), one)).collect()
}

fn record(layout: &Layout, all: Vec<(String, &Shape)>, depth: usize) -> Result<Record> {
    let columns = all.iter().map(|(_, one)| column(layout, one, depth + 1)).collect::<Result<Vec<_>>>()?;
    let fields = all.iter().zip(&columns).map(|((name, _), one)| field(name, one)).collect();
    let parts = (0..columns.len()).map(Part::Kept).collect();
    Ok(Record { rows: 0, parts, is_empty: columns.is_empty(), columns, fields })
}

fn sum(layout: &Layout, all: &[(String, Body)], depth: usize) -> Result<Sum> {
    let names: Vec<String> = all.iter().map(|(name, _)| name.clone()).collect();
    let mut tag = "constructor".to_string();
    while names.contains(&tag) {
        tag.push('_');
    }
    let mut fields = vec![Field::new(tag, DataType::Utf8, false)];
    let mut bodies = vec![];
    for (name, body) in all {
        let body = held(layout, body, depth)?.map(|column| Column { present: present(), ..column });
        fields.extend(body.as_ref().map(|column| field(name, column)));
        bodies.push(body);
    }
    Ok(Sum { names, chosen: Runs::new(), bodies, fields: fields.into() })
}

fn formatted(layout: &Layout, format: Format, native: &Shape, depth: usize) -> Result<Cells> {
    if let Some(moment) = Moment::of(&format, native) {
        return Ok(Cells::Moment(moment, vec![]));
    }
    match (&format, native) {
        (Format::Base16 | Format::Base64Url, _) => cells(layout, native, depth + 1),
        (Format::Date, Shape::Integer(low, high, size)) => match Whole::of(low, high, *size) {
            Some(whole) => Ok(Cells::Day(whole, vec![])),
            None => Err(Error::value("a date's days are beyond 64 bits")),
        },
        (Format::Units(units), _) => Ok(match (0..=38).find(|power| BigInt::from(10).pow(*power) == *units) {
            Some(power) => Cells::Decimal(Wide::of(&None, &None, Size::Least), 38, power as i8, vec![]),
            None => Cells::Text(Words::Formatted(format, native.clone()), Runs::new()),
        }),
        _ => Ok(Cells::Text(Words::Formatted(format, native.clone()), Runs::new())),
    }
}
