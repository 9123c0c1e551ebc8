//! Damaged containers: what is whole comes back, what is lost is named, and no value is wrong.

use std::collections::BTreeMap;
use tern::container::{Finding, Reader, Writer};
use tern::{Layout, Schema};

type Bird = (String, i32, Option<String>);

struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) as usize) % bound
    }
}

fn schema() -> Schema {
    Schema::parse("(text, integer -100000..100000, text?)").unwrap()
}

fn birds() -> Vec<Bird> {
    (0..400).map(|n| (format!("tern {}", n % 7), n - 50, (n % 3 == 0).then(|| "fog ".repeat(9)))).collect()
}

fn container(layout: &Layout, level: Option<i32>, mark: &[u8; 8]) -> Vec<u8> {
    let mut writer = Writer::with(vec![], layout, *mark, level, 300).unwrap();
    birds().iter().for_each(|bird| writer.put(bird).unwrap());
    writer.finish().unwrap()
}

/// Where blocks begin and end, and the numbers of their first element and of the one behind them.
fn blocks(data: &[u8]) -> Vec<(usize, usize, u64, u64)> {
    let number = |at: usize, size: usize| (0..size).rev().fold(0u64, |sum, n| sum << 8 | u64::from(data[at + n]));
    let mut at = 40 + number(12, 4) as usize;
    let mut found = vec![];
    while data[at + 8] != 0xff {
        let end = at + 64 + number(at + 16, 8) as usize;
        found.push((at, end, number(at + 40, 8), number(at + 40, 8) + number(at + 12, 4)));
        at = end;
    }
    found
}

const KINDS: usize = 10;

fn damage(kind: usize, data: &[u8], other: &[u8], random: &mut Random) -> Vec<u8> {
    let start = blocks(data)[0].0;
    let mut hurt = data.to_vec();
    let size = data.len();
    let at = start + random.below(size - start);
    let end = (at + 1 + random.below(900)).min(size);
    let all = blocks(data);
    let (one, two) = (all[random.below(all.len())], all[random.below(all.len())]);
    match kind {
        0 => (0..1 + random.below(4)).for_each(|_| hurt[start + random.below(size - start)] ^= 1 << random.below(8)),
        1 => drop(hurt.drain(at..end)),
        2 => drop(hurt.splice(at..at, (0..random.below(900)).map(|n| (n * 7) as u8).collect::<Vec<_>>())),
        3 => drop(hurt.splice(end..end, data[at..end].to_vec())),
        4 => drop(hurt.splice(two.0..two.0, data[one.0..one.1].to_vec())),
        5 => {
            let (a, b) = if one.0 <= two.0 { (one, two) } else { (two, one) };
            if a.0 != b.0 {
                hurt = [&data[..a.0], &data[b.0..b.1], &data[a.1..b.0], &data[a.0..a.1], &data[b.1..]].concat();
            }
        }
        6 => {
            let from = start + random.below(size - start - 512);
            let to = start + random.below(size - start - 512);
            hurt[to..to + 512].copy_from_slice(&data[from..from + 512]);
        }
        7 => hurt[at..end].fill(0),
        8 => hurt.truncate(at),
        _ => {
            let from = random.below(other.len() - 600);
            hurt.splice(at..end, other[from..from + 600].to_vec());
        }
    }
    hurt
}

#[test]
fn what_is_whole_comes_back() {
    let variants = std::env::var("TERN_DAMAGE").ok().and_then(|n| n.parse().ok()).unwrap_or(25);
    let layout = Layout::new(schema());
    let wanted = birds();
    let other = container(&layout, None, b"otherone");
    for level in [None, Some(3)] {
        let data = container(&layout, level, b"paradise");
        let whole = blocks(&data);
        assert!(whole.len() > 8);
        for kind in 0..KINDS {
            for variant in 0..variants {
                let mut random = Random((kind * 100_000 + variant) as u64);
                let hurt = damage(kind, &data, &other, &mut random);
                let mut back = BTreeMap::new();
                let mut told = false;
                for finding in Reader::new(&hurt[..]).unwrap().findings::<Bird>().unwrap() {
                    match finding {
                        Finding::Elements(first, birds) => {
                            for (index, bird) in (first..).zip(birds) {
                                assert_eq!(bird, wanted[index as usize], "a wrong value, {kind} {variant}");
                                assert!(back.insert(index, ()).is_none(), "an element twice, {kind} {variant}");
                            }
                        }
                        Finding::Fault(_) | Finding::Loss(_) => told = true,
                    }
                }
                for (start, end, first, last) in &whole {
                    if hurt.windows(end - start).any(|some| some == &data[*start..*end]) {
                        assert!(
                            (*first..*last).all(|index| back.contains_key(&index)),
                            "a whole block is lost, {kind} {variant}"
                        );
                    }
                }
                assert!(told || back.len() == wanted.len(), "lost silently, {kind} {variant}");
            }
        }
    }
}

#[test]
fn a_header_that_is_damaged_loses_nothing() {
    let layout = Layout::new(schema());
    let data = container(&layout, None, b"paradise");
    for at in 8..blocks(&data)[0].0 {
        let mut hurt = data.clone();
        hurt[at] ^= 4;
        let reader = Reader::with(&hurt[..], Some(schema()), None, Default::default()).unwrap();
        let mut found = 0;
        for finding in reader.findings::<Bird>().unwrap() {
            if let Finding::Elements(first, birds) = finding {
                assert_eq!(birds, birds_from(first, birds.len()));
                found += birds.len();
            }
        }
        assert_eq!(found, 400, "byte {at}");
    }
}

fn birds_from(first: u64, count: usize) -> Vec<Bird> {
    birds()[first as usize..][..count].to_vec()
}

#[test]
fn a_refused_element_is_lost_alone() {
    let text = "E\nE = single field\n  | \"A\" text\n  | \"B\" (text, [text])";
    #[derive(serde::Serialize, serde::Deserialize, Debug, PartialEq)]
    enum Old {
        A(String),
        B(String, Vec<String>),
    }
    #[derive(serde::Deserialize, Debug, PartialEq)]
    enum New {
        A(String),
    }
    let layout = Layout::new(Schema::parse(&text.replace("E", "Old").replace("\"Old\"", "\"E\"")).unwrap());
    let mut writer = Writer::new(vec![], &layout, *b"paradise", None).unwrap();
    for n in 0..100 {
        let one = if n == 2 { Old::B("x".into(), vec!["y".into()]) } else { Old::A(n.to_string()) };
        writer.put(&one).unwrap();
    }
    let bytes = writer.finish().unwrap();
    let findings = Reader::new(&bytes[..]).unwrap().findings::<New>().unwrap();
    assert_eq!(findings.len(), 3);
    assert!(matches!(&findings[0], Finding::Elements(0, some) if some.len() == 2));
    assert!(matches!(&findings[1], Finding::Fault(fault) if fault.element == 2));
    assert!(matches!(&findings[2], Finding::Elements(3, some) if some.len() == 97));
}

/// What every reader finds in the damaged containers of the specification.
#[test]
fn vectors() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/spec/damaged");
    let mut count = 0;
    for path in std::fs::read_dir(folder).unwrap().map(|one| one.unwrap().path()) {
        let vector: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        let hex = vector["container"].as_str().unwrap();
        let bytes: Vec<u8> =
            (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect();
        let schema = Schema::parse(vector["schema"].as_str().unwrap()).unwrap();
        let reader = Reader::with(&bytes[..], Some(schema), None, Default::default()).unwrap();
        let mut found: Vec<String> = vec![];
        for finding in reader.findings::<String>().unwrap() {
            match finding {
                Finding::Elements(first, texts) => found.extend(
                    (first..).zip(texts).map(|(n, text)| format!("element {n} {}", serde_json::Value::from(text))),
                ),
                Finding::Fault(fault) => found.push(format!("fault {} {} {}", fault.element, fault.block, fault.at)),
                Finding::Loss(loss) => {
                    let known =
                        loss.missing.map_or(String::new(), |(blocks, elements)| format!(" {blocks} {elements}"));
                    found.push(format!("loss {} {}{known}", loss.from, loss.to));
                }
            }
        }
        let wanted: Vec<String> = serde_json::from_value(vector["found"].clone()).unwrap();
        assert_eq!(found, wanted, "{}", path.display());
        count += 1;
    }
    assert!(count > 25);
}

#[test]
fn blocks_in_any_order_are_all_there() {
    let layout = Layout::new(schema());
    let data = container(&layout, None, b"paradise");
    let all = blocks(&data);
    for seed in 0..20 {
        let mut random = Random(seed);
        let mut order = all.clone();
        order.reverse();
        if seed > 0 {
            order.sort_by_cached_key(|_| random.below(1 << 30));
        }
        let mut hurt = data[..all[0].0].to_vec();
        order.iter().for_each(|(start, end, ..)| hurt.extend(&data[*start..*end]));
        hurt.extend(&data[all[all.len() - 1].1..]);
        let mut found = vec![];
        for finding in Reader::new(&hurt[..]).unwrap().findings::<Bird>().unwrap() {
            if let Finding::Elements(_, birds) = finding {
                found.extend(birds);
            }
        }
        assert_eq!(found, birds(), "order {seed}");
    }
}

#[test]
fn a_header_that_is_gone_loses_nothing() {
    let layout = Layout::new(schema());
    let data = container(&layout, None, b"paradise");
    for cut in [1, 8, 39, blocks(&data)[0].0] {
        let reader = Reader::with(&data[cut..], Some(schema()), None, Default::default()).unwrap();
        let mut found = vec![];
        for finding in reader.findings::<Bird>().unwrap() {
            if let Finding::Elements(_, birds) = finding {
                found.extend(birds);
            }
        }
        assert_eq!(found, birds(), "cut at {cut}");
    }
}
