//! Containers as Arrow batches, for Python: the loop over records is Rust's, and what comes of it
//! goes through Arrow's C interface, which pyarrow, Polars, DuckDB and others know.

mod source;

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use pyo3::exceptions::{PyStopIteration, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use source::Source;
use std::sync::{Arc, Mutex};
use tern::arrow::{Batches, Options};
use tern::Schema;

type Shared = Arc<Mutex<Batches<Source>>>;

/// Scan(source, columns=None, part=None, rows=8192, skip_damage=False, schema=None)
///
/// The batches of a container, a path or an open file, once. `schema` is the text of one, for
/// files whose own is damaged.
#[pyclass]
struct Scan {
    batches: Shared,
    schema: SchemaRef,
    written: String,
    taken: bool,
}

/// What Arrow's stream reads, while the object itself still tells what was wrong.
struct Stream(Shared, SchemaRef);

impl Iterator for Stream {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.0.lock() {
            Ok(mut batches) => batches.next(),
            Err(_) => Some(Err(ArrowError::ComputeError("a batch before this one failed".into()))),
        }
    }
}

impl RecordBatchReader for Stream {
    fn schema(&self) -> SchemaRef {
        self.1.clone()
    }
}

#[pymethods]
impl Scan {
    #[new]
    #[pyo3(signature = (source, columns=None, part=None, rows=8192, skip_damage=false, schema=None))]
    fn new(
        py: Python,
        source: &Bound<PyAny>,
        columns: Option<Vec<String>>,
        part: Option<(u64, u64)>,
        rows: usize,
        skip_damage: bool,
        schema: Option<&str>,
    ) -> PyResult<Scan> {
        let schema = schema.map(Schema::parse).transpose().map_err(|error| PyValueError::new_err(error.to_string()))?;
        let source = Source::open(source)?;
        let options = Options { columns, part, rows, skip_damage, schema };
        let batches = py
            .detach(|| Batches::new(source, options))
            .map_err(|error| match error.kind() {
                std::io::ErrorKind::InvalidData | std::io::ErrorKind::InvalidInput => {
                    PyValueError::new_err(error.to_string())
                }
                _ => error.into(),
            })?;
        Ok(Scan {
            schema: batches.schema(),
            written: batches.written().text(),
            batches: Arc::new(Mutex::new(batches)),
            taken: false,
        })
    }

    /// The text of the schema that the values were written with.
    #[getter]
    fn written(&self) -> &str {
        &self.written
    }

    /// What is wrong, as far as it was read.
    #[getter]
    fn wrong(&self, py: Python) -> PyResult<Vec<String>> {
        // A batch that is being made may wait for Python.
        let batches = self.batches.clone();
        let found = py.detach(|| batches.lock().map(|batches| batches.wrong.clone()).ok());
        match found {
            Some(wrong) => Ok(wrong.iter().map(ToString::to_string).collect()),
            None => Err(PyValueError::new_err("a batch failed")),
        }
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &mut self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // Who asks for other types casts them: that is allowed by the interface.
        let _ = requested_schema;
        if std::mem::replace(&mut self.taken, true) {
            return Err(PyStopIteration::new_err("the batches were taken before"));
        }
        let stream = Stream(self.batches.clone(), self.schema.clone());
        PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(stream)), c"arrow_array_stream")
    }
}

#[pymodule]
fn tern_arrow(module: &Bound<PyModule>) -> PyResult<()> {
    module.add_class::<Scan>()
}
