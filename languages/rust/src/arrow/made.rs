//! A schema for columns that have none: the one whose own columns are these.

use crate::error::{Error, Result};
use crate::schema::{Body, Definition, Form, Notation, Schema, Shape, Size};
use arrow_schema::{DataType, Field, Fields, TimeUnit};
use num_bigint::BigInt;

/// The schema of rows of such fields; types are called by the paths to them.
pub fn schema_for(fields: &Fields) -> Result<Schema> {
    let mut definitions = vec![];
    let root = declared("Row".into(), fields, &mut definitions)?;
    Schema { root, definitions }.checked()
}

fn declared(label: String, fields: &Fields, definitions: &mut Vec<Definition>) -> Result<Shape> {
    let number = definitions.len();
    definitions.push(Definition { label: label.clone(), form: Form::Single(Body::Nothing) });
    let mut all = vec![];
    for field in fields {
        let shape = shape_of(&format!("{label}.{}", field.name()), field, definitions)?;
        all.push(crate::schema::Field { name: field.name().clone(), may_be_absent: field.is_nullable(), shape });
    }
    definitions[number].form = Form::Single(if all.is_empty() { Body::Nothing } else { Body::Fields(all) });
    Ok(Shape::Declared(number))
}

fn shape_of(path: &str, field: &Field, definitions: &mut Vec<Definition>) -> Result<Shape> {
    let one = always(path, field.data_type(), definitions)?;
    let is_null = matches!(field.data_type(), DataType::Null);
    Ok(if field.is_nullable() && !is_null { Shape::Optional(Box::new(one)) } else { one })
}

fn bounded(low: impl Into<BigInt>, high: impl Into<BigInt>) -> Shape {
    Shape::Integer(Some(low.into()), Some(high.into()), Size::Least)
}

fn format(notation: Notation, name: impl Into<String>, native: Shape) -> Shape {
    Shape::Formatted(notation, name.into(), Box::new(native))
}

fn always(path: &str, data_type: &DataType, definitions: &mut Vec<Definition>) -> Result<Shape> {
    use crate::format::{day, local, moment};
    Ok(match data_type {
        DataType::Null => Shape::Unit,
        DataType::Boolean => Shape::Boolean,
        DataType::Int8 => bounded(i8::MIN, i8::MAX),
        DataType::Int16 => bounded(i16::MIN, i16::MAX),
        DataType::Int32 => bounded(i32::MIN, i32::MAX),
        DataType::Int64 => bounded(i64::MIN, i64::MAX),
        DataType::UInt8 => bounded(0, u8::MAX),
        DataType::UInt16 => bounded(0, u16::MAX),
        DataType::UInt32 => bounded(0, u32::MAX),
        DataType::UInt64 => bounded(0, u64::MAX),
        DataType::Decimal128(_, 0) => Shape::Integer(None, None, Size::Least),
        DataType::Decimal128(_, scale @ 1..=38) => {
            let name = format!("fixed-{}", BigInt::from(10).pow(u32::from(scale.unsigned_abs())));
            format(Notation::Number, name, Shape::Integer(None, None, Size::Least))
        }
        DataType::Float32 => Shape::Float(32),
        DataType::Float64 => Shape::Float(64),
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Shape::Text,
        DataType::Dictionary(_, values) => always(path, values, definitions)?,
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView => Shape::Bytes,
        DataType::FixedSizeBinary(size @ 1..) => Shape::BytesOf(u64::from(size.unsigned_abs())),
        DataType::Date32 => format(Notation::Text, "date", day()),
        DataType::Timestamp(TimeUnit::Nanosecond, _) => {
            return Err(Error::value(format!(
                "{path}: nanoseconds are more than a column here has; microseconds are not"
            )))
        }
        DataType::Timestamp(_, Some(_)) => format(Notation::Text, "date-time", moment()),
        DataType::Timestamp(_, None) => format(Notation::Text, "date-time-local", local()),
        DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _) => {
            Shape::List(0, Box::new(shape_of(path, item, definitions)?))
        }
        DataType::Map(entries, _) => match entries.data_type() {
            DataType::Struct(two) if two.len() == 2 => Shape::Map(
                Box::new(shape_of(&format!("{path}.key"), &two[0], definitions)?),
                Box::new(shape_of(&format!("{path}.value"), &two[1], definitions)?),
            ),
            _ => return Err(Error::value(format!("{path}: a map without keys and values"))),
        },
        DataType::Struct(fields) => declared(path.into(), fields, definitions)?,
        other => return Err(Error::value(format!("{path}: no schema is known for columns of {other}"))),
    })
}
