//! How long serde_json takes for documents of any shape, to be held beside what
//! Tern takes, by `./dev bench --peers`. A value is dropped within its time, as the
//! collector's work is within Tern's. Start at `main`.

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

fn measured(path: &str) -> Result<(), Box<dyn Error>> {
    let bytes = fs::read(path)?;
    let value: Value = serde_json::from_slice(&bytes)?;
    let name = Path::new(path)
        .file_name()
        .map_or("".into(), |name| name.to_string_lossy());
    // A line for the suite, by the name that its case has.
    let say = |direction: &str, least: f64| {
        let what = format!("{direction} {name} as any value");
        println!(
            "{}",
            json!({"what": what, "by": "serde_json", "least": least})
        );
    };
    let decode = || {
        drop(black_box(serde_json::from_slice::<Value>(black_box(
            &bytes,
        ))))
    };
    say("decode", least(decode));
    say(
        "encode",
        least(|| drop(black_box(serde_json::to_vec(black_box(&value))))),
    );
    Ok(())
}

fn main() {
    let paths: Vec<String> = env::args().skip(1).collect();
    if paths.is_empty() {
        eprintln!("tern-serde-json: no document is named; expected paths of JSON documents");
        process::exit(2);
    }
    for path in &paths {
        if let Err(fault) = measured(path) {
            eprintln!("tern-serde-json: {path}: {fault}");
            process::exit(1);
        }
    }
}
