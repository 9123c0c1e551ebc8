//! Types over serde's data model: those that were generated, and those that have changed since.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use tern::{Integer, Layout, Schema};

#[allow(dead_code)]
mod generated {
    include!("generated/station.rs");
}

use generated::*;

fn station() -> Schema {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/generated/station.schema")).unwrap();
    Schema::parse(text.trim_end()).unwrap()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn generated_types_go_both_ways() {
    let layout = Layout::new(station());
    let station = Station {
        name: "Gannet Rock".into(),
        r#type: 200,
        readings: vec![
            Event::Quiet,
            Event::Sighted { species_name: "tern".into(), count: Some(-3) },
            Event::Moved(Point(1, 2), Point(3, 4)),
            Event::Noted("fog".into()),
        ],
        tree: Tree::Fork(Box::new(Tree::Leaf), 7, Box::new(Tree::Leaf)),
        counts: BTreeMap::from([("b".to_string(), 1), ("a".to_string(), -1)]),
        size: Integer("-123456789012345678901234567890".parse().unwrap()),
        colours: vec![Colour::Blue, Colour::Red],
        place: Some((0.5, 1.5, 'é')),
        ring: Ring("A7".into()),
        only: Only,
    };
    let document = layout.encode(&station).unwrap();
    assert_eq!(layout.decode::<Station>(&document).unwrap(), station);
    assert_eq!(layout.after(&document, 0).unwrap(), document.len());
    for cut in 0..document.len() {
        assert!(layout.decode::<Station>(&document[..cut]).is_err());
    }
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Sighting {
    #[serde(default = "nobody")]
    observer: String,
    #[serde(alias = "number")]
    count: i64,
    sex: Sex,
    ring: Option<String>,
}

fn nobody() -> String {
    "unknown".into()
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
enum Sex {
    Unknown,
    #[serde(alias = "M")]
    Male,
    #[serde(alias = "F")]
    Female,
}

#[test]
fn an_older_version_is_read_by_names() {
    let text = "Sighting0\nSighting0 = {\"species\": text, \"number\": integer 0..65535, \"sex\": Sex0}\nSex0 = \"F\" | \"M\" | \"X\"";
    let old = Layout::new(Schema::parse(text).unwrap());
    let found: Sighting = old.decode(b"\x04tern\x02\x00\x01").unwrap();
    assert_eq!(found, Sighting { observer: "unknown".into(), count: 2, sex: Sex::Male, ring: None });
    let error = old.decode::<Sighting>(b"\x04tern\x02\x00\x02").unwrap_err();
    assert_eq!(error.offset, Some(7));
    assert!(!error.loses_place);
}

#[test]
fn numbers_keep_to_their_types_and_schemas() {
    let wide = Layout::new(Schema::parse("integer 0..65535").unwrap());
    assert_eq!(wide.decode::<u8>(&[7, 0]), Ok(7));
    assert!(wide.decode::<u8>(&[0, 1]).is_err());
    assert!(wide.encode(&70000).is_err());
    assert!(wide.encode("text").is_err());
    let any = Layout::new(Schema::parse("integer").unwrap());
    let large = Integer("123456789012345678901234567890123456789012".parse().unwrap());
    let document = any.encode(&large).unwrap();
    assert_eq!(any.decode::<Integer>(&document).unwrap(), large);
    assert!(any.decode::<i64>(&document).is_err());
    assert_eq!(hex(&any.encode(&(1i128 << 64)).unwrap()), "ff09000000000000000002");
}

#[test]
fn lists_and_maps_are_read_whole_or_not() {
    let list = Layout::new(Schema::parse("[integer 0..255]").unwrap());
    let long: Vec<u8> = (0..10000).map(|n| n as u8).collect();
    let document = list.encode(&long).unwrap();
    assert_eq!(list.decode::<Vec<u8>>(&document).unwrap(), long);
    assert!(list.decode::<[u8; 2]>(&document).is_err());
    assert!(list.decode::<Vec<u8>>(&[0x8f, 0xff, 1]).unwrap_err().loses_place);
    assert!(list.decode::<Vec<u8>>(&[0xff; 9]).unwrap_err().loses_place);
    let map = Layout::new(Schema::parse("map character boolean").unwrap());
    let error = map.decode::<BTreeMap<char, bool>>(b"\x02b\0a\x01").unwrap_err();
    assert_eq!((error.offset, error.reason.as_str()), (Some(3), "the key is not above the one before it"));
    // A hash map has no order; the writer puts one in.
    let hashed: std::collections::HashMap<char, bool> = ('a'..='z').map(|one| (one, one > 'm')).collect();
    let sorted: BTreeMap<char, bool> = hashed.iter().map(|(k, v)| (*k, *v)).collect();
    assert_eq!(map.encode(&hashed).unwrap(), map.encode(&sorted).unwrap());
    let tuple = Layout::new(Schema::parse("(text, text)").unwrap());
    assert!(tuple.decode::<(String,)>(b"\x01a\x01b").is_err());
    assert!(tuple.encode(&("a", "b", "c")).is_err());
    assert!(tuple.encode(&("a",)).is_err());
}

#[test]
fn depth_is_bounded() {
    let text = "T\nT = single field\n  | \"Leaf\"\n  | \"Fork\" (T, integer 0..255, T)";
    let layout = Layout::new(Schema::parse(text).unwrap());
    let nested = |levels: usize| [vec![1; levels], vec![0], [7, 0].repeat(levels)].concat();
    // A debug build takes much of a thread's stack for each level.
    let run = move || {
        assert!(layout.decode::<Tree>(&nested(511)).is_ok());
        let error = layout.decode::<Tree>(&nested(512)).unwrap_err();
        assert_eq!(error.offset, Some(512));
        assert_eq!(layout.after(&nested(100_000), 0).unwrap(), 300_001);
    };
    std::thread::Builder::new().stack_size(64 << 20).spawn(run).unwrap().join().unwrap();
}

#[test]
fn schemas_that_are_none() {
    for text in [
        "",
        "integr",
        "integer 00..5",
        "float 33",
        "[text",
        "map text",
        "text ?",
        "Missing",
        "text\nUnused = text",
        "A\nA = A",
        "A\nA = text\nA = unit",
        "A\nA = \"x",
        "A\nA = \"\\q\"",
        "text\n",
        "B\nB = (A, C)\nC = unit\nA = text",
        "A\nA = [A; 1 or more]",
        "[text; 0 or more]",
        "bytes 0",
        "bytes 016",
        "bytes (16)",
        "text \"uuid\"",
        "set",
    ] {
        assert!(Schema::parse(text).is_err(), "{text}");
    }
    assert!(Schema::parse(&("[".repeat(3000) + "text" + &"]".repeat(3000))).is_err());
    assert!(Schema::from_bytes(&[8, 0].repeat(5000)).is_err());
}

#[test]
fn texts_of_schemas_come_back() {
    for text in [
        "[integer]?",
        "(integer 0..255)?",
        "integer??",
        "map (integer 0..1) (map text boolean?)",
        "(text, ())",
        "[(text, [unit; 3 or more])?]",
        "integer ..5",
        "map bytes (bytes 16)?",
        "set (text \"date\" as (integer 0..9))",
        "[number \"x\" as (set bytes?)]",
        "opaque \"\\SO\\&H\\233\\&1\\n\"",
        "Pair Text (List Int)\nPair Text (List Int) = (text, [integer])",
        "(A, A#2)\nA = text\nA#2 = {}",
        "S\nS = single field\n  | \"A\" {\"x\"?: text?, \"y\": S}\n  | \"B\" ()?\n  | \"C\"",
        "U\nU = untagged\n  | \"A\" {\"x\"?: text?, \"y\": U}\n  | \"B\"",
    ] {
        let schema = Schema::parse(text).unwrap();
        assert_eq!(schema.text(), text);
        assert_eq!(Schema::from_bytes(&schema.to_bytes()).unwrap(), schema);
    }
}

#[test]
fn formats_are_texts_or_what_the_native_format_has() {
    use std::collections::BTreeSet;

    let layout = |text: &str| Layout::new(Schema::parse(text).unwrap());
    let uuid = layout("text \"uuid\" as (bytes 16)");
    let text = "6ba7b810-9dad-11d1-80b4-00c04fd430c8".to_string();
    let document = uuid.encode(&text).unwrap();
    assert_eq!(hex(&document), text.replace('-', ""));
    assert_eq!(uuid.decode::<String>(&document).unwrap(), text);
    let bytes: [u8; 16] = uuid.decode(&document).unwrap();
    assert_eq!(uuid.encode(&bytes).unwrap(), document);
    assert_eq!(uuid.encode(&bytes.to_vec()).unwrap(), document);
    assert!(uuid.encode(&bytes[..15].to_vec()).is_err());
    assert!(uuid.encode("6ba7b810").is_err());
    let date = layout("Day\nDay = text \"date\" as (integer -365243178575..365241821058)");
    let document = date.encode("2026-01-31").unwrap();
    assert_eq!(date.decode::<i64>(&document), Ok(61071));
    assert_eq!(date.encode(&61071).unwrap(), document);
    assert_eq!(date.decode::<Option<String>>(&document).unwrap().as_deref(), Some("2026-01-31"));
    assert!(date.encode(&365241821059i64).is_err());
    let decimal = layout("number \"decimal\" as (integer, integer -9223372036854775808..9223372036854775807)");
    let document = decimal.encode("1.50").unwrap();
    assert_eq!(hex(&document), "1e01");
    assert_eq!(decimal.decode::<String>(&document).unwrap(), "1.5");
    assert!(decimal.encode(&(150, -2)).is_err());
    assert!(decimal.decode::<String>(&[0x14, 0]).is_err());
    let bytes = layout("bytes");
    assert_eq!(bytes.encode(&vec![1u8, 255]).unwrap(), [2, 1, 255]);
    assert_eq!(bytes.encode(&[1u8, 255]).unwrap(), [2, 1, 255]);
    assert_eq!(bytes.decode::<Vec<u8>>(&[2, 1, 255]).unwrap(), [1, 255]);
    assert!(bytes.decode::<[u8; 1]>(&[2, 1, 255]).is_err());
    let set = layout("set (set text)");
    let words = |all: &[&str]| all.iter().map(|one| one.to_string()).collect::<BTreeSet<String>>();
    let sets = BTreeSet::from([words(&["b", "a"]), words(&[]), words(&["a"])]);
    let document = set.encode(&sets).unwrap();
    assert_eq!(set.decode::<BTreeSet<BTreeSet<String>>>(&document).unwrap(), sets);
    assert_eq!(set.encode(&vec![vec!["a", "b"], vec!["a"], vec![]]).unwrap(), document);
    assert!(set.encode(&vec![vec!["a", "a"]]).is_err());
    let error = set.decode::<Vec<Vec<String>>>(b"\x01\x02\x01b\x01a").unwrap_err();
    assert_eq!((error.offset, error.reason.as_str()), (Some(4), "the element is not above the one before it"));
}
