//! Files: written whole or not at all, appended to, and kept on the disk as often as asked for.

use super::crc32c;
use super::head::*;
use super::reader::Bounds;
use super::scan::{Found, Scan, Window};
use super::target::{self, Locked};
use super::writer::{Writer, BLOCK_BYTES};
use crate::layout::Layout;
use crate::value::Value;
use serde::Serialize;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// When what was put is on the disk. What was put since may be lost when the machine stops; what
/// is there is whole, and readers find it without the file's end.
///
/// | | a process that is killed loses | a machine that stops loses |
/// |---|---|---|
/// | `AtEnd` | up to a block | what was put since the beginning |
/// | `Elements(n)` | up to a block, and fewer than n | fewer than n elements |
/// | `Every(t)` | up to a block | what was put since the first put after t had passed |
///
/// `Every` looks at the clock when a value is put: nothing runs in between.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// By `sync` and `finish` alone.
    AtEnd,
    /// After each so many elements.
    Elements(u64),
    /// With the first element after each such time.
    Every(Duration),
}

/// Writes a container to a file.
///
/// A new one is `PATH.part` until `finish` gives it its name; a writer that was killed leaves that.
/// One that is appended to is without an end until then: `append_damaged` goes on with it.
/// A second writer of the same file is refused (`ResourceBusy`), in whatever language it is.
pub struct FileWriter<'a> {
    writer: Writer<'a, Locked>,
    /// What the file will be called, where that is not its name yet.
    name: Option<PathBuf>,
    path: PathBuf,
    durability: Durability,
    since: u64,
    synced: Instant,
}

impl<'a> FileWriter<'a> {
    /// A new file, which takes the place of one that is there when it is finished. A link stays, and
    /// what it leads to is replaced; what is no regular file is refused.
    pub fn create(
        path: &Path,
        layout: &'a Layout,
        mark: [u8; 8],
        level: Option<i32>,
        durability: Durability,
    ) -> io::Result<FileWriter<'a>> {
        let name = target::target(path)?;
        let mut part = name.as_os_str().to_owned();
        part.push(".part");
        let part = PathBuf::from(part);
        let file = target::create(&part)?;
        target::like(&file, &name)?;
        let writer = Writer::new(file, layout, mark, level)?;
        Ok(FileWriter::of(writer, Some(name), part, durability))
    }

    /// Goes on with a file of the same schema that has its end.
    pub fn append(
        path: &Path,
        layout: &'a Layout,
        level: Option<i32>,
        durability: Durability,
    ) -> io::Result<FileWriter<'a>> {
        FileWriter::appending(path, layout, level, durability, false)
    }

    /// The same for one whose writer did not finish: what is not whole after its last block goes. It
    /// is refused where whole blocks follow on what is damaged.
    pub fn append_damaged(
        path: &Path,
        layout: &'a Layout,
        level: Option<i32>,
        durability: Durability,
    ) -> io::Result<FileWriter<'a>> {
        FileWriter::appending(path, layout, level, durability, true)
    }

    fn appending(
        path: &Path,
        layout: &'a Layout,
        level: Option<i32>,
        durability: Durability,
        repair: bool,
    ) -> io::Result<FileWriter<'a>> {
        let file = target::alone(path, OpenOptions::new().read(true).write(true))?;
        let (mark, place) = end_of(&file, layout, repair)?;
        if repair {
            file.set_len(place.offset)?;
        }
        (&*file).seek(SeekFrom::Start(place.offset))?;
        let writer = Writer::going_on(file, layout, mark, level, BLOCK_BYTES, place);
        Ok(FileWriter::of(writer, None, path.into(), durability))
    }

    fn of(writer: Writer<'a, Locked>, name: Option<PathBuf>, path: PathBuf, durability: Durability) -> FileWriter<'a> {
        FileWriter { writer, name, path, durability, since: 0, synced: Instant::now() }
    }

    /// Add a value. One that does not fit the schema is an error, and is not added.
    pub fn put<T: Serialize + ?Sized>(&mut self, value: &T) -> io::Result<()> {
        self.writer.put(value)?;
        self.added()
    }

    /// Add a value whose type is not known.
    pub fn put_value(&mut self, value: &Value) -> io::Result<()> {
        self.writer.put_value(value)?;
        self.added()
    }

    fn added(&mut self) -> io::Result<()> {
        self.since += 1;
        let due = match self.durability {
            Durability::AtEnd => false,
            Durability::Elements(count) => self.since >= count,
            Durability::Every(time) => self.synced.elapsed() >= time,
        };
        if due {
            self.sync()?;
        }
        Ok(())
    }

    /// Hand what was put to the system, as a block: a process that is killed does not lose it.
    pub fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }

    /// Have what was put on the disk.
    pub fn sync(&mut self) -> io::Result<()> {
        self.writer.flush()?;
        self.writer.target().sync_data()?;
        self.since = 0;
        self.synced = Instant::now();
        Ok(())
    }

    /// Write what waits and the end, have it on the disk, and give the file its name.
    pub fn finish(self) -> io::Result<()> {
        let file = self.writer.finish()?;
        file.sync_all()?;
        if let Some(name) = self.name {
            target::rename(&self.path, &name)?;
            let folder = name.parent().filter(|folder| !folder.as_os_str().is_empty());
            File::open(folder.unwrap_or(Path::new(".")))?.sync_all()?;
        }
        Ok(())
    }
}

fn refused<T>(reason: String) -> io::Result<T> {
    Err(io::Error::new(io::ErrorKind::InvalidData, reason))
}

/// The file's mark, and where its next block belongs.
fn end_of(mut file: &File, layout: &Layout, repair: bool) -> io::Result<([u8; 8], Place)> {
    let schema = layout.schema();
    let size = file.metadata()?.len();
    let bytes = schema.to_bytes();
    let mut start = vec![];
    file.by_ref().take((HEADER + bytes.len()) as u64).read_to_end(&mut start)?;
    let mut mark = [0; 8];
    if start.len() >= HEADER {
        mark.copy_from_slice(&start[16..24]);
    }
    if start != header(mark, schema.fingerprint(), &bytes) {
        return refused("the file is no container of just this schema".into());
    }
    let mut place = Place { number: 0, first: 0, offset: start.len() as u64 };
    let mut known: Vec<Head> = vec![];
    loop {
        match head_at(file, mark, place.offset)?.filter(|head| head.place == place) {
            Some(head) if head.is_end() && place.offset + HEAD as u64 == size => return Ok((mark, place)),
            Some(head) if !head.is_end() && head.next().offset <= size => {
                known.push(head);
                place = head.next();
            }
            _ => break,
        }
    }
    // What was written last may have come to the disk in part, although its head did.
    while let Some(head) = known.pop() {
        if is_whole(file, &head)? {
            break;
        }
        place = head.place;
    }
    if !repair {
        return refused(format!("byte {}: the file has no end, or is damaged there", place.offset));
    }
    // What is whole further on would be lost.
    file.seek(SeekFrom::Start(place.offset))?;
    let window = Window::new(file, place.offset);
    let mut scan = Scan::new(window, mark, place.offset, false, None, Bounds::default().max_block);
    while let Some(found) = scan.next()? {
        if matches!(found, Found::Block(block) if block.head.place.number >= place.number) {
            return refused(format!("byte {}: the file is damaged there, and whole blocks follow", place.offset));
        }
    }
    Ok((mark, place))
}

fn head_at(mut file: &File, mark: [u8; 8], at: u64) -> io::Result<Option<Head>> {
    file.seek(SeekFrom::Start(at))?;
    let mut bytes = vec![];
    file.by_ref().take(HEAD as u64).read_to_end(&mut bytes)?;
    Ok(Head::read(&bytes, Some(mark)).ok())
}

fn is_whole(mut file: &File, head: &Head) -> io::Result<bool> {
    if head.stored > Bounds::default().max_block {
        return refused(format!("byte {}: the block has {} bytes, and may be whole", head.place.offset, head.stored));
    }
    file.seek(SeekFrom::Start(head.place.offset + HEAD as u64))?;
    let mut stored = vec![];
    file.by_ref().take(head.stored).read_to_end(&mut stored)?;
    Ok(stored.len() as u64 == head.stored && crc32c(&stored) == head.checksum)
}
