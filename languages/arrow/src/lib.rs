//! Containers as Arrow batches, for Python: the loop over records is Rust's, and what comes of it
//! goes through Arrow's C interface, which pyarrow, Polars, DuckDB and others know.

mod source;

use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::ffi::FFI_ArrowSchema;
use arrow_schema::{ArrowError, SchemaRef};
use pyo3::exceptions::{PyStopIteration, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use source::Source;
use std::sync::{Arc, Mutex};
use tern::arrow::{schema_for, Batches, Options, Rows};
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
        let batches = py.detach(|| Batches::new(source, options)).map_err(said)?;
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

/// Sink(target, schema, mark, level=None)
///
/// Writes batches to a path or an open file, as a container by the text of a schema.
#[pyclass]
struct Sink {
    rows: Option<Rows<Target>>,
}

type Target = std::io::BufWriter<Source>;

#[pymethods]
impl Sink {
    #[new]
    #[pyo3(signature = (target, schema, mark, level=None))]
    fn new(target: &Bound<PyAny>, schema: &str, mark: [u8; 8], level: Option<i32>) -> PyResult<Sink> {
        let schema = Schema::parse(schema).map_err(|error| PyValueError::new_err(error.to_string()))?;
        let target = std::io::BufWriter::with_capacity(1 << 20, Source::create(target)?);
        Ok(Sink { rows: Some(Rows::new(target, schema, mark, level).map_err(said)?) })
    }

    /// The type that batches have to be of, for `pyarrow.schema`.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let rows = self.rows.as_ref().ok_or_else(finished)?;
        let schema = FFI_ArrowSchema::try_from(&*rows.schema()).map_err(|e| PyValueError::new_err(e.to_string()))?;
        PyCapsule::new_with_value(py, schema, c"arrow_schema")
    }

    /// Adds all rows of what gives batches as Arrow's stream.
    fn write(&mut self, py: Python, batches: &Bound<PyAny>) -> PyResult<()> {
        let capsule = batches.call_method0("__arrow_c_stream__")?.cast_into::<PyCapsule>()?;
        let reader = taken(&capsule)?;
        let rows = self.rows.as_mut().ok_or_else(finished)?;
        py.detach(|| {
            for batch in reader {
                rows.put(&batch.map_err(std::io::Error::other)?)?;
            }
            Ok(())
        })
        .map_err(said)
    }

    /// What waits and the end, on the disk where that is this machine's.
    fn finish(&mut self, py: Python) -> PyResult<()> {
        let rows = self.rows.take().ok_or_else(finished)?;
        py.detach(|| {
            let file = rows.finish()?.into_inner().map_err(|error| error.into_error())?;
            file.sync()
        })
        .map_err(said)
    }
}

/// The stream in a capsule, which is empty afterwards.
///
/// A capsule of that name has a pointer to a stream of Arrow's C interface, which whoever takes it
/// moves out: that is what the interface says of `__arrow_c_stream__`. `from_raw` leaves one behind
/// that is released, so that the capsule's own destructor has nothing to do.
fn taken(capsule: &Bound<PyCapsule>) -> PyResult<RecordBatchStreamReader> {
    let pointer = capsule.pointer_checked(Some(c"arrow_array_stream"))?;
    // SAFETY: the name was checked, so the pointer is to a stream that nobody has taken.
    unsafe { RecordBatchStreamReader::from_raw(pointer.as_ptr().cast::<FFI_ArrowArrayStream>()) }
        .map_err(|error| PyValueError::new_err(error.to_string()))
}

/// What is wrong with what was given is a `ValueError`, and else an `OSError`.
fn said(error: std::io::Error) -> PyErr {
    match error.kind() {
        std::io::ErrorKind::InvalidData | std::io::ErrorKind::InvalidInput => PyValueError::new_err(error.to_string()),
        _ => error.into(),
    }
}

fn finished() -> PyErr {
    PyValueError::new_err("the container is finished")
}

/// The text of a schema for columns of the types that a stream has.
#[pyfunction]
fn schema_of(batches: &Bound<PyAny>) -> PyResult<String> {
    let capsule = batches.call_method0("__arrow_c_stream__")?.cast_into::<PyCapsule>()?;
    let found = schema_for(taken(&capsule)?.schema().fields());
    found.map(|schema| schema.text()).map_err(|error| PyValueError::new_err(error.to_string()))
}

#[pymodule]
fn tern_arrow(module: &Bound<PyModule>) -> PyResult<()> {
    module.add_class::<Scan>()?;
    module.add_class::<Sink>()?;
    module.add_function(wrap_pyfunction!(schema_of, module)?)
}
