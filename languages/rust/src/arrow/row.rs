//! Rows of columns as documents: the other way of `column`, by the same plan.

use super::column::*;
use super::number::Wide;
use super::time;
use crate::error::{Error, Result};
use crate::layout::Layout;
use crate::number::*;
use crate::ser::put_integer;
use crate::value::Values;
use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::*;

/// Puts the document of a row of an array behind some bytes. The array has the type of the column.
pub(super) fn put(column: &Column, layout: &Layout, array: &dyn Array, row: usize, out: &mut Vec<u8>) -> Result<()> {
    if column.optional {
        let is_there = array.is_valid(row);
        out.push(u8::from(is_there));
        if !is_there {
            return Ok(());
        }
    } else if array.is_null(row) {
        return Err(Error::value("there is nothing where the schema has a value"));
    }
    match &column.cells {
        Cells::Boolean(_) => out.push(u8::from(array.as_boolean().value(row))),
        Cells::Byte(whole, _) => whole.write(out, i64::from(array.as_primitive::<Int8Type>().value(row)))?,
        Cells::Short(whole, _) => whole.write(out, i64::from(array.as_primitive::<Int16Type>().value(row)))?,
        Cells::Int(whole, _) => whole.write(out, i64::from(array.as_primitive::<Int32Type>().value(row)))?,
        Cells::Long(whole, _) => whole.write(out, array.as_primitive::<Int64Type>().value(row))?,
        Cells::Decimal(Wide { low, high, size, .. }, ..) => {
            put_integer(out, low, high, *size, &array.as_primitive::<Decimal128Type>().value(row).into())?
        }
        Cells::Single(_) => out.extend_from_slice(&array.as_primitive::<Float32Type>().value(row).to_le_bytes()),
        Cells::Real(_) => out.extend_from_slice(&array.as_primitive::<Float64Type>().value(row).to_le_bytes()),
        Cells::Text(words, _) => put_words(words, layout, array.as_string::<i32>().value(row), out)?,
        Cells::Bytes(size, _) => {
            let bytes = array.as_binary::<i32>().value(row);
            match size {
                None => put_varint(out, bytes.len() as u64),
                Some(size) if *size == bytes.len() as u64 => {}
                Some(size) => return Err(Error::value(format!("expected {size} bytes, found {}", bytes.len()))),
            }
            out.extend_from_slice(bytes);
        }
        Cells::Day(whole, _) => time::put_day(whole, out, array.as_primitive::<Date32Type>().value(row))?,
        Cells::Moment(moment, _) => moment.write(out, array.as_primitive::<TimestampMicrosecondType>().value(row))?,
        Cells::Nothing(_) => out.push(0),
        Cells::List(least, ordered, _, item) => {
            let all = array.as_list::<i32>().value(row);
            if (all.len() as u64) < *least {
                return Err(Error::value(format!("expected {least} elements or more, found {}", all.len())));
            }
            match ordered {
                None => {
                    let mut outcome = Ok(());
                    put_chunks(out, &(0..all.len()).collect::<Vec<_>>(), |out, index| {
                        if outcome.is_ok() {
                            outcome = put(item, layout, &all, *index, out);
                        }
                    });
                    outcome?;
                }
                Some(shape) => {
                    let spelled = spelled(item, layout, &all)?;
                    layout.put_ascending(
                        out,
                        shape,
                        spelled.iter().map(|one| (one.as_slice(), one.as_slice())).collect(),
                    )?;
                }
            }
        }
        Cells::Map(key, _, columns, data_type) => {
            let entries = match data_type {
                arrow_schema::DataType::Map(..) => array.as_map().value(row),
                _ => array.as_list::<i32>().value(row).as_struct().clone(),
            };
            let keys = spelled(&columns[0], layout, entries.column(0))?;
            let mut all = vec![];
            for (index, bytes) in keys.into_iter().enumerate() {
                let size = bytes.len();
                let mut both = bytes;
                put(&columns[1], layout, entries.column(1), index, &mut both)?;
                all.push((size, both));
            }
            let pairs = all.iter().map(|(size, both)| (&both[..*size], both.as_slice())).collect();
            layout.put_ascending(out, key, pairs)?;
        }
        Cells::Record(record) => {
            if record.is_empty {
                out.push(0);
            }
            let array = array.as_struct();
            for part in &record.parts {
                match part {
                    Part::Kept(index) => put(&record.columns[*index], layout, array.column(*index), row, out)
                        .map_err(|error| within(record.fields[*index].name(), error))?,
                    Part::Skipped(_) => return Err(Error::value("a field is not among the columns")),
                }
            }
        }
        Cells::Sum(sum) => {
            let array = array.as_struct();
            let name = array.column(0).as_string::<i32>().value(row);
            let Some(chosen) = sum.names.iter().position(|one| one == name) else {
                return Err(Error::value(format!("no constructor is called {name:?}")));
            };
            if sum.names.len() > 1 || sum.bodies[0].is_none() {
                put_tag(out, chosen, sum.names.len());
            }
            if let Some(body) = &sum.bodies[chosen] {
                let index = 1 + sum.bodies[..chosen].iter().flatten().count();
                put(body, layout, array.column(index), row, out).map_err(|error| within(name, error))?;
            }
        }
    }
    Ok(())
}

fn within(name: &str, error: Error) -> Error {
    Error { reason: format!("{name}: {}", error.reason), ..error }
}

fn put_tag(out: &mut Vec<u8>, chosen: usize, of: usize) {
    let bytes = (chosen as u16).to_le_bytes();
    out.extend_from_slice(if of <= 256 { &bytes[..1] } else { &bytes });
}

/// The documents of all of an array's rows.
fn spelled(column: &Column, layout: &Layout, array: &dyn Array) -> Result<Vec<Vec<u8>>> {
    (0..array.len())
        .map(|row| {
            let mut bytes = vec![];
            put(column, layout, array, row, &mut bytes).map(|()| bytes)
        })
        .collect()
}

fn put_words(words: &Words, layout: &Layout, text: &str, out: &mut Vec<u8>) -> Result<()> {
    match words {
        Words::Plain => {
            put_varint(out, text.len() as u64);
            out.extend_from_slice(text.as_bytes());
        }
        Words::Character => {
            let mut all = text.chars();
            match (all.next(), all.next()) {
                (Some(one), None) => put_varint(out, u64::from(one)),
                _ => return Err(Error::value(format!("expected one character, found {text:?}"))),
            }
        }
        Words::Named(names) => match names.iter().position(|one| one == text) {
            Some(chosen) => put_tag(out, chosen, names.len()),
            None => return Err(Error::value(format!("expected one of {}, found {text:?}", names.join(", ")))),
        },
        Words::Formatted(format, native) => {
            let Some(value) = format.read(text) else {
                return Err(Error::value(format!("the text {text:?} is not of its format")));
            };
            Values(layout).write(native, out, &value)?;
        }
        Words::Document | Words::Json(_) => return Err(Error::value("documents of JSON are read and not written")),
    }
    Ok(())
}
