//! A column that grows by a row at a time, read from documents. Which shape is which column is in
//! `plan`; here is how each kind is read, and how it becomes an array.

use super::number::{Whole, Wide};
use super::skip::{self, Skip};
use super::time::{self, Moment};
use crate::error::{Error, Result};
use crate::format::Format;
use crate::layout::{f32_at, f64_at, just, Ascending, Layout};
use crate::number::*;
use crate::schema::Shape;
use crate::value::Values;
use arrow_array::types::*;
use arrow_array::*;
use arrow_buffer::*;
use arrow_schema::{ArrowError, DataType, Fields, TimeUnit};
use std::mem::take as taken;
use std::sync::Arc;

#[derive(Debug)]
pub(super) struct Column {
    pub cells: Cells,
    /// A byte before each value says whether there is one.
    pub optional: bool,
    /// Which are there, where some may be missing.
    pub present: Option<BooleanBufferBuilder>,
}

#[derive(Debug)]
pub(super) enum Cells {
    Boolean(BooleanBufferBuilder),
    Byte(Whole, Vec<i8>),
    Short(Whole, Vec<i16>),
    Int(Whole, Vec<i32>),
    Long(Whole, Vec<i64>),
    /// With so many digits, of which some are behind the point.
    Decimal(Wide, u8, i8, Vec<i128>),
    Single(Vec<f32>),
    Real(Vec<f64>),
    Text(Words, Runs),
    /// Of a fixed size, where one is given.
    Bytes(Option<u64>, Runs),
    Day(Whole, Vec<i32>),
    Moment(Moment, Vec<i64>),
    Nothing(usize),
    /// The least number of elements, and the elements' shape where they ascend.
    List(u64, Option<Shape>, Vec<i32>, Box<Column>),
    /// The key's shape; the keys and the values, whose type is a map's or a list's.
    Map(Shape, Vec<i32>, Box<[Column; 2]>, DataType),
    Record(Record),
    Sum(Sum),
}

/// What a column's texts are made of.
#[derive(Debug)]
pub(super) enum Words {
    Plain,
    /// A document of any shape, as its text.
    Document,
    Character,
    Named(Vec<String>),
    Formatted(Format, Shape),
    /// What no column has, as JSON.
    Json(Shape),
}

/// Bytes of any number, one after the other.
#[derive(Debug)]
pub(super) struct Runs {
    offsets: Vec<i32>,
    bytes: Vec<u8>,
}

#[derive(Debug)]
pub(super) struct Record {
    pub rows: usize,
    /// In the order of the bytes.
    pub parts: Vec<Part>,
    /// A record of nothing is a byte.
    pub is_empty: bool,
    pub columns: Vec<Column>,
    pub fields: Fields,
}

#[derive(Debug)]
pub(super) enum Part {
    Kept(usize),
    Skipped(Vec<Skip>),
}

#[derive(Debug)]
pub(super) struct Sum {
    pub names: Vec<String>,
    pub chosen: Runs,
    /// What each constructor holds, where it holds something.
    pub bodies: Vec<Option<Column>>,
    pub fields: Fields,
}

impl Runs {
    pub(super) fn new() -> Runs {
        Runs { offsets: vec![0], bytes: vec![] }
    }

    fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.bytes.extend_from_slice(bytes);
        self.offsets.push(offset(self.bytes.len())?);
        Ok(())
    }

    fn keep(&mut self, rows: usize) {
        self.offsets.truncate(rows + 1);
        self.bytes.truncate(self.offsets[rows] as usize);
    }

    fn offsets(&mut self) -> OffsetBuffer<i32> {
        offsets(&mut self.offsets)
    }
}

fn offset(size: usize) -> Result<i32> {
    i32::try_from(size).map_err(|_| Error::value("a batch's column has 2 GiB at most"))
}

fn offsets(of: &mut Vec<i32>) -> OffsetBuffer<i32> {
    OffsetBuffer::new(std::mem::replace(of, vec![0]).into())
}

fn whole_of(bits: &mut BooleanBufferBuilder) -> BooleanBuffer {
    bits.finish()
}

impl Column {
    pub(super) fn read(&mut self, layout: &Layout, input: &[u8], at: &mut usize) -> Result<()> {
        if self.optional && tag(input, at, 2)? == 0 {
            return self.blank();
        }
        self.cells.read(layout, input, at)?;
        if let Some(present) = &mut self.present {
            present.append(true);
        }
        Ok(())
    }

    /// A row that has nothing here.
    fn blank(&mut self) -> Result<()> {
        if let Some(present) = &mut self.present {
            present.append(false);
        }
        self.cells.blank()
    }

    /// Forgets all rows but the first ones.
    pub(super) fn keep(&mut self, rows: usize) {
        if let Some(present) = &mut self.present {
            present.truncate(rows.min(present.len()));
        }
        self.cells.keep(rows);
    }

    pub(super) fn finish(&mut self) -> std::result::Result<ArrayRef, ArrowError> {
        let nulls = self.present.as_mut().map(|present| NullBuffer::new(whole_of(present)));
        self.cells.finish(nulls)
    }
}

impl Cells {
    #[inline]
    fn read(&mut self, layout: &Layout, input: &[u8], at: &mut usize) -> Result<()> {
        match self {
            Cells::Boolean(bits) => bits.append(tag(input, at, 2)? == 1),
            Cells::Byte(whole, all) => all.push(whole.read(input, at)? as i8),
            Cells::Short(whole, all) => all.push(whole.read(input, at)? as i16),
            Cells::Int(whole, all) => all.push(whole.read(input, at)? as i32),
            Cells::Long(whole, all) => all.push(whole.read(input, at)?),
            Cells::Decimal(wide, _, _, all) => all.push(wide.read(input, at)?),
            Cells::Single(all) => all.push(f32_at(input, at)?),
            Cells::Real(all) => all.push(f64_at(input, at)?),
            Cells::Text(words, runs) => words.read(runs, layout, input, at)?,
            Cells::Bytes(size, runs) => runs.put(match size {
                Some(size) => just(input, at, *size)?,
                None => {
                    let size = length(input, at)?;
                    take(input, at, size)?
                }
            })?,
            Cells::Day(whole, all) => all.push(time::day(whole, input, at)?),
            Cells::Moment(moment, all) => all.push(moment.read(input, at)?),
            Cells::Nothing(rows) => {
                tag(input, at, 1)?;
                *rows += 1;
            }
            Cells::List(least, ordered, offsets, item) => {
                let start = *at;
                let before = offsets[offsets.len() - 1] as usize;
                let mut rows = before;
                let mut ascending = ordered.as_ref().map(|shape| (shape, Ascending::new("element", shape)));
                loop {
                    let n = count(input, at)?;
                    for _ in 0..n {
                        let start = *at;
                        item.read(layout, input, at)?;
                        if let Some((shape, ascending)) = &mut ascending {
                            ascending.follows(layout, shape, &input[start..*at], start)?;
                        }
                    }
                    rows += n;
                    if n < CHUNK {
                        break;
                    }
                }
                if ((rows - before) as u64) < *least {
                    let found = rows - before;
                    return Err(Error::at(start, format!("expected {least} elements or more, found {found}")));
                }
                offsets.push(offset(rows)?);
            }
            Cells::Map(key, offsets, columns, _) => {
                let [keys, values] = &mut **columns;
                let mut rows = offsets[offsets.len() - 1] as usize;
                let mut ascending = Ascending::new("key", key);
                loop {
                    let n = count(input, at)?;
                    for _ in 0..n {
                        let start = *at;
                        keys.read(layout, input, at)?;
                        ascending.follows(layout, key, &input[start..*at], start)?;
                        values.read(layout, input, at)?;
                    }
                    rows += n;
                    if n < CHUNK {
                        break;
                    }
                }
                offsets.push(offset(rows)?);
            }
            Cells::Record(record) => {
                if record.is_empty {
                    tag(input, at, 1)?;
                }
                for part in &record.parts {
                    match part {
                        Part::Kept(index) => record.columns[*index].read(layout, input, at)?,
                        Part::Skipped(parts) => skip::step(parts, layout, input, at)?,
                    }
                }
                record.rows += 1;
            }
            Cells::Sum(sum) => {
                let chosen =
                    if sum.names.len() > 1 || sum.bodies[0].is_none() { tag(input, at, sum.names.len())? } else { 0 };
                for (index, body) in sum.bodies.iter_mut().enumerate() {
                    match body {
                        Some(body) if index == chosen => body.read(layout, input, at)?,
                        Some(body) => body.blank()?,
                        None => {}
                    }
                }
                sum.chosen.put(sum.names[chosen].as_bytes())?;
            }
        }
        Ok(())
    }

    fn blank(&mut self) -> Result<()> {
        match self {
            Cells::Boolean(bits) => bits.append(false),
            Cells::Byte(_, all) => all.push(0),
            Cells::Short(_, all) => all.push(0),
            Cells::Int(_, all) | Cells::Day(_, all) => all.push(0),
            Cells::Long(_, all) | Cells::Moment(_, all) => all.push(0),
            Cells::Decimal(_, _, _, all) => all.push(0),
            Cells::Single(all) => all.push(0.0),
            Cells::Real(all) => all.push(0.0),
            Cells::Text(_, runs) | Cells::Bytes(_, runs) => runs.put(&[])?,
            Cells::Nothing(rows) => *rows += 1,
            Cells::List(_, _, offsets, _) | Cells::Map(_, offsets, _, _) => offsets.push(offsets[offsets.len() - 1]),
            Cells::Record(record) => {
                record.columns.iter_mut().try_for_each(Column::blank)?;
                record.rows += 1;
            }
            Cells::Sum(sum) => {
                sum.bodies.iter_mut().flatten().try_for_each(Column::blank)?;
                sum.chosen.put(&[])?;
            }
        }
        Ok(())
    }

    fn keep(&mut self, rows: usize) {
        match self {
            Cells::Boolean(bits) => bits.truncate(rows.min(bits.len())),
            Cells::Byte(_, all) => all.truncate(rows),
            Cells::Short(_, all) => all.truncate(rows),
            Cells::Int(_, all) | Cells::Day(_, all) => all.truncate(rows),
            Cells::Long(_, all) | Cells::Moment(_, all) => all.truncate(rows),
            Cells::Decimal(_, _, _, all) => all.truncate(rows),
            Cells::Single(all) => all.truncate(rows),
            Cells::Real(all) => all.truncate(rows),
            Cells::Text(_, runs) | Cells::Bytes(_, runs) => runs.keep(rows),
            Cells::Nothing(found) => *found = rows,
            Cells::List(_, _, offsets, item) => {
                offsets.truncate(rows + 1);
                item.keep(offsets[rows] as usize);
            }
            Cells::Map(_, offsets, columns, _) => {
                offsets.truncate(rows + 1);
                columns.iter_mut().for_each(|column| column.keep(offsets[rows] as usize));
            }
            Cells::Record(record) => {
                record.columns.iter_mut().for_each(|column| column.keep(rows));
                record.rows = rows;
            }
            Cells::Sum(sum) => {
                sum.bodies.iter_mut().flatten().for_each(|body| body.keep(rows));
                sum.chosen.keep(rows);
            }
        }
    }

    /// The type of the arrays that are made.
    pub(super) fn data_type(&self) -> DataType {
        match self {
            Cells::Boolean(_) => DataType::Boolean,
            Cells::Byte(..) => DataType::Int8,
            Cells::Short(..) => DataType::Int16,
            Cells::Int(..) => DataType::Int32,
            Cells::Long(..) => DataType::Int64,
            Cells::Decimal(_, digits, scale, _) => DataType::Decimal128(*digits, *scale),
            Cells::Single(_) => DataType::Float32,
            Cells::Real(_) => DataType::Float64,
            Cells::Text(..) => DataType::Utf8,
            Cells::Bytes(..) => DataType::Binary,
            Cells::Day(..) => DataType::Date32,
            Cells::Moment(moment, _) => {
                DataType::Timestamp(TimeUnit::Microsecond, moment.is_universal().then(|| "UTC".into()))
            }
            Cells::Nothing(_) => DataType::Null,
            Cells::List(_, _, _, item) => DataType::List(Arc::new(super::plan::field("item", item))),
            Cells::Map(_, _, _, data_type) => data_type.clone(),
            Cells::Record(Record { fields, .. }) | Cells::Sum(Sum { fields, .. }) => DataType::Struct(fields.clone()),
        }
    }

    fn finish(&mut self, nulls: Option<NullBuffer>) -> std::result::Result<ArrayRef, ArrowError> {
        let data_type = self.data_type();
        fn plain<T: ArrowPrimitiveType>(all: &mut Vec<T::Native>, nulls: Option<NullBuffer>) -> PrimitiveArray<T> {
            PrimitiveArray::new(taken(all).into(), nulls)
        }
        Ok(match self {
            Cells::Boolean(bits) => Arc::new(BooleanArray::new(whole_of(bits), nulls)),
            Cells::Byte(_, all) => Arc::new(plain::<Int8Type>(all, nulls)),
            Cells::Short(_, all) => Arc::new(plain::<Int16Type>(all, nulls)),
            Cells::Int(_, all) => Arc::new(plain::<Int32Type>(all, nulls)),
            Cells::Long(_, all) => Arc::new(plain::<Int64Type>(all, nulls)),
            Cells::Decimal(_, _, _, all) => Arc::new(plain::<Decimal128Type>(all, nulls).with_data_type(data_type)),
            Cells::Single(all) => Arc::new(plain::<Float32Type>(all, nulls)),
            Cells::Real(all) => Arc::new(plain::<Float64Type>(all, nulls)),
            Cells::Text(_, runs) => {
                Arc::new(StringArray::try_new(runs.offsets(), taken(&mut runs.bytes).into(), nulls)?)
            }
            Cells::Bytes(_, runs) => {
                Arc::new(BinaryArray::try_new(runs.offsets(), taken(&mut runs.bytes).into(), nulls)?)
            }
            Cells::Day(_, all) => Arc::new(plain::<Date32Type>(all, nulls)),
            Cells::Moment(_, all) => Arc::new(plain::<TimestampMicrosecondType>(all, nulls).with_data_type(data_type)),
            Cells::Nothing(rows) => Arc::new(NullArray::new(taken(rows))),
            Cells::List(_, _, of, item) => {
                let DataType::List(field) = data_type else { return Err(strange()) };
                Arc::new(ListArray::try_new(field, offsets(of), item.finish()?, nulls)?)
            }
            Cells::Map(_, of, columns, _) => {
                let [keys, values] = &mut **columns;
                let parts = vec![keys.finish()?, values.finish()?];
                let entries = |fields: &DataType| match fields {
                    DataType::Struct(fields) => StructArray::try_new(fields.clone(), parts, None),
                    _ => Err(strange()),
                };
                match &data_type {
                    DataType::Map(field, sorted) => {
                        let entries = entries(field.data_type())?;
                        Arc::new(MapArray::try_new(field.clone(), offsets(of), entries, nulls, *sorted)?)
                    }
                    DataType::List(field) => {
                        let entries = entries(field.data_type())?;
                        Arc::new(ListArray::try_new(field.clone(), offsets(of), Arc::new(entries), nulls)?)
                    }
                    _ => return Err(strange()),
                }
            }
            Cells::Record(record) => {
                let columns = record.columns.iter_mut().map(Column::finish).collect::<std::result::Result<_, _>>()?;
                let rows = taken(&mut record.rows);
                Arc::new(StructArray::try_new_with_length(record.fields.clone(), columns, nulls, rows)?)
            }
            Cells::Sum(sum) => {
                let names = taken(&mut sum.chosen.bytes);
                let mut columns: Vec<ArrayRef> =
                    vec![Arc::new(StringArray::try_new(sum.chosen.offsets(), names.into(), None)?)];
                for body in sum.bodies.iter_mut().flatten() {
                    columns.push(body.finish()?);
                }
                Arc::new(StructArray::try_new(sum.fields.clone(), columns, nulls)?)
            }
        })
    }
}

/// What no plan makes.
fn strange() -> ArrowError {
    ArrowError::SchemaError("a column is not of its plan's type".into())
}

impl Words {
    #[inline]
    fn read(&self, runs: &mut Runs, layout: &Layout, input: &[u8], at: &mut usize) -> Result<()> {
        let start = *at;
        match self {
            Words::Plain | Words::Document => {
                let size = length(input, at)?;
                let first = *at;
                let bytes = take(input, at, size)?;
                if let Err(error) = std::str::from_utf8(bytes) {
                    return Err(Error::at(first + error.valid_up_to(), "these bytes are not UTF-8"));
                }
                runs.put(bytes)
            }
            Words::Character => {
                let code = varint(input, at)?;
                match u32::try_from(code).ok().and_then(char::from_u32) {
                    Some(one) => runs.put(one.encode_utf8(&mut [0; 4]).as_bytes()),
                    None => Err(Error::at(start, format!("{code:#x} is no character"))),
                }
            }
            Words::Named(names) => runs.put(names[tag(input, at, names.len())?].as_bytes()),
            Words::Formatted(format, native) => {
                let value = Values(layout).read(native, input, at, 0, None)?;
                match format.refused(&value) {
                    Some(reason) => Err(Error::at(start, reason)),
                    None => runs.put(format.show(&value).as_bytes()),
                }
            }
            Words::Json(shape) => {
                let value = Values(layout).read(shape, input, at, 0, None)?;
                let mut out = String::new();
                Values(layout).show(shape, &value, &mut out);
                runs.put(out.as_bytes())
            }
        }
    }
}
