//! Where the bytes of a new file go: a regular file, or one that is not there yet.
//!
//! A link stays, and what it leads to is replaced. A folder, a device or a pipe is refused: a rename
//! would put a file in its place. Owner and permissions stay, as far as the process may keep them.

use std::fs::{self, File, Metadata, OpenOptions, TryLockError};
use std::io::{self, Seek, SeekFrom, Write};
use std::ops::Deref;
use std::path::{Path, PathBuf};

/// The path, without links, of what may be replaced.
pub fn target(path: &Path) -> io::Result<PathBuf> {
    if regular(fs::metadata(path), path)?.is_some() {
        OpenOptions::new().write(true).open(path)?;
    }
    let mut here = path.to_path_buf();
    // As many links as the system follows; a circle was an error before.
    for _ in 0..40 {
        let Ok(next) = fs::read_link(&here) else { break };
        let folder = here.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let real = folder.canonicalize()?;
        // The links in there are names of what is open, which may have none or another.
        if real.starts_with("/proc") || real.starts_with("/dev/fd") {
            return Err(refused(path));
        }
        here = folder.join(next);
    }
    Ok(here)
}

/// A file that others are kept from writing, by `flock`, as Tern in Haskell and in Python does.
///
/// The lock is let go when it is dropped, not left to the file's closing: a program that is just
/// being started has the file open too, and would keep it locked.
pub struct Locked(File);

impl Locked {
    /// Keep others from writing it, or refuse it where another one does. Where a file system knows no
    /// locks nothing is kept.
    fn of(file: File, path: &Path) -> io::Result<Locked> {
        match file.try_lock() {
            Ok(()) => Ok(Locked(file)),
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => Ok(Locked(file)),
            Err(TryLockError::Error(error)) => Err(error),
            Err(TryLockError::WouldBlock) => Err(io::Error::new(
                io::ErrorKind::ResourceBusy,
                format!("{} is being written by another one", path.display()),
            )),
        }
    }
}

impl Drop for Locked {
    fn drop(&mut self) {
        // Closing it does the same where no other program has it.
        let _ = self.0.unlock();
    }
}

impl Deref for Locked {
    type Target = File;

    fn deref(&self) -> &File {
        &self.0
    }
}

impl Write for Locked {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Seek for Locked {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.0.seek(to)
    }
}

/// A new file that nothing else is reached by, no link and no pipe, and that nobody else writes.
pub fn create(part: &Path) -> io::Result<Locked> {
    regular(fs::symlink_metadata(part), part)?;
    // Nothing of it goes before it is known that nobody writes it.
    let file = alone(part, OpenOptions::new().read(true).write(true).create(true).truncate(false))?;
    file.set_len(0)?;
    Ok(file)
}

/// What is open so, and nobody else writes.
pub fn alone(path: &Path, how: &OpenOptions) -> io::Result<Locked> {
    loop {
        let file = Locked::of(how.open(path)?, path)?;
        // Whoever wrote it may have given it another name meanwhile, or replaced it.
        if is_at(&file, path)? {
            return Ok(file);
        }
    }
}

/// Give a file another name, which nobody may be appending to.
pub fn rename(from: &Path, to: &Path) -> io::Result<()> {
    let before = match File::open(to) {
        Ok(before) => Some(Locked::of(before, to)?),
        // Whoever may not read it is not kept from replacing it.
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied) => None,
        Err(error) => return Err(error),
    };
    let renamed = fs::rename(from, to);
    drop(before);
    renamed
}

/// Whether a path still leads to what is open.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let open = file.metadata()?;
    match fs::metadata(path) {
        Ok(there) => Ok(open.dev() == there.dev() && open.ino() == there.ino()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// What is open is not renamed there.
#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> io::Result<bool> {
    Ok(true)
}

/// Give what is open the owner and the permissions of the file at a path, if there is one.
pub fn like(file: &File, path: &Path) -> io::Result<()> {
    match fs::metadata(path) {
        Ok(old) => keep(file, &old),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

#[cfg(unix)]
fn keep(file: &File, old: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::{fchown, MetadataExt, PermissionsExt};
    if fchown(file, Some(old.uid()), Some(old.gid())).is_err() {
        // Who may not change the owner may be allowed to change the group.
        let _ = fchown(file, None, Some(old.gid()));
    }
    let new = file.metadata()?;
    let mut mode = old.mode() & 0o7777;
    if new.uid() != old.uid() {
        mode &= !0o6000;
    }
    if new.gid() != old.gid() {
        mode = mode & !0o2070 | (mode & 0o007) << 3;
    }
    file.set_permissions(fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn keep(file: &File, old: &Metadata) -> io::Result<()> {
    file.set_permissions(old.permissions())
}

fn regular(found: io::Result<Metadata>, path: &Path) -> io::Result<Option<Metadata>> {
    match found {
        Ok(metadata) if metadata.is_file() => Ok(Some(metadata)),
        Ok(_) => Err(refused(path)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn refused(path: &Path) -> io::Error {
    let why = format!("{}: it is no regular file, and is not replaced; a stream can be written to", path.display());
    io::Error::new(io::ErrorKind::InvalidInput, why)
}
