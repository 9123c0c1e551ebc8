//! What serde and rmp-serde, MessagePack in Rust, make of what Tern writes: decode a
//! list of a type from one file, and encode it into another. And how long they take for
//! the record that Tern's benchmark has (`Tern.Bench.Native.Record.Article`). Start at `main`.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::error::Error;
use std::hint::black_box;
use std::time::Instant;
use std::{env, fs, process};

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Fields {
    number: i64,
    name: String,
    flag: bool,
    ratio: f64,
    maybe_text: Option<String>,
    others: Vec<i8>,
}

#[derive(Serialize, Deserialize)]
enum Colour {
    Red,
    DarkGreen,
    BLUE,
}

/// The layout of sums that Tern has by default.
#[derive(Serialize, Deserialize)]
#[serde(tag = "tag", content = "contents")]
enum Tree {
    Leaf,
    Node(Box<Tree>, i64, Box<Tree>),
}

#[derive(Serialize, Deserialize, PartialEq)]
struct Article {
    choice: Choice,
    word1: String,
    whole: i64,
    long: f64,
    short: f32,
    positive: u64,
    perhaps: Option<String>,
    several: Vec<String>,
}

#[derive(Serialize, Deserialize, PartialEq)]
enum Choice {
    Whole(i64),
    Short(f32),
}

/// The least and the median time of an operation in nanoseconds, of 101 batches.
fn timed(mut operation: impl FnMut()) -> (f64, f64) {
    const BATCH: u32 = 10_000;
    let mut times: Vec<f64> = (0..101)
        .map(|_| {
            let start = Instant::now();
            (0..BATCH).for_each(|_| operation());
            start.elapsed().as_nanos() as f64 / f64::from(BATCH)
        })
        .collect();
    times.sort_by(f64::total_cmp);
    (times[0], times[times.len() / 2])
}

/// Fields by position and into a string of its own each time, as Tern's benchmark does.
fn time() -> Result<(), Box<dyn Error>> {
    let article = Article {
        choice: Choice::Whole(1),
        word1: "foo".into(),
        whole: 12,
        long: 234.234123,
        short: 123.34563,
        positive: 12,
        perhaps: None,
        several: vec!["bar".into(), "baz".into()],
    };
    let bytes = rmp_serde::to_vec(&article)?;
    if rmp_serde::from_slice::<Article>(&bytes)? != article {
        return Err("the record is not read as it was written".into());
    }
    let (least, median) = timed(|| drop(black_box(rmp_serde::to_vec(black_box(&article)))));
    println!("encode: {least:.1} ns at least, median {median:.1}, {} bytes", bytes.len());
    let (least, median) = timed(|| drop(black_box(rmp_serde::from_slice::<Article>(black_box(&bytes)))));
    println!("decode: {least:.1} ns at least, median {median:.1}");
    Ok(())
}

fn again<T: DeserializeOwned + Serialize>(from: &str, to: &str) -> Result<(), Box<dyn Error>> {
    let values: Vec<T> = rmp_serde::from_slice(&fs::read(from)?)?;
    fs::write(to, rmp_serde::to_vec_named(&values)?)?;
    Ok(())
}

fn main() {
    let arguments: Vec<String> = env::args().collect();
    let words: Vec<&str> = arguments.iter().skip(1).map(String::as_str).collect();
    let done = match words[..] {
        ["records", from, to] => again::<Fields>(from, to),
        ["enumerations", from, to] => again::<Colour>(from, to),
        ["trees", from, to] => again::<Tree>(from, to),
        ["time"] => time(),
        _ => Err("expected time; or records, enumerations or trees, a file to read and one to write".into()),
    };
    if let Err(problem) = done {
        eprintln!("tern-rmp-serde: {problem}");
        process::exit(1);
    }
}
