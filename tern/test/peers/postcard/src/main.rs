//! How long postcard and bincode take for the 10,000 records that Tern's benchmark has
//! (`Tern.Bench.Native.Record.entries`, made here by the same arithmetic), to be held
//! beside what Tern takes, by `./dev bench --peers`. Values are dropped within their time, as
//! the collector's work is within Tern's. Start at `main`.

use bincode::config::standard;
use serde::{Deserialize, Serialize};
use std::error::Error;
use std::hint::black_box;
use std::process;
use std::time::Instant;

#[derive(Serialize, Deserialize, PartialEq)]
struct Entry {
    number: i64,
    name: String,
    score: f64,
    nick: Option<String>,
    tags: Vec<String>,
    figure: Figure,
    active: bool,
    counts: Vec<i64>,
}

#[derive(Serialize, Deserialize, PartialEq)]
enum Figure {
    Circle(f64),
    Rectangle(f64, f64),
    Polygon(Vec<i64>),
    Empty,
}

/// A step of SplitMix64 (Steele, Lea and Flood, 2014).
fn mixed(seed: u64) -> u64 {
    let z = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

fn letters(seed: u64, count: i64) -> String {
    let states = std::iter::successors(Some(seed), |&state| Some(mixed(state)));
    states
        .take(count as usize)
        .map(|x| char::from(b'a' + ((x >> 7) % 26) as u8))
        .collect()
}

fn entry(i: u64) -> Entry {
    let random = |k: i64| mixed(i.wrapping_mul(1000).wrapping_add(k as u64));
    let below = |k: i64, n: u64| (random(k) % n) as i64;
    let side = |k: i64| below(k, 100_000) as f64 / 64.0;
    Entry {
        number: i as i64 * 37,
        name: format!("user-{}", letters(random(1), 6 + below(2, 8))),
        score: below(3, 1_000_000) as f64 / 1000.0,
        nick: (below(4, 2) != 0).then(|| letters(random(5), 3 + below(6, 6))),
        tags: (1..=below(7, 5))
            .map(|k| letters(random(10 + k), 2 + below(20 + k, 9)))
            .collect(),
        figure: match below(8, 4) {
            0 => Figure::Circle(side(30)),
            1 => Figure::Rectangle(side(31), side(32)),
            2 => Figure::Polygon(
                (1..=1 + below(9, 5))
                    .map(|k| below(40 + k, 1000) - 500)
                    .collect(),
            ),
            _ => Figure::Empty,
        },
        active: below(33, 2) == 0,
        counts: (1..=below(34, 8))
            .map(|k| {
                below(
                    60 + k,
                    if below(50 + k, 8) == 0 {
                        1_000_000_000
                    } else {
                        100
                    },
                )
            })
            .collect(),
    }
}

/// The least time of an operation in nanoseconds, of 301.
fn least(mut operation: impl FnMut()) -> f64 {
    (0..301)
        .map(|_| {
            let from = Instant::now();
            operation();
            from.elapsed().as_secs_f64() * 1e9
        })
        .fold(f64::INFINITY, f64::min)
}

/// A line for the suite, by the name that its case has.
fn say(direction: &str, library: &str, least: f64) {
    let what = format!("native: {direction} 10,000 mixed records");
    println!("{{\"what\":\"{what}\",\"by\":\"{library}\",\"least\":{least}}}");
}

fn measured() -> Result<(), Box<dyn Error>> {
    let entries: Vec<Entry> = (1..=10_000).map(entry).collect();
    let short = postcard::to_allocvec(&entries)?;
    if postcard::from_bytes::<Vec<Entry>>(&short)? != entries {
        return Err("postcard does not read what it wrote".into());
    }
    let encode = || drop(black_box(postcard::to_allocvec(black_box(&entries))));
    let decode = || {
        drop(black_box(postcard::from_bytes::<Vec<Entry>>(black_box(
            &short,
        ))))
    };
    say("encode", "postcard", least(encode));
    say("decode", "postcard", least(decode));

    let long = bincode::serde::encode_to_vec(&entries, standard())?;
    let read = |bytes: &[u8]| bincode::serde::decode_from_slice::<Vec<Entry>, _>(bytes, standard());
    if read(&long)?.0 != entries {
        return Err("bincode does not read what it wrote".into());
    }
    let encode = || {
        drop(black_box(bincode::serde::encode_to_vec(
            black_box(&entries),
            standard(),
        )))
    };
    let decode = || drop(black_box(read(black_box(&long))));
    say("encode", "bincode", least(encode));
    say("decode", "bincode", least(decode));
    Ok(())
}

fn main() {
    if let Err(problem) = measured() {
        eprintln!("tern-postcard: {problem}");
        process::exit(1);
    }
}
