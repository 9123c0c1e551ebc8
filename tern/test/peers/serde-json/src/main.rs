//! How long serde_json takes for documents of any shape, and for typed models of some, to be
//! held beside what Tern takes, by `./dev bench --peers`; and what it has in memory, by `./dev
//! bench --memory`. A value is dropped within its time, as the collector's work is within
//! Tern's. Start at `main`.

mod models;

use models::{Canada, Catalogue, Proposals, Twitter};
use serde::de::DeserializeOwned;
use serde::Serialize;
use serde_json::{json, Value};
use std::error::Error;
use std::hint::black_box;
use std::path::Path;
use std::time::Instant;
use std::{env, fs, process};

/// The least time of an operation in nanoseconds, of 31.
fn least(mut operation: impl FnMut()) -> f64 {
    (0..31)
        .map(|_| {
            let from = Instant::now();
            operation();
            from.elapsed().as_secs_f64() * 1e9
        })
        .fold(f64::INFINITY, f64::min)
}

/// Both directions for one type. A line each for the suite, by the name that its case has: the
/// document's, and `way`.
fn timed<T: DeserializeOwned + Serialize>(
    bytes: &[u8],
    name: &str,
    way: &str,
) -> Result<(), Box<dyn Error>> {
    let value: T = serde_json::from_slice(bytes)?;
    let say = |direction: &str, least: f64| {
        let what = format!("{direction} {name}{way}");
        println!(
            "{}",
            json!({"what": what, "by": "serde_json", "least": least})
        );
    };
    let decode = || drop(black_box(serde_json::from_slice::<T>(black_box(bytes))));
    say("decode", least(decode));
    let encode = || drop(black_box(serde_json::to_vec(black_box(&value))));
    say("encode", least(encode));
    Ok(())
}

fn name_of(path: &str) -> String {
    Path::new(path)
        .file_name()
        .map_or("".into(), |name| name.to_string_lossy().into_owned())
}

fn measured(path: &str) -> Result<(), Box<dyn Error>> {
    let bytes = fs::read(path)?;
    let name = name_of(path);
    timed::<Value>(&bytes, &name, " as any value")?;
    match name.as_str() {
        "twitter.json" => timed::<Twitter>(&bytes, &name, ""),
        "canada.json" => timed::<Canada>(&bytes, &name, ""),
        "citm_catalog.json" => timed::<Catalogue>(&bytes, &name, ""),
        "gsoc-2018.json" => timed::<Proposals>(&bytes, &name, ""),
        _ => Ok(()),
    }
}

/// What this process had in memory at most, in bytes, while all of a document's value is
/// alive.
fn held(path: &str) -> Result<(), Box<dyn Error>> {
    let bytes = fs::read(path)?;
    let value: Value = black_box(serde_json::from_slice(&bytes)?);
    let status = fs::read_to_string("/proc/self/status")?;
    let peak: u64 = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .and_then(|rest| rest.trim().strip_suffix(" kB"))
        .ok_or("the system does not say what a process had in memory")?
        .parse()?;
    println!(
        "{}",
        json!({"what": name_of(path), "by": "serde_json", "bytes": 1024 * peak})
    );
    drop(black_box(value));
    Ok(())
}

fn main() {
    let words: Vec<String> = env::args().skip(1).collect();
    let work: Box<dyn Fn(&String) -> Result<(), Box<dyn Error>>> = match words.first() {
        Some(word) if word == "--hold" => Box::new(|path| held(path)),
        _ => Box::new(|path| measured(path)),
    };
    let paths: Vec<&String> = words.iter().filter(|word| *word != "--hold").collect();
    if paths.is_empty() {
        eprintln!("tern-serde-json: no document is named; expected paths of JSON documents");
        process::exit(2);
    }
    for path in paths {
        if let Err(fault) = work(path) {
            eprintln!("tern-serde-json: {path}: {fault}");
            process::exit(1);
        }
    }
}
