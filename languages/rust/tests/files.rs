//! Files that are appended to, and what a writer that was stopped leaves.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;
use tern::container::{Durability, FileWriter, Finding, Reader};
use tern::{Layout, Schema};

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("tern-{}-{name}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn integers() -> Layout {
    Layout::new(Schema::parse("integer -9223372036854775808..9223372036854775807").unwrap())
}

fn whole(path: &std::path::Path) -> Vec<i64> {
    let mut all = vec![];
    for finding in Reader::new(fs::File::open(path).unwrap()).unwrap().findings::<i64>().unwrap() {
        if let Finding::Elements(first, some) = finding {
            assert_eq!(first, all.len() as u64);
            all.extend(some);
        }
    }
    all
}

fn append(path: &std::path::Path, layout: &Layout, numbers: std::ops::Range<i64>) {
    let mut writer = FileWriter::append(path, layout, None, Durability::AtEnd).unwrap();
    numbers.for_each(|n| writer.put(&n).unwrap());
    writer.finish().unwrap();
}

#[test]
fn what_is_appended_is_as_if_written_at_once() {
    let (folder, layout) = (Folder::new("appended"), integers());
    let (path, once) = (folder.0.join("a.tern"), folder.0.join("b.tern"));
    let mut writer = FileWriter::create(&path, &layout, *b"paradise", None, Durability::AtEnd).unwrap();
    (0..10).for_each(|n| writer.put(&n).unwrap());
    assert!(!path.exists());
    writer.finish().unwrap();
    append(&path, &layout, 10..20_000);
    append(&path, &layout, 0..0);
    append(&path, &layout, 20_000..20_001);
    assert_eq!(whole(&path), (0..20_001).collect::<Vec<i64>>());
    let mut writer = FileWriter::create(&once, &layout, *b"paradise", None, Durability::AtEnd).unwrap();
    for n in 0..20_001 {
        writer.put(&n).unwrap();
        if n == 9 || n == 19_999 {
            writer.flush().unwrap();
        }
    }
    writer.finish().unwrap();
    assert_eq!(fs::read(&path).unwrap(), fs::read(&once).unwrap());
}

#[test]
fn a_writer_that_was_stopped_loses_what_its_durability_says() {
    let (folder, layout) = (Folder::new("stopped"), integers());
    let part = folder.0.join("a.tern.part");
    for (durability, kept) in [
        (Durability::AtEnd, 0),
        (Durability::Elements(7), 98),
        (Durability::Elements(1), 100),
        (Durability::Every(Duration::ZERO), 100),
    ] {
        let mut writer = FileWriter::create(&folder.0.join("a.tern"), &layout, *b"paradise", None, durability).unwrap();
        (0..100).for_each(|n| writer.put(&n).unwrap());
        drop(writer);
        assert_eq!(whole(&part), (0..kept).collect::<Vec<i64>>(), "{durability:?}");
    }
}

#[test]
fn a_cut_file_goes_on_from_its_last_whole_block() {
    let (folder, layout) = (Folder::new("cut"), integers());
    let path = folder.0.join("a.tern");
    let mut writer = FileWriter::create(&path, &layout, *b"paradise", None, Durability::Elements(10)).unwrap();
    (0..50).for_each(|n| writer.put(&n).unwrap());
    writer.finish().unwrap();
    let all = fs::read(&path).unwrap();
    let mut seen = std::collections::BTreeSet::new();
    for cut in 65..all.len() {
        fs::write(&path, &all[..cut]).unwrap();
        assert!(FileWriter::append(&path, &layout, None, Durability::AtEnd).is_err(), "{cut}");
        let kept = whole(&path).len() as i64;
        let mut writer = FileWriter::append_damaged(&path, &layout, None, Durability::AtEnd).unwrap();
        (kept..60).for_each(|n| writer.put(&n).unwrap());
        writer.finish().unwrap();
        assert_eq!(whole(&path), (0..60).collect::<Vec<i64>>(), "{cut}");
        seen.insert(kept);
    }
    assert_eq!(seen, [0, 10, 20, 30, 40, 50].into());
}

#[test]
fn what_would_lose_whole_blocks_is_refused() {
    let (folder, layout) = (Folder::new("refused"), integers());
    let path = folder.0.join("a.tern");
    let mut writer = FileWriter::create(&path, &layout, *b"paradise", None, Durability::Elements(10)).unwrap();
    (0..50).for_each(|n| writer.put(&n).unwrap());
    writer.finish().unwrap();
    let other = Layout::new(Schema::parse("integer").unwrap());
    let mut bytes = fs::read(&path).unwrap();
    assert!(FileWriter::append(&path, &other, None, Durability::AtEnd).is_err());
    let second = bytes.windows(8).enumerate().filter(|(_, eight)| *eight == b"paradise").nth(2).unwrap().0;
    bytes[second + 20] ^= 1;
    fs::write(&path, &bytes).unwrap();
    assert!(FileWriter::append(&path, &layout, None, Durability::AtEnd).is_err());
    assert!(FileWriter::append_damaged(&path, &layout, None, Durability::AtEnd).is_err());
    assert_eq!(fs::read(&path).unwrap(), bytes);
}

#[cfg(unix)]
#[test]
fn what_stands_at_the_path() {
    use std::os::unix::fs::{symlink, FileTypeExt, PermissionsExt};
    use std::os::unix::net::UnixListener;
    use std::process::Command;
    let (folder, layout) = (Folder::new("target"), integers());
    let at = |name: &str| folder.0.join(name);
    let write = |path: &std::path::Path| -> std::io::Result<()> {
        let mut writer = FileWriter::create(path, &layout, *b"paradise", None, Durability::AtEnd)?;
        (0..10).try_for_each(|n: i64| writer.put(&n))?;
        writer.finish()
    };
    let ten: Vec<i64> = (0..10).collect();

    // A link stays, and its file keeps its permissions.
    fs::write(at("file"), "before").unwrap();
    fs::set_permissions(at("file"), fs::Permissions::from_mode(0o640)).unwrap();
    symlink("file", at("link")).unwrap();
    write(&at("link")).unwrap();
    assert!(fs::symlink_metadata(at("link")).unwrap().is_symlink());
    assert_eq!(whole(&at("file")), ten);
    assert_eq!(fs::metadata(at("file")).unwrap().permissions().mode() & 0o7777, 0o640);

    // One that leads to nothing yet makes that.
    symlink("new", at("dangling")).unwrap();
    write(&at("dangling")).unwrap();
    assert!(fs::symlink_metadata(at("dangling")).unwrap().is_symlink());
    assert_eq!(whole(&at("new")), ten);

    // The rest is refused, and stays.
    assert!(Command::new("mkfifo").arg(at("pipe")).status().unwrap().success());
    let _listening = UnixListener::bind(at("socket")).unwrap();
    fs::create_dir(at("folder")).unwrap();
    symlink("circle", at("circle")).unwrap();
    symlink("/proc/self/fd/1", at("output")).unwrap();
    symlink("file", at("planted.part")).unwrap();
    let before = fs::read_dir(&folder.0).unwrap().count();
    for name in ["pipe", "socket", "folder", "circle", "output", "planted"] {
        assert!(write(&at(name)).is_err(), "{name}");
    }
    assert_eq!(fs::read_dir(&folder.0).unwrap().count(), before);
    assert!(fs::symlink_metadata(at("pipe")).unwrap().file_type().is_fifo());
    assert!(fs::symlink_metadata(at("socket")).unwrap().file_type().is_socket());
    assert!(at("folder").is_dir());
    assert!(fs::symlink_metadata(at("output")).unwrap().is_symlink());
    assert_eq!(whole(&at("file")), ten);
}

#[test]
fn a_second_writer_is_refused() {
    let (folder, layout) = (Folder::new("twice"), integers());
    let path = folder.0.join("a.tern");
    let create = || FileWriter::create(&path, &layout, *b"paradise", None, Durability::AtEnd);
    let busy = std::io::ErrorKind::ResourceBusy;
    let mut first = create().unwrap();
    (0..20_000).for_each(|n| first.put(&n).unwrap());
    assert_eq!(create().err().map(|error| error.kind()), Some(busy));
    first.finish().unwrap();
    assert_eq!(whole(&path), (0..20_000).collect::<Vec<i64>>());
    let mut first = FileWriter::append(&path, &layout, None, Durability::AtEnd).unwrap();
    first.put(&20_000i64).unwrap();
    let second = FileWriter::append_damaged(&path, &layout, None, Durability::AtEnd);
    assert_eq!(second.err().map(|error| error.kind()), Some(busy));
    // Nor does a new file take the place of one that is appended to.
    let mut new = create().unwrap();
    new.put(&1i64).unwrap();
    assert_eq!(new.finish().err().map(|error| error.kind()), Some(busy));
    first.finish().unwrap();
    assert_eq!(whole(&path), (0..20_001).collect::<Vec<i64>>());
    // What a killed writer leaves keeps nobody out.
    let mut killed = create().unwrap();
    killed.put(&1i64).unwrap();
    drop(killed);
    let mut next = create().unwrap();
    next.put(&2i64).unwrap();
    next.finish().unwrap();
    assert_eq!(whole(&path), vec![2]);
}

/// Between a program's beginning and its own code it has open what its parent has: a file that is
/// closed meanwhile must not stay locked.
#[cfg(unix)]
#[test]
fn a_program_that_is_being_started_keeps_nothing_locked() {
    use std::io::{Read, Write};
    use std::os::unix::{net::UnixStream, process::CommandExt};
    let (folder, layout) = (Folder::new("started"), integers());
    let path = folder.0.join("a.tern");
    let mut writer = FileWriter::create(&path, &layout, *b"paradise", None, Durability::AtEnd).unwrap();
    writer.put(&0i64).unwrap();
    let (mut here, mut there) = UnixStream::pair().unwrap();
    let starting = std::thread::spawn(move || {
        let mut command = std::process::Command::new("true");
        // SAFETY: between the two processes it reads and writes one byte each, and nothing else.
        unsafe { command.pre_exec(move || there.write_all(b"x").and_then(|()| there.read_exact(&mut [0]))) };
        assert!(command.status().unwrap().success());
    });
    here.read_exact(&mut [0]).unwrap();
    writer.finish().unwrap();
    let again = FileWriter::append(&path, &layout, None, Durability::AtEnd).and_then(|mut writer| {
        writer.put(&1i64)?;
        writer.finish()
    });
    here.write_all(b"x").unwrap();
    starting.join().unwrap();
    again.unwrap();
    assert_eq!(whole(&path), vec![0, 1]);
}

/// Many writers of one name at once: what is there after each of them is whole. (The moment between
/// opening another writer's file and locking it is too short to be met here; Python's tests make it.)
#[test]
fn writers_in_turn_lose_nothing() {
    let (folder, layout) = (Folder::new("turns"), integers());
    let path = folder.0.join("a.tern");
    std::thread::scope(|scope| {
        for k in 0..8i64 {
            let (path, layout) = (&path, &layout);
            scope.spawn(move || {
                let mut done = 0;
                while done < 60 {
                    let Ok(mut writer) = FileWriter::create(path, layout, *b"paradise", None, Durability::AtEnd) else {
                        std::thread::yield_now();
                        continue;
                    };
                    (0..50).for_each(|n| writer.put(&(100 * k + n)).unwrap());
                    // The one before may still have the file's name on its way to the disk.
                    match writer.finish() {
                        Err(error) => assert_eq!(error.kind(), std::io::ErrorKind::ResourceBusy),
                        Ok(()) => {
                            assert_eq!(whole(path).len(), 50);
                            done += 1;
                        }
                    }
                }
            });
        }
    });
}
