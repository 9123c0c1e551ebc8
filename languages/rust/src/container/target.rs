//! Where the bytes of a new file go: a regular file, or one that is not there yet.
//!
//! A link stays, and what it leads to is replaced. A folder, a device or a pipe is refused: a rename
//! would put a file in its place. Owner and permissions stay, as far as the process may keep them.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
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

/// A new file that nothing else is reached by: no link, no pipe.
pub fn create(part: &Path) -> io::Result<File> {
    regular(fs::symlink_metadata(part), part)?;
    File::create(part)
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
