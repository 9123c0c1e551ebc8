//! Containers as Arrow's record batches, by columns and not by rows.
//!
//! `plan` says which column the values of a shape become, `column` reads documents into them,
//! and `skip` steps over what nobody asked for. [`Batches`] is where to start.

mod column;
mod made;
mod number;
mod plan;
mod row;
mod skip;
mod time;

use crate::container::{Blocks, Bounds, Fault, Frame, Frames, Loss, Opened, Reader, BLOCK_BYTES};
use crate::error::Result;
use crate::layout::Layout;
use crate::schema::Schema;
use arrow_array::{RecordBatch, RecordBatchOptions, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use column::{Cells, Column};
use std::io::{self, Read, Seek, Write};
use std::sync::Arc;

pub use made::schema_for;

/// What is read of a container.
#[derive(Debug, Clone)]
pub struct Options {
    /// The fields that are wanted, in this order; all of them otherwise.
    pub columns: Option<Vec<String>>,
    /// The blocks that begin between two offsets; all of them otherwise.
    pub part: Option<(u64, u64)>,
    /// The rows of a batch at most.
    pub rows: usize,
    /// Goes on behind what is wrong, and keeps it as a finding.
    pub skip_damage: bool,
    /// Of a file whose own is damaged.
    pub schema: Option<Schema>,
}

impl Default for Options {
    fn default() -> Options {
        Options { columns: None, part: None, rows: 8192, skip_damage: false, schema: None }
    }
}

/// A batch ends where the documents in it have so many bytes.
const BATCH_BYTES: usize = 16 << 20;

/// The type of the batches of a schema.
pub fn schema_of(schema: &Schema) -> Result<SchemaRef> {
    let record = plan::rows(&Layout::new(schema.clone()), None)?;
    Ok(Arc::new(arrow_schema::Schema::new(record.fields)))
}

/// What was passed over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wrong {
    Fault(Fault),
    Loss(Loss),
}

impl std::fmt::Display for Wrong {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Wrong::Fault(fault) => fault.fmt(f),
            Wrong::Loss(loss) => loss.fmt(f),
        }
    }
}

/// Reads a container batch by batch, in the memory of a block and a batch.
pub struct Batches<R> {
    frames: Frames<R>,
    layout: Layout,
    rows: Column,
    schema: SchemaRef,
    most: usize,
    skip_damage: bool,
    open: Option<Opened>,
    have: usize,
    bytes: usize,
    done: bool,
    /// What is wrong, as far as it was read.
    pub wrong: Vec<Wrong>,
}

impl<R: Read + Seek> Batches<R> {
    pub fn new(source: R, options: Options) -> io::Result<Batches<R>> {
        let reader = match options.part {
            Some(part) => Reader::part(source, options.schema, part, Bounds::default())?,
            None => Reader::with(source, options.schema, None, Bounds::default())?,
        };
        let (frames, layout, faults) = reader.into_frames();
        let record = plan::rows(&layout, options.columns.as_deref())
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))?;
        let schema = Arc::new(arrow_schema::Schema::new(record.fields.clone()));
        Ok(Batches {
            frames,
            layout,
            rows: Column { cells: Cells::Record(record), optional: false, present: None },
            schema,
            most: options.rows.max(1),
            skip_damage: options.skip_damage,
            open: None,
            have: 0,
            bytes: 0,
            done: false,
            wrong: faults.into_iter().map(Wrong::Fault).collect(),
        })
    }

    /// The writer's schema.
    pub fn written(&self) -> &Schema {
        self.layout.schema()
    }

    fn batch(&mut self) -> std::result::Result<Option<RecordBatch>, ArrowError> {
        loop {
            if !self.skip_damage && !self.wrong.is_empty() {
                self.done = true;
                return Err(ArrowError::ExternalError(self.wrong[0].to_string().into()));
            }
            if self.have >= self.most || self.bytes >= BATCH_BYTES || (self.done && self.have > 0) {
                return self.cut().map(Some);
            }
            if self.done {
                return Ok(None);
            }
            let Some(opened) = &mut self.open else {
                self.advance()?;
                continue;
            };
            let from = opened.cursor;
            while opened.index < opened.last && self.have < self.most {
                let mut at = opened.cursor;
                match self.rows.read(&self.layout, &opened.bytes, &mut at) {
                    Ok(()) => {
                        opened.index += 1;
                        opened.cursor = at;
                        self.have += 1;
                    }
                    Err(error) => {
                        self.rows.keep(self.have);
                        let (fault, loss) = opened.refused(&self.layout, error.placed(at));
                        self.wrong.push(Wrong::Fault(fault));
                        self.wrong.extend(loss.map(Wrong::Loss));
                        if !self.skip_damage {
                            break;
                        }
                    }
                }
            }
            self.bytes += opened.cursor - from;
            if opened.index == opened.last {
                self.wrong.extend(opened.rest().map(Wrong::Fault));
                self.open = None;
            }
        }
    }

    /// The next block, or what is wrong before it.
    fn advance(&mut self) -> io::Result<()> {
        match self.frames.next()? {
            None => self.done = true,
            Some(Frame::Fault(fault)) => self.wrong.push(Wrong::Fault(fault)),
            Some(Frame::Loss(loss)) => self.wrong.push(Wrong::Loss(loss)),
            Some(Frame::Block(block)) => match Opened::new(block) {
                Ok(opened) => self.open = Some(opened),
                Err((fault, loss)) => self.wrong.extend([Wrong::Fault(fault), Wrong::Loss(loss)]),
            },
        }
        Ok(())
    }

    fn cut(&mut self) -> std::result::Result<RecordBatch, ArrowError> {
        let rows = self.rows.finish()?;
        let rows = rows.as_any().downcast_ref::<arrow_array::StructArray>();
        let columns = rows.map(|rows| rows.columns().to_vec()).unwrap_or_default();
        let options = RecordBatchOptions::new().with_row_count(Some(self.have));
        (self.have, self.bytes) = (0, 0);
        RecordBatch::try_new_with_options(self.schema.clone(), columns, &options)
    }
}

impl<R: Read + Seek> Iterator for Batches<R> {
    type Item = std::result::Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.batch().transpose()
    }
}

impl<R: Read + Seek> RecordBatchReader for Batches<R> {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}

/// Writes batches as a container.
pub struct Rows<W> {
    blocks: Blocks<W>,
    layout: Layout,
    rows: Column,
    schema: SchemaRef,
}

impl<W: Write> Rows<W> {
    /// By a schema, whose columns the batches have.
    pub fn new(target: W, schema: Schema, mark: [u8; 8], level: Option<i32>) -> io::Result<Rows<W>> {
        let layout = Layout::new(schema);
        let record = plan::rows(&layout, None).map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))?;
        let schema = Arc::new(arrow_schema::Schema::new(record.fields.clone()));
        let blocks = Blocks::new(target, &layout, mark, level, BLOCK_BYTES)?;
        Ok(Rows {
            blocks,
            layout,
            rows: Column { cells: Cells::Record(record), optional: false, present: None },
            schema,
        })
    }

    /// The type that batches have to be of.
    pub fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    /// All rows of a batch. One that the schema does not have is an error, and none after it is
    /// added.
    pub fn put(&mut self, batch: &RecordBatch) -> io::Result<()> {
        if batch.schema().fields() != self.schema.fields() {
            let reason = format!("expected columns {:?}, found {:?}", self.schema.fields(), batch.schema().fields());
            return Err(io::Error::new(io::ErrorKind::InvalidInput, reason));
        }
        let rows: arrow_array::StructArray = batch.clone().into();
        for row in 0..batch.num_rows() {
            self.blocks.put(|out| {
                let start = out.len();
                row::put(&self.rows, &self.layout, &rows, row, out).inspect_err(|_| out.truncate(start))
            })?;
        }
        Ok(())
    }

    /// What waits, and the end.
    pub fn finish(self) -> io::Result<W> {
        self.blocks.finish()
    }
}
