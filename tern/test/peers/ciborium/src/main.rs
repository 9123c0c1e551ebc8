//! What serde and ciborium, CBOR in Rust, make of what Tern writes: decode a list of a
//! type from one file, and encode it into another. Start at `main`.

use ciborium::value::Value;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::error::Error;
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

fn again<T: DeserializeOwned + Serialize>(from: &str, to: &str) -> Result<(), Box<dyn Error>> {
    let values: Vec<T> = ciborium::from_reader(&fs::read(from)?[..])?;
    let mut bytes = Vec::new();
    ciborium::into_writer(&values, &mut bytes)?;
    fs::write(to, bytes)?;
    Ok(())
}

fn main() {
    let arguments: Vec<String> = env::args().collect();
    let words: Vec<&str> = arguments.iter().skip(1).map(String::as_str).collect();
    let done = match words[..] {
        ["values", from, to] => again::<Value>(from, to),
        ["records", from, to] => again::<Fields>(from, to),
        ["enumerations", from, to] => again::<Colour>(from, to),
        ["trees", from, to] => again::<Tree>(from, to),
        _ => Err("expected values, records, enumerations or trees, a file to read and one to write".into()),
    };
    if let Err(problem) = done {
        eprintln!("tern-ciborium: {problem}");
        process::exit(1);
    }
}
