//! How long serde_json takes for documents of any shape, to be held beside what
//! `./dev bench "as any value"` says of Tern. A value is dropped within its time, as the
//! collector's work is within Tern's. Start at `main`.

use serde_json::Value;
use std::hint::black_box;
use std::time::Instant;
use std::{env, fs, process};

/// The least and the median time of an operation in milliseconds, of 31.
fn timed(mut operation: impl FnMut()) -> (f64, f64) {
    let mut times: Vec<f64> = (0..31)
        .map(|_| {
            let from = Instant::now();
            operation();
            from.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    times.sort_by(f64::total_cmp);
    (times[0], times[times.len() / 2])
}

fn measured(path: &str) -> Result<(), Box<dyn std::error::Error>> {
    let bytes = fs::read(path)?;
    let value: Value = serde_json::from_slice(&bytes)?;
    let (decode, decode_median) = timed(|| {
        black_box(serde_json::from_slice::<Value>(black_box(&bytes)).is_ok());
    });
    let (encode, encode_median) = timed(|| {
        black_box(serde_json::to_vec(black_box(&value)).is_ok());
    });
    println!("{path}: decode {decode:.3} ms (median {decode_median:.3}), encode {encode:.3} ms (median {encode_median:.3})");
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
