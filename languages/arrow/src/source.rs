//! Where a container's bytes are: a file on this machine, or what Python has opened elsewhere.

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};

pub enum Source {
    File(File),
    /// An object with `read`, `seek` and `write`.
    Python(Py<PyAny>),
}

impl Source {
    /// A path, or an object that is a file.
    pub fn open(given: &Bound<PyAny>) -> PyResult<Source> {
        if given.hasattr("read")? {
            return Ok(Source::Python(given.clone().unbind()));
        }
        let path: std::path::PathBuf = given.extract()?;
        File::open(&path).map(Source::File).map_err(|error| named(&path, error))
    }

    /// The same for a new file.
    pub fn create(given: &Bound<PyAny>) -> PyResult<Source> {
        if given.hasattr("write")? {
            return Ok(Source::Python(given.clone().unbind()));
        }
        let path: std::path::PathBuf = given.extract()?;
        File::create(&path).map(Source::File).map_err(|error| named(&path, error))
    }

    /// Has what was written on the disk, where it is this machine's.
    pub fn sync(&self) -> io::Result<()> {
        match self {
            Source::File(file) => file.sync_all(),
            Source::Python(_) => Ok(()),
        }
    }
}

fn named(path: &std::path::Path, error: io::Error) -> PyErr {
    io::Error::new(error.kind(), format!("{}: {error}", path.display())).into()
}

impl Read for Source {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self {
            Source::File(file) => file.read(into),
            Source::Python(file) => Python::attach(|py| {
                let found = file.bind(py).call_method1("read", (into.len(),))?;
                let found = found.cast_into::<PyBytes>().map_err(PyErr::from)?;
                let bytes = found.as_bytes();
                let room = into.get_mut(..bytes.len()).ok_or_else(|| io::Error::other("read gave too many bytes"))?;
                room.copy_from_slice(bytes);
                Ok(bytes.len())
            }),
        }
    }
}

impl Seek for Source {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match self {
            Source::File(file) => file.seek(to),
            Source::Python(file) => {
                let (offset, whence) = match to {
                    SeekFrom::Start(offset) => (i128::from(offset), 0),
                    SeekFrom::Current(offset) => (i128::from(offset), 1),
                    SeekFrom::End(offset) => (i128::from(offset), 2),
                };
                Python::attach(|py| Ok(file.bind(py).call_method1("seek", (offset, whence))?.extract::<u64>()?))
            }
        }
    }
}

impl Write for Source {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Source::File(file) => file.write(bytes),
            Source::Python(file) => Python::attach(|py| {
                file.bind(py).call_method1("write", (PyBytes::new(py, bytes),))?;
                Ok(bytes.len())
            }),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Source::File(file) => file.flush(),
            Source::Python(file) => Python::attach(|py| Ok(file.bind(py).call_method0("flush").map(|_| ())?)),
        }
    }
}
